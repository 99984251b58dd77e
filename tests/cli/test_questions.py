"""``evolore recall --record``, ``rate``, ``queries``, ``unlearn`` and ``contexts``.

``evolore questions resonate`` and ``evolore undo``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


@pytest.fixture(autouse=True)
def _light_store(monkeypatch: pytest.MonkeyPatch, store_path: Path) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(store_path))
    monkeypatch.setenv("EVOLORE_INTEGRATION__ENABLED", "false")


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def answer(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def ids() -> list[str]:
    texts = ("Deploys run every Tuesday.", "The office cat is called Miso.", "The lake freezes over in January.")
    return [answer("remember", text)["id"] for text in texts]


def test_a_question_is_taken_down_rated_and_listed(ids: list[str]) -> None:
    lines = run("recall", "when do we deploy?", "--record", "--by", "ann").stdout.splitlines()
    assert lines[-1].startswith("Did this help? Type: evolore rate ")
    query = lines[-1].split()[-2]
    rated = run(
        "rate", query, "good", "--cited", ids[0], "--cited", ids[1], "--by", "ann", "--comment", "yes", "--helpful"
    )
    first, *rest = rated.stdout.splitlines()
    assert first == "“when do we deploy?”: 1 good; outcome insight."
    assert f"confidence 0.65  {ids[0]}  Deploys run every Tuesday." in rest
    assert rest[-2].startswith("Undo this effect with: evolore undo ")
    assert rest[-1] == "Undo the effects of all ratings by ann with: evolore questions unlearn --by ann"
    [line] = run("questions", "list").stdout.splitlines()
    assert line.split()[0] == query
    assert line.split()[2:4] == ["insight", "good"]
    shown = run("questions", "show", query[:20]).stdout
    assert "good by ann: yes" in shown
    assert f"1* {ids[0]}" in " ".join(shown.split())
    assert answer("questions", "list", "--by", "bob")["queries"] == []
    assert [one["id"] for one in answer("questions", "list", "--by", "ann")["queries"]] == [query]


def test_every_recall_is_taken_down_unless_told_otherwise(ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert ids
    assert answer("recall", "when?", "--no-record")["query_id"] is None
    with monkeypatch.context() as off:
        off.setenv("EVOLORE_QUERIES__RECORD", "false")
        assert answer("recall", "when?")["query_id"] is None
    assert run("questions", "list").stdout == "No question was recorded here yet: `evolore recall` records them.\n"
    query = answer("recall", "when?")["query_id"]
    assert [one["id"] for one in answer("questions", "list")["queries"]] == [query]
    assert answer("stats")["queries"] == 1


def test_wrong_ratings_exit_with_1_and_say_what_to_give(ids: list[str]) -> None:
    query = answer("recall", "when?", "--record", "--limit", "1")["query_id"]
    for words, message in (
        (("rate", query, "meh"), "use 'good' or 'bad'"),
        (("rate", "zzz", "good"), "`evolore questions list` shows"),
        (("rate", query, "good", "--cited", "zzz"), "was not handed over"),
        (("rate", query, "bad", "--helpful"), "helpful goes with a good rating"),
        (("questions", "contexts", "zzz"), "`evolore list` shows"),
        (("questions", "contexts", ids[0], "--queries", "some"), "queries is 'some'"),
    ):
        result = run(*words)
        assert result.exit_code == 1
        assert message in result.stderr


def test_what_one_person_taught_is_counted_taken_back_and_brought_back(ids: list[str]) -> None:
    query = answer("recall", "when do we deploy?", "--record")["query_id"]
    answer("rate", query, "good", "--cited", ids[0], "--by", "ann")
    assert run("questions", "unlearn", "--by", "ann", "--dry-run").stdout == (
        "Would take back what ann taught: 0 questions, 0 edges, 1 rating, 1 episode moved back.\n"
    )
    assert answer("show", ids[0])["confidence"] == 0.6
    took, back = run("questions", "unlearn", "--by", "ann").stdout.splitlines()
    assert took.startswith("Took back what ann taught")
    assert answer("show", ids[0])["confidence"] == 0.5
    assert run(*back.partition("evolore ")[2].split()).exit_code == 0
    assert answer("show", ids[0])["confidence"] == 0.6
    assert run("questions", "unlearn", "--by", "carl").stdout == "Nothing was taught by carl.\n"
    assert run("questions", "unlearn", "--erase").stdout.startswith("Took back what an unnamed person taught")
    assert answer("questions", "list")["queries"] == []
    erased = answer("history")["events"][-1]
    assert (erased["kind"], erased["can_be_undone"]) == ("teaching_withdrawn", False)
    assert "evolore undo" not in run("history").stderr


def test_questions_are_listed_by_their_ratings(ids: list[str]) -> None:
    asked = [answer("recall", text, "--record")["query_id"] for text in ("when do we deploy?", "who deploys?", "why?")]
    answer("rate", asked[0], "bad", "--cited", ids[0])
    answer("rate", asked[1], "good", "--cited", ids[0])
    assert [one["id"] for one in answer("questions", "list", "--rated", "bad")["queries"]] == [asked[0]]
    assert [one["id"] for one in answer("questions", "list", "--rated", "good", "--limit", "1")["queries"]] == [
        asked[1]
    ]
    assert run("questions", "list", "--rated", "fine").exit_code == 2


def test_erased_questions_that_may_linger_in_a_file_are_told_of(
    ids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ids

    def lingering(_: object) -> tuple[str, ...]:
        return ("evolore.db-wal",)

    monkeypatch.setattr("evolore.store.store.Store.take_out_erased", lingering)
    answer("recall", "when do we deploy?", "--record")
    result = run("questions", "unlearn", "--erase")
    assert result.exit_code == 4
    assert "evolore.db-wal may still hold erased bytes" in result.stdout
    assert run("questions", "unlearn", "--erase").exit_code == 0


def test_an_evaluation_is_told(ids: list[str]) -> None:
    for _ in range(4):
        assert answer("recall", "when do we deploy?", "--record", "--limit", "2")["query_id"]
    last = answer("recall", "when do we deploy?", "--record", "--limit", "3")["query_id"]
    shown = run("rate", last, "good", "--cited", ids[2]).stdout
    assert "outcome " in shown
    history = run("history", ids[0]).stdout + run("history", ids[1]).stdout
    assert "query edges dismissed: few of its questions led to insight" in history


def test_contexts_are_shown_and_nothing_is_changed(ids: list[str]) -> None:
    lines = run("questions", "contexts", ids[0]).stdout.splitlines()
    assert lines[-1].startswith("It would stay whole: ")
    assert answer("questions", "contexts", ids[0], "--queries", "with_pending")["would_split"] is False


def test_maintenance_tells_of_evaluations_that_were_left_over(ids: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_QUERIES__PHASE", "store_only")
    for _ in range(5):
        answer("recall", "when do we deploy?", "--record", "--limit", "1")
    monkeypatch.delenv("EVOLORE_QUERIES__PHASE")
    assert ids
    assert "Evaluated 1 episode by their questions: 0 of high value." in run("maintain").stdout


def test_a_use_is_printed_with_how_to_take_it_back() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.4")["id"]
    first, second = run("questions", "resonate", id_, "--arousal", "0.9").stdout.splitlines()
    assert first == f"0.50  {id_}"
    assert second.startswith("Undo it with: evolore undo ")
    event = second.rpartition(" ")[2]
    assert run("undo", event).stdout.startswith(f"Undid {event}. Redo with: evolore undo ")
    assert answer("show", id_)["arousal"] == 0.4


def test_scaling_down_is_said_and_a_use_that_moves_nothing_too() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.9")["id"]
    assert (
        "above 0.6: 1 scaled by 0.9.\nTake that back first with: evolore undo "
        in run("questions", "resonate", id_, "--arousal", "1").stdout
    )
    still = answer("remember", "The list is in the drawer.", "--arousal", "0")["id"]
    assert run("questions", "resonate", still, "--arousal", "0").stdout == f"0.00  {still}\nNothing moved.\n"


def test_json_holds_the_events_and_errors_exit_with_1() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.4")["id"]
    moved = answer("questions", "resonate", id_, "--arousal", "0.9")
    assert answer("undo", moved["event_id"])["undone_ids"] == [moved["event_id"]]
    assert run("undo", "nonsense").exit_code == 1
    assert run("questions", "resonate", "zzz", "--arousal", "0.9").exit_code == 1
    assert run("questions", "resonate", id_, "--arousal", "2").exit_code == 1
    unsaid = run("questions", "resonate", id_)
    assert (unsaid.exit_code, "add --arousal" in unsaid.stderr) == (1, True)


def test_a_page_is_added_listed_shown_rebuilt_and_removed(ids: list[str]) -> None:
    assert run("page", "list").stdout == "There is no page.\n"
    added = run("page", "add", "What is the office cat called?")
    assert added.stdout.startswith("# What is the office cat called?\n\nThe office cat is called Miso. [1]\n")
    page = json.loads(run("page", "list", "--json").stdout)[0]["id"]
    assert f"Page {page}, rebuilt " in added.stderr
    assert answer("page", "show", page)["rests_on"][0] == ids[1]
    run("forget", ids[1], "--yes")
    stale = run("page", "show", page[:-2])
    assert "Miso" not in stale.stdout
    assert f"evolore page rebuild {page}" in stale.stderr
    assert run("page", "list").stdout.split()[:2] == [page, "stale"]
    assert "has changed" not in run("page", "rebuild", page).stderr
    assert "1 review item. Event " in run("page", "remove", page).stdout
    assert run("page", "show", page).exit_code == 1
