from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.scripts import detect_language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where do we deploy the servers?", Language.EN),
        ("kubernetes deployment", Language.EN),
        ("どこにデプロイしますか", Language.JA),
        ("東京へ行く", Language.JA),
        ("我们在哪里部署服务器？", Language.ZH),
        ("东京", Language.ZH),
        ("Wir haben gestern in einer anderen Stadt lange auf den Zug gewartet", Language.UND),
        ("Où est la bibliothèque", Language.UND),
        ("Где находится офис сегодня вечером", Language.UND),
        ("서울에서 만나요", Language.UND),
        ("", Language.UND),
        ("12345 !?", Language.UND),
        ("\ud800", Language.UND),
    ],
)
def test_the_language_is_told_by_its_script_and_commonest_words(text: str, language: Language) -> None:
    assert detect_language(text) is language


def test_mixed_text_goes_by_the_larger_share() -> None:
    assert detect_language("React の使い方を説明します。コンポーネントを作ります。") is Language.JA
    assert detect_language("The word 東京 means eastern capital in the language of Japan") is Language.EN


def test_chinese_that_quotes_a_japanese_word_stays_chinese() -> None:
    assert (
        detect_language(
            "这家店的名字叫做の，意思是日语里的所属关系，老板在上海住了很多年，生意一直很好，每天都有很多客人"
        )
        is Language.ZH
    )


def test_a_long_text_is_judged_from_a_few_slices_of_it() -> None:
    assert detect_language("これは日本語です。" * 200_000) is Language.JA
    assert detect_language("Die Katze schläft auf dem warmen Ofen. " * 200_000) is Language.UND


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_every_text_has_some_language(text: str) -> None:
    assert detect_language(text) in Language
