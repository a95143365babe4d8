"""
The centroid correction, which ranks generic passages lower.

Passages near the centroid c of a user's vectors are close to every query. A vector v is corrected by its similarity to
the centroid above the mean one, v·c − c·c:

    corrected cosine = cosine − weight · max(v·c − c·c, −MAX_CENTROID_BONUS)

The store applies it to arrays, to select the nearest vectors.
"""

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    ArrayT = TypeVar("ArrayT", bound=NDArray[np.floating[Any]])
else:
    ArrayT = TypeVar("ArrayT")

#: Cap on the bonus for distance from the centroid. If a user's passages are about one topic, any other passage is far
#: from the centroid, which alone does not make it relevant.
MAX_CENTROID_BONUS = 0.15
#: With fewer vectors the centroid is not representative, and no correction applies.
MIN_VECTORS_FOR_CENTROID = 64


def correct_cosines(cosines: ArrayT, centroid_excess: ArrayT, weight: float) -> ArrayT:
    """Return the corrected cosines; `centroid_excess` is each vector's v·c − c·c."""
    correction = centroid_excess.dtype.type(weight) * centroid_excess.clip(min=-MAX_CENTROID_BONUS)
    corrected: ArrayT = cosines - correction
    return corrected
