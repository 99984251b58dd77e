"""Read an e-mail: its subject, who wrote to whom and when, and what it says; attachments are named."""

from __future__ import annotations

from collections.abc import Iterator
from email import policy
from email.message import EmailMessage, MIMEPart
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from typing import Final, cast

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.html import to_markdown
from evolore.sources.markdown import escaped, heading, joined, one_line

_HEADERS: Final = ("From", "To", "Cc", "Date")
_DEEPEST: Final = 5
_MOST_NAMED: Final = 20


def read_mail(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read an e-mail with what was forwarded in it.

    Raises:
        UnreadableSource: It is none.
    """
    message = BytesParser(policy=policy.default).parsebytes(data)
    if not any(header in message for header in (*_HEADERS, "Subject", "Received", "Message-ID")):
        raise UnreadableSource(f"{name} has none of the lines that begin an e-mail: it is damaged, or something else.")
    attached: list[str] = []
    text = joined(_blocks(message, attached, name=name, depth=1))
    notes = (f"Attachments were left out: {', '.join(attached[:_MOST_NAMED])}.",) if attached else ()
    return Converted(text=text, title=_header(message, "Subject"), notes=notes, date=_date(message))


def _blocks(message: EmailMessage, attached: list[str], *, name: str, depth: int) -> Iterator[str]:
    subject = _header(message, "Subject")
    yield heading(depth, subject or "(no subject)")
    headers = ((header, _header(message, header)) for header in _HEADERS)
    yield "\n".join(f"{header}: {value}" for header, value in headers if value)
    body = message.get_body(preferencelist=("plain", "html"))
    if body is not None:
        yield _said(body, name=name)
    for part in message.iter_attachments() if message.is_multipart() else ():
        yield from _attached(part, attached, name=name, depth=depth)
    if body is None and not message.is_multipart():
        attached.append(message.get_filename() or message.get_content_type())


def _attached(part: MIMEPart, attached: list[str], *, name: str, depth: int) -> Iterator[str]:
    inner = part.get_payload(0) if part.get_content_type() == "message/rfc822" and part.is_multipart() else None
    if isinstance(inner, EmailMessage) and depth < _DEEPEST:
        yield from _blocks(cast("EmailMessage", inner), attached, name=name, depth=depth + 1)
    else:
        attached.append(one_line(part.get_filename() or part.get_content_type()))


def _header(message: EmailMessage, header: str) -> str:
    """Return a header's value, '' where there is none or it cannot be read."""
    try:
        return one_line(str(message.get(header, "")))
    except Exception:  # noqa: BLE001 - the parser of addresses fails in many ways on what spam states
        return ""


def _date(message: EmailMessage) -> str:
    """Return when it was sent; as it is written where that cannot be read."""
    written = _header(message, "Date")
    try:
        return parsedate_to_datetime(written).isoformat() if written else ""
    except ValueError:
        return written


def _said(part: MIMEPart, *, name: str) -> str:
    text = _decoded(part, name=name)
    if part.get_content_type() != "text/html":
        return escaped(text)
    try:
        return to_markdown(text, name=name).text if text.strip() else ""
    except UnreadableSource as error:
        if "shows no text" in str(error):
            return ""
        raise


def _decoded(part: MIMEPart, *, name: str) -> str:
    """Return a part's text in the encoding it states, or else in the one it is in."""
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    stated = part.get_content_charset()
    try:
        return data.decode(stated or "utf-8").replace("\r\n", "\n")
    except (LookupError, ValueError):
        return decode(data, name=name).text.replace("\r\n", "\n") if data.strip() else ""
