"""Texts that are made to hurt are stored like any other: in time that grows with their length, and without an error."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.text.contrasts.reading import is_small_talk
from evolore.text.values import read_values
from flows.memories import opened, say
from growth import assert_in_proportion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evolore.memory import Memory
    from evolore.ports import TextRole, Vectors


@pytest.fixture
def memory(store_path: Path) -> Iterator[Memory]:
    with opened(store_path) as one:
        one.remember("昨日は三人で会議をした。")
        yield one


@pytest.mark.parametrize("unit", ["一二三", "一1", "12,345.", "嗯", "不是", "たこと", "<a", "“"])
def test_a_repetitive_statement_takes_time_in_proportion_to_its_length(memory: Memory, unit: str) -> None:
    numbers = count(1)
    assert_in_proportion(lambda size: memory.remember(f"{(unit * size)[:size]}終{next(numbers)}"), 801)


@pytest.mark.parametrize("unit", ["word ", *(pytest.param(one, marks=pytest.mark.long) for one in ("x", "議事録"))])
@pytest.mark.parametrize("place", ["heading", "title"])
def test_a_heading_without_end_takes_time_in_proportion_to_its_length(memory: Memory, unit: str, place: str) -> None:
    numbers = count(1)

    def run(size: int) -> None:
        number = next(numbers)
        line = f"{number} {unit * size}"[:size]
        text = f"# {line}\n\nText.\n" if place == "heading" else f"Line {number} of text.\n\n" * (size // 17)
        title = line if place == "title" else ""
        memory.add_text(text, source=f"{number}.md", title=title, media_type=MediaType.MARKDOWN)

    assert_in_proportion(run, 15_000)


@pytest.mark.parametrize("unit", ["嗯", "不是", "OK", "haha "])
def test_small_talk_without_end_is_told_at_once(unit: str) -> None:
    assert is_small_talk(unit * 400, Language.ZH) == (unit != "haha ")
    assert not is_small_talk(unit * 400 + "会议", Language.ZH)


_NUMBERS = {
    "as long as a float": "9" * 309,
    "longer than Python writes": "9" * 5000,
    "with separators": "1" + ",234" * 400,
    "with a fraction": "1." + "5" * 400,
    "in numerals": "九" * 400,
    "in full width": "９" * 400,
    "in words": "hundred " * 400,
    "of minutes": "1" + ":30" * 200,
}
_SAID = "{} {}円 {}万円 {}亿元 ${} {} million {}k {} people {}日前 {} years ago in {} days {}% 第{} 百分之{} {}:{} {}-{}-{} {}分の{} {}折"


@pytest.mark.parametrize("number", _NUMBERS.values(), ids=_NUMBERS)
def test_no_number_is_too_long_to_be_remembered(memory: Memory, number: str) -> None:
    texts = [form.replace("{}", number) for form in _SAID.split(" ")]
    done = say(memory, "Before it.", *texts, "Behind it.")
    assert len(done.integrated) == len(texts) + 2
    assert memory.recall(f"how much is {number[:1000]}?").hits


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
def test_long_numbers_that_differ_in_one_digit_are_two_numbers(language: Language) -> None:
    for digits in (18, 400):
        one, other = (read_values(f"{'8' * digits}{last}円です", language) for last in (1, 2))
        assert one[0].canonical != other[0].canonical


def test_hostile_pages_end_no_folder(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    pages = {
        "ok": "<p>Tea is served at four.",
        "start": f"<ol start={'9' * 5000}><li>one",
        "colspan": f"<table><tr><td colspan={'9' * 5000}>one",
        "rowspan": "<table>" + f"<tr>{'<td rowspan=1000>some words' * 20}" * 200,
        "nested": "<ol start=999999999><li>y" * 49 + "<li>x" * 5000,
        "open": "<p " * 20000,
    }
    for name, page in pages.items():
        (folder / f"{name}.html").write_text(page)
    added = memory.add(folder)
    names = {one.document.source.rpartition("/")[2]: one for one in added.documents}
    assert set(names) == {"ok.html", "start.html", "colspan.html", "rowspan.html"}
    assert {one.source.rpartition("/")[2] for one in added.failures} == {"nested.html", "open.html"}
    assert "repeated" in names["rowspan.html"].notes[0]
    assert not names["ok.html"].notes


def test_a_link_out_of_a_folder_is_told_and_cannot_be_recalled(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (tmp_path / "secret.txt").write_text("The safe opens with 4711.")
    (folder / "plan.txt").symlink_to(tmp_path / "secret.txt")
    added = memory.add(folder)
    assert not added.documents
    assert "--follow-links" in added.failures[0].reason
    assert not any("4711" in hit.text for hit in memory.recall("how does the safe open?").hits)
    assert memory.add(folder, follow_links=True).documents
    assert any("4711" in hit.text for hit in memory.recall("how does the safe open?").hits)


class _Counting(HashingEmbedder):
    """Counts what it embeds, and cannot hold what says so."""

    count = 0

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.count += len(texts)
        if any("gigantic" in text for text in texts):
            raise MemoryError
        return super().embed(texts, role=role)


def test_passages_of_the_same_words_are_embedded_once(store_path: Path) -> None:
    embedder = _Counting()
    with opened(store_path, embedder) as memory:
        added = memory.add(SourceText(source="a", text="a" * 200_000, media_type=MediaType.PLAIN))
    assert added.documents[0].new_leaves >= 100
    assert embedder.count < 20


def test_a_file_that_memory_does_not_hold_is_told_and_the_others_go_in(store_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.txt").write_text("A gigantic matter.")
    (folder / "b.txt").write_text("A small matter.")
    with opened(store_path, _Counting()) as memory:
        added = memory.add(folder)
        assert [one.document.source.rpartition("/")[2] for one in added.documents] == ["b.txt"]
        assert "more memory than there is" in added.failures[0].reason
        assert memory.store.doctor(repair=True) is not None
        assert memory.store.doctor().is_whole
