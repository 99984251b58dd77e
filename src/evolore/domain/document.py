"""Documents: where a text lies in them, how they were cut, and walking up, down and sideways in their outlines."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from enum import IntEnum, StrEnum
from statistics import median
from typing import TYPE_CHECKING, Final, Self

from evolore.domain.language import Language
from evolore.domain.metadata import MAX_NAMES, Metadata, MetadataValue
from evolore.domain.outline import OutlineCode
from evolore.domain.result import Result
from evolore.domain.times import read_moment
from evolore.errors import InvalidValue, NotFound

if TYPE_CHECKING:
    from evolore.domain.review import ReviewItem  # it has spans and tiers itself


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text, in characters (code points), half open."""

    start: int  #: First character, from 0.
    end: int  #: One past the last character; at least ``start``.

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise InvalidValue(f"[{self.start}, {self.end}) is not a span: use 0 <= start <= end.")

    def __len__(self) -> int:
        return self.end - self.start

    def of(self, text: str) -> str:
        """Cut the span out of its text."""
        return text[self.start : self.end]

    def contains(self, other: Span) -> bool:
        """Return whether ``other`` lies wholly inside."""
        return self.start <= other.start and other.end <= self.end


class Tier(IntEnum):
    """Which step of the chunker cut a chunk; higher tiers cost more and the last always succeeds."""

    CODE_LENGTH = 1
    REWRITE = 2
    PERPLEXITY = 3
    HARD_SPLIT = 4


class AttemptOutcome(StrEnum):
    """The outcome of trying a tier."""

    FOUND = "found"
    NO_BOUNDARY = "no_boundary"
    NO_MODEL = "no_model"
    OUT_OF_BUDGET = "out_of_budget"
    TOO_LONG = "too_long"
    NOT_PROSE = "not_prose"
    NOT_OFFERED = "not_offered"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    UNUSABLE_REPLY = "unusable_reply"
    WRONG_LANGUAGE = "wrong_language"
    OTHER_TEXT = "other_text"


@dataclass(frozen=True, slots=True)
class Attempt:
    """A tier that was tried on a chunk, and the outcome."""

    tier: Tier
    outcome: AttemptOutcome


class BoundaryReason(StrEnum):
    """Why a chunk begins where it does."""

    START = "start"
    HEADING = "heading"
    GAIN = "gain"
    LENGTH = "length"
    NORMALISED = "normalised"
    REWRITTEN = "rewritten"
    NGRAMS = "ngrams"
    LOG_PROBS = "log_probs"
    GAP = "gap"
    INSIDE_WORD = "inside_word"


class MediaType(StrEnum):
    """How a document's text is marked up."""

    PLAIN = "text/plain"
    MARKDOWN = "text/markdown"


_MARKDOWN = (".md", ".markdown")


def media_type_of(source: str) -> MediaType:
    """Return how a text is marked up by the ending of its source's name: Markdown or plain.

    >>> [media_type_of(name).value for name in ("returns.md", "returns", "a.md/b.txt")]
    ['text/markdown', 'text/plain', 'text/plain']
    """
    return MediaType.MARKDOWN if source.lower().endswith(_MARKDOWN) else MediaType.PLAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """One node of a document's outline: a leaf that is recalled, or an inner node that holds leaves."""

    outline: OutlineCode  #: Its place; codes of one document are unique.
    span: Span  #: Where it lies in the document's text.
    #: The headings above it, outermost first; its own heading last when it begins with one.
    heading_path: tuple[str, ...] = ()
    tier: Tier = Tier.CODE_LENGTH  #: The step that set its left boundary.
    #: How many bits cutting at its left boundary saves over continuing the chunk before it; None where nothing was
    #: weighed: a first chunk, a heading, a hard split.
    gain_bits: float | None = None
    is_leaf: bool = True  #: Whether it has no children.
    reason: BoundaryReason = BoundaryReason.START  #: Why it begins where it does.
    #: The tiers that were tried on the stretch it was cut from, in order; empty where tier 1 was enough.
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkTree:
    """A document cut into chunks, and what a person should look at.

    Raises:
        InvalidValue: The leaves leave a gap, overlap, or two nodes share a code.
    """

    #: Every node in outline order (a parent before its children). The leaves, joined, are the document: the first
    #: starts at 0, each next where the one before ended, the last ends where the text does.
    chunks: tuple[Chunk, ...]
    review_items: tuple[ReviewItem, ...] = ()  #: What could not be cut well, in text order.
    title: str = ""  #: The highest of the headings it begins with, the first of several.

    def __post_init__(self) -> None:
        end = 0
        for leaf in self.leaves:
            if leaf.span.start != end:
                raise InvalidValue(
                    f"Chunk {leaf.outline} starts at {leaf.span.start}, the one before ends at {end}: "
                    "the leaves, joined, must be the document."
                )
            end = leaf.span.end
        if len({chunk.outline for chunk in self.chunks}) != len(self.chunks):
            raise InvalidValue("Two chunks share one outline code: number them again.")

    @property
    def leaves(self) -> tuple[Chunk, ...]:
        """The chunks that are recalled, in text order."""
        return tuple(chunk for chunk in self.chunks if chunk.is_leaf)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreePart:
    """A part of a document that is too long to be held, cut into chunks."""

    text: str  #: The part's text.
    start: int  #: How many characters of the document come before it.
    tree: ChunkTree  #: Its chunks. Their spans are in ``text``; their outline codes and headings are the document's.


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Result):
    """A document that was added."""

    id: str  #: Time-ordered, unique in its namespace.
    source: str  #: Where it came from: a path, or the name it was given.
    title: str  #: Its first heading, or the end of its source.
    media_type: MediaType  #: How its text is marked up.
    language: Language  #: The language most of it is in.
    characters: int  #: Length of its text in characters.
    content_sha256: str  #: Hash of its text in UTF-8, in hex.
    version: int  #: Counts its contents from 1.
    recorded_at: datetime  #: When this version was taken in.
    chunk_count: int  #: How many nodes its outline has.
    episode_count: int  #: How many of them are leaves.
    #: What it is filed under: names with a text, a number or a bool.
    metadata: Metadata = field(default_factory=Metadata)
    tags: tuple[str, ...] = ()  #: What it is filed under besides, sorted.
    #: Hash of the text that its source said last, in hex: another than ``content_sha256`` where a change was taken over
    #: since; None where it has no source of its own.
    source_sha256: str | None = field(default=None, compare=False)
    is_file: bool = field(default=False, compare=False)  #: Whether it was read from the file that ``source`` names.


