"""Exports of other programs: what was said there, with who, when and in which conversation."""

from __future__ import annotations

import json
import mailbox
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, cast

from evolore.domain.filed import filed
from evolore.domain.metadata import MAX_LABEL_CHARACTERS, MAX_TAGS
from evolore.domain.turn import ChatExport, Turn, Unread
from evolore.errors import UnreadableSource
from evolore.sources.readers.html import to_markdown
from evolore.sources.readers.mail import decoded, header_of
from evolore.sources.transcripts import claude_code, codex, read_transcripts

Json: TypeAlias = Any
"""What JSON holds."""
Read: TypeAlias = "Iterator[Turn | Unread]"
_TurnOf: TypeAlias = "Callable[[Json, str], Turn | None]"
"""Makes a turn of a row and of its place; None for a row without text."""
_LONGEST_NAME = 200
_CONVERSATIONS = "conversations.json"
_MOST_SECONDS = 10**11  # later moments are in milliseconds
_WRONG = (LookupError, TypeError, ValueError, AttributeError)
"""What is raised by a row that lacks something, or has it in another form."""


def read_export(path: Path, kind: ChatExport) -> Read:
    """Read an export, conversation by conversation; what cannot be read is given with its place.

    Args:
        path: The file; of Slack the unpacked folder, of ChatGPT and Claude ``conversations.json`` or its folder, of
            a coding agent a transcript or the folder of them.
        kind: Where it comes from.

    Raises:
        UnreadableSource: It is not there, or no export of that kind.
    """
    if not path.exists():
        raise UnreadableSource(f"{path} does not exist: check its name.")
    if path.suffix.lower() == ".zip":
        raise UnreadableSource(f"{path} is an archive: unpack it, and name what is in it.")
    return _READERS[kind](path)


def _json_of(path: Path) -> Json:
    try:
        return json.loads(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise UnreadableSource(f"{path} is no JSON in UTF-8 ({error}): export it again.") from error


def _listed(path: Path, *names: str) -> list[Json]:
    """Return a list that a file holds, by itself or under one of some names."""
    found = _json_of(path)
    if isinstance(found, dict):
        found = _first(cast("dict[str, Json]", found), *names)
    if not isinstance(found, list):
        raise UnreadableSource(f"{path} holds no list: it is no export of this kind.")
    return cast("list[Json]", found)


def _each(rows: Iterable[tuple[str, Json]], turn_of: _TurnOf) -> Read:
    """Read rows one by one; what turns out wrong in one is given with its place."""
    for place, row in rows:
        turn, reason = None, "it holds no text"
        try:
            turn = turn_of(row, place)
        except _WRONG as error:
            reason = f"it lacks something, or has it in another form ({error})"
        yield turn or Unread(place=place, reason=reason)


def _numbered(name: str, rows: Iterable[Json]) -> Iterator[tuple[str, Json]]:
    return ((f"{name} {number}", row) for number, row in enumerate(rows, start=1))


def _together(found: Read) -> Read:
    """Yield what could not be read, and then conversation by conversation what could."""
    turns: list[Turn] = []
    for one in found:
        if isinstance(one, Unread):
            yield one
        else:
            turns.append(one)
    first = {one.session: place for place, one in reversed([*enumerate(turns)])}
    yield from sorted(turns, key=lambda one: first[one.session])


class _ExportRow(NamedTuple):
    """What a row states; the text may be blank."""

    id: object
    session: object
    text: object
    speaker: object = None
    at: object = None
    tags: object = ()
    title: object = ""

    def turn(self) -> Turn | None:
        """Make a turn of it; None where it says nothing."""
        said = str(self.text or "").replace("\x00", "").strip()
        labels = (str(one).strip()[:MAX_LABEL_CHARACTERS] for one in cast("Iterable[object]", self.tags or ()))
        turn = Turn(
            id=str(self.id),
            session=str(self.session or "all"),
            text=said,
            speaker=str(self.speaker or "").strip()[:_LONGEST_NAME] or None,
            occurred_at=_moment(self.at),
            title=str(self.title or ""),
            tags=tuple(dict.fromkeys(filter(None, labels)))[:MAX_TAGS],
        )
        return turn if said else None


def _moment(at: object) -> datetime | None:
    """Read a moment: seconds since 1970, or a text in ISO 8601; without a zone it is UTC."""
    text = "" if at is None else str(at).strip()
    if re.fullmatch(r"\d{9,13}(\.\d+)?", text):
        return datetime.fromtimestamp(float(text) / (1000 if float(text) > _MOST_SECONDS else 1), tz=UTC)
    found = datetime.fromisoformat(text) if text else None
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)


