from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.cli.session import read_pairs, write_pairs
from evolore.domain.metadata import Metadata, MetadataValue
from evolore.errors import InvalidValue

VALUES: st.SearchStrategy[MetadataValue] = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip),
    st.sampled_from(["1", "1.0", "true", '"x"', "NaN", "null", "[1]", "1e5", "-0", "a=b"]),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False),
)


@given(VALUES)
def test_what_is_shown_can_be_given_again(value: MetadataValue) -> None:
    kept = Metadata({"name": value})
    assert Metadata(read_pairs([write_pairs(kept)], "--meta")) == kept


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2024", 2024),
        ("1.5", 1.5),
        ("true", True),
        ("True", "True"),
        ("1.50", "1.50"),
        ("007", "007"),
        ('"2024"', "2024"),
        ("NaN", "NaN"),
        ("Infinity", "Infinity"),
        ("9" * 5000, "9" * 5000),
        ("[" * 100_000, "[" * 100_000),
        ("null", "null"),
        ("a=b", "a=b"),
        ("東京", "東京"),
    ],
)
def test_a_value_is_read_as_what_it_looks_like(written: str, value: MetadataValue) -> None:
    (read,) = read_pairs([f"name={written}"], "--meta").values()
    assert (type(read), read) == (type(value), value)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [(["team"], "--meta 'team' has no value: write it as --meta name=value"), (["a=1", "a=2"], "names 'a' twice")],
)
def test_pairs_that_are_none_are_refused(pairs: list[str], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        read_pairs(pairs, "--meta")
