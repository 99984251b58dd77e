"""``mirror``: statements as Markdown files, edited in an editor, by git, and in the store."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.scripts import load_script
from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState
from evolore.domain.secret import SecretsPolicy
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import InvalidValue, NotFound, StoreFailed, StoreUnwritable, UnreadableSource
from evolore.integrations import mirror as mirroring
from evolore.integrations.mirror import MirrorDeed, mirror
from flows.memories import opened
from growth import assert_in_proportion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.integrations.mirror import Mirrored
    from evolore.memory import Memory

EDITS = load_script("mirror_edits")
LONE = Settings(integration=IntegrationSettings(enabled=False))
OVEN, MILL = "The deck oven is lit at four.", "The mill closes at noon."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "store", settings=LONE) as memory:
        yield memory


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    return tmp_path / "notes"


@pytest.fixture
def petra(memory: Memory, notes: Path) -> Path:
    """Mirror two statements; give their file."""
    memory.remember(OVEN, speaker="Petra", occurred_at="2026-03-01", session="s", tags=["oven"], metadata={"n": 1})
    memory.remember(MILL, speaker="Petra", occurred_at="2026-03-01T12:00Z")
    mirror(memory, notes)
    return notes / "Petra.md"


def texts(memory: Memory) -> list[str]:
    return sorted(one.text for one in memory.list(limit=1000).statements if one.state is not EpisodeState.SUPERSEDED)


def id_of(memory: Memory, text: str) -> str:
    (found,) = [one.id for one in memory.list(limit=1000).statements if one.text == text]
    return found


def shown(memory: Memory, text: str) -> Episode:
    found = memory.show(id_of(memory, text))
    assert isinstance(found, Episode)
    return found


def deeds(done: Mirrored) -> list[str]:
    return [one.deed.value for one in done.steps]


def change(path: Path, old: str, new: str) -> None:
    content = path.read_bytes().decode()
    assert old in content
    path.write_bytes(content.replace(old, new).encode())


def without_line(path: Path, words: str) -> str:
    return "".join(line for line in path.read_text().splitlines(keepends=True) if words not in line)


def assert_quiet(memory: Memory, notes: Path) -> None:
    """A second call writes nothing, neither to files nor to the store."""
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in notes.rglob("*") if path.is_file()}
    events = memory.stats().events
    assert mirror(memory, notes).files == ()
    assert before == {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in notes.rglob("*") if path.is_file()}
    assert memory.stats().events == events


# The form


def test_a_file_holds_front_matter_days_and_items_with_ids_in_comments(
    memory: Memory, petra: Path, notes: Path
) -> None:
    first, second = id_of(memory, OVEN), id_of(memory, MILL)
    assert petra.read_text() == (
        '---\nnamespace: "n"\nspeaker: "Petra"\n---\n\n## 2026-03-01\n\n'
        f"- {OVEN} <!-- evolore:{first} -->\n- {MILL} <!-- evolore:{second} -->\n"
    )
    assert_quiet(memory, notes)


def test_a_file_a_day_holds_speakers_below_headings_and_stays_so(memory: Memory, notes: Path) -> None:
    memory.remember(OVEN, speaker="Petra", occurred_at="2026-03-01")
    memory.remember(MILL, occurred_at="2026-03-01")
    mirror(memory, notes, per="day")
    day = notes / "2026-03-01.md"
    assert 'date: "2026-03-01"' in day.read_text()
    change(day, "## Petra\n\n", "## Petra\n\n- She sleeps at five.\n")
    memory.remember("The mill opens at six.", occurred_at="2026-03-02")
    mirror(memory, notes)
    found = shown(memory, "She sleeps at five.")
    assert (found.speaker, found.moment.date().isoformat()) == ("Petra", "2026-03-01")
    assert "opens at six" in (notes / "2026-03-02.md").read_text()


def test_another_word_than_speaker_or_day_is_refused(memory: Memory, notes: Path) -> None:
    with pytest.raises(InvalidValue, match="'speaker' or 'day'"):
        mirror(memory, notes, per="week")


@given(text=st.text(st.sampled_from("ab語🦊\n\n\t\r -*_\\#`>|<!~%1.\u2028"), min_size=1))
def test_every_text_can_be_read_again(text: str) -> None:
    wanted = mirroring._normal(text)
    if not wanted:
        return
    id_ = "01kjpy46cg9r1kwjksxs72ywpk"
    for lead, marker, newline in (("", "-", "\n"), ("", "12.", "\r\n"), ("\t", "+", "\n")):
        lines = mirroring._rendered(text, mirroring._comment(id_), newline, lead, marker)
        (_, item) = mirroring._Page("x.md", None, "- Above.\n" + lines + "\nMine.\n").items
        assert (item.id, item.text) == (id_, wanted)


@pytest.mark.parametrize("first", ["---", "***", "_ _ _", "--", "\\---", "\\\\**"])
def test_a_statement_that_begins_with_a_rule_is_edited_on_both_sides(
    memory: Memory, petra: Path, notes: Path, first: str
) -> None:
    memory.remember(f"{first}\ntitle: plan\nWe ship on Friday.", speaker="Petra", occurred_at="2026-03-01")
    mirror(memory, notes)
    assert_quiet(memory, notes)
    change(petra, "Friday", "Monday")
    assert deeds(mirror(memory, notes)) == ["corrected"]
    found = shown(memory, f"{first}\ntitle: plan\nWe ship on Monday.")
    memory.correct(found.id, f"{first}\nWe ship on Sunday.")
    assert deeds(mirror(memory, notes)) == ["written"]
    assert "Monday" not in petra.read_text()
    assert petra.read_text().count("Sunday") == 1
    change(petra, f" <!-- evolore:{id_of(memory, OVEN)} -->", "")
    assert mirror(memory, notes).steps == ()


def test_a_typed_statement_that_begins_with_a_rule_is_remembered(memory: Memory, petra: Path, notes: Path) -> None:
    petra.write_text(petra.read_text() + "- ---\n  title: plan\n  We ship on Friday.\n- ---\n- - -\n  Mine.\n")
    assert deeds(mirror(memory, notes)) == ["remembered"]
    assert shown(memory, "---\ntitle: plan\nWe ship on Friday.").speaker == "Petra"
    assert petra.read_text().endswith("-->\n- ---\n- - -\n  Mine.\n")
    assert_quiet(memory, notes)


@given(text=st.text(st.sampled_from("-*#`>|<! \n\t\r\ufeffab:~%"), max_size=60))
def test_what_is_not_changed_is_written_as_it_was(text: str) -> None:
    assert "".join(map(str, mirroring._Page("x.md", None, text).parts)) == text


def test_hostile_files_are_parsed_in_linear_time() -> None:
    for piece in ("- a ", "<!-- evolore:", " " * 9, "- - ", "`` ` ", "#\n", "- \n\n", "---\n", "<!--\n", "evolore: "):
        assert_in_proportion(lambda size, piece=piece: mirroring._Page("x.md", None, piece * size), 3000)


# From files to the store


def test_an_edited_line_is_a_correction_that_keeps_what_is_not_shown(memory: Memory, petra: Path, notes: Path) -> None:
    old = id_of(memory, OVEN)
    change(petra, "at four", "at five")
    (step,) = mirror(memory, notes, principal="ann").steps
    assert (step.deed, step.place) == (MirrorDeed.CORRECTED, "Petra.md:8")
    new = shown(memory, "The deck oven is lit at five.")
    assert (new.speaker, new.session, new.tags, dict(new.metadata)) == ("Petra", "s", ("oven",), {"n": 1})
    assert new.occurred_at == memory.show(old).occurred_at  # type: ignore[union-attr]
    assert f"evolore:{new.id}" in petra.read_text()
    assert old not in petra.read_text()
    assert memory.history()[-1].principal == "ann"
    assert_quiet(memory, notes)
    memory.undo(step.event_id or "")
    mirror(memory, notes)
    assert OVEN in petra.read_text()
    assert "at five" not in petra.read_text()


def test_a_new_line_is_a_statement_of_the_files_speaker_on_the_headings_day(
    memory: Memory, petra: Path, notes: Path
) -> None:
    petra.write_text(petra.read_text() + "* 会議室は三階です。\n\nNo list item, so mine.\n")
    mirror(memory, notes)
    found = shown(memory, "会議室は三階です。")
    assert (found.speaker, found.moment.date().isoformat()) == ("Petra", "2026-03-01")
    assert f"* 会議室は三階です。 <!-- evolore:{found.id} -->\n\nNo list item, so mine.\n" in petra.read_text()
    assert_quiet(memory, notes)


def test_a_deleted_line_is_retired_and_comes_back_when_that_is_undone(memory: Memory, petra: Path, notes: Path) -> None:
    petra.write_text(without_line(petra, "mill"))
    (step,) = mirror(memory, notes).steps
    assert (step.deed, texts(memory)) == (MirrorDeed.RETIRED, [OVEN])
    memory.undo(step.event_id or "")
    assert deeds(mirror(memory, notes)) == ["written"]
    assert MILL in petra.read_text()


def test_an_emptied_line_is_retired_and_goes(memory: Memory, petra: Path, notes: Path) -> None:
    change(petra, MILL, "")
    assert deeds(mirror(memory, notes)) == ["retired"]
    assert texts(memory) == [OVEN]
    assert petra.read_text().count("\n- ") == 1


def test_moved_lines_and_renamed_files_are_no_change(memory: Memory, petra: Path, notes: Path) -> None:
    lines = petra.read_text().splitlines(keepends=True)
    petra.write_text("".join([*lines[:7], lines[8]]))
    (notes / "sub").mkdir()
    (notes / "sub" / "own.md").write_text("A file of my own.\n\n" + lines[7])
    assert mirror(memory, notes).steps == ()
    petra.rename(notes / "sub" / "Baker.md")
    (notes / "sub" / "own.md").rename(notes / "own.md")
    assert mirror(memory, notes).steps == ()
    memory.remember("Rolls sell out by ten.", speaker="Petra")
    assert mirror(memory, notes).files == ("sub/Baker.md",)


def test_a_line_that_lost_its_comment_gets_it_back(memory: Memory, petra: Path, notes: Path) -> None:
    before = petra.read_text()
    change(petra, f" <!-- evolore:{id_of(memory, MILL)} -->", "")
    done = mirror(memory, notes)
    assert (done.steps, petra.read_text()) == ((), before)


def test_a_line_without_its_comment_follows_what_was_corrected_meanwhile(
    memory: Memory, petra: Path, notes: Path
) -> None:
    change(petra, f" <!-- evolore:{id_of(memory, MILL)} -->", "")
    memory.correct(id_of(memory, MILL), "The mill closes at one.")
    mirror(memory, notes)
    assert texts(memory) == sorted([OVEN, "The mill closes at one."])
    assert MILL not in petra.read_text()


def test_lines_joined_nested_and_wrapped(memory: Memory, petra: Path, notes: Path) -> None:
    first, second = id_of(memory, OVEN), id_of(memory, MILL)
    change(petra, f"- {MILL}", f"\t- {MILL}")
    assert mirror(memory, notes).steps == ()
    change(petra, f"\t- {MILL}", "- The mill\ncloses at one.")
    assert deeds(mirror(memory, notes)) == ["corrected"]
    third = id_of(memory, "The mill\ncloses at one.")
    change(petra, f" <!-- evolore:{first} -->\n- The mill", f" <!-- evolore:{first} --> The mill")
    done = mirror(memory, notes)
    assert sorted(deeds(done)) == ["corrected", "retired"]
    assert texts(memory) == [f"{OVEN} The mill\ncloses at one."]
    assert {first, second, third} & set(petra.read_text().split()) == set()


def test_texts_of_two_lines_that_were_swapped_are_both_kept(memory: Memory, petra: Path, notes: Path) -> None:
    with opened(notes.parent / "other") as integrating:
        for text in (OVEN, MILL):
            integrating.remember(text, speaker="Petra")
        mirror(integrating, notes / "in")
        path = notes / "in" / "Petra.md"
        path.write_text(path.read_text().replace(OVEN, "@").replace(MILL, OVEN).replace("@", MILL))
        mirror(integrating, notes / "in")
        assert texts(integrating) == sorted([OVEN, MILL])
        assert_quiet(integrating, notes / "in")
    del memory, petra


def test_a_copy_that_was_edited_is_a_new_statement(memory: Memory, petra: Path, notes: Path) -> None:
    comment = f" <!-- evolore:{id_of(memory, MILL)} -->"
    change(petra, f"- {MILL}{comment}", f"- The mill opens at six.{comment}\n- {MILL}{comment}")
    assert deeds(mirror(memory, notes)) == ["remembered"]
    assert texts(memory) == sorted([OVEN, MILL, "The mill opens at six."])
    assert_quiet(memory, notes)


def test_a_changed_copy_of_what_the_store_forgot_is_a_new_statement(memory: Memory, petra: Path, notes: Path) -> None:
    comment = f" <!-- evolore:{id_of(memory, MILL)} -->"
    memory.forget(id_of(memory, MILL))
    change(petra, f"- {MILL}{comment}", f"- The mill opens at six.{comment}\n- {MILL}{comment}\n- {MILL}{comment}")
    assert deeds(mirror(memory, notes)) == ["remembered", "removed", "removed"]
    assert texts(memory) == sorted([OVEN, "The mill opens at six."])
    assert_quiet(memory, notes)


def test_line_ends_a_byte_order_mark_and_a_missing_last_newline_stay(memory: Memory, petra: Path, notes: Path) -> None:
    content = "\ufeff" + petra.read_text().rstrip("\n").replace("\n", "\r\n")
    petra.write_bytes(content.encode())
    assert mirror(memory, notes).files == ()
    assert petra.read_bytes() == content.encode()
    memory.remember("Rolls sell out by ten.", speaker="Petra", occurred_at="2026-03-01")
    mirror(memory, notes)
    found = petra.read_bytes().decode()
    assert found.startswith(content + "\r\n- Rolls")
    assert found.replace("\r\n", "").count("\n") == 0
    assert_quiet(memory, notes)


def test_files_of_ones_own_are_left_alone(memory: Memory, petra: Path, notes: Path) -> None:
    (notes / "todo.md").write_text("- buy flour\n")
    (notes / "guest.md").write_text('---\nnamespace: "other"\nspeaker: "Bo"\n---\n\n- not here\n')
    (notes / ".obsidian").mkdir()
    (notes / ".obsidian" / "x.md").write_text(petra.read_text().replace("four", "nine"))
    petra.write_text(petra.read_text() + "\n```\n- in a fence\n```\n\n%%\n- hidden\n%%\n<!--\n- off\n-->\n- - -\n- \n")
    assert mirror(memory, notes).steps == ()
    assert texts(memory) == sorted([OVEN, MILL])


def test_a_secret_is_refused_redacted_and_never_printed(tmp_path: Path, notes: Path) -> None:
    secret = "My password is hunter2-Xk9qLmZ3."
    settings = {policy: Settings(secrets=policy) for policy in (SecretsPolicy.REFUSE, SecretsPolicy.REDACT)}
    with opened(tmp_path / "store", settings=settings[SecretsPolicy.REFUSE]) as memory:
        memory.remember(OVEN, speaker="Petra")
        mirror(memory, notes)
        petra = notes / "Petra.md"
        petra.write_text(petra.read_text() + f"- {secret}\n")
        done = mirror(memory, notes)
        assert deeds(done) == ["left"]
        assert "hunter2" not in done.steps[0].reason
        assert secret in petra.read_text()
        assert texts(memory) == [OVEN]
    with opened(tmp_path / "store", settings=settings[SecretsPolicy.REDACT]) as memory:
        mirror(memory, notes)
        assert "hunter2" not in petra.read_text()
        assert_quiet(memory, notes)


# From the store to files


def test_what_changes_in_the_store_is_written_in_its_place(memory: Memory, petra: Path, notes: Path) -> None:
    memory.correct(id_of(memory, OVEN), "The deck oven is lit at six.")
    memory.correct(id_of(memory, MILL))
    memory.remember("Rolls sell out by ten.", speaker="Petra", occurred_at="2026-02-27")
    memory.remember("门牌号是12号。")
    done = mirror(memory, notes)
    assert sorted(deeds(done)) == ["removed", "written", "written", "written"]
    lines = [line.partition(" <!--")[0] for line in petra.read_text().splitlines() if line.startswith(("-", "#"))]
    assert lines[2:] == [
        "## 2026-03-01",
        "- The deck oven is lit at six.",
        "## 2026-02-27",
        "- Rolls sell out by ten.",
    ]
    assert "门牌号是12号。" in (notes / "Statements.md").read_text()
    assert_quiet(memory, notes)


def test_a_forgotten_statements_line_goes_and_is_not_remembered_again(memory: Memory, petra: Path, notes: Path) -> None:
    before = petra.read_text()
    memory.forget(id_of(memory, MILL))
    assert deeds(mirror(memory, notes)) == ["removed"]
    assert MILL not in petra.read_text()
    petra.write_text(before)  # as from a backup
    done = mirror(memory, notes)
    assert deeds(done) == ["left"]
    assert "delete the comment" in done.steps[0].reason
    assert texts(memory) == [OVEN]


def test_merged_and_split_statements_are_shown_as_they_hold(tmp_path: Path, notes: Path) -> None:
    with opened(tmp_path / "store") as memory:
        memory.remember("The office of Ada is in Kobe.", speaker="Ada")
        mirror(memory, notes)
        memory.remember("The office of Ada is in Kobe. It has a garden on the roof.", speaker="Ada")
        mirror(memory, notes)
        assert len(texts(memory)) == 1
        assert (notes / "Ada.md").read_text().count("\n- ") == 1
        assert "garden" in (notes / "Ada.md").read_text()
        assert_quiet(memory, notes)


@pytest.mark.parametrize("speaker", ['a/b: "c" #d', "葵", "..", "CON?", "x" * 300, "🦊" * 100, "it's", "Petra.md"])
def test_every_speaker_gets_a_file_and_new_lines_are_theirs(memory: Memory, notes: Path, speaker: str) -> None:
    memory.remember(OVEN, speaker=speaker)
    mirror(memory, notes)
    (path,) = notes.glob("*.md")
    path.write_text(path.read_text() + f"- {MILL}\n")
    mirror(memory, notes)
    assert shown(memory, MILL).speaker == speaker
    assert_quiet(memory, notes)


def test_speakers_whose_names_differ_in_case_have_two_files(memory: Memory, notes: Path) -> None:
    memory.remember(OVEN, speaker="petra")
    memory.remember(MILL, speaker="Petra")
    mirror(memory, notes)
    assert len({path.name.casefold() for path in notes.glob("*.md")}) == 2


def test_an_empty_namespace_makes_no_file(memory: Memory, notes: Path) -> None:
    assert mirror(memory, notes).steps == ()
    assert [*notes.glob("*.md")] == []


# Both


def test_both_changed_keeps_both_texts_and_is_asked_once(memory: Memory, petra: Path, notes: Path) -> None:
    memory.correct(id_of(memory, OVEN), "The deck oven is lit at six.")
    change(petra, "at four", "at five")
    done = mirror(memory, notes)
    assert deeds(done) == ["written", "conflict"]
    assert done.needs_a_look
    six, five = (line for line in petra.read_text().splitlines() if "deck oven" in line)
    assert (six.partition(" <!--")[0], five.partition(" <!--")[0]) == (
        "- The deck oven is lit at six.",
        "- The deck oven is lit at five.",
    )
    assert "write yours into the line above" in five
    assert petra.read_text().splitlines()[int(done.steps[1].place.rpartition(":")[2]) - 1] == five
    assert not mirror(memory, notes).needs_a_look
    assert_quiet(memory, notes)
    change(
        petra, "at six", "at five"
    )  # settled as a person does: the text over the store's line, the marked one deleted
    petra.write_text(without_line(petra, "evolore:conflict"))
    assert deeds(mirror(memory, notes)) == ["corrected"]
    assert shown(memory, "The deck oven is lit at five.").tags == ("oven",)


def test_the_same_change_on_both_sides_is_no_conflict(memory: Memory, petra: Path, notes: Path) -> None:
    memory.correct(id_of(memory, OVEN), "The deck oven is lit at five.")
    change(petra, "at four", "at five")
    assert mirror(memory, notes).steps == ()
    assert f"evolore:{id_of(memory, 'The deck oven is lit at five.')}" in petra.read_text()


@pytest.mark.parametrize("verb", ["forget", "correct"])
def test_an_edit_of_what_the_store_took_back_stays_in_the_file(
    memory: Memory, petra: Path, notes: Path, verb: str
) -> None:
    getattr(memory, verb)(id_of(memory, OVEN))
    change(petra, "at four", "at five")
    assert deeds(mirror(memory, notes)) == ["conflict"]
    asked = f"this was {'forgotten' if verb == 'forget' else 'retired or merged'} in the store: delete the line"
    assert f"at five. <!-- evolore:conflict {asked}" in petra.read_text()
    assert texts(memory) == [MILL]
    assert_quiet(memory, notes)
    petra.write_text(mirroring._EARLIER.sub(lambda it: "" if "conflict" in it[0] else it[0], petra.read_text()))
    assert deeds(mirror(memory, notes)) == ["remembered"]


def test_a_line_deleted_here_and_corrected_there_comes_back_corrected(memory: Memory, petra: Path, notes: Path) -> None:
    memory.correct(id_of(memory, OVEN), "The deck oven is lit at six.")
    petra.write_text(without_line(petra, "oven is"))
    mirror(memory, notes)
    assert "at six" in petra.read_text()


def test_an_earlier_state_brought_back_by_git_is_an_edit(memory: Memory, petra: Path, notes: Path) -> None:
    before = petra.read_text()
    change(petra, "at four", "at five")
    mirror(memory, notes)
    petra.write_text(before)
    assert deeds(mirror(memory, notes)) == ["corrected"]
    assert texts(memory) == sorted([OVEN, MILL])
    assert_quiet(memory, notes)


# What is wrong with a file


@pytest.mark.parametrize("comment", ["<!-- evolore:{} ->", "<!-- evolore {}", "evolore:{} -->"])
def test_a_broken_comment_is_told_and_nothing_is_retired(
    memory: Memory, petra: Path, notes: Path, comment: str
) -> None:
    id_ = id_of(memory, MILL)
    change(petra, f"<!-- evolore:{id_} -->", comment.format(id_))
    done = mirror(memory, notes)
    assert "broken" in done.steps[0].reason
    assert "retired" not in deeds(done)
    assert texts(memory) == sorted([OVEN, MILL])
    change(petra, f"{MILL} {comment.format(id_)}", f"{MILL} <!-- evolore:{id_} -->")
    assert mirror(memory, notes).steps == ()


def test_a_line_that_is_no_list_item_any_more_is_told(memory: Memory, petra: Path, notes: Path) -> None:
    before = petra.read_text()
    change(petra, f"- {OVEN}", "The deck oven is lit at five.")
    petra.write_text("\ufeff" + petra.read_text())
    (step,) = mirror(memory, notes).steps
    assert (step.deed, step.place, step.text) == (MirrorDeed.LEFT, "Petra.md:8", OVEN)
    assert 'begin the line with "- "' in step.reason
    assert texts(memory) == sorted([OVEN, MILL])
    petra.write_text(before + f"\nSee evolore:{id_of(memory, OVEN)}.\n")
    assert mirror(memory, notes).steps == ()


def test_new_lines_of_a_file_that_lost_its_front_matter_are_told(memory: Memory, petra: Path, notes: Path) -> None:
    memory.correct(id_of(memory, MILL))
    (oven,) = [line for line in petra.read_text().splitlines() if OVEN in line]
    memory.forget(id_of(memory, OVEN))
    petra.write_text(f"{oven}\n- Rolls sell out by ten.\n")
    done = mirror(memory, notes)
    assert "namespace: n" in done.steps[0].reason
    assert "Rolls" in petra.read_text()


def test_an_id_of_another_namespace_is_told_and_left(memory: Memory, petra: Path, notes: Path) -> None:
    line = "- Bo lives in Kyoto. <!-- evolore:01kjpy46cg9r1kwjksxs72ywpk -->\n"
    petra.write_text(petra.read_text() + line)
    assert deeds(mirror(memory, notes)) == ["left"]
    assert line in petra.read_text()
    assert texts(memory) == sorted([OVEN, MILL])


def test_a_wrong_id_holds_retirements_back_and_an_unchanged_text_finds_its_statement(
    memory: Memory, petra: Path, notes: Path
) -> None:
    before, id_ = petra.read_text(), id_of(memory, MILL)
    for wrong in ("z" + id_[1:], id_[:12]):
        change(petra, id_, wrong)
        assert (mirror(memory, notes).steps, petra.read_text()) == ((), before)
        change(petra, f"at noon. <!-- evolore:{id_}", f"at one. <!-- evolore:{wrong}")
        done = mirror(memory, notes)
        assert deeds(done) == ["left", "left"]
        assert "does not know its id" in done.steps[0].reason
        assert texts(memory) == sorted([OVEN, MILL])
        petra.write_text(before)
    petra.write_text(
        before.replace(OVEN, "One.").replace(MILL, "Two.").replace(id_, "0k").replace(id_of(memory, OVEN), "0k")
    )
    assert deeds(mirror(memory, notes)) == ["left"] * 3  # neither is a copy of the other
    assert texts(memory) == sorted([OVEN, MILL])


def test_the_line_of_a_retired_statement_names_what_brings_it_back(memory: Memory, petra: Path, notes: Path) -> None:
    before = petra.read_text()
    petra.write_text(without_line(petra, "mill"))
    (retired,) = mirror(memory, notes).steps
    petra.write_text(before)
    (step,) = mirror(memory, notes).steps
    assert step.deed is MirrorDeed.LEFT
    assert f"`evolore undo {retired.event_id}`" in step.reason


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"caf\xe9\n", "not UTF-8 at byte 3"),
        ("über".encode("utf-16"), "not UTF-8"),
        (b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n", "unfinished merge"),
    ],
)
def test_a_file_that_cannot_be_read_whole_holds_retirements_back(
    memory: Memory, petra: Path, notes: Path, content: bytes, reason: str
) -> None:
    good = petra.read_bytes()
    petra.write_bytes(content)
    done = mirror(memory, notes)
    assert reason in done.steps[0].reason
    assert petra.read_bytes() == content
    assert texts(memory) == sorted([OVEN, MILL])
    petra.write_bytes(good)
    assert mirror(memory, notes).steps == ()


def test_links_out_of_the_folder_are_not_followed(memory: Memory, petra: Path, notes: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    petra.rename(outside)
    petra.symlink_to(outside)
    before = outside.read_bytes()
    memory.remember("Rolls sell out by ten.", speaker="Petra")
    done = mirror(memory, notes)
    assert "out of the folder" in done.steps[0].reason
    assert outside.read_bytes() == before
    assert len(texts(memory)) == 3


def test_a_folder_that_is_a_link_holds_retirements_back(
    memory: Memory, petra: Path, notes: Path, tmp_path: Path
) -> None:
    (tmp_path / "vault").mkdir()
    petra.rename(tmp_path / "vault" / "Petra.md")
    (notes / "sub").mkdir()
    (notes / "sub" / "link").symlink_to(tmp_path / "vault", target_is_directory=True)
    (notes / "within").symlink_to(notes / "sub", target_is_directory=True)
    memory.remember("Rolls sell out by ten.", speaker="Petra")
    done = mirror(memory, notes)
    assert (done.steps[0].place, done.steps[0].reason) == ("sub/link", "it is a link out of the folder")
    assert "retired" not in deeds(done)
    assert len(texts(memory)) == 3


def test_what_vanishes_all_at_once_needs_a_yes(memory: Memory, petra: Path, notes: Path) -> None:
    memory.remember("Rolls sell out by ten.", speaker="Petra")
    mirror(memory, notes)
    good = petra.read_bytes()
    petra.unlink()
    with pytest.raises(InvalidValue, match="3 of 3 statements are in no file any more"):
        mirror(memory, notes)
    assert mirror(memory, notes, dry_run=True).needs_a_look
    assert len(texts(memory)) == 3
    petra.write_bytes(good)
    assert mirror(memory, notes).steps == ()
    petra.unlink()
    assert deeds(mirror(memory, notes, yes=True)) == ["retired"] * 3
    assert texts(memory) == []


def test_another_store_does_not_empty_the_files(memory: Memory, petra: Path, notes: Path, tmp_path: Path) -> None:
    memory.remember("Rolls sell out by ten.", speaker="Petra")
    mirror(memory, notes)
    before = petra.read_bytes()
    with (
        opened(tmp_path / "another", settings=LONE) as another,
        pytest.raises(InvalidValue, match="3 of 3 statements are not in the store any more"),
    ):
        mirror(another, notes)
    assert petra.read_bytes() == before


def test_a_folder_mirrors_one_namespace(memory: Memory, petra: Path, notes: Path) -> None:
    record = notes / ".evolore" / "mirror.json"
    record.write_text(record.read_text().replace('"n"', '"other"', 1))
    with pytest.raises(InvalidValue, match="mirrors the namespace 'other'"):
        mirror(memory, notes)
    assert OVEN in petra.read_text()


@pytest.mark.parametrize("record", ["{", '{"namespace": 1}', "[]", "\xff"])
def test_without_its_record_nothing_is_retired(memory: Memory, petra: Path, notes: Path, record: str) -> None:
    (notes / ".evolore" / "mirror.json").write_text(record, encoding="latin-1")
    petra.write_text(without_line(petra, "mill").replace("at four", "at five"))
    assert deeds(mirror(memory, notes)) == ["left", "corrected", "written"]
    assert texts(memory) == sorted(["The deck oven is lit at five.", MILL])


def test_what_is_no_folder_is_refused(memory: Memory, petra: Path) -> None:
    with pytest.raises((UnreadableSource, StoreUnwritable), match=r"Petra\.md"):
        mirror(memory, petra)


def test_a_dry_run_reports_both_directions_and_changes_nothing(memory: Memory, petra: Path, notes: Path) -> None:
    change(petra, "at four", "at five")
    petra.write_text(petra.read_text() + "- Rolls sell out by ten.\n")
    memory.remember("门牌号是12号。")
    memory.correct(id_of(memory, MILL), "The mill closes at one.")
    before = {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()}
    events = memory.stats().events
    done = mirror(memory, notes, dry_run=True)
    assert sorted(deeds(done)) == ["corrected", "remembered", "written", "written"]
    assert done.files == ("Petra.md", "Statements.md")
    assert before == {path: path.read_bytes() for path in notes.rglob("*") if path.is_file()}
    assert memory.stats().events == events


# Faults of the disk


def test_a_full_disk_loses_nothing_and_the_next_run_completes(
    memory: Memory, petra: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(petra, "at four", "at five")
    petra.write_text(petra.read_text() + "- Rolls sell out by ten.\n")
    edited = petra.read_bytes()

    def full(path: Path, content: bytes, mode: int | None = None) -> None:
        raise OSError(28, "No space left on device", str(path), mode, str(len(content)))

    with monkeypatch.context() as patched:
        patched.setattr(mirroring, "replace_file", full)
        with pytest.raises(StoreFailed, match="No space left on device"):
            mirror(memory, notes)
    assert petra.read_bytes() == edited
    assert len(texts(memory)) == 3
    assert mirror(memory, notes).steps == ()
    assert len(texts(memory)) == 3
    assert_quiet(memory, notes)


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_done(
    memory: Memory, petra: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(petra, "at four", "at five")
    events = memory.stats().events

    def refuse(*_: object) -> bool:
        return False

    with monkeypatch.context() as patched:
        patched.setattr("os.access", refuse)  # root may write everywhere
        with pytest.raises(StoreUnwritable, match="cannot be written"):
            mirror(memory, notes)
    assert memory.stats().events == events


def test_an_edit_while_it_runs_is_not_overwritten(
    memory: Memory, petra: Path, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.correct(id_of(memory, OVEN), "The deck oven is lit at six.")
    listed = memory.list

    def edit_meanwhile(**how: object) -> object:
        petra.write_text(petra.read_text() + "- Typed this moment.\n")
        monkeypatch.undo()
        return listed(**how)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "list", edit_meanwhile)
    assert "at this moment" in mirror(memory, notes).steps[-1].reason
    assert "Typed this moment." in petra.read_text()
    mirror(memory, notes)
    assert texts(memory) == sorted(["The deck oven is lit at six.", MILL, "Typed this moment."])


def test_no_part_of_a_file_is_left_beside_it(memory: Memory, petra: Path, notes: Path) -> None:
    change(petra, "at four", "at five")
    petra.chmod(0o640)
    mirror(memory, notes)
    assert sorted(path.name for path in notes.iterdir()) == [".evolore", "Petra.md"]
    assert sorted(path.name for path in (notes / ".evolore").iterdir()) == [".gitignore", "mirror.json"]
    assert petra.stat().st_mode & 0o777 == 0o640


# Random edits


@pytest.mark.parametrize(
    ("seed", "how"),
    [
        (1, {}),
        (2, {"kill": True}),
        (0, {"integrate": True}),
        pytest.param(3, {}, marks=pytest.mark.long),
        pytest.param(2, {"integrate": True}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_random_edits_lose_nothing_and_ask_for_nothing(tmp_path: Path, seed: int, how: dict[str, bool]) -> None:
    world = EDITS.run(tmp_path, seed, edits=30, together=8, **how)
    assert world.faults == []
    assert world.asked <= world.real


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4, 24))
@pytest.mark.parametrize("how", [{}, {"kill": True}, {"integrate": True}], ids=str)
def test_many_random_edits_lose_nothing(tmp_path: Path, seed: int, how: dict[str, bool]) -> None:
    world = EDITS.run(tmp_path, seed, edits=200, together=8, **how)
    assert world.faults == []
    assert world.asked <= world.real


def test_the_model_notices_a_line_that_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: a mirror that forgets to remember new lines is found out."""

    def forget(*_: object) -> None:
        """Do nothing about a new line."""

    monkeypatch.setattr(mirroring._Run, "_plan_new", forget)
    assert any(EDITS.run(tmp_path / str(seed), seed, edits=60, together=8).faults for seed in range(2))


def test_json_of_a_result_names_every_step(memory: Memory, petra: Path, notes: Path) -> None:
    change(petra, "at four", "at five")
    found = mirror(memory, notes).to_dict()
    assert json.loads(json.dumps(found))["steps"][0]["deed"] == "corrected"
    assert os.fspath(petra).endswith("Petra.md")
    with pytest.raises(NotFound):
        memory.show("01kjpy46cg9r1kwjksxs72ywpk")
