from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

class NodeArg:
    @property
    def name(self) -> str: ...

class SessionOptions:
    intra_op_num_threads: int
    log_severity_level: int
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool

class InferenceSession:
    def __init__(
        self, path_or_bytes: str | bytes, sess_options: SessionOptions | None = None, providers: Sequence[str] = ...
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, npt.NDArray[np.int64] | npt.NDArray[np.float32]]
    ) -> list[npt.NDArray[np.float32]]: ...
