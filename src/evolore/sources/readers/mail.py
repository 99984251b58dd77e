"""Read an e-mail: its subject, who wrote to whom and when, and what it says; attachments are named."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import Final, cast

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode_leniently
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.html import to_markdown
from evolore.sources.readers.markdown import escaped, heading, joined, one_line, some

_HEADERS: Final = ("From", "To", "Cc", "Date")
_DEEPEST: Final = 5
_ADDRESS: Final = re.compile(r"(?:https?|mailto):\S+")
_NO_LETTER: Final = re.compile(r"[\W_]+")
_WRAPPED: Final = re.compile(r"(?<=[^\s|])\n(?=[^\s|#>*-])")
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？\n|]")
_LEAST_SENTENCE: Final = 12
"""Fewer letters than this are a word or a label, such as that of a link."""
_LONGEST_QUOTED: Final = 120
_FOLDED: Final = re.compile(r"\r?\n[ \t]")
_PROPERTY: Final = re.compile(r'([\w-]+)((?:;[^":;]*(?:"[^"]*")?)*):(.*)')
_EVENT: Final = {
    "SUMMARY": "Subject",
    "DTSTART": "Begins",
    "DTEND": "Ends",
    "DUE": "Ends",
    "RRULE": "Repeats",
    "LOCATION": "Place",
    "ORGANIZER": "Organizer",
    "DESCRIPTION": "Description",
}
_BETWEEN_MEETINGS: Final = re.compile(r"^BEGIN:V(?:EVENT|TODO|JOURNAL)[ \t]*\r?$", re.MULTILINE)
_ESCAPED: Final = re.compile(r"\\(.)")
_TIME: Final = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?\Z")


@dataclass(frozen=True, slots=True)
class UnreadVersion:
    """What a mail holds and its text does not."""

    attached: list[str] = field(default_factory=list[str])  #: Names of files, or else their kinds.
    sentences: list[str] = field(
        default_factory=list[str]
    )  #: Of versions that are not read, what the other does not say.


def read_mail(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read an e-mail with what was forwarded in it."""
    message = message_from_bytes(data, policy=policy.default)
    if not any(header in message for header in (*_HEADERS, "Subject", "Received", "Message-ID")):
        raise UnreadableSource(f"{name} lacks the lines that begin an e-mail: it is damaged, or something else.")
    left_out = UnreadVersion()
    text = joined(_blocks(message, left_out, depth=1))
    told = (
        (left_out.attached, "Attachments were left out"),
        (left_out.sentences, "Sentences that only one version of the mail holds, plain text or HTML, were left out"),
    )
    notes = tuple(f"{note}: {some(what)}." for what, note in told if what)
    return Converted(text=text, title=header_of(message, "Subject"), notes=notes, date=_date(message))


def _blocks(message: Message, left_out: UnreadVersion, *, depth: int) -> Iterator[str]:
    yield heading(depth, header_of(message, "Subject") or "(no subject)")
    headers = ((header, header_of(message, header)) for header in _HEADERS)
    yield "\n".join(f"{header}: {value}" for header, value in headers if value)
    own = UnreadVersion()
    yield from dict.fromkeys(
        block.strip("\n") for block in said(message, own, depth=depth)
    )  # an invitation comes twice
    left_out.attached.extend(own.attached)
    left_out.sentences.extend(own.sentences)
    if named := [one for one in own.attached if "/" not in one]:
        yield f"Attachments: {', '.join(named)}"


def said(part: Message, left_out: UnreadVersion, *, depth: int = 1) -> Iterator[str]:
    """Yield what a mail or a part of it says, as blocks of Markdown, and note what is left out.

    Args:
        part: The mail itself, or a part of it.
        left_out: Gets the names of what has no words, and what only a version says that is not read.
        depth: Level of the heading above it.
    """
    kind = part.get_content_type()
    parts = cast("list[Message]", part.get_payload()) if part.is_multipart() else []
    if kind == "message/rfc822" and parts and depth < _DEEPEST:
        yield from _blocks(_forwarded(part, parts[0]), left_out, depth=depth + 1)
    elif kind == "multipart/alternative":
        yield from _fullest(
            [(one.get_content_type(), joined(said(one, left_out, depth=depth))) for one in parts], left_out
        )
    elif kind.startswith("multipart/"):
        for one in parts:
            yield from _inner(one, left_out, depth=depth)
    elif kind == "text/html":
        yield to_markdown(decoded(part), name="its HTML").text
    elif kind == "text/calendar":
        yield from meetings(decoded(part))
    elif kind.startswith("text/"):
        yield escaped(decoded(part))
    else:
        left_out.attached.append(one_line(part.get_filename() or kind))


