"""What recall learns from rated questions is measured as the protocol says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evolore.domain.query import Query
from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.learning import (
    Cohort,
    LearningTrial,
    RepeatedQuestion,
    damage,
    evaluate_learning,
    gains,
    is_rated,
    way_of,
)
from evolore_evaluation.measure import Run
from evolore_evaluation.retrieval_sets import Question

if TYPE_CHECKING:
    from pathlib import Path

FILLER = 12


def trial(group: Cohort, *, before: str, after: str, attacked: str | None = None) -> LearningTrial:
    """One question whose evidence is ``e``; rankings are written as letters, padded so that ``e`` may stand behind ten."""
    question = Question(id="q", query=Query(text="who?"), evidence=frozenset({"e"}))
    asked = RepeatedQuestion(question=question, text="who?", group=group)
    rankings = [tuple(before), tuple(after), tuple(after if attacked is None else attacked)]
    return LearningTrial(asked=asked, before=rankings[0], after=rankings[1], attacked=rankings[2])


def test_gains_are_of_recall_at_ten_and_related_ones_count_together() -> None:
    late, early = "abcdfghijke", "eabcdfghijk"
    found = gains(
        [
            trial(Cohort.PARAPHRASED, before=late, after=early),
            trial(Cohort.SHARED, before=late, after=late),
            trial(Cohort.UNRELATED, before=early, after=late),
        ]
    )
    assert (found["recall_before"], found["recall_after"], found["gain_related"]) == (0.0, 0.5, 0.5)
    assert (found["gain_paraphrased"], found["gain_shared"], found["gain_unrelated"]) == (1.0, 0.0, -1.0)


def test_hits_of_unrelated_questions_that_an_adversary_moves_are_counted_one_by_one() -> None:
    unmoved = trial(Cohort.UNRELATED, before="abe", after="abe", attacked="abe")
    swapped = trial(Cohort.UNRELATED, before="abe", after="abe", attacked="bae")
    related = trial(Cohort.PARAPHRASED, before="abe", after="abe", attacked="eab")
    assert damage([unmoved, related], name="adversary")["adversary_moved"] == 0
    assert damage([unmoved, swapped, related], name="adversary")["adversary_moved"] == 2


def test_a_memory_is_asked_rated_and_asked_again(tmp_path: Path) -> None:
    items = [{"id": f"m{place}", "text": f"Parcel {place} lies on shelf {place}."} for place in range(FILLER)]
    questions = [
        {"id": f"q{place}", "text": f"Where does parcel {place} lie?", "evidence": [f"m{place}"]}
        for place in range(FILLER)
    ]
    path = tmp_path / "parcels.jsonl"
    path.write_text(json.dumps({"id": "one", "lang": "en", "items": items, "questions": questions}) + "\n")
    lines = tmp_path / "predicted.jsonl"
    report = evaluate_learning([path], embedder=HashingEmbedder(), adversary=2, run=Run(predictions=lines))
    [found] = report.sets
    predicted = [json.loads(line) for line in lines.read_text().splitlines()]
    rated = int(found.metrics["rated_good"] + found.metrics["rated_bad"])
    assert 0 < rated < FILLER
    assert found.metrics["questions"] == FILLER == len(predicted)
    assert sum(line["group"] == "paraphrased" for line in predicted) == rated
    assert all(sorted(line["before"]) == sorted(line["after"]) for line in predicted)
    # The offline embedder takes all these for one matter: who praises junk is heard, and that is counted.
    assert found.metrics["adversary_moved"] > 0


def test_who_rates_what_others_asked_takes_away_what_they_taught_and_praises_junk(tmp_path: Path) -> None:
    items = [{"id": f"m{place}", "text": f"Parcel {place} lies on shelf {place}."} for place in range(FILLER)]
    questions = [
        {"id": f"q{place}", "text": f"Where does parcel {place} lie?", "evidence": [f"m{place}"]}
        for place in range(FILLER)
    ]
    path = tmp_path / "parcels.jsonl"
    path.write_text(json.dumps({"id": "one", "lang": "en", "items": items, "questions": questions}) + "\n")
    lines = tmp_path / "predicted.jsonl"
    report = evaluate_learning(
        [path], embedder=HashingEmbedder(), adversary=FILLER, way="rates", run=Run(predictions=lines)
    )
    [found] = report.sets
    assert report.settings["attack"] == "rates"
    assert not [name for name in found.metrics if name.startswith("adversary")]
    # All of it was handed over and cited, so that all that can be done is to blame: nothing is learned any more.
    assert found.metrics["rated_bad"] == 0
    gains = {name.removeprefix("rater_"): value for name, value in found.metrics.items() if name.startswith("rater_g")}
    assert gains == {name: -found.metrics[name] for name in gains}
    assert "rater_moved" in found.metrics


def test_an_attack_by_another_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="attack is 'shouts': use 'asks' or 'rates'"):
        evaluate_learning([tmp_path], way="shouts")


def test_all_ways_of_asking_again_occur_among_what_is_rated() -> None:
    questions = [Question(id=f"q{place}", query=Query(text="Who?"), evidence=frozenset("e")) for place in range(100)]
    ways = [way_of(one) for one in questions if is_rated(one)]
    assert {way % 4 for way in ways} == {0, 1, 2, 3}
