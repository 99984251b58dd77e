"""With ``--log json`` every line on standard error is JSON, whoever wrote it, and names nobody."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from evolore.server.running import JsonLines

if TYPE_CHECKING:
    from pathlib import Path

SERVED = """
import logging, sys, warnings
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolore.server.observation import LogForm
from evolore.server.running import ServingNotice, run

async def startup(self, sockets=None, begun=ServingNotice.startup):
    await begun(self, sockets)
    warnings.warn("somebody@example.com: a library warns")
    logging.getLogger("some.library").warning("failed for somebody@example.com")
    self.should_exit = True

ServingNotice.startup = startup
run(create_app(Memories(sys.argv[1], embedder=HashingEmbedder())), host="127.0.0.1", port=0, log=LogForm.JSON)
"""


def test_every_line_of_a_server_is_json(store_path: Path) -> None:
    command = [sys.executable, "-c", SERVED, str(store_path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert any("Evolore serves http://127.0.0.1:" in str(one.get("message")) for one in lines)
    assert {one["logger"] for one in lines} >= {"py.warnings", "some.library"}
    assert "somebody" not in done.stderr


def test_an_error_of_the_server_is_one_line_with_what_led_to_it() -> None:
    try:
        int("two\nlines")
    except ValueError:
        error = sys.exc_info()
    else:
        raise AssertionError
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "It failed.", None, error)
    line = JsonLines().format(record)
    assert "\n" not in line
    assert "Traceback" in json.loads(line)["message"]
