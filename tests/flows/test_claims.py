"""A chat model says what a rewrite lost and invented, in quotes that stand where it says they do."""

from __future__ import annotations

import json

import pytest

from evolore.chat.asking import Asker
from evolore.domain.chat import UNLIMITED
from evolore.domain.contest import NoVerdict
from evolore.domain.language import Language
from evolore.evolution.requests import read_data
from evolore.flows.evolve.candidates import ClaimsJudged, judge_claims
from evolore.models.offline_chat import ScriptedFault
from flows.evolving_words import EVIDENCE, GUIDE, asking

AFTER = GUIDE.replace("It is done by the shop.", "You need a receipt for\nmore than 3,000 JPY.")


def reply(*, lost: tuple[str, ...] = (), invented: tuple[str, ...] = ()) -> str:
    said = {"lost": lost, "invented": invented}
    return json.dumps({name: [{"quote": one, "reason": "It is."} for one in quotes] for name, quotes in said.items()})


def judged(said: str, before: str = GUIDE, after: str = AFTER) -> ClaimsJudged | NoVerdict:
    asker, _ = asking(said)
    return judge_claims(asker, before, after, language=Language.EN)


def test_what_is_lost_and_invented_is_told_with_its_place() -> None:
    found = judged(reply(lost=("It is done by the shop.",), invented=("a receipt for more",)))
    assert isinstance(found, ClaimsJudged)
    ((lost,), (invented,)) = found.lost, found.invented
    assert lost.before is not None
    assert lost.before.of(GUIDE) == lost.quote == "It is done by the shop."
    assert invented.after is not None
    assert invented.after.of(AFTER) == invented.quote == "a receipt for\nmore"
    assert (found.judge, found.usage.calls, found.passes) == ("scripted-1/judge_claims_1", 1, False)


def test_nothing_to_object_to_passes() -> None:
    found = judged(reply())
    assert isinstance(found, ClaimsJudged)
    assert found.passes


@pytest.mark.parametrize("said", [reply(lost=("It was done.",)), reply(invented=("It is done by the shop.",))])
def test_a_quote_that_stands_nowhere_makes_the_reply_unusable(said: str) -> None:
    found = judged(said)
    assert isinstance(found, NoVerdict)
    assert "quotes what does not stand" in found.reason


def test_a_sentence_that_stands_in_the_other_text_word_for_word_is_not_lost() -> None:
    found = judged(reply(lost=("Refunds take 7 days.", "5,000"), invented=("Refunds",)))
    assert isinstance(found, ClaimsJudged)
    assert found.passes
    changed = GUIDE.replace("The limit is 5,000 JPY per order.", "Ask us. The fee is 5,000 JPY.")
    found = judged(reply(lost=("5,000 JPY",)), after=changed)  # the control: the number stands there, its sentence not
    assert isinstance(found, ClaimsJudged)
    assert [one.quote for one in found.lost] == ["5,000 JPY"]


def test_what_the_evidence_says_is_not_invented() -> None:
    after = f"{GUIDE}\n{EVIDENCE.text}\n"
    asker, model = asking(reply(invented=(EVIDENCE.text,)))
    found = judge_claims(asker, GUIDE, after, language=Language.EN, evidence=[EVIDENCE], doubts=["spans: 3,000 JPY"])
    assert isinstance(found, ClaimsJudged)
    assert found.passes
    data = read_data(model.requests[0])
    assert data["evidence"] == [{"id": "e1", "source": "rules.md", "text": EVIDENCE.text}]
    assert data["doubts"] == ["spans: 3,000 JPY"]
    found = judged(reply(invented=(EVIDENCE.text,)), after=after)  # the control: without evidence it is
    assert isinstance(found, ClaimsJudged)
    assert not found.passes


def test_only_what_differs_is_shown_beside_what_stays() -> None:
    asker, model = asking(reply())
    judge_claims(asker, GUIDE, AFTER, language=Language.JA)
    data = read_data(model.requests[0])
    assert data["language"] == "Japanese"
    assert data["before"] == [{"path": "Refunds", "text": "# Refunds\n\nRefunds take 7 days. It is done by the shop."}]
    assert data["unchanged"] == [
        {"path": "Refunds > Limits", "text": "## Limits\n\nThe limit is 5,000 JPY per order."},
        {"path": "Contact", "text": "# Contact\n\nWrite to help@shop.example."},
    ]


def test_nobody_is_asked_where_nothing_differs_or_too_much_does() -> None:
    asker, model = asking(reply())
    assert judge_claims(asker, GUIDE, GUIDE, language=Language.EN) == ClaimsJudged()
    long = "# A\n\n" + "Wait a day. " * 4_000
    assert judge_claims(asker, GUIDE, long, language=Language.EN) == NoVerdict(reason="too_long")
    assert model.calls == 0


@pytest.mark.parametrize("fault", [*ScriptedFault])
def test_a_fault_is_told_and_is_no_verdict(fault: ScriptedFault) -> None:
    asker, _ = asking(fault)
    found = judge_claims(asker, GUIDE, AFTER, language=Language.EN)
    assert isinstance(found, NoVerdict)
    assert found.reason


@pytest.mark.parametrize("said", ["{}", '{"lost": []}', '{"lost": [], "invented": [{"quote": "", "reason": "x"}]}'])
def test_half_a_reply_is_none(said: str) -> None:
    assert isinstance(judged(said), NoVerdict)
    assert judge_claims(Asker(None, UNLIMITED), GUIDE, AFTER, language=Language.EN) == NoVerdict(reason="no_model")
