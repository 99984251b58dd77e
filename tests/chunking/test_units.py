from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.chunking.units import (
    Spacing,
    UnitKind,
    markdown_blocks,
    plain_blocks,
    read_units,
    reads_as_code,
    with_turns,
)
from evolore.domain.document import MediaType
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
        Spacing.START,
        Spacing.BEFORE_HEADING,
        Spacing.AFTER_HEADING,
        Spacing.INSIDE_PARAGRAPH,
        Spacing.BLANK_LINE,
        Spacing.NEWLINE,
        Spacing.BLANK_LINE,
        Spacing.AFTER_COLON,
        Spacing.INSIDE_TABLE,
        Spacing.INSIDE_TABLE,
        Spacing.BLANK_LINE,
        Spacing.BEFORE_HEADING,
        Spacing.AFTER_HEADING,
    ]
    assert [(heading.level, heading.title) for heading in units.headings] == [(1, "First part"), (2, "Second part")]


def test_plain_text_has_paragraphs_lines_and_sentences() -> None:
    text = "The first sentence here. The second sentence.\nA line of its own here\n\nA paragraph after that.\r\n\r\nThe last one."
    units = read_units(text, plain_blocks(text), Language.EN, most=1000)
    assert units.gaps == [
        Spacing.START,
        Spacing.INSIDE_PARAGRAPH,
        Spacing.NEWLINE,
        Spacing.BLANK_LINE,
        Spacing.BLANK_LINE,
    ]


def test_tiny_lines_are_joined_but_paragraphs_are_not() -> None:
    text = "a\nb\nc\n\nd\n"
    assert read_units(text, plain_blocks(text), Language.EN, most=1000).starts == [0, 7]


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
        ("三、新的仓储系统", Spacing.AFTER_TITLE),
        ("What is to be done", Spacing.AFTER_TITLE),
        ("What is to be done?", Spacing.BLANK_LINE),
        ("これで終わりです。", Spacing.BLANK_LINE),
        (
            "A line that goes on for so long that nobody would take it for the title of anything at all",
            Spacing.BLANK_LINE,
        ),
    ],
)
def test_a_short_line_of_its_own_is_taken_for_a_title(line: str, gap: Spacing) -> None:
    text = f"Here is a first paragraph.\n\n{line}\n\nAnd here is what follows it."
    units = read_units(text, plain_blocks(text), Language.EN, most=1000)
    assert units.gaps[-1] is gap


def test_an_endless_heading_stands_above_its_passages_by_its_beginning() -> None:
    (heading, _) = markdown_blocks(f"# {'word ' * 1000}\n\nText.")
    assert len(heading.title) == 200
    assert heading.title.startswith("word word")
    assert heading.title.endswith("…")
    assert markdown_blocks(f"# {'w' * 200}")[0].title == "w" * 200


SMALL = ChunkSettings(target_size=100, max_size=200, min_size=20)
SAID = [
    "Shall we begin?",
    "The pump is ready. It was tested.",
    "What of the fuel?",
    "On Monday.",
    "Good.",
    "And bread?",
]
SAGTE = ["始めますか。", "ポンプは準備できた。試した。", "燃料は？", "月曜に来る。", "よし。", "パンは？"]


def turns(text: str, *, media_type: MediaType = MediaType.PLAIN) -> list[str]:
    blocks = markdown_blocks(text) if media_type is MediaType.MARKDOWN else plain_blocks(text)
    found = with_turns(text, blocks)
    ends = [*(block.start for block in found[1:]), len(text)]
    return [text[block.start : end] for block, end in zip(found, ends, strict=True) if block.kind is UnitKind.TURN]


@pytest.mark.parametrize(
    ("form", "names", "said"),
    [
        ("{name}: {said}\n", ["Alice", "Bob"], SAID),
        ("[10:0{n}] {name}: {said}\n", ["Alice Lee", "Bob"], SAID),
        ("10:0{n}:00 - {name}: {said}\n", ["Alice", "Bob"], SAID),
        ("[12/03/2024, 10:0{n}] {name}: {said}\n", ["Alice", "Bob"], SAID),
        ("12/03/24, 1:0{n} PM - {name}: {said}\n", ["Alice", "Bob"], SAID),
        ("2024-03-12 10:0{n}:30 {name}: {said}\n", ["Alice", "Bob"], SAID),
        ("2024/03/12 10:0{n} {name}：{said}\n", ["佐藤", "鈴木"], SAGTE),
        ("**{name}:** {said}\n\n", ["Alice", "Bob"], SAID),
        ("**{name}**: {said}\n\n", ["Dr. Lee", "Bob"], SAID),
        ("- {name}: {said}\n", ["Alice", "Bob"], SAID),
        ("{name} (remote): {said}\n", ["Alice", "Bob"], SAID),
        ("{name}：{said}\n", ["佐藤", "鈴木"], SAGTE),
        ("{name}: {said}\n", ["佐藤さん", "鈴木"], SAGTE),
        ("{name}：“{said}”\n", ["小王", "老李"], SAGTE),
    ],
)
@pytest.mark.parametrize("media_type", MediaType)
def test_who_speaks_begins_a_turn(form: str, names: list[str], said: list[str], media_type: MediaType) -> None:
    lines = [form.format(name=names[n % 2], said=one, n=n) for n, one in enumerate(said)]
    assert turns("".join(lines), media_type=media_type) == lines
    assert turns("Minutes.\n\n" + "".join(lines), media_type=media_type) == lines