BEGINNING = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineNode:
    """One chunk of a document's outline."""

    chunk: Chunk  #: Its place, span and boundary.
    episode_id: str | None  #: The episode that recalls it; None for an inner node.
    beginning: str  #: Its first words, at most 60 characters.

    @property
    def code(self) -> OutlineCode:
        """Its place in the outline."""
        return self.chunk.outline


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafSizes:
    """Lengths of a document's leaves in characters; all 0 without leaves."""

    count: int
    smallest: int
    median: float
    largest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTree(Result):
    """A document and its outline.

    Finding a node takes time in the logarithm of their number; what is around it, in proportion to what is found.
    """

    document: Document  #: The document, at its present version.
    nodes: tuple[OutlineNode, ...]  #: In outline order: a parent before its children.
    text: str | None = None  #: Its whole text, where it was asked for.

    def node(self, code: OutlineCode | str) -> OutlineNode:
        """Return the node at a code.

        Raises:
            NotFound: There is none.
            InvalidOutlineCode: A text is no code.
        """
        wanted = OutlineCode.parse(code) if isinstance(code, str) else code
        place = self._index(wanted)
        if place == len(self.nodes) or self.nodes[place].code != wanted:
            raise NotFound(
                f"{self.document.title!r} has no chunk {wanted}: `evolore outline tree {self.document.id}` shows its outline."
            )
        return self.nodes[place]

    def place(self, code: OutlineCode | str) -> Place:
        """Return a node with what is around it.

        Raises:
            NotFound: There is none at this code.
            InvalidOutlineCode: A text is no code.
        """
        return Place(tree=self, node=self.node(code))

    def below(self, code: OutlineCode | None = None) -> tuple[OutlineNode, ...]:
        """Return every node below a code, or all of them, in outline order."""
        if code is None:
            return self.nodes
        after = OutlineCode((*code.parts[:-1], code.number + 1))
        return tuple(one for one in self.nodes[self._index(code) : self._index(after)] if one.code != code)

    def children(self, code: OutlineCode | None = None) -> tuple[OutlineNode, ...]:
        """Return the nodes right below a code, or at the top, in outline order."""
        depth = 1 if code is None else code.depth + 1
        return tuple(one for one in self.below(code) if one.code.depth == depth)

    @property
    def depths(self) -> Mapping[int, int]:
        """How many nodes there are at each depth, from 1 down."""
        counted = Counter(one.code.depth for one in self.nodes)
        return {depth: counted[depth] for depth in range(1, max(counted, default=0) + 1)}

    @property
    def leaf_sizes(self) -> LeafSizes:
        """How long its leaves are."""
        sizes = [len(one.chunk.span) for one in self.nodes if one.chunk.is_leaf] or [0]
        count = sum(one.chunk.is_leaf for one in self.nodes)
        return LeafSizes(count=count, smallest=min(sizes), median=median(sizes), largest=max(sizes))

    def _index(self, code: OutlineCode) -> int:
        return bisect_left(self.nodes, code, key=lambda one: one.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Result):
    """A node of an outline, and what is around it."""

    tree: DocumentTree  #: The whole outline.
    node: OutlineNode  #: The node.

    @property
    def parent(self) -> OutlineNode | None:
        """The node right above it; None at the top."""
        above = self.node.code.parent
        return None if above is None else self.tree.node(above)

    @property
    def ancestors(self) -> tuple[OutlineNode, ...]:
        """Every node above it, outermost first."""
        return tuple(self.tree.node(code) for code in self.node.code.ancestors)

    @property
    def children(self) -> tuple[OutlineNode, ...]:
        """The nodes right below it, in outline order; none below a leaf."""
        return self.tree.children(self.node.code)

    @property
    def siblings(self) -> tuple[OutlineNode, ...]:
        """The nodes that have the same parent, in outline order, without itself."""
        return tuple(one for one in self.tree.children(self.node.code.parent) if one.code != self.node.code)


