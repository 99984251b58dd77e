from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.metadata import Labels, Metadata, MetadataValue, checked_tags
from evolore.errors import InvalidValue

TEXTS = st.text(min_size=1, max_size=20).filter(
    lambda text: text.strip() != "" and not any(c == "\0" or "\ud800" <= c <= "\udfff" for c in text)
)
NAMES = TEXTS.map(lambda text: text.replace("=", "-").strip()).filter(bool)
VALUES: st.SearchStrategy[MetadataValue] = st.one_of(
    TEXTS, st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False)
)


@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_metadata_equals_what_it_was_made_from(values: dict[str, MetadataValue]) -> None:
    made = Metadata(values)
    assert made == values
    assert Metadata(made) == made
    assert hash(Metadata(made)) == hash(made)
    assert list(made) == sorted(values)


def test_a_bool_is_no_number_and_a_whole_number_is_written_as_one() -> None:
    assert Metadata({"a": True}) != Metadata({"a": 1})
    assert Metadata({"a": True}) != {"a": 1}
    assert Metadata({"a": 2024.0}) == Metadata({"a": 2024})
    assert repr(Metadata({"a": 2024.0, "b": -0.0, "c": 1e300})) == "Metadata({'a': 2024, 'b': 0, 'c': 1e+300})"
    assert Metadata({"a": 1}) != 1


def test_what_only_behaves_like_a_text_or_number_is_kept_as_one() -> None:
    class Team(StrEnum):
        OPS = "ops"

    assert type(Metadata({"team": Team.OPS})["team"]) is str
    assert checked_tags([Team.OPS]) == ("ops",)
    assert type(checked_tags([Team.OPS])[0]) is str


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([("a", 1)], "use names with values"),
        ({"": 1}, "is blank"),
        ({" a": 1}, "leave out the blanks"),
        ({"a=b": 1}, "holds '='"),
        ({"a" * 101: 1}, "at most 100"),
        ({1: 1}, "use a text"),
        ({"a": " "}, "is blank"),
        ({"a": "x" * 1001}, "at most 1000"),
        ({"a": "\0"}, "NUL"),
        ({"a": None}, "use a text, a number or a bool"),
        ({"a": [1]}, "use a text, a number or a bool"),
        ({"a": float("nan")}, "finite"),
        ({"a": float("inf")}, "finite"),
        ({"a": 2**53 + 1}, "within ±2\\^53"),
        ({str(number): 1 for number in range(51)}, "has 51 names: use at most 50"),
    ],
)
def test_metadata_that_cannot_be_kept_is_refused(values: Any, message: str) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(InvalidValue, match=message):
        Metadata(values)


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ("urgent", "use several"),
        (3, "use several"),
        ([""], "is blank"),
        (["a "], "leave out the blanks"),
        (["t" * 101], "at most 100"),
        ([None], "use a text"),
        ([str(number) for number in range(51)], "has 51 tags: use at most 50"),
    ],
)
def test_tags_that_cannot_be_kept_are_refused(tags: Any, message: str) -> None:  # noqa: ANN401 - wrong on purpose
    with pytest.raises(InvalidValue, match=message):
        checked_tags(tags)


def test_tags_are_sorted_and_each_there_once() -> None:
    assert checked_tags(["b", "a", "b"]) == ("a", "b")
    assert checked_tags(None) == ()


def test_labels_tell_nothing_from_empty() -> None:
    assert (Labels().metadata, Labels().tags) == (None, None)
    emptied = Labels(metadata={}, tags=())
    assert isinstance(emptied.metadata, Mapping)
    assert (len(emptied.metadata), emptied.tags) == (0, ())
