"""Pairs of texts of which it is known how they relate: how alike, whether one rules out the other, or takes its place."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"lang", "a", "b", "score"}, {"lang", "a", "b", "label"} or {"lang", "old", "new", "label"}'
_MOST = 5.0
_DUPLICATE = 4.5
_RELATED = (1.5, 3.5)
_KEY_PARTS = 2


class Relation(StrEnum):
    """How the second text of a pair relates to the first."""

    DUPLICATE = "duplicate"
    RELATED = "related"
    BETWEEN = "between"
    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ADDS = "adds"
    DIFFERENT = "different"


_INFERENCES = frozenset({Relation.ENTAILMENT, Relation.NEUTRAL, Relation.CONTRADICTION})
_UPDATES = frozenset({Relation.SUPERSEDES, Relation.CONTRADICTS, Relation.ADDS, Relation.DIFFERENT})
CONFLICTS = frozenset({Relation.CONTRADICTION, Relation.SUPERSEDES, Relation.CONTRADICTS})
"""Both cannot hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """Two texts and how they relate.

    Args:
        id: Its name in its set, or its place from 1.
        language: What they are written in, as the set says or as the first looks.
        first: The one said first.
        second: The one said later.
        relation: How the second relates to the first.
        first_about: The key the first states, where the set gives one.
        second_about: Likewise of the second.
        is_named: Whether the set gives it an id; without one it is in no half.
    """

    id: str
    language: Language
    first: str
    second: str
    relation: Relation
    first_about: tuple[str, str] | None = None
    second_about: tuple[str, str] | None = None
    is_named: bool = False

    @property
    def is_update(self) -> bool:
        """Whether the second is a later statement about what may be the same."""
        return self.relation in _UPDATES

    @property
    def is_keyed(self) -> bool:
        """Whether both state a key, the same or another."""
        return self.first_about is not None and self.second_about is not None

    @property
    def is_scored(self) -> bool:
        """Whether it was rated how alike they are."""
        return self.relation in {Relation.DUPLICATE, Relation.RELATED, Relation.BETWEEN}

    @property
    def is_blind(self) -> bool:
        """Whether it is in the half that rules are not tuned on: it has an id, whose CRC-32 is odd."""
        return self.is_named and zlib.crc32(self.id.encode("utf-8", "surrogatepass")) % 2 == 1


def find_pair_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of labelled pairs that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=_fits, form=_FORM)


def _fits(first: Record) -> bool:
    names = set(first.fields)
    is_pair = {"a", "b"} <= names and bool({"score", "label"} & names)
    return is_pair or {"old", "new", "label"} <= names


def read_pairs(path: Path) -> tuple[LabelledPair, ...]:
    """Read a whole set; pairs without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two have one id.
    """
    return read_named(path, _pair)


def _pair(record: Record, number: int) -> LabelledPair:
    is_update = "old" in record.fields
    first, second = (_text(record, name) for name in (("old", "new") if is_update else ("a", "b")))
    name = record.optional_name("id")
    return LabelledPair(
        id=name or str(number),
        language=_language(record, first),
        first=first,
        second=second,
        relation=_relation(record, is_update=is_update),
        first_about=_key(record, "about") or _key(record, "about_old"),
        second_about=_key(record, "about") or _key(record, "about_new"),
        is_named=name is not None,
    )


def _text(record: Record, name: str) -> str:
    text = record.text(name)
    if not text.strip():
        raise record.refuse(name, "a text that is not blank")
    return text


def _language(record: Record, text: str) -> Language:
    given = record.optional_name("lang")
    if given is None:
        return detect_language(text)
    return Language(given) if given in set(Language) else Language.UND


def _relation(record: Record, *, is_update: bool) -> Relation:
    if "score" in record.fields and not is_update:
        return _rated(record)
    allowed = _UPDATES if is_update else _INFERENCES
    label = record.optional_name("label")
    if label not in allowed:
        raise record.refuse("label", f"one of {', '.join(sorted(allowed))}")
    return Relation(label)


def _rated(record: Record) -> Relation:
    score = record.fields["score"]
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0.0 <= score <= _MOST:
        raise record.refuse("score", "a number from 0 to 5")
    if score >= _DUPLICATE:
        return Relation.DUPLICATE
    return Relation.RELATED if _RELATED[0] <= score <= _RELATED[1] else Relation.BETWEEN


def _key(record: Record, name: str) -> tuple[str, str] | None:
    if record.fields.get(name) is None:
        return None
    parts = record.texts(name)
    if len(parts) != _KEY_PARTS:
        raise record.refuse(name, 'a subject and an attribute, such as ["office", "city"]')
    return parts[0], parts[1]
