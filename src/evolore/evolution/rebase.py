"""Rebase: what was promoted is kept where its source changed elsewhere, section by section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from typing import TypeVar

from evolore.domain.document import MediaType, Span
from evolore.domain.evolution import KeptStretch
from evolore.evolution.edits import gap_behind, gap_of
from evolore.text.sections import Section, read_sections


class ChangeFate(StrEnum):
    """What becomes of a change when its source says something else."""

    HELD = "held"
    IN_SOURCE = "in_source"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class BesideSection:
    """A section beside a change, by which its place is found again."""

    key: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionChange:
    """Sections of a text, and what replaces them in another."""

    base: str  #: What they say; empty where sections were put in.
    text: str  #: What replaces them; empty where they were taken out.
    path: tuple[str, ...]  #: The titles above the first of them.
    base_keys: tuple[str, ...]  #: What each is found by: its text without the white space behind, lines ended alike.
    base_paths: tuple[tuple[str, ...], ...]  #: The titles above each, its own last.
    text_keys: tuple[str, ...]  #: The same of what replaces them.
    span: Span  #: Where that is in the second text.
    before: BesideSection | None  #: The section before; None at the beginning.
    after: BesideSection | None  #: The section behind; None at the end.
    is_repeated: bool = False  #: Whether the first text says the same in another place too.
    said_before: int = 0  #: How often the first text already says what replaces them.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedChange:
    """A change, and what became of it in a new text of its source."""

    change: SectionChange  #: Which.
    fate: ChangeFate  #: Whether it holds, waits, or the source says the same.
    #: Where what it replaced is in the source's text now; None where nothing is, or it is unclear.
    span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebased:
    """A source's text with the changes that hold."""

    text: str  #: All of it.
    kept: tuple[KeptStretch, ...]  #: Where it says something else than its source, and what the source says there.
    placed: tuple[PlacedChange, ...]  #: What became of each change, in the order they were given.


def section_key(text: str) -> str:
    r"""Return what a section is found by: white space behind it and how its lines end say nothing.

    >>> section_key("## Who\r\n\r\nThe desk.\r\n\r\n")
    '## Who\n\nThe desk.'
    """
    return text.replace("\r\n", "\n").rstrip()


def keys_of(text: str, media_type: MediaType) -> tuple[str, ...]:
    """Return what each section of a text is found by."""
    return tuple(section_key(one.text) for one in read_sections(text, media_type=media_type))


def source_text(text: str, kept: Iterable[KeptStretch]) -> str:
    """Return what a source says, from a text that says something else in some stretches.

    >>> source_text("A new word.", [KeptStretch(span=Span(2, 5), source="old")])
    'A old word.'
    """
    written: list[str] = []
    place = 0
    for one in kept:
        written += [text[place : one.span.start], one.source]
        place = one.span.end
    return "".join([*written, text[place:]])


def changes_between(base: str, text: str, *, media_type: MediaType = MediaType.MARKDOWN) -> tuple[SectionChange, ...]:
    """Return what differs between two texts as changes of sections, each as small as can be."""
    first = read_sections(base, media_type=media_type)
    second = read_sections(text, media_type=media_type)
    first_keys = [section_key(one.text) for one in first]
    counted = Counter(first_keys)
    codes = _opcodes(first_keys, [section_key(one.text) for one in second])
    found: list[SectionChange] = []
    for tag, *ends in codes:
        if tag != "equal":
            found += [_change(first, second, part, counted) for part in _parts(first, second, ends)]
    return tuple(found)


_MOST_EXACT = 400
"""Of more sections that say the same over and over, not the smallest difference is looked for: that takes their cube."""


