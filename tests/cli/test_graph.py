"""A neighbourhood on a terminal and as a page.

The command ``graph`` on a store.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.graph import render_graph
from evolore.cli.pages.graph_drawing import em_width, glyph, letter_of, wrapped
from evolore.cli.pages.graph_layout import Link, lay_out, overlaps
from evolore.cli.pages.graph_page import page_of
from evolore.domain.episode import Edge, EdgeKind, EpisodeState
from evolore.models.offline import HashingEmbedder
from evolore.ports import Change, ChangeKind, FieldChange
from flows.graphs import EVIL, START, GraphReader, around, edge, episode, example
from store.structures import Structured

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

    from evolore.domain.graph import Neighbourhood

SIZES = st.tuples(st.integers(20, 260), st.integers(20, 120))
VOID = {"meta", "input"}


@pytest.fixture
def found() -> Neighbourhood:
    return around(example(), depth=2)


class Page(HTMLParser):
    """What a browser would find, element by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.style = ""
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.words += data

    def of_class(self, name: str, tag: str = "g") -> list[dict[str, str | None]]:
        return [one for kind, one in self.elements if kind == tag and name in (one.get("class") or "").split()]

    @property
    def data(self) -> dict[str, list[list[object]]]:
        return json.loads(self.scripts[0])


def drawn(found: Neighbourhood, width: int | None, monkeypatch: pytest.MonkeyPatch) -> str:
    stream = io.StringIO()
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", stream)
    render_graph(found)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@settings(max_examples=40)
@given(st.lists(SIZES, min_size=1, max_size=24), st.data())
def test_no_two_boxes_overlap_and_the_same_graph_lies_the_same_way(
    sizes: list[tuple[int, int]], data: st.DataObject
) -> None:
    count = len(sizes)
    places = st.integers(0, count - 1)
    links = data.draw(st.lists(st.builds(Link, places, places, st.floats(0, 1)), max_size=40))
    groups = data.draw(st.lists(st.none() | st.integers(0, 3), min_size=count, max_size=count))
    distances = [0, *data.draw(st.lists(st.integers(1, 3), min_size=count - 1, max_size=count - 1))]
    boxes = np.array(sizes, dtype=np.float64)
    laid = lay_out(boxes, links, groups, distances)
    assert not overlaps(laid, boxes).any()
    assert np.isfinite(laid).all()
    assert np.array_equal(laid, lay_out(boxes, links, groups, distances))


def test_boxes_that_lie_over_each_other_are_found() -> None:
    boxes = np.full((3, 2), 10.0)
    laid = np.array([(0.0, 0.0), (9.0, 9.0), (30.0, 0.0)])
    assert overlaps(laid, boxes).tolist() == [[False, True, False], [True, False, False], [False, False, False]]
    assert overlaps(laid, boxes, gap=25).sum() == 6


def test_what_is_joined_lies_nearer_than_what_is_not() -> None:
    boxes = np.full((9, 2), 40.0)
    groups = [None, 0, 0, 0, 0, 1, 1, 1, 1]
    links = [Link(0, place, 0.5) for place in range(1, 9)]
    links += [Link(start + one, start + two, 0.9) for start in (1, 5) for one in range(4) for two in range(one)]
    laid = lay_out(boxes, links, groups, [0] + [1] * 8)
    apart = np.linalg.norm(laid[:, None] - laid[None, :], axis=2)
    assert apart[1:5, 1:5].max() < apart[1:5, 5:].min()
    assert lay_out(np.zeros((0, 2)), [], [], []).shape == (0, 2)


@given(st.text(max_size=120), st.integers(4, 20), st.integers(1, 3))
def test_no_line_of_a_label_is_wider_than_it_may_be(text: str, width: int, lines: int) -> None:
    flat = " ".join(text.split())
    shown = wrapped(flat, width=width, lines=lines)
    assert len(shown) <= lines
    assert all(em_width(line) <= width for line in shown)
    if shown and not shown[-1].endswith("…"):
        assert "".join(shown).replace(" ", "") == flat.replace(" ", "")


def test_labels_break_between_words_or_between_characters() -> None:
    assert wrapped("the wheel turns again", width=7.0, lines=3) == ("the wheel", "turns again")
    assert wrapped("木曜は市場の日なので予約が三倍", width=6.0, lines=2) == ("木曜は市場", "の日なので…")
    assert wrapped("", width=7.0, lines=2) == ()


def test_contexts_are_told_apart_by_letter_and_shape() -> None:
    assert len({glyph(number, 10) for number in range(8)}) == 8
    assert glyph(0, 10) == glyph(None, 10) == glyph(8, 10)
    letters = [letter_of(number) for number in range(60)]
    assert len(set(letters)) == 60
    assert letters[:2] + letters[26:28] == ["A", "B", "A2", "B2"]


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


