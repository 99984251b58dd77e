from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import Episode, EpisodeKind
from evolore.domain.language import Language
from evolore.episodes.contradictions import (
    UnusableVerdict,
    UsableVerdict,
    confirm_prompt,
    contradiction,
    read_confirmations,
)
from evolore.episodes.differences import DifferenceKind, difference

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


@pytest.mark.parametrize(
    ("a", "b", "language"),
    [
        ("The shop is open on Sunday.", "The shop is not open on Sunday.", EN),
        ("The dog is in the water.", "The dog is out of the water.", EN),
        ("My rent is 500 euros.", "My rent is 600 euros.", EN),
        ("The review is on Monday.", "The review is on Tuesday.", EN),
        ("I attended a workshop on resume standards in May.", "I've never attended any workshop on resumes.", EN),
        ("店は日曜に開いている。", "店は日曜に開いていない。", JA),
        ("男性がトマトを切っている", "トマトを切っている男性は一人もいない", JA),
        ("会議は月曜です。", "会議は火曜です。", JA),
        ("他喜欢喝咖啡。", "他不喜欢喝咖啡。", ZH),
    ],
)
def test_what_cannot_both_hold_is_flagged_with_both_sides_quoted(a: str, b: str, language: Language) -> None:
    found = contradiction(a, b, language)
    assert found is not None
    sides = [side for side in (found.ours, found.theirs) if side]
    assert all(f'"{side}"' in found.reason for side in sides)
    assert '""' not in found.reason
    assert contradiction(b, a, language) is not None


@pytest.mark.parametrize(
    ("a", "b", "language"),
    [
        ("A man plays the flute.", "A woman plays the flute.", EN),
        ("Two dogs run on the beach.", "Three dogs run on the beach.", EN),
        ("The shop is open on Sunday.", "The bakery is not open in winter.", EN),
        ("Is the shop open on Sunday?", "The shop isn't open on Sunday.", EN),
        ("The shop might not open on Sunday.", "The shop opens on Sunday.", EN),
        ("I have two cats.", "I have two cats and a dog.", EN),
        ("犬が二匹います。", "犬が三匹います。", JA),
        ("必ず行かなければならない。", "必ず行く。", JA),
        ("这不仅是个好主意。", "这是个好主意。", ZH),
    ],
)
def test_what_may_both_hold_is_not_flagged(a: str, b: str, language: Language) -> None:
    assert contradiction(a, b, language) is None


@pytest.mark.parametrize(
    ("a", "b", "language", "kind"),
    [
        ("We pay 20k.", "We pay 30k.", EN, DifferenceKind.NUMBER),
        ("We pay twenty-five euros.", "We pay 26 euros.", EN, DifferenceKind.NUMBER),
        ("家賃は八万円です。", "家賃は9万円です。", JA, DifferenceKind.NUMBER),
        ("花了三万两千元。", "花了3万元。", ZH, DifferenceKind.NUMBER),
        ("We met Anna there.", "We met Peter there.", EN, DifferenceKind.NAME),
        ("佐藤さんが担当です。", "鈴木さんが担当です。", JA, DifferenceKind.NAME),
        ("The bus is red.", "The bus is blue.", EN, DifferenceKind.OPPOSITE),
        ("We meet in March.", "We meet in April.", EN, DifferenceKind.OPPOSITE),
        ("我周三去游泳。", "我周四去游泳。", ZH, DifferenceKind.OPPOSITE),
        ("I will visit Rome.", "I visited Rome.", EN, DifferenceKind.SUPPOSED),
        ("男性が木片に穴を開けている", "男性が木片で穴を開けている", JA, DifferenceKind.ORDER),
    ],
)
def test_a_difference_is_named_by_its_kind(a: str, b: str, language: Language, kind: DifferenceKind) -> None:
    found = difference(a, b, language)
    assert found is not None
    assert found.kind is kind


@pytest.mark.parametrize(
    ("a", "b", "language"),
    [
        ("We pay 1,200 euros.", "We pay 1200 euros.", EN),
        ("We pay twenty euros.", "We pay 20 euros.", EN),
        ("It's not far.", "It is not far.", EN),
        ("Anna met Peter in Rome.", "In Rome, Anna met Peter.", EN),
        ("時計が12時半を指す。", "時計が12時30分を指す。", JA),
        ("バスが二台ある。", "バスが２台ある。", JA),
        ("我有两只猫。", "我有2只猫。", ZH),
        ("一只鹿跳过篱笆。", "鹿跳过篱笆。", ZH),
    ],
)
def test_another_spelling_is_no_difference(a: str, b: str, language: Language) -> None:
    assert difference(a, b, language) is None


def test_days_are_called_days_and_quotes_stand_as_they_were_written() -> None:
    found = contradiction("The review is on Monday.", "The review is on Tuesday.", EN)
    assert found is not None
    assert found.reason == 'another day: "Monday" / "Tuesday"'
    met = difference("We met Anna there.", "We met Peter there.", EN)
    assert met is not None
    assert met.reason == 'another name: "Anna" / "Peter"'


def test_of_several_words_in_other_roles_the_first_by_spelling_is_named_whatever_the_order_of_a_set() -> None:
    found = difference("猫が鳥が犬が魚が馬がいる。", "猫を鳥を犬を魚を馬をいる。", JA)
    assert found is not None
    assert (found.ours, found.theirs) == ("犬が", "犬を")


def said(text: str, language: Language = Language.EN) -> Episode:
    return Episode(
        id="e", kind=EpisodeKind.STATEMENT, text=text, language=language, recorded_at=datetime(2026, 3, 2, tzinfo=UTC)
    )


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_whatever_a_statement_says_it_stays_within_the_marks_and_arrives_as_it_is(pairs: list[tuple[str, str]]) -> None:
    request = confirm_prompt("Judge.", [(said(older), said(newer)) for older, newer in pairs])
    system, user = (message.text for message in request.messages)
    assert system == "Judge."
    before, data, behind = user.splitlines()
    assert (before, behind) == ("<pairs>", "</pairs>")
    assert "<" not in data
    assert ">" not in data
    found = [(pair["earlier"]["text"], pair["later"]["text"]) for pair in json.loads(data)]
    assert found == pairs


@given(st.text(), st.integers(1, 4))
def test_any_reply_is_read_as_one_answer_a_pair(reply: str, count: int) -> None:
    pairs = [(said("It is on."), said("It is off."))] * count
    assert len(read_confirmations(reply, pairs)) == count


def test_the_reason_becomes_one_line_of_what_can_be_shown() -> None:
    reply = json.dumps({"verdicts": [{"pair": 1, "verdict": "unsure", "reason": "\x1b[1m It \n is\x00 odd.\u2028"}]})
    (found,) = read_confirmations(reply, [(said("It is on."), said("It is off."))])
    assert isinstance(found, UsableVerdict)
    assert found.reason == "[1m It is odd."


def test_the_reason_is_in_the_language_of_the_newer_statement() -> None:
    reasons = {Language.EN: "It changed.", Language.JA: "あとで変わりました。", Language.ZH: "后来改了地点。"}
    for language in reasons:
        for other, reason in reasons.items():
            reply = json.dumps({"verdicts": [{"pair": 1, "verdict": "unsure", "reason": reason}]})
            (found,) = read_confirmations(reply, [(said("x"), said("y", language))])
            assert (found is UnusableVerdict.OTHER_LANGUAGE) == (language is not other)
