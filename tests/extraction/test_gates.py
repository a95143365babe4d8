import pytest

from recollect.extraction.gates import GateKind, find_gate, is_sign_off
from recollect.text.quotation import quoted_spans


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "You are the ferryman and I'm a smuggler with one eye. I lost my wife at sea. Go on.",
            GateKind.ROLEPLAY,
        ),
        ("tu é um detetive cansado e eu sou a viúva. meu marido sumiu na terça.", GateKind.ROLEPLAY),
        ("vc é a Dra. Nóia e eu sou o paciente, tenho medo de escada.", GateKind.ROLEPLAY),
        ("Finge que és o meu chefe: eu trabalho aqui há dez anos e quero um aumento.", GateKind.ROLEPLAY),
        ("Translate into Dutch please. We are closed on Monday. My son is ill.", GateKind.TRANSLATION),
        ("Traduz para francês, por favor. Moro em Braga e tenho dois cães.", GateKind.TRANSLATION),
        ("Write me a poem: I was born in a storm and I never married.", GateKind.FICTION),
        ("faz um cordel assim: eu sou o galo Zé, nasci no quintal da avó.", GateKind.FICTION),
        ("This is the article:\n\nI have eaten no sugar since 2010.\n\nWhat is its claim?", GateKind.PASTED),
        ("corrige essa carta do meu tio: Eu vendi o trator e vou operar o joelho.", GateKind.PASTED),
        ("Put this into plain English. I hereby warrant that I keep no animals.", GateKind.PASTED),
        ("Could you proofread this note? I have moved to Leeds. My wife is ill.", GateKind.PASTED),
        ("arruma esse bilhete da diarista. Eu quebrei o vidro e meu menino tá com febre.", GateKind.PASTED),
        ("Answer like a pirate. I'm nineteen and I can't swim.", GateKind.ROLEPLAY),
        ("vamos fazer uma simulação de entrevista: tenho 29 anos e falo alemão.", GateKind.ROLEPLAY),
    ],
)
def test_a_message_in_somebody_elses_first_person_is_closed(text: str, kind: GateKind) -> None:
    gate = find_gate(text, quoted_spans(text))

    assert gate is not None
    assert (gate.kind, gate.is_closed) == (kind, True)


@pytest.mark.parametrize(
    "text",
    [
        "You're a star and I'm so grateful. I start at the bakery on Monday.",
        "você é um anjo, eu sou muito esquecida. minha consulta é dia 4.",
        "I need to correct something: the wedding is in June. Can you write a card?",
        "Corrijo: a reunião é na sexta. Faça o convite.",
        "I mean to finish the draft tonight. My editor Imke is in Berlin.",
        "Write my boss a note. I'm out until Wednesday and Gwen covers for me.",
        "Can you check whether the 9:40 runs on Sundays? I live in Crewe.",
    ],
)
def test_the_users_own_message_has_no_gate(text: str) -> None:
    assert find_gate(text, quoted_spans(text)) is None


def test_a_delimited_text_does_not_close_the_rest() -> None:
    text = 'Please correct this letter: "I have sold the tractor and I am tired." I live in Crewe myself.'

    gate = find_gate(text, quoted_spans(text))

    assert gate is not None
    assert not gate.is_closed


@pytest.mark.parametrize("text", ["Kind regards, Ana", "Com os melhores cumprimentos", "Atenciosamente, Rui"])
def test_a_sign_off_ends_a_letter(text: str) -> None:
    assert is_sign_off(text)
