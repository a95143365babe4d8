from datetime import UTC, datetime

import pytest

from recollect.domain.memory import Kind
from recollect.domain.message import Role
from recollect.extraction.local_extractor import extract_by_rules

SATURDAY = datetime(2026, 3, 14, 10, tzinfo=UTC)


def extract_facts(text: str) -> list[tuple[Kind, str]]:
    extraction = extract_by_rules(text, role=Role.USER, sent_at=SATURDAY, language="en")
    return [(fact.kind, fact.text) for fact in extraction.facts]


@pytest.mark.spec("B7", "D21")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("My name is Pedro", [(Kind.BIOGRAPHY, "name: Pedro")]),
        (
            "Hi, I'm Daniel and I live in Leeds",
            [(Kind.BIOGRAPHY, "name: Daniel"), (Kind.BIOGRAPHY, "lives in Leeds")],
        ),
        ("hey, Marcus here", [(Kind.BIOGRAPHY, "name: Marcus")]),
        ("I'm 27.", [(Kind.BIOGRAPHY, "is 27 years old")]),
        ("I was born in Cork", [(Kind.BIOGRAPHY, "was born in Cork")]),
        ("My birthday is October 9th", [(Kind.BIOGRAPHY, "birthday: October 9th")]),
        (
            "I work as a frontend developer at Acme",
            [(Kind.BIOGRAPHY, "works as a frontend developer at Acme")],
        ),
        ("I'm a primary school teacher", [(Kind.BIOGRAPHY, "is a primary school teacher")]),
        ("I'm originally from Ghana", [(Kind.BIOGRAPHY, "is originally from Ghana")]),
        ("I'm Brazilian", [(Kind.BIOGRAPHY, "is Brazilian")]),
        ("I have type 1 diabetes", [(Kind.BIOGRAPHY, "has type 1 diabetes")]),
        (
            "I'm allergic to peanuts and shellfish.",
            [(Kind.BIOGRAPHY, "is allergic to peanuts"), (Kind.BIOGRAPHY, "is allergic to shellfish")],
        ),
        (
            "I speak Spanish and Catalan",
            [(Kind.BIOGRAPHY, "speaks Spanish"), (Kind.BIOGRAPHY, "speaks Catalan")],
        ),
        ("I'm doing a PhD in biology", [(Kind.BIOGRAPHY, "is doing a PhD in biology")]),
        ("I drive a 2015 Honda Civic.", [(Kind.BIOGRAPHY, "drives a 2015 Honda Civic")]),
        ("My sister lives in Rome", [(Kind.BIOGRAPHY, "sister lives in Rome")]),
        (
            "My older brother is a pilot and lives in Dubai",
            [(Kind.BIOGRAPHY, "brother is a pilot"), (Kind.BIOGRAPHY, "brother lives in Dubai")],
        ),
        ("my dog's name is Biscuit, he's a beagle", [(Kind.BIOGRAPHY, "dog: Biscuit")]),
        ("My manager is called Ruth", [(Kind.BIOGRAPHY, "manager: Ruth")]),
        ("We have two cats, Salt and Pepper.", [(Kind.BIOGRAPHY, "has two cats, Salt and Pepper")]),
    ],
)
def test_biography_is_extracted_as_short_facts(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("B7", "D21")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "I'm vegetarian and hate cilantro",
            [(Kind.PREFERENCE, "is vegetarian"), (Kind.PREFERENCE, "hates cilantro")],
        ),
        (
            "I love hiking and photography but I can't stand crowded beaches.",
            [
                (Kind.PREFERENCE, "loves hiking"),
                (Kind.PREFERENCE, "loves photography"),
                (Kind.PREFERENCE, "can't stand crowded beaches"),
            ],
        ),
        ("I don't like horror movies", [(Kind.PREFERENCE, "doesn't like horror movies")]),
        ("I prefer dark mode", [(Kind.PREFERENCE, "prefers dark mode")]),
        ("My favourite colour is teal.", [(Kind.PREFERENCE, "favourite colour: teal")]),
        ("I usually read sci-fi before bed.", [(Kind.PREFERENCE, "usually reads sci-fi before bed")]),
        ("I'm vegan, what should I cook tonight?", [(Kind.PREFERENCE, "is vegan")]),
        ("From now on call me Bee.", [(Kind.PREFERENCE, "wants to be called Bee")]),
        ("You can call me Al", [(Kind.PREFERENCE, "wants to be called Al")]),
    ],
)
def test_preferences_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("B8", "B9", "B10")
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I want to learn Japanese this year.", [(Kind.GOAL, "wants to learn Japanese this year (2026)")]),
        ("My goal is to run a marathon", [(Kind.GOAL, "goal: run a marathon")]),
        ("I'm saving up for a camper van.", [(Kind.GOAL, "is saving up for a camper van")]),
        ("I got laid off today", [(Kind.EVENT, "got laid off today (2026-03-14)")]),
        ("Got promoted yesterday!", [(Kind.EVENT, "got promoted yesterday (2026-03-13)")]),
        ("My grandmother passed away", [(Kind.EVENT, "grandmother passed away")]),
        (
            "We just had a baby girl, her name is Olive.",
            [(Kind.EVENT, "had a baby girl"), (Kind.BIOGRAPHY, "baby: Olive")],
        ),
        ("I bought my first house in Cardiff", [(Kind.EVENT, "bought first house in Cardiff")]),
        (
            "I always get anxious when deadlines come up.",
            [(Kind.EMOTION, "always gets anxious when deadlines come up")],
        ),
        (
            "Every time my boss emails me at night I panic.",
            [(Kind.EMOTION, "panics every time boss emails at night")],
        ),
        ("Deadlines make me anxious", [(Kind.EMOTION, "anxious about deadlines")]),
        ("I'm terrified about the surgery", [(Kind.EMOTION, "is terrified about the surgery")]),
    ],
)
def test_goals_events_and_strong_emotions_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("We decided to use PostgreSQL", [(Kind.DECISION, "decided to use PostgreSQL")]),
        (
            "My app uses React and the backend is written in Go.",
            [(Kind.DECISION, "app uses React"), (Kind.DECISION, "backend is written in Go")],
        ),
        ("Never use libraries", [(Kind.DECISION, "never use libraries")]),
        ("Use Clean Architecture", [(Kind.DECISION, "use Clean Architecture")]),
        ("Our stack is Django, Redis and Celery", [(Kind.DECISION, "stack is Django, Redis and Celery")]),
        ("Please always answer in British English.", [(Kind.DECISION, "always answer in British English")]),
        ("Don't ever suggest meat recipes to me.", [(Kind.DECISION, "don't ever suggest meat recipes")]),
        ("Answer in Spanish from now on", [(Kind.DECISION, "answer in Spanish")]),
        ("The deadline for the launch is June 30.", [(Kind.DECISION, "deadline for the launch is June 30")]),
    ],
)
def test_decisions_and_lasting_instructions_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Remember that my flight leaves on the 22nd.", [(Kind.NOTE, "flight leaves on the 22nd")]),
        ("please remember: the key is under the mat", [(Kind.NOTE, "the key is under the mat")]),
        ("Remember that I'm diabetic", [(Kind.BIOGRAPHY, "is diabetic")]),
        ("Could you keep in mind that I'm a nurse?", [(Kind.BIOGRAPHY, "is a nurse")]),
    ],
)
def test_requests_to_remember_are_extracted(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts


@pytest.mark.spec("D18")
def test_a_story_of_dislike_is_reduced_to_an_aversion() -> None:
    assert extract_facts("Last week I went to the park and I didn't like it because it was crowded") == [
        (Kind.PREFERENCE, "avoids crowded places")
    ]


@pytest.mark.spec("B11", "D14")
@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of Australia?",
        "Should I learn Spanish or Italian?",
        "Am I allergic to something if I sneeze every spring?",
        "Do you remember where I live?",
        "Could I be lactose intolerant?",
        "Yes",
        "No",
        "Thanks, that was really helpful!",
        "I'm hungry.",
        "I'm at the bus stop",
        "I'm confused by this error",
        "I'm so tired today",
        "The weather is nice",
        "If I were a millionaire I would buy an island.",
        "Suppose I have two children and I live in Paris.",
        "Imagine I'm a 70 year old retiree. I live alone.",
        "Let's say I work at Google.",
        "Write a story where I am a pirate who lives on an island.",
        "Act as a senior lawyer. I am your client.",
        "Let's role play: I'm a detective and you're the suspect.",
        "Fix the bug in the login form please",
        "John is 34 years old and lives in Denver.",
        "My friend says he is allergic to penicillin",
        'She told me "I am a doctor and I love my job" and left.',
        "He said that he lives in Berlin now.",
        "Translate to French: I live in a small town.",
        "Here is the email: Dear Sir, I am a lawyer. Summarise it.",
        "Dear hiring manager, my name is Laura and I live in Rome.",
        "As a developer, I want to filter the list.",
        "> I'm from Texas and I love barbecue\nWhat do you think?",
        "```\nbio = 'I am vegetarian'\n```",
        'def greet(): return "my name is Bob and I live in Rome"',
        "ERROR 2024-05-01 worker: I am unable to connect",
        "I moved the file to the other folder",
        "I love it!",
        "I like this answer better",
        "I hate when this happens",
        "I want to know how photosynthesis works.",
        "I want you to rewrite this paragraph",
        "I have a question about Docker",
        "I think I'm allergic to shrimp",
        "Maybe I should learn to cook someday",
        "Just kidding, I'm a robot from Mars",
        "Same here!",
        "Don't forget to save the file",
        "never mind",
    ],
)
def test_statements_that_are_no_facts_about_the_user_are_ignored(text: str) -> None:
    assert extract_facts(text) == []


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm not eating cheese any more.", [(Kind.PREFERENCE, "is not eating cheese any more")]),
        ("I no longer drink coffee", [(Kind.PREFERENCE, "no longer drinks coffee")]),
        ("I'm eating cheese", []),
    ],
)
def test_what_is_no_longer_eaten_is_a_preference(text: str, facts: list[tuple[Kind, str]]) -> None:
    assert extract_facts(text) == facts