def _opcodes(first: Sequence[Hashable], second: Sequence[Hashable]) -> list[tuple[str, int, int, int, int]]:
    """Return what differs between two sequences; what both begin and end with is passed over first."""
    least = min(len(first), len(second))
    head = next((at for at in range(least) if first[at] != second[at]), least)
    tail = next((at for at in range(least - head) if first[-1 - at] != second[-1 - at]), least - head)
    one, other = first[head : len(first) - tail], second[head : len(second) - tail]
    codes = SequenceMatcher(None, one, other, autojunk=max(len(one), len(other)) > _MOST_EXACT).get_opcodes()
    moved = [(tag, start + head, end + head, begin + head, stop + head) for tag, start, end, begin, stop in codes]
    ends = ("equal", len(first) - tail, len(first), len(second) - tail, len(second))
    return [one for one in (("equal", 0, head, 0, head), *moved, ends) if one[1] < one[2] or one[3] < one[4]]


def _parts(first: Sequence[Section], second: Sequence[Section], ends: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Cut a stretch that differs into changes: section by section where there are as many, else where paths are the same."""
    start, end, begin, stop = ends
    if end - start == stop - begin:
        yield from ((start + at, start + at + 1, begin + at, begin + at + 1) for at in range(end - start))
        return
    paths = [one.path for one in first[start:end]], [one.path for one in second[begin:stop]]
    for tag, *inner in _opcodes(*paths):
        one, two, three, four = inner
        if tag == "equal" and paths[0][one]:
            yield from (
                (start + one + at, start + one + at + 1, begin + three + at, begin + three + at + 1)
                for at in range(two - one)
            )
        else:
            yield start + one, start + two, begin + three, begin + four


def _change(
    first: Sequence[Section], second: Sequence[Section], part: tuple[int, ...], counted: Counter[str]
) -> SectionChange:
    start, end, begin, stop = part
    old, new = first[start:end], second[begin:stop]
    at = new[0].span.start if new else (second[begin].span.start if begin < len(second) else _end(second))
    return SectionChange(
        base="".join(one.text for one in old),
        text="".join(one.text for one in new),
        path=next((one.path for one in (*old, *new) if one.path), ()),
        base_keys=tuple(section_key(one.text) for one in old),
        base_paths=tuple(one.path for one in old),
        text_keys=tuple(section_key(one.text) for one in new),
        span=Span(at, new[-1].span.end if new else at),
        before=_neighbour(first[start - 1]) if start else None,
        after=_neighbour(first[end]) if end < len(first) else None,
        is_repeated=any(counted[section_key(one.text)] > 1 for one in old),
        said_before=min((counted[section_key(one.text)] for one in new), default=0),
    )


def _end(sections: Sequence[Section]) -> int:
    return sections[-1].span.end if sections else 0


def _neighbour(section: Section) -> BesideSection:
    return BesideSection(section_key(section.text), section.path)


def rebase(
    changes: Sequence[SectionChange],
    source: str,
    *,
    media_type: MediaType = MediaType.MARKDOWN,
    forced: Sequence[SectionChange] = (),
) -> Rebased:
    """Make changes in a new text of their source, each where what it replaced is unchanged.

    Where the source says what a change would make it say, nothing is left to do. What the source changed too waits, and
    the source's text stays. No character of the source is lost: ``source_text`` returns it.

    Args:
        changes: What was promoted, against the source as it was.
        source: What it says now.
        media_type: How it is marked up.
        forced: Changes that a person decided for: made in any case, where their section is now.
    """
    work = _RebaseWork(source, media_type)
    placed = [*[work.force(one) for one in forced], *(work.place(one) for one in changes)]
    text, kept = work.written()
    return Rebased(text=text, kept=kept, placed=tuple(placed))


Name = TypeVar("Name", bound="Hashable")


def _places(names: Sequence[Name]) -> dict[Name, list[int]]:
    found: dict[Name, list[int]] = {}
    for at, one in enumerate(names):
        found.setdefault(one, []).append(at)
    return found


_MOST_ALIKE = 32
"""Among more sections that say the same, neighbours do not show which one is meant: a person is asked."""


class _RebaseWork:
    """A source's text while changes are made in it."""

    def __init__(self, source: str, media_type: MediaType) -> None:
        self._source, self._gap = source, gap_of(source)
        self._sections = read_sections(source, media_type=media_type)
        self._keys = [section_key(one.text) for one in self._sections]
        self._by_key, self._by_path = _places(self._keys), _places([one.path for one in self._sections])
        self._replaced: dict[int, tuple[int, SectionChange]] = {}
        self._inserted: dict[int, list[SectionChange]] = {}
        self._taken: set[int] = set()

    def place(self, change: SectionChange) -> PlacedChange:
        """Make a change where that can be done without asking, and say what became of it."""
        base = self._untouched(change)
        if base is not None and self._taken.isdisjoint(base):
            self._replace(base, change)
            return self._told(change, ChangeFate.HELD, base)
        if base is None and self._says(change):
            return self._told(change, ChangeFate.IN_SOURCE, next(iter(self._runs(change.text_keys)), None))
        if not change.base_keys and (at := self._between(change)) is not None:
            self._inserted.setdefault(at, []).append(change)
            return self._told(change, ChangeFate.HELD, range(at, at))
        return self._told(change, ChangeFate.WAITING, self._counterpart(change))

    def force(self, change: SectionChange) -> PlacedChange:
        """Make a change where its section is now, even if its text changed; at the end if it is gone."""
        found = self._untouched(change) or self._counterpart(change)
        if found is not None:
            self._replace(found, change)
            return self._told(change, ChangeFate.HELD, found)
        at = self._between(change)
        at = len(self._sections) if at is None else at
        if change.text_keys:
            self._inserted.setdefault(at, []).append(change)
        return self._told(change, ChangeFate.HELD, range(at, at))

    def written(self) -> tuple[str, tuple[KeptStretch, ...]]:
        """Return the text, and where it says something else than the source."""
        text, kept = "", list[KeptStretch]()
        for piece, said in self._pieces():
            if piece != said:
                kept.append(KeptStretch(span=Span(len(text), len(text) + len(piece)), source=said))
            text += piece
        return text, tuple(kept)

    def _pieces(self) -> Iterator[tuple[str, str]]:
        """Yield the text piece by piece, each with what the source says there."""
        index, last = 0, ""
        while index <= len(self._sections):
            for change in self._inserted.get(index, ()):
                piece = gap_behind(last, self._gap) + self._fitted(
                    change.text, "", is_last=index == len(self._sections)
                )
                yield piece, ""
                last = piece
            if index == len(self._sections):
                return
            end, change = self._replaced.get(index, (index + 1, None))
            said = "".join(one.text for one in self._sections[index:end])
            if change is None:
                last = said
            elif change.text_keys:
                last = self._fitted(change.text, said[len(said.rstrip()) :], is_last=end == len(self._sections))
            yield (last if change is None or change.text_keys else ""), said
            index = end

    def _replace(self, where: range, change: SectionChange) -> None:
        self._replaced[where.start] = (where.stop, change)
        self._taken.update(where)

    def _told(self, change: SectionChange, fate: ChangeFate, where: range | None) -> PlacedChange:
        span = None
        if where is not None and len(where):
            span = Span(self._sections[where.start].span.start, self._sections[where.stop - 1].span.end)
        return PlacedChange(change=change, fate=fate, span=span)

    def _untouched(self, change: SectionChange) -> range | None:
        """Find what a change replaced, as it was: where it is unique, else by its titles, else by what is beside it."""
        found = self._runs(change.base_keys)
        if len(found) == 1 and not change.is_repeated:
            return found[0]
        same = [one for one in found if self._paths(one) == change.base_paths and any(change.base_paths)]
        beside = [one for one in same or found if self._is_beside(one, change)]
        return same[0] if len(same) == 1 else beside[0] if len(beside) == 1 else None

    def _is_beside(self, where: range, change: SectionChange) -> bool:
        before = self._keys[where.start - 1] if where.start else None
        after = self._keys[where.stop] if where.stop < len(self._keys) else None
        return (before, after) == tuple(one.key if one else None for one in (change.before, change.after))

    def _says(self, change: SectionChange) -> bool:
        """Return whether the source says by itself what a change would make it say."""
        if change.text_keys:
            return len(self._runs(change.text_keys)) > change.said_before
        return self._counterpart(change) is None

    def _runs(self, keys: Sequence[str]) -> list[range]:
        """Return where sections follow one another."""
        wanted, many = list(keys), len(keys)
        begin = self._by_key.get(wanted[0], []) if wanted else []
        if len(begin) > _MOST_ALIKE:
            return []
        return [range(at, at + many) for at in begin if self._keys[at : at + many] == wanted]

    def _paths(self, where: range) -> tuple[tuple[str, ...], ...]:
        return tuple(one.path for one in self._sections[where.start : where.stop])

    def _counterpart(self, change: SectionChange) -> range | None:
        """Find what is now where a change replaced something: by its titles, else between what was beside it."""
        if not change.base_keys:
            return None
        first, last = (
            self._by_path.get(one, []) if one else [] for one in (change.base_paths[0], change.base_paths[-1])
        )
        if len(first) == len(last) == 1 and first[0] <= last[0]:
            return range(first[0], last[0] + 1)
        before, after = self._place_of(change.before), self._place_of(change.after)
        if (change.before is not None and before is None) or (change.after is not None and after is None):
            return None
        start = 0 if before is None else before + 1
        stop = len(self._sections) if after is None else after
        return range(start, stop) if start < stop and stop - start <= len(change.base_keys) + 1 else None

    def _between(self, change: SectionChange) -> int | None:
        """Find where a section belongs that was put in: behind the one before it, else before the one behind it."""
        before, after = self._place_of(change.before), self._place_of(change.after)
        if before is not None:
            return before + 1
        if after is not None:
            return after
        return len(self._sections) if change.before is None and change.after is None else None

    def _place_of(self, neighbour: BesideSection | None) -> int | None:
        """Find a section by what it says, else by its titles."""
        if neighbour is None:
            return None
        places = self._by_key.get(neighbour.key, ())
        if len(places) != 1 and neighbour.path:
            places = self._by_path.get(neighbour.path, ())
        return places[0] if len(places) == 1 else None

    def _fitted(self, text: str, own: str, *, is_last: bool) -> str:
        """Return a text with the source's line ends, and with the white space that follows it there."""
        gap, plain = self._gap, text.rstrip()
        if gap.startswith("\r"):
            plain = plain.replace("\r\n", "\n").replace("\n", "\r\n")
        elif "\r\n" not in self._source:
            plain = plain.replace("\r\n", "\n")
        return plain + own if own else plain + (gap[: len(gap) // 2] if is_last else gap)


def without(text: str, kept: Sequence[KeptStretch], taken: Iterable[Span]) -> tuple[str, tuple[KeptStretch, ...]]:
    """Return a text in which some stretches say again what the source says, and what it still keeps."""
    gone = set(taken)
    written, left, place = "", list[KeptStretch](), 0
    for one in kept:
        written += text[place : one.span.start]
        said = one.source if one.span in gone else one.span.of(text)
        if one.span not in gone:
            left.append(KeptStretch(span=Span(len(written), len(written) + len(said)), source=one.source))
        written += said
        place = one.span.end
    return written + text[place:], tuple(left)


def stretches(source: str, text: str, *, media_type: MediaType = MediaType.MARKDOWN) -> tuple[KeptStretch, ...]:
    r"""Return where a text says something else than its source, and what the source says there.

    >>> [(one.span.of("# A\n\nNew.\n"), one.source) for one in stretches("# A\n\nOld.\n", "# A\n\nNew.\n")]
    [('# A\n\nNew.\n', '# A\n\nOld.\n')]
    """
    return tuple(_stretches(source, text, media_type))


def _stretches(source: str, text: str, media_type: MediaType) -> Iterator[KeptStretch]:
    first = read_sections(source, media_type=media_type)
    second = read_sections(text, media_type=media_type)
    for tag, *ends in _opcodes([one.text for one in first], [one.text for one in second]):
        if tag == "equal":
            continue
        for start, end, begin, stop in _parts(first, second, ends):
            at = second[begin].span.start if begin < len(second) else _end(second)
            span = Span(at, second[stop - 1].span.end if stop > begin else at)
            yield KeptStretch(span=span, source="".join(one.text for one in first[start:end]))
