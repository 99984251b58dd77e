"""Messages and memories of another system's export, and the result of moving them in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message or memory of an export.

    Args:
        id: What the export calls it, unique in it.
        session: The conversation, unique in the export.
        text: What was said; not blank.
        speaker: Who said it; None where nobody is named.
        occurred_at: When; None where nobody says.
        title: What the conversation is called; empty for nothing.
        tags: What it was filed under.
    """

    id: str
    session: str
    text: str
    speaker: str | None = None
    occurred_at: datetime | None = None
    title: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """What of an export could not be read.

    Args:
        place: Where it stands, such as ``line 3`` or a file and a message.
        reason: Why.
    """

    place: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedIn(Result):
    """What came of moving an export in.

    Args:
        statements: How many statements were remembered, or would be.
        known: How many had been moved in before.
        sessions: In how many conversations they are.
        unread: What could not be read, in its order.
        is_dry_run: Whether nothing was written.
    """

    statements: int = 0
    known: int = 0
    sessions: int = 0
    unread: tuple[Unread, ...] = field(default=())
    is_dry_run: bool = False
