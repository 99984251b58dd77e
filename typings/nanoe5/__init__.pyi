from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class E5:
    def __init__(self) -> None: ...
    def encode(self, texts: Sequence[str], is_query: bool = False) -> npt.NDArray[np.float32]: ...
