"""What clients send, for its check and its description."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from recollect.domain.scope import LONGEST_NAME
from recollect.domain.setting import CAPS
from recollect.server.responses.resources import MEMORY_ID, BandName, KindName, ModeName, OriginName

Text: TypeAlias = Annotated[str, Field(min_length=1, description="Any text.")]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]


def _without_caps(chosen: dict[str, object] | None) -> dict[str, object] | None:
    if capped := [name for name in chosen or () if name.startswith(CAPS)]:
        raise ValueError(f"{capped[0]} is a cap, which no call can lift")
    return chosen


Chosen: TypeAlias = Annotated[
    dict[str, bool | int | float | str | list[str]] | None,
    AfterValidator(_without_caps),
    Field(description="Settings for this call alone, by name.", examples=[{"recall.limit": 5}]),
]


class Given(BaseModel):
    """What a client sends: no key may be misspelt, nothing is guessed."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewMemory(Given):
    content: Annotated[str, Field(min_length=1, examples=["I am vegetarian."])]
    tags: Annotated[list[Name], Field(default_factory=list, examples=[["food"]])]
    kind: KindName | None = None
    chat_id: Name | None = None


class MemoryChange(Given):
    content: Annotated[str | None, Field(min_length=1, examples=["I am vegan."])] = None
    tags: Annotated[list[Name] | None, Field(examples=[["food"]])] = None
    pinned: bool | None = None


class Merge(Given):
    ids: Annotated[list[Name], Field(min_length=2, max_length=100, examples=[[MEMORY_ID, "01k9x2v7q3m6"]])]


class Apart(Given):
    ids: Annotated[list[Name], Field(min_length=2, max_length=2, examples=[[MEMORY_ID, "01k9x2v7q3m6"]])]


class Several(Given):
    ids: Annotated[list[Name], Field(min_length=1, max_length=1000, examples=[[MEMORY_ID, "01k9x2v7q3m6"]])]


class Find(Given):
    query: Annotated[str, Field(min_length=1, examples=["food"])]
    kind: KindName | None = None
    origin: OriginName | None = None
    importance: BandName | None = None


class Undo(Given):
    event_id: Annotated[Name | None, Field(description="Which; without it the last one.")] = None


class Question(Given):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: Name | None = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    as_of: Annotated[str | None, Field(description="What was known and true then, ISO 8601.")] = None
    mode: ModeName | None = None
    settings: Chosen = None
    receipt: Annotated[
        bool, Field(description="false leaves no receipt: for trying out, or while somebody types.")
    ] = True


class ContextWanted(Given):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: Name | None = None
    budget: Annotated[int | None, Field(ge=0, le=1_000_000, description="Tokens at most.")] = None
    context_ids: Annotated[list[Name], Field(default_factory=list, description="Files to show besides.")]
    mode: ModeName | None = None
    settings: Chosen = None


class WhyNot(Given):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    memory_id: Annotated[Name, Field(examples=[MEMORY_ID])]
    chat_id: Name | None = None


class Feedback(Given):
    receipt_id: Annotated[Name, Field(description="The receipt, or `last`.", examples=["last"])]
    item_id: Annotated[Name, Field(description="An item of it, or the beginning of its id.")]
    relevant: bool


class ConsentAnswer(Given):
    category: Annotated[str, Field(examples=["profile"], description="`profile`, or a kind of memory.")] = (
        "profile"
    )
    granted: bool


class ProfileForm(BaseModel):
    """Any further field is kept as well. A field that is not sent stays as it is."""

    model_config = ConfigDict(extra="allow", strict=True)

    codingStyle: str | None = None  # noqa: N815 - a key of the profile
    preferredLanguages: list[str] | str | None = None  # noqa: N815
    projectGoals: str | None = None  # noqa: N815
    freeformNotes: str | None = None  # noqa: N815


class Erase(Given):
    """One of the three."""

    memory_id: Name | None = None
    chat_id: Name | None = None
    everything: bool = False


class NewContext(Given):
    name: Annotated[Name, Field(examples=["plan"])]
    content: Annotated[str, Field(min_length=1, examples=["We ship on Fridays."])]
    chat_id: Annotated[Name | None, Field(description="A chat to attach it to.")] = None


class SummariseNow(Given):
    chat_id: Name


