from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.hits import Echoes, echo_share, wording

LEAST = 0.8
WORDS = st.lists(
    st.sampled_from(["wheel", "red", "turns", "not", "3", "Osaka", "slowly", "车", "輪", "the"]), min_size=1
)
TEXTS = st.lists(WORDS.map(" ".join), max_size=12)


def share(standing: str, other: str, **where: str) -> float | None:
    return echo_share(wording(standing), wording(other, **where), least=LEAST)


@pytest.mark.parametrize(
    ("standing", "other"),
    [
        ("The office moved to Osaka.", "the office moved to Osaka"),
        ("The office moved to Osaka.", "Well, the office really moved to Osaka!"),
        ("It’s “done”.", "It's done"),
        ("ｻｰﾊﾞｰを再起動した。", "サーバーを再起動した"),
        ("会议改到三点。", "会议改到三点！"),
        ("🎉🎉", "🎉🎉"),
    ],
)
def test_the_same_words_are_an_echo_however_they_are_written(standing: str, other: str) -> None:
    assert share(standing, other) == 1.0


@pytest.mark.parametrize(
    ("standing", "other"),
    [
        (
            "A black dog is running across a rocky landscape in the rain",
            "A dog is running across a rocky landscape in the rain",
        ),
        ("ランナーがトラックを回って激しく競争している", "ランナーがトラックを回って競争している"),
        ("火车站里的一列长长的红色火车。", "火车站里的一列长的红色火车。"),
    ],
)
def test_what_leaves_a_little_out_is_an_echo_and_what_says_more_is_not(standing: str, other: str) -> None:
    found = share(standing, other)
    assert found is not None
    assert LEAST <= found < 1.0
    assert share(other, standing) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The server in the hall has 16 GB of memory.", "The server in the hall has 32 GB of memory."),
        ("We meet on Monday at nine in the hall.", "We meet on Tuesday at nine in the hall."),
        ("The big office is in Osaka now.", "The big office is in Kyoto now."),
        ("The man on the bench is not playing guitar.", "The man on the bench is playing guitar."),
        ("She isn't coming to the long meeting.", "She is coming to the long meeting."),
        ("Anna called Ben about the long meeting.", "Ben called Anna about the long meeting."),
        ("The new price list holds in the shop from 3 May.", "The new price list holds in the shop from May."),
        ("Today Anna is the former head of the whole company.", "Today Anna is the head of the whole company."),
        ("In the end we asked Bill about the whole matter.", "In the end we asked about the whole matter."),
        ("オフィスは大阪の駅前にあります。", "オフィスは京都の駅前にあります。"),
        ("私はその会議に行きません。", "私はその会議に行きます。"),
        ("彼はその店に行けなかった。", "彼はその店に行けた。"),
        ("我们周三在大厅里开会。", "我们周四在大厅里开会。"),
        ("我不喜欢这家店的咖啡和蛋糕。", "我喜欢这家店的咖啡和蛋糕。"),
    ],
)
def test_a_changed_number_name_date_or_negation_is_a_rival_and_no_echo(one: str, other: str) -> None:
    assert share(one, other) is None
    assert share(other, one) is None
    assert share(one, one) == share(other, other) == 1.0  # the control


def test_the_same_words_of_another_speaker_are_no_echo() -> None:
    text = "I moved to Berlin."
    assert echo_share(wording(text, origin="Ann"), wording(text, origin="Ben"), least=LEAST) is None
    assert echo_share(wording(text, origin="Ann"), wording(text, origin="Ann"), least=LEAST) == 1.0


@pytest.mark.parametrize(
    "text", ["I fell off my bike yesterday.", "昨日は雨だった。", "我昨天很累。", "We meet on Monday."]
)
def test_a_time_named_by_its_moment_has_to_be_of_the_same_moment(text: str) -> None:
    early, late = wording(text, moment="2026-03-02"), wording(text, moment="2026-06-01")
    assert echo_share(early, late, least=LEAST) is None
    assert echo_share(early, wording(text, moment="2026-03-02"), least=LEAST) == 1.0
    settled = "The office is in Osaka."
    assert echo_share(wording(settled, moment="a"), wording(settled, moment="b"), least=LEAST) == 1.0  # the control


@given(TEXTS)
def test_every_text_stands_or_is_the_echo_of_one_that_does(texts: list[str]) -> None:
    echoes = Echoes(least=LEAST)
    standing: list[str] = []
    for text in texts:
        found = echoes.place(wording(text))
        if found is None:
            standing.append(text)
        else:
            number, repeated = found
            assert echo_share(wording(standing[number]), wording(text), least=LEAST) == repeated
    for place, text in enumerate(standing):
        assert all(share(earlier, text) is None for earlier in standing[:place])
    assert bool(texts) == bool(standing)


@given(WORDS, st.integers(0, 20), st.sampled_from(["7", "never", "Kyoto", "yesterday"]))
def test_one_word_more_that_turns_a_text_is_never_folded(words: list[str], place: int, word: str) -> None:
    longer = ["So", *words[:place], word, *words[place:]]
    assert share(" ".join(longer), " ".join(["So", *words])) is None
    assert share(" ".join(["So", *words]), " ".join(longer)) is None
