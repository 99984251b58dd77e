"""Exports of other programs: what was said there, with who, when and in which conversation."""

from __future__ import annotations

import json
import mailbox
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parseaddr, parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from evolore.domain.metadata import MAX_LABEL_CHARACTERS, MAX_TAGS
from evolore.domain.turn import ChatExport, Turn, Unread
from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode_leniently
from evolore.sources.html import to_markdown
from evolore.sources.mail import header_of

if TYPE_CHECKING:
    from email.message import Message

Json: TypeAlias = Any
"""What JSON holds."""
Read: TypeAlias = "Iterator[Turn | Unread]"
_LONGEST_NAME = 200
_CONVERSATIONS = "conversations.json"


def read_export(path: Path, kind: ChatExport) -> Read:
    """Read an export, conversation by conversation; what cannot be read is given with its place.

    Args:
        path: The file; of Slack the unpacked folder, of ChatGPT and Claude ``conversations.json`` or its folder.
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
        raise UnreadableSource(f"{path} is no JSON in UTF-8 ({error}): export it anew.") from error


def _listed(path: Path, *names: str) -> list[Json]:
    """Return a list that a file holds, by itself or under one of some names."""
    found = _json_of(path)
    for name in names:
        if isinstance(found, dict) and name in found:
            found = cast("Json", found)[name]
    if not isinstance(found, list):
        raise UnreadableSource(f"{path} holds no list: it is no export of this kind.")
    return cast("list[Json]", found)


def _each(rows: Iterable[tuple[str, Json]], turn_of: Callable[[dict[str, Json]], Turn | None]) -> Read:
    """Read rows one by one; what turns out wrong in one is given with its place."""
    for place, row in rows:
        if not isinstance(row, dict):
            yield Unread(place=place, reason="it is no object")
            continue
        try:
            turn = turn_of(cast("dict[str, Json]", row))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            yield Unread(place=place, reason=f"it lacks something, or has it in another form ({error})")
            continue
        if turn is None:
            yield Unread(place=place, reason="it holds no text")
        else:
            yield turn


def _turn(
    *,
    id_: object,
    session: object,
    text: object,
    speaker: object = None,
    at: object = None,
    title: object = "",
    tags: object = (),
) -> Turn | None:
    """Make a turn of what a row says; None where it says nothing."""
    said = str(text or "").replace("\x00", "").strip()
    if not said:
        return None
    named = str(speaker or "").strip()[:_LONGEST_NAME]
    labels = [str(one).strip()[:MAX_LABEL_CHARACTERS] for one in cast("Iterable[object]", tags or ())]
    return Turn(
        id=str(id_),
        session=str(session or "all"),
        text=said,
        speaker=named or None,
        occurred_at=_moment(at),
        title=str(title or ""),
        tags=tuple(dict.fromkeys(one for one in labels if one))[:MAX_TAGS],
    )


def _moment(at: object) -> datetime | None:
    """Read a moment: seconds since 1970, or a text in ISO 8601; without a zone it is UTC.

    Raises:
        ValueError: It is neither.
    """
    if at is None or at == "":
        return None
    if isinstance(at, (int, float)) and not isinstance(at, bool):
        return datetime.fromtimestamp(at / 1000 if at > 10**11 else at, tz=UTC)
    text = str(at).strip()
    if re.fullmatch(r"\d{9,11}(\.\d+)?", text):
        return datetime.fromtimestamp(float(text), tz=UTC)
    found = datetime.fromisoformat(text)
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _first(row: Mapping[str, Json], *names: str) -> Json:
    return next((row[name] for name in names if row.get(name) not in {None, ""}), None)


def _jsonl(path: Path) -> Read:
    """Read one object a line: ``text``, and what there is of ``speaker``, ``session``, ``at``, ``id``, ``tags``."""

    def rows() -> Iterator[tuple[str, Json]]:
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                if not line.strip():
                    continue
                try:
                    row: Json = json.loads(line)
                    if isinstance(row, dict):
                        row = {"id": f"line {number}", **cast("dict[str, Json]", row)}
                except (ValueError, RecursionError):
                    row = None
                yield f"line {number}", row

    return _each(
        rows(),
        lambda row: _turn(
            id_=row["id"],
            session=_first(row, "session", "conversation", "thread"),
            text=_first(row, "text", "content", "memory"),
            speaker=_first(row, "speaker", "role", "user"),
            at=_first(row, "at", "occurred_at", "timestamp", "created_at"),
            tags=row.get("tags"),
        ),
    )


def _mem0(path: Path) -> Read:
    """Read memories as ``get_all`` gives them: each is of a user, an agent or a run."""
    rows = ((f"memory {number}", row) for number, row in enumerate(_listed(path, "results", "memories"), start=1))
    return _each(
        rows,
        lambda row: _turn(
            id_=row["id"],
            session=_first(row, "run_id", "user_id", "agent_id"),
            text=_first(row, "memory", "text"),
            speaker=_first(row, "user_id", "agent_id", "actor_id"),
            at=_first(row, "updated_at", "created_at"),
            tags=row.get("categories"),
        ),
    )


def _langgraph(path: Path) -> Read:
    """Read items of a store as ``Item.dict()`` gives them."""
    rows = ((f"item {number}", row) for number, row in enumerate(_listed(path, "items"), start=1))
    return _each(
        rows,
        lambda row: _turn(
            id_="/".join([*map(str, row["namespace"]), str(row["key"])]),
            session="/".join(map(str, row["namespace"])),
            text="\n".join(_texts(row["value"])),
            at=_first(row, "updated_at", "created_at"),
        ),
    )


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        below = cast("dict[str, Json]", value).values() if isinstance(value, dict) else cast("list[Json]", value)
        for one in below:
            yield from _texts(one)


def _conversations(path: Path) -> list[Json]:
    return _listed(path / _CONVERSATIONS if path.is_dir() else path, "conversations")


def _chatgpt(path: Path) -> Read:
    """Read ChatGPT's conversations: of each the branch that was last looked at, what user and assistant said."""
    for number, talk in enumerate(_conversations(path), start=1):
        place = f"conversation {number}"
        try:
            branch = _branch(talk)
            session, title = _first(talk, "conversation_id", "id") or place, talk.get("title")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            yield Unread(place=place, reason=f"it is no conversation ({error})")
            continue
        spoken = [one for one in branch if one["author"]["role"] in {"user", "assistant"}]
        rows: list[tuple[str, Json]] = [(f"{place}, message {at}", one) for at, one in enumerate(spoken, start=1)]
        for one in _each(rows, lambda row, session=session, title=title: _gpt_turn(row, session, title)):
            is_empty = isinstance(one, Unread) and one.reason == "it holds no text"
            if not is_empty:  # calls of tools, and pictures
                yield one


