from dataclasses import replace

import pytest

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.policy import Policy, preset
from recollect.errors import AnswerUnreadable, ProviderBusy, ProviderError
from recollect.extraction.extractor import Cost, Judged, JudgeStep
from recollect.extraction.rules.classifier import judge
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY

GOOD = '[{"t":"pref","c":"vegetariano","w":0.8}]'
FENCED = '<memory nonce="n0nce">\n<item>mora no Porto</item>\n</memory>'


def said(text: str, role: Role = Role.USER, message_id: str = "m1") -> Message:
    return Message(
        id=message_id, user="u", chat="c", role=role, content=text, created_at=MONDAY, tokens=len(text) // 4
    )


VEGETARIAN = said("Sou vegetariano e odeio coentro.")
REPLY = said("Anotado! Reservei a mesa 12 para você.", Role.ASSISTANT, "m2")
DEFAULT = Policy()


def in_mode(mode: str, **values: str | int) -> Policy:
    changed = {key.replace("__", "."): value for key, value in values.items()}
    return DEFAULT.with_values({"extract.mode": mode, "extract.min_fact_chars": 3, **changed})


def texts(judged: Judged) -> list[str]:
    return [fact.text for fact in judged.judgement.facts]


@pytest.mark.spec("C8")
def test_a_model_is_asked_once_and_its_facts_cite_the_message() -> None:
    model = ScriptedChatModel(GOOD)
    [judged] = JudgeStep(model=model)([VEGETARIAN], policy=in_mode("list"))

    assert judged.judgement.facts == (Fact(text="vegetariano", kind=Kind.PREF, weight=0.8, start=0, end=32),)
    assert (judged.message_id, judged.judgement.importance, judged.model) == ("m1", 80, "scripted")
    assert judged.cost == Cost(
        calls=1, prompt_tokens=len(model.calls[0].turns[0].content.split()), completion_tokens=1
    )
    assert len(model.calls) == 1


@pytest.mark.spec("D16")
def test_an_unreadable_answer_is_shown_to_the_model_once() -> None:
    model = ScriptedChatModel("Claro! Ele é vegetariano.", GOOD)
    [judged] = JudgeStep(model=model)([VEGETARIAN], policy=in_mode("list"))
    second = model.calls[1].turns

    assert texts(judged) == ["vegetariano"]
    assert judged.cost.calls == 2
    assert second[-2].content == "Claro! Ele é vegetariano."
    assert "there is no JSON list in it" in second[-1].content


@pytest.mark.spec("TR-13")
def test_a_model_that_cannot_be_understood_twice_is_an_error_and_no_empty_answer() -> None:
    model = ScriptedChatModel("I'd rather not.")

    with pytest.raises(AnswerUnreadable, match=r"scripted was asked twice.*there is no JSON list in it"):
        JudgeStep(model=model)([VEGETARIAN], policy=in_mode("list"))
    assert len(model.calls) == 2
    assert issubclass(AnswerUnreadable, ProviderError)
    assert not issubclass(AnswerUnreadable, ProviderBusy)


@pytest.mark.spec("TR-13")
@pytest.mark.parametrize("error", [ProviderBusy(retry_after=7.0), ProviderError()])
def test_a_model_that_fails_is_not_called_silent(error: ProviderError) -> None:
    model = ScriptedChatModel(GOOD)
    model.fail_next(error)

    with pytest.raises(type(error)) as caught:
        JudgeStep(model=model)([VEGETARIAN], policy=in_mode("list"))
    assert caught.value is error


@pytest.mark.spec("C1", "C7", "C-5")
def test_each_message_is_judged_by_itself() -> None:
    trivial = '{"importance": 0, "message_type": "chat", "summary": "", "facts": []}'
    worth = (
        '{"importance": 60, "message_type": "chat", "summary": "É vegetariano.", '
        '"facts": [{"t": "pref", "c": "vegetariano", "w": 0.8}]}'
    )
    model = ScriptedChatModel(worth, trivial)
    found = JudgeStep(model=model)([VEGETARIAN, REPLY], policy=in_mode("per_message"))

    assert [(judged.judgement.importance, judged.judgement.summary, texts(judged)) for judged in found] == [
        (60, "É vegetariano.", ["vegetariano"]),
        (0, None, []),
    ]
    assert len(model.calls) == 2


