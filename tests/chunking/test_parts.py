from __future__ import annotations

from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.chunking.tree_maker import PART_CHARACTERS, open_fence, parts_of
from evolore.domain.document import MediaType

SMALL = ChunkSettings(target_size=60, max_size=120, min_size=10)
PIECES = st.lists(
    st.sampled_from(
        [
            "# One\n\n",
            "## Two\n\n",
            "### Three\n\n",
            "A sentence of some words. ",
            "文がある。",
            "\n\n",
            "---\n",
            "x" * 150,
            "```\n# no heading\n\n```\n",
            "- item\n",
        ]
    ),
    max_size=60,
)


@given(PIECES, st.integers(20, 300), st.sampled_from(MediaType))
def test_parts_joined_are_the_document_however_it_came(pieces: list[str], most: int, media_type: MediaType) -> None:
    text = "".join(pieces)
    found = list(parts_of(pieces, media_type, most=most))
    assert "".join(found) == text
    assert all(0 < len(part) <= most for part in found)
    assert found == list(parts_of([text], media_type, most=most)) == list(parts_of(text, media_type, most=most))


def test_a_part_ends_before_the_highest_heading_of_its_second_half() -> None:
    text = "# A\n\n" + "Words. " * 12 + "\n\n## B\n\nWords.\n\n# C\n\nWords.\n\n## D\n\n" + "Words. " * 20
    first, *_ = parts_of([text], MediaType.MARKDOWN, most=140)
    assert text[len(first) :].startswith("# C")


def test_a_part_does_not_end_inside_a_listing_that_fits() -> None:
    listing = "```\n" + "# a comment\n\nline\n" * 6 + "```\n"
    text = "Words. " * 12 + "\n\n" + listing + "\nMore words. " * 20
    for part in parts_of([text], MediaType.MARKDOWN, most=220):
        assert part.count("```") % 2 == 0


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts_of, "__kwdefaults__", {"most": 400})


@given(PIECES, st.sampled_from(MediaType))
def test_a_stream_is_the_document_with_codes_that_go_on(pieces: list[str], media_type: MediaType) -> None:
    text = "".join(pieces) * 3
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts_of, "__kwdefaults__", {"most": 400})
        found = list(Chunker(SMALL).stream([text], media_type=media_type))
    assert "".join(part.text for part in found) == text
    assert [part.start for part in found] == [0, *accumulate(len(part.text) for part in found)][:-1]
    codes = [chunk.outline for part in found for chunk in part.tree.chunks]
    assert codes == sorted(set(codes))
    tops = [code.parts[0] for code in codes if code.depth == 1]
    assert tops == list(range(1, len(tops) + 1))
    for part in found:
        assert "".join(leaf.span.of(part.text) for leaf in part.tree.leaves) == part.text


def test_headings_stay_open_from_part_to_part(small_parts: None) -> None:
    text = "# Guide\n\n## Install\n\n" + "A sentence about it. " * 40 + "\n\n## Use\n\n" + "Another sentence. " * 10
    found = list(Chunker(SMALL).stream([text], media_type=MediaType.MARKDOWN))
    assert len(found) > 2
    paths = [leaf.heading_path for part in found for leaf in part.tree.leaves]
    assert set(paths) == {("Guide", "Install"), ("Guide", "Use")}
    assert paths == sorted(paths)


def test_a_document_that_fits_is_cut_as_if_it_were_not_streamed() -> None:
    text = "# Guide\n\n" + "A sentence about it. " * 40
    (part,) = Chunker(SMALL).stream(text.splitlines(keepends=True), media_type=MediaType.MARKDOWN)
    assert part.tree == Chunker(SMALL).chunk(text, media_type=MediaType.MARKDOWN)
    assert part.start == 0
    assert list(Chunker().stream([])) == []


def test_front_matter_stands_only_at_the_beginning(small_parts: None) -> None:
    text = "---\ntitle: x\n---\n\n" + "A sentence. " * 40 + "\n\n---\n\n# In the middle\n\n---\n\n" + "More. " * 40
    found = list(Chunker(SMALL).stream([text], media_type=MediaType.MARKDOWN))
    assert ("In the middle",) in {leaf.heading_path for part in found for leaf in part.tree.leaves}


def test_parts_are_large() -> None:
    assert PART_CHARACTERS >= 1_000_000


LONG_LISTING = (
    "# Title\n\n```python\n" + "# a comment\nx = 1\n\n" * 60 + "```\n\n## After\n\nA sentence of some words.\n"
)


def test_a_listing_over_several_parts_ends_at_lines_and_opens_no_sections(small_parts: None) -> None:
    found = list(Chunker(SMALL).stream([LONG_LISTING], media_type=MediaType.MARKDOWN))
    assert len(found) > 2
    assert all(part.text.endswith("\n") for part in found)
    paths = {chunk.heading_path for part in found for chunk in part.tree.chunks}
    assert paths <= {(), ("Title",), ("Title", "After")}
    assert ("Title", "After") in paths


@pytest.mark.parametrize(
    ("text", "before", "open_at_end"),
    [
        ("```\na\n", "", "```"),
        ("```\na\n```\n", "", ""),
        ("```\n```python\n", "", "```"),
        ("~~~\n```\n", "", "~~~"),
        ("````\n```\n", "", "````"),
        ("``` a ``` b\n", "", ""),
        ("a\n", "```", "```"),
        ("a\n```\nb", "```", ""),
    ],
)
def test_the_listing_that_stays_open_is_known(text: str, before: str, open_at_end: str) -> None:
    assert open_fence(text, before) == open_at_end


def test_many_listings_cost_no_more_than_their_number() -> None:
    text = "```\nx\n```\n" * 110_000
    assert "".join(parts_of([text], MediaType.MARKDOWN)) == text
