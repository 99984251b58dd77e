"""A server on this machine that takes webhooks, and keeps what it got."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator


@dataclass
class Received:
    """What came, and what is answered: to a POST a status, to a GET a page of a path."""

    address: str = ""
    statuses: list[int] = field(default_factory=list[int])
    posts: list[tuple[dict[str, str], bytes]] = field(default_factory=list[tuple[dict[str, str], bytes]])
    hold: Event | None = None
    pages: dict[str, tuple[int, dict[str, str], bytes]] = field(
        default_factory=dict[str, tuple[int, dict[str, str], bytes]]
    )
    gets: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def told(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.posts]


@contextmanager
def receiver() -> Generator[Received]:
    """Listen on a free port."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.posts.append((dict(self.headers.items()), body))
            if received.hold is not None:
                received.hold.wait(30)
            self.send_response(received.statuses.pop(0) if received.statuses else 200)
            self.send_header("Content-Length", "0")
            self.send_header("Location", "/elsewhere")
            self.end_headers()

        def do_GET(self) -> None:
            received.gets.append((self.headers["Host"], self.path))
            status, headers, body = received.pages.get(self.path.partition("?")[0], (404, {}, b""))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    received.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield received
    finally:
        if received.hold is not None:
            received.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