def _branch(talk: Json) -> list[dict[str, Json]]:
    """Return the messages from the first to the one a conversation stands at."""
    nodes, at = talk["mapping"], talk.get("current_node")
    if at is None:
        at = next((name for name, node in nodes.items() if not node.get("children")), None)
    found: list[dict[str, Json]] = []
    passed: set[str] = set()
    while at is not None and at in nodes and at not in passed:
        passed.add(at)
        if nodes[at].get("message"):
            found.append(nodes[at]["message"])
        at = nodes[at].get("parent")
    return found[::-1]


def _gpt_turn(row: dict[str, Json], session: object, title: object) -> Turn | None:
    parts = [one for one in row["content"].get("parts") or [row["content"].get("text")] if isinstance(one, str)]
    speaker = row["author"].get("name") or row["author"]["role"]
    return _turn(
        id_=row["id"], session=session, text="\n".join(parts), speaker=speaker, at=row.get("create_time"), title=title
    )


def _claude(path: Path) -> Read:
    """Read Claude's conversations."""
    for number, found in enumerate(_conversations(path), start=1):
        place = f"conversation {number}"
        talk: Json = found
        if not isinstance(found, dict) or not isinstance(talk.get("chat_messages"), list):
            yield Unread(place=place, reason="it is no conversation")
            continue
        rows: list[tuple[str, Json]] = [
            (f"{place}, message {at}", one) for at, one in enumerate(talk["chat_messages"], start=1)
        ]
        session, title = talk.get("uuid") or place, talk.get("name")
        yield from _each(rows, lambda row, session=session, title=title: _claude_turn(row, session, title))


def _claude_turn(row: dict[str, Json], session: object, title: object) -> Turn | None:
    told = [one["text"] for one in row.get("content") or () if one.get("type") == "text" and one.get("text")]
    text = "\n".join(told) or row.get("text")
    return _turn(
        id_=row["uuid"], session=session, text=text, speaker=row.get("sender"), at=row.get("created_at"), title=title
    )


_MENTION = re.compile(r"<@(\w+)(?:\|[^<>]*)?>")
_LINK = re.compile(r"<([^@#!<|>][^<|>]*)(?:\|([^<>]*))?>")


