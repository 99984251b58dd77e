from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.tokens import estimate_tokens


@given(st.text(), st.text())
def test_texts_with_a_blank_line_between_cost_what_they_cost_alone_and_the_line(one: str, other: str) -> None:
    one, other = one.strip("\n"), other.strip("\n")
    assert estimate_tokens(f"{one}\n\n{other}") == estimate_tokens(one) + 1 + estimate_tokens(other)


@given(st.text())
def test_every_character_that_is_no_space_is_counted_somewhere(text: str) -> None:
    assert estimate_tokens(text) <= len(text)
    assert (estimate_tokens(text) > 0) == any(not one.isspace() or one == "\n" for one in text)


@pytest.mark.parametrize(
    ("text", "real"),
    [  # what o200k_base makes of them
        ("Wedding cakes are ordered three weeks ahead and paid by half.", 12),
        ("A difference of up to three euros is noted and forgotten.", 12),
        ("パン祭りは五月十七日に決まりました。", 12),
        ("面包节定在五月十七日。", 10),
    ],
)
def test_an_estimate_is_near_what_a_model_counts(text: str, real: int) -> None:
    assert 0.9 * real <= estimate_tokens(text) <= 1.5 * real
