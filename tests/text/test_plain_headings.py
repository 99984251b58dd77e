from __future__ import annotations

import pytest

from evolore.chunking.chunker import Chunker
from evolore.chunking.units import UnitKind, plain_blocks
from evolore.text.plain_headings import plain_headings


def titles(text: str) -> list[str]:
    return [one.title for one in plain_headings(text)]


NUMBERED = {
    "like the GPL": (
        "  0. Definitions.\n\n  A text.\n\n  1. Source Code.\n\n  More.\n",
        ["0. Definitions.", "1. Source Code."],
    ),
    "like an RFC": (
        "1.  Introduction\n\n   Text.\n\n1.1.  Purpose\n\n   Text.\n\n2.  Terms\n\n   Text.\n",
        ["1. Introduction", "1.1. Purpose", "2. Terms"],
    ),
    "five deep": (
        "1 Pumps\n\n1.1 Oil\n\nText.\n\n1.1.1 Change of oil\n\nText.\n",
        ["1 Pumps", "1.1 Oil", "1.1.1 Change of oil"],
    ),
    "Windows line ends": ("1. Scope\r\n\r\nText.\r\n\r\n2. Terms\r\n\r\nText.\r\n", ["1. Scope", "2. Terms"]),
    "Roman": ("I. Methods\n\nText.\n\nII. Results\n\nText.\n", ["I. Methods", "II. Results"]),
    "full width": ("１．はじめに\n\n本文です。\n\n２．方法\n\n本文です。\n", ["１．はじめに", "２．方法"]),
    "Chinese numerals": (
        "一、总则\n正文。\n（一）范围\n正文。\n二、附则\n正文。\n",
        ["一、总则", "（一）范围", "二、附则"],
    ),
    "ten and more": (
        "".join(f"{sign}、标题\n正文。\n" for sign in ("一", "四", "七", "十", "十一")),
        [f"{sign}、标题" for sign in ("一", "四", "七", "十", "十一")],
    ),
}
NAMED = {
    "Chinese": ("第一章 雨\n\n正文。\n\n第一节 来客\n正文。\n", ["第一章 雨", "第一节 来客"]),
    "Japanese": ("第3章　港\n本文です。\n\n第十二話\n本文です。\n", ["第3章　港".replace("　", " "), "第十二話"]),
    "English": (
        "CHAPTER I. Down the Hole\n\nAlice.\n\nAppendix A\n\nNotes.\n",
        ["CHAPTER I. Down the Hole", "Appendix A"],
    ),
    "articles": ("第1条（目的）\n会費を定める。\n\n第2条（範囲）\n全員とする。\n", ["第1条（目的）", "第2条（範囲）"]),
    "underlined": ("Buses\n=====\n\nHourly.\n\nSundays\n-------\nNone.\n", ["Buses", "Sundays"]),
    "over and under": ("=====\nBuses\n=====\n\nHourly.\n", ["Buses"]),
    "capitals": ("NAME\n\n    fold\n\nSEE ALSO\n    cut\n", ["NAME", "SEE ALSO"]),
    "signs": ("■持ち物\n弁当。\n\n■集合\n駅前。\n\n【連絡先】\n事務局。\n", ["■持ち物", "■集合", "【連絡先】"]),
}
NONE = {
    "list": "1. Milk\n2. Eggs\n3. Bread\n\nThat is all.\n",
    "list with blank lines": "1. Milk\n\n2. Eggs\n\n3. Bread\n\nThat is all.\n",
    "list of sentences": "1. Take the parcel to the depot before it shuts at noon.\n\nThen rest.\n",
    "address": "The depot:\n\n14 Fenner Road\n\nLittle Stoke.\n",
    "version": "We run it.\n\n5.1.2 Stable\n\nNo other.\n",
    "date": "12.05.2024 Meeting\n\nWe met.\n\n2024. 5. 1 に届く\n\n以上。\n",
    "amount": "3.5 Kg nails\n\nSent back.\n",
    "times": "Plan\n\n09.30 Opening\n\nTea.\n\n10.15 Talk\n\nTea.\n",
    "day": "第三天早上\n水退了。\n第一章里的事他不记得了。\n",
    "Chinese list": "买东西：\n一、牛奶\n二、鸡蛋\n三、面包\n",
    "reference": "Section 4.1 introduces three fields which are added to\nthe mail.\n\nPart of it\n\nis lost.\n\nBook a table\n\nnow.\n",
    "sentence in capitals": "DO NOT OPEN.\n\nIt bites.\n\nAB-123\n\nA code.\n",
    "speakers": "HAMLET\n    To be.\n\nOPHELIA\n    Good.\n\nHAMLET\n    Well.\n\nOPHELIA\n    Yes.\n",
    "table": "Name   Price\n------------\nTea    12\n",
    "rule": "We stop here.\n-------------\nThe rest is told.\n",
}


@pytest.mark.parametrize(("text", "wanted"), [*NUMBERED.values(), *NAMED.values()], ids=[*NUMBERED, *NAMED])
def test_what_opens_a_section_of_a_plain_text_is_a_heading(text: str, wanted: list[str]) -> None:
    assert titles(text) == wanted


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_a_line_that_may_be_something_else_is_no_heading(text: str) -> None:
    assert titles(text) == []


def test_headings_of_plain_text_stand_above_its_passages() -> None:
    body = "A pump lifts water from the mill race to the tank above the yard. " * 20
    text = f"1. Pumps\n\n{body}\n\n1.1 Oil\n\n{body}\n\n2. Tanks\n\n{body}\n"
    tree = Chunker().chunk(text)
    paths = {chunk.heading_path for chunk in tree.chunks}
    assert {("1. Pumps",), ("1. Pumps", "1.1 Oil"), ("2. Tanks",)} <= paths
    assert "".join(chunk.span.of(text) for chunk in tree.chunks if chunk.is_leaf) == text


@pytest.mark.parametrize(
    "text", [NUMBERED["like an RFC"][0], NAMED["over and under"][0], "\n\n  1. Tea\n\n", "NAME\n\nx"]
)
def test_blocks_of_plain_text_begin_at_its_beginning_and_ascend(text: str) -> None:
    starts = [block.start for block in plain_blocks(text)]
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    headings = [block for block in plain_blocks(text) if block.kind is UnitKind.HEADING]
    assert [block.title for block in headings] == titles(text)
