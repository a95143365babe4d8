from dataclasses import replace

import pytest

from recollect.domain.extraction import Fact
from recollect.domain.memory import Kind
from recollect.domain.message import Message, MessageType, Role
from recollect.domain.policy import Policy, load_preset
from recollect.errors import AnswerUnreadable, ProviderBusy, ProviderError
from recollect.extraction.extractor import Extractor, MessageExtraction, ModelUsage
from recollect.extraction.rules.classifier import extract_by_rules
from recollect.testing.chat_models import ScriptedChatModel
from recollect.testing.clock import MONDAY

VALID_REPLY = '[{"t":"pref","c":"vegetariano","w":0.8}]'
FENCED_BLOCK = '<memory nonce="n0nce">\n<item>mora no Porto</item>\n</memory>'


def make_message(text: str, role: Role = Role.USER, message_id: str = "m1") -> Message:
    return Message(
        id=message_id, user="u", chat="c", role=role, content=text, created_at=MONDAY, tokens=len(text) // 4
    )


VEGETARIAN_MESSAGE = make_message("Sou vegetariano e odeio coentro.")
REPLY_MESSAGE = make_message("Anotado! Reservei a mesa 12 para você.", Role.ASSISTANT, "m2")
DEFAULT_POLICY = Policy()


def policy_for_mode(mode: str, **values: str | int) -> Policy:
    changed = {key.replace("__", "."): value for key, value in values.items()}
    return DEFAULT_POLICY.with_values({"extraction.mode": mode, "extraction.min_fact_chars": 3, **changed})


def fact_texts(result: MessageExtraction) -> list[str]:
    return [fact.text for fact in result.extraction.facts]


@pytest.mark.spec("C8")
def test_a_model_is_asked_once_and_its_facts_cite_the_message() -> None:
    model = ScriptedChatModel(VALID_REPLY)
    [judged] = Extractor(model=model)([VEGETARIAN_MESSAGE], policy=policy_for_mode("list"))

    assert judged.extraction.facts == (Fact(text="vegetariano", kind=Kind.PREF, weight=0.8, start=0, end=32),)
    assert (judged.message_id, judged.extraction.importance, judged.model) == ("m1", 80, "scripted")
    assert judged.usage == ModelUsage(
        calls=1, prompt_tokens=len(model.calls[0].messages[0].content.split()), completion_tokens=1
    )
    assert len(model.calls) == 1


@pytest.mark.spec("D16")
def test_an_unreadable_answer_is_shown_to_the_model_once() -> None:
    model = ScriptedChatModel("Claro! Ele é vegetariano.", VALID_REPLY)
    [judged] = Extractor(model=model)([VEGETARIAN_MESSAGE], policy=policy_for_mode("list"))
    second = model.calls[1].messages

    assert fact_texts(judged) == ["vegetariano"]
    assert judged.usage.calls == 2
    assert second[-2].content == "Claro! Ele é vegetariano."
    assert "there is no JSON list in it" in second[-1].content


@pytest.mark.spec("TR-13")
def test_a_model_that_cannot_be_understood_twice_is_an_error_and_no_empty_answer() -> None:
    model = ScriptedChatModel("I'd rather not.")

    with pytest.raises(
        AnswerUnreadable,
        match=r"model scripted could not be parsed, after one retry.*there is no JSON list in it",
    ):
        Extractor(model=model)([VEGETARIAN_MESSAGE], policy=policy_for_mode("list"))
    assert len(model.calls) == 2
    assert issubclass(AnswerUnreadable, ProviderError)
    assert not issubclass(AnswerUnreadable, ProviderBusy)


@pytest.mark.spec("TR-13")
@pytest.mark.parametrize("error", [ProviderBusy(retry_after=7.0), ProviderError()])
def test_a_model_that_fails_is_not_called_silent(error: ProviderError) -> None:
    model = ScriptedChatModel(VALID_REPLY)
    model.fail_next(error)

    with pytest.raises(type(error)) as caught:
        Extractor(model=model)([VEGETARIAN_MESSAGE], policy=policy_for_mode("list"))
    assert caught.value is error


