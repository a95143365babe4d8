"""Facts that letters alone do not tell apart, and questions that name them."""

from typing import Any

#: What is known, and a word of it to ask by. Letters alone do not tell these apart; words do.
FACTS = {
    "saffron": "the soup of the house needs saffron and patience",
    "bicycle": "a red bicycle stands in the hall of the house",
    "dentist": "the dentist is the one at the station of the city",
    "glaciers": "the thesis is about glaciers and the ice of the north",
    "accordion": "the accordion in the attic is from the old uncle",
    "passport": "the passport is in the desk at the side of the bed",
    "tomatoes": "the tomatoes on the terrace need the sun of noon",
    "marathon": "the marathon is in the autumn and the shoes are new",
    "invoice": "the invoice for the boat is due at the end of the year",
    "hedgehog": "a hedgehog sleeps in the shed behind the house",
    "telescope": "the telescope shows the rings of the far planets",
    "violin": "the violin has to go to the shop for a new string",
}
#: Ranks by letters alone.
LETTER_RANKING_SETTINGS = {
    "recall.ranker": "sum", "recall.alpha": 1.0, "recall.beta": 0.0, "recall.gamma": 0.0, "recall.min_cosine": 0.0,
    "recall.small_store_size": 0, "recall.relative_cutoff": 0.0, "recall.sources": "memories",
}  # fmt: skip


def make_labels(count: int = len(FACTS)) -> list[dict[str, Any]]:
    return [
        {"query": f"tell me of the {word} in a few words please", "relevant": [text]}
        for word, text in list(FACTS.items())[:count]
    ]


def make_conflicting_labels() -> list[dict[str, Any]]:
    """Half of the questions ask for something else than they name: what helps some does not help others."""
    texts = list(FACTS.values())
    return [
        {**label, "relevant": [texts[(place + 3) % len(texts)]]} if place % 2 else label
        for place, label in enumerate(make_labels())
    ]
