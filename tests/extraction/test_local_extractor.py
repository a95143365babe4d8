"""Messages of several sentences, read without a language model."""

from datetime import UTC, datetime

import pytest

from recollect.domain.message import Role
from recollect.domain.reason import Reason, ReasonCode
from recollect.extraction.local_extractor import explain, extract_by_rules

WEDNESDAY = datetime(2026, 5, 20, 10, tzinfo=UTC)


def extract_texts(text: str) -> list[str]:
    return [fact.text for fact in extract_by_rules(text, role=Role.USER, sent_at=WEDNESDAY).facts]


def test_a_pronoun_gets_the_person_of_the_sentences_before_it() -> None:
    text = (
        "Hi there! My brother Rui moved to Porto in March. He's a carpenter and works for himself. "
        "What rhymes with wood?"
    )

    assert extract_texts(text) == [
        "My brother Rui moved to Porto in March (2026-03).",
        "My brother Rui is a carpenter and works for himself.",
    ]


def test_fillers_and_requests_are_left_out() -> None:
    text = (
        "Lunch break, finally. Btw my daughter Noor has been diagnosed with asthma, lol what a week. "
        "Can you check my spreadsheet? The sum in column F is wrong."
    )
    [statement] = extract_texts(text)

    assert statement.startswith("My daughter Noor has been diagnosed with asthma")
    assert "btw" not in statement.lower()
    assert "lol" not in statement


def test_a_date_without_a_year_is_resolved() -> None:
    text = "Ok so. My class assembly is on the 19th of June in the main hall. Any ideas for volcanoes? I like drama."

    assert "My class assembly is on the 19th of June (2026-06-19) in the main hall." in extract_texts(text)


@pytest.mark.parametrize(
    "text",
    [
        "Let's continue the campaign. I'm Brannoc, a dwarf, I lost my brother in the mines. You are the game master.",
        "Translate into Spanish please: I have lived here for twenty years. My wife is a nurse. We have two sons.",
        "First page of my novel:\n\nI was born in a lighthouse. My brother drowned in May. I keep bees.",
        "Vamos continuar a campanha de rpg. Eu sou o Brum, um anão, perdi meu irmão. Você é o mestre.",
        "What would happen if I quit my job? Say I had two kids and a house in Bali. Would I need a visa?",
        "Read this for my sister, she's shy. Dear Sir or Madam, I am applying for the post. I have two sons.",
        "I need help with a tricky email. Whatever you say you are the bad guy. Could you write three options?",
    ],
)
def test_nothing_is_kept_of_what_is_not_about_the_user(text: str) -> None:
    assert extract_texts(text) == []


def test_a_message_in_a_language_without_rules_says_so() -> None:
    text = (
        "Ich wohne seit drei Jahren in Hamburg und arbeite als Lehrerin, aber meine Familie ist in Leipzig."
    )
    extraction = extract_by_rules(text, role=Role.USER, sent_at=WEDNESDAY)

    assert extraction.facts == ()
    assert extraction.reasons == (Reason(ReasonCode.NO_RULES_FOR_LANGUAGE, {"language": "de"}),)


def test_every_fact_cites_its_characters() -> None:
    text = (
        "So, news. We've decided to drop GraphQL and go back to REST. Nobody merges to main without a review."
    )
    decisions = explain(text, sent_at=WEDNESDAY)

    assert "".join(text[d.start : d.end] for d in decisions if d.facts)
    assert all(d.start <= fact.start < fact.end <= d.end for d in decisions for fact in d.facts)


def test_the_rules_keep_nothing_of_a_role_play_of_one_sentence() -> None:
    assert extract_texts("You are a grumpy wizard and I am Sir Cuthbert, I'm allergic to cats") == []


def test_a_sentence_without_a_verb_is_not_kept_alone() -> None:
    text = "Morning. Five year lease, capped at 3 percent. I live in Hull with my sister Ana. How do I write it up?"

    assert extract_texts(text) == ["I live in Hull with my sister Ana."]


def test_second_hand_is_no_weekday() -> None:
    text = "Bom dia. Comprei um Corsa em segunda mão por 4 mil euros. Moro em Viseu. Como se muda o registo?"

    assert "Comprei um Corsa em segunda mão por 4 mil euros." in extract_texts(text)


def test_a_pronoun_at_the_end_is_completed() -> None:
    text = (
        "Hello. My sister Ines is a vet in Faro. On Sunday I moved in with her. Which bus goes to the beach?"
    )

    assert "On Sunday (2026-05-17) I moved in with my sister Ines." in extract_texts(text)


def test_a_fact_of_the_rules_has_no_filler_at_its_end() -> None:
    assert extract_texts("I'm a nurse at Mercy btw lol") == ["is a nurse at Mercy"]


