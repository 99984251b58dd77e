"""A document's outline on a terminal and as a page."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from evolore import MediaType, Memory
from evolore.cli import app
from evolore.cli.files import write_whole
from evolore.cli.outline import render_tree
from evolore.cli.pages.outline_page import page_of
from evolore.errors import InvalidValue, StoreFailed, StoreUnwritable

if TYPE_CHECKING:
    from typer.testing import Result

    from evolore.domain.outline import DocumentTree

EVIL = '</script><script>alert("1")</script><!-- <img src=x onerror=alert(2)> & \u2028'
PARTS = "".join(
    f"## 第{part}部\n\n"
    + "".join(f"### 節{part}の{number}\n\n" + "石窯は毎朝四時に火を入れる。" * 30 + "\n\n" for number in "一二三")
    for part in range(3)
)
TEXT = f"# 手引き {EVIL}\n\n𠮷田さん😀が当番。{EVIL}\n\n{PARTS}" + "x" * 2600 + "\n"


@pytest.fixture
def tree(memory: Memory) -> DocumentTree:
    memory.add_text(TEXT, source=f"{EVIL}.md", title=f"手引き {EVIL}", media_type=MediaType.MARKDOWN)
    return memory.outline.tree(f"{EVIL}.md", with_text=True)


def evolore(*arguments: str | Path, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


class Page(HTMLParser):
    """What a browser would find, element by element."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, str] = {}
        self._block = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in {"meta", "input"}:
            self.open.append(tag)
        self._block = f"{tag}{sum(one == tag for one, _ in self.elements)}"

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self._block = ""

    def handle_data(self, data: str) -> None:
        self.inside[self._block] = self.inside.get(self._block, "") + data

    def items(self) -> list[dict[str, str | None]]:
        return [attributes for _, attributes in self.elements if attributes.get("role") == "treeitem"]


def drawn(tree: DocumentTree, width: int | None, monkeypatch: pytest.MonkeyPatch, *, depth: int | None = None) -> str:
    stream = io.StringIO()
    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setenv("TERM", "xterm")
        stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stdout", stream)
    render_tree(tree, depth=depth)
    return re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.parametrize("width", [20, 40, 60, 79, 100, 200])
