from __future__ import annotations

from evolore.domain.evolution import Match, MatchOutcome, Operator


def test_operators_keep_the_seeds_names() -> None:
    assert Operator("MUTATION_CLARITY") is Operator.MUTATION_CLARITY
    assert Operator("CROSSOVER_MERGE") is Operator.CROSSOVER_MERGE


def test_a_match_is_won_lost_or_tied() -> None:
    assert [Match(candidate_id="c", question="q", outcome=outcome).outcome for outcome in MatchOutcome] == [
        "A",
        "B",
        "TIE",
    ]
