from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.claim_gate import claim_gate
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
TURNED = [
    (EN, "Headphones are not permitted.", "Headphones are permitted."),
    (EN, "Expenses under $25 do not need a receipt.", "Expenses below $25 need a receipt."),
    (EN, "Membership is optional.", "Membership is mandatory."),
    (EN, "The witness did not deny that the door was open.", "The witness denied that the door was open."),
    (EN, "Late applications will not be considered.", "Late applications will be considered as well."),
    (JA, "イヤホンの使用はできません。", "イヤホンの使用ができます。"),
    (JA, "会費の支払いは任意です。", "会費の支払いは義務です。"),
    (JA, "領収書は要りません。", "領収書が要ります。"),
    (ZH, "逾期申请不予受理。", "逾期申请也会受理。"),
    (ZH, "停留90天以内无需签证。", "停留90天以内必须办理签证。"),
]
SAID_OTHERWISE = [
    (EN, "Headphones are not permitted.", "It is forbidden to wear headphones."),
    (EN, "The witness did not deny that the door was open.", "The witness admitted the door was open."),
    (EN, "Only authorised staff may enter the laboratory.", "Nobody may enter the laboratory without authorisation."),
    (EN, "The contract is invalid unless both parties sign it.", "For the contract to be valid, both must sign it."),
    (JA, "凍結させてはいけません。", "凍結は禁止です。"),
    (JA, "許可なくポンプを再起動してはいけません。", "ポンプの再起動には許可が必要です。"),
    (ZH, "除非双方签字，否则合同无效。", "双方签字后合同才有效。"),
    (ZH, "发生火灾时请勿使用电梯。", "火灾时禁止乘坐电梯。"),
]


@pytest.mark.parametrize(("language", "before", "after"), TURNED)
def test_a_statement_that_points_the_other_way_is_refused(language: Language, before: str, after: str) -> None:
    assert not claim_gate(before, after, language).passes


@pytest.mark.parametrize(("language", "before", "after"), SAID_OTHERWISE)
def test_a_denial_said_otherwise_passes(language: Language, before: str, after: str) -> None:
    assert claim_gate(before, after, language).passes


def same_topic(one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
    """Take sentences about refunds for near, others for far apart."""
    return np.array([[0.8 if ("efund" in a) == ("efund" in b) else 0.1 for b in other] for a in one], dtype=np.float32)


def test_similarity_in_meaning_tells_a_reworded_claim_from_a_lost_one() -> None:
    before = "Refunds take long. Owls hunt by night over the wide fields."
    reworded = "Be patient with refunds. They catch mice when it is dark."
    verdict = claim_gate(before, "Refunds need patience and time.", EN, similar=same_topic)
    assert [finding.quote[:4] for finding in verdict.doubts if "lost" in finding.reason] == ["Owls"]
    assert claim_gate(before, reworded, EN, similar=same_topic).passes


def test_without_similarity_a_claim_in_other_words_is_doubted_and_not_refused() -> None:
    verdict = claim_gate("Owls hunt by night.", "Mice should fear the dark.", EN)
    assert verdict.passes
    assert verdict.doubts


def test_a_sentence_put_among_others_that_stay_is_refused() -> None:
    before = "Refunds take long. Owls hunt by night."
    assert not claim_gate(before, f"{before} Entry to the museum is free.", EN).passes


def test_a_verdict_with_doubts_alone_passes_and_tells_them() -> None:
    verdict = Ruling(gate=Gate.CLAIMS, findings=(Concern(reason="It may differ", level=Grade.DOUBT),))
    assert verdict.passes
    assert (len(verdict.refusals), len(verdict.doubts)) == (0, 1)
    assert str(verdict) == "claims: doubt: It may differ"


def test_the_claim_gate_is_given_what_tells_similarity() -> None:
    asked: list[int] = []

    def similar(one: Sequence[str], other: Sequence[str]) -> npt.NDArray[np.float32]:
        asked.append(len(one) * len(other))
        return np.full((len(one), len(other)), 0.9, dtype=np.float32)

    list(run_gates("Owls hunt by night.", "Mice fear the dark.", similar=similar))
    assert asked


def test_of_several_values_the_one_that_changed_is_named() -> None:
    told = claim_gate("It has 4 rooms and 30 chairs.", "It has 4 rooms and 40 chairs.", EN).findings
    assert {one.reason for one in told} == {"30 became 40"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "The red one costs 5 euros, the blue one costs 6 euros.",
            "The red one costs 6 euros, the blue one costs 5 euros.",
        ),
        ("Gate 3 opens at 9:00, gate 4 at 10:00.", "Gate 3 opens at 10:00, gate 4 at 9:00."),
    ],
)
def test_two_values_that_changed_places_are_refused_for_that(before: str, after: str) -> None:
    told = claim_gate(before, after, EN).findings
    assert "Values changed places" in {one.reason for one in told}
