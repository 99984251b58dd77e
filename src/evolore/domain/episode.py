"""Episodes, the statements some come from, and the edges between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from evolore.domain.checks import check_name, check_share, check_text, check_time, checked_word
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.domain.metadata import Metadata, MetadataValue, checked_tags
from evolore.domain.outline import OutlineCode
from evolore.domain.result import Result
from evolore.domain.times import Moment, read_moment
from evolore.errors import InvalidValue

INITIAL_CONFIDENCE = 0.5
MAX_STATEMENT_CHARACTERS = 1_000_000
"""A longer text is a document: it has one vector here, made in some 10 s, and a hit brings back the whole of it."""

_ABOUT_PARTS = 2


class EpisodeKind(StrEnum):
    """What an episode was made from."""

    CHUNK = "chunk"
    STATEMENT = "statement"


class StatementKind(StrEnum):
    """Kind of an input: a statement, or a procedure, that is steps for a goal."""

    STATEMENT = "statement"
    PROCEDURE = "procedure"


class ProcedureOutcome(StrEnum):
    """Result of following a procedure."""

    WORKED = "worked"
    FAILED = "failed"


class EpisodeState(StrEnum):
    """Whether an episode holds now."""

    ACTIVE = "active"
    CONFLICT_PENDING = "conflict_pending"
    SUPERSEDED = "superseded"
    REVOKED = "revoked"


class Deed(StrEnum):
    """What integration does with episodes."""

    MERGED = "merged"
    SPLIT = "split"
    SUPERSEDED = "superseded"
    LIKELY_SUPERSEDED = "likely_superseded"
    CONFLICT = "conflict"
    LINKED = "linked"
    RESTORED = "restored"


def check_about(about: object) -> None:
    """Refuse what is no pair of a subject and an attribute.

    Raises:
        InvalidValue: It is no pair, or one of the two is no name.
    """
    if not isinstance(about, tuple) or len(cast("tuple[object, ...]", about)) != _ABOUT_PARTS:
        raise InvalidValue(f'about is {about!r}: use a subject and an attribute, such as ("office", "city").')
    for part in cast("tuple[str, str]", about):
        check_text(part, "about")
        check_name(part, "about")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Something said or noted, as it is handed in to be remembered."""

    text: str  #: What was said; not blank, at most 1,000,000 characters.
    occurred_at: datetime | None = None  #: When, with a zone; a text in ISO 8601 becomes one.
    speaker: str | None = None  #: Who said it.
    session: str | None = None  #: The conversation it belongs to; its turns are neighbours in the order they are given.
    arousal: float | None = None  #: How strongly felt, 0–1.
    about: tuple[str, str] | None = None  #: The subject and attribute it states, such as ``("office", "city")``.
    #: What it is filed under: names with a text, a number or a bool.
    metadata: Mapping[str, MetadataValue] = field(default_factory=Metadata)
    tags: tuple[str, ...] = ()  #: What it is filed under besides, each once.
    #: ``"procedure"`` for steps; their goal is ``about``, else their first line.
    kind: StatementKind = StatementKind.STATEMENT
    outcome: ProcedureOutcome | None = None  #: How a procedure turned out this time: ``"worked"`` or ``"failed"``.

    if TYPE_CHECKING:
        # The fields say what is kept; what is taken is wider.
        def __init__(  # noqa: PLR0913 - each is a field
            self,
            *,
            text: str,
            occurred_at: Moment | None = None,
            speaker: str | None = None,
            session: str | None = None,
            arousal: float | None = None,
            about: tuple[str, str] | None = None,
            metadata: Mapping[str, MetadataValue] = ...,
            tags: tuple[str, ...] = (),
            kind: StatementKind | str = StatementKind.STATEMENT,
            outcome: ProcedureOutcome | str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        check_text(self.text, "text")
        if len(self.text) > MAX_STATEMENT_CHARACTERS:
            raise InvalidValue(
                f"text has {len(self.text):,} characters: a statement has at most {MAX_STATEMENT_CHARACTERS:,}; add it as a "
                "document, with add_text or `evolore add`, so that its passages are found one by one."
            )
        object.__setattr__(self, "occurred_at", read_moment(self.occurred_at, "occurred_at"))
        check_share(arousal=self.arousal)
        check_name(self.speaker, "speaker")
        check_name(self.session, "session")
        if self.about is not None:
            check_about(self.about)
        object.__setattr__(self, "metadata", Metadata(self.metadata))
        object.__setattr__(self, "tags", checked_tags(self.tags))
        object.__setattr__(self, "kind", checked_word(StatementKind, self.kind, "kind"))
        if self.outcome is not None:
            object.__setattr__(self, "outcome", checked_word(ProcedureOutcome, self.outcome, "outcome"))
        is_procedure = self.kind is StatementKind.PROCEDURE
        if self.outcome is not None and not is_procedure:
            raise InvalidValue(f"outcome is {self.outcome.value!r}, and this is no procedure: set kind to 'procedure'.")
        if self.session is not None and is_procedure:
            raise InvalidValue(f"session is {self.session!r}, and a procedure belongs to none: leave it out.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode(Result):
    """The unit of recall: a leaf chunk of a document, or a remembered statement."""

    id: str  #: Time-ordered, unique in its namespace.
    kind: EpisodeKind  #: What it was made from.
    text: str  #: What it says, exactly as in its source.
    language: Language  #: The language it is in.
    recorded_at: datetime  #: When it was taken in.
    #: When it happened or was said, where known; of a leaf, what its document was dated when it first held it.
    occurred_at: datetime | None = None
    valid_from: datetime | None = None  #: From when what it says holds, where known.
    valid_to: datetime | None = None  #: Until when, exclusive; None while it holds.
    #: Until when it represents itself, exclusive, counted as ``as_of`` is; None while it does. From then on another
    #: episode represents it, into which it was merged or split.
    stands_until: datetime | None = None
    #: Whether a merge or split made it out of statements that were remembered; they are its members.
    is_made: bool = False
    state: EpisodeState = EpisodeState.ACTIVE  #: Whether it holds now.
    confidence: float = INITIAL_CONFIDENCE  #: 0–1, for pruning and ties, never for ranking relevance.
    arousal: float | None = None  #: How strongly felt, 0–1; None if unstated.
    merge_count: int = 0  #: How many statements were merged into it.
    speaker: str | None = None  #: Who said it.
    session: str | None = None  #: The conversation it belongs to.
    position: int = 0  #: Its place in its session or document, from 0.
    about: tuple[str, str] | None = None  #: The subject and attribute it states.
    document_id: str | None = None  #: The document it is a leaf of.
    source: str | None = None  #: Where that document came from.
    title: str | None = None  #: What that document is called.
    outline: OutlineCode | None = None  #: Its place in that document.
    span: Span | None = None  #: Where it lies in that document's text.
    heading_path: tuple[str, ...] = ()  #: The headings above it, outermost first.
    metadata: Metadata = field(default_factory=Metadata)  #: What it is filed under; for a leaf, what its document is.
    tags: tuple[str, ...] = ()  #: Its tags, or those of a leaf's document; sorted.

    def __post_init__(self) -> None:
        check_share(confidence=self.confidence, arousal=self.arousal)
        check_time(
            recorded_at=self.recorded_at,
            occurred_at=self.occurred_at,
            valid_from=self.valid_from,
            valid_to=self.valid_to,
            stands_until=self.stands_until,
        )
        if self.merge_count < 0 or self.position < 0:
            raise InvalidValue(f"merge_count {self.merge_count} and position {self.position} count from 0.")

    @property
    def is_procedure(self) -> bool:
        """Return whether it is a procedure."""
        return self.about is not None and self.metadata.get("kind") == StatementKind.PROCEDURE.value

    @property
    def moment(self) -> datetime:
        """When it happened or, where that is unknown, was recorded."""
        return self.occurred_at or self.recorded_at

    @property
    def stands(self) -> bool:
        """Whether it represents itself now: no other episode represents it, and it was not taken back."""
        return self.stands_until is None and self.state is not EpisodeState.REVOKED


_OF_EPISODES = tuple(field.name for field in fields(Episode))


def values_of(one: Episode) -> dict[str, Any]:
    """Return what an episode is made of, by name: of those a value that holds more of it is made."""
    return {name: getattr(one, name) for name in _OF_EPISODES}


class EdgeKind(StrEnum):
    """Why two nodes of the graph are joined.

    ``MEMBER``: the source represents the target, a statement that was remembered. ``SUPERSEDES`` and ``LIKELY_SUPERSEDES``:
    the source, the later statement, takes the place of the target; a likely one changes no state. ``SEQUENCE`` and
    ``HIERARCHY`` follow from places in sessions and documents, and are never stored.
    """

    SEMANTIC = "semantic"
    SEQUENCE = "sequence"
    HIERARCHY = "hierarchy"
    BRANCH = "branch"
    MEMBER = "member"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    LIKELY_SUPERSEDES = "likely_supersedes"
    ECHO = "echo"
    QUERY_INSIGHT = "query_insight"
    QUERY_RETRIEVAL = "query_retrieval"
    QUERY_BYPASS = "query_bypass"

    @classmethod
    def _missing_(cls, value: object) -> EdgeKind | None:
        # The seed's older name, still met in exported data.
        return cls.QUERY_INSIGHT if value == "query_spike" else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """A typed, weighted arrow between two nodes."""

    source_id: str  #: Where it starts: an episode, or a query for the query kinds.
    target_id: str  #: The episode it ends at; another than ``source_id``.
    kind: EdgeKind  #: Why they are joined.
    weight: float = 1.0  #: 0–1.

    def __post_init__(self) -> None:
        check_share(weight=self.weight)
        if self.source_id == self.target_id:
            raise InvalidValue(f"An edge joins two nodes; {self.source_id!r} is on both ends.")
