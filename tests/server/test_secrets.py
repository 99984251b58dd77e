"""A secret that is given to the server shows nowhere: no log, event, export, exception, ``repr``, page or reply."""

from __future__ import annotations

import json
import logging
import re
import traceback
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.config import Settings
from evolore.errors import EvoloreError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.keys import Scope
from evolore.server.memories import Memories
from evolore.server.reach import Reach
from evolore.store.service import ApiKey, Receiver
from server.serving import ADDRESS, Served

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

CHAT_KEY = "sk-canary-9f2c71d0e8b54a63-chat"
HOOK_SECRET = "canary-4d1b7720c9aa4c1f-hook"
PAGES = tuple(
    f"/admin{path}"
    for path in (
        "", "/documents", "/evolution", "/effects", "/review", "/running", "/running/notifications", "/running/schedules",
        "/keys", "/audit", "/ask?question=office", "/graph",
    )
)  # fmt: skip
HOOK_TOKEN = "canary0e6f52b81d774c39token"
PASSWORD = "canary-83c15de20fb9-password"


@contextmanager
def tattling() -> Generator[str]:
    """Serve a chat model and a webhook that tell in their errors whatever they were sent, headers first."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            told = json.dumps({"error": {"message": f"no: {dict(self.headers.items())}"}}).encode()
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Seen:
    """All that somebody was shown, and by what."""

    def __init__(self) -> None:
        self.shown: list[tuple[str, str]] = []
        self.secrets = {CHAT_KEY, HOOK_SECRET, HOOK_TOKEN, PASSWORD}

    def note(self, where: str, what: object) -> None:
        self.shown.append((where, str(what)))

    def leaks(self) -> list[str]:
        """Say where a secret stands, or sixteen signs of one in a row: lists of keys show the first twelve."""
        parts = {secret[at : at + 16] for secret in self.secrets for at in range(len(secret) - 15)}
        return [f"{where}: {part}" for where, what in self.shown for part in parts if part in what]


@pytest.fixture
def away(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with tattling() as address:
        monkeypatch.setenv("EVOLORE_CANARY_KEY", CHAT_KEY)
        monkeypatch.setenv("EVOLORE_CHAT__MODEL", "gpt-canary")
        monkeypatch.setenv("EVOLORE_CHAT__BASE_URL", f"{address}/v1")
        monkeypatch.setenv("EVOLORE_CHAT__API_KEY_ENV", "EVOLORE_CANARY_KEY")
        yield address


@pytest.fixture
def served(away: str, tmp_path: Path) -> Iterator[Served]:
    del away
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder()), reach=Reach(private_webhooks=True))
    with TestClient(app, base_url=ADDRESS) as http:
        yield Served(app=app, http=http)


def act(served: Served, seen: Seen, away: str) -> None:
    """Use every secret, each in a way that goes wrong somewhere."""
    header, _ = served.key(Scope.ADMIN, Scope.WRITE, Scope.READ)
    seen.secrets.add(header["Authorization"].removeprefix("Bearer "))
    http = served.http

    def ask(method: str, path: str, **more: object) -> str:
        came = http.request(method, path, headers=header, **more)  # pyright: ignore[reportArgumentType]
        seen.note(f"{method} {path}", f"{came.headers} {came.text}")
        return came.text

    ask("POST", "/api/statements", json={"statements": [{"text": "The office is in Berlin."}]})
    answer = json.loads(ask("POST", "/api/answers", json={"question": "Where is the office?"}))
    assert answer["reason"], "the chat model was asked, and refused"
    hook = {"kind": "webhook", "address": f"{away}/in/{HOOK_TOKEN}?token={HOOK_TOKEN}", "secret": HOOK_SECRET}
    made = json.loads(ask("POST", "/api/notifications/targets", json=hook))
    ask("POST", f"/api/notifications/targets/{made['id']}/test")
    wrong = {"kind": "webhook", "address": f"https://eve:{PASSWORD}@hooks.example/in", "secret": HOOK_SECRET}
    ask("POST", "/api/notifications/targets", json=wrong)
    ask("POST", "/api/notifications/targets", json={**hook, "secret": HOOK_SECRET[:12]})
    ask("GET", f"/api/documents?api_key={'x' * 8}")
    for bad in (header["Authorization"] + "x", f"Basic {PASSWORD}", "Bearer"):
        came = http.get("/api/documents", headers={"Authorization": bad})
        seen.note("GET with a wrong key", f"{came.headers} {came.text}")
    for operation, path, _ in served.operations():
        if operation == "GET" and "{" not in path and "stream" not in path:
            ask("GET", path)
    mark = re.search(r'name="form_mark" value="([^"]+)"', ask("GET", "/admin/login"))
    assert mark is not None
    fields = {"key": header["Authorization"].removeprefix("Bearer "), "form_mark": mark[1]}
    came = http.post("/admin/login", data=fields)
    seen.note("POST /admin/login", f"{came.text} {[one.headers for one in (came, *came.history)]}")
    for path in PAGES:
        came = http.get(path)
        assert came.status_code == HTTPStatus.OK, path
        seen.note(f"GET {path}", f"{came.headers} {came.text}")


def keep(served: Served, seen: Seen, folder: Path) -> None:
    """Look at what is kept, given away and written of objects."""
    with Memory.open(folder / "store", embedder=HashingEmbedder()) as memory:
        memory.store.export(folder / "out.jsonl")
        memory.store.backup(folder / "backup")
        seen.note("export", (folder / "out.jsonl").read_bytes())
        seen.note("repr of a memory", repr(memory))
        with memory._context.store.read(memory.namespace) as reader:
            seen.note("events", [reader.history(one.id) for one in memory.list().statements])
    for one in served.house.service.find(Receiver):
        seen.note("repr of a target", repr(one))
    for one in served.house.service.find(ApiKey):
        seen.note("repr of a key", repr(one))
    seen.note("repr of settings", f"{Settings()!r} {Settings()} {Settings().model_dump_json()}")
    seen.note("repr of the server", f"{served.house!r} {vars(served.app.state)!r}")


def ask_alone(store: Path) -> None:
    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        memory.remember("The office is in Berlin.")
        memory.answer("Where is the office?")


def refuse(seen: Seen, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Write secrets where none belongs, and look at what is said of it."""
    wrong = {
        "EVOLORE_CHAT__BASE_URL": f"https://eve:{PASSWORD}@models.example/v1",
        "EVOLORE_CHAT__API_KEY_ENV": CHAT_KEY,
        "EVOLORE_CHAT__API_KEY": CHAT_KEY,
        "EVOLORE_CANARY_KEY": f"{CHAT_KEY} {CHAT_KEY}",
    }
    for name, value in wrong.items():
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            with pytest.raises(EvoloreError) as refused:
                ask_alone(folder / name)
            seen.note(f"{name} refused", "".join(traceback.format_exception(refused.value)))


def test_no_secret_shows_anywhere(
    served: Served,
    away: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    seen = Seen()
    with caplog.at_level(logging.DEBUG):
        act(served, seen, away)
        keep(served, seen, tmp_path)
        refuse(seen, monkeypatch, tmp_path)
    seen.note("logs", caplog.text)
    seen.note("standard output and error", capfd.readouterr())
    assert len(seen.shown) > 40
    assert sorted({one[:90] for one in seen.leaks()}) == []


def test_a_key_of_the_server_stands_in_no_file_and_a_secret_of_a_hook_in_no_export(
    served: Served, away: str, tmp_path: Path
) -> None:
    seen = Seen()
    act(served, seen, away)
    keys = seen.secrets - {HOOK_SECRET, HOOK_TOKEN}
    for path in tmp_path.rglob("*"):
        held = path.read_bytes() if path.is_file() else b""
        assert not [key for key in keys if key.encode() in held], path


def test_the_control_finds_a_secret_that_shows() -> None:
    seen = Seen()
    seen.note("a page", f"the key is {CHAT_KEY[3:24]}…")
    assert seen.leaks()
