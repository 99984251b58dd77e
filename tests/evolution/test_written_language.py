from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.evolution.requests import is_written_in

EN, JA, ZH, UND = Language.EN, Language.JA, Language.ZH, Language.UND


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Refunds take 14 days.", EN),
        ("# Parcel transit times\n\n| Zone | Days |\n|---|---|\n| Berlin | 2 |", EN),
        ("返金は14日以内です。", JA),
        ("# 返金期限", JA),
        ("退款需要14天。", ZH),
        ("Die Erstattung dauert vierzehn Tage.", UND),
        ("`pip install evolore`", JA),
        ("14 / 7", ZH),
        ("```sh\nmake the thing and run it\n```", JA),
        ("設定は `make the thing and run it with the flag` を実行してください。", JA),
    ],
)
def test_what_is_in_the_language_passes(text: str, language: Language) -> None:
    assert is_written_in(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("返金は14日以内です。", EN),
        ("Refunds take 14 days.", JA),
        ("退款需要十四天,由商店负责办理,请保留收据并联系客服人员,我们将在收到包裹之后为您处理退款申请。", JA),
        ("返金には14日かかります。", ZH),
        ("Refunds take 14 days.", ZH),
        ("Возврат занимает четырнадцать дней.", EN),
        ("Возврат занимает четырнадцать дней.", JA),
        ("返金は14日以内です。", UND),
        (
            "Die Erstattung dauert vierzehn Tage, wenn alles vorliegt, und sonst auch einmal länger, bis das Geld da ist.",
            EN,
        ),
    ],
)
def test_what_is_in_another_language_does_not(text: str, language: Language) -> None:
    assert not is_written_in(text, language)


def test_a_section_in_another_language_than_its_document_stays_in_it() -> None:
    english = "This is the part that is for readers in English."
    assert is_written_in("This is for readers of English.", JA, beside=english)
    assert not is_written_in("これは英語の読者のためです。", EN, beside=english)
