"""Run the examples of the pages and write their output into them: ``python docs/generate_output.py [PAGE…]``.

A test runs the same examples and fails where the output differs. How a page is written:

- A ``console`` block holds ``$`` commands, each with its output. Blocks whose commands are all ``evolore``, or
  ``python`` with a script of the clone (``../evolore/…``), are run; any other block stays as it is. With ``title="Excerpt"`` behind the language it is run, and its output is left alone.
- A ``python`` block is run; a ``text`` block right behind it is its output.
- A block of another kind with ``title="NAME"`` behind its language is written to the file of that name first.

The blocks of a page share one folder, one store, and the names of their Python. The clock is set and ids are drawn
from a seeded source, so that a page comes out the same each time. Where an id has changed, commands that name the old
one are given the new.
"""

# ruff: noqa: INP001, S311 - a script beside its pages, which sets up the library as a test would

from __future__ import annotations

import io
import math
import os
import random
import re
import runpy
import shlex
import shutil
import sys
import tempfile
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

from typer.testing import CliRunner

from evolore.cli import app
from evolore.jobs.clock import SteppingClock
from evolore.models.use import UseEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SHOWN_HOME = "/home/mika"
START = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)
PLAIN = {"COLUMNS": "120", "TERM": "dumb", "NO_COLOR": "1"}
BLOCK = re.compile(
    r"^(?P<fence>```+)(?P<kind>\w*)(?P<more>[^\n]*)\n(?P<body>.*?)^(?P=fence)\s*?$", re.MULTILINE | re.DOTALL
)
GENERATED = ("docs/cli", "docs/python")  # by other scripts, and nothing to run
NUMBER = re.compile(r"[+-]?\d+\.\d+(?: s\b)?")
PROGRESS = re.compile(r"^\d+ of \d+ documents, .* left; now .*\n", re.MULTILINE)
ID = re.compile(r"\b01[0-9a-z]{24}\b")
TOLERANCE = 0.051
EXCERPT = "Excerpt"
CLONE = "../evolore/"
"""Where the pages have the clone, seen from the reader's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A fenced block of a page.

    Args:
        kind: The language behind the fence.
        body: Its text, with the last newline.
        file: The file it is written to, or empty.
        start: Where its body begins in the page.
        is_output: Whether it is the output of the Python block before it.
        is_excerpt: Whether its output is shown in part, and not compared.
    """

    kind: str
    body: str
    file: str
    start: int
    is_output: bool = False
    is_excerpt: bool = False

    @property
    def commands(self) -> list[str]:
        """Its lines that begin with ``$``, without it."""
        return [line[2:] for line in self.body.splitlines() if line.startswith("$ ")]

    @property
    def is_run(self) -> bool:
        """Whether it is a console block of evolore commands and scripts of the clone alone."""
        commands = self.commands
        return self.kind == "console" and bool(commands) and all(map(is_known, commands))


def is_known(line: str) -> bool:
    """Tell whether a command can be run here."""
    return line.startswith(("evolore ", f"python {CLONE}"))


def blocks(page: str) -> list[Block]:
    """List a page's blocks in order."""
    found: list[Block] = []
    end_of_python = -1
    for match in BLOCK.finditer(page):
        title = match["more"].partition('title="')[2].partition('"')[0]
        block = Block(
            kind=match["kind"],
            body=match["body"],
            file="" if match["kind"] == "console" else title,
            start=match.start("body"),
            is_excerpt=title == EXCERPT,
        )
        between = page[end_of_python : match.start()] if end_of_python >= 0 else "-"
        found.append(replace(block, is_output=block.kind == "text" and not between.strip()))
        end_of_python = match.end() if block.kind == "python" else -1
    return found


