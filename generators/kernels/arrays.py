"""Types of the arrays that kernels work on."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.unsignedinteger[Any]]
"""Symbol ids: uint8, or uint16 above 256 symbols."""
