"""Texts whose true sentences are known: marked by hand as they stand, or given apart and joined here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.knowledge import Span
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evaluation.blind import Case
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "sentences"} or {"id", "lang", "text", "sentences"}'
_UNSPACED = frozenset({Language.JA, Language.ZH})


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSentences(Case):
    """A text and where its sentences are.

    Args:
        id: Its name in its set.
        text: The text, white space between sentences included.
        language: What it is written in.
        spans: Its sentences without the white space between them, in order.
        is_marked: Whether the text was given, with its sentences marked in it; else it was joined from them.
    """

    text: str
    language: Language
    spans: tuple[Span, ...]
    is_marked: bool

    @property
    def is_held_back(self) -> bool:
        """Whether it is marked, and in the blind half; what was joined is always measured."""
        return self.is_marked and self.is_blind


def find_sentence_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of texts with known sentences that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: "sentences" in first.fields, form=_FORM)


def read_known_sentences(path: Path) -> tuple[KnownSentences, ...]:
    """Read a whole set.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, its sentences are not those of its text, or two have one id.
    """
    return read_named(path, lambda record, _: _known_sentences(record))


def _known_sentences(record: Record) -> KnownSentences:
    sentences = [sentence.strip() for sentence in record.texts("sentences")]
    if not sentences or not all(sentences):
        raise record.refuse("sentences", "at least one sentence, and none that is blank")
    is_marked = "text" in record.fields
    language = _language(record, " ".join(sentences))
    text = record.text("text") if is_marked else ("" if language in _UNSPACED else " ").join(sentences)
    return KnownSentences(
        id=record.name("id"),
        text=text,
        language=language,
        spans=tuple(_spans(text, sentences, record)),
        is_marked=is_marked,
    )


def _language(record: Record, text: str) -> Language:
    code = record.optional_name("lang")
    if code is None:
        return detect_language(text)
    return Language(code) if code in set(Language) else Language.UND


def _spans(text: str, sentences: Sequence[str], record: Record) -> Iterator[Span]:
    end = 0
    for sentence in sentences:
        start = len(text) - len(text[end:].lstrip())
        if not text.startswith(sentence, start):
            raise InvalidValue(
                f'{record.where}: "text" goes on with {text[start : start + 20]!r} where the next of "sentences" is '
                f"{sentence[:20]!r}: give sentences that, with white space between them, are the text."
            )
        end = start + len(sentence)
        yield Span(start, end)
    if text[end:].strip():
        raise InvalidValue(
            f'{record.where}: "text" ends with {text[end:].strip()[:20]!r}, which no sentence holds: give all sentences.'
        )
