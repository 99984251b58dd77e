"""The search of the extra ``gepa``: rewrites that a chat model reflects out, chosen along a Pareto front over questions."""

from __future__ import annotations

from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from evolore.domain.searching import SearchTrace
from evolore.errors import MissingExtra

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from gepa import EvaluationBatch

    from evolore.ports import SearchTask

_PERFECT = 1.0


class GepaSearch:
    """Searches with the ``gepa`` library, which asks nobody by itself and writes no files.

    Of each round's parent, drawn from the Pareto front over the questions, a few questions are answered; what came of them
    is reflected on, and the rewrite joins the front where it does no worse on them. GEPA's own merging of two rewrites is
    left out: it draws in the order of a set of names, which differs from process to process.

    Raises:
        MissingExtra: ``gepa`` is not installed.
    """

    def __init__(self) -> None:
        if find_spec("gepa") is None:
            raise MissingExtra(
                'The strategy "gepa" needs the library of that name: run pip install "evolore[gepa]", or set '
                'evolution.strategy to "operators".'
            )

    def search(
        self,
        texts: Mapping[str, str],
        questions: Sequence[str],
        task: SearchTask,
        *,
        rounds: int,
        at_once: int,
        seed: int,
    ) -> tuple[dict[str, str], ...]:
        """Give what was found, the best on all questions first, without the texts it began with.

        Args:
            texts: What to begin with, by name.
            questions: What texts are tried by, at least one.
            task: What may be asked for.
            rounds: How often it may ask for a rewrite at the most, at least 1.
            at_once: On how many of the questions a rewrite is tried first, at least 1.
            seed: What everything drawn is drawn from.
        """
        import gepa  # noqa: PLC0415 - heavy, and an extra

        found = gepa.optimize(
            seed_candidate=dict(texts),
            trainset=list(questions),
            valset=list(questions),
            adapter=_TaskAdapter(task, gepa.EvaluationBatch),
            frontier_type="instance",
            perfect_score=_PERFECT,
            reflection_minibatch_size=min(at_once, len(questions)),
            module_selector="all",
            stop_callbacks=lambda state: task.is_over or state.i + 1 >= rounds,
            acceptance_criterion="improvement_or_equal",
            logger=_Silence(),
            cache_evaluation=True,
            track_best_outputs=False,
            seed=seed,
        )
        scores = found.val_aggregate_scores
        ranked = sorted(range(1, len(found.candidates)), key=lambda place: (-scores[place], place))
        return tuple(dict(found.candidates[place]) for place in ranked)


class _TaskAdapter:
    """A task as GEPA asks it."""

    def __init__(self, task: SearchTask, batch: type[EvaluationBatch]) -> None:
        self._task = task
        self._batch = batch
        self.propose_new_texts: Callable[..., dict[str, str]] = self._rewritten

    def evaluate(
        self,
        batch: list[str],
        candidate: dict[str, str],
        capture_traces: bool = False,  # noqa: FBT001, FBT002 - GEPA's signature
    ) -> EvaluationBatch:
        traces = self._task.score(candidate, batch)
        return self._batch(
            outputs=[one.answer for one in traces],
            scores=[one.score for one in traces],
            trajectories=list(traces) if capture_traces else None,
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: EvaluationBatch, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        del candidate
        traces = [asdict(one) for one in eval_batch.trajectories or ()]
        return dict.fromkeys(components_to_update, traces)

    def _rewritten(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        traces = [SearchTrace(**one) for one in reflective_dataset[components_to_update[0]]]
        return dict(self._task.rewrite(candidate, traces))


class _Silence:
    """Says nothing of what GEPA tells: what comes of it is steps of the job."""

    def log(self, message: str) -> None:
        del message