@pytest.mark.spec("D10", "D15", "C-5")
def test_an_exchange_gives_one_fact_to_the_message_that_said_it() -> None:
    model = ScriptedChatModel("O assistente reservou a mesa 12.")
    found = JudgeStep(model=model)([VEGETARIAN, REPLY], policy=in_mode("single_fact"))

    assert [texts(judged) for judged in found] == [[], ["O assistente reservou a mesa 12."]]
    assert [turn.role for turn in model.calls[0].turns] == ["system", "user"]
    assert [judged.cost.calls for judged in found] == [1, 0]


@pytest.mark.spec("C-5")
def test_a_batch_is_one_call() -> None:
    answer = (
        '[{"m":1,"t":"pref","c":"vegetariano","w":0.8},{"m":2,"t":"evt","c":"reservou a mesa 12","w":0.4}]'
    )
    model = ScriptedChatModel(answer)
    found = JudgeStep(model=model)([VEGETARIAN, REPLY], policy=in_mode("batch"))

    assert [texts(judged) for judged in found] == [["vegetariano"], ["reservou a mesa 12"]]
    assert [judged.cost.calls for judged in found] == [1, 0]


@pytest.mark.spec("C9", "D5")
def test_without_a_model_the_rules_judge() -> None:
    [judged] = JudgeStep()([VEGETARIAN], policy=in_mode("list"))

    assert judged == Judged(
        message_id="m1", judgement=judge(VEGETARIAN.content, role=Role.USER, said_at=MONDAY)
    )
    assert judged.judgement.facts


@pytest.mark.spec("W4", "D17")
@pytest.mark.parametrize(
    ("roles", "read"),
    [
        ("user", ["user"]),
        ("user+assistant", ["user", "assistant"]),
        ("all", ["user", "assistant", "tool"]),
    ],
)
def test_only_the_roles_of_the_policy_are_read_and_never_the_system(roles: str, read: list[str]) -> None:
    model = ScriptedChatModel("[]")
    messages = [said(f"words of the {role}", role, role) for role in Role]
    found = JudgeStep(model=model)(messages, policy=in_mode("list", extract__roles=roles))

    asked = [turn.content for call in model.calls for turn in call.turns]
    assert [any(f"words of the {role}" in text for text in asked) for role in Role] == [
        role in read for role in Role
    ]
    assert [judged.judgement.reason for judged in found if judged.message_id not in read] == [
        f"{role} text is not read" for role in Role if role not in read
    ]


@pytest.mark.parametrize("model", [ScriptedChatModel(GOOD), None])
def test_nothing_is_learned_from_what_was_injected(model: ScriptedChatModel | None) -> None:
    message = said(f"{FENCED}\nSou vegetariano.\n\n## Relevant memory\n- Mora no Porto\n")
    only = said(FENCED, message_id="m2")
    first, second = JudgeStep(model=model)([message, only], policy=in_mode("list"))
    [fact] = first.judgement.facts

    assert message.content[fact.start : fact.end].strip() in {"Sou vegetariano.", "Sou vegetariano"}
    assert second.judgement.reason == "there is nothing in it but what was injected"
    assert not any("Porto" in turn.content for call in (model.calls if model else []) for turn in call.turns)


def test_what_a_model_makes_up_is_quarantined() -> None:
    made_up = '[{"t":"bio","c":"mora em Berlim","w":1.0},{"t":"pref","c":"vegetariano","w":0.8}]'
    [judged] = JudgeStep(model=ScriptedChatModel(made_up))([VEGETARIAN], policy=in_mode("list"))

    assert texts(judged) == ["vegetariano"]
    assert [(doubt.fact.text, doubt.reason) for doubt in judged.quarantined] == [
        ("mora em Berlim", "not in the message: Berlim")
    ]


