"""Questions whose intent is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.answers import Intent
from evolore.evaluation.blind import LabelledText
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "text", "intent"}'
_TRICKY = "tricky:"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownIntent(LabelledText):
    """A question and what it is after.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as it looks; it groups figures and decides nothing.
        text: The question.
        intent: What it is after.
        is_tricky: Whether its wording points to another intent: its note begins with "tricky:".
    """

    intent: Intent


def find_intent_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of questions with known intents that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: {"text", "intent"} <= set(first.fields), form=_FORM)


def read_known_intents(path: Path) -> tuple[KnownIntent, ...]:
    """Read a whole set; questions without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its intent is none, or two have one id.
    """
    return read_named(path, _known_intent)


def _known_intent(record: Record, number: int) -> KnownIntent:
    text, intent = record.text("text"), record.text("intent")
    if not text.strip():
        raise record.refuse("text", "a question that is not blank")
    if intent not in set(Intent):
        raise record.refuse("intent", f"one of {', '.join(Intent)}")
    note = record.fields.get("note")
    return KnownIntent(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(text).value,
        text=text,
        intent=Intent(intent),
        is_tricky=isinstance(note, str) and note.startswith(_TRICKY),
    )
