"""Steps that are left out or change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.claims import read_claims
from evolore.evolution.gates.steps import lost_steps
from evolore.evolution.gates.verdicts import Grade

if TYPE_CHECKING:
    from evolore.evolution.gates.verdicts import Concern

BREW = {
    Language.EN: "First rinse the pot, fill the tank and press the button. Then pour the coffee into the cup.",
    Language.JA: "まずポットを洗い、水槽に水を入れ、ボタンを押します。次にコーヒーを茶碗に注ぎます。",
    Language.ZH: "先清洗咖啡壶,往水箱加满清水,按下红色按钮。然后把咖啡倒进茶杯。",
}
WITHOUT = {
    Language.EN: "First rinse the pot and press the button. Then pour the coffee into the cup.",
    Language.JA: "まずポットを洗い、ボタンを押します。次にコーヒーを茶碗に注ぎます。",
    Language.ZH: "先清洗咖啡壶,按下红色按钮。然后把咖啡倒进茶杯。",
}
TURNED = {
    Language.EN: "First rinse the pot, press the button and fill the tank. Then pour the coffee into the cup.",
    Language.JA: "まずポットを洗い、ボタンを押し、水槽に水を入れます。次にコーヒーを茶碗に注ぎます。",
    Language.ZH: "先清洗咖啡壶,按下红色按钮,往水箱加满清水。然后把咖啡倒进茶杯。",
}


def found(language: Language, after: str) -> list[Concern]:
    return list(lost_steps(read_claims(BREW[language], language), read_claims(after, language), language))


@pytest.mark.parametrize("language", BREW)
def test_a_step_that_is_left_out_is_seen(language: Language) -> None:
    (one,) = found(language, WITHOUT[language])
    assert one.reason == "A step is left out"
    assert one.level is Grade.REFUSE


@pytest.mark.parametrize("language", BREW)
def test_two_steps_that_change_places_are_seen(language: Language) -> None:
    (one,) = found(language, TURNED[language])
    assert one.reason.startswith("Two steps change places")


@pytest.mark.parametrize("language", BREW)
def test_unchanged_steps_are_let_pass(language: Language) -> None:
    assert not found(language, BREW[language])


def test_an_order_that_words_tell_is_let_pass() -> None:
    after = "First rinse the pot. Press the button after you fill the tank. Then pour the coffee into the cup."
    assert not found(Language.EN, after)
