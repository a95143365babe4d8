from datetime import UTC, datetime

import pytest

from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


def extract_facts(text: str) -> list[tuple[Kind, str]]:
    extraction = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY, language="pt")
    return [(fact.kind, fact.text) for fact in extraction.facts]


@pytest.mark.spec("B7", "B8", "B10")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Meu nome é Pedro", [(Kind.BIOGRAPHY, "nome: Pedro")]),
        ("Sou vegetariano", [(Kind.PREFERENCE, "é vegetariano")]),
        ("Tenho 30 anos", [(Kind.BIOGRAPHY, "tem 30 anos")]),
        ("Quero aprender a programar este ano", [(Kind.GOAL, "quer aprender a programar este ano (2026)")]),
        ("Fui demitido hoje", [(Kind.EVENT, "foi demitido hoje (2026-03-14)")]),
        ("Nasceu meu filho", [(Kind.EVENT, "nasceu filho")]),
    ],
)
def test_the_examples_of_the_designs_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("B7", "D21")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("meu nome e joao", [(Kind.BIOGRAPHY, "nome: joao")]),
        (
            "Oi, me chamo Larissa e sou de Recife.",
            [(Kind.BIOGRAPHY, "nome: Larissa"), (Kind.BIOGRAPHY, "é de Recife")],
        ),
        (
            "Chamo-me Inês, tenho 34 anos e vivo em Braga.",
            [
                (Kind.BIOGRAPHY, "nome: Inês"),
                (Kind.BIOGRAPHY, "tem 34 anos"),
                (Kind.BIOGRAPHY, "vive em Braga"),
            ],
        ),
        ("Moro no Porto", [(Kind.BIOGRAPHY, "mora no Porto")]),
        ("Trabalho como dev frontend", [(Kind.BIOGRAPHY, "trabalha como dev frontend")]),
        (
            "Sou enfermeira no Hospital de São João",
            [(Kind.BIOGRAPHY, "é enfermeira no Hospital de São João")],
        ),
        ("Meu aniversário é dia 5 de novembro", [(Kind.BIOGRAPHY, "aniversário: 5 de novembro")]),
        (
            "Sou alérgico a camarão e a amendoim.",
            [(Kind.BIOGRAPHY, "é alérgico a camarão"), (Kind.BIOGRAPHY, "é alérgico a amendoim")],
        ),
        ("Tenho um cachorro chamado Tobias.", [(Kind.BIOGRAPHY, "tem um cachorro chamado Tobias")]),
        (
            "Meu marido se chama Rafael e é médico",
            [(Kind.BIOGRAPHY, "marido: Rafael"), (Kind.BIOGRAPHY, "marido é médico")],
        ),
        (
            "Meu filho mais velho tem 12 anos",
            [(Kind.BIOGRAPHY, "filho mais velho tem 12 anos")],
        ),
        ("A gente tem uma filha", [(Kind.BIOGRAPHY, "tem uma filha")]),
        ("Falo inglês e francês", [(Kind.BIOGRAPHY, "fala inglês"), (Kind.BIOGRAPHY, "fala francês")]),
        ("Estudo engenharia civil na USP", [(Kind.BIOGRAPHY, "estuda engenharia civil na USP")]),
    ],
)
def test_biography_is_extracted_as_short_facts(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("B7", "E5")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Odeio coentro", [(Kind.PREFERENCE, "odeia coentro")]),
        (
            "Adoro trilha e fotografia, mas detesto praia lotada.",
            [
                (Kind.PREFERENCE, "adora trilha"),
                (Kind.PREFERENCE, "adora fotografia"),
                (Kind.PREFERENCE, "detesta praia lotada"),
            ],
        ),
        ("Não gosto de filme de terror.", [(Kind.PREFERENCE, "não gosta de filme de terror")]),
        ("Prefiro respostas curtas e diretas", [(Kind.PREFERENCE, "prefere respostas curtas e diretas")]),
        ("Minha cor favorita é verde.", [(Kind.PREFERENCE, "cor favorita: verde")]),
        ("Não como carne de porco", [(Kind.PREFERENCE, "não come carne de porco")]),
        ("Pode me chamar de Bia.", [(Kind.PREFERENCE, "quer ser chamado de Bia")]),
    ],
)
def test_preferences_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("B8", "B9", "B10")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Estou muito ansioso com as finanças",
            [(Kind.EMOTION, "está muito ansioso com as finanças")],
        ),
        (
            "Sempre que falo de prazos fico ansioso.",
            [(Kind.EMOTION, "fica ansioso sempre que fala de prazos")],
        ),
        ("Tenho pavor de avião.", [(Kind.EMOTION, "tem pavor de avião")]),
        ("Minha meta é juntar 20 mil reais", [(Kind.GOAL, "meta: juntar 20 mil reais")]),
        ("Pretendo me mudar para o Canadá", [(Kind.GOAL, "pretende se mudar para o Canadá")]),
        ("A minha mãe faleceu em janeiro", [(Kind.EVENT, "mãe faleceu em janeiro (2026-01)")]),
        ("Passei no concurso do INSS!", [(Kind.EVENT, "passou no concurso do INSS")]),
        ("Vou me casar em outubro", [(Kind.EVENT, "vai se casar em outubro (2026-10)")]),
    ],
)
def test_goals_events_and_strong_emotions_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Decidimos usar PostgreSQL no projeto.", [(Kind.DECISION, "decidiu usar PostgreSQL no projeto")]),
        (
            "Meu app usa React Native e o backend é em Node.",
            [(Kind.DECISION, "app usa React Native"), (Kind.DECISION, "backend é em Node")],
        ),
        ("Nunca use bibliotecas externas", [(Kind.DECISION, "nunca usar bibliotecas externas")]),
        ("Use Clean Architecture em tudo.", [(Kind.DECISION, "usar Clean Architecture em tudo")]),
        ("Responda sempre em português.", [(Kind.DECISION, "responder sempre em português")]),
        (
            "De agora em diante, escreva os comentários em inglês",
            [(Kind.DECISION, "escrever os comentários em inglês")],
        ),
        ("Lembre-se que meu voo sai dia 22.", [(Kind.NOTE, "voo sai dia 22")]),
        ("Lembra que eu sou diabético", [(Kind.BIOGRAPHY, "é diabético")]),
    ],
)
def test_decisions_instructions_and_notes_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("D18")
def test_a_story_of_dislike_is_reduced_to_an_aversion() -> None:
    assert extract_facts("Semana passada fui ao parque e não gostei porque estava cheio") == [
        (Kind.PREFERENCE, "evita lugares lotados")
    ]


