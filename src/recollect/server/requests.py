"""Request models: validation of bodies and their OpenAPI schemas."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from recollect.domain.scope import MAX_NAME_CHARS
from recollect.domain.setting import CAP_SETTING_PREFIX
from recollect.server.responses.resources import EXAMPLE_MEMORY_ID, BandName, KindName, ModeName, OriginName

NonEmptyText: TypeAlias = Annotated[str, Field(min_length=1, description="Any text.")]
ResourceName: TypeAlias = Annotated[str, Field(min_length=1, max_length=MAX_NAME_CHARS)]


def _reject_caps(settings: dict[str, object] | None) -> dict[str, object] | None:
    if capped := [name for name in settings or () if name.startswith(CAP_SETTING_PREFIX)]:
        raise ValueError(f"{capped[0]} is a cost cap and cannot be set per call")
    return settings


CallSettings: TypeAlias = Annotated[
    dict[str, bool | int | float | str | list[str]] | None,
    AfterValidator(_reject_caps),
    Field(description="Settings for this call only, by name.", examples=[{"recall.limit": 5}]),
]


MetadataObject: TypeAlias = Annotated[
    dict[str, object] | None,
    Field(description="Stored with the message and its memories.", examples=[{"project": "webshop"}]),
]


class RequestModel(BaseModel):
    """Base of request models: unknown keys are errors, and types are not coerced."""

    model_config = ConfigDict(extra="forbid", strict=True)


class CreateMemoryRequest(RequestModel):
    content: Annotated[str, Field(min_length=1, examples=["I am vegetarian."])]
    tags: Annotated[list[ResourceName], Field(default_factory=list, examples=[["food"]])]
    kind: KindName | None = None
    chat_id: ResourceName | None = None
    metadata: MetadataObject = None


class UpdateMemoryRequest(RequestModel):
    content: Annotated[str | None, Field(min_length=1, examples=["I am vegan."])] = None
    tags: Annotated[list[ResourceName] | None, Field(examples=[["food"]])] = None
    pinned: bool | None = None
    metadata: Annotated[
        dict[str, object] | None,
        Field(description="Replaces the metadata.", examples=[{"project": "webshop"}]),
    ] = None


class MergeMemoriesRequest(RequestModel):
    ids: Annotated[
        list[ResourceName],
        Field(min_length=2, max_length=100, examples=[[EXAMPLE_MEMORY_ID, "01k9x2v7q3m6"]]),
    ]


class MarkDistinctRequest(RequestModel):
    ids: Annotated[
        list[ResourceName], Field(min_length=2, max_length=2, examples=[[EXAMPLE_MEMORY_ID, "01k9x2v7q3m6"]])
    ]


class MemoryIdsRequest(RequestModel):
    ids: Annotated[
        list[ResourceName],
        Field(min_length=1, max_length=1000, examples=[[EXAMPLE_MEMORY_ID, "01k9x2v7q3m6"]]),
    ]


class FindMemoriesRequest(RequestModel):
    query: Annotated[str, Field(min_length=1, examples=["food"])]
    kind: KindName | None = None
    origin: OriginName | None = None
    importance: BandName | None = None


class UndoRequest(RequestModel):
    event_id: Annotated[
        ResourceName | None, Field(description="The event to undo; the last one by default.")
    ] = None


class SearchRequest(RequestModel):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: ResourceName | None = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    as_of: Annotated[
        str | None, Field(description="Search what was known and valid at this time, ISO 8601.")
    ] = None
    metadata: Annotated[
        dict[str, object] | None,
        Field(description="Values that messages and memories must have.", examples=[{"project": "webshop"}]),
    ] = None
    mode: ModeName | None = None
    settings: CallSettings = None
    receipt: Annotated[
        bool, Field(description="false stores no receipt, for previews and search as you type.")
    ] = True


class ContextRequest(RequestModel):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: ResourceName | None = None
    budget: Annotated[int | None, Field(ge=0, le=1_000_000, description="Maximum number of tokens.")] = None
    context_ids: Annotated[
        list[ResourceName], Field(default_factory=list, description="Additional context files to include.")
    ]
    mode: ModeName | None = None
    settings: CallSettings = None


class WhyNotRequest(RequestModel):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    memory_id: Annotated[ResourceName, Field(examples=[EXAMPLE_MEMORY_ID])]
    chat_id: ResourceName | None = None


class FeedbackRequest(RequestModel):
    receipt_id: Annotated[ResourceName, Field(description="The receipt's id, or `last`.", examples=["last"])]
    item_id: Annotated[ResourceName, Field(description="An item's id, or a prefix of it.")]
    relevant: bool


class SetConsentRequest(RequestModel):
    category: Annotated[str, Field(examples=["profile"], description="`profile`, or a memory kind.")] = (
        "profile"
    )
    granted: bool


class UpdateProfileRequest(BaseModel):
    """Additional fields are stored too. Fields that are not sent stay unchanged."""

    model_config = ConfigDict(extra="allow", strict=True)

    codingStyle: str | None = None  # noqa: N815 - a key of the profile
    preferredLanguages: list[str] | str | None = None  # noqa: N815
    projectGoals: str | None = None  # noqa: N815
    freeformNotes: str | None = None  # noqa: N815


class EraseRequest(RequestModel):
    """Exactly one of the three fields must be set."""

    memory_id: ResourceName | None = None
    chat_id: ResourceName | None = None
    everything: bool = False


class CreateContextFileRequest(RequestModel):
    name: Annotated[ResourceName, Field(examples=["plan"])]
    content: Annotated[str, Field(min_length=1, examples=["We ship on Fridays."])]
    chat_id: Annotated[ResourceName | None, Field(description="The chat to attach it to.")] = None


class SummarizeRequest(RequestModel):
    chat_id: ResourceName


class MaintenanceRequest(RequestModel):
    dry_run: bool = False


class SetPreferenceRequest(RequestModel):
    value: Annotated[bool | int | float | str | list[str], Field(examples=[5])]


class CreateTokenRequest(RequestModel):
    name: Annotated[ResourceName, Field(examples=["phone"])]
    user_id: Annotated[
        ResourceName | None, Field(description="The user whose memory it can access; yours by default.")
    ] = None
    admin: Annotated[bool, Field(description="Whether it can access all users.")] = False


class SaveTuningRequest(RequestModel):
    values: Annotated[
        dict[str, int | float],
        Field(
            min_length=1,
            max_length=100,
            examples=[{"recall.alpha": 0.5}],
            description="Values by setting name.",
        ),
    ]


class LabelledQueryRequest(RequestModel):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: ResourceName | None = None
    relevant: Annotated[
        list[str] | dict[str, int | float],
        Field(
            description="Relevant ids or texts, optionally with a relevance grade each.",
            examples=[["is vegetarian"]],
        ),
    ]


class TuneRequest(RequestModel):
    labels: Annotated[
        list[LabelledQueryRequest] | None,
        Field(
            max_length=1000, description="At least ten; by default those derived from the user's feedback."
        ),
    ] = None
    dry_run: bool = False
    force: Annotated[
        bool, Field(description="Apply the weights even if held-out queries do not improve.")
    ] = False
    name: Annotated[ResourceName, Field(description="Name under which the weights are saved.")] = "tuned"


class UpdateChatRequest(RequestModel):
    title: Annotated[str | None, Field(min_length=1, max_length=MAX_NAME_CHARS)] = None
    mode: Annotated[
        ModeName | None, Field(description="Memory mode of the chat; null uses the user's setting.")
    ] = None


class BranchChatRequest(RequestModel):
    message_id: ResourceName
    chat_id: Annotated[ResourceName, Field(description="Id of the new chat.")]


class EditMessageRequest(RequestModel):
    content: NonEmptyText


class HistoryTurnRequest(RequestModel):
    role: Literal["user", "assistant"]
    content: str


class SendMessageRequest(RequestModel):
    content: Annotated[str, Field(min_length=1, examples=["What can I cook tonight?"])]
    id: Annotated[
        ResourceName | None, Field(description="Client id of the message; a repeated id is not sent twice.")
    ] = None
    system: Annotated[str | None, Field(description="Your system prompt; it is sent first, unchanged.")] = (
        None
    )
    past: Annotated[
        list[HistoryTurnRequest] | None,
        Field(
            description="The conversation so far, if it is not stored: memory is off, or the chat is temporary."
        ),
    ] = None
    mode: ModeName | None = None
    stream: Annotated[bool, Field(description="false returns one JSON object.")] = True
    settings: CallSettings = None


class RegenerateRequest(RequestModel):
    system: str | None = None
    mode: ModeName | None = None
    stream: bool = True
    settings: CallSettings = None


class AddMessagesRequest(RequestModel):
    """Messages with `role` and `content`, as in common chat APIs."""

    messages: Annotated[
        list[dict[str, object]],
        Field(min_length=1, max_length=10_000, examples=[[{"role": "user", "content": "I am vegetarian."}]]),
    ]
    metadata: MetadataObject = None
    sync: Annotated[bool, Field(description="Wait until extraction has finished.")] = False
    mode: ModeName | None = None
    settings: CallSettings = None


class LlmRequest(BaseModel):
    """A conversation; its last message is the one to answer."""

    model_config = ConfigDict(strict=True)

    messages: Annotated[
        list[HistoryTurnRequest],
        Field(min_length=1, examples=[[{"role": "user", "content": "What can I cook?"}]]),
    ]
    conversationId: ResourceName | None = None  # noqa: N815 - the key of this route
    system: str | None = None


# mem0's requests: unknown keys are ignored.


class Mem0MessageRequest(BaseModel):
    role: str = "user"
    content: str | list[dict[str, object]]


class Mem0AddRequest(BaseModel):
    messages: list[Mem0MessageRequest] | str
    user_id: ResourceName | None = None
    agent_id: ResourceName | None = None
    run_id: Annotated[ResourceName | None, Field(description="Used as the chat id.")] = None
    metadata: dict[str, object] | None = None
    infer: Annotated[bool, Field(description="false stores the texts unchanged, without extraction.")] = True


class Mem0SearchRequest(BaseModel):
    query: Annotated[str, Field(min_length=1)]
    user_id: ResourceName | None = None
    run_id: ResourceName | None = None
    agent_id: ResourceName | None = None
    filters: dict[str, object] | None = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    top_k: Annotated[int | None, Field(ge=1, le=1000)] = None


class Mem0UpdateRequest(BaseModel):
    text: str | None = None
    data: str | None = None
    memory: str | None = None
