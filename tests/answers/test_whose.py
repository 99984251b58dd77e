"""Whose statement answers a question, and whether it says a thing of the kind that is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.answers.kinds import LONGEST_JUDGED, AskedKind, asked_kind, says, whose
from evolore.config import Settings
from evolore.domain.answer import AnswerKind
from evolore.domain.language import Language
from evolore.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
SPEAKERS = ("Anna", "Ben")


@pytest.mark.parametrize(
    ("question", "asker", "text", "speaker", "may"),
    [
        ("Where do I work?", "Anna", "I work at the mill.", "Ben", False),
        ("Where do I work?", "Anna", "I work at the bakery.", "Anna", True),
        ("Where do I work?", "Anna", "Anna works at the bakery.", "Ben", True),
        ("Where does Ben work?", "Anna", "I work at the mill.", "Ben", True),
        ("Where does Ben work?", "Anna", "I work at the bakery.", "Anna", False),
        ("Where does Ben work?", "Anna", "Ben works at the mill.", "Anna", True),
        ("Where is the standup?", "Anna", "The standup is in room 4.", "Ben", True),
        ("Where do I work?", None, "I work at the mill.", "Ben", True),
        ("Where do I work?", "Anna", "I work at the mill.", None, True),
        ("When is my birthday?", "ANNA", "My birthday is in May.", "anna", True),
    ],
)
def test_what_somebody_says_of_themselves_is_about_them(
    question: str, asker: str | None, text: str, speaker: str | None, *, may: bool
) -> None:
    about = whose(question, EN, asker=asker, speakers=SPEAKERS)
    assert about.may_answer(text, speaker, EN) is may


@pytest.mark.parametrize(
    ("question", "asker", "text", "speaker", "language"),
    [
        ("私はどこで働いていますか？", "花子", "私は製粉所で働いています。", "太郎", JA),
        ("我在哪儿上班？", "小花", "我在磨坊上班。", "小明", ZH),
    ],
)
def test_it_counts_in_three_languages(question: str, asker: str, text: str, speaker: str, language: Language) -> None:
    about = whose(question, language, asker=asker, speakers=(asker, speaker))
    assert not about.may_answer(text, speaker, language)
    assert about.may_answer(text, asker, language)


@pytest.mark.parametrize(
    ("question", "language", "kind", "right", "wrong"),
    [
        ("How much did the sofa cost?", EN, AskedKind.AMOUNT, "The sofa was 400.", "The new sofa arrived on Monday."),
        ("Who is my dentist?", EN, AskedKind.PERSON, "Dr Wong looks after my teeth.", "Dentist again tomorrow, 9:30."),
        ("Who uses room 2B?", EN, AskedKind.PERSON, "Room 2B is used by the choir.", "Room 2B is used on Tuesdays."),
        ("Who repairs the roof?", EN, AskedKind.PERSON, "Volunteers repair the roof.", "The roof is under repair."),
        ("When do we play Colne?", EN, AskedKind.TIME, "Colne is on Sunday.", "The match against Colne is away."),
        ("家賃はいくら？", JA, AskedKind.AMOUNT, "家賃は8万円です。", "家賃は大家に払っています。"),
        ("用紙のサイズは？", JA, AskedKind.AMOUNT, "用紙はA4専用。", "用紙は白い。"),
        ("壺を割ったのは誰？", JA, AskedKind.PERSON, "壺を割ったのは健太くんです。", "壺が割れてしまった。"),
        ("机器是谁修的？", ZH, AskedKind.PERSON, "邻居修的机器。", "机器修好了。"),
        ("下巻は誰にもらった？", JA, AskedKind.PERSON, "下巻は友達にもらった。", "下巻はもうもらった。"),
        ("学生叫什么名字？", ZH, AskedKind.PERSON, "学生叫李雷。", "学生到了。"),
        ("修二胡花了多少？", ZH, AskedKind.AMOUNT, "修二胡花了三百八。", "二胡从琴行修好拿回来了。"),
        ("什么时候跟江北队比？", ZH, AskedKind.TIME, "周六跟江北队比。", "跟江北队的比赛是客场。"),
    ],
)
def test_a_passage_says_a_thing_of_the_kind_or_not(
    question: str, language: Language, kind: AskedKind, right: str, wrong: str
) -> None:
    assert asked_kind(question, language) is kind
    assert says(kind, right, question, language)
    assert not says(kind, wrong, question, language)
    assert says(kind, wrong + " x" * LONGEST_JUDGED, question, language)


def test_what_asks_for_nothing_in_particular_is_of_no_kind() -> None:
    assert asked_kind("Is the sofa here?", EN) is None
    assert asked_kind("Tell me about the sofa.", EN) is None


def test_an_answer_does_not_overreach(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", settings=Settings()) as memory:
        memory.remember("I work at the mill in Hebden.", speaker="Ben")
        memory.remember("The new sofa arrived on Monday.", speaker="Anna")
        memory.remember("Dentist again tomorrow, 9:30.", speaker="Anna")
        for question in ("Where do I work?", "How much did the sofa cost?", "Who is my dentist?"):
            assert memory.answer(question, principal="Anna", record=False).kind is AnswerKind.NOT_IN_SOURCES
        own = memory.answer("Where do I work?", principal="Ben", record=False)
        assert own.kind is AnswerKind.EXTRACTED
        assert "mill" in own.text
        assert "mill" in memory.answer("Where does Ben work?", principal="Anna", record=False).text
