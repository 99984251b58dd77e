from __future__ import annotations

import pytest

from evolore.domain.checks import check_count, checked_word
from evolore.domain.document import MediaType
from evolore.errors import InvalidValue


@pytest.mark.parametrize("given", [True, 0, -1, 1.5, "2", 1_000_001])
def test_a_count_is_a_whole_number_and_no_bool(given: object) -> None:
    check_count(1, "limit")
    check_count(1_000_000, "limit")
    with pytest.raises(InvalidValue, match=r"limit is .*: use a whole number from 1 to 1,000,000"):
        check_count(given, "limit")  # pyright: ignore[reportArgumentType] - callers may be untyped


def test_a_word_of_a_closed_set_is_read_or_refused_with_the_choice() -> None:
    assert checked_word(MediaType, "text/plain", "media_type") is MediaType.PLAIN
    with pytest.raises(InvalidValue, match="media_type is 'html': use 'text/plain' or 'text/markdown'"):
        checked_word(MediaType, "html", "media_type")