class Gardening(Given):
    dry_run: bool = False


class SettingValue(Given):
    value: Annotated[bool | int | float | str | list[str], Field(examples=[5])]


class NewToken(Given):
    name: Annotated[Name, Field(examples=["phone"])]
    user_id: Annotated[Name | None, Field(description="Whose memory it opens; without one, yours.")] = None
    admin: Annotated[bool, Field(description="Let it open everybody's.")] = False


class Numbers(Given):
    values: Annotated[
        dict[str, int | float],
        Field(min_length=1, max_length=100, examples=[{"recall.alpha": 0.5}], description="By setting."),
    ]


class Labelled(Given):
    query: Annotated[str, Field(min_length=1, examples=["What can I cook?"])]
    chat_id: Name | None = None
    relevant: Annotated[
        list[str] | dict[str, int | float],
        Field(description="Ids or texts, or how much each of them counts.", examples=[["is vegetarian"]]),
    ]


class Tune(Given):
    labels: Annotated[
        list[Labelled] | None,
        Field(max_length=1000, description="Ten at least; without any, those of the user's feedback."),
    ] = None
    dry_run: bool = False
    force: Annotated[
        bool, Field(description="Keep the numbers even if the gain does not hold elsewhere.")
    ] = False
    name: Annotated[Name, Field(description="Keep them under this name.")] = "tuned"


class ChatChange(Given):
    title: Annotated[str | None, Field(min_length=1, max_length=LONGEST_NAME)] = None
    mode: Annotated[ModeName | None, Field(description="null is as elsewhere.")] = None


class Branch(Given):
    message_id: Name
    chat_id: Annotated[Name, Field(description="The name of the new chat.")]


class MessageEdit(Given):
    content: Text


class PastTurn(Given):
    role: Literal["user", "assistant"]
    content: str


class Said(Given):
    content: Annotated[str, Field(min_length=1, examples=["What can I cook tonight?"])]
    id: Annotated[Name | None, Field(description="Your own id: the same one is not asked twice.")] = None
    system: Annotated[str | None, Field(description="Your system prompt; it is sent first, untouched.")] = (
        None
    )
    past: Annotated[
        list[PastTurn] | None,
        Field(
            description="The conversation so far, where it is not stored: memory is off, or the chat temporary."
        ),
    ] = None
    mode: ModeName | None = None
    stream: Annotated[bool, Field(description="false answers once, as JSON.")] = True
    settings: Chosen = None


class Again(Given):
    system: str | None = None
    mode: ModeName | None = None
    stream: bool = True
    settings: Chosen = None


class Heard(Given):
    """Messages in the shape of today's chat APIs."""

    messages: Annotated[
        list[dict[str, object]],
        Field(min_length=1, max_length=10_000, examples=[[{"role": "user", "content": "I am vegetarian."}]]),
    ]
    sync: Annotated[bool, Field(description="Wait for what is learned.")] = False
    mode: ModeName | None = None
    settings: Chosen = None


class LlmCall(BaseModel):
    """A conversation; its last message is the question."""

    model_config = ConfigDict(strict=True)

    messages: Annotated[
        list[PastTurn], Field(min_length=1, examples=[[{"role": "user", "content": "What can I cook?"}]])
    ]
    conversationId: Name | None = None  # noqa: N815 - the key of this route
    system: str | None = None


# mem0's requests: keys we do not know are none of our business.


class Mem0Message(BaseModel):
    role: str = "user"
    content: str | list[dict[str, object]]


class Mem0Add(BaseModel):
    messages: list[Mem0Message] | str
    user_id: Name | None = None
    agent_id: Name | None = None
    run_id: Annotated[Name | None, Field(description="Becomes the chat.")] = None
    metadata: dict[str, object] | None = None
    infer: Annotated[bool, Field(description="false keeps the texts as they are.")] = True


class Mem0Search(BaseModel):
    query: Annotated[str, Field(min_length=1)]
    user_id: Name | None = None
    run_id: Name | None = None
    agent_id: Name | None = None
    filters: dict[str, object] | None = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    top_k: Annotated[int | None, Field(ge=1, le=1000)] = None


class Mem0Update(BaseModel):
    text: str | None = None
    data: str | None = None
    memory: str | None = None