def _slack(path: Path) -> Read:
    """Read an unpacked export of Slack: a folder a channel, a file a day. A thread is a conversation of its own."""
    if not path.is_dir():
        raise UnreadableSource(f"{path} is no folder: unpack the export, and name its folder.")
    people = path / "users.json"
    names = {str(one.get("id")): _called(one) for one in _listed(people)} if people.is_file() else {}
    days = sorted(one for one in path.glob("*/*.json") if one.is_file())
    if not days:
        raise UnreadableSource(f"{path} holds no channels: it is no export of Slack.")
    for channel in sorted({one.parent for one in days}):
        said: list[Turn] = []
        for day in (one for one in days if one.parent == channel):
            try:
                messages = _listed(day)
            except UnreadableSource as error:
                yield Unread(place=f"{channel.name}/{day.name}", reason=str(error))
                continue
            rows: list[tuple[str, Json]] = [
                (f"{channel.name}/{day.name}, message {at}", one)
                for at, one in enumerate(messages, start=1)
                if (cast("dict[str, Json]", one).get("subtype") if isinstance(one, dict) else None) not in _NO_WORDS
            ]
            for one in _each(rows, lambda row, channel=channel: _slack_turn(row, channel.name, names)):
                if isinstance(one, Unread):
                    yield one
                else:
                    said.append(one)
        yield from sorted(said, key=lambda one: one.session)  # keeps the order of each


_NO_WORDS = {"channel_join", "channel_leave", "channel_topic", "channel_purpose", "channel_name", "bot_add"}


def _called(person: Json) -> str:
    profile: dict[str, Json] = person.get("profile") or {}
    return str(_first(profile, "display_name", "real_name") or _first(person, "real_name", "name") or person.get("id"))


def _slack_turn(row: dict[str, Json], channel: str, names: Mapping[str, str]) -> Turn | None:
    text = _MENTION.sub(lambda one: "@" + names.get(one[1], one[1]), str(row.get("text") or ""))
    text = _LINK.sub(lambda one: one[2] or one[1], text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    thread = row.get("thread_ts")
    return _turn(
        id_=f"{channel}/{row['ts']}",
        session=f"{channel}/{thread}" if thread else channel,
        text=text,
        speaker=names.get(str(row.get("user"))) or _first(row, "username", "user", "bot_id"),
        at=row["ts"],
        title=channel,
    )


def _mbox(path: Path) -> Read:
    """Read a mailbox: a thread is a conversation, and what a mail quotes is left out."""
    if not path.is_file():
        raise UnreadableSource(f"{path} is no file: name a mailbox in the form mbox.")
    turns: list[Turn] = []
    box = mailbox.mbox(path, create=False)
    try:
        for number, mail in enumerate(box, start=1):
            try:
                turn = _mail_turn(mail, number)
            except (ValueError, TypeError, LookupError, AttributeError) as error:
                yield Unread(place=f"mail {number}", reason=f"it cannot be read ({error})")
                continue
            if turn is None:
                yield Unread(place=f"mail {number}", reason="it holds no text")
            else:
                turns.append(turn)
    finally:
        box.close()
    first = {one.session: place for place, one in reversed([*enumerate(turns)])}
    yield from sorted(turns, key=lambda one: first[one.session])


def _mail_turn(mail: Message, number: int) -> Turn | None:
    own = str(mail.get("Message-ID") or f"mail {number}").strip()
    before = (str(mail.get("References") or "") + " " + str(mail.get("In-Reply-To") or "")).split()
    name, address = parseaddr(header_of(mail, "From"))
    when = mail.get("Date")
    kept = [line for line in _body(mail).splitlines() if not line.lstrip().startswith(">")]
    return _turn(
        id_=own,
        session=before[0] if before else own,
        text="\n".join(kept),
        speaker=name or address,
        at=parsedate_to_datetime(str(when)).isoformat() if when else None,
        title=header_of(mail, "Subject"),
    )


def _body(mail: Message) -> str:
    """Return the text of a mail: the plain one, or that of its HTML."""
    plain, markup = "", ""
    for part in mail.walk():
        kind = part.get_content_type()
        if part.get_content_disposition() == "attachment" or kind not in {"text/plain", "text/html"}:
            continue
        data = cast("bytes", part.get_payload(decode=True) or b"")
        text = decode_leniently(data, declared=part.get_content_charset())
        if kind == "text/plain":
            plain += text
        else:
            markup += text
    return plain if plain.strip() or not markup else to_markdown(markup, name="a mail").text


_READERS: Mapping[ChatExport, Callable[[Path], Read]] = {
    ChatExport.JSONL: _jsonl,
    ChatExport.MEM0: _mem0,
    ChatExport.LANGGRAPH: _langgraph,
    ChatExport.CHATGPT: _chatgpt,
    ChatExport.CLAUDE: _claude,
    ChatExport.SLACK: _slack,
    ChatExport.MBOX: _mbox,
}