def test_the_page_draws_each_node_and_edge_once(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    assert page.open == []
    nodes, edges = page.of_class("node"), page.of_class("edge")
    assert [one["id"] for one in nodes] == [f"n{place}" for place in range(len(found.nodes))]
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    ends = [f"{places[one.source_id]} {places[one.target_id]}" for one in found.edges]
    assert [one["data-ends"] for one in edges] == ends
    assert [one["data-kind"] for one in edges] == [one.kind.value for one in found.edges]
    data = page.data
    assert [[one[0], one[1], one[2]] for one in data["edges"]] == [
        [places[one.source_id], places[one.target_id], one.kind.value] for one in found.edges
    ]
    assert data["conflicts"] == [[places[older], places[newer]] for older, newer in found.conflicts]
    assert len(data["nodes"]) == len(found.nodes)


def test_conflicts_states_and_merges_are_marked(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    assert len(page.of_class("s-conflict_pending")) == 2
    assert len(page.of_class("warn")) == 2 + 1  # the two and the sign that explains them
    assert len(page.of_class("k-contradicts")) == len(page.of_class("open")) == 1
    assert len(page.of_class("many")) == 1 + 1
    assert len(page.of_class("s-superseded")) == 1 + 1
    settled = replace(found, conflicts=())
    assert len(Page(page_of(settled)).of_class("open")) == 0


def test_texts_name_their_language(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    labels = [one.get("lang") for one in page.of_class("label", "text")]
    assert labels == [node.episode.language.value for node in found.nodes]
    assert {"en", "ja", "zh"} <= set(labels)


def test_nothing_that_was_remembered_becomes_markup(found: Neighbourhood) -> None:
    written = page_of(replace(found, nodes=(found.nodes[0], *reversed(found.nodes[1:]))))
    evil = around(GraphReader([replace(episode(0, EVIL), title=EVIL, session=EVIL, speaker=EVIL)], []))
    for text in (written, page_of(evil)):
        page = Page(text)
        kinds = [tag for tag, _ in page.elements]
        assert kinds.count("script") == len(page.scripts) == 2
        assert "img" not in kinds
        assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
        assert text.count("<!--") == 0
        assert "alert" in page.words  # the control: it is shown
        assert not re.search("[\u202a-\u202e\ud800-\udfff]", text)
        assert "\u2028" not in page.scripts[0]
        text.encode("utf-8")


def test_the_page_needs_no_network_and_allows_no_other_script(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    policy = next(one["content"] or "" for _, one in page.elements if one.get("http-equiv"))
    for kind, content in (("script", page.scripts[1]), ("style", page.style)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert not any(name in {"src", "href", "style"} for _, attributes in page.elements for name in attributes)
    assert not re.search(r"@import|url\(|https?:", page.style + page.scripts[1])


def test_the_page_can_be_used_without_a_mouse_or_eyes(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    nodes = page.of_class("node")
    assert [one["tabindex"] for one in nodes] == ["0"] + ["-1"] * (len(nodes) - 1)
    assert all(one["role"] == "button" and one["aria-label"] for one in nodes)
    assert "in conflict" not in (nodes[0]["aria-label"] or "")
    assert sum("conflict pending" in (one["aria-label"] or "") for one in nodes) == 2
    for tag, one in page.elements:
        if tag in {"svg", "section", "nav"} and one.get("aria-hidden") != "true" and one:
            assert one.get("aria-label"), (tag, one)
    assert page.elements[0][1]["lang"] == "en"


def test_whole_texts_stand_in_the_page_where_scripts_are_off(found: Neighbourhood) -> None:
    page = Page(page_of(found))
    cut = next(node.episode.text for node in found.nodes if "80 rolls" in node.episode.text)
    assert cut in page.words
    assert page.words.count("Backups run every night at three.") <= 3


def test_the_same_neighbourhood_gives_the_same_page() -> None:
    assert page_of(around(example(), depth=2)) == page_of(around(example(), depth=2))


def test_a_lone_episode_and_a_large_neighbourhood_are_drawn() -> None:
    alone = Page(page_of(around(GraphReader([episode(0)], []))))
    assert len(alone.of_class("node")) == 1
    assert alone.of_class("edge") == []
    many = [episode(number, f"Turn {number} of the wheel.", day=number) for number in range(60)]
    edges = [edge(0, number, weight=0.9) for number in range(1, 60)]
    edges += [edge(number, number + 1, EdgeKind.SEQUENCE) for number in range(1, 59)]
    large = Page(page_of(around(GraphReader(many, edges))))
    assert len(large.of_class("node")) == 60
    assert len(large.of_class("spoke")) == 59
    assert START.date().isoformat() in large.words


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


def test_the_page_is_written_and_overwritten_only_when_told(ids: list[str], tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    assert f"Written to {target}" in evolore("outline", "graph", ids[0], "--html", target).stdout
    first = target.read_bytes()
    assert first.count(b'role="button"') == 2
    assert "is there already" in evolore("outline", "graph", ids[0], "--html", target, code=1).stderr
    target.write_text("something else", encoding="utf-8")
    answer = json.loads(evolore("outline", "graph", ids[0], "--html", target, "--force", "--json").stdout)
    assert answer == {"path": str(target), "nodes": 2}
    assert target.read_bytes() == first
    assert evolore("outline", "graph", ids[0], "--html", "-").stdout == first.decode()
