"""Results of checking whether a store is whole, by its events and its tables, and of copying it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.result import Result

MAINTAINED_ITEMS = 1000
"""How many items maintenance checks at most, by default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainCheck:
    """What checking one namespace's events, and the texts they speak of, found."""

    namespace: str  #: Which namespace.
    events: int  #: How many events it has.
    #: The number of the first event that does not fit the chain, or is missing; None when all fit.
    broken_event: int | None
    texts: int  #: How many statements and versions of documents were compared with what their events say of them.
    erased: int  #: How many more were forgotten, so that nothing is left to compare.
    #: Statements and documents whose text is not the one that was written, or is gone without having been forgotten, by
    #: id; sorted.
    altered: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every event and every text is as it was written."""
        return self.broken_event is None and not self.altered


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification(Result):
    """What ``verify`` found."""

    chains: tuple[ChainCheck, ...]  #: One for each namespace that was checked, by name.

    @property
    def is_whole(self) -> bool:
        """Whether everything is as it was written."""
        return all(chain.is_whole for chain in self.chains)


class FindingKind(StrEnum):
    """What is wrong in a store."""

    UNREADABLE = "unreadable"
    SCHEMA = "schema"
    EMBEDDER = "embedder"
    EVENTS = "events"
    TEXT_LOST = "text_lost"
    TEXT_ALTERED = "text_altered"
    VALUES = "values"
    LEFTOVER = "leftover"
    ORPHAN = "orphan"
    COUNTS = "counts"
    POSITIONS = "positions"
    STANDING = "standing"
    MEMBERS = "members"
    HISTORY = "history"
    INDEX_LOG = "index_log"
    INDEX_FILE = "index_file"
    VECTORS = "vectors"
    TOKENS = "tokens"
    NAMES = "names"
    PERIODS = "periods"
    AROUSAL = "arousal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is wrong in a store."""

    kind: FindingKind  #: What kind of thing.
    reason: str  #: What is wrong, in one sentence.
    remedy: str  #: What to do about it, in one sentence.
    namespace: str | None = None  #: Where; None where it concerns the whole store.
    count: int = 1  #: How many rows it concerns.
    examples: tuple[str, ...] = ()  #: The first of their ids, up to five.
    can_be_repaired: bool = False  #: Whether ``doctor`` with ``repair`` mends it.
    is_repaired: bool = False  #: Whether it was mended just now.


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(Result):
    """What ``doctor`` found."""

    namespaces: tuple[str, ...]  #: Which namespaces were examined, by name.
    findings: tuple[Finding, ...]  #: What is wrong, or was before it was repaired.

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong, or nothing is any more."""
        return all(finding.is_repaired for finding in self.findings)


class AuditKind(StrEnum):
    """Why something should perhaps not be in a store."""

    SECRET = "secret"  # noqa: S105 - the name of a kind
    DUPLICATE = "duplicate"
    UNUSED = "unused"
    EXPIRED = "expired"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFinding:
    """Something that should perhaps not be in a store."""

    kind: AuditKind  #: Why.
    id: str  #: The statement, document, question or review item.
    reason: str  #: What was found, in one sentence without any secret.
    command: str  #: The command that mends it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Result):
    """What ``audit`` found."""

    texts: int  #: How many statements, and passages of all versions, were read.
    findings: tuple[AuditFinding, ...]  #: What was found, in the order of the kinds.


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied(Result):
    """A store that was copied to another place."""

    place: str  #: Where it lies now, without a password.
    rows: int  #: How many rows it has.
    bytes: int  #: How large it is there.
    sha256: str  #: The digest of all rows; a copy back has the same.


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard(Result):
    """One of the schemas over which a store is spread."""

    schema: str  #: Its name.
    node: str | None = None  #: The node of a Citus cluster that holds it; None without Citus, and before it is made.
    bytes: int = 0  #: How large it is; 0 before it is made.
    namespaces: int = 0  #: How many namespaces lie in it.


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedNamespace(Result):
    """A namespace that was moved to another schema."""

    namespace: str  #: Which.
    source: str  #: The schema it lay in.
    target: str  #: The schema it lies in now.
    rows: int  #: How many rows it has.
    sha256: str  #: The digest of all rows, equal in both schemas.
    lingering_in: tuple[str, ...]  #: Files that may still hold the rows that were deleted at the source.


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup(Result):
    """A copy of a store."""

    path: str  #: The folder it lies in: a store like any other.
    bytes: int  #: How large its database is.


@dataclass(frozen=True, slots=True, kw_only=True)
class UpgradeStep:
    """Something that an upgrade adds to a store."""

    table: str  #: Which table it adds to, or adds.
    adds: str  #: ``"table"``, ``"column"`` or ``"index"``.
    name: str  #: The name of what it adds.
    rows: int  #: How many rows the table has.


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade(Result):
    """What an upgrade did, or would do."""

    is_dry_run: bool  #: Whether nothing was changed.
    old_schema: str  #: The number of the schema that the store had.
    new_schema: str  #: The number of this version's.
    steps: tuple[UpgradeStep, ...]  #: What is added, in order; nothing where the store is up to date.
    needed_bytes: int  #: How much free disk it takes at most, with the backup.
    backup: Backup | None  #: The copy that was made first; None where none was.
