from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.contest import EvidenceText
from evolore.domain.language import Language
from evolore.evolution.claim_changes import BornOut, ClaimChange, claim_changes

BEFORE = "Refunds take 7 days. Send the form to the desk. Ask Mika for help."
AFTER = "Refunds take 9 working days. Send the form to the desk. The desk is closed on Fridays."


def test_what_is_worded_otherwise_is_paired_and_what_is_new_or_left_out_stands_alone() -> None:
    assert claim_changes(BEFORE, AFTER, language=Language.EN) == (
        ClaimChange(before=("Refunds take 7 days.",), after=("Refunds take 9 working days.",)),
        ClaimChange(before=(), after=("The desk is closed on Fridays.",)),
        ClaimChange(before=("Ask Mika for help.",), after=()),
    )


def test_what_is_new_is_borne_out_by_the_sentence_that_says_it() -> None:
    evidence = [
        EvidenceText(id="minutes", text="We met on Monday. From May on, refunds take 9 working days. Lunch was good."),
        EvidenceText(id="notice", text="On Fridays the desk is closed."),
        EvidenceText(id="menu", text="The soup of the day is leek."),
    ]
    changes = claim_changes(BEFORE, AFTER, language=Language.EN, evidence=evidence)
    assert [one.evidence for one in changes] == [
        (BornOut(episode_id="minutes", quote="From May on, refunds take 9 working days."),),
        (BornOut(episode_id="notice", quote="On Fridays the desk is closed."),),
        (),
    ]


@pytest.mark.parametrize(
    ("language", "before", "after", "said", "quote"),
    [
        (
            Language.JA,
            "返金には7日かかる。用紙は窓口に出す。",
            "返金には9日かかる。用紙は窓口に出す。",
            "会議は月曜だった。五月から返金は9日かかります。",
            "五月から返金は9日かかります。",
        ),
        (
            Language.ZH,
            "退款需要7天。表格交到窗口。",
            "退款需要9天。表格交到窗口。",
            "周一开了会。从五月起退款需要9天。",
            "从五月起退款需要9天。",
        ),
    ],
)
def test_a_value_is_borne_out_in_other_languages(
    language: Language, before: str, after: str, said: str, quote: str
) -> None:
    (change,) = claim_changes(before, after, language=language, evidence=[EvidenceText(id="m", text=said)])
    assert len(change.before) == len(change.after) == 1
    assert change.evidence == (BornOut(episode_id="m", quote=quote),)


def test_a_passage_about_something_else_bears_nothing_out() -> None:
    evidence = [EvidenceText(id="menu", text="The soup of the day is leek, for 4 euros.")]
    assert all(not one.evidence for one in claim_changes(BEFORE, AFTER, language=Language.EN, evidence=evidence))


def test_a_new_text_says_everything_for_the_first_time_and_an_emptied_one_leaves_all_out() -> None:
    assert [one.before for one in claim_changes("", BEFORE, language=Language.EN)] == [()] * 3
    assert [one.after for one in claim_changes(BEFORE, "", language=Language.EN)] == [()] * 3


SENTENCES = st.lists(
    st.sampled_from([f"The {one} of the house is {n} metres." for one in ("roof", "door", "well") for n in range(9)]),
    unique=True,
)


@given(SENTENCES, SENTENCES)
def test_every_sentence_that_does_not_stand_in_both_is_told_once(before: list[str], after: list[str]) -> None:
    changes = claim_changes(" ".join(before), " ".join(after), language=Language.EN)
    kept = set(before) & set(after)
    assert sorted(said for one in changes for said in one.before) == sorted(set(before) - kept)
    assert sorted(said for one in changes for said in one.after) == sorted(set(after) - kept)
