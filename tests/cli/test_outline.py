"""A document's outline on a terminal."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from evolore import MediaType, Memory
from evolore.cli import app
from evolore.cli.files import write_whole
from evolore.cli.outline import render_tree
from evolore.errors import InvalidValue, StoreFailed, StoreUnwritable
from server.bundle import bundled

if TYPE_CHECKING:
    from typer.testing import Result

    from evolore.domain.document import DocumentTree

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


@bundled
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
    told = evolore("recall", "石窯", "--path", "第1部", "--explain").stdout
    assert "\nhit 2: sibling of hit 1\n" in told
    plain_hits = json.loads(evolore("recall", "石窯", "--path", "第1部", "--json").stdout)["hits"]
    assert [hit["relation"] for hit in plain_hits[:2]] == [None, {"rank": 1, "relation": "sibling"}]
    assert "sibling" not in plain
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
