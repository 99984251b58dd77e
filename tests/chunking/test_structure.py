from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.units import Gap, UnitKind, markdown_blocks, plain_blocks, read_units
from evolore.domain.language import Language

DOCUMENT = """---
title: Notes
---
# First *part*

One whole sentence. Another sentence follows here.

- item one
- item two, which says a little more than the first
  - nested item

As follows:

| name | value |
|------|-------|
| a    | 1 and some more words |
| b    | 2 and some more words |

```py
x = 1

y = 2
```

Second part
-----------
> # Quoted heading
"""


def kinds_and_texts(text: str) -> list[tuple[UnitKind, str]]:
    units = read_units(text, markdown_blocks(text), Language.EN, most=1000)
    edges = [*units.starts, units.end]
    return [(kind, text[start:end].strip()) for kind, (start, end) in zip(units.kinds, pairwise(edges), strict=True)]


def test_markdown_is_read_into_units_of_their_kind() -> None:
    assert kinds_and_texts(DOCUMENT) == [
        (UnitKind.FRONT_MATTER, "---\ntitle: Notes\n---"),
        (UnitKind.HEADING, "# First *part*"),
        (UnitKind.SENTENCE, "One whole sentence."),
        (UnitKind.SENTENCE, "Another sentence follows here."),
        (UnitKind.LIST_ITEM, "- item one\n- item two, which says a little more than the first"),
        (UnitKind.LIST_ITEM, "- nested item"),
        (UnitKind.SENTENCE, "As follows:"),
        (UnitKind.TABLE_ROW, "| name | value |\n|------|-------|"),
        (UnitKind.TABLE_ROW, "| a    | 1 and some more words |"),
        (UnitKind.TABLE_ROW, "| b    | 2 and some more words |"),
        (UnitKind.CODE, "```py\nx = 1\n\ny = 2\n```"),
        (UnitKind.HEADING, "Second part\n-----------"),
        (UnitKind.SENTENCE, "> # Quoted heading"),
    ]


def test_every_gap_knows_what_it_is() -> None:
    units = read_units(DOCUMENT, markdown_blocks(DOCUMENT), Language.EN, most=1000)
    assert units.gaps == [
        Gap.START,
        Gap.BEFORE_HEADING,
        Gap.AFTER_HEADING,
        Gap.INSIDE_PARAGRAPH,
        Gap.BLANK_LINE,
        Gap.NEWLINE,
        Gap.BLANK_LINE,
        Gap.AFTER_COLON,
        Gap.INSIDE_TABLE,
        Gap.INSIDE_TABLE,
        Gap.BLANK_LINE,
        Gap.BEFORE_HEADING,
        Gap.AFTER_HEADING,
    ]
    assert [(heading.level, heading.title) for heading in units.headings] == [(1, "First *part*"), (2, "Second part")]


def test_plain_text_has_paragraphs_lines_and_sentences() -> None:
    text = "The first sentence here. The second sentence.\nA line of its own here\n\nA paragraph after that.\r\n\r\nThe last one."
    units = read_units(text, plain_blocks(), Language.EN, most=1000)
    assert units.gaps == [Gap.START, Gap.INSIDE_PARAGRAPH, Gap.NEWLINE, Gap.BLANK_LINE, Gap.BLANK_LINE]


def test_tiny_lines_are_joined_but_paragraphs_are_not() -> None:
    text = "a\nb\nc\n\nd\n"
    assert read_units(text, plain_blocks(), Language.EN, most=1000).starts == [0, 7]


def test_a_long_list_item_is_cut_into_sentences() -> None:
    item = "- " + "This is a sentence of the item. " * 12
    units = read_units(item, markdown_blocks(item), Language.EN, most=1000)
    assert len(units.starts) == 12
    assert set(units.kinds) == {UnitKind.LIST_ITEM}


@pytest.mark.parametrize("text", ["\n\n", "[ref]: https://a.b\n", "\r\r# h", "- # heading in a list"])
def test_a_document_without_blocks_or_with_blanks_first_begins_at_its_start(text: str) -> None:
    assert markdown_blocks(text)[0].start == 0


LINES = st.lists(
    st.sampled_from(
        [
            "# h",
            "text. More.",
            "- a",
            "  - b",
            "| a |",
            "|---|",
            "```",
            "> q",
            "",
            "===",
            "<div>",
            "\x00",
            "---",
            "\t\x0b\u2028",
        ]
    ),
    min_size=1,
    max_size=25,
)


@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_blocks_and_units_ascend_from_the_start_of_the_text(lines: list[str], newline: str) -> None:
    text = newline.join(lines) + newline
    blocks = markdown_blocks(text)
    starts = [block.start for block in blocks]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < len(text)
    units = read_units(text, blocks, Language.EN, most=40)
    assert units.starts == sorted(set(units.starts))
    assert all(units.kinds[heading.unit] is UnitKind.HEADING for heading in units.headings)


@pytest.mark.parametrize(
    ("line", "gap"),
    [
        ("三、新的仓储系统", Gap.AFTER_TITLE),
        ("What is to be done", Gap.AFTER_TITLE),
        ("What is to be done?", Gap.BLANK_LINE),
        ("これで終わりです。", Gap.BLANK_LINE),
        ("A line that goes on for so long that nobody would take it for the title of anything at all", Gap.BLANK_LINE),
    ],
)
def test_a_short_line_of_its_own_is_taken_for_a_title(line: str, gap: Gap) -> None:
    text = f"Here is a first paragraph.\n\n{line}\n\nAnd here is what follows it."
    units = read_units(text, plain_blocks(), Language.EN, most=1000)
    assert units.gaps[-1] is gap


def test_an_endless_heading_stands_above_its_passages_by_its_beginning() -> None:
    (heading, _) = markdown_blocks(f"# {'word ' * 1000}\n\nText.")
    assert len(heading.title) == 200
    assert heading.title.startswith("word word")
    assert heading.title.endswith("…")
    assert markdown_blocks(f"# {'w' * 200}")[0].title == "w" * 200
