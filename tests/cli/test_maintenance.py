"""What a person sees of merges, conflicts, supersessions and events."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.graph import state_of
from evolore.cli.maintenance import render_calibrated, render_history, render_maintained
from evolore.cli.printing import print_lines
from evolore.domain.episode import Deed
from evolore.domain.language import Language
from evolore.episodes.contradictions import SAME_TIME, conflict_words
from evolore.episodes.differences import DifferenceKind
from evolore.episodes.slots import Mark
from evolore.flows.calibrate import Calibrated
from evolore.flows.maintain import Maintained, Pruned
from evolore.flows.remember.plan import Action
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from flows.memories import opened
from flows.test_redecision import MOVED, PATIENTS, PLAIN, superseded

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

SISTER = "My sister lives in Berlin."
MORE = "My sister lives in Berlin. She works at a bakery."


@pytest.fixture(autouse=True)
def _light_embedder(monkeypatch: pytest.MonkeyPatch, store_path: Path) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(store_path))


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    return result


def remember(text: str, *words: str) -> dict[str, Any]:
    return json.loads(run("remember", text, *words, "--json").stdout)


def words_of(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def test_history_keeps_ids_whole_at_eighty_columns_and_tells_reasons_in_words(
    store_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = remember(SISTER), remember(MORE)
    event = second["integrated"]["actions"][0]["event_id"]
    run("undo", event)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    shown = run("history", first["id"]).stdout
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        events = memory.history(first["id"])
    assert all(re.search(rf"^{one.id}  ", shown, re.MULTILINE) for one in events)
    assert all(cell_len(line.rstrip()) <= 80 for line in shown.splitlines())
    assert "merged: new sentences; undone" in shown
    monkeypatch.delenv("FORCE_COLOR")
    assert len(run("history", first["id"]).stdout.splitlines()) == len(events)
    render_history(())


def test_what_undo_says_of_a_wrong_id_leads_to_the_right_one() -> None:
    said = remember(SISTER)
    head = remember(MORE)["integrated"]["episode_id"]
    wrong = run("undo", said["id"], code=1).stderr
    hint = re.search(r"`evolore (history \w+)`", wrong)
    assert hint is not None
    assert "No event has the id" in wrong
    (event,) = re.findall(r"evolore undo (\w+)", run(*hint[1].split()).stderr)
    assert "`evolore history`" in run("undo", "zzz", code=1).stderr
    shown = run("history")
    assert f"evolore undo {event}\n" in shown.stderr
    assert f"statement remembered “{SISTER}”" in shown.stdout
    assert len(shown.stdout.splitlines()) == 3
    assert len(run("history", "--limit", "1").stdout.splitlines()) == 1
    assert len(run("history", head, "--limit", "1").stdout.splitlines()) == 1
    first = shown.stdout.split()[0]
    assert "statement remembered. `evolore history`" in run("undo", first, code=1).stderr
    run("undo", event)
    assert "evolore undo" not in run("history").stderr
    assert "undone by" in run("history").stdout


def test_no_undoing_is_offered_of_what_was_erased_since() -> None:
    remember(SISTER)
    remember(MORE)
    assert "evolore undo" in run("history").stderr
    run("forget", json.loads(run("list", "--json").stdout)["statements"][0]["id"], "--yes")
    assert "evolore undo" not in run("history").stderr


def test_a_document_past_its_day_is_listed_and_verified(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("---\nowner: mika\nverify_by: 2020-01-31\n---\n# Page\n\nThe wheel turns.\n", encoding="utf-8")
    run("add", str(page))
    assert "page.md" in run("list", "--overdue").stdout
    assert "1 document to verify: evolore list --overdue" in run("maintain").stdout
    assert "verified_by=ann" in run("verify", str(page), "--by", "ann", "--until", "2999-12-31").stdout
    assert run("list", "--overdue").stdout == "Nothing here.\n"
    assert "is over: name a day" in run("verify", str(page), "--until", "2020-12-31", code=1).stderr


def test_a_document_is_named_by_its_path_wherever_an_id_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text("# Page\n\nThe wheel turns.\n", encoding="utf-8")
    run("add", str(page))
    monkeypatch.chdir(tmp_path)
    for name in ("docs/page.md", "./docs/page.md", str(page)):
        assert "Page" in run("show", name).stdout
        assert "document added" in run("history", name).stdout
        assert "Page" in run("outline", "tree", name).stdout
    assert "has the id 'docs', and no document is called so: `evolore list`" in run("show", "docs", code=1).stderr
    assert f"Did you mean {str(page)!r}?" in run("show", "page.md", code=1).stderr
    run("forget", "docs/page.md", "--yes")
    run("show", "docs/page.md", code=1)


def test_show_tells_what_was_merged_and_what_stands_for_it() -> None:
    first = remember(SISTER)
    alone = run("show", first["id"]).stdout
    assert "merged" not in alone
    second = remember(MORE)
    head = second["integrated"]["episode_id"]
    assert re.search(rf"merged into +{head}", run("show", first["id"]).stdout)
    assert re.search(rf"merged +2 statements\s+{first['id']}\s+{second['id']}", run("show", head).stdout)
    remember(MORE)
    assert "3 statements" in run("show", head).stdout


def test_what_was_superseded_says_so_when_shown_and_when_found() -> None:
    older = remember("The office is in Rome.", "--about", "office", "city", "--at", "2026-01-02")
    assert "superseded" not in run("recall", "where is the office").stdout
    remember("The office is in Milan.", "--about", "office", "city", "--at", "2026-04-02")
    shown = run("show", older["id"]).stdout
    assert re.search(r"holds from +2026-01-02T", shown)
    assert re.search(r"holds to +2026-04-02T", shown)
    assert re.search(r"state +superseded 2026-04-02", shown)
    assert run("recall", "where is the office").stdout.count("superseded 2026-04-02") == 1
    assert [line[-24:] for line in run("list").stdout.splitlines() if "(superseded" in line] == [
        " (superseded 2026-04-02)"
    ]
    assert "superseded" not in run("recall", "where is the office", "--as-of", "2026-03-01").stdout
    remember("The stove is green.")
    asked = ("recall", "where is the office", "--explain")
    ranked = [one["is_superseded"] for one in json.loads(run(*asked, "--json").stdout)["hits"]]
    assert ranked == [False, True, False]
    listed = run(*asked).stdout
    assert re.findall(r"^(\d)\. ", listed, re.MULTILINE) == ["1", "2", "3"], "numbered as listed"
    assert "superseded 2026-04-02 by [1]" in listed
    assert re.search(r"^hit +1 +2 +3$", listed, re.MULTILINE)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("The gate code is 4711.", "The gate code is 4712."),
        ("会議室は三階です。", "会議室は四階です。"),
        ("门牌号是12号。", "门牌号是21号。"),
    ],
)
def test_a_statement_is_corrected_by_a_word_or_standard_input_and_retired(wrong: str, right: str) -> None:
    said = remember(wrong)
    corrected = run("correct", said["id"], right)
    new, *_ = corrected.stdout.split()
    assert f"It replaces {said['id']}: it corrects it." in words_of(corrected)
    assert "superseded: it was wrong" in run("history", said["id"]).stdout
    assert right in run("show", new).stdout
    piped = CliRunner().invoke(app, ["correct", new, "-", "--json"], input=wrong)
    done = json.loads(piped.stdout)
    assert (done["old_id"], done["statement"]["text"]) == (new, wrong)
    retired = run("correct", done["statement"]["id"])
    assert retired.stdout.startswith(f"Retired {done['statement']['id']}. Undo it with: evolore undo ")
    assert "retired" in run("history", done["statement"]["id"]).stdout
    run(*retired.stdout.split(": evolore ")[1].split())
    assert json.loads(run("show", done["statement"]["id"], "--json").stdout)["state"] == "active"
    assert "correct that one" in words_of(run("correct", said["id"], code=1))


def test_a_conflict_says_so_and_both_sides_are_seen_at_120_columns() -> None:
    first = remember("The weekly meeting with Anna is on Tuesday.")
    remember("The weekly meeting with Anna is on Friday.")
    assert "in conflict: evolore review list" in run("show", first["id"]).stdout
    found = run("recall", "the weekly meeting").stdout
    assert "in conflict with [1]; see `evolore review list`" in found
    assert "in conflict with [2]; see `evolore review list`" in found
    (line,) = run("review", "list").stdout.splitlines()
    assert 'another day: "Tuesday" / "Friday"' in line
    sides = line[: line.index("another day")]
    assert re.search(r"Tuesday\.” / “.*Friday\.”", sides)
    assert cell_len(sides.rstrip()) <= 120


def test_lists_fit_a_terminal_and_stay_whole_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("The weekly meeting with Anna and the people of the second floor is on Tuesday.")
    remember("The weekly meeting with Anna and the people of the second floor is on Friday.")
    remember("毎週の会議は二階の大きな部屋で開かれ、議事録は総務部の人が書いて翌日までに配ることになっています。")
    whole = {command: run(*command).stdout for command in (("list",), ("review", "list"))}
    assert all(cell_len(line) > 80 for text in whole.values() for line in text.splitlines())
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    for command, text in whole.items():
        shown = re.sub(r"\x1b\[[\d;]*m", "", run(*command).stdout)
        assert all(cell_len(line) <= 80 for line in shown.splitlines())
        assert "".join(shown.split()) == "".join(text.split())
        assert sum(not line.startswith("  ") for line in shown.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    ("older", "newer", "side", "why"),
    [
        ("我的房租是每月3000元。", "我的房租是每月4000元。", "3000元", "数字不同：“3000元”/“4000元”"),
        (
            "今年の会議は大阪で行われます。",
            "今年の会議は大阪で行われません。",
            "ません",
            "一方が否定している:「ません」",
        ),
    ],
)
def test_reasons_of_conflicts_are_in_the_language_of_the_texts(older: str, newer: str, side: str, why: str) -> None:
    remember(older)
    remember(newer)
    (line,) = run("review", "list").stdout.splitlines()
    assert why in line
    assert side in line[: line.index(why)]


@pytest.mark.parametrize("language", [Language.JA, Language.ZH])
def test_every_reason_of_a_conflict_has_words_in_the_language(language: Language) -> None:
    told = [mark.value for mark in Mark if mark.points > 0]
    for why in (*(kind.value for kind in DifferenceKind), *told, SAME_TIME):
        assert not re.search("[a-z]", conflict_words(f'{why}: "7" / "8"', language))
    assert conflict_words("no such reason", language) == "no such reason"
    assert conflict_words(SAME_TIME, Language.EN) == SAME_TIME


def test_what_was_found_says_how_many_statements_it_was_merged_from() -> None:
    remember(SISTER)
    assert "merged from" not in run("recall", "where does my sister live").stdout
    remember(MORE)
    assert "   merged from 2 statements\n" in run("recall", "where does my sister live").stdout


def test_maintain_names_both_that_were_taken_in(store_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        a, b = (memory.remember(text).id for text in ("The bus is late.", "Anna paints."))
        action = Action(deed=Deed.MERGED, episode_ids=(a, b, "~1"), reason="it adds")
        done = Maintained(
            is_dry_run=True, examined=2, remaining=0, seconds=0.0, actions=(action,), links=7, pruned=Pruned()
        )
        print_lines(render_maintained(memory, done))
    shown = capsys.readouterr().out
    assert f"{a} “The bus is late.” and {b} “Anna paints.” into a new episode: it adds" in shown
    assert "1 merged, up to 7 links" in shown


def test_calibrate_says_what_would_become_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = Calibrated(
        language=Language.EN, texts=60, version=None, slope=10, offset=-4, copy_cosine=0.94, reason="only tried"
    )
    print_lines(render_calibrated([found]))
    shown = capsys.readouterr().out
    assert "from a centred cosine of 0.40 on, a copy from a centred cosine of 0.94 on" in shown
    assert "(would become the next version)" in shown


def test_the_graph_names_what_an_episode_was_merged_into(store_path: Path) -> None:
    first = remember(SISTER)
    head = remember(MORE)["integrated"]["episode_id"]
    with Memory.open(store_path, embedder=HashingEmbedder()) as memory:
        found = memory.outline.graph(first["id"])
    assert state_of(found.nodes[0], found) == f"merged into {head[:14]}…"


def test_descriptions_wrap_where_the_terminal_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip() for line in run("remember", "--help").stdout.splitlines()]
    start = next(place for place, line in enumerate(lines) if line.startswith("What repeats"))
    assert all(len(line) > 60 for line in lines[start : start + 2])


def test_a_wrong_side_to_keep_is_refused_in_plain_words() -> None:
    remember("The gym opens at 7.")
    remember("The gym opens at 8.")
    item = run("review", "list").stdout.split()[0]
    said = words_of(run("review", "settle", item, "--keep", "mine", code=1))
    assert "Value error" not in said
    assert "'mine': use newer, older or both" in said


def test_an_unknown_name_brings_sources_that_end_like_it_only_where_documents_are_read(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\nThe wheel turns.\n", encoding="utf-8")
    run("add", str(page))
    for command in (("show", "page.md"), ("outline", "tree", "page.md")):
        assert f"Did you mean {str(page)!r}?" in run(*command, code=1).stderr
    for command in (("rate", "page.md", "good"), ("questions", "resonate", "page.md", "--arousal", "0.5")):
        assert str(page) not in run(*command, code=1).stderr


def test_what_a_rule_of_an_earlier_version_superseded_is_counted_and_decided_again(store_path: Path) -> None:
    with opened(store_path, settings=PLAIN) as memory:
        first, second, _ = superseded(memory, *PATIENTS)
        third, fourth, _ = superseded(memory, *MOVED)
    counted = words_of(run("stats", "--namespace", "n"))
    assert "2 statements superseded by a rule of an earlier version: evolore maintain --redecide --dry-run" in counted
    told = words_of(run("maintain", "--redecide", "--dry-run", "--namespace", "n"))
    assert f"restored {first} “{PATIENTS[0]}” which was superseded by {second}: not by today's rules" in told
    assert f"possibly superseded {third} “{MOVED[0]}” by {fourth}: it is active again; it says that something" in told
    assert "Would check 2 episodes" in told
    assert "1 possibly superseded, 1 restored" in words_of(run("maintain", "--redecide", "--namespace", "n"))
    assert "earlier version" not in words_of(run("stats", "--namespace", "n"))
    assert "restored: a rule of an earlier version had superseded it" in words_of(
        run("history", first, "--namespace", "n")
    )
