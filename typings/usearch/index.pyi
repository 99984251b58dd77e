from os import PathLike

import numpy as np
import numpy.typing as npt

class Matches:
    keys: npt.NDArray[np.uint64]
    distances: npt.NDArray[np.float32]

class Index:
    expansion_search: int
    def __init__(
        self,
        *,
        ndim: int,
        metric: str,
        dtype: str,
        connectivity: int = ...,
        expansion_add: int = ...,
        expansion_search: int = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    def add(self, keys: npt.NDArray[np.uint64], vectors: npt.NDArray[np.float16], *, threads: int = ...) -> None: ...
    def search(self, vectors: npt.NDArray[np.float32], count: int = ..., *, threads: int = ...) -> Matches: ...
    def load(self, path_or_buffer: memoryview) -> None: ...
    def view(self, path_or_buffer: memoryview) -> None: ...
    def save(self, path_or_buffer: str | PathLike[str]) -> None: ...
