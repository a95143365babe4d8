"""The `explain` command: what would be learned from a text without a language model, sentence by sentence."""

from typing import Annotated

import typer

from recollect.bootstrap import system_clock
from recollect.cli.command import CommandContext, command, format_examples, make_typer
from recollect.errors import EmptyText
from recollect.extraction.local_extractor import explain as explain_text
from recollect.extraction.local_extractor import strongest_features
from recollect.extraction.sentence_extraction import SentenceDecision
from recollect.serialization.reasons import render_reason, serialize_reason
from recollect.serialization.serializers import JsonValue

app = make_typer()

#: Features of a sentence that are printed.
_PRINTED_FEATURES = 4


@app.command(epilog=format_examples('recollect explain "My sister Ana is a nurse. Can you write a poem?"'))
@command
def explain(
    ctx: CommandContext, text: Annotated[str, typer.Argument(metavar="TEXT", help="The message of a user.")]
) -> None:
    """
    Show what the local extractor learns from a text, and why.

    It learns when no language model is configured. For each sentence: what is kept of it, by a rule or by the sentence
    classifier, its probability, and the features with the largest weights. Nothing is stored.
    """
    if not text.strip():
        raise EmptyText
    decisions = explain_text(text, sent_at=system_clock().now())
    ctx.print_result(
        {"sentences": [_as_json(decision) for decision in decisions]}, "\n\n".join(map(_as_text, decisions))
    )


def _as_text(decision: SentenceDecision) -> str:
    features = ", ".join(
        f"{name} {weight:+.1f}" for name, weight in strongest_features(decision, limit=_PRINTED_FEATURES)
    )
    kept = [f"  keep ({fact.kind}, {fact.weight:.2f}): {fact.text}" for fact in decision.facts] or ["  skip"]
    return "\n".join(
        [
            decision.text,
            *kept,
            f"  {render_reason(decision.reason)}; probability {decision.probability:.2f}: {features}",
        ]
    )


def _as_json(decision: SentenceDecision) -> dict[str, JsonValue]:
    return {
        "text": decision.text,
        "start": decision.start,
        "end": decision.end,
        "reason": serialize_reason(decision.reason),
        "probability": round(decision.probability, 3),
        "facts": [
            {"kind": fact.kind.value, "text": fact.text, "weight": fact.weight} for fact in decision.facts
        ],
        "features": {**dict(strongest_features(decision, limit=_PRINTED_FEATURES))},
    }
