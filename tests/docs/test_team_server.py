"""The requests of the tutorial about a server for a team, sent to a server that runs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from docs.scripts import Examples

PAGE = "docs/team-server.md"
STATUSES = [201, 201, 403, 201, 201]


class Team:
    """A store, a server on it, and who has a key.

    Args:
        folder: Where the page's file is.
        api: Where the server's API is.
        keys: The keys, by the page's names for them.
    """

    def __init__(self, folder: Path, api: str, keys: dict[str, str]) -> None:
        self._folder = folder
        self._known = {"API": api} | {name: f"Authorization: Bearer {key}" for name, key in keys.items()}

    def send(self, line: str) -> tuple[int, str]:
        """Run a line of the page that calls curl; give the status and the reply."""
        for name, value in self._known.items():
            line = line.replace(f"${name}", value)
        words = [*shlex.split(line, comments=True), "-s", "-w", "\n%{http_code}"]
        done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60, cwd=self._folder)
        reply, _, status = done.stdout.rpartition("\n")
        return int(status), reply


@pytest.fixture
def team(tmp_path: Path, pages: dict[str, str], examples: Examples, monkeypatch: pytest.MonkeyPatch) -> Iterator[Team]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "team.evolore"))
    blocks = examples.blocks(pages[PAGE])
    handbook = next(block.body for block in blocks if block.kind == "markdown")
    (tmp_path / "handbook.md").write_text(handbook, encoding="utf-8")
    lines = [line for block in blocks if block.kind == "console" for line in block.commands]
    printed = "".join(CliRunner().invoke(app, shlex.split(line)[1:], catch_exceptions=False).stdout for line in lines)
    ann, ben = re.findall(r"^evo_\S+", printed, re.MULTILINE)
    with subprocess.Popen(
        [sys.executable, "-m", "evolore", "serve", "--port", "0"], stderr=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stderr
            address = re.search(r"http://[\d.:]+", server.stderr.readline())
            assert address
            yield Team(tmp_path, f"{address[0]}/api", {"ANN": ann, "BEN": ben})
        finally:
            server.terminate()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the page's requests are made with curl")
def test_the_requests_of_the_page_are_answered_as_it_says(
    team: Team, pages: dict[str, str], examples: Examples
) -> None:
    lines = [
        line
        for block in examples.blocks(pages[PAGE])
        if block.kind == "sh"
        for line in block.body.splitlines()
        if line.startswith("curl ")
    ]
    statuses: list[int] = []
    answer: dict[str, object] = {}
    for line in lines:
        status, reply = team.send(line.replace("/ID", f"/{answer.get('id')}"))
        statuses.append(status)
        answer = answer or json.loads(reply)
    assert "behind the boiler" in str(answer["text"])
    assert answer["citations"]
    assert statuses == STATUSES
