"""A number from texts: the same for the same texts for ever, and as if drawn at random between different ones."""

from __future__ import annotations

from hashlib import blake2b

_BYTES = 8


def hashed_share(*parts: str) -> float:
    """Return the number from 0 to below 1 that belongs to these texts.

    >>> hashed_share("canary", "mika") == hashed_share("canary", "mika")
    True
    """
    digest = blake2b(digest_size=_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(_BYTES, "big") + data)
    # 53 bits: what a float holds exactly, so that the result stays below 1.
    return (int.from_bytes(digest.digest(), "big") >> 11) / (1 << 53)