def test_a_request_in_the_middle_ends_the_statement() -> None:
    text = (
        "Oi, tudo bem? No sábado é o casamento da minha irmã Rosângela em Sorocaba e eu sou madrinha, preciso de um "
        "discurso curto, uns dois minutos. Moro em Campinas com meu marido. Me dá três começos?"
    )

    assert extract_texts(text)[0] == (
        "No sábado (2026-05-23) é o casamento da minha irmã Rosângela em Sorocaba e eu sou madrinha."
    )


def test_an_introduction_of_a_statement_is_left_out() -> None:
    text = (
        "Good morning. I should mention that I'll be in Nairobi from 3 to 17 November. My deputy Miriam signs for me. "
        "Could you draft the reply? What is the date today?"
    )

    assert extract_texts(text)[0] == "I'll be in Nairobi from 3 to 17 November (2026-11-17)."


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (
            "Start on the 4th of November at St Brendan's, finally",
            "I start on the 4th of November (2026-11-04)",
        ),
        ("Training is Tuesdays and Thursdays at six", "Training is Tuesdays and Thursdays at six."),
        (
            "Second thing, the GP moved my review to the 6th of July so please don't let me forget",
            "The GP moved my review to the 6th of July (2026-07-06).",
        ),
        (
            "I teach nurses at Lagos State and, since September, at Kingston as well",
            "I teach nurses at Lagos State and, since September (2025-09), at Kingston as well.",
        ),
    ],
)
def test_a_kept_sentence_becomes_a_complete_statement(text: str, statement: str) -> None:
    message = f"Hello again. I'm a nurse and my daughter is four. {text}. My son is two. What's for lunch?"

    assert any(extracted.startswith(statement.rstrip(".")) for extracted in extract_texts(message)), (
        extract_texts(message)
    )


@pytest.mark.parametrize(
    "text",
    ["Foi meu companheiro por 15 anos", "Não tomo nada disso", "Ontem fomos enterrá-lo em Estremoz"],
)
def test_a_sentence_whose_subject_is_elsewhere_is_not_kept(text: str) -> None:
    message = f"Oi. Moro em Campinas com meu marido. {text}. Trabalho na Vale desde março. E aí?"

    assert extract_texts(message)
    assert not any(text.rsplit(maxsplit=1)[-1] in extracted for extracted in extract_texts(message))


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("Noah has pneumonia, he's my son, and they put him on amoxicillin 250 mg", "pneumonia"),
        ("My son Noah was in hospital with pneumonia last week", "pneumonia"),
        ("I've been diagnosed with an underactive thyroid and take levothyroxine 50 mcg", "levothyroxine"),
        ("My dad had a heart attack on Thursday and has two stents", "heart attack"),
        ("I start my new job at Maritime on the 5th of June and we're moving to Hull", "Maritime"),
        ("My blood pressure tablets aren't amlodipine, they're ramipril, 2.5 mg in the morning", "ramipril"),
        ("Nothing goes to prod on Fridays and every release needs a tag signed by me", "Fridays"),
        ("My sister Gemma is a paediatric physio in Leeds", "Gemma"),
        ("My class assembly is on the 19th of June", "2026-06-19"),
        ("Every Sunday evening I feel anxious about work", "Sunday"),
    ],
)
def test_what_matters_is_kept_of_a_longer_message(sentence: str, kept: str) -> None:
    message = f"Hi again, long day. {sentence}. Can you help me with a table? Two columns are enough."

    assert any(kept in text for text in extract_texts(message))


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("O Benício, meu filho de 4 anos, foi internado com bronquiolite na segunda", "bronquiolite"),
        ("Fui diagnosticado com diabetes tipo 2 e tomo metformina de 500 mg no jantar", "metformina"),
        ("Meu pai teve um infarto na sexta e colocaram dois stents", "infarto"),
        ("Comecei no emprego novo na Loggi em março e mudei pra Barueri", "Loggi"),
        ("Minha irmã Clara é dentista em Sorocaba", "Clara"),
    ],
)
def test_what_matters_is_kept_of_a_longer_message_in_portuguese(sentence: str, kept: str) -> None:
    message = f"Oi, tudo bem? Que dia. {sentence}. Me ajuda com uma tabela? Duas colunas bastam."

    assert any(kept in text for text in extract_texts(message))


@pytest.mark.parametrize(
    ("message", "statement"),
    [
        (
            "Back from the clinic, what a queue. They've put me on naproxen, 250 mg twice a day. What goes with soup?",
            "They've put me on naproxen, 250 mg twice a day.",
        ),
        (
            "Oi, voltei do centro. Meu livro de contos sai em outubro pela Patuá. Qual é o plural de aval?",
            "Meu livro de contos sai em outubro (2026-10) pela Patuá.",
        ),
    ],
)
def test_a_statement_needs_no_other_sentence(message: str, statement: str) -> None:
    assert statement in extract_texts(message)
