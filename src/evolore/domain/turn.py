"""Messages and memories of another system's export, and the result of moving them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from evolore.domain.metadata import MetadataValue
from evolore.domain.result import Result


class ChatExport(StrEnum):
    """Where an export of conversations or memories comes from."""

    JSONL = "jsonl"
    MEM0 = "mem0"
    LANGGRAPH = "langgraph"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    SLACK = "slack"
    MBOX = "mbox"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message or memory of an export."""

    id: str  #: What the export calls it, unique in it.
    session: str  #: The conversation, unique in the export.
    text: str  #: What was said; not blank.
    speaker: str | None = None  #: Who said it; None if not named.
    occurred_at: datetime | None = None  #: When; None if unstated.
    title: str = ""  #: What the conversation is called; empty for nothing.
    tags: tuple[str, ...] = ()  #: What it was filed under.
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict[str, MetadataValue])  #: What else is kept.


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """What of an export could not be read."""

    place: str  #: Where it is, such as ``line 3`` or a file and a message.
    reason: str  #: Why.


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedIn(Result):
    """The outcome of moving an export in."""

    statements: int = 0  #: How many statements were remembered, or would be.
    known: int = 0  #: How many had been moved in before.
    sessions: int = 0  #: In how many conversations they are.
    unread: tuple[Unread, ...] = field(default=())  #: What could not be read, in its order.
    is_dry_run: bool = False  #: Whether nothing was written.