def _first(row: Mapping[str, Json], *names: str) -> Json:
    return next((row[name] for name in names if row.get(name) is not None and row[name] != ""), None)


_OF_LINES = _ExportRow(
    "id",
    "session conversation thread",
    "text content memory",
    "speaker role user",
    "at occurred_at timestamp created_at",
    "tags",
)
_OF_MEM0 = _ExportRow(
    "id", "run_id user_id agent_id", "memory text", "user_id agent_id actor_id", "updated_at created_at", "categories"
)
"""The keys of what a row states, of each the first that holds something."""
_MEM0_KEPT = ("user_id", "agent_id", "run_id", "actor_id", "role", "expiration_date")


def _named(row: dict[str, Json], names: _ExportRow) -> Turn | None:
    return _ExportRow(*(_first(row, *str(each).split()) for each in names)).turn()


def _jsonl(path: Path) -> Read:
    """Read one object a line: ``text``, and what there is of ``speaker``, ``session``, ``at``, ``id``, ``tags``."""
    with path.open("rb") as lines:
        rows = ((place, line) for place, line in _numbered("line", lines) if line.strip())
        yield from _each(rows, lambda line, place: _named({"id": place, **json.loads(line)}, _OF_LINES))


def _mem0(path: Path) -> Read:
    """Read memories as ``get_all`` returns them: each is of a user, an agent or a run."""
    return _each(_numbered("memory", _listed(path, "results", "memories")), _mem0_turn)


def _mem0_turn(row: Json, place: str) -> Turn | None:  # noqa: ARG001 - as every other
    turn = _named({"id": row["id"], **row}, _OF_MEM0)
    kept = {name: str(row[name]).strip() for name in _MEM0_KEPT if row.get(name)}
    extra = filed("mem0_metadata", row["metadata"], what="The metadata") if row.get("metadata") else {}
    since = {"mem0_created": str(row["created_at"])} if row.get("created_at") else {}
    return turn and replace(turn, metadata={**kept, **extra, **since, "mem0_id": turn.id})


def _langgraph(path: Path) -> Read:
    """Read items of a store as ``Item.dict()`` returns them."""
    return _each(_numbered("item", _listed(path, "items")), _langgraph_turn)


def _langgraph_turn(row: Json, place: str) -> Turn | None:  # noqa: ARG001 - as every other
    session = "/".join(map(str, row["namespace"]))
    at = _first(row, "updated_at", "created_at")
    return _ExportRow(f"{session}/{row['key']}", session, "\n".join(_texts(row["value"])), at=at).turn()


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        below = cast("dict[str, Json]", value).values() if isinstance(value, dict) else cast("list[Json]", value)
        for one in below:
            yield from _texts(one)


def _talks(path: Path, messages_of: Callable[[Json], Iterable[Json]], row_of: Callable[[Json], _ExportRow]) -> Read:
    """Read conversations, each with its messages."""
    talks = _listed(path / _CONVERSATIONS if path.is_dir() else path, "conversations")
    for place, talk in _numbered("conversation", talks):
        try:
            messages = messages_of(talk)
            about = {"session": _first(talk, "conversation_id", "uuid", "id") or place}
            about["title"] = _first(talk, "title", "name")
        except _WRONG as error:
            yield Unread(place=place, reason=f"it is no conversation ({error})")
        else:
            rows = _numbered(f"{place}, message", messages)
            yield from _each(rows, lambda row, _, about=about: row_of(row)._replace(**about).turn())


def _chatgpt(path: Path) -> Read:
    """Read ChatGPT's conversations: of each the branch that was last viewed, what user and assistant said."""
    return _talks(path, _branch, _gpt_row)


def _branch(talk: Json) -> list[Json]:
    """Return the messages from the first to a conversation's current one, without calls of tools and pictures."""
    nodes, at = talk["mapping"], talk.get("current_node")
    if at is None:
        at = next((name for name, node in nodes.items() if not node.get("children")), None)
    found: list[Json] = []
    passed: set[str] = set()
    while at is not None and at in nodes and at not in passed:
        passed.add(at)
        message = nodes[at].get("message")
        if message and message["author"]["role"] in {"user", "assistant"} and str(_gpt_row(message).text).strip():
            found.append(message)
        at = nodes[at].get("parent")
    return found[::-1]


def _gpt_row(row: Json) -> _ExportRow:
    parts = [one for one in row["content"].get("parts") or [row["content"].get("text")] if isinstance(one, str)]
    speaker = row["author"].get("name") or row["author"]["role"]
    return _ExportRow(row["id"], None, "\n".join(parts), speaker, row.get("create_time"))


def _claude(path: Path) -> Read:
    """Read Claude's conversations."""
    return _talks(path, lambda talk: talk["chat_messages"], _claude_row)


