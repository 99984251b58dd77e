"""Rewrites of which it is known whether they keep what their original says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.domain.lineage import Operator
from evolore.evaluation.blind import Case
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "before", "after", "ok", "what"}'
_PREFIXES = ("", "MUTATION_", "CROSSOVER_")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledEdit(Case):
    """A rewrite and whether it is harmless.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as the original looks.
        before: The original.
        after: The rewrite.
        is_harmless: Whether it keeps what the original says.
        kind: What was changed, such as "number" or "negation"; it groups figures and decides nothing.
        evidence: What the rewrite cites.
        operator: How it was made, where the set says.
    """

    language: Language
    before: str
    after: str
    is_harmless: bool
    kind: str
    evidence: tuple[str, ...] = ()
    operator: Operator | None = None


def find_edit_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of labelled rewrites that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: {"before", "after", "ok"} <= set(first.fields), form=_FORM)


def read_labelled_edits(path: Path) -> tuple[LabelledEdit, ...]:
    """Read a whole set; rewrites without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two have one id.
    """
    return read_named(path, _edit)


def _edit(record: Record, number: int) -> LabelledEdit:
    before = record.text("before")
    is_harmless = record.fields.get("ok")
    if not isinstance(is_harmless, bool):
        raise record.refuse("ok", "true or false")
    return LabelledEdit(
        id=record.optional_name("id") or str(number),
        language=_language(record, before),
        before=before,
        after=record.text("after"),
        is_harmless=is_harmless,
        kind=record.name("what"),
        evidence=_evidence(record),
        operator=_operator(record),
    )


def _language(record: Record, text: str) -> Language:
    named = record.optional_name("lang")
    return Language(named) if named in list(Language) else detect_language(text)


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
