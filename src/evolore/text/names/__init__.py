"""The names a text holds: a first, thin version of what finds them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.domain.language import Language

NAMES_VERSION = "1"
"""Of what is found: a store made with another cannot be compared with."""

_LATIN = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'-]+(?: [A-Z][\w'-]+)*")
_KATAKANA = re.compile("[ァ-ヺー]{2,}")


def find_names(text: str, *, language: Language, title: str | None = None) -> tuple[str, ...]:  # noqa: ARG001 - one interface for all rules
    """Give the names in a text, folded to lower case, each once, in the order they come in; none holds a line break.

    Args:
        text: What is said.
        language: The language it is in.
        title: What its document is called.
    """
    found = [match.group() for pattern in (_LATIN, _KATAKANA) for match in pattern.finditer(text)]
    return tuple(dict.fromkeys(name.casefold() for name in ([title] if title else []) + found if "\n" not in name))
