"""Outlines and graphs as drawings, on the server's pages and in files that stand alone."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from evolore import MediaType, Memory
from evolore.domain.episode import EdgeKind
from evolore.server.drawings import graph, outline
from evolore.server.languages import LANGUAGES, texts_in
from flows.graphs import EVIL, START, GraphReader, around, edge, episode, example
from server.bundle import bundled

if TYPE_CHECKING:
    from evolore.domain.document import DocumentTree
    from evolore.domain.graph import Neighbourhood

VOID = {"meta", "input"}
MARKUP = '</script><script>alert("1")</script><!-- <img src=x onerror=alert(2)> & \u2028'
PARTS = "".join(
    f"## 第{part}部\n\n"
    + "".join(f"### 節{part}の{number}\n\n" + "石窯は毎朝四時に火を入れる。" * 30 + "\n\n" for number in "一二三")
    for part in range(3)
)
TEXT = f"# 手引き {MARKUP}\n\n𠮷田さん😀が当番。{MARKUP}\n\n{PARTS}" + "x" * 2600 + "\n"


class Drawn(HTMLParser):
    """What a browser would find, element by element, and the words of each class."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, str]] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.inside: dict[str, list[str]] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.elements.append((tag, values))
        if tag not in VOID:
            self.open.append((tag, values.get("class") or tag))
            self.inside.setdefault(self.open[-1][1], []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.inside[self.open[-1][1]][-1] += data

    def of(self, name: str) -> list[dict[str, str]]:
        return [values for _, values in self.elements if name in values]

    @property
    def data(self) -> dict[str, list[list[Any]]]:
        return json.loads(self.of("data-graph")[0]["data-graph"])


def is_harmless(drawn: Drawn) -> None:
    assert drawn.open == []
    assert not {"img", "script"} & {tag for tag, _ in drawn.elements}
    assert not any(name.startswith("on") or name == "style" for _, values in drawn.elements for name in values)


@pytest.fixture
def found() -> Neighbourhood:
    return around(example(), depth=2)


@pytest.fixture
def tree(memory: Memory) -> DocumentTree:
    memory.add_text(TEXT, source=f"{MARKUP}.md", title=f"手引き {MARKUP}", media_type=MediaType.MARKDOWN)
    return memory.outline.tree(f"{MARKUP}.md", with_text=True)


def test_a_graph_holds_each_node_and_edge_once_and_the_list_says_the_same(found: Neighbourhood) -> None:
    for language in LANGUAGES:
        drawn = Drawn(graph.drawing_of(found, texts_in(language), around="?of=", documents="/d/"))
        places = {node.episode.id: place for place, node in enumerate(found.nodes)}
        assert [one[:3] for one in drawn.data["edges"]] == [
            [places[one.source_id], places[one.target_id], one.kind.value] for one in found.edges
        ]
        assert [one[5] for one in drawn.data["nodes"]] == [1] + [0] * (len(found.nodes) - 1)
        listed = [one for tag, one in drawn.elements if tag == "li" and "data-node" in one]
        assert sorted(int(one["data-node"]) for one in listed) == list(range(len(found.nodes)))
        ends = [one["href"] for tag, one in drawn.elements if tag == "a" and one["href"].startswith("#n")]
        assert len(ends) == 2 * len(found.edges)
        is_harmless(drawn)


def test_every_kind_of_node_and_edge_that_is_there_can_be_left_out(found: Neighbourhood) -> None:
    drawn = Drawn(graph.drawing_of(found, texts_in("en")))
    assert {one["data-edge"] for one in drawn.of("data-edge")} == {one.kind.value for one in found.edges}
    assert {one["data-node"] for one in drawn.of("data-node") if one.get("type")} == {
        node.episode.kind.value for node in found.nodes
    }


def test_texts_stand_whole_and_name_their_language(found: Neighbourhood) -> None:
    drawn = Drawn(graph.drawing_of(found, texts_in("ja")))
    cut = next(node.episode.text for node in found.nodes if "80 rolls" in node.episode.text)
    assert cut in drawn.inside["graph-text"]
    languages = {one.get("lang") for _, one in drawn.elements if one.get("class") == "graph-text"}
    assert {"en", "ja", "zh"} <= languages


def test_conflicts_states_and_merges_are_marked(found: Neighbourhood) -> None:
    written = graph.drawing_of(found, texts_in("en"))
    assert written.count("e-conflict_pending") == 2
    assert written.count("e-superseded") == 1
    assert "2 merged" in written
    assert [one[4] for one in Drawn(written).data["nodes"]].count("conflict_pending") == 2


def test_nothing_that_was_remembered_becomes_markup(found: Neighbourhood) -> None:
    evil = around(GraphReader([replace(episode(0, EVIL), title=EVIL, session=EVIL, speaker=EVIL)], []))
    for one in (found, evil):
        written = graph.drawing_of(one, texts_in("en"), names=[EVIL] * 9)
        is_harmless(Drawn(written))
        assert written.count("<!--") == 0
        assert "alert" in written  # the control: it is shown
        assert not re.search("[\u202a-\u202e\ud800-\udfff]", written)


def test_a_lone_episode_a_large_neighbourhood_and_none_are_drawn() -> None:
    alone = Drawn(graph.drawing_of(around(GraphReader([episode(0)], [])), texts_in("en")))
    assert len(alone.data["nodes"]) == 1
    assert alone.data["edges"] == []
    many = [episode(number, f"Turn {number} of the wheel.", day=number) for number in range(60)]
    edges = [edge(0, number, weight=0.9) for number in range(1, 60)]
    edges += [edge(number, number + 1, EdgeKind.SEQUENCE) for number in range(1, 59)]
    large = graph.drawing_of(around(GraphReader(many, edges)), texts_in("en"))
    assert len(Drawn(large).data["nodes"]) == 60
    assert START.date().isoformat() in large


def test_labels_are_as_wide_as_they_may_be_in_every_script() -> None:
    for text, label in (
        ("the wheel turns again and again", "the wheel turns again and…"),
        ("木曜は市場の日なので予約が三倍", "木曜は市場の日なので予約…"),
    ):
        lone = around(GraphReader([episode(0, text)], []))
        assert Drawn(graph.drawing_of(lone, texts_in("en"))).data["nodes"][0][0] == label
    letters = [graph.letter_of(number) for number in range(60)]
    assert len(set(letters)) == 60
    assert letters[:2] + letters[26:28] == ["A", "B", "A2", "B2"]


def test_an_outline_holds_the_document_as_it_is(tree: DocumentTree) -> None:
    text = Drawn(outline.text_of(tree, texts_in("en")))
    leaves = [node for node in tree.nodes if node.chunk.is_leaf]
    assert [one["id"] for one in text.of("id")] == [f"c{node.code}" for node in leaves]
    for node, shown in zip(leaves, text.inside["chunk"], strict=True):
        assert node.chunk.span.of(TEXT).strip("\n") == shown
    drawn = Drawn(outline.tree_of(tree, texts_in("en")))
    assert drawn.inside["code"] == [str(node.code) for node in tree.nodes]
    for one in (text, drawn, Drawn(outline.charts_of(tree, texts_in("en")))):
        is_harmless(one)


def test_a_long_outline_and_text_are_cut_and_say_so(tree: DocumentTree) -> None:
    t = texts_in("en")
    assert len(Drawn(outline.tree_of(tree, t, most=3)).inside["code"]) == 3
    assert "and" in outline.tree_of(tree, t, most=3)
    assert t("document.cut") in outline.text_of(tree, t, most=500)
    assert t("document.cut") not in outline.text_of(tree, t)


def test_many_levels_are_unfolded_as_asked(tree: DocumentTree) -> None:
    inner = [node.code for node in tree.nodes if not node.chunk.is_leaf]
    for depth in (1, 2, 3, None):
        folds = [
            one
            for tag, one in Drawn(outline.tree_of(tree, texts_in("en"), unfolded=depth)).elements
            if tag == "details"
        ]
        folded = [depth is not None and code.depth >= depth for code in inner]
        assert ["open" not in one for one in folds] == folded


@bundled
def test_a_page_that_stands_alone_needs_no_network_and_allows_no_other_script(
    tree: DocumentTree, found: Neighbourhood
) -> None:
    for written, scripts in ((outline.page_of(tree), 0), (graph.page_of(found), 1)):
        drawn = Drawn(written)
        assert drawn.open == []
        policy = next(one["content"] for one in drawn.of("http-equiv"))
        assert policy.startswith("default-src 'none';")
        for kind in ("style", "script")[: 1 + scripts]:
            (content,) = drawn.inside[kind]
            digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
            assert f"{kind}-src 'sha256-{digest}'" in policy
            assert not re.search(r"@import|url\(", content)
        assert [tag for tag, _ in drawn.elements].count("script") == scripts
        assert not any({"src", "style"} & one.keys() for _, one in drawn.elements)
        assert all(one["href"].startswith("#") for one in drawn.of("href"))
        assert drawn.elements[0][1]["lang"] == "en"
        assert written.count("<!--") == 0
