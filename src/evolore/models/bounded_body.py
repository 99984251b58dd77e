"""The body of an HTTP answer, read so far and so long and no further."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Iterator


class BodyTooLarge(Exception):
    """Say that an answer is longer than is read."""


class BoundedBody(httpx2.SyncByteStream):
    """Hands on a body until it is too long, or takes too long as a whole.

    A time-out of the connection would not end a body of which a byte comes now and then.

    Args:
        body: What is read.
        most_bytes: How much of it.
        most_seconds: For how long, from now.
    """

    def __init__(self, body: httpx2.SyncByteStream, *, most_bytes: int, most_seconds: float) -> None:
        self._body = body
        self._most = most_bytes
        self._ends_at = monotonic() + most_seconds

    def __iter__(self) -> Iterator[bytes]:
        """Give the parts of the body.

        Raises:
            BodyTooLarge: There are more bytes.
            ReadTimeout: It is not over in time.
        """
        read = 0
        for part in self._body:
            read += len(part)
            if read > self._most:
                raise BodyTooLarge(f"The answer is longer than {self._most} bytes.")
            if monotonic() > self._ends_at:
                raise httpx2.ReadTimeout("The answer is not over in time.")
            yield part

    def close(self) -> None:
        """Let go of the connection."""
        self._body.close()


def bound(response: httpx2.Response, *, most_bytes: int, most_seconds: float) -> None:
    """Bound an answer of which only the head is read.

    Raises:
        BodyTooLarge: It is compressed, which nobody asked for: its size could not be told while reading.
    """
    if response.headers.get("content-encoding", "identity") != "identity":
        raise BodyTooLarge("The answer is compressed.")
    assert isinstance(response.stream, httpx2.SyncByteStream)
    response.stream = BoundedBody(response.stream, most_bytes=most_bytes, most_seconds=most_seconds)
