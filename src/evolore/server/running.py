"""The server as a process: it says where it listens, and stops when asked to."""

from __future__ import annotations

import gc
import json
import logging
import sys
from datetime import UTC, datetime
from threading import Thread

import uvicorn
from fastapi import FastAPI
from uvicorn.config import LOGGING_CONFIG

from evolore.server.house import House
from evolore.server.observation import LogForm

_KEEP_ALIVE_SECONDS = 75
"""Longer than clients and proxies keep a connection: a server that closes first may close what a request is on its way on."""
_STOP_SECONDS = 20
_LOG = logging.getLogger(__name__)


class JsonLines(logging.Formatter):
    """Writes a log record as a line of JSON; of other libraries without its words, which may name people or addresses."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        told = {"level": record.levelname.lower(), "logger": record.name}
        if record.name.partition(".")[0] in {"evolore", "uvicorn"}:
            told["message"] = super().format(record)
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        return json.dumps({"event": "log", **told, "timestamp": at})


def _log_as_json() -> None:
    """Send all that is logged or warned of to standard error as lines of JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    logging.getLogger("evolore").setLevel(logging.INFO)


def _tell(text: str) -> None:
    """Write a line to standard error, in the form of the log."""
    if any(isinstance(one.formatter, JsonLines) for one in logging.getLogger().handlers):
        _LOG.info(text)
    else:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


def run(app: FastAPI, *, host: str, port: int, log: LogForm = LogForm.OFF) -> None:
    """Serve until the process is asked to stop.

    Then nothing is begun any more and what streams ends; requests that are being answered are answered; jobs stop after
    their present step; messages that are being sent are sent; the store is closed last.
    """
    if log is LogForm.JSON:
        _log_as_json()
    if not app.state.house.has_keys():
        _tell("There is no key: only this machine is served, and may do everything. `evolore server key` makes one.")
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None if log is LogForm.JSON else LOGGING_CONFIG,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    Thread(target=_get_ready, args=(app,), daemon=True).start()
    ServingNotice(config, app.state.house).run()


def _get_ready(app: FastAPI) -> None:
    """Describe the API, so that no reader waits for it, and keep what is loaded by now out of every search for garbage."""
    app.openapi()
    gc.collect()
    gc.freeze()


class ServingNotice(uvicorn.Server):
    """Says where it listens, once it does, and has streams end when it is to stop: else it would wait for them."""

    def __init__(self, config: uvicorn.Config, house: House) -> None:
        super().__init__(config)
        self._house = house

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin nothing more, then answer what was asked."""
        self._house.background.stop_soon()
        await super().shutdown(sockets=sockets)  # pyright: ignore[reportArgumentType]

    async def startup(self, sockets: list[object] | None = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin to listen."""
        await super().startup(sockets=sockets)  # pyright: ignore[reportArgumentType]
        for one in self.servers:
            for bound in one.sockets:
                address = bound.getsockname()
                _tell(f"Evolore serves http://{address[0]}:{address[1]}/ (API under /api). Stop it with Ctrl+C.")
                return
