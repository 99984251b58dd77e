"""Parties that change places and relations that are turned round: doubted at least, refused where all else stays."""

from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.claims import read_claims
from evolore.evolution.gates.roles import exchanged_roles
from evolore.evolution.gates.verdicts import Grade

TURNED = (
    (Language.EN, "The landlord pays the tenant.", "The tenant pays the landlord."),
    (Language.EN, "Maria is older than Tom.", "Maria is younger than Tom."),
    (Language.EN, "The supplier delivers to the customer.", "The supplier is delivered to by the customer."),
    (Language.EN, "The museum lends two boats to the school.", "The museum borrows two boats from the school."),
    (Language.JA, "佐藤は田中に鍵を渡します。", "田中は佐藤に鍵を渡します。"),
    (Language.JA, "白川は黒川より短い川です。", "白川は黒川より長い川です。"),
    (
        Language.JA,
        "運送中の損害は売主の負担です。買主は代金を払います。",
        "運送中の損害は買主の負担です。買主は代金を払います。",
    ),
    (Language.ZH, "志愿者由管理员培训。", "志愿者培训管理员。"),
    (Language.ZH, "小孟比小罗大三岁。", "小孟比小罗小三岁。"),
)
SAME = (
    (Language.EN, "The landlord pays the tenant.", "The tenant is paid by the landlord."),
    (Language.EN, "Maria is older than Tom.", "Tom is younger than Maria."),
    (Language.JA, "佐藤は田中に鍵を渡します。", "田中は佐藤から鍵を受け取ります。"),
    (Language.JA, "白川は黒川より短い川です。", "黒川は白川より長い川です。"),
    (Language.ZH, "志愿者由管理员培训。", "管理员培训志愿者。"),
    (Language.ZH, "小孟比小罗大三岁。", "小罗比小孟小三岁。"),
)


def levels(language: Language, before: str, after: str) -> list[Grade]:
    found = exchanged_roles(read_claims(before, language), read_claims(after, language), language)
    return [one.level for one in found]


@pytest.mark.parametrize(("language", "before", "after"), TURNED)
def test_a_relation_that_is_turned_round_is_seen(language: Language, before: str, after: str) -> None:
    assert levels(language, before, after)


@pytest.mark.parametrize(("language", "before", "after"), SAME)
def test_a_relation_told_from_the_other_side_is_let_pass(language: Language, before: str, after: str) -> None:
    assert not levels(language, before, after)


def test_a_clause_that_is_word_for_word_the_same_but_for_the_order_is_refused() -> None:
    assert levels(Language.EN, "The landlord pays the tenant.", "The tenant pays the landlord.") == [Grade.REFUSE]
    reworded = "Every month it is the tenant who pays some of the money to the landlord."
    assert levels(Language.EN, "The landlord pays money to the tenant every month.", reworded) == [Grade.DOUBT]


def test_an_unchanged_text_has_no_findings() -> None:
    for language, before, _ in TURNED:
        assert not levels(language, before, before)
