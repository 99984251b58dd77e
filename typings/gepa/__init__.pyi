from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

class EvaluationBatch:
    trajectories: list[Any] | None
    def __init__(self, outputs: list[str], scores: list[float], trajectories: list[Any] | None = None) -> None: ...

class _State(Protocol):
    i: int

class _Logger(Protocol):
    def log(self, message: str) -> None: ...

class _Adapter(Protocol):
    propose_new_texts: Callable[..., dict[str, str]]
    def evaluate(
        self, batch: list[str], candidate: dict[str, str], capture_traces: bool = False
    ) -> EvaluationBatch: ...
    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: EvaluationBatch, components_to_update: list[str]
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]: ...

class GEPAResult:
    candidates: list[dict[str, str]]
    val_aggregate_scores: list[float]

def optimize(
    seed_candidate: dict[str, str],
    trainset: list[str],
    valset: list[str] | None = None,
    adapter: _Adapter | None = None,
    *,
    frontier_type: str = "instance",
    perfect_score: float = 1.0,
    reflection_minibatch_size: int | None = None,
    module_selector: str = "round_robin",
    stop_callbacks: Callable[[_State], bool] | None = None,
    acceptance_criterion: str = "strict_improvement",
    logger: _Logger | None = None,
    cache_evaluation: bool = False,
    track_best_outputs: bool = True,
    seed: int = 0,
) -> GEPAResult: ...
