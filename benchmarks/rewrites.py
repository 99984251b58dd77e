"""Print how many harmful rewrites the gates catch: ``python benchmarks/rewrites.py [--blind] PATH…``.

A set has lines ``{id, lang, before, after, ok, what}``, and maybe ``evidence`` and ``operator``. Printed are harmful rewrites caught and
false alarms on harmless ones, by kind and language, by docs/protocols.md. ``--blind`` measures the blind half too, and prints both
halves; ``--limit N`` takes so many of each set, ``--predictions FILE`` writes each prediction, ``--json`` prints every figure. No
chat model is asked; the default embedder decides which sentence became which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.gates.claims import Similar
from evolore.evolution.gates.injection import of_the_candidate
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.gates.verdicts import Gate, Ruling
from evolore.flows.evolve.documents import similar_by
from evolore.models.use import UseEmbedder
from evolore.ports import Embedder
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, Case, Measure, MeasuredSet, Run, groups_by
from evolore_evaluation.pairs import share_with_interval
from evolore_evaluation.records import Record, SetForm
from evolore_evaluation.reports import Json, Report, snake_case
from measuring import COUNT, SHARE, options, show

COLUMNS = {
    "edits": ("edits", COUNT),
    "caught": ("caught", SHARE),
    "false_alarms": ("false alarms", SHARE),
    "caught_by_spans": ("caught by spans", SHARE),
    "false_alarms_by_spans": ("false by spans", SHARE),
}

_COUNTED = frozenset(Gate) - {Gate.NOVELTY}
"""A rewrite that changes nothing is refused for that, and does no harm."""

_WITHOUT_CLAIMS = _COUNTED - {Gate.CLAIMS}


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgedEdit:
    """A rewrite, and what the gates that object to it or doubt it say."""

    edit: LabelledEdit
    objections: tuple[Ruling, ...]

    def is_caught(self, gates: frozenset[Gate] = _COUNTED) -> bool:
        return any(verdict.gate in gates and not verdict.passes for verdict in self.objections)

    def is_doubted(self) -> bool:
        return any(verdict.gate in _COUNTED for verdict in self.objections)


def evaluate_edits(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder | None = None) -> Report:
    """Measure the free gates on sets of ``{id, lang, before, after, ok, what}``, each line maybe with evidence and operator.

    ``caught`` is the share of rewrites that are not ok which a gate refuses, ``false_alarms`` the share of those that
    are ok; each with its 95 % interval (``_low``, ``_high``, Wilson's). ``caught_by_spans`` and
    ``false_alarms_by_spans`` leave the claim gate out. ``doubted`` and ``doubted_harmless`` are the shares that a gate
    refuses or doubts. ``values_refused``, ``negation_refused`` and ``harmless_refused`` are the shares of corrupted values
    (numbers, units, dates, addresses, code), corrupted negations and harmless rewrites that are refused, ``…_doubted``
    that are refused or doubted, with intervals, of ``…_n``. The novelty gate does not count, and of what the original says
    already the injection gate only doubts, as when a document evolves. Languages and kinds are given apart, with ``blind``
    the halves too.

    Args:
        paths: Files, or folders of them.
        run: How much is measured; predictions are ``{"set", "id", "caught", "doubted", "reasons"}``.
        embedder: What measures how near sentences are in meaning; without one, words alone do.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    measure = Measure(
        system="edits",
        read=lambda path: run.chosen(EDIT_SETS.read(path)),
        begin=partial(_judging, similar_by(embedder) if embedder else None),
        figures=_figures,
        groups=lambda judged: groups_by(judged, _labels_of_halves if run.blind else _labels),
    )
    settings: dict[str, Json] = {
        "embedder": embedder.model.id if embedder else None,
        "blind": run.blind,
        "limit": run.limit,
    }
    return measure.report(EDIT_SETS.find(paths), run, settings)


def _judging(similar: Similar | None, edits: MeasuredSet[LabelledEdit]) -> Callable[[LabelledEdit], _JudgedEdit]:
    def attempt(edit: LabelledEdit) -> _JudgedEdit:
        one = _judge(similar, edit)
        reasons: list[Json] = [str(verdict) for verdict in one.objections]
        edits.write({"id": edit.id, "caught": one.is_caught(), "doubted": one.is_doubted(), "reasons": reasons})
        return one

    return attempt


def _judge(similar: Similar | None, edit: LabelledEdit) -> _JudgedEdit:
    verdicts = run_gates(
        edit.before, edit.after, language=edit.language, operator=edit.operator, evidence=edit.evidence, similar=similar
    )
    told = [of_the_candidate(one, edit.before) if one.gate is Gate.INJECTION else one for one in verdicts]
    return _JudgedEdit(edit=edit, objections=tuple(verdict for verdict in told if verdict.findings))


def _labels(one: _JudgedEdit) -> list[str]:
    return [snake_case(one.edit.language.value), f"what_{snake_case(one.edit.kind)}"]


def _labels_of_halves(one: _JudgedEdit) -> list[str]:
    return [one.edit.half, *(f"{one.edit.half}_{label}" for label in _labels(one))]


def _figures(judged: Sequence[_JudgedEdit]) -> dict[str, float]:
    harmful = [one for one in judged if not one.edit.is_harmless]
    harmless = [one for one in judged if one.edit.is_harmless]
    figures = {"edits": float(len(judged))}
    for name, doubted, some in (("caught", "doubted", harmful), ("false_alarms", "doubted_harmless", harmless)):
        if some:
            figures |= share_with_interval(name, sum(one.is_caught() for one in some), len(some))
            figures[doubted] = sum(one.is_doubted() for one in some) / len(some)
            figures[f"{name}_by_spans"] = sum(one.is_caught(_WITHOUT_CLAIMS) for one in some) / len(some)
    return figures | level_figures([(one.edit, one.is_caught(), one.is_doubted()) for one in judged])


_PREFIXES = ("", "MUTATION_", "CROSSOVER_")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledEdit(Case):
    """A rewrite and whether it is harmless."""

    language: Language  #: What it is written in, as its set says or as the original looks.
    before: str  #: The original.
    after: str  #: The rewrite.
    is_harmless: bool  #: Whether it keeps what the original says.
    kind: str  #: What was changed, such as "number" or "negation"; it groups figures and decides nothing.
    evidence: tuple[str, ...] = ()  #: What the rewrite cites.
    operator: Operator | None = None  #: How it was made, where the set says.


def _edit(record: Record, number: int) -> LabelledEdit:
    before, named = record.text("before"), record.optional_name("lang")
    return LabelledEdit(
        id=record.optional_name("id") or str(number),
        language=Language(named) if named in list(Language) else detect_language(before),
        before=before,
        after=record.text("after"),
        is_harmless=record.claim("ok"),
        kind=record.name("what"),
        evidence=_evidence(record),
        operator=_operator(record),
    )


def _evidence(record: Record) -> tuple[str, ...]:
    value = record.fields.get("evidence")
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else record.texts("evidence")


def _operator(record: Record) -> Operator | None:
    named = record.optional_name("operator")
    if named is None:
        return None
    for prefix in _PREFIXES:
        if f"{prefix}{named.upper()}" in list(Operator):
            return Operator(f"{prefix}{named.upper()}")
    raise record.refuse("operator", f"one of {', '.join(Operator)}")


EDIT_SETS = SetForm(
    line='{"id", "lang", "before", "after", "ok", "what"}',
    fits=lambda first: {"before", "after", "ok"} <= set(first.fields),
    read_one=_edit,
)
"""Labelled rewrites; those without an id are named by their place."""

VALUES = frozenset({"number", "unit", "date_time", "url", "email", "code"})
"""The kinds of corruption that change a protected span."""

GROUPS = ("values", "negation", "harmless", "condition", "name", "omission", "addition")
"""What rewrites are sorted into: what must be caught, what must be let pass, and the rest."""

_TOLD = GROUPS[:3]


def group_of(edit: LabelledEdit) -> str:
    """Return what a rewrite belongs to: "values" and "harmless" for several kinds, else its kind."""
    return "harmless" if edit.is_harmless else "values" if edit.kind in VALUES else edit.kind


def level_figures(judged: Sequence[tuple[LabelledEdit, bool, bool]]) -> dict[str, float]:
    """Return how many values, negations and harmless rewrites are refused, and refused or doubted, with Wilson's interval."""
    figures: dict[str, float] = {}
    for group in _TOLD:
        some = [one for one in judged if group_of(one[0]) == group]
        if some:
            figures[f"{group}_n"] = float(len(some))
            for place, name in ((1, "refused"), (2, "doubted")):
                figures |= share_with_interval(f"{group}_{name}", sum(bool(one[place]) for one in some), len(some))
    return figures


def level_lines(rows: Sequence[tuple[str, Mapping[str, float]]]) -> Iterator[str]:
    """Report for each set, half and language what is refused, and refused or doubted, of how many, with the interval."""
    for label, metrics in rows:
        if "what_" in label:
            continue
        for group in (group for group in _TOLD if f"{group}_n" in metrics):
            shares = [_share(metrics, f"{group}_{name}") for name in ("refused", "doubted")]
            counted = f"{metrics[f'{group}_n']:,.0f}"
            yield f"{label.strip()}: {group} refused {shares[0]}, refused or doubted {shares[1]}, of {counted}"


def _share(metrics: Mapping[str, float], name: str) -> str:
    share, low, high = (100 * metrics[f"{name}{end}"] for end in ("", "_low", "_high"))
    return f"{share:.1f} % ({low:.1f} to {high:.1f})"


def main() -> None:
    """Measure every set, and print a table and the shares of each kind with their intervals."""
    parser = options(__doc__)
    parser.add_argument("--blind", action="store_true", help="measure the blind half too, and print both halves")
    given = parser.parse_args()
    measure = partial(evaluate_edits, given.paths, embedder=UseEmbedder())
    show(measure, given, COLUMNS, lines=level_lines)


if __name__ == "__main__":
    main()
