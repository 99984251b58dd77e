from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__version__: str

class USE:
    _sp: object | None
    def __init__(self, threads: int = 4) -> None: ...
    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...
