import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.domain.message import Role
from recollect.domain.policy import TriagePolicy
from recollect.domain.reason import Reason, ReasonCode
from recollect.ingestion.triage.decision import ExtractMessage, SkipMessage, TriageDecision, triage

#: Statements of users about themselves, their family, work and plans.
RELEVANT_TEXTS = [
    "My name is Ana Ribeiro",
    "I'm 34 years old",
    "I live in Porto with my two cats",
    "My app uses React and TypeScript",
    "Use Clean Architecture in every service",
    "Never use libraries",
    "We decided to move the meeting to Tuesdays",
    "I prefer short answers",
    "I'm allergic to shellfish",
    "She hates coriander",
    "My brother Tom got engaged last night",
    "I want to run a marathon next spring",
    "I got laid off this morning",
    "The production database is PostgreSQL 16",
    "Deploys happen on Thursdays only",
    "The API key rotates every 90 days",
    "Our office moved to Rua Augusta 12",
    "I have a dentist appointment on 3 May",
    "I feel anxious every time we talk about deadlines",
    "I can't sleep when there is a release",
    "Please answer in Portuguese from now on",
    "What is the best way to deploy my project?",
    "What's my daughter's name again?",
    "How tall am I?",
    "Recommend me a dinner without gluten",
    "I drive a 2018 Honda Civic",
    "Vegetarian since 2010",
    "The client asked for dark mode",
    "Tom takes his coffee black",
    "hi, I'm Ana and I moved to Porto",
    "Thanks! By the way, the server runs Debian 12",
    "We chose B-tree over skip list for the new index",
    "I'm learning to play the cello",
    "My flight lands at 18:40 on Sunday",
    "I quit smoking two months ago",
    "Meu nome é Pedro",
    "Sou vegetariano",
    "Tenho 30 anos",
    "Quero aprender a programar este ano",
    "Fui demitido hoje",
    "Nasceu meu filho",
    "Moro em Belo Horizonte desde 2015",
    "Trabalho como enfermeira no Hospital São João",
    "Minha esposa se chama Júlia",
    "Odeio coentro na comida",
    "Não como carne vermelha",
    "Estou fazendo dieta low carb",
    "Fico ansioso quando falamos de prazos",
    "O projeto usa Django e Celery",
    "Decidimos usar Kubernetes em produção",
    "Preferimos commits pequenos",
    "A arquitetura segue o padrão hexagonal",
    "Lembre-se de que eu trabalho de madrugada",
    "A partir de agora responda em inglês",
    "Comprei um apartamento em Braga",
    "Meu pai faleceu em janeiro",
    "Vou me casar em setembro",
    "Estou grávida de três meses",
    "A senha do wifi muda toda segunda",
    "O cliente pediu o relatório até sexta",
    "Bom dia! Mudei de emprego, agora estou na Acme",
    "Qual é o melhor jeito de publicar meu projeto?",
    "Evito lugares lotados",
    "Tenho medo de avião",
    "A reunião com a Marta é na quinta às dez",
    "Prefiro chá a café",
]

POLICY_STRATEGY = st.builds(
    TriagePolicy,
    enabled=st.booleans(),
    min_chars=st.integers(0, 30),
    keep_phrases_override=st.sampled_from(["all", "after_layer1"]),
    drop_phrases=st.lists(st.text(), max_size=3).map(tuple),
    keep_phrases=st.lists(st.text(), max_size=3).map(tuple),
)


@pytest.mark.spec("B12")
@pytest.mark.parametrize("text", RELEVANT_TEXTS)
def test_relevant_messages_go_to_extraction(text: str) -> None:
    assert isinstance(triage(text, Role.USER, TriagePolicy()), ExtractMessage)


@pytest.mark.spec("B4")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Hi", ReasonCode.TOO_SHORT),
        ("Good morning", ReasonCode.GREETING),
        ("What is a stack overflow?", ReasonCode.GENERAL_QUESTION),
        ("Translate good night into Danish", ReasonCode.TRANSLATION_REQUEST),
        ("O tempo está bom", ReasonCode.WEATHER),
    ],
)
def test_a_trivial_message_is_skipped_with_a_reason(text: str, code: ReasonCode) -> None:
    assert triage(text, Role.USER, TriagePolicy()) == SkipMessage(reason=Reason(code))


