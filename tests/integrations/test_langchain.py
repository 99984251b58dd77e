"""The chunker where LangChain expects a text splitter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from evolore import ChunkSettings, InputError, MediaType
from evolore.chunking.chunker import Chunker
from evolore.integrations.langchain import EvoloreTextSplitter

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

GUIDE = "# Guide\n\nRead it first.\n\n" + "".join(
    f"## Part {part}\n\n" + "".join(f"Sentence {line} of part {part} says a thing. " for line in range(20)) + "\n\n"
    for part in "abc"
)
SMALL = ChunkSettings(target_size=200, max_size=400, min_size=40)


@given(
    st.lists(
        st.sampled_from(["A sentence. ", "第二の文。", "三句。", "\n\n", "# H\n\n", "- item\n", "x" * 500]), max_size=40
    )
)
def test_the_pieces_joined_are_the_document(parts: list[str]) -> None:
    text = "".join(parts)
    splitter = EvoloreTextSplitter(SMALL)
    assert "".join(splitter.split_text(text)) == text
    for piece in splitter.create_documents([text], [{"source": "notes.md"}]):
        start = piece.metadata["start_index"]
        assert text[start : start + len(piece.page_content)] == piece.page_content


def test_it_splits_documents_as_any_splitter_of_langchain_does() -> None:
    splitter: TextSplitter = EvoloreTextSplitter(SMALL)
    given_documents = [
        Document(page_content=GUIDE, metadata={"source": "guide.md", "owner": "Mika"}),
        Document(page_content="One plain sentence.", metadata={}),
    ]
    pieces = splitter.transform_documents(given_documents)
    assert "".join(piece.page_content for piece in pieces) == GUIDE + "One plain sentence."
    assert {piece.metadata.get("owner") for piece in pieces} == {"Mika", None}
    assert [piece.metadata["headings"] for piece in pieces if "Part b" in piece.page_content] == ["Guide > Part b"]
    leaves = Chunker(SMALL).chunk(GUIDE, media_type=MediaType.MARKDOWN).leaves
    assert [piece.metadata["outline"] for piece in pieces[:-1]] == [str(leaf.outline) for leaf in leaves]
    assert all(piece.metadata["tier"] == 1 for piece in pieces)
    assert any(isinstance(piece.metadata.get("gain_bits"), float) for piece in pieces)


def test_what_it_says_of_one_piece_is_not_shared_with_another() -> None:
    pieces = EvoloreTextSplitter(SMALL).create_documents([GUIDE], [{"tags": ["a"]}])
    pieces[0].metadata["tags"].append("b")
    assert pieces[1].metadata["tags"] == ["a"]


def test_the_markup_may_be_stated() -> None:
    plain = EvoloreTextSplitter(SMALL, media_type=MediaType.PLAIN)
    pieces = plain.create_documents([GUIDE], [{"source": "guide.md"}])
    assert all("headings" not in piece.metadata for piece in pieces)


def test_texts_and_metadata_that_do_not_pair_are_refused() -> None:
    with pytest.raises(InputError, match="metadatas has 1 entries for 2 texts"):
        EvoloreTextSplitter().create_documents(["a", "b"], [{}])


@pytest.mark.parametrize("source", ["guide.md", Path("docs/guide.MD"), "https://example.org/guide.md?raw=1#top"])
def test_markup_is_judged_by_the_ending_of_a_file_or_an_address(source: object) -> None:
    pieces = EvoloreTextSplitter(SMALL).create_documents([GUIDE], [{"source": source}])
    assert any("headings" in piece.metadata for piece in pieces)


@pytest.mark.parametrize("source", ["guide.txt", "https://example.org/?file=guide.md", "http://[guide.md", 5, None, ""])
def test_other_sources_are_plain(source: object) -> None:
    pieces = EvoloreTextSplitter(SMALL).create_documents([GUIDE], [{"source": source}])
    assert "".join(piece.page_content for piece in pieces) == GUIDE
    assert source == "http://[guide.md" or not any("headings" in piece.metadata for piece in pieces)
