"""What lies in the middle of everything is near to any question, so that its nearness says less."""

from array import array
from operator import mul


def off_the_middle(
    question: "array[float]", middle: "array[float]", share: float
) -> "tuple[array[float], float]":
    """
    A vector to ask with instead of the question's, and what to add to each product with it.

    A passage is then as near as its cosine says, less a share of how much nearer to the middle it is than passages are
    on average.
    """
    moved = array("f", [own - share * common for own, common in zip(question, middle, strict=True)])
    return moved, share * sum(map(mul, middle, middle))
