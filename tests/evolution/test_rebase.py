"""Rebase: promoted sections are kept where their source changed elsewhere, and no word of the source is lost."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.document import MediaType
from evolore.evolution.rebase import ChangeFate, changes_between, rebase, source_text, stretches, without

OLD = "# Refunds\n\nHow.\n\n## Time\n\n7 days.\n\n## Who\n\nThe desk.\n"
NEW = OLD.replace("7 days", "10 days")
CHANGES = changes_between(OLD, NEW)


def fates(source: str, changes: tuple[object, ...] = CHANGES) -> list[str]:
    del changes
    return [one.fate.value for one in rebase(CHANGES, source).placed]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("How.", "How it is."),
        ("The desk.", "The boss."),
        ("## Who", "## Whose"),
        ("# Refunds\n\nHow.\n\n", "# Refunds\n\nHow.\n\n## First\n\nx\n\n"),
        ("## Who\n\nThe desk.\n", ""),
        ("# Refunds\n\nHow.\n\n", ""),
        ("# Refunds", "# Money"),
    ],
)
def test_a_section_that_its_source_left_alone_keeps_what_was_promoted(before: str, after: str) -> None:
    source = OLD.replace(before, after)
    made = rebase(CHANGES, source)
    assert made.text == source.replace("7 days", "10 days")
    assert source_text(made.text, made.kept) == source


def test_a_section_that_moved_keeps_what_was_promoted() -> None:
    source = "# Refunds\n\nHow.\n\n## Who\n\nThe desk.\n\n# Times\n\n## Time\n\n7 days.\n"
    assert rebase(CHANGES, source).text == source.replace("7 days", "10 days")


@pytest.mark.parametrize("after", ["8 days.", "7 days. Or so.", ""])
def test_a_section_that_its_source_changed_too_waits_and_the_sources_text_stands(after: str) -> None:
    source = OLD.replace("7 days.", after)
    made = rebase(CHANGES, source)
    assert (made.text, made.kept) == (source, ())
    (placed,) = made.placed
    assert placed.fate is ChangeFate.WAITING
    assert placed.span is not None
    assert placed.span.of(source).startswith("## Time")


def test_a_section_that_its_source_took_out_waits() -> None:
    assert fates(OLD.replace("## Time\n\n7 days.\n\n", "")) == ["waiting"]


def test_what_the_source_says_itself_is_neither_kept_nor_asked() -> None:
    made = rebase(CHANGES, NEW + "\n## More\n\nx\n")
    assert [one.fate for one in made.placed] == [ChangeFate.IN_SOURCE]
    assert made.kept == ()


def test_what_a_person_decided_for_is_made_where_the_section_stands_now() -> None:
    source = OLD.replace("7 days", "8 days")
    made = rebase((), source, forced=CHANGES)
    assert made.text == NEW
    assert source_text(made.text, made.kept) == source


def test_of_two_sections_that_say_the_same_the_right_one_keeps_what_was_promoted() -> None:
    old = "# A\n\n## Note\n\nNone.\n\n# B\n\n## Note\n\nNone.\n"
    new = old.replace("# B\n\n## Note\n\nNone", "# B\n\n## Note\n\nOne")
    source = old.replace("# A\n", "# A\n\nMore.\n")
    changes = changes_between(old, new)
    assert rebase(changes, source).text == new.replace("# A\n", "# A\n\nMore.\n")
    changed = old.replace("# B\n\n## Note\n\nNone", "# B\n\n## Note\n\nTwo")
    assert [one.fate for one in rebase(changes, changed).placed] == [ChangeFate.WAITING]


def test_line_ends_are_the_sources() -> None:
    source = OLD.replace("How.", "How it is.").replace("\n", "\r\n")
    made = rebase(CHANGES, source)
    assert made.text == source.replace("7 days", "10 days")
    assert source_text(made.text, made.kept) == source


def test_paragraphs_of_plain_text_are_kept_too() -> None:
    old = "One.\n\nTwo.\n\nThree.\n"
    changes = changes_between(old, "One.\n\nTwo, it is.\n\nThree.\n", media_type=MediaType.PLAIN)
    made = rebase(changes, "None.\n\nTwo.\n\nThree.\n\nFour.\n", media_type=MediaType.PLAIN)
    assert made.text == "None.\n\nTwo, it is.\n\nThree.\n\nFour.\n"
    asked = rebase(changes, "One.\n\nTwelve.\n\nThree.\n", media_type=MediaType.PLAIN)
    assert [one.fate for one in asked.placed] == [ChangeFate.WAITING]


def test_what_is_taken_back_is_what_the_source_says_and_the_rest_stays() -> None:
    new = NEW.replace("The desk", "The boss")
    kept = stretches(OLD, new)
    back, left = without(new, kept, [kept[0].span])
    assert back == OLD.replace("The desk", "The boss")
    assert source_text(back, left) == OLD


TITLES = st.sampled_from("ABCDE")
BODIES = st.sampled_from(["", "x", "y y", "z\n\nz", "```\n# no\n```", "- a\n- b"])
TEXTS = st.lists(st.tuples(st.integers(1, 3), TITLES, BODIES), max_size=7).map(
    lambda blocks: "".join(f"{'#' * level} {title}\n\n{body}\n\n" for level, title, body in blocks)
)


@given(TEXTS, TEXTS, TEXTS)
def test_whatever_changes_no_word_of_the_source_is_lost(old: str, new: str, source: str) -> None:
    changes = changes_between(old, new)
    made = rebase(changes, source)
    assert source_text(made.text, made.kept) == source
    assert len(made.placed) == len(changes)
    for one in made.placed:
        if one.fate is ChangeFate.HELD and one.change.text.strip():
            assert one.change.text.rstrip() in made.text


@given(TEXTS, TEXTS)
def test_where_the_source_stays_all_holds(old: str, new: str) -> None:
    made = rebase(changes_between(old, new), old)
    assert made.text.split() == new.split() or ChangeFate.WAITING in {one.fate for one in made.placed}


@given(TEXTS, TEXTS)
def test_stretches_give_the_source_back(old: str, new: str) -> None:
    assert source_text(new, stretches(old, new)) == old


@pytest.mark.parametrize("line", ["same", "# same"])
def test_its_time_does_not_grow_with_the_cube_of_the_length(line: str) -> None:
    def seconds(count: int) -> float:
        old = f"{line}\n\n" * count
        new = f"first\n\n{line} too\n\n" + f"{line}\n\n" * (count // 2) + f"other\n\n{line}\n\n" * (count // 2)
        began = process_time()
        rebase(changes_between(old, new), old + "more\n")
        return process_time() - began

    assert seconds(1600) < 16 * max(seconds(400), 0.05)