def _forwarded(part: Message, inner: Message) -> Message:
    """Return a mail within another, also where it was encoded against the rules."""
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() != "base64":
        return inner
    with suppress(ValueError):
        return message_from_bytes(b64decode(str(inner.get_payload())), policy=policy.default)
    return inner


def _inner(part: Message, left_out: UnreadVersion, *, depth: int) -> Iterator[str]:
    """Yield what a part beside others says, unless it is a file attached to them."""
    kind, is_attached = part.get_content_type(), part.get_content_disposition() == "attachment"
    if is_attached and kind not in {"message/rfc822", "text/calendar"}:
        left_out.attached.append(one_line(part.get_filename() or kind))
    else:
        yield from said(part, left_out, depth=depth)


def _fullest(versions: list[tuple[str, str]], left_out: UnreadVersion) -> Iterator[str]:
    """Yield the last of several versions of a text that says something, which mail programs show, and any meeting."""
    texts = [text for kind, text in versions if kind != "text/calendar"]
    shown = next(filter(str.strip, reversed(texts)), "")
    for text in texts:
        left_out.sentences.extend(_unsaid(text, beside=shown))
    yield shown
    yield from (text for kind, text in versions if kind == "text/calendar")


def _unsaid(text: str, *, beside: str) -> Iterator[str]:
    """Yield the sentences of a version of a text that are not in another, their beginnings where they are long."""
    other = _runs(beside)
    for one in _SENTENCE_END.split(_WRAPPED.sub(" ", _ADDRESS.sub("", text))):
        if not _runs(one) <= other:
            yield f"“{one_line(one)[:_LONGEST_QUOTED]}”"


def _runs(text: str) -> set[str]:
    """Return every run of twelve letters and digits of a text without its addresses, ignoring what is between them."""
    letters = _NO_LETTER.sub("", _ADDRESS.sub("", text)).lower()
    return {letters[place : place + _LEAST_SENTENCE] for place in range(len(letters) - _LEAST_SENTENCE + 1)}


def meetings(calendar: str) -> Iterator[str]:
    """Yield what a calendar states of its meetings, tasks and notes, each with subject, time, place and description."""
    for one in _BETWEEN_MEETINGS.split(_FOLDED.sub("", calendar))[1:]:
        stated = map(_PROPERTY.match, one.partition("\nEND:V")[0].partition("BEGIN:VALARM")[0].splitlines())
        found = {each[1]: _property(each[2], each[3]) for each in stated if each}
        yield escaped("\n".join(f"{label}: {found[name]}" for name, label in _EVENT.items() if found.get(name)))


def _property(parameters: str, value: str) -> str:
    zone = parameters.partition(";TZID=")[2].partition(";")[0].strip('"')
    value = _TIME.sub(_as_time, value.removeprefix("mailto:").removeprefix("MAILTO:")) + (f" ({zone})" if zone else "")
    return _ESCAPED.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], value)


def _as_time(match: re.Match[str]) -> str:
    year, month, day, hour, minute, utc = match.groups()
    return f"{year}-{month}-{day}" + (f" {hour}:{minute}{' UTC' if utc else ''}" if hour else "")


def header_of(message: Message, name: str) -> str:
    """Return a header's value on one line, '' where there is none."""
    values = (value for key, value in message.raw_items() if key.lower() == name.lower())
    written = decode_leniently(str(next(values, "")).encode("utf-8", "surrogateescape"))
    try:
        pieces = decode_header(written)
    except (MessageError, ValueError):
        return one_line(written)
    return one_line("".join(one if isinstance(one, str) else _word(one, charset) for one, charset in pieces))


def _word(data: bytes, charset: str | None) -> str:
    return decode_leniently(data, declared=charset) if charset else data.decode("raw-unicode-escape")


def _date(message: Message) -> str:
    """Return when it was sent; as it is written where that cannot be read."""
    written = header_of(message, "Date")
    try:
        return parsedate_to_datetime(written).isoformat() if written else ""
    except (ValueError, OverflowError):
        return written


def decoded(part: Message) -> str:
    """Return a part's text in the encoding it is in, detected from its bytes and what it states."""
    data = part.get_payload(decode=True)
    declared = part.get_content_charset()
    return decode_leniently(data, declared=declared).replace("\r\n", "\n") if isinstance(data, bytes) else ""
