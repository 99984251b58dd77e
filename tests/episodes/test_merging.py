"""Sorting into matters."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.merging import Candidate, IntegrationKind, MergedText, can_repeat, decide, joint_groups
from evolore.text.vectors import groups

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
DUPLICATE, MERGE, LINK, NEW = (
    IntegrationKind.DUPLICATE,
    IntegrationKind.MERGE,
    IntegrationKind.LINK,
    IntegrationKind.NEW,
)


def said(text: str, language: Language = EN, **more: object) -> MergedText:
    return MergedText(text=text, language=language, **more)  # type: ignore[arg-type]


def known(
    text: str,
    language: Language = EN,
    *,
    id_: str = "a",
    s_dup: float = 0.99,
    probability: float = 0.99,
    **more: object,
) -> Candidate:
    return Candidate(id=id_, said=said(text, language, **more), s_dup=s_dup, probability=probability)


def kind(old: str, new: str, language: Language = EN, **more: object) -> IntegrationKind:
    return decide(said(new, language), [known(old, language, **more)]).kind  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("We moved to Leeds in May.", "we moved to  Leeds in may", EN),
        ("The rent is 1,200 euros.", "The rent is 1200 euros!", EN),
        ("We moved to Leeds. The flat has a view.", "The flat has a view!", EN),
        ("会議は３階で行います。", "会議は3階で行います", JA),
        ("我每天早上六点去跑步。", "我每天早上六点去跑步", ZH),
    ],
)
def test_the_same_in_another_case_width_or_punctuation_repeats(old: str, new: str, language: Language) -> None:
    made = decide(said(new, language), [known(old, language, s_dup=0.7, probability=0.1)])
    assert made.kind is DUPLICATE
    assert made.target == "a"
    assert made.novel == ()


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("A man is playing the guitar.", "The man plays a guitar.", EN),
        ("It costs 20 thousand dollars to run the shop.", "It costs $20k to run the shop.", EN),
        ("白い電車が駅のホームに止まっています。", "駅のホームに白い電車が止まっています。", JA),
        ("一个女人吹长笛。", "一个女人在吹长笛。", ZH),
    ],
)
def test_the_same_words_in_another_form_merge(old: str, new: str, language: Language) -> None:
    assert kind(old, new, language, s_dup=0.72) is MERGE
    assert kind(old, new, language, s_dup=0.72, probability=0.3) is NEW


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The report is due by Friday at noon.", "The report is due after Friday at noon.", EN),
        ("Our flight lands in Lisbon at 17:05.", "Our flight lands from Lisbon at 17:05.", EN),
        ("I can eat eggs in cakes.", "I could eat eggs in cakes.", EN),
        ("裏口の鍵は社外に出るときだけ必要です。", "裏口の鍵は社外に出るときは必要です。", JA),
        ("柴犬は雷が鳴ると押し入れに隠れる。", "柴犬は雷が鳴っても押し入れに隠れる。", JA),
        ("周末食堂只供应午饭和汤。", "周末食堂供应午饭和汤。", ZH),
    ],
)
def test_a_small_word_keeps_two_apart(old: str, new: str, language: Language) -> None:
    assert kind(old, new, language) is LINK
    assert kind(new, old, language) is LINK


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("The gym opens at 7 on weekdays.", "The gym opens at 8 on weekdays.", EN),
        ("The gym opens at seven on weekdays.", "The gym doesn't open at seven on weekdays.", EN),
        ("We meet Anna at the station.", "We meet Peter at the station.", EN),
        ("The review is on Monday.", "The review is on Tuesday.", EN),
        ("Is the shop in Leeds open?", "The shop in Leeds is open.", EN),
        ("I am going to call the bank.", "I called the bank.", EN),
        ("I work at the bakery.", "I worked at the bakery.", EN),
        ("A woman is cutting an onion.", "A woman is frying an onion.", EN),
        ("The dog chased the cat.", "The cat chased the dog.", EN),
        ("The parcel w3x130 left Kyoto.", "The parcel w3x137 left Kyoto.", EN),
        ("The unit b7c4d1a is in stock.", "The unit b7c4d1f is in stock.", EN),
        ("部品はw3x130です。", "部品はw3x137です。", JA),
        ("会議は三階で行います。", "会議は四階で行います。", JA),
        ("犬が庭で遊んでいます。", "犬が庭で遊んでいません。", JA),
        ("男性が女性の顔を描いている。", "女性が男性の顔を描いている。", JA),
        ("明るいライトに1羽の鳥がいます。", "ライトにたくさんの鳥がいます。", JA),
        ("一个男人在剥土豆。", "一个男人在切土豆。", ZH),
        ("我周三去游泳。", "我周四去游泳。", ZH),
        ("房租是三千五百元。", "房租是三千八百元。", ZH),
        ("他喜欢喝咖啡。", "他不喜欢喝咖啡。", ZH),
    ],
)
def test_what_differs_in_anything_that_counts_is_linked_however_near_it_is(
    old: str, new: str, language: Language
) -> None:
    made = decide(said(new, language), [known(old, language, s_dup=1.0)])
    assert made.kind is LINK
    assert made.target == "a"


def test_a_word_more_needs_nearness_and_a_strong_connection_lowers_it() -> None:
    old, new = (
        "The brown cows eat from a trough near the barn.",
        "The brown cows eat slowly from a trough near the barn.",
    )
    assert kind(old, new, s_dup=0.8) is MERGE
    assert kind(old, new, s_dup=0.74) is LINK
    near = Candidate(id="a", said=said(old), s_dup=0.7, probability=0.9, is_connected=True)
    assert decide(said(new), [near]).kind is MERGE


def test_a_name_more_needs_more_nearness() -> None:
    old, new = "The double gives the home team its win today", "The double gives the home team its win today over Japan"
    assert kind(old, new, s_dup=0.8) is LINK
    assert kind(old, new, s_dup=0.9) is MERGE


def test_what_says_all_and_more_merges_and_its_new_sentences_are_kept_in_order() -> None:
    new = "It rained. We moved to Leeds in May. The flat is small."
    made = decide(said(new), [known("We moved to Leeds in May.", s_dup=0.7)])
    assert made.kind is MERGE
    assert made.novel == ("It rained.", "The flat is small.")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Thanks!", EN),
        ("Yes, sure.", EN),
        ("Good morning!", EN),
        ("How are you?", EN),
        ("Tomorrow.", EN),
        ("うん", JA),
        ("ありがとうございます！", JA),
        ("了解です。", JA),
        ("好的", ZH),
        ("谢谢你！", ZH),
        ("嗯嗯，好的。", ZH),
    ],
)
def test_small_talk_never_merges(text: str, language: Language) -> None:
    assert not can_repeat(text, language)
    assert kind(text, text, language) is LINK
    assert kind(text, text, language, probability=0.2) is NEW


@pytest.mark.parametrize(("text", "language"), [("I'm vegan.", EN), ("肉は食べません。", JA), ("我吃素。", ZH)])
def test_a_short_fact_repeats(text: str, language: Language) -> None:
    assert kind(text, text, language) is DUPLICATE


def test_only_one_speaker_one_key_and_what_holds_may_become_one() -> None:
    text = "The office is in Osaka."
    key = ("office", "city")
    assert decide(said(text, speaker="Ann"), [known(text, speaker="Ann")]).kind is DUPLICATE
    assert decide(said(text, speaker="Ann"), [known(text, speaker="Bob")]).kind is LINK
    assert decide(said(text, about=key), [known(text, about=key)]).kind is DUPLICATE
    assert decide(said(text), [known(text, about=key)]).kind is DUPLICATE
    assert decide(said(text, about=key), [known(text)]).kind is LINK
    assert decide(said(text, about=key), [known("The office is now in Osaka.", about=key)]).kind is LINK
    assert decide(said(text), [known(text, holds=False)]).kind is LINK
    assert decide(said(text, JA), [known(text)]).kind is LINK


def test_what_names_a_time_by_the_moment_repeats_only_on_that_day() -> None:
    first, second = date(2026, 3, 2), date(2026, 3, 4)
    text = "I ran ten kilometres today."
    assert decide(said(text, moment=second), [known(text, moment=first)]).kind is LINK
    assert decide(said(text, moment=first), [known(text, moment=first)]).kind is DUPLICATE
    text = "I like to run along the river."
    assert decide(said(text, moment=second), [known(text, moment=first)]).kind is DUPLICATE


def test_the_nearest_is_chosen_and_ties_go_to_the_lower_id() -> None:
    new = said("A man is playing the guitar.")
    old = "The man plays a guitar."
    assert decide(new, [known(old, id_="b"), known(old, id_="a")]).target == "a"
    assert decide(new, [known(old, id_="b", s_dup=0.999), known(old, id_="a", s_dup=0.9)]).target == "b"
    assert decide(new, [known(old, id_="b", s_dup=0.90001), known(old, id_="a", s_dup=0.9)]).target == "a"


def test_nothing_near_is_new_and_every_decision_says_why() -> None:
    made = decide(said("The gym opens at 7."), [known("Soup for lunch was good.", probability=0.1, s_dup=0.7)])
    assert (made.kind, made.target) == (NEW, None)
    assert decide(said("The gym opens at 7."), []).kind is NEW
    linked = decide(said("The gym opens at 7."), [known("The gym opens at 8.")])
    assert '"7" / "8"' in linked.reason or '"8" / "7"' in linked.reason


TEXTS = st.sampled_from(
    [
        "The gym opens at 7.",
        "the gym opens at 7",
        "The gym opens at 8.",
        "A man plays a guitar.",
        "Thanks!",
        "Is it?",
        ".",
    ]
)
SHARES = st.floats(0.0, 1.0)


@settings(deadline=None)
@given(TEXTS, st.lists(st.tuples(TEXTS, SHARES, SHARES), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_candidates_changes_nothing(new: str, old: list[tuple[str, float, float]], random: object) -> None:
    candidates = [
        known(text, id_=str(number), s_dup=0.7 + 0.3 * share, probability=probability)
        for number, (text, share, probability) in enumerate(old)
    ]
    assert decide(said(new), candidates) == decide(said(new), candidates[::-1])


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(list(Language)))
def test_any_two_texts_get_a_decision(new: str, old: str, language: Language) -> None:
    made = decide(said(new, language), [known(old, language)])
    assert (made.target is None) == (made.kind is NEW)
    assert made.reason


def block(sizes: list[int], *, inside: float, between: float) -> np.ndarray:
    labels = np.repeat(np.arange(len(sizes)), sizes)
    odds = np.where(labels[:, None] == labels, inside, between)
    np.fill_diagonal(odds, 0.0)
    return odds


@st.composite
def odds_and_neighbours(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    count = draw(st.integers(1, 16))
    drawn = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(draw(st.floats(-2, 2)), 2.0, (count, count))
    odds = np.round((drawn + drawn.T) / 2, 3)
    np.fill_diagonal(odds, 0.0)
    return odds, draw(st.integers(0, count - 1))


@given(odds_and_neighbours(), st.integers(1, 4), st.integers(1, 2))
def test_groups_are_numbered_in_order_few_enough_and_none_holds_too_little(
    given_odds: tuple[np.ndarray, int], most: int, fewest: int
) -> None:
    odds, neighbours = given_odds
    labels = joint_groups(odds, neighbours=neighbours, most=most, fewest=fewest)
    count = int(labels.max()) + 1
    assert list(dict.fromkeys(labels.tolist())) == list(range(count))
    assert count <= most
    if count > 1:
        assert (np.bincount(labels[:neighbours], minlength=count) >= fewest).all()
        assert (np.bincount(labels[neighbours:], minlength=count) >= 2).all()
        assert (np.bincount(labels) >= 4).all()


@given(odds_and_neighbours())
def test_what_is_found_is_never_worse_than_one_group(given_odds: tuple[np.ndarray, int]) -> None:
    odds, neighbours = given_odds
    labels = joint_groups(odds, neighbours=neighbours, most=3)
    assert odds[labels[:, None] == labels].sum() >= odds.sum() - 1e-6


def test_two_matters_are_told_apart_and_one_is_left_together() -> None:
    odds = block([7, 7], inside=2.0, between=-2.0)
    order = [0, 1, 2, 7, 8, 9, 3, 4, 5, 6, 10, 11, 12, 13]
    found = joint_groups(odds[np.ix_(order, order)], neighbours=6, most=3)
    assert found.tolist() == [0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    assert not joint_groups(block([14], inside=0.5, between=0.0), neighbours=6, most=3).any()


def test_a_fourth_matter_is_shared_out_where_three_parts_are_allowed() -> None:
    odds = block([4, 4, 4, 4], inside=3.0, between=-1.0)
    order = [0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15]
    arranged = odds[np.ix_(order, order)]
    assert joint_groups(arranged, neighbours=8, most=4).max() == 3
    assert joint_groups(arranged, neighbours=8, most=3).max() == 2


def test_average_linkage_does_not_chain() -> None:
    near = np.eye(4) + np.diag([0.9, 0.8, 0.9], 1) + np.diag([0.9, 0.8, 0.9], -1)
    assert groups(near).tolist() == [0, 0, 1, 1]


def test_one_item_is_one_group_and_all_single_ones_stay_single() -> None:
    assert groups(np.eye(1)).tolist() == [0]
    assert groups(np.eye(3)).tolist() == [0, 1, 2]
