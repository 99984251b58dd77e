"""Secrets found in texts: the kind and place of each, never the secret itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class SecretKind(StrEnum):
    """What a secret is."""

    KEY = "key"
    PASSWORD = "password"  # noqa: S105 - the name of a kind
    TOKEN = "token"  # noqa: S105 - likewise
    PRIVATE_KEY = "private_key"
    CARD = "card"


class SecretsPolicy(StrEnum):
    """What to do with a secret in what is taken in."""

    KEEP = "keep"
    REDACT = "redact"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSecret:
    """A secret that a text seems to hold."""

    kind: SecretKind  #: What it is.
    name: str  #: Its name, such as ``AWS access key``.
    start: int  #: Its first character, from 0, in the text as it was handed in.
    end: int  #: The character behind its last.
    line: int  #: Its line, from 1.
    where: str = "text"  #: The field that holds it: ``text``, ``title``, ``comment``, ``tags.0`` or ``metadata.NAME``.

    @property
    def place(self) -> str:
        """Its kind and place, as a receipt names them."""
        return f"{self.name} in {self.where}, line {self.line}"


def places_of(found: Iterable[FoundSecret]) -> str:
    """Name the kinds and places of secrets in one line."""
    return "; ".join(one.place for one in found)
