"""The server as a process: it says where it listens, and stops when asked to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import uvicorn

from evolore.server.house import House

if TYPE_CHECKING:
    from fastapi import FastAPI

_KEEP_ALIVE_SECONDS = 75
"""Longer than clients and proxies keep a connection: a server that closes first may close what a request is on its way on."""
_STOP_SECONDS = 20


def run(app: FastAPI, *, host: str, port: int) -> None:
    """Serve until the process is asked to stop.

    Then nothing is begun any more and what streams ends; requests that are being answered are answered; jobs stop after
    their present step; messages that are being sent are sent; the store is closed last.
    """
    if not app.state.house.has_keys():
        sys.stderr.write(
            "There is no key: only this machine is served, and may do everything. `evolore server key` makes one.\n"
        )
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
    )
    ServingNotice(config, app.state.house).run()


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
                sys.stderr.write(
                    f"Evolore serves http://{address[0]}:{address[1]}/ (API under /api). Stop it with Ctrl+C.\n"
                )
                sys.stderr.flush()
                return
