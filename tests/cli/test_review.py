from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.printing import print_lines
from evolore.cli.review import render_checked, render_confirmed
from evolore.domain.chat import ChatUsage
from evolore.domain.review import ReviewCategory, ReviewItem
from evolore.episodes.contradictions import ConflictVerdict
from evolore.flows.check_chunks import Checked, Skip
from evolore.flows.confirm_conflicts import Confirmation, Confirmed, UnconfirmedPairs
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


@pytest.fixture(autouse=True)
def _light_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)


@pytest.fixture
def store(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOLORE_STORE", str(store_path))
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        memory.add_text("x" * 3000, source="log.txt")
    return store_path


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def answer(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.usefixtures("store")
def test_a_procedure_says_that_it_waits_and_its_review_shows_the_steps() -> None:
    steps = "Release a version:\n1. run the checks\n2. tag the commit"
    done = run("remember", steps, "--kind", "procedure", "--outcome", "worked")
    assert re.fullmatch(r"[0-9a-z]{26}\n", done.stdout)
    (command,) = re.findall(r"Others get it once it is reviewed: evolore (review show \w+)\n", done.stderr)
    shown = run(*command.split()).stdout
    assert [line.strip() for line in shown.splitlines() if re.search(r"\d\. ", line)] == steps.splitlines()[1:]
    assert done.stdout.strip() in shown
    assert "evolore review resolve ID" in " ".join(shown.split())
    again = run("remember", steps, "--kind", "procedure", "--outcome", "failed")
    assert "known already: how they turned out is counted there" in again.stderr
    corrected = run("correct", done.stdout.strip(), steps + "\n3. push the tag")
    assert "once it is reviewed: evolore review show" in corrected.stderr
    assert f"{done.stdout.strip()}  procedure " in run("list").stdout


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--outcome", "worked"), "outcome is 'worked', and this is no procedure: set kind to 'procedure'."),
        (("--kind", "procedure", "--session", "s"), "session is 's', and a procedure belongs to none: leave it out."),
        (("--kind", "procedure", "--outcome", "maybe"), "outcome is 'maybe': use 'worked' or 'failed'."),
    ],
)
def test_what_does_not_fit_a_procedure_is_named(words: tuple[str, ...], told: str) -> None:
    assert told in " ".join(run("remember", "Tea: boil water.", *words).stderr.split())


@pytest.mark.usefixtures("store")
def test_an_item_is_listed_shown_resolved_and_opened_again() -> None:
    (item,) = answer("review", "list")["items"]
    id_: str = item["id"]
    assert re.search(rf"^{id_}  high    open      chunking .* log.txt: A stretch of 3000", run("review", "list").stdout)
    shown = run("review", "show", id_[:20]).stdout
    assert "tiers tried" in shown
    assert "1 no boundary, 2 no model, 3 no boundary, 4 found" in shown
    assert "characters 0–3000 of version 1" in shown
    assert run("review", "resolve", id_, "--note", "a key").stdout == f"Resolved {id_}.\n"
    assert run("review", "list").stdout == "Nothing to review.\n"
    assert id_ in run("review", "list", "--all").stdout
    assert "a key" in run("review", "show", id_).stdout
    assert run("review", "reopen", id_).stdout == f"Opened {id_} again.\n"
    assert answer("review", "list", "--source", "log.txt", "--category", "chunking")["items"] != []
    assert answer("review", "list", "--unresolved-for", "3")["items"] == []


@pytest.mark.usefixtures("store")
def test_a_note_is_filed_exported_and_forgotten(tmp_path: Path) -> None:
    id_ = run("review", "note", "Look \x1b[31m here.", "--about", "log.txt", "--priority", "urgent").stdout.strip()
    listed = run("review", "list").stdout
    assert listed.startswith(id_)
    assert "\x1b" not in listed
    assert run("review", "export", str(tmp_path / "q.csv"), "--format", "csv").exit_code == 0
    assert (tmp_path / "q.csv").read_text(encoding="utf-8").count("\n") == 3
    assert answer("review", "export", str(tmp_path / "q.jsonl"), "--category", "note")["items"] == 1
    assert [
        json.loads(line)["id"] for line in run("review", "export", "-", "--priority", "urgent").stdout.splitlines()
    ] == [id_]
    asked = run("forget", id_)
    assert "1 review item would go" in asked.output
    assert run("forget", id_, "--yes").exit_code == 0
    assert run("review", "show", id_).exit_code == 1


@pytest.mark.usefixtures("store")
def test_the_tree_says_what_was_tried() -> None:
    tree = run("outline", "tree", "log.txt").stdout
    assert "tier 4 (inside word; tried 1 no boundary, 2 no model, 3 no boundary, 4 found)" in tree


@pytest.mark.usefixtures("store")
def test_checking_without_a_model_says_what_to_do() -> None:
    result = run("review", "check", "--source", "log.txt")
    assert result.exit_code == 3
    assert "chat_model=" in result.stderr


def test_what_checking_found_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    skips = (Skip(reason="timed_out", chunks=2, detail="No reply."),)
    print_lines(render_checked(Checked(chunks=5, whole=2, broken=1, skips=skips, filed=(), usage=ChatUsage(calls=2))))
    assert capsys.readouterr().out == (
        "5 passages: 2 whole, 1 broken, 0 filed for review. 2 calls. 2 not judged: timed out (No reply).\n"
    )


@pytest.mark.usefixtures("store")
def test_confirming_without_a_model_says_what_to_do() -> None:
    result = run("review", "confirm", "--calls", "1")
    assert result.exit_code == 3
    assert "chat_model=" in result.stderr


def test_what_a_model_confirmed_is_a_line_each_and_a_sum(capsys: pytest.CaptureFixture[str]) -> None:
    items = [ReviewItem(category=ReviewCategory.CONTRADICTION, reason="r", id=id_) for id_ in ("one", "two")]
    confirmations = (
        Confirmation(item=items[0], verdict=ConflictVerdict.NEWER_HOLDS, event_id="e1"),
        Confirmation(item=items[1], verdict=ConflictVerdict.UNSURE),
    )
    skips = (UnconfirmedPairs(reason="timed_out", pairs=2, detail="No reply."),)
    usage = ChatUsage(calls=2)
    print_lines(render_confirmed(Confirmed(pairs=4, confirmations=confirmations, skips=skips, left=3, usage=usage)))
    assert capsys.readouterr().out.splitlines() == [
        "one  newer holds  take it back with: evolore undo e1",
        "two  unsure",
        (
            "Contradictions asked about: 4. Settled: 1, left to a person with a note: 1. Calls: 2. "
            "2 skipped: timed out (No reply). 3 left for another time."
        ),
    ]