def test_no_line_is_wider_than_the_terminal(tree: DocumentTree, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = drawn(tree, width, monkeypatch).splitlines()
    assert max(map(cell_len, lines)) <= max(width, 40)
    codes = [line for line in lines if re.match(r"[│├└─ ]*\d+(\.\d+)* ", line)]
    assert len(codes) == len(tree.nodes)


def test_a_pipe_gets_every_column_and_no_blanks_at_the_end(tree: DocumentTree, monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(tree, None, monkeypatch)
    assert all(line == line.rstrip() for line in text.splitlines())
    for node in tree.nodes:
        if node.episode_id:
            assert node.episode_id in text
    assert re.search(r"[+-]\d+\.\d", text)
    assert "tier 4: " in text
    assert re.search(r"depth 2 +[█#]+ 9", text)
    assert "median" in text


def test_deeper_levels_are_folded_and_counted(tree: DocumentTree, monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(tree, 120, monkeypatch, depth=1)
    assert not re.search(r"^\W*2\.1 ", text, re.MULTILINE)
    folded = [node for node in tree.nodes if node.code.depth == 1 and not node.chunk.is_leaf]
    assert folded
    for node in folded:
        assert f"[{len(tree.below(node.code))} below]" in text
    assert re.search(r"^\W*2\.1 ", drawn(tree, 120, monkeypatch), re.MULTILINE)  # the control


def test_a_stream_of_ascii_gets_a_drawing_in_ascii(tree: DocumentTree, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", errors="replace"))
    render_tree(tree)
    sys.stdout.flush()
    text = raw.getvalue().decode("ascii")
    assert "`- " in text
    assert "####" in text


def test_the_page_holds_the_document_as_it_is(tree: DocumentTree) -> None:
    page = Page(page_of(tree))
    assert page.open == []
    assert [item["data-code"] for item in page.items()] == [str(node.code) for node in tree.nodes]
    data = json.loads(page.inside["script1"])
    assert data["text"] == TEXT
    units = TEXT.encode("utf-16-le")
    for node, (start, end, first, last, _, tier, id_, path, note) in zip(tree.nodes, data["nodes"], strict=True):
        chunk = node.chunk
        assert note.startswith(f"tier {tier}")
        assert units[2 * start : 2 * end].decode("utf-16-le") == chunk.span.of(TEXT)
        assert (first, last, tier, id_) == (chunk.span.start, chunk.span.end, chunk.tier.value, node.episode_id)
        assert data["paths"][path] == [" ".join(heading.split()) for heading in chunk.heading_path]


def test_nothing_a_document_says_becomes_markup(tree: DocumentTree) -> None:
    written = page_of(tree)
    page = Page(written)
    kinds = [tag for tag, _ in page.elements]
    assert kinds.count("script") == 2
    assert "img" not in kinds
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert written.count("<!--") == 0
    assert "alert" in page.inside["bdi1"]  # the control: it is shown


def test_the_page_needs_no_network_and_allows_no_other_script(tree: DocumentTree) -> None:
    written = page_of(tree)
    page = Page(written)
    policy = next(one["content"] or "" for _, one in page.elements if one.get("http-equiv"))
    for kind, content in (("script", page.inside["script2"]), ("style", page.inside["style1"])):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert not any(name in {"src", "href"} for _, attributes in page.elements for name in attributes)
    assert not re.search(r"@import|url\(|https?:", page.inside["style1"] + page.inside["script2"])
    assert not any("style" in attributes for _, attributes in page.elements)  # the policy would refuse it


def test_the_page_can_be_used_without_a_mouse_or_eyes(tree: DocumentTree) -> None:
    page = Page(page_of(tree))
    ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    items = page.items()
    assert [item["tabindex"] for item in items].count("0") == 1
    for item, node in zip(items, tree.nodes, strict=True):
        assert item["aria-labelledby"] in ids
        assert item["aria-level"] == str(node.code.depth)
        assert ("aria-expanded" in item) == (not node.chunk.is_leaf)
    assert all(one.get("aria-label") for tag, one in page.elements if tag in {"svg", "input", "section"})
    assert page.elements[0][1]["lang"] == "en"


def test_many_levels_are_unfolded_as_asked(tree: DocumentTree) -> None:
    inner = [node.code for node in tree.nodes if not node.chunk.is_leaf]
    for depth in (1, 2, 3, None):
        items = Page(page_of(tree, depth=depth)).items()
        folded = [str(code) for code in inner if depth is not None and code.depth >= depth]
        assert [item["data-code"] for item in items if item.get("aria-expanded") == "false"] == folded


def test_the_command_writes_a_page_and_overwrites_only_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evolore.models.offline import HashingEmbedder  # noqa: PLC0415 - as the fixture of the commands has it

    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    source, target = tmp_path / "a.md", tmp_path / "out.html"
    source.write_text(TEXT, encoding="utf-8")
    evolore("add", source)
    assert f"Written to {target}" in evolore("outline", "tree", source, "--html", target).stdout
    first = target.read_bytes()
    assert "is there already" in evolore("outline", "tree", source, "--html", target, code=1).stderr
    assert target.read_bytes() == first
    target.write_text("something else", encoding="utf-8")
    answer = json.loads(evolore("outline", "tree", source, "--html", target, "--force", "--json").stdout)
    assert answer["path"] == str(target)
    assert target.read_bytes() == first
    assert evolore("outline", "tree", source, "--html", "-").stdout == first.decode()
    assert "--depth is 0" in evolore("outline", "tree", source, "--depth", "0", code=1).stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.md", "out.html", "store"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreUnwritable, match="could not be made"):
        write_whole(tmp_path / "none" / "a.html", "x", overwrite=True)
    with pytest.raises(InvalidValue, match="there already"):
        write_whole(tmp_path, "x", overwrite=True)
    target = tmp_path / "a.html"
    target.write_text("before", encoding="utf-8")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(StoreFailed, match="No space left"):
        write_whole(target, "after", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]
    assert target.read_text(encoding="utf-8") == "before"


def test_expanded_hits_name_what_they_fold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from evolore.models.offline import HashingEmbedder  # noqa: PLC0415 - likewise

    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    source = tmp_path / "a.md"
    source.write_text(PARTS, encoding="utf-8")
    evolore("add", source)
    plain = evolore("recall", "石窯", "--path", "第1部", "--no-expand").stdout
    assert "folds no." not in plain
    shown = evolore("recall", "石窯", "--path", "第1部", "--expand", "--depth", "2", "--explain").stdout
    assert "folds no. 1, " in shown
    assert "folds no. 2, " in shown
    assert "\ndepth " in shown
    found = json.loads(evolore("recall", "石窯", "--path", "第1部", "--expand", "--json").stdout)
    (hit,) = found["hits"]
    assert len(hit["expansion"]["folded"]) > 1
    assert found["query"]["filter"]["path"] == ["第1部"]
    assert (
        json.loads(evolore("recall", "x", "--path", "2", "--source", source, "--json").stdout)["query"]["filter"][
            "path"
        ]
        == "2"
    )
    assert "name the document with source" in evolore("recall", "石窯", "--path", "2", code=1).stderr
