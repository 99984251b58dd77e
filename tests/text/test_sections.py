from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.document import MediaType
from evolore.text.sections import read_sections, text_digest

DOCUMENT = "Before.\n\n# A\n\nText.\n\n### B\n\nMore.\n## C\n\n```\n# no heading\n```\n\n# D\nEnd"
LINES = st.lists(
    st.sampled_from(["# A", "## B", "### C", "text", "", "```", "- item", "> # quoted", "表題", "====", "\r"]),
    max_size=20,
)


def test_headings_open_sections_with_codes_and_paths() -> None:
    found = [(str(one.code), one.path) for one in read_sections(DOCUMENT)]
    assert found == [("None", ()), ("1", ("A",)), ("1.1", ("A", "B")), ("1.2", ("A", "C")), ("2", ("D",))]


def test_without_headings_paragraphs_are_the_sections() -> None:
    assert [one.text for one in read_sections("a\n\nb\nc\n\n\nd")] == ["a\n\n", "b\nc\n\n\n", "d"]


def test_plain_text_has_no_headings() -> None:
    found = read_sections("# a\n\nb", media_type=MediaType.PLAIN)
    assert [str(one.code) for one in found] == ["1", "2"]


@given(st.one_of(st.text(max_size=80), LINES.map("\n".join)), st.sampled_from(list(MediaType)))
def test_sections_joined_are_the_document(text: str, media_type: MediaType) -> None:
    sections = read_sections(text, media_type=media_type)
    assert "".join(one.text for one in sections) == text
    assert all(one.span.of(text) == one.text for one in sections)


@given(LINES.map("\n".join))
def test_each_code_stands_once(text: str) -> None:
    codes = [one.code for one in read_sections(text)]
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(("code", "below"), [("1", True), ("2", False)])
def test_a_section_knows_what_stands_below_it(code: str, below: bool) -> None:  # noqa: FBT001 - a case
    sections = {str(one.code): one for one in read_sections(DOCUMENT)}
    assert sections["1.1"].is_below(sections[code]) is below


def test_a_digest_changes_with_the_text() -> None:
    assert text_digest("a") != text_digest("a ")
    assert len(text_digest("\ud800")) == 16