@pytest.mark.parametrize(
    "text",
    [
        "Note: read this.\nPrice: 3 pounds.\nColour: red.\nWarning: hot.\nSize: big.\nWeight: low.\nEnd: now.\n",
        "We saw it at 10:30. Then: nothing.\n" * 8,
        "Alice: hello.\nBob: hello.\n",
        "Alice: one.\n" * 9,
        "Name: lamp\nPrice: 3\nColour: red\n\n" * 6,
        "From: a\nTo: b\nSubject: c\n\nThe text.\n\n" * 6,
        "- name: web\n  image: nginx\n  port: 80\n" * 6,
        "12/03/24: nothing.\n" * 9,
        "https://example.org: it is down.\nhttp://example.com: too.\n" * 5,
        "そこで：何もない。\n" * 9,
    ],
)
def test_labels_and_loose_colons_are_no_conversation(text: str) -> None:
    assert turns(text) == []


def test_what_follows_a_turn_belongs_to_it_up_to_a_heading_or_a_listing() -> None:
    said = "".join(f"{name}: {line}\n\nMore of it.\n\n" for name, line in zip("ABABAB", SAID, strict=True))
    text = f"# Call\n\nMinutes.\n\n{said}```\nA: code\nB: code\n```\n\n# End\n\nAll went home.\n"
    found = turns(text, media_type=MediaType.MARKDOWN)
    assert len(found) == 6
    assert all(turn.endswith("More of it.\n\n") for turn in found)


def test_turns_that_fit_are_not_cut() -> None:
    lines = [f"{name}: {line} {line} {line}\n" for name, line in zip("ABCABC" * 4, SAID * 4, strict=True)]
    text = "".join(lines)
    leaves = [leaf.span.of(text) for leaf in Chunker(SMALL).chunk(text).leaves]
    assert len(leaves) > 4
    assert all(leaf[:2] in {"A:", "B:", "C:"} for leaf in leaves)
    assert "".join(leaves) == text


def test_a_turn_over_the_limit_is_cut_at_its_sentences() -> None:
    speech = "A: " + "".join(f"Sentence {n} of a long speech. " for n in range(30)) + "\n"
    text = speech + "B: Yes.\nA: So.\nB: Yes.\nA: So.\nB: Yes.\n"
    tree = Chunker(SMALL).chunk(text)
    assert not tree.review_items
    assert all(leaf.span.of(text).startswith(("A: ", "Sentence", "B: ")) for leaf in tree.leaves)


CODE = "".join(
    f"def step_{n}(value: int) -> int:\n    total = value * {n}\n\n    if total > 3:\n        return 3\n    return total\n\n\n"
    for n in range(12)
)


def test_code_is_cut_between_its_outermost_blocks() -> None:
    assert reads_as_code(CODE)
    leaves = [leaf.span.of(CODE) for leaf in Chunker(ChunkSettings(target_size=250, min_size=20)).chunk(CODE).leaves]
    assert len(leaves) > 3
    assert all(leaf.startswith("def ") for leaf in leaves)


@pytest.mark.parametrize(
    "text", ["A page of prose.\n" * 20, "　段落の始め。\n" * 20, "", "  One line that is indented\n" + "Not.\n" * 9]
)
def test_prose_does_not_read_as_code(text: str) -> None:
    assert not reads_as_code(text)


@given(
    st.lists(
        st.sampled_from(
            ["A: so. ", "B: yes.\n", "\n", "\n\n", "# H\n", "```\n", "- A: x\n", "C：はい。\n", "| a |\n|---|\n"]
        ),
        max_size=40,
    )
)
def test_blocks_ascend_and_cover_the_text_whoever_speaks(pieces: list[str]) -> None:
    text = "A: a\nB: b\n" + "".join(pieces)
    for blocks in (plain_blocks(text), markdown_blocks(text)):
        starts = [block.start for block in with_turns(text, blocks)]
        assert starts[0] == 0
        assert starts == sorted(set(starts))
        assert starts[-1] < len(text)


@pytest.mark.parametrize(
    ("html", "level", "title"),
    [
        ('<h1 align="center">\n  <img src="a.png"> Tea <b>house</b>\n</h1>', 1, "Tea house"),
        ("<div align=center><h2>Tea</h2></div>", 2, "Tea"),
        ("<p>Tea</p>", 0, ""),
    ],
)
def test_a_heading_written_as_html_opens_a_section(html: str, level: int, title: str) -> None:
    [first, _] = markdown_blocks(f"{html}\n\nBoil it.\n")
    assert (first.level, first.title) == (level, title)
