from __future__ import annotations

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.contest import Proof, pairs_before_proof, proof_of, shared_alpha
from evolore.evolution.contest_questions import ALPHA, BETS
from evolore.evolution.matches import Tally, evidence


def proof(wins: int, losses: int, *, left: int = 20) -> Proof:
    return proof_of(Tally(wins=wins, losses=losses), left=left, alpha=0.05)


def test_winning_on_and_on_proves_and_losing_ends() -> None:
    assert proof(0, 0) is Proof.OPEN
    assert proof(8, 0) is Proof.PROVED
    assert proof(0, 6, left=34) is Proof.HOPELESS


def test_it_ends_where_winning_every_other_pair_would_not_prove_it() -> None:
    with patch("evolore.evolution.contest._FUTILITY", 0.0):
        assert proof(5, 5, left=5) is Proof.HOPELESS
    with patch("evolore.evolution.contest._FUTILITY", 0.0):
        assert proof(5, 5, left=30) is Proof.OPEN
    with patch("evolore.evolution.contest._FUTILITY", 0.0):
        assert proof(4, 4, left=0) is Proof.HOPELESS


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_more_wins_never_make_it_worse_and_more_losses_never_better(wins: int, losses: int, left: int) -> None:
    ranks = [Proof.HOPELESS, Proof.OPEN, Proof.PROVED]
    here = ranks.index(proof(wins, losses, left=left))
    assert ranks.index(proof(wins + 1, losses, left=left)) >= here
    assert ranks.index(proof(wins, losses + 1, left=left)) <= here


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 30), st.data())
def test_no_pair_is_asked_that_could_turn_out_needless(wins: int, losses: int, left: int, data: st.DataObject) -> None:
    tally = Tally(wins=wins, losses=losses)
    if proof_of(tally, left=left, alpha=0.05) is not Proof.OPEN:
        return
    pairs = pairs_before_proof(tally, left=left, alpha=0.05)
    assert 1 <= pairs <= left
    won = data.draw(st.integers(0, pairs - 1))
    lost = data.draw(st.integers(0, pairs - 1 - won))
    early = Tally(wins=wins + won, losses=losses + lost, ties=pairs - 1 - won - lost)
    assert proof_of(early, left=left - pairs + 1, alpha=0.05) is Proof.OPEN


def test_shares_of_alpha_come_to_alpha_and_pass_on_what_was_proved() -> None:
    assert shared_alpha(0, [False]) == ALPHA
    assert shared_alpha(2, [False, False, False]) == ALPHA / 3
    assert shared_alpha(1, [True, False]) == ALPHA
    assert shared_alpha(2, [True, False, False]) == ALPHA / 3
    assert abs(shared_alpha(2, [False, True, False]) - 2 * ALPHA / 3) < 1e-12


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_no_candidate_has_more_than_all_of_alpha(proved: list[bool]) -> None:
    assert all(0 < shared_alpha(at, proved) <= ALPHA + 1e-12 for at in range(len(proved)))


def test_a_third_of_alpha_takes_more_to_prove() -> None:
    most = next(wins for wins in range(40) if evidence(wins, 0, BETS) >= 20)
    tally = Tally(wins=most)
    assert proof_of(tally, left=30, alpha=0.05) is Proof.PROVED
    assert proof_of(tally, left=30, alpha=0.05 / 3) is Proof.OPEN
