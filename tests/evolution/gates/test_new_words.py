"""Words of which neither the original nor the evidence has any."""

from __future__ import annotations

import pytest

from evolore.domain.language import Language
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.gates.verdicts import Gate

FROM_NOWHERE = [
    (Language.EN, "The pump takes 12 litres.", "The pump takes 12 litres. korvat, zelin."),
    (Language.JA, "ポンプには12リットル入ります。", "ポンプには12リットル入ります。korvat, zelin."),
    (Language.ZH, "水泵能装12升。", "水泵能装12升。korvat, zelin."),
    (Language.ZH, "水泵能装12升。", "水泵能装12升水（korvat）。"),
]


def doubts(before: str, after: str, language: Language, evidence: tuple[str, ...] = ()) -> list[str]:
    verdicts = run_gates(before, after, language=language, evidence=evidence)
    return [
        one.quote for verdict in verdicts for one in (*verdict.doubts, *verdict.refusals) if verdict.gate is Gate.CLAIMS
    ]


@pytest.mark.parametrize(("language", "before", "after"), FROM_NOWHERE)
def test_half_a_secret_in_a_few_words_is_told(language: Language, before: str, after: str) -> None:
    assert any("korvat" in quote for quote in doubts(before, after, language))
    assert not any("korvat" in quote for quote in doubts(before, after, language, evidence=("korvat, zelin.",)))


@pytest.mark.parametrize(("language", "before", "after"), FROM_NOWHERE)
def test_what_says_the_same_in_known_words_is_not_told(language: Language, before: str, after: str) -> None:
    assert not doubts(before, before, language)
    assert not doubts(after, after, language)