def _claude_row(row: Json) -> _ExportRow:
    told = [one["text"] for one in row.get("content") or () if one.get("type") == "text" and one.get("text")]
    return _ExportRow(row["uuid"], None, "\n".join(told) or row.get("text"), row.get("sender"), row.get("created_at"))


_MENTION = re.compile(r"<@(\w+)(?:\|[^<>]*)?>")
_LINK = re.compile(r"<([^@#!<|>][^<|>]*)(?:\|([^<>]*))?>")
_NO_WORDS = {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "bot_add"}


def _slack(path: Path) -> Read:
    """Read an unpacked export of Slack: a folder a channel, a file a day. A thread is a conversation of its own."""
    if not path.is_dir():
        raise UnreadableSource(f"{path} is no folder: unpack the export, and name its folder.")
    people = path / "users.json"
    names = {str(one.get("id")): _called(one) for one in _listed(people)} if people.is_file() else {}
    channels = sorted({one.parent for one in path.glob("*/*.json") if one.is_file()})
    if not channels:
        raise UnreadableSource(f"{path} holds no channels: it is no export of Slack.")
    for channel in channels:
        yield from _together(_days(channel, names))


def _days(channel: Path, names: Mapping[str, str]) -> Read:
    for day in sorted(channel.glob("*.json")):
        place = f"{channel.name}/{day.name}"
        try:
            messages = _listed(day)
        except UnreadableSource as error:
            yield Unread(place=place, reason=str(error))
            continue
        said = [one for one in messages if _is_said(one)]
        yield from _each(
            _numbered(f"{place}, message", said), lambda row, _: _slack_row(row, channel.name, names).turn()
        )


def _is_said(message: Json) -> bool:
    return not isinstance(message, dict) or cast("Json", message).get("subtype") not in _NO_WORDS


def _called(person: Json) -> str:
    profile: dict[str, Json] = person.get("profile") or {}
    return str(_first(profile, "display_name", "real_name") or _first(person, "real_name", "name") or person.get("id"))


def _slack_row(row: Json, channel: str, names: Mapping[str, str]) -> _ExportRow:
    text = _MENTION.sub(lambda one: "@" + names.get(one[1], one[1]), str(row.get("text") or ""))
    text = unescape(_LINK.sub(lambda one: one[2] or one[1], text))
    session = f"{channel}/{row['thread_ts']}" if row.get("thread_ts") else channel
    speaker = names.get(str(row.get("user"))) or _first(row, "username", "user", "bot_id")
    return _ExportRow(f"{channel}/{row['ts']}", session, text, speaker, row["ts"], title=channel)


def _mbox(path: Path) -> Read:
    """Read a mailbox: a thread is a conversation, and what a mail quotes is left out."""
    if not path.is_file():
        raise UnreadableSource(f"{path} is no file: name a mailbox in the form mbox.")
    with closing(mailbox.mbox(path, create=False)) as box:
        yield from _together(_each(_numbered("mail", box), _mail_turn))


def _mail_turn(mail: Message, place: str) -> Turn | None:
    own = str(mail.get("Message-ID") or place).strip()
    before = f"{mail.get('References') or ''} {mail.get('In-Reply-To') or ''}".split()
    name, address = parseaddr(header_of(mail, "From"))
    at = parsedate_to_datetime(str(mail["Date"])) if mail["Date"] else None
    kept = "\n".join(line for line in _body(mail).splitlines() if not line.lstrip().startswith(">"))
    return _ExportRow(own, [*before, own][0], kept, name or address, at, title=header_of(mail, "Subject")).turn()


def _body(mail: Message) -> str:
    """Return the text of a mail: the plain one, or that of its HTML."""
    texts = {"text/plain": "", "text/html": ""}
    for part in mail.walk():
        kind = part.get_content_type()
        if kind in texts and part.get_content_disposition() != "attachment":
            texts[kind] += decoded(part)
    plain, markup = texts.values()
    return plain if plain.strip() or not markup else to_markdown(markup, name="a mail").text


_READERS: Mapping[ChatExport, Callable[[Path], Read]] = {
    ChatExport.JSONL: _jsonl,
    ChatExport.MEM0: _mem0,
    ChatExport.LANGGRAPH: _langgraph,
    ChatExport.CHATGPT: _chatgpt,
    ChatExport.CLAUDE: _claude,
    ChatExport.SLACK: _slack,
    ChatExport.MBOX: _mbox,
    ChatExport.CLAUDE_CODE: partial(read_transcripts, spoken=claude_code),
    ChatExport.CODEX: partial(read_transcripts, spoken=codex),
}
