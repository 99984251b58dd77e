"""Read files that hold several messages or meetings: mailboxes and calendars."""

from __future__ import annotations

import re
from email.message import Message
from itertools import chain
from typing import Final

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.mail import LeftOut, read_mail, said
from evolore.sources.markdown import heading, joined

_BETWEEN_MAILS: Final = re.compile(
    rb"^From [^\r\n]{0,200}\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b[^\r\n]{0,40}\d:\d\d[^\r\n]*\r?\n", re.MULTILINE
)
_QUOTED_FROM: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_MOST_NOTES: Final = 10
_BETWEEN_MEETINGS: Final = re.compile(r"^BEGIN:V(?:EVENT|TODO|JOURNAL)[ \t]*\r?$", re.MULTILINE)
_END: Final = re.compile(r"^END:V(?:EVENT|TODO|JOURNAL)[ \t]*\r?$", re.MULTILINE)
_DUE: Final = re.compile(r"^DUE(?=[;:])", re.MULTILINE)
_NAME: Final = re.compile(r"^X-WR-CALNAME[^:\n]*:(.*)", re.MULTILINE)


def read_mailbox(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:
    """Read the messages of a mailbox, in their order.

    Raises:
        UnreadableSource: None of them is one.
    """
    found: list[Converted] = []
    refused = 0
    for one in _BETWEEN_MAILS.split(data):
        try:
            mail = _QUOTED_FROM.sub(rb"\1", one)
            found += [read_mail(mail, name=name, suffix=suffix, limits=limits)] if one.strip() else []
        except UnreadableSource:
            refused += 1
    if not found:
        raise UnreadableSource(f"{name} holds no message: it is damaged, or something else.")
    notes = list(chain.from_iterable(one.notes for one in found))
    if len(notes) > _MOST_NOTES:
        notes[_MOST_NOTES:] = [f"So it is with {len(notes) - _MOST_NOTES} messages more."]
    if refused:
        notes.append(f"{refused} of {len(found) + refused} messages could not be read.")
    return Converted(text=joined(one.text for one in found), notes=tuple(notes), date=found[-1].date)


def read_calendar(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read the meetings, tasks and notes of a calendar: what, when and where.

    Raises:
        UnreadableSource: It is no text.
    """
    decoded = decode(data, name=name)
    blocks: list[str] = []
    for one in _BETWEEN_MEETINGS.split(decoded.text)[1:]:
        part = Message()
        stated = _DUE.sub("DTEND", _END.split(one)[0])
        part.set_payload(f"BEGIN:VEVENT\n{stated.lstrip()}END:VEVENT\n".encode())
        part.set_type("text/calendar")
        part.set_param("charset", "utf-8")
        subject, _, rest = joined(said(part, LeftOut())).partition("\n")
        titled = subject.removeprefix("Subject: ")
        blocks += [heading(1, titled), rest] if titled != subject else [f"{subject}\n{rest}"]
    calendar = _NAME.search(decoded.text)
    return Converted(text=joined(blocks), title=calendar[1].strip() if calendar else "", encoding=decoded.encoding)
