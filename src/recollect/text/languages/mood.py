"""The moods that are detected in messages, in order of precedence when two are equally frequent."""

from enum import Enum, auto


class Mood(Enum):
    FRUSTRATED = auto()
    ANXIOUS = auto()
    STRESSED = auto()
    ANGRY = auto()
    SAD = auto()
    TIRED = auto()
    CONFUSED = auto()
    AFRAID = auto()
    LONELY = auto()
    EXCITED = auto()
    HAPPY = auto()
    GRATEFUL = auto()
    GRIEVING = auto()
