"""Filters: which items a question is put to, where in documents it looks, and what is to be forgotten."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TypeAlias

from evolore.domain.checks import check_name, check_time
from evolore.domain.metadata import Metadata, MetadataValue, checked_tags
from evolore.domain.outline import OutlineCode
from evolore.errors import InvalidOutlineCode, InvalidValue

MAX_FOLDER_CHARACTERS = 4096
EVERYTHING = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What items must have in common; an item matches when everything that is named holds.

    A passage has the metadata, tags and source of its document, and neither session nor speaker; a statement has
    neither source nor path.
    """

    where: Mapping[str, MetadataValue] = field(default_factory=Metadata)  #: Metadata it has, with exactly these values.
    tags: tuple[str, ...] = ()  #: Tags it has, all of them.
    session: str | None = None  #: The conversation it belongs to.
    speaker: str | None = None  #: Who said it.
    source: str | None = None  #: The source of its document, or a folder above it.
    #: Where it is in its document: at or below a code, which needs a source; or below these headings, which follow
    #: each other among those above it, the title of its document counting as the first.
    path: OutlinePath | None = None
    #: The earliest moment it happened or, where that is unknown, was recorded; with a zone.
    since: datetime | None = None
    until: datetime | None = None  #: The moment before which it did; with a zone, later than ``since``.

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", Metadata(self.where))
        object.__setattr__(self, "tags", checked_tags(self.tags))
        check_name(self.session, "session")
        check_name(self.speaker, "speaker")
        check_name(self.source, "source", most=MAX_FOLDER_CHARACTERS)
        self._check_path()
        check_time(since=self.since, until=self.until)
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidValue(
                f"since is {self.since.isoformat()} and until is {self.until.isoformat()}: "
                "use an until that is later than since."
            )

    @property
    def is_empty(self) -> bool:
        """Whether everything matches."""
        return not (self.asks_for_names or self.since or self.until)

    @property
    def asks_for_labels(self) -> bool:
        """Whether it asks for metadata or tags."""
        return bool(self.where or self.tags)

    @property
    def asks_for_names(self) -> bool:
        """Whether it asks for anything but a time."""
        named = (self.session, self.speaker, self.source, self.path)
        return self.asks_for_labels or any(name is not None for name in named)

    def _check_path(self) -> None:
        if self.path is None:
            return
        object.__setattr__(self, "path", read_path(self.path))
        if isinstance(self.path, OutlineCode) and self.source is None:
            raise InvalidValue(
                f"path is the code {self.path}, which every document has its own of: name the document with source, "
                "or use headings."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be forgotten: exactly one of its parts.

    Raises:
        InvalidValue: Not exactly one of them is named.
    """

    item_id: str | None = None  #: The document or statement with this id.
    item_ids: tuple[str, ...] = ()  #: The documents and statements with these ids, whole ones; all of them, or nothing.
    document: str | None = None  #: The document with this id, source or path.
    session: str | None = None  #: The statements of this conversation.
    #: All that is this speaker's: statements by or, by an explicit key, about the speaker, and what the principal of
    #: this name asked, was answered and rated.
    speaker: str | None = None
    #: All that is this principal's: statements that were remembered on their behalf or, by an explicit key, are about
    #: them, and what they asked, were answered and rated.
    principal: str | None = None
    #: The statements that match and, where it asks for metadata or tags, the documents that do.
    filter: Filter = field(default_factory=Filter)
    everything: bool = False  #: All of the namespace.

    def __post_init__(self) -> None:
        names = self._named()
        choice = (
            "an id, a document, a session, a speaker, a principal, a filter (where, tags, since, until) or everything"
        )
        if not names:
            raise InvalidValue(f"Nothing was named to forget: name exactly one of {choice}.")
        if len(names) > 1:
            raise InvalidValue(f"{' and '.join(names)} were named to forget: name exactly one of {choice}.")
        check_name(self.session, "session")
        check_name(self.speaker, "speaker")
        check_name(self.principal, "principal")
        if self.filter.path is not None:
            raise InvalidValue("A part of a document cannot be forgotten: name the whole document.")

    @property
    def by(self) -> str:
        """Which of its parts is named."""
        return self._named()[0]

    @property
    def person(self) -> str | None:
        """The speaker or principal all of whose things it names; None where it names something else."""
        return self.principal if self.speaker is None else self.speaker

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids it names; none where it names a set by what its items have in common."""
        return self.item_ids if self.item_id is None else (self.item_id,)

    @property
    def matching(self) -> Filter:
        """The filter that its items match; an empty one where it is no filter or session."""
        return self.filter if self.by == "filter" else Filter(session=self.session)

    def _named(self) -> list[str]:
        parts = {
            "id": self.item_id is not None,
            "ids": bool(self.item_ids),
            "document": self.document is not None,
            "session": self.session is not None,
            "speaker": self.speaker is not None,
            "principal": self.principal is not None,
            "filter": not self.filter.is_empty,
            EVERYTHING: self.everything,
        }
        return [name for name, is_named in parts.items() if is_named]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpiryRule:
    """Which statements to erase because they are over: those that meet every condition.

    Raises:
        InvalidValue: It has no condition, the days are not above 0, or questions are not bounded by days alone.
    """

    older_than_days: float | None = None  #: Those of before so many days ago, above 0.
    tag: str | None = None  #: Those with this tag.
    session: str | None = None  #: Those of this conversation.
    questions: bool = False  #: Whether questions of before then go too.

    def __post_init__(self) -> None:
        days = self.older_than_days
        if days is not None and not 0 < days <= _MOST_DAYS:
            raise InvalidValue(f"older_than_days is {days!r}: use more than 0, and at most {_MOST_DAYS:,}.")
        check_name(self.session, "session")
        if self.tag is not None:
            checked_tags((self.tag,))
        if self.older_than_days is None and self.tag is None and self.session is None:
            raise InvalidValue("No rule says what is over: set older_than_days, a tag or a session.")
        if self.questions and (self.older_than_days is None or self.tag is not None or self.session is not None):
            raise InvalidValue(
                "Questions have neither tag nor session: let them go by older_than_days alone, in a call of its own."
            )

    def cutoff(self, at: datetime) -> datetime | None:
        """Return the moment before which things are too old; None where age is no matter."""
        return None if self.older_than_days is None else at - timedelta(days=self.older_than_days)

    def filter(self, at: datetime) -> Filter:
        """Return what statements are to match."""
        tags = () if self.tag is None else (self.tag,)
        return Filter(tags=tags, session=self.session, until=self.cutoff(at))


_MOST_DAYS = 1_000_000


OutlinePath: TypeAlias = OutlineCode | tuple[str, ...]
"""A place of one document's outline, or headings, each below the one before."""

MAX_HEADINGS = 20
MAX_HEADING_CHARACTERS = 4096
_PAGE = re.compile(r" \((?:p\.|slide) \d+\)\Z")
_BETWEEN = re.compile(r"(?:^|(?<!\s)\s+)[›>](?:\s+|$)")


def read_path(given: str | OutlineCode | Sequence[str]) -> OutlinePath:
    """Read a path as it is written: a code, or headings with `` › `` or `` > `` between them.

    What is a code is read as one; a heading that looks like a code is written with a sign before it, or given in a
    tuple.

    Raises:
        InvalidValue: It names nothing, or a heading is blank or too long.

    >>> read_path("1.2")
    OutlineCode(parts=(1, 2))
    >>> read_path("Handbook › Going live")
    ('Handbook', 'Going live')
    >>> read_path("> 2024")
    ('2024',)
    """
    if isinstance(given, OutlineCode):
        return given
    if not isinstance(given, str):
        return checked_headings(given)
    try:
        return OutlineCode.parse(given.strip())
    except InvalidOutlineCode:
        return checked_headings([part.strip() for part in _BETWEEN.split(given) if part.strip()])


def breadcrumb(title: str | None, headings: Sequence[str]) -> tuple[str, ...]:
    """Return what leads to a place, outermost first: the title, and the headings; a first one that the title says is left out.

    >>> breadcrumb("Larkfield: staff handbook", ("Staff handbook", "Money"))
    ('Larkfield: staff handbook', 'Money')
    >>> breadcrumb("Pump manual", ("Pump manual (p. 1)", "Faults (p. 2)"))
    ('Pump manual (p. 1)', 'Faults (p. 2)')
    """
    is_said = bool(headings) and _written_plainly(_PAGE.sub("", headings[0])) == _written_plainly(title or "")
    shown = [title] if title and not (is_said and _PAGE.search(headings[0])) else []
    rest = headings[1:] if title and headings and _ends_with(title, headings[0]) else headings
    return tuple(" ".join(part.split()) for part in (*shown, *rest))


def lies_below(path: Sequence[str], title: str | None, headings: Sequence[str]) -> bool:
    """Return whether these headings follow each other among a title and those below it, or in what ``breadcrumb`` shows of them.

    Of letters that differ in width only, and of blanks, any will do.
    """
    wanted = [_written_plainly(part) for part in path]
    return any(
        _holds_run([_written_plainly(part) for part in whole], wanted)
        for whole in ((title or "", *headings), breadcrumb(title, headings))
    )


def _holds_run(whole: Sequence[str], run: Sequence[str]) -> bool:
    return any(whole[start : start + len(run)] == run for start in range(len(whole) - len(run) + 1))


@lru_cache(maxsize=1 << 14)
def _written_plainly(heading: str) -> str:
    return " ".join((heading if heading.isascii() else unicodedata.normalize("NFKC", heading)).split())


def _ends_with(title: str, heading: str) -> bool:
    """Return whether a title says a heading, alone or last, behind the end of a word."""
    whole, end = _written_plainly(title).casefold(), _written_plainly(heading).casefold()
    before = whole[: -len(end)] if end and whole.endswith(end) else None
    return before is not None and not before[-1:].isalnum()


def checked_headings(given: Sequence[str]) -> tuple[str, ...]:
    """Check headings.

    Raises:
        InvalidValue: There is none or too many, or one is blank or too long.
    """
    headings = tuple(given)
    if not 1 <= len(headings) <= MAX_HEADINGS:
        raise InvalidValue(
            f"path names {len(headings)} headings: use 1 to {MAX_HEADINGS}, such as ('Handbook', 'Going live'), "
            'or an outline code such as "1.2".'
        )
    for heading in headings:
        check_name(heading, "A heading in path", most=MAX_HEADING_CHARACTERS)
    return headings
