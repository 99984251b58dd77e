from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evolore.domain.lineage import Candidate, Match, MatchOutcome, Operator
from evolore.errors import InvalidValue

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_operators_keep_the_seeds_names() -> None:
    assert Operator("MUTATION_CLARITY") is Operator.MUTATION_CLARITY
    assert Operator("CROSSOVER_MERGE") is Operator.CROSSOVER_MERGE


def test_a_candidate_comes_from_a_document() -> None:
    assert Candidate(id="c", document_ids=("d",), operator=Operator.MUTATION_DETAIL, text="t").document_ids == ("d",)
    with pytest.raises(InvalidValue, match="names no document"):
        Candidate(id="c", document_ids=(), operator=Operator.MUTATION_DETAIL, text="t")


def test_a_match_is_won_lost_or_tied() -> None:
    assert [Match(candidate_id="c", question="q", outcome=outcome).outcome for outcome in MatchOutcome] == [
        "A",
        "B",
        "TIE",
    ]