@dataclass(slots=True)
class Stage:
    """Where a page's examples run.

    Args:
        home: A folder that pages call ``/home/mika``.
        names: What its Python blocks have defined.
        new_ids: The id that each id of the page has in this run.
    """

    home: Path
    names: dict[str, Any] = field(default_factory=dict[str, Any])
    new_ids: dict[str, str] = field(default_factory=dict[str, str])

    def console(self, body: str) -> str:
        """Run every command of a block, and give the block with its output."""
        parts = [part for part in re.split(r"^\$ ", body, flags=re.MULTILINE) if part.strip()]
        return "\n".join(self._renewed(part) for part in parts)

    def _renewed(self, part: str) -> str:
        line, _, shown = part.partition("\n")
        line = ID.sub(lambda found: self.new_ids.get(found[0], found[0]), line)
        printed = self.command(line)
        before, now = ID.findall(shown), ID.findall(printed)
        if len(before) == len(now):
            self.new_ids |= dict(zip(before, now, strict=True))
        return f"$ {line}\n{printed}"

    def command(self, line: str) -> str:
        """Run one command and give what it prints, ended by a newline where it prints anything."""
        words = shlex.split(line)
        if words[0] == "python":
            return self.script(ROOT / words[1].removeprefix(CLONE), words[2:])
        result = CliRunner().invoke(app, words[1:], prog_name="evolore", env=PLAIN)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if words[1] == "evaluate" and result.exit_code:  # its output is too long to be shown, so no page would differ
            raise RuntimeError(f"{line}: {result.output}")
        return self.shown(result.output)

    def script(self, path: Path, arguments: list[str]) -> str:
        """Run a script of the clone and give what it prints."""
        printed = io.StringIO()
        with redirect_stdout(printed), mock.patch.object(sys, "argv", [str(path), *arguments]):
            runpy.run_path(str(path), run_name="__main__")
        return self.shown(printed.getvalue())

    def python(self, body: str) -> str:
        """Run a Python block and give what it prints."""
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(body, "a page's example", "exec"), self.names)  # noqa: S102 - our own pages
        return self.shown(printed.getvalue())

    def shown(self, output: str) -> str:
        """Give output as pages show it."""
        lines = [line.rstrip() for line in output.replace(str(self.home), SHOWN_HOME).splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return "".join(f"{line}\n" for line in lines)


def run(page: str, embedder: UseEmbedder) -> Iterator[tuple[Block, str]]:
    """Run a page's examples, and give each block that shows output with the output it should show."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        shutil.copytree(ROOT / "demo", home / "demo")
        stage = Stage(home)
        settings = {"EVOLORE_STORE": str(home / "team.evolore"), "EVOLORE_CONFIG": "", "XDG_CONFIG_HOME": str(home)}
        drawn = random.Random(page.partition("\n")[0])
        with (
            chdir(home),
            mock.patch.dict(os.environ, settings),
            mock.patch("evolore.models.use.UseEmbedder._load", return_value=embedder._load()),  # noqa: SLF001 - one for all
            mock.patch("evolore.store.events.secrets.randbits", drawn.getrandbits),
            mock.patch("evolore.jobs.clock.SystemClock", clock_setter()),
        ):
            printed = ""
            for block in blocks(page):
                if block.file:
                    (home / block.file).parent.mkdir(parents=True, exist_ok=True)
                    (home / block.file).write_text(block.body, encoding="utf-8")
                elif block.is_output:
                    yield block, printed
                elif block.kind == "python":
                    printed = stage.python(block.body)
                elif block.is_run:
                    printed = stage.console(block.body)
                    if not block.is_excerpt:
                        yield block, printed


def clock_setter() -> mock.Mock:
    """Give what stands in for the machine's clock: one clock, a second on each time it is read."""
    clock = SteppingClock(START, step=timedelta(seconds=1))
    return mock.Mock(return_value=clock)


def is_same(shown: str, printed: str) -> bool:
    """Tell whether two outputs are the same, but for measured seconds, how far a slow run has come, and last digits of scores."""
    shown, printed = (PROGRESS.sub("", one) for one in (shown, printed))
    if NUMBER.split(shown) != NUMBER.split(printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(
        (one.endswith("s") and other.endswith("s"))
        or math.isclose(float(one.removesuffix(" s")), float(other.removesuffix(" s")), abs_tol=TOLERANCE)
        for one, other in pairs
    )


def renewed(page: str, embedder: UseEmbedder) -> str:
    """Give the page with the output of its examples."""
    for block, printed in reversed(list(run(page, embedder))):
        if not is_same(block.body, printed):
            page = page[: block.start] + printed + page[block.start + len(block.body) :]
    return page


def pages() -> list[Path]:
    """List the pages with examples."""
    written = [path for path in DOCS.rglob("*.md") if not is_generated(path.relative_to(ROOT).as_posix())]
    return [ROOT / "README.md", *sorted(written)]


def is_generated(name: str) -> bool:
    """Tell whether another script writes a page, by its path from the root."""
    return name.startswith(GENERATED)


if __name__ == "__main__":
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    shared = UseEmbedder()
    for path in chosen:
        path.write_text(renewed(path.read_text(encoding="utf-8"), shared), encoding="utf-8")
