from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings, SizeUnit, measure
from evolore.domain.document import Chunk, ChunkTree, MediaType, Tier
from evolore.domain.language import Language
from evolore.domain.review import Priority, ReviewCategory
from evolore.errors import InvalidValue
from growth import assert_in_proportion
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.outline import OutlineCode

SMALL = ChunkSettings(target_size=40, max_size=80, min_size=10)

ENGLISH = [
    "The engine burns fuel and turns the wheels. ",
    "Fuel is pumped into the engine by a small pump. ",
    "However, it stops at night. ",
    "Bread is made of flour and water.\n",
    "Bakers knead the flour before dawn.\n\n",
]
JAPANESE = [
    "エンジンは燃料を燃やす。",
    "燃料はポンプで送られる。",
    "しかし夜は止まる。",
    "「行くよ。待って。」と言った。\n",
    "パンは小麦粉で作る。\n\n",
]
CHINESE = ["发动机燃烧燃料。", "燃料由水泵输送。", "但是夜里它会停。", "他说：“走吧。”\n", "面包是用面粉做的。\n\n"]
MARKDOWN = [
    *(
        "# One\n",
        "## Two\n\n",
        "### Three\n",
        "Title\n=====\n",
        "- item one\n",
        "  - nested item\n",
        "1. first\n",
        "> quoted text\n",
    ),
    *(
        "| a | b |\n|---|---|\n",
        "| 1 | 2 |\n",
        "```py\nprint('x')\n\n```\n",
        "    indented code\n",
        "<div>\nhtml\n</div>\n\n",
        "---\n",
    ),
    *("---\ntitle: x\n---\n", "As follows:\n\n", "[ref]: https://a.b\n", "\n", "\n\n\n"),
]
ODD = [
    "\r\n",
    "\r",
    "\x00",
    "\ud800",
    "👩\u200d👩\u200d👧",
    "🇯🇵🇫🇷",
    "e\u0301",
    " " * 90,
    "x" * 200,
    "「",
    "\u2028",
    "a\n" * 30,
]

TEXTS = st.lists(st.sampled_from(ENGLISH + JAPANESE + CHINESE + MARKDOWN + ODD), max_size=40).map("".join)


def children(tree: ChunkTree, code: OutlineCode | None) -> list[Chunk]:
    return [chunk for chunk in tree.chunks if chunk.outline.parent == code]


def assert_sound(tree: ChunkTree, text: str, most: int) -> None:
    assert "".join(leaf.span.of(text) for leaf in tree.leaves) == text
    assert all(0 < len(leaf.span) <= most for leaf in tree.leaves)
    assert [chunk.outline for chunk in tree.chunks] == sorted(chunk.outline for chunk in tree.chunks)
    tops = [chunk for chunk in tree.chunks if chunk.outline.depth == 1]
    assert [chunk.outline.number for chunk in tops] == list(range(1, len(tops) + 1))
    for chunk in tree.chunks:
        below = children(tree, chunk.outline)
        assert chunk.is_leaf == (not below)
        if below:
            assert len(below) > 1
            assert [child.outline.number for child in below] == list(range(1, len(below) + 1))
            assert chunk.span.start == below[0].span.start
            assert chunk.span.end == below[-1].span.end
            assert all(before.span.end == after.span.start for before, after in pairwise(below))


@given(TEXTS, st.sampled_from(MediaType))
@example("---\ntitle: x\n---\n# One\n\n## Two\n", MediaType.MARKDOWN)
@example("x" * 500, MediaType.PLAIN)
@example("\n" * 300, MediaType.PLAIN)
def test_the_leaves_joined_are_the_document_and_fit(text: str, media_type: MediaType) -> None:
    tree = Chunker(SMALL).chunk(text, media_type=media_type)
    assert_sound(tree, text, SMALL.max_size)
    assert Chunker(SMALL).chunk(text, media_type=media_type) == tree


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=400), st.sampled_from(MediaType))
def test_no_text_at_all_breaks_the_tree(text: str, media_type: MediaType) -> None:
    assert_sound(Chunker(SMALL).chunk(text, media_type=media_type), text, SMALL.max_size)


@pytest.mark.parametrize("sentences", [ENGLISH, JAPANESE, CHINESE])
def test_long_documents_get_an_outer_level(sentences: list[str]) -> None:
    text = "".join(sentences) * 60
    tree = Chunker(SMALL).chunk(text)
    assert_sound(tree, text, SMALL.max_size)
    assert max(chunk.outline.depth for chunk in tree.chunks) == 2
    assert not tree.review_items


