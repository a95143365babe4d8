"""What the library answers, as tests read it."""

from typing import Any


def rows(answer: Any, key: str = "results") -> list[dict[str, Any]]:  # noqa: ANN401 - a shape of the library
    return list(answer[key])


def texts(answer: Any, key: str = "results") -> list[str]:  # noqa: ANN401
    return sorted(
        str(each.get("memory", each.get("content", each.get("text")))) for each in rows(answer, key)
    )