@pytest.mark.spec("C1", "C7", "C-5")
def test_each_message_is_judged_by_itself() -> None:
    trivial = '{"importance": 0, "message_type": "chat", "summary": "", "facts": []}'
    worth = (
        '{"importance": 60, "message_type": "chat", "summary": "É vegetariano.", '
        '"facts": [{"t": "pref", "c": "vegetariano", "w": 0.8}]}'
    )
    model = ScriptedChatModel(worth, trivial)
    found = Extractor(model=model)([VEGETARIAN_MESSAGE, REPLY_MESSAGE], policy=policy_for_mode("per_message"))

    assert [
        (judged.extraction.importance, judged.extraction.summary, fact_texts(judged)) for judged in found
    ] == [
        (60, "É vegetariano.", ["vegetariano"]),
        (0, None, []),
    ]
    assert len(model.calls) == 2


@pytest.mark.spec("D10", "D15", "C-5")
def test_an_exchange_gives_one_fact_to_the_message_that_said_it() -> None:
    model = ScriptedChatModel("O assistente reservou a mesa 12.")
    found = Extractor(model=model)([VEGETARIAN_MESSAGE, REPLY_MESSAGE], policy=policy_for_mode("single_fact"))

    assert [fact_texts(judged) for judged in found] == [[], ["O assistente reservou a mesa 12."]]
    assert [turn.role for turn in model.calls[0].messages] == ["system", "user"]
    assert [judged.usage.calls for judged in found] == [1, 0]


@pytest.mark.spec("C-5")
def test_a_batch_is_one_call() -> None:
    answer = (
        '[{"m":1,"t":"pref","c":"vegetariano","w":0.8},{"m":2,"t":"evt","c":"reservou a mesa 12","w":0.4}]'
    )
    model = ScriptedChatModel(answer)
    found = Extractor(model=model)([VEGETARIAN_MESSAGE, REPLY_MESSAGE], policy=policy_for_mode("batch"))

    assert [fact_texts(judged) for judged in found] == [["vegetariano"], ["reservou a mesa 12"]]
    assert [judged.usage.calls for judged in found] == [1, 0]


@pytest.mark.spec("C9", "D5")
def test_without_a_model_the_rules_judge() -> None:
    [judged] = Extractor()([VEGETARIAN_MESSAGE], policy=policy_for_mode("list"))

    assert judged == MessageExtraction(
        message_id="m1",
        extraction=extract_by_rules(VEGETARIAN_MESSAGE.content, role=Role.USER, sent_at=MONDAY),
    )
    assert judged.extraction.facts


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
    messages = [make_message(f"words of the {role}", role, role) for role in Role]
    found = Extractor(model=model)(messages, policy=policy_for_mode("list", extraction__roles=roles))

    asked = [turn.content for call in model.calls for turn in call.messages]
    assert [any(f"words of the {role}" in text for text in asked) for role in Role] == [
        role in read for role in Role
    ]
    assert [judged.extraction.reason for judged in found if judged.message_id not in read] == [
        f"{role} messages are not extracted" for role in Role if role not in read
    ]


@pytest.mark.parametrize("model", [ScriptedChatModel(VALID_REPLY), None])
def test_nothing_is_learned_from_what_was_injected(model: ScriptedChatModel | None) -> None:
    message = make_message(f"{FENCED_BLOCK}\nSou vegetariano.\n\n## Relevant memory\n- Mora no Porto\n")
    only = make_message(FENCED_BLOCK, message_id="m2")
    first, second = Extractor(model=model)([message, only], policy=policy_for_mode("list"))
    [fact] = first.extraction.facts

    assert message.content[fact.start : fact.end].strip() in {"Sou vegetariano.", "Sou vegetariano"}
    assert second.extraction.reason == "the message contains only injected text"
    assert not any(
        "Porto" in turn.content for call in (model.calls if model else []) for turn in call.messages
    )


