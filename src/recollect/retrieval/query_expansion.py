"""The question as it is searched for."""

from recollect.text.analyzer import folded

PERSONAL = (
    " i ", " my ", " me ", " am i ", " do i ", " what s my ", " what is my ",
    " eu ", " meu ", " minha ", " meus ", " minhas ", " mim ",
)  # fmt: skip
SUFFIX = " height weight physical attributes user facts"


def stripped(question: str) -> str:
    """Without the command it may begin with: "/ask what's my name" asks for a name."""
    text = question.strip()
    if text.startswith("/"):
        command, _, rest = text.partition(" ")
        if rest.strip() and command[1:].replace("-", "").isalnum():
            return rest.strip()
    return text


def personal(question: str) -> bool:
    words = "".join(c if c.isalnum() else " " for c in folded(question))
    spaced = f" {' '.join(words.split())} "
    return any(phrase in spaced for phrase in PERSONAL)


def expanded(question: str, *, longest: int) -> str:
    """Short personal questions get words that facts about a person tend to hold."""
    if question and len(question) <= longest and personal(question):
        return question + SUFFIX
    return question
