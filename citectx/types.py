"""Types that every layer shares: character spans, and the arrays that methods pass around."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]


class Span(NamedTuple):
    """A half-open range of characters."""

    start: int
    end: int