MATTERS = (
    ("engine", "piston", "fuel", "pump", "valve", "gear"),
    ("flour", "yeast", "oven", "dough", "loaf", "crust"),
    ("choir", "organ", "tenor", "hymn", "psalm", "altar"),
)


def about(words: Sequence[str], sentences: int, *, own: str = "") -> str:
    """Make sentences on one matter, from its words and a few that every matter has; ``own`` names one inside it."""
    common = ("day", "hand", "place", "work", "year")
    return "".join(
        f"The {words[n % 6]} and the {words[(n * n + 1) % 6]} {own}{n // 7 if own else ''} meet the {common[n % 5]}. "
        for n in range(sentences)
    )


def test_long_prose_gets_a_part_for_each_of_its_matters() -> None:
    parts = [about(words, 120, own=words[0]) for words in MATTERS]
    tree = Chunker().chunk(text := "".join(parts))
    assert_sound(tree, text, 1000)
    tops = children(tree, None)
    starts = [0, len(parts[0]), len(parts[0]) + len(parts[1])]
    assert [top.span.start for top in tops] == pytest.approx(starts, abs=600)
    assert {leaf.outline.depth for leaf in tree.leaves} == {3}
    assert all((top.gain_bits or 0) > 0 for top in tops[1:])


def test_long_prose_on_one_matter_keeps_two_levels() -> None:
    tree = Chunker().chunk(about((*MATTERS[0],), 400))
    assert max(chunk.outline.depth for chunk in tree.chunks) == 2


def test_prose_up_to_four_outer_chunks_long_keeps_two_levels() -> None:
    parts = [about(words, 50) for words in MATTERS]
    assert len("".join(parts)) < 4 * 2400
    assert max(chunk.outline.depth for chunk in Chunker().chunk("".join(parts)).chunks) == 2