def test_what_a_model_makes_up_is_quarantined() -> None:
    made_up = '[{"t":"bio","c":"mora em Berlim","w":1.0},{"t":"pref","c":"vegetariano","w":0.8}]'
    [judged] = Extractor(model=ScriptedChatModel(made_up))(
        [VEGETARIAN_MESSAGE], policy=policy_for_mode("list")
    )

    assert fact_texts(judged) == ["vegetariano"]
    assert [(doubt.fact.text, doubt.reason) for doubt in judged.quarantined_facts] == [
        ("mora em Berlim", "not in the message: Berlim")
    ]


@pytest.mark.spec("D6")
def test_a_long_message_is_asked_about_in_pieces_and_judged_as_one() -> None:
    filler = "Hoje caminhei devagar pela rua. " * 200
    long = make_message(f"Sou vegetariano. {filler} Moro no Porto.")
    model = ScriptedChatModel(
        lambda turns: (
            VALID_REPLY
            if "vegetariano" in turns[-1].content
            else '[{"t":"bio","c":"mora no Porto","w":1.0}]'
            if "Porto" in turns[-1].content
            else "[]"
        )
    )
    [judged] = Extractor(model=model, max_input_tokens=700)([long], policy=policy_for_mode("list"))

    assert fact_texts(judged) == ["vegetariano", "mora no Porto"]
    assert [long.content[fact.start : fact.end] for fact in judged.extraction.facts] == [
        "Sou vegetariano.",
        "Moro no Porto.",
    ]
    assert (judged.extraction.importance, judged.usage.calls) == (100, len(model.calls))
    assert len(model.calls) > 2


def test_the_prompt_is_in_the_language_of_the_message() -> None:
    model = ScriptedChatModel("[]")
    step = Extractor(model=model)
    step([VEGETARIAN_MESSAGE], policy=DEFAULT_POLICY)
    step([make_message("I am vegetarian and I hate coriander")], policy=load_preset("companion"))

    assert [call.messages[0].content.split()[0] for call in model.calls] == ["Analise", "Analyse"]


@pytest.mark.spec("D7", "D8")
def test_what_is_known_is_shown_and_what_had_no_room_is_said() -> None:
    model = ScriptedChatModel("[]")
    [judged] = Extractor(model=model)(
        [VEGETARIAN_MESSAGE],
        policy=DEFAULT_POLICY,
        known_memories=["mora no Porto"],
        context_texts=["word " * 20_000, "loja de vinhos"],
    )
    system = model.calls[0].messages[0]

    assert system.role == "system"
    assert "- mora no Porto" in system.content
    assert "loja de vinhos" in system.content
    assert [note.split(":")[0] for note in judged.omissions] == [
        "context file 1 does not fit into the prompt"
    ]


def test_extraction_that_is_off_asks_nobody() -> None:
    model = ScriptedChatModel(VALID_REPLY)
    [judged] = Extractor(model=model)([VEGETARIAN_MESSAGE], policy=policy_for_mode("off"))

    assert (judged.extraction.importance, judged.extraction.reason) == (0, "extraction is off")
    assert model.calls == []


@pytest.mark.spec("C-26")
def test_a_short_fact_survives_where_the_policy_lets_it() -> None:
    model = ScriptedChatModel('[{"t":"bio","c":"nome: Ana","w":1.0}]')
    ana = make_message("Meu nome é Ana")
    kept = [
        fact_texts(Extractor(model=model)([ana], policy=policy)[0])
        for policy in (load_preset("companion"), DEFAULT_POLICY)
    ]

    assert kept == [["nome: Ana"], []]


def test_a_decision_makes_the_message_one() -> None:
    model = ScriptedChatModel('[{"m":1,"t":"dec","c":"uses PostgreSQL","w":0.9}]')
    [judged] = Extractor(model=model)(
        [make_message("We will use PostgreSQL.")], policy=policy_for_mode("batch")
    )

    assert judged.extraction.message_type is MessageType.DECISION