_OWNER: Final = ("owner", "docowner", "documentowner", "maintainer", "responsible")
_VERIFY_BY: Final = ("verifyby", "reviewby", "verifyuntil", "nextreview", "nextreviewdate", "reviewdue")
_LAST: Final = ("lastverified", "lastreviewed", "lastreview", "verifiedon", "verifiedat", "reviewedon", "reviewedat")
_BY: Final = ("verifiedby", "reviewedby")
"""Under what each is stated, the first that is there; case, ``-``, ``_`` and blanks do not count."""
_BETWEEN: Final = re.compile(r"[\s_-]")
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Who answers for a document, and how current it is."""

    owner: str | None = None  #: Who answers for it; None if unknown.
    verify_by: date | None = None  #: The last day on which it counts as verified; None for no such day.
    last_verified: date | None = None  #: When somebody verified it last; None if unknown.
    verified_by: str | None = None  #: Who did; None if unknown.

    @classmethod
    def of(cls, stated: Mapping[str, MetadataValue]) -> Self:
        """Read it from metadata or front matter; what is no date is left out.

        >>> Upkeep.of({"Owner": "mika", "review-by": "2026-12-31"}).verify_by
        datetime.date(2026, 12, 31)
        """
        if not stated:
            return cls()
        known = {_BETWEEN.sub("", name.casefold()): str(value).strip() for name, value in stated.items()}
        owner, by = (next(filter(None, map(known.get, names)), "")[:_LONGEST].strip() for names in (_OWNER, _BY))
        days = ((_day(known[one]) for one in names if one in known) for names in (_VERIFY_BY, _LAST))
        verify_by, last = (next(filter(None, some), None) for some in days)
        return cls(owner=owner or None, verify_by=verify_by, last_verified=last, verified_by=by or None)

    def is_overdue(self, today: date) -> bool:
        """Return whether its day is over, and nobody verified it on that day or later."""
        if self.verify_by is None or self.verify_by >= today:
            return False
        return self.last_verified is None or self.last_verified < self.verify_by

    def filed(self) -> dict[str, MetadataValue]:
        """Return it as metadata, what is known of it."""
        days = {"verify_by": self.verify_by, "last_verified": self.last_verified}
        texts = {"owner": self.owner, "verified_by": self.verified_by}
        return {
            **{name: one.isoformat() for name, one in days.items() if one},
            **{n: one for n, one in texts.items() if one},
        }


def unread_day(stated: Mapping[str, MetadataValue]) -> str:
    """Return the day to verify by that is stated and cannot be read; empty for none."""
    found = (str(value) for name, value in stated.items() if _BETWEEN.sub("", name.casefold()) in _VERIFY_BY)
    return next((one[:_LONGEST] for one in found if one.strip() and _day(one) is None), "")


def _day(written: str) -> date | None:
    try:
        moment = read_moment(written, "date")
    except InvalidValue:
        return None
    return moment and moment.date()


def with_upkeep(
    given: Mapping[str, MetadataValue] | None, front: Mapping[str, MetadataValue], known: Mapping[str, MetadataValue]
) -> Mapping[str, MetadataValue] | None:
    """Return the metadata of a document that is added, with what its front matter states of its upkeep.

    A verification that is newer than what its source states stays, with its day if that is later.

    Args:
        given: Its metadata; it decides over front matter. None for what the store knows.
        front: What its front matter states.
        known: What the store has of it.
    """
    if given is not None and not given:
        known = {}
    kept, stated, own = Upkeep.of(known), Upkeep.of(front), Upkeep.of(given or {})
    found = replace(
        own,
        owner=own.owner or stated.owner,
        verify_by=own.verify_by or stated.verify_by,
        last_verified=own.last_verified or stated.last_verified,
        verified_by=own.verified_by or stated.verified_by,
    )
    if kept.last_verified and (found.last_verified is None or kept.last_verified > found.last_verified):
        days = [one for one in (found.verify_by, kept.verify_by) if one]
        found = replace(
            found, verify_by=max(days, default=None), last_verified=kept.last_verified, verified_by=kept.verified_by
        )
    base = known if given is None else given
    merged = {**base, **{name: one for name, one in found.filed().items() if Upkeep.of(base).filed().get(name) != one}}
    return given if merged == dict(base) or len(merged) > MAX_NAMES else merged
