"""Which words of a text are written like names."""

from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.text.contrasts.reading import read


@pytest.mark.parametrize("text", ["And then I'm going to Leeds.", "Well, I’ll go to Leeds, and I've a ticket."])
def test_who_speaks_is_no_name(text: str) -> None:
    assert read(text, Language.EN).names == {"leed"}
