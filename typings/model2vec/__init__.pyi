from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

class StaticModel:
    def __init__(
        self, vectors: npt.NDArray[np.floating[Any]], tokenizer: Tokenizer, config: Mapping[str, Any] | None = None
    ) -> None: ...
    @classmethod
    def from_pretrained(cls, path: str | PathLike[str]) -> Self: ...
    def save_pretrained(self, path: str | PathLike[str]) -> None: ...
    def encode(self, sentences: Sequence[str], *, use_multiprocessing: bool = True) -> npt.NDArray[np.float32]: ...