@pytest.mark.spec("B6", "C-1")
@pytest.mark.parametrize(
    ("text", "skip_code", "phrase"),
    [
        ("I'm vegan", ReasonCode.TOO_SHORT, "i'm vegan"),
        ("sou Pedro", ReasonCode.TOO_SHORT, "sou"),
        ("What is a good stack?", ReasonCode.GENERAL_QUESTION, "stack"),
        ("O que é arquitetura limpa?", ReasonCode.GENERAL_QUESTION, "arquitetura"),
        ("Translate: I moved to Porto", ReasonCode.TRANSLATION_REQUEST, "i moved to"),
    ],
)
def test_a_keep_phrase_overrides_triviality_only_with_the_override_all(
    text: str, skip_code: ReasonCode, phrase: str
) -> None:
    assert triage(text, Role.USER, TriagePolicy(keep_phrases_override="all")) == ExtractMessage(
        reason=Reason(ReasonCode.KEEP_PHRASE, {"phrase": phrase})
    )
    assert triage(text, Role.USER, TriagePolicy(keep_phrases_override="after_layer1")) == SkipMessage(
        reason=Reason(skip_code)
    )


@pytest.mark.spec("B6")
@pytest.mark.parametrize("override", ["all", "after_layer1"])
def test_a_keep_phrase_is_the_reason_of_the_decision(override: str) -> None:
    policy = TriagePolicy() if override == "all" else TriagePolicy(keep_phrases_override="after_layer1")

    assert triage("My project uses React", Role.USER, policy) == ExtractMessage(
        reason=Reason(ReasonCode.KEEP_PHRASE, {"phrase": "my project"})
    )
    assert triage("Rex ate the sofa", Role.USER, policy) == ExtractMessage(
        reason=Reason(ReasonCode.NOT_TRIVIAL)
    )


@pytest.mark.spec("TR-21")
def test_a_question_about_the_users_own_project_is_not_trivial() -> None:
    text = "What is the best way to deploy my project?"

    assert triage(text, Role.USER, TriagePolicy()) == ExtractMessage(
        reason=Reason(ReasonCode.KEEP_PHRASE, {"phrase": "my project"})
    )


@pytest.mark.spec("W4")
@pytest.mark.parametrize("enabled", [True, False])
def test_system_messages_are_always_skipped(*, enabled: bool) -> None:
    decision = triage("My project uses React", Role.SYSTEM, TriagePolicy(enabled=enabled))

    assert decision == SkipMessage(reason=Reason(ReasonCode.SYSTEM_MESSAGE))


def test_tool_messages_are_skipped() -> None:
    decision = triage("My project uses React", Role.TOOL, TriagePolicy())

    assert decision == SkipMessage(reason=Reason(ReasonCode.TOOL_OUTPUT))


@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT, Role.TOOL])
def test_with_triage_off_every_message_goes_to_extraction(role: Role) -> None:
    assert triage("hi", role, TriagePolicy(enabled=False)) == ExtractMessage(
        reason=Reason(ReasonCode.TRIAGE_OFF)
    )


@pytest.mark.spec("B1")
@pytest.mark.parametrize("role", [Role.USER, Role.ASSISTANT])
def test_user_and_assistant_messages_are_both_triaged(role: Role) -> None:
    assert triage("Good morning", role, TriagePolicy()) == SkipMessage(reason=Reason(ReasonCode.GREETING))
    assert triage("We decided to use Kafka", role, TriagePolicy()) == ExtractMessage(
        reason=Reason(ReasonCode.KEEP_PHRASE, {"phrase": "we decided"})
    )


@given(st.text(), st.sampled_from(Role), POLICY_STRATEGY)
def test_every_text_gets_a_decision_with_a_reason(text: str, role: Role, policy: TriagePolicy) -> None:
    decision: TriageDecision = triage(text, role, policy)

    assert isinstance(decision.reason, Reason)


@given(st.text(), POLICY_STRATEGY)
def test_the_same_text_always_gets_the_same_decision(text: str, policy: TriagePolicy) -> None:
    assert triage(text, Role.USER, policy) == triage(text, Role.USER, policy)
