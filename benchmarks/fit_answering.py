"""Find what evidence for an answer counts for: ``python benchmarks/fit_answering.py [--write] [PATH…]``.

Memories are filled from ``tests/data/evolution``, ``tests/data/staleness`` and the corpora and conversations named, and
asked questions they answer, questions of which the document, section or statement that answers was left out or that are put
to the wrong person, and questions to other sets. A logistic regression learns from what ``extract`` sees; every set weighs
the same, and so do questions that are answered and those that are not. Prints, for sets that were left out of the fit
(those by one hand together), how many of either kind are refused at some shares of answerable questions refused. With
``--write`` the weights go to ``src/evolore/answers/fitted/answering.toml``: run it when the evidence changes.
"""

from __future__ import annotations

import sys
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from answer_trials import read_trials
from evolore import config
from evolore.answers.extraction import EVIDENCE, AnswerEvidence, extract
from evolore.flows import answer
from evolore.flows.answer import UNKNOWN_LIKENESS
from evolore.models.embedders import embedder_named
from evolore_evaluation.answers import AnswerGroup, area
from evolore_evaluation.measure import RememberingEmbedder
from harness import new_memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from answer_trials import Trial
    from evolore.answers.extraction import Extract, ReadPassage
    from evolore.answers.settings import AnswerSettings
    from evolore.config import Settings
    from evolore.ports import Embedder
    from evolore.text.question_words import AskedWords

Floats = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
WEIGHTS = ROOT / "src" / "evolore" / "answers" / "fitted" / "answering.toml"
SHARES = (0.05, 0.10, 0.15, 0.20, 0.30)
GROUP_WEIGHTS = {AnswerGroup.ANSWERABLE: 1.0, AnswerGroup.WITHHELD: 0.6, AnswerGroup.FOREIGN: 0.4}
PENALTY = 1.0
PER_SET = 200.0
STEPS = 30
REMEMBERED = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A question as it was seen: of which set, and what spoke for an answer, by meaning and words, and by words alone."""

    name: str
    family: str
    group: AnswerGroup
    by_meaning: AnswerEvidence
    by_words: AnswerEvidence


class Watching:
    """Stands in for ``extract``, and keeps what it sees."""

    def __init__(self) -> None:
        self._seen: tuple[AnswerEvidence, AnswerEvidence] | None = None

    def taken(self) -> tuple[AnswerEvidence, AnswerEvidence] | None:
        """Give what was seen since it was last asked for: by meaning and words, and by words alone."""
        seen, self._seen = self._seen, None
        return seen

    def __call__(
        self,
        asked: AskedWords,
        passages: Sequence[ReadPassage],
        alike: Sequence[npt.NDArray[np.floating]],
        *,
        items: int,
        settings: AnswerSettings,
        knows_meaning: bool = True,
    ) -> Extract:
        """Extract, and extract again as if nobody had calibrated the embedder."""
        unknown = [np.full(len(near), UNKNOWN_LIKENESS) for near in alike]
        found = extract(asked, passages, alike, items=items, settings=settings, knows_meaning=knows_meaning)
        other = extract(asked, passages, unknown, items=items, settings=settings, knows_meaning=False)
        both = (found.evidence, other.evidence)
        self._seen = None if both[0] is None or both[1] is None else (both[0], both[1])
        return found


def main(words: list[str]) -> None:
    """Fit, print and write."""
    paths = [Path(word) for word in words if word != "--write"]
    watching = Watching()
    answer.extract = watching
    settings, embedder = config.load(), RememberingEmbedder(embedder_named("use"), most=REMEMBERED)
    seen: list[Seen] = []
    for trial in read_trials(DATA / "evolution", DATA / "staleness", paths):
        seen += _see(trial, watching, settings, embedder)
        print(f"{trial.name}: {len(trial.asked)} questions", file=sys.stderr)
    by_meaning = np.array([astuple(one.by_meaning) for one in seen], dtype=np.float64)
    by_words = np.array([astuple(one.by_words) for one in seen], dtype=np.float64)
    _print_curve("By words and meaning", by_meaning, seen)
    _print_curve("By words alone", by_words, seen)
    weights = [_logistic(rows, seen) for rows in (by_meaning, by_words)]
    print(_source(weights))
    if "--write" in words:
        WEIGHTS.write_text(_source(weights), encoding="utf-8")


def _see(trial: Trial, watching: Watching, settings: Settings, embedder: Embedder) -> Iterator[Seen]:
    with new_memory(namespace="answers", embedder=embedder, settings=settings) as memory:
        if trial.documents:
            memory.add(*trial.documents)
        if trial.statements:
            memory.remember_many(trial.statements)
        for text, group in trial.asked:
            memory.answer(text, record=False)
            if (both := watching.taken()) is not None:
                yield Seen(name=trial.name, family=trial.family, group=group, by_meaning=both[0], by_words=both[1])


def _each(seen: Sequence[Seen]) -> Floats:
    """Say what each question weighs: those of one group in one set weigh the same together in every set."""
    counts: dict[tuple[str, AnswerGroup], int] = {}
    for one in seen:
        counts[one.name, one.group] = counts.get((one.name, one.group), 0) + 1
    return np.array([PER_SET * GROUP_WEIGHTS[one.group] / counts[one.name, one.group] for one in seen])


def _logistic(rows: Floats, seen: Sequence[Seen]) -> Floats:
    """Fit by Newton's method; the constant comes last."""
    mean: Floats = np.asarray(rows.mean(axis=0), dtype=np.float64)
    spread: Floats = np.asarray(rows.std(axis=0), dtype=np.float64)
    table: Floats = np.asarray(np.hstack([(rows - mean) / spread, np.ones((len(rows), 1))]), dtype=np.float64)
    holds: Floats = np.array([one.group is AnswerGroup.ANSWERABLE for one in seen], dtype=np.float64)
    each = _each(seen)
    penalty: Floats = np.append(np.full(len(spread), PENALTY), 0.0)
    found: Floats = np.zeros(len(penalty), dtype=np.float64)
    for _ in range(STEPS):
        guess: Floats = np.asarray(1.0 / (1.0 + np.exp(-np.clip(table @ found, -30.0, 30.0))), dtype=np.float64)
        slope: Floats = np.asarray(table.T @ (each * (holds - guess)) - penalty * found, dtype=np.float64)
        weighed: Floats = np.asarray(table * (each * guess * (1.0 - guess))[:, np.newaxis], dtype=np.float64)
        bend: Floats = np.asarray(weighed.T @ table + np.diag(penalty), dtype=np.float64)
        found = np.asarray(np.add(found, np.asarray(np.linalg.solve(bend, slope))), dtype=np.float64)
    weights: Floats = np.asarray(found[:-1] / spread, dtype=np.float64)
    return np.append(weights, float(found[-1]) - float(mean @ weights))


