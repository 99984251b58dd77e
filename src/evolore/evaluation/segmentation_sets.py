"""Documents whose true boundaries are known, as segmentation is measured on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "sentences", "boundaries"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentedText:
    """A text in sentences, and where its segments begin.

    Args:
        id: Its name in its set.
        sentences: Its units, at least one.
        boundaries: First sentence of each segment but the first, ascending, each in 1..len(sentences)-1.
    """

    id: str
    sentences: tuple[str, ...]
    boundaries: tuple[int, ...]

    @property
    def characters(self) -> int:
        """How many characters its sentences have."""
        return sum(map(len, self.sentences))

    @property
    def bytes(self) -> int:
        """How many bytes its sentences have in UTF-8."""
        return sum(len(sentence.encode("utf-8", "surrogatepass")) for sentence in self.sentences)


def find_segmentation_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of segmented texts that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: {"sentences", "boundaries"} <= first.fields.keys(), form=_FORM)


def read_segmented_texts(path: Path) -> tuple[SegmentedText, ...]:
    """Read a whole set.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line is not a segmented text, or two have one id.
    """
    return read_named(path, lambda record, _: _segmented_text(record))


def mean_segment_characters(texts: Sequence[SegmentedText]) -> float:
    """Give the mean length of a true segment in characters, over all segments of a set."""
    return sum(text.characters for text in texts) / sum(len(text.boundaries) + 1 for text in texts)


def _segmented_text(record: Record) -> SegmentedText:
    sentences = record.texts("sentences")
    if not sentences:
        raise record.refuse("sentences", "at least one sentence")
    boundaries = record.whole_numbers("boundaries")
    outside = [boundary for boundary in boundaries if not 0 <= boundary < len(sentences)]
    if outside:
        raise InvalidValue(
            f'{record.where}: "boundaries" holds {outside[0]}: give sentence numbers from 0 to {len(sentences) - 1}.'
        )
    # Some sets name the first sentence too; it begins the first segment and is no boundary between two.
    return SegmentedText(id=record.name("id"), sentences=sentences, boundaries=tuple(sorted({*boundaries} - {0})))
