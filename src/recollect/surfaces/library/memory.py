"""Memory: everything a program does with what is remembered."""

from recollect.surfaces.library.examining import Examining
from recollect.surfaces.library.keeping import Keeping
from recollect.surfaces.library.listening import Listening
from recollect.surfaces.library.recalling import Recalling
from recollect.surfaces.library.steering import Steering
from recollect.surfaces.library.tuning import Tuning


class Memory(Listening, Recalling, Steering, Keeping, Tuning, Examining):
    """
    A memory in one file. Safe to share between threads; several processes may open the same file.

    Settings can be given by name, as in ``Memory("me.db", settings={"preset": "companion", "recall.limit": 5})``;
    those of a call win over those given here.
    """