def _left_out(rows: Floats, seen: Sequence[Seen]) -> Floats:
    """Give the likelihood of each question by weights that saw nothing by the same hand."""
    families = np.array([one.family for one in seen])
    found = np.zeros(len(seen))
    for family in sorted(set(families.tolist())):
        rest = np.flatnonzero(families != family)
        weights = _logistic(rows[rest], [seen[place] for place in rest.tolist()])
        own = families == family
        found[own] = 1.0 / (1.0 + np.exp(-(rows[own] @ weights[:-1] + weights[-1])))
    return found


def _print_curve(title: str, rows: Floats, seen: Sequence[Seen]) -> None:
    likely = _left_out(rows, seen)
    names = sorted({one.name for one in seen})
    print(f"{title}: refused of sets that were left out, in %")
    print(f"{'':>26}  threshold  answerable  withheld  foreign")
    for share in SHARES:
        least = _quantile(likely, seen, share)
        figures = [[_refused(likely, seen, name, group, least) for name in names] for group in GROUP_WEIGHTS]
        print(f"{'all':>26}  {least:9.2f}  {_columns([float(np.nanmean(one)) for one in figures])}")
    least = config.load().answer.least_likelihood
    for name in names:
        refused = [_refused(likely, seen, name, group, least) for group in GROUP_WEIGHTS]
        print(f"{name:>26}  {least:9.2f}  {_columns(refused)}  {_areas(likely, seen, name)}")


def _columns(shares: Sequence[float]) -> str:
    answerable, withheld, foreign = (100.0 * one for one in shares)
    return f"{answerable:10.0f}  {withheld:8.0f}  {foreign:7.0f}"


def _of(likely: Floats, seen: Sequence[Seen], name: str, group: AnswerGroup) -> list[float]:
    return [float(value) for value, one in zip(likely, seen, strict=True) if (one.name, one.group) == (name, group)]


def _refused(likely: Floats, seen: Sequence[Seen], name: str, group: AnswerGroup, least: float) -> float:
    some = _of(likely, seen, name, group)
    return float(np.mean([one < least for one in some])) if some else float("nan")


def _areas(likely: Floats, seen: Sequence[Seen], name: str) -> str:
    above = _of(likely, seen, name, AnswerGroup.ANSWERABLE)
    others = (_of(likely, seen, name, group) for group in (AnswerGroup.WITHHELD, AnswerGroup.FOREIGN))
    return "AUC " + " ".join(f"{area(above, below):.2f}" for below in others if below)


def _quantile(likely: Floats, seen: Sequence[Seen], share: float) -> float:
    """Give below what the share of answerable questions lies, every set weighing the same."""
    places = [place for place, one in enumerate(seen) if one.group is AnswerGroup.ANSWERABLE]
    each = _each(seen)[places]
    order = np.argsort(likely[places])
    risen = np.cumsum(each[order]) / each.sum()
    return float(likely[places][order][int(np.searchsorted(risen, share))])


def _source(weights: Sequence[Floats]) -> str:
    """Write weights as TOML."""
    names = (*EVIDENCE, "constant")
    lines = ["# Written by `python benchmarks/fit_answering.py --write`: what evidence for an answer counts for."]
    for title, found in zip(("by_meaning", "by_words"), weights, strict=True):
        lines += ["", f"[{title}]"]
        lines += [f"{name} = {value:.3f}" for name, value in zip(names, found.tolist(), strict=True)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
