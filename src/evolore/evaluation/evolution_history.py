"""Telling whether two memories have the same history, byte for byte but for the random part of ids."""

from __future__ import annotations

import re
from io import BytesIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.memory import Memory

_RANDOM = re.compile(rb"(?<![0-9a-z])(?:[0-9a-hjkmnp-tv-z]{26}|[0-9a-f]{64}|[0-9a-f]{32})(?![0-9a-z])")
"""Ids, and the digests of what holds ids."""


def history_of(memory: Memory) -> bytes:
    """Give all that a memory exports, with the ids, and digests of them, by the order in which they first stand there."""
    stream = BytesIO()
    memory.export_to(stream)
    known: dict[bytes, bytes] = {}
    return _RANDOM.sub(lambda found: known.setdefault(found.group(), b"#%d" % len(known)), stream.getvalue())


def without_ids(text: str) -> str:
    """Give a text without ids, which are other ones in every run.

    >>> without_ids("See 01m6b5cjm5c1763zq0k3n9w4ta.")
    'See .'
    """
    return _RANDOM.sub(b"", text.encode("utf-8", "surrogatepass")).decode("utf-8", "surrogatepass")