@pytest.mark.spec("B11", "D14")
@pytest.mark.parametrize(
    "text",
    [
        "O tempo está bom",
        "Qual é a capital da Austrália?",
        "Devo aprender espanhol ou italiano?",
        "Será que sou alérgico a alguma coisa?",
        "Sim",
        "Não",
        "Bom dia! Tudo bem com você?",
        "Obrigado, ajudou muito!",
        "Estou com fome.",
        "Estou no ponto de ônibus",
        "Estou confuso com esse erro",
        "Se eu fosse milionário comprava uma ilha.",
        "Suponha que eu tenha dois filhos e more em Paris",
        "Imagine que eu sou um aposentado. Moro sozinho.",
        "Escreva uma história em que eu sou um pirata.",
        "Aja como um advogado. Sou seu cliente.",
        "O João tem 34 anos e mora em Denver.",
        "Meu amigo disse que é alérgico a penicilina",
        'Ela me falou "sou médica e amo meu trabalho" e foi embora.',
        "Ele disse que mora em Berlim agora.",
        "Traduza para o inglês: eu moro numa cidade pequena.",
        "Prezados, meu nome é Laura e moro em Roma.",
        "Tenho uma dúvida sobre redes no Docker.",
        "Tenho que ir agora, tchau!",
        "Quero saber como funciona a fotossíntese.",
        "Quero que você reescreva esse parágrafo",
        "Acho que o bug está no parser.",
        "Mudei de ideia",
        "Amei!",
        "Gosto disso!",
        "Talvez eu devesse aprender a cozinhar um dia",
        "Brincadeira, sou um robô de Marte",
        "ERROR worker: meu job falhou",
    ],
)
def test_statements_that_are_no_facts_about_the_user_are_ignored(text: str) -> None:
    assert extract_facts(text) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Não estou comendo mais queijo.", [(Kind.PREFERENCE, "não está comendo mais queijo")]),
        ("Já não estou a comer carne.", [(Kind.PREFERENCE, "não está a comer carne")]),
        ("Estou comendo queijo", []),
    ],
)
def test_what_is_no_longer_eaten_is_a_preference(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts
