"""Texts of which it is known how strongly they are felt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.evaluation.blind import LabelledText
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "text", "arousal"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedText(LabelledText):
    """A text and how strongly it is felt.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
        text: What is said.
        arousal: How strongly felt it is, 0-1.
        is_tricky: Whether its wording is louder, or quieter, than what is felt.
    """

    arousal: float


def find_arousal_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of rated texts that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: {"text", "arousal"} <= set(first.fields), form=_FORM)


def read_rated_texts(path: Path) -> tuple[RatedText, ...]:
    """Read a whole set; texts without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its arousal is none, or two have one id.
    """
    return read_named(path, _rated_text)


def _rated_text(record: Record, number: int) -> RatedText:
    text, arousal = record.text("text"), record.fields.get("arousal")
    if not text.strip():
        raise record.refuse("text", "a text that is not blank")
    if isinstance(arousal, bool) or not isinstance(arousal, int | float) or not 0.0 <= arousal <= 1.0:
        raise record.refuse("arousal", "a number from 0 to 1")
    return RatedText(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(text).value,
        text=text,
        arousal=float(arousal),
        is_tricky=record.fields.get("tricky") is True,
    )
