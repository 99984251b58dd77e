from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, place_of, refused_edits
from evolore.text.sections import read_sections

DOCUMENT = "Before.\n\n# A\n\nText.\n\n## B\n\nMore.\n\n# C\n\nEnd.\n"
DOCUMENTS = st.lists(
    st.sampled_from(["# A", "## B", "# C", "## B", "text", "表", "", "- item"]), min_size=1, max_size=12
).map("\n".join)


def edit(
    place: str, kind: EditKind = EditKind.REPLACE, text: str = "## New\n\nWords.", *, document: str = DOCUMENT
) -> SectionEdit:
    sections = {place_of(one): one for one in read_sections(document)} | {
        " > ".join(one.path): one for one in read_sections(document) if one.path
    }
    digest = sections[place].digest
    return SectionEdit(
        kind=kind, place=place, digest=digest, text="" if kind is EditKind.DELETE else text, reason="Clearer."
    )


def test_a_section_is_replaced_inserted_and_deleted() -> None:
    edits = [edit("1.1"), edit("A", EditKind.INSERT, "# Between\n\nHere."), edit("2", EditKind.DELETE)]
    assert apply_edits(DOCUMENT, edits) == ("Before.\n\n# A\n\nText.\n\n## New\n\nWords.\n\n# Between\n\nHere.\n\n")


def test_the_opening_is_named_by_nothing() -> None:
    assert apply_edits(DOCUMENT, [edit("", text="Opening.")]).startswith("Opening.\n\n# A")


def test_lines_end_as_the_document_ends_them() -> None:
    document = "# A\r\n\r\nText.\r\n\r\n# B\r\n\r\nMore.\r\n"
    changed = apply_edits(document, [edit("1", text="# A\n\nNew.", document=document)])
    assert changed == "# A\r\n\r\nNew.\r\n\r\n# B\r\n\r\nMore.\r\n"


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([edit("1.1"), edit("A > B")], "Two edits overlap"),
        ([edit("1.1"), edit("1.1", EditKind.DELETE)], "Two edits overlap"),
        ([edit("1", EditKind.DELETE)], "Deleting '1' would leave 1.1"),
        ([SectionEdit(kind=EditKind.DELETE, place="1.1", digest="0", reason="Old.")], "make it again"),
        ([SectionEdit(kind=EditKind.DELETE, place="9", digest="0", reason="Old.")], "names no section"),
    ],
)
def test_what_cannot_be_applied_is_refused_with_its_reason(edits: list[SectionEdit], reason: str) -> None:
    assert reason in refused_edits(DOCUMENT, edits)[0]
    with pytest.raises(InvalidValue, match=reason):
        apply_edits(DOCUMENT, edits)


def test_a_path_that_two_sections_have_is_refused_with_their_codes() -> None:
    document = "# A\n\none\n\n# A\n\ntwo\n"
    refused = refused_edits(document, [SectionEdit(kind=EditKind.DELETE, place="A", digest="0", reason="Old.")])
    assert "use one of the codes 1, 2" in refused[0]


def test_a_section_goes_with_all_below_it() -> None:
    assert (
        apply_edits(DOCUMENT, [edit("1", EditKind.DELETE), edit("1.1", EditKind.DELETE)]) == "Before.\n\n# C\n\nEnd.\n"
    )


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [(EditKind.DELETE, "x", "why"), (EditKind.REPLACE, " ", "why"), (EditKind.INSERT, "x", " ")],
)
def test_an_edit_without_text_or_reason_cannot_be(kind: EditKind, text: str, reason: str) -> None:
    with pytest.raises(InvalidValue):
        SectionEdit(kind=kind, place="1", digest="0", text=text, reason=reason)


@given(DOCUMENTS.filter(bool), st.data())
def test_what_no_edit_names_stays_character_for_character(document: str, data: st.DataObject) -> None:
    sections = read_sections(document)
    chosen = data.draw(st.sampled_from(sections))
    edits = [
        SectionEdit(kind=EditKind.REPLACE, place=place_of(chosen), digest=chosen.digest, text="NEW", reason="Why.")
    ]
    changed = apply_edits(document, edits)
    assert changed.startswith(document[: chosen.span.start] + "NEW")
    assert changed.endswith(document[chosen.span.end :])


@given(DOCUMENTS)
def test_no_edits_change_nothing(document: str) -> None:
    assert apply_edits(document, []) == document