def test_parts_are_found_in_proportional_time() -> None:
    text = "".join(about(words, 60, own=words[1]) for words in MATTERS * 60)
    assert_in_proportion(lambda size: Chunker().chunk(text[:size]), len(text) // 4)


def test_an_empty_text_has_no_chunks() -> None:
    assert Chunker().chunk("") == ChunkTree(chunks=())


def test_a_short_text_is_one_chunk() -> None:
    tree = Chunker().chunk("A short note.", source="note.txt")
    assert [str(chunk.outline) for chunk in tree.chunks] == ["1"]
    assert tree.chunks[0].gain_bits is None
    assert not tree.review_items


def test_a_cut_falls_where_the_topic_turns_and_says_what_it_saves() -> None:
    engines = "The engine burns diesel fuel. A pump feeds fuel to the engine. The engine drives the pump. Diesel engines need fuel pumps. "
    bread = "Bread needs flour and yeast. Bakers knead flour with yeast. Yeast makes bread rise. Bakers bake bread from flour. "
    tree = Chunker(ChunkSettings(target_size=120, max_size=200, min_size=20)).chunk(engines + bread)
    second = tree.leaves[1]
    assert second.span.start == len(engines)
    assert second.gain_bits is not None
    assert second.gain_bits > 0
    assert second.tier is Tier.CODE_LENGTH


BODY = "Some words about this very matter stand here, and they go on for a while to fill the page. " * 3


def test_headings_are_the_outer_levels() -> None:
    text = f"# Guide\n\n{BODY}\n\n## Install\n\n{BODY}\n\n## Use\n\n{BODY}\n\n### Daily\n\n{BODY}\n\n### Weekly\n\n{BODY}\n"
    tree = Chunker().chunk(text, media_type=MediaType.MARKDOWN)
    assert [(str(chunk.outline), chunk.heading_path) for chunk in tree.chunks] == [
        ("1", ("Guide",)),
        ("2", ("Guide", "Install")),
        ("3", ("Guide", "Use")),
        ("3.1", ("Guide", "Use")),
        ("3.2", ("Guide", "Use", "Daily")),
        ("3.3", ("Guide", "Use", "Weekly")),
    ]
    assert all(chunk.gain_bits is None for chunk in tree.chunks)


def test_a_heading_stays_with_the_text_below_it() -> None:
    text = f"# Guide\n\n## Install\n\n{BODY}\n\n## Use\n\n{BODY}\n"
    tree = Chunker().chunk(text, media_type=MediaType.MARKDOWN)
    assert [leaf.span.of(text)[:8] for leaf in tree.leaves] == ["# Guide\n", "## Use\n\n"]
    assert tree.leaves[0].heading_path == ("Guide", "Install")


def test_small_sections_are_joined() -> None:
    faq = "".join(f"## Question {number}\n\nYes.\n\n" for number in range(6))
    text = f"# FAQ\n\n{BODY}\n\n{faq}## Long\n\n{BODY}\n\n## End\n\nOk.\n"
    tree = Chunker().chunk(text, media_type=MediaType.MARKDOWN)
    starts = [leaf.span.of(text).split("\n")[0] for leaf in tree.leaves]
    assert "## Question 1" not in starts
    assert "## Long" in starts
    assert "## End" not in starts


def test_code_and_table_rows_that_fit_are_not_cut() -> None:
    code = "```py\n" + "".join(f"value_{number} = compute({number})\n\n" for number in range(12)) + "```\n"
    row = "| " + "cell of a table row. Another sentence in it. " * 4 + "|\n"
    text = f"# A\n\n{BODY}\n\n{code}\n{BODY}\n\n| h |\n|---|\n{row * 8}\n{BODY}"
    tree = Chunker(ChunkSettings(target_size=300, max_size=600)).chunk(text, media_type=MediaType.MARKDOWN)
    assert any(code in leaf.span.of(text) for leaf in tree.leaves)
    assert sum(leaf.span.of(text).count(row) for leaf in tree.leaves) == 8
    assert not tree.review_items


HEAD = "| Tree | Height cm |"


def table_of(rows: int, head: str = HEAD) -> str:
    return f"{head}\n| --- | --- |\n" + "".join(f"| T-{100 + row} | {row * 7 % 90} |\n" for row in range(rows))


def heads_and_texts(text: str, settings: ChunkSettings = SMALL) -> list[tuple[tuple[str, ...], str]]:
    tree = Chunker(settings).chunk(text, media_type=MediaType.MARKDOWN)
    assert "".join(leaf.span.of(text) for leaf in tree.leaves) == text
    return [(leaf.heading_path, leaf.span.of(text)) for leaf in tree.leaves]


def test_the_later_pieces_of_a_table_carry_its_head() -> None:
    (first, text), *rest = heads_and_texts(f"# Trees\n\n{table_of(40)}\nThe end of the list of trees.\n")
    assert HEAD in text
    assert first == ("Trees",)
    inside = [path for path, text in rest if text.startswith("| ")]
    assert len(inside) > 5
    assert set(inside) == {("Trees", HEAD)}
    assert {path for path, text in rest if not text.startswith("| ")} <= {("Trees",)}


def test_tables_break_between_rows() -> None:
    pieces = [text for _, text in heads_and_texts(table_of(60))]
    assert all(text.startswith("| ") and text.endswith("|\n") for text in pieces)
    assert "".join(pieces).count("| T-") == 60


def test_each_table_has_its_own_head_and_text_below_it_none() -> None:
    other = "| Shrub | Width cm |"
    paths = dict.fromkeys(
        path for path, _ in heads_and_texts(f"{table_of(20)}\nBetween.\n\n{table_of(20, other)}\n## B\n\n{BODY}")
    )
    assert [*paths] == [(), (HEAD,), (other,), ("B",)]


@pytest.mark.parametrize(
    ("head", "carried"),
    [
        ("|  |  |", ()),
        ("Tree | Height cm", (HEAD,)),
        ("| " + "Tree " * 60 + "| b |", ("| " + ("Tree " * 60)[:199] + "… |",)),
    ],
)
def test_a_head_is_written_as_one_line_of_at_most_200_characters_or_left_out(
    head: str, carried: tuple[str, ...]
) -> None:
    settings = ChunkSettings(target_size=40, max_size=400, min_size=10)
    assert heads_and_texts(table_of(20, head), settings)[-1][0] == carried


def test_a_row_over_the_limit_is_cut_and_each_of_its_pieces_carries_the_head() -> None:
    text = table_of(2) + "| T-900 | " + "words of a very long cell; " * 20 + "|\n"
    long = [path for path, piece in heads_and_texts(text) if "cell" in piece]
    assert len(long) > 3
    assert set(long) == {(HEAD,)}


def test_a_unit_over_the_limit_is_cut_hard_and_filed_once() -> None:
    text = "word " * 900
    tree = Chunker().chunk(text, source="long.txt")
    assert_sound(tree, text, 1000)
    assert [chunk.tier for chunk in tree.leaves] == [Tier.CODE_LENGTH] + [Tier.HARD_SPLIT] * (len(tree.leaves) - 1)
    (item,) = tree.review_items
    assert item.category is ReviewCategory.CHUNKING
    assert item.priority is Priority.NORMAL
    assert item.source == "long.txt"
    assert item.text_length == len(text)
    assert [attempt.tier for attempt in item.attempts] == list(Tier)
    assert item.final_tier is Tier.HARD_SPLIT
    assert item.span is not None
    assert item.span.of(text) == text


def test_cuts_inside_words_are_filed_with_high_priority() -> None:
    (item,) = Chunker().chunk("x" * 2500).review_items
    assert item.priority is Priority.HIGH
    assert "inside words" in item.reason


def test_a_heading_over_a_block_that_is_too_long_is_not_left_alone() -> None:
    code = "```\n" + "a line of code\n" * 200 + "```\n"
    text = f"# Guide\n\n{BODY}\n\n## Listing\n\n{code}\n## Next\n\n{BODY}"
    tree = Chunker().chunk(text, media_type=MediaType.MARKDOWN)
    assert_sound(tree, text, 1000)
    assert not any(leaf.span.of(text).strip() == "## Listing" for leaf in tree.leaves)
    first = next(chunk for chunk in tree.chunks if "## Listing" in chunk.span.of(text)[:11])
    assert not first.is_leaf


def test_the_language_can_be_given() -> None:
    text = "".join(JAPANESE) * 10
    assert Chunker(SMALL).chunk(text, language=Language.JA) == Chunker(SMALL).chunk(text)


SHARE = tried(4, long=1)
"""So much shorter odd documents are at every change: none grows faster than its length."""


@pytest.mark.parametrize(
    "text",
    [
        "a\n" * (20_000 // SHARE),
        "x" * (200_000 // SHARE),
        "。」" * (20_000 // SHARE),
        "\n" * (50_000 // SHARE),
        "- a\n" * (5_000 // SHARE),
        "> " * (3_000 // SHARE),
        "# h\n" * (3_000 // SHARE),
        "| a " * (5_000 // SHARE),
    ],
)
@pytest.mark.parametrize("media_type", MediaType)
def test_odd_documents_are_cut_too(text: str, media_type: MediaType) -> None:
    tree = Chunker().chunk(text, media_type=media_type)
    assert "".join(leaf.span.of(text) for leaf in tree.leaves) == text
    assert all(len(leaf.span) <= 1000 for leaf in tree.leaves)


def test_documents_longer_than_a_block_are_cut_in_one_manner() -> None:
    text = "".join(ENGLISH) * 700
    tree = Chunker().chunk(text)
    assert "".join(leaf.span.of(text) for leaf in tree.leaves) == text
    lengths = [len(leaf.span) for leaf in tree.leaves]
    assert min(lengths) > 100
    assert max(lengths) <= 1000


@pytest.mark.parametrize("text", ["# A\n\nText.\n", ""])
def test_words_for_markup_and_language_are_read_or_refused(text: str) -> None:
    given = cast("MediaType", "text/markdown"), cast("Language", "en")
    tree = Chunker().chunk(text, media_type=given[0], language=given[1])
    assert tree == Chunker().chunk(text, media_type=MediaType.MARKDOWN, language=Language.EN)
    with pytest.raises(InvalidValue, match="media_type is 'markdown': use 'text/plain' or 'text/markdown'"):
        Chunker().chunk(text, media_type=cast("MediaType", "markdown"))
    with pytest.raises(InvalidValue, match="media_type is 'markdown'"):
        list(Chunker().stream([text], media_type=cast("MediaType", "markdown")))


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InvalidValue, match="language is 'xx': use 'en' or"):
        Chunker().chunk("A text.", language=cast("Language", "xx"))


class Words:
    """Every character that follows a space, or the beginning, starts a token; an emoji is three."""

    def token_starts(self, text: str) -> Sequence[int]:
        starts = [index for index in range(len(text)) if not index or text[index - 1] == " "]
        return sorted(starts + [index for index, character in enumerate(text) if character == "👍" for _ in "ab"])


ANY = st.text(alphabet=st.characters(exclude_categories=[]), max_size=60)


@given(ANY, st.data())
def test_bytes_are_those_of_utf_8(text: str, data: st.DataObject) -> None:
    sizes = measure(text, SizeUnit.BYTES, None)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert sizes.between(start, end) == len(text[start:end].encode("utf-8", "surrogatepass"))


@given(ANY, st.sampled_from(SizeUnit), st.integers(0, 40), st.data())
def test_no_stretch_that_fits_is_longer_than_its_reach(
    text: str, unit: SizeUnit, size: int, data: st.DataObject
) -> None:
    text += "."
    sizes = measure(text, unit, Words())
    start = data.draw(st.integers(0, len(text) - 1))
    end = min(len(text), sizes.reach(start, size))
    assert end > start
    assert sizes.between(start, end) <= size or end == start + 1
    assert end == len(text) or sizes.between(start, end + 1) > size or size == 0


@given(ANY, st.sampled_from(SizeUnit))
def test_steps_are_the_sizes_between_edges(text: str, unit: SizeUnit) -> None:
    sizes = measure(text, unit, Words())
    edges = np.array(sorted({0, len(text) // 3, len(text) // 2, len(text)}), np.int64)
    assert sizes.steps(edges).tolist() == [
        sizes.between(start, end) for start, end in zip(edges.tolist(), edges.tolist()[1:], strict=False)
    ]


TEXTS_SIZES = st.lists(
    st.sampled_from(["A short sentence. ", "第二の文はここにある。", "x" * 90, "👍" * 30, "# H\n\n", "\n\n"]),
    max_size=30,
).map("".join)


@given(TEXTS_SIZES, st.sampled_from(MediaType))
def test_leaves_fit_in_bytes_and_joined_are_the_document(text: str, media_type: MediaType) -> None:
    settings = ChunkSettings(target_size=60, max_size=100, min_size=10, size_unit=SizeUnit.BYTES)
    tree = Chunker(settings).chunk(text, media_type=media_type)
    assert joined(tree, text) == text
    assert all(len(leaf.span.of(text).encode()) <= 100 for leaf in tree.leaves)


@given(TEXTS_SIZES)
def test_leaves_fit_in_tokens_and_joined_are_the_document(text: str) -> None:
    settings = ChunkSettings(target_size=15, max_size=30, min_size=3, size_unit=SizeUnit.TOKENS)
    tree = Chunker(settings, tokenizer=Words()).chunk(text)
    assert joined(tree, text) == text
    sizes = measure(text, SizeUnit.TOKENS, Words())
    assert all(sizes.between(leaf.span.start, leaf.span.end) <= 30 for leaf in tree.leaves)


def test_the_unit_decides_how_much_a_leaf_holds() -> None:
    text = "燃料はポンプで送られる。パンは小麦粉で作る。" * 40
    characters = Chunker(ChunkSettings(target_size=200, max_size=400, min_size=40)).chunk(text)
    in_bytes = Chunker(ChunkSettings(target_size=200, max_size=400, min_size=40, size_unit=SizeUnit.BYTES)).chunk(text)
    assert 2 < len(in_bytes.leaves) / len(characters.leaves) < 4


def test_tokens_need_a_tokenizer() -> None:
    with pytest.raises(InvalidValue, match="nothing to count them with"):
        Chunker(ChunkSettings(size_unit=SizeUnit.TOKENS))


def joined(tree: ChunkTree, text: str) -> str:
    return "".join(leaf.span.of(text) for leaf in tree.leaves)


def test_what_is_said_of_a_stretch_is_in_the_unit_of_the_sizes() -> None:
    text = "word " * 400
    settings = ChunkSettings(target_size=40, max_size=80, min_size=5, size_unit=SizeUnit.TOKENS)
    (item,) = Chunker(settings, tokenizer=Words()).chunk(text).review_items
    assert "max_size to 400." in item.suggestion
    assert item.priority is Priority.NORMAL


class Costly:
    """Every character is thirty tokens."""

    def token_starts(self, text: str) -> Sequence[int]:
        return [index for index in range(len(text)) for _ in range(30)]


def test_a_character_of_many_tokens_is_a_leaf_and_never_an_empty_one() -> None:
    settings = ChunkSettings(target_size=10, max_size=20, min_size=1, size_unit=SizeUnit.TOKENS)
    tree = Chunker(settings, tokenizer=Costly()).chunk("abc")
    assert [leaf.span.of("abc") for leaf in tree.leaves] == ["a", "b", "c"]
