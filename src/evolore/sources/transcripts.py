"""Transcripts that coding agents keep on disk: what the user asked, and how the agent closed each turn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, TypeAlias, cast

from evolore.domain.metadata import MetadataValue
from evolore.domain.turn import Turn, Unread
from evolore.errors import UnreadableSource

Json: TypeAlias = Any
"""A value read from JSON."""
_MOST_FILES_CHARACTERS = 1000
NO_PROMPT = re.compile(r"<\w+[-_][\w-]*[\s>]|<skill>|\[Request interrupted|# AGENTS\.md|Caveat: The messages below")
"""Match the beginning of a text that stands in a user's place and was not typed, such as ``<task-notification>``."""
_UNSAID = ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")
"""Marks of a row of Claude Code that neither the user nor the agent said."""


@dataclass(slots=True)
class SessionWork:
    """Where a session works."""

    repository: str = ""  #: The repository's name.
    branch: str = ""  #: The branch.
    files: dict[str, None] = field(default_factory=dict[str, None])  #: The files it changed, in their order.

    def metadata(self) -> dict[str, MetadataValue]:
        """Return it as metadata; what is unknown is left out."""
        files = ", ".join(self.files)
        if len(files) > _MOST_FILES_CHARACTERS:
            files = files[: _MOST_FILES_CHARACTERS + 2].rpartition(", ")[0]
        found = {"repository": self.repository, "branch": self.branch, "files": files}
        return {name: one for name, one in found.items() if one}


def storable(text: str) -> str:
    """Return a text without NUL characters, and with a question mark for half of a surrogate pair."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode().strip()


def turn_of(session: str, speaker: str, text: str, at: datetime | None, work: SessionWork) -> Turn:
    """Return a turn of an agent's session; the same words of the same speaker are the same turn, wherever they are read."""
    digest = sha256(f"{session}\n{speaker}\n{' '.join(text.split())}".encode("utf-8", "replace")).hexdigest()[:16]
    return Turn(
        id=digest, session=session, text=text.strip(), speaker=speaker, occurred_at=at, metadata=work.metadata()
    )


def read_transcripts(path: Path, spoken: Callable[[Path], Iterator[Turn | Unread]]) -> Iterator[Turn | Unread]:
    """Read the transcripts of a file, or of every ``*.jsonl`` below a folder, session by session.

    Raises:
        UnreadableSource: A folder holds none.
    """
    files = sorted([*path.rglob("*.jsonl"), *path.rglob("*.jsonl.zst")]) if path.is_dir() else [path]
    if not files:
        raise UnreadableSource(f"{path} holds no *.jsonl: it has no transcripts.")
    for one in files:
        try:
            yield from _closed(spoken(one))
        except OSError as error:
            yield Unread(place=one.name, reason=str(error))


def _closed(turns: Iterable[Turn | Unread]) -> Iterator[Turn | Unread]:
    """Leave out what an agent says before the last message of its turn."""
    last: Turn | None = None
    for one in turns:
        if isinstance(one, Turn) and one.speaker == "assistant":
            last = one
            continue
        if last is not None and isinstance(one, Turn):
            yield last
            last = None
        yield one
    if last is not None:
        yield last


def _rows(path: Path) -> Iterator[Mapping[str, Json] | Unread]:
    if path.suffix == ".zst":
        raise OSError("it is compressed: unpack it with `unzstd`")
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:
                row = Unread(place=f"{path.name}, line {number}", reason=f"it is no JSON ({error})")
            if isinstance(row, (dict, Unread)):
                yield cast("Mapping[str, Json] | Unread", row)


def claude_code(path: Path) -> Iterator[Turn | Unread]:
    """Read a transcript of Claude Code."""
    work = SessionWork()
    for row in _rows(path):
        message = row.get("message") if isinstance(row, Mapping) else None
        if isinstance(row, Unread):
            yield row
        elif isinstance(message, dict) and not any(map(row.get, _UNSAID)):
            content: Json = cast("Json", message).get("content")
            work.repository = PurePath(str(row.get("cwd") or "")).name or work.repository
            work.branch = str(row.get("gitBranch") or work.branch)
            work.files |= dict.fromkeys(_edited(content, str(row.get("cwd") or "")))
            yield from _turn(row, str(row.get("type")), _text(content), str(row.get("sessionId") or path.stem), work)


def codex(path: Path) -> Iterator[Turn | Unread]:
    """Read a transcript of Codex: its log of events or, where that is not kept, its messages."""
    work, session = SessionWork(), path.stem
    logs: dict[str, list[Turn]] = {"event_msg": [], "response_item": []}
    for row in _rows(path):
        body: Json = row.get("payload") if isinstance(row, Mapping) else None
        if isinstance(row, Unread):
            yield row
        elif isinstance(body, dict):
            about = cast("dict[str, Json]", body)
            kind = str(row.get("type"))
            if kind == "session_meta":
                if "subagent" in str(about.get("source")):
                    return
                session = str(about.get("id") or session)
                work.repository = PurePath(str(about.get("cwd") or "")).name
                work.branch = str(cast("dict[str, Json]", about.get("git") or {}).get("branch") or "")
            elif kind in logs:
                said = about.get("message") if kind == "event_msg" else _text(about.get("content"))
                who = str(about.get("type")).partition("_message")[0] if kind == "event_msg" else str(about.get("role"))
                logs[kind].extend(_turn(row, who.replace("agent", "assistant"), said, session, work))
    yield from logs["event_msg"] or logs["response_item"]


def _turn(row: Mapping[str, Json], who: str, text: Json, session: str, work: SessionWork) -> Iterator[Turn]:
    if who not in {"user", "assistant"} or not isinstance(text, str):
        return
    said = storable(text)
    if said and not (who == "user" and NO_PROMPT.match(said)):
        yield turn_of(session, who, said, _moment(row.get("timestamp")), replace(work, files=dict(work.files)))


def _moment(at: Json) -> datetime | None:
    try:
        found = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _parts(content: Json) -> list[dict[str, Json]]:
    given = cast("list[Json]", content) if isinstance(content, list) else []
    return [one for one in given if isinstance(one, dict)]


def _text(content: Json) -> str:
    """Return the words of a message's content; those of tools are left out."""
    if isinstance(content, str):
        return content
    kinds = {"text", "input_text", "output_text"}
    return "\n".join(str(one.get("text") or "") for one in _parts(content) if one.get("type") in kinds)


def _edited(content: Json, folder: str) -> Iterator[str]:
    for one in _parts(content):
        given: Json = one.get("input")
        if one.get("name") in {"Edit", "MultiEdit", "Write"} and isinstance(given, dict):
            path = PurePath(str(cast("dict[str, Json]", given).get("file_path") or "."))
            yield str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else path.name
