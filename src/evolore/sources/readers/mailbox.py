"""Read files that hold several messages or meetings: mailboxes and calendars."""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.mail import meetings, read_mail
from evolore.sources.readers.markdown import heading, joined

_BETWEEN_MAILS: Final = re.compile(
    rb"^From [^\r\n]{0,200}\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b[^\r\n]{0,40}\d:\d\d[^\r\n]*\r?\n", re.MULTILINE
)
_QUOTED_FROM: Final = re.compile(rb"^>(>*From )", re.MULTILINE)
_MOST_NOTES: Final = 10
_NAME: Final = re.compile(r"^X-WR-CALNAME[^:\n]*:(.*)", re.MULTILINE)


def read_mailbox(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:
    """Read the messages of a mailbox, in their order."""
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
    """Read the meetings, tasks and notes of a calendar: what, when and where."""
    decoded = decode(data, name=name)
    blocks: list[str] = []
    for one in meetings(decoded.text):
        subject, _, rest = one.partition("\n")
        titled = subject.removeprefix("Subject: ")
        blocks += [heading(1, titled), rest] if titled != subject else [one]
    calendar = _NAME.search(decoded.text)
    return Converted(text=joined(blocks), title=calendar[1].strip() if calendar else "", encoding=decoded.encoding)
