"""What is denied in one text and free in the other, what comes before and after, and words for times."""

from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.claims import read_claims
from evolore.evolution.gates.denied_words import denied_words

HARMFUL = (
    (
        Language.EN,
        "Frozen dumplings are not thawed first.",
        "If the dumplings are frozen, they get thawed at the start.",
    ),
    (Language.EN, "Do not unplug the cable.", "You may unplug the cable."),
    (Language.EN, "Check the gear before each dive.", "After every dive the gear is to be checked."),
    (Language.EN, "The fee is paid monthly.", "What you pay yearly is the fee."),
    (Language.JA, "ふたを開けないでください。", "ふたを開けてから待ちます。"),
    (Language.JA, "月謝は先生に払います。", "先生に払うのは年会費です。"),
    (Language.ZH, "冻饺子不要先解冻。", "若是冻饺子,要先解冻。"),
    (Language.ZH, "工资从次月起计算。", "工资自当月起算。"),
)
HARMLESS = (
    (Language.EN, "Do not unplug the cable.", "The cable must not be unplugged."),
    (Language.EN, "Do not unplug the cable.", "Keep the cable plugged in."),
    (Language.EN, "The fee is paid monthly.", "You pay the fee every month."),
    (Language.JA, "ふたを開けないでください。", "ふたは開けてはいけません。"),
    (Language.ZH, "冻饺子不要先解冻。", "冻饺子请勿提前解冻。"),
)


def reasons(language: Language, before: str, after: str) -> list[str]:
    return [one.reason for one in denied_words(read_claims(before, language), read_claims(after, language), language)]


@pytest.mark.parametrize(("language", "before", "after"), HARMFUL)
def test_what_is_turned_is_doubted(language: Language, before: str, after: str) -> None:
    assert reasons(language, before, after)
    assert reasons(language, after, before)


@pytest.mark.parametrize(("language", "before", "after"), HARMLESS)
def test_the_same_in_other_words_is_let_pass(language: Language, before: str, after: str) -> None:
    assert not reasons(language, before, after)
    assert not reasons(language, before, before)
