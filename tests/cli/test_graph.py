"""A neighbourhood on a terminal.

The command ``graph`` on a store.
"""

from __future__ import annotations

import io
import json
import re
import sys
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.graph import render_graph
from evolore.domain.episode import Edge, EdgeKind, EpisodeState
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, FieldChange
from flows.graphs import around, example
from server.bundle import bundled
from store.structures import Structured

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from evolore.domain.graph import Neighbourhood


@pytest.fixture
def found() -> Neighbourhood:
    return around(example(), depth=2)


def drawn(found: Neighbourhood, width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    stream = io.StringIO()
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", stream)
    render_graph(found)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.parametrize("width", [20, 40, 60, 79, 100, 200])
def test_no_line_is_wider_than_the_terminal(found: Neighbourhood, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = drawn(found, width, monkeypatch).splitlines()
    assert max(map(cell_len, lines)) <= max(width, 40)


def test_a_pipe_gets_every_column_and_conflicts_with_the_other_side(
    found: Neighbourhood, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = drawn(found, None, monkeypatch)
    lines = text.splitlines()
    assert all(line == line.rstrip() for line in lines)
    for node in found.nodes:
        assert node.episode.id in text
    at = next(place for place, line in enumerate(lines) if "checked every Monday" in line)
    assert "[in conflict] The backup" in lines[at]
    assert "! contradicts Aiko" in lines[at + 1]
    assert '"Nobody has checked' in lines[at + 1]
    assert sum("! contradicts" in line for line in lines) == 2
    assert re.search(r"supersedes|superseded, semantic +0\.89 +2025-06-19 .* \[superseded\] The shop", text)
    assert "[2 merged] The shop runs" in text
    assert "[active]" not in text
    assert "\u202e" not in text
    assert lines[-1].startswith("11 episodes · ")
    assert "Context A  3 episodes, " in text


def test_a_stream_of_ascii_gets_its_lines_in_ascii(found: Neighbourhood, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", errors="replace"))
    render_graph(found)
    sys.stdout.flush()
    assert "-> semantic" in raw.getvalue().decode("ascii")


def evolore(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Remember five statements in one session: two merged, two that contradict each other, one alone."""
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("EVOLORE_NAMESPACE", "n")
    made = Structured(tmp_path / "store")
    first, second, old, new, alone = made.remember(
        "The oven is hot.",
        "It was lit at four.",
        "Flour comes on Monday.",
        "Flour comes on Friday.",
        "Rain.",
        session="s",
    )
    (whole,) = made.merge(first, second).made
    made.apply(
        Change(
            kind=ChangeKind.CONFLICT_FOUND,
            subject_id=old,
            reason="day",
            fields=tuple(FieldChange(episode_id=id_, state=EpisodeState.CONFLICT_PENDING) for id_ in (old, new)),
            added=(Edge(source_id=new, target_id=old, kind=EdgeKind.CONTRADICTS),),
        )
    )
    with made.store.write("n") as writer:
        writer.link([Edge(source_id=whole.id, target_id=old, kind=EdgeKind.SEMANTIC, weight=0.7)], at=made.clock.now())
    made.store.close()
    return [whole.id, first, second, old, new, alone]


def shown(*arguments: str) -> dict[str, list[dict[str, object]]]:
    return json.loads(evolore("outline", "graph", *arguments, "--json").stdout)


def test_the_neighbours_of_a_merged_episode_are_shown(ids: list[str]) -> None:
    whole, first, second, old, new, alone = ids
    text = evolore("outline", "graph", whole, "--depth", "2").stdout
    assert "[2 merged] The oven is hot. It was lit at four." in text
    assert '! contradicts 2026-03-02: "Flour comes on Friday."' in text
    found = shown(whole, "--depth", "3")
    assert [node["episode"]["id"] for node in found["nodes"]] == [whole, old, new, alone]  # pyright: ignore[reportIndexIssue] - what JSON holds
    kinds = {one["kind"] for one in found["edges"]}
    assert kinds == {"semantic", "sequence", "contradicts"}
    assert found["conflicts"] == [[old, new]]
    assert len(shown(whole, "--kind", "semantic")["nodes"]) == 2
    assert shown(first)["edges"] == [{"source_id": whole, "target_id": first, "kind": "member", "weight": 1.0}]
    assert second not in evolore("outline", "graph", whole, "--depth", "3").stdout


def test_an_earlier_moment_shows_what_stood_then(ids: list[str]) -> None:
    whole, first, second, *_ = ids
    now, later = shown(whole, "--depth", "3"), shown(whole, "--depth", "3", "--as-of", "2030-01-01")
    assert {**later, "as_of": None} == now
    said = json.loads(evolore("show", first, "--json").stdout)["occurred_at"]
    then = shown(first, "--depth", "3", "--as-of", said)
    assert [one["episode"]["id"] for one in then["nodes"]] == [first]  # pyright: ignore[reportIndexIssue] - likewise
    assert "was not there" in evolore("outline", "graph", second, "--as-of", said, code=1).stderr


def test_what_it_cannot_show_is_told(ids: list[str], tmp_path: Path) -> None:
    source = tmp_path / "a.md"
    source.write_text("# Ovens\n\nThe stone oven is lit at four.\n", encoding="utf-8")
    document = json.loads(evolore("add", source, "--json").stdout)["documents"][0]["document"]["id"]
    assert "is a document: name one of its passages" in evolore("outline", "graph", document, code=1).stderr
    assert "evolore list" in evolore("outline", "graph", "zzz", code=1).stderr
    assert "depth is 4" in evolore("outline", "graph", ids[0], "--depth", "4", code=1).stderr
    assert "limit is 0" in evolore("outline", "graph", ids[0], "--limit", "0", code=1).stderr
    assert "kinds is 'near'" in evolore("outline", "graph", ids[0], "--kind", "near", code=1).stderr
    assert "was not there" in evolore("outline", "graph", ids[0], "--as-of", "2020-01-01", code=1).stderr
    assert "--as-of 'then'" in evolore("outline", "graph", ids[0], "--as-of", "then", code=1).stderr


def test_a_passage_has_those_before_and_behind_it(ids: list[str], tmp_path: Path) -> None:
    del ids
    source = tmp_path / "b.md"
    source.write_text("# Ovens\n\n" + "".join(f"## {one}\n\n" + f"Oven {one} is lit. " * 40 + "\n\n" for one in "abcd"))
    evolore("add", source)
    leaves = [one["episode_id"] for one in json.loads(evolore("outline", "tree", source, "--json").stdout)["nodes"]]
    first, second, third, *_ = [leaf for leaf in leaves if leaf]
    edges = [(one["source_id"], one["target_id"]) for one in shown(second, "--kind", "sequence")["edges"]]
    assert edges == [(first, second), (second, third)]


@bundled
def test_the_page_is_written_and_overwritten_only_when_told(ids: list[str], tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert f"Written to {target}" in evolore("outline", "graph", ids[0], "--html", target).stdout
    first = target.read_bytes()
    assert first.count(b'<li id="n') == 2
    assert "is there already" in evolore("outline", "graph", ids[0], "--html", target, code=1).stderr
    target.write_text("something else", encoding="utf-8")
    answer = json.loads(evolore("outline", "graph", ids[0], "--html", target, "--force", "--json").stdout)
    assert answer == {"path": str(target), "nodes": 2}
    assert target.read_bytes() == first
    assert evolore("outline", "graph", ids[0], "--html", "-").stdout == first.decode()