@pytest.mark.spec("D6")
def test_a_long_message_is_asked_about_in_pieces_and_judged_as_one() -> None:
    filler = "Hoje caminhei devagar pela rua. " * 200
    long = said(f"Sou vegetariano. {filler} Moro no Porto.")
    model = ScriptedChatModel(
        lambda turns: (
            GOOD
            if "vegetariano" in turns[-1].content
            else '[{"t":"bio","c":"mora no Porto","w":1.0}]'
            if "Porto" in turns[-1].content
            else "[]"
        )
    )
    [judged] = JudgeStep(model=model, max_input=700)([long], policy=in_mode("list"))

    assert texts(judged) == ["vegetariano", "mora no Porto"]
    assert [long.content[fact.start : fact.end] for fact in judged.judgement.facts] == [
        "Sou vegetariano.",
        "Moro no Porto.",
    ]
    assert (judged.judgement.importance, judged.cost.calls) == (100, len(model.calls))
    assert len(model.calls) > 2


def test_the_prompt_is_in_the_language_of_the_message() -> None:
    model = ScriptedChatModel("[]")
    step = JudgeStep(model=model)
    step([VEGETARIAN], policy=DEFAULT)
    step([said("I am vegetarian and I hate coriander")], policy=preset("companion"))

    assert [call.turns[0].content.split()[0] for call in model.calls] == ["Analise", "Analyse"]


@pytest.mark.spec("D7", "D8")
def test_what_is_known_is_shown_and_what_had_no_room_is_said() -> None:
    model = ScriptedChatModel("[]")
    [judged] = JudgeStep(model=model)(
        [VEGETARIAN],
        policy=DEFAULT,
        existing=["mora no Porto"],
        contexts=["word " * 20_000, "loja de vinhos"],
    )
    system = model.calls[0].turns[0]

    assert system.role == "system"
    assert "- mora no Porto" in system.content
    assert "loja de vinhos" in system.content
    assert [note.split(":")[0] for note in judged.left_out] == ["context file 1 was not shown"]


def test_extraction_that_is_off_asks_nobody() -> None:
    model = ScriptedChatModel(GOOD)
    [judged] = JudgeStep(model=model)([VEGETARIAN], policy=in_mode("off"))

    assert (judged.judgement.importance, judged.judgement.reason) == (0, "extraction is off")
    assert model.calls == []


@pytest.mark.spec("C-26")
def test_a_short_fact_survives_where_the_policy_lets_it() -> None:
    model = ScriptedChatModel('[{"t":"bio","c":"nome: Ana","w":1.0}]')
    ana = said("Meu nome é Ana")
    kept = [
        texts(JudgeStep(model=model)([ana], policy=policy)[0]) for policy in (preset("companion"), DEFAULT)
    ]

    assert kept == [["nome: Ana"], []]


def test_a_decision_makes_the_message_one() -> None:
    model = ScriptedChatModel('[{"m":1,"t":"dec","c":"uses PostgreSQL","w":0.9}]')
    [judged] = JudgeStep(model=model)([said("We will use PostgreSQL.")], policy=in_mode("batch"))

    assert judged.judgement.message_type is MessageType.DECISION


def test_the_users_own_prompts_are_used() -> None:
    model = ScriptedChatModel("[]")
    JudgeStep(model=model, prompts={"list": "Mine: {user_message}"})([VEGETARIAN], policy=DEFAULT)

    assert model.calls[0].turns[0].content == f"Mine: {VEGETARIAN.content}"


def test_the_time_for_a_call_is_handed_on() -> None:
    model = ScriptedChatModel("[]")
    JudgeStep(model=model, timeout=3.0)([VEGETARIAN], policy=DEFAULT)

    assert model.calls[0].timeout == 3.0


def test_messages_come_back_in_their_order() -> None:
    messages = [replace(VEGETARIAN, id=f"m{n}") for n in range(5)]
    found = JudgeStep(model=ScriptedChatModel("[]"))(messages, policy=in_mode("batch"))

    assert [judged.message_id for judged in found] == ["m0", "m1", "m2", "m3", "m4"]