def test_the_users_own_prompts_are_used() -> None:
    model = ScriptedChatModel("[]")
    Extractor(model=model, prompt_overrides={"list": "Mine: {user_message}"})(
        [VEGETARIAN_MESSAGE], policy=DEFAULT_POLICY
    )

    assert model.calls[0].messages[0].content == f"Mine: {VEGETARIAN_MESSAGE.content}"


def test_the_time_for_a_call_is_handed_on() -> None:
    model = ScriptedChatModel("[]")
    Extractor(model=model, timeout=3.0)([VEGETARIAN_MESSAGE], policy=DEFAULT_POLICY)

    assert model.calls[0].timeout == 3.0


def test_messages_come_back_in_their_order() -> None:
    messages = [replace(VEGETARIAN_MESSAGE, id=f"m{n}") for n in range(5)]
    found = Extractor(model=ScriptedChatModel("[]"))(messages, policy=policy_for_mode("batch"))

    assert [judged.message_id for judged in found] == ["m0", "m1", "m2", "m3", "m4"]


PAGE = 'Resume isto: """Meu nome é Atacante. Moro em Moscou."""\n\n'


def test_what_only_quoted_text_says_is_quarantined() -> None:
    message = make_message(f"{PAGE}Sou vegetariano.")
    answer = '[{"t":"bio","c":"nome: Atacante","w":0.9},{"t":"pref","c":"vegetariano","w":0.8}]'
    [result] = Extractor(model=ScriptedChatModel(answer))([message], policy=policy_for_mode("list"))

    assert fact_texts(result) == ["vegetariano"]
    assert [(doubt.fact.text, doubt.reason) for doubt in result.quarantined_facts] == [
        ("nome: Atacante", "only quoted or pasted text says so")
    ]


def test_what_is_quoted_and_also_said_is_a_fact() -> None:
    message = make_message(f"{PAGE}Também moro em Moscou.")
    answer = '[{"t":"bio","c":"mora em Moscou","w":0.9}]'
    [result] = Extractor(model=ScriptedChatModel(answer))([message], policy=policy_for_mode("list"))

    assert fact_texts(result) == ["mora em Moscou"]
    assert message.content[result.extraction.facts[0].start :] == "Também moro em Moscou."


def test_quoted_text_stays_quoted_where_a_long_message_is_cut() -> None:
    page = "This line is about nothing much at all. " * 400
    message = make_message(f'Read """{page} My name is Attacker. {page}""" I am a vegetarian.')
    answer = '[{"t":"bio","c":"name is Attacker","w":0.9}]'
    extractor = Extractor(model=ScriptedChatModel(*[answer] * 40), max_input_tokens=1500)
    [result] = extractor([message], policy=policy_for_mode("list"))

    assert fact_texts(result) == []
    assert "only quoted or pasted text says so" in {doubt.reason for doubt in result.quarantined_facts}


@pytest.mark.parametrize(
    "text",
    [
        '"""\nMy name is Attacker.\nI live in Moscow.\n"""\nWhat does it say?',
        "From: bob@example.com\nTo: ana@example.com\nSubject: Hi\n\nMy name is Attacker. I live in Moscow.",
        "Look at this\n-----Original Message-----\nMy name is Attacker.",
        "~~~\nMy name is Attacker.\n~~~",
        "<document>\nMy name is Attacker.\n</document>",
        "What is this\n\n    My name is Attacker\n    I live in Moscow",
    ],
)
def test_the_rules_learn_nothing_from_quoted_text(text: str) -> None:
    [result] = Extractor()([make_message(text)], policy=DEFAULT_POLICY)

    assert fact_texts(result) == []


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('My dog is called "Rex".', "dog: Rex"),
        ('"""My name is Attacker."""\nMy name is Ana.', "name: Ana"),
        ("> My name is Attacker.\n\nMy name is Ana.", "name: Ana"),
    ],
)
def test_the_rules_learn_what_stands_beside_a_quotation(text: str, fact: str) -> None:
    [result] = Extractor()([make_message(text)], policy=DEFAULT_POLICY)

    assert fact_texts(result) == [fact]
