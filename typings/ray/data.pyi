from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

class ExecutionOptions:
    preserve_order: bool

class DataContext:
    execution_options: ExecutionOptions
    max_errored_blocks: int
    enable_progress_bars: bool
    @staticmethod
    def get_current() -> DataContext: ...
    @staticmethod
    def current(context: DataContext) -> AbstractContextManager[None]: ...
    def copy(self) -> DataContext: ...

class ActorPoolStrategy:
    def __init__(self, *, size: int) -> None: ...

class Dataset:
    def map(
        self,
        fn: Callable[..., object],
        *,
        fn_constructor_args: Sequence[object],
        compute: ActorPoolStrategy,
        num_cpus: int,
        max_restarts: int,
        max_task_retries: int,
    ) -> Self: ...
    def iter_rows(self) -> Iterator[dict[str, Any]]: ...

def from_items(items: Sequence[Mapping[str, object]], *, override_num_blocks: int) -> Dataset: ...
