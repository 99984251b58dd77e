"""A row of a long table is found by its name and handed over, cited and quoted with the names of its columns."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = ("fir", "oak", "birch", "alder", "rowan")
QUESTION = "How tall is tree T-150?"
ROW = "| T-150 | fir | 57 | 0 |"
HEAD = "| Tree | Kind | Height cm | In stock |"


def page(head: str = HEAD) -> str:
    rows = "".join(f"| T-{100 + row} | {KINDS[row % 5]} | {7 + row} | {row % 10} |\n" for row in range(80))
    return f"{head}\n| --- | --- | --- | --- |\n{rows}\nTrees are sold from November.\n"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with closing(Memory.open(tmp_path / "m", embedder=HashingEmbedder())) as opened:
        yield opened


def test_a_named_row_is_found_first_with_its_columns(memory: Memory) -> None:
    memory.add_text(page(), source="trees.md", media_type=MediaType.MARKDOWN)
    found = memory.recall(QUESTION, record=False)
    assert ROW in found.hits[0].text
    assert found.hits[0].text in page()
    assert HEAD in found.citing.all(found.hits)
    assert {term.name: term.value for term in found.hits[0].terms}["row"] == pytest.approx(0.15)


def test_a_table_of_html_is_found_likewise(memory: Memory, tmp_path: Path) -> None:
    rows = (row.strip("|").split("|") for row in page().splitlines()[2:82])
    body = "".join(f"<tr>{''.join(f'<td>{cell.strip()}</td>' for cell in row)}</tr>" for row in rows)
    head = "".join(f"<th>{cell.strip()}</th>" for cell in HEAD.strip("|").split("|"))
    (tmp_path / "trees.html").write_text(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>", "utf-8")
    memory.add(tmp_path / "trees.html")
    first = memory.recall(QUESTION, record=False).hits[0]
    assert ROW in first.text
    assert first.episode.heading_path[-1] == HEAD


def test_without_tables_no_hit_has_a_term_of_rows(memory: Memory) -> None:
    memory.add_text("# Trees\n\nT-150 is a fir of 57 cm.\n", source="trees.md", media_type=MediaType.MARKDOWN)
    (hit,) = memory.recall(QUESTION, record=False).hits
    assert "row" not in {term.name for term in hit.terms}


def test_a_row_is_quoted_below_its_columns_and_cited_alone(memory: Memory) -> None:
    memory.add_text(page(), source="trees.md", media_type=MediaType.MARKDOWN)
    said = memory.answer(QUESTION)
    assert said.text.startswith(f"{HEAD}\n{ROW} [1]")
    assert said.citations[0].quote == ROW
    episode = memory.show(said.citations[0].episode_id)
    assert said.citations[0].span.of(getattr(episode, "text", "")) == ROW


def test_rows_of_two_tables_are_each_quoted_below_their_own_columns(memory: Memory) -> None:
    other = page("| Tree | Seller | Price | Shelf |")
    memory.add_text(f"{page()}\n## Prices\n\n{other}", source="trees.md", media_type=MediaType.MARKDOWN)
    lines = memory.answer("T-150 T-151 T-152").text.splitlines()
    heads = [place for place, line in enumerate(lines) if line.startswith("| Tree | ")]
    assert heads
    assert heads[0] == 0
    assert all(lines[place + 1].startswith("| T-1") for place in heads)


def test_a_chat_model_is_shown_the_columns_and_its_sentence_is_cited(tmp_path: Path) -> None:
    said = {"in_sources": True, "sentences": [{"text": "The Height cm of T-150 is 57.", "passages": [1]}]}
    model = ScriptedChatModel([json.dumps(said)])
    with closing(Memory.open(tmp_path / "m", embedder=HashingEmbedder(), chat_model=model)) as memory:
        memory.add_text(page(), source="trees.md", media_type=MediaType.MARKDOWN)
        answer = memory.answer(QUESTION)
    assert HEAD in json.loads(model.requests[-1].messages[1].text.split("\n")[1])["passages"][0]["text"]
    assert answer.text == "The Height cm of T-150 is 57. [1]"
    assert HEAD not in answer.citations[0].quote


def test_a_document_is_not_called_by_the_head_of_its_table(memory: Memory) -> None:
    assert memory.add_text(page(), source="shop/trees.md", media_type=MediaType.MARKDOWN).title == "trees.md"
    below = f"{page()}\n## Shrubs\n\n{'We sell no shrubs. ' * 20}\n"
    assert memory.add_text(below, source="shop/more.md", media_type=MediaType.MARKDOWN).title == "Shrubs"


def test_a_changed_head_makes_the_pieces_below_it_new(memory: Memory) -> None:
    def leaves(text: str) -> dict[str, str]:
        document = memory.add_text(text, source="trees.md", media_type=MediaType.MARKDOWN)
        nodes = memory.outline.tree(document.id, with_text=True).nodes
        return {one.chunk.span.of(text): one.episode_id for one in nodes if one.episode_id}

    before, again, after = leaves(page()), leaves(page() + "\n"), leaves(page("| Tree | Kind | Width cm | In stock |"))
    rows = [text for text in after if text.startswith("| T-")]
    assert len(rows) > 5
    assert [text for text in rows if after[text] == before.get(text)] == []
    assert [text for text in rows if again.get(text) == before.get(text)]
