"""The hook a coding agent starts: hand its input to the warm process, and print what that returns.

It runs as a file, without this package, so that it starts fast. On any trouble it prints nothing and exits with 0.
"""

from __future__ import annotations

import _socket as socket  # what `socket` itself imports takes as long as all the rest
import os
import sys
import time
from zlib import crc32

TIMEOUT_SECONDS = 0.15
"""An agent waits no longer, unless EVOLORE_HOOK_SECONDS says so, or the warm process asks for it by a first byte."""
PATIENCE_SECONDS = 5.0
"""Bound on a correction in seconds, after which the hook stops waiting for its report."""
_MOST_BYTES = 8_000_000
_MOST_SPOOLED = 200
_LONGEST_FOLDER = 75
"""A socket's whole path has at most 107 bytes."""


def runtime_folder() -> str:
    """Return the folder of sockets, which is the user's alone."""
    given = os.environ.get("XDG_RUNTIME_DIR") or ""
    if len(given) <= _LONGEST_FOLDER and os.path.isdir(given):  # noqa: PTH112 - importing pathlib takes as long as all the rest
        return f"{given}/evolore"
    return f"{os.environ.get('TMPDIR') or '/tmp'}/evolore-{os.getuid()}"  # noqa: S108 - its owner and mode are checked


def socket_of(store: str) -> str:
    """Return the socket of the process that serves a store; the default store has an empty name."""
    return f"{runtime_folder()}/agent-{crc32(store.encode()):08x}.sock"


def is_private(path: str) -> bool:
    """Return whether a file is the user's own, no link, and closed to all others."""
    found = os.lstat(path)  # a link's own mode is open to all
    return found.st_uid == os.getuid() and not found.st_mode & 0o077


def main(agent: str, store: str) -> None:
    """Do what the agent waits for.

    Args:
        agent: Which agent.
        store: The store, empty for the one that the agent's environment names, or the default one.
    """
    named = store or os.environ.get("EVOLORE_STORE") or ""
    store = os.path.abspath(named) if named and "://" not in named else named  # noqa: PTH100 - likewise
    until = time.monotonic() + float(os.environ.get("EVOLORE_HOOK_SECONDS") or TIMEOUT_SECONDS)
    message = agent.encode() + b"\n" + sys.stdin.buffer.read(_MOST_BYTES)
    path = socket_of(store)
    try:
        if not (is_private(os.path.dirname(path)) and is_private(path)):  # noqa: PTH120 - likewise
            return
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        link.settimeout(max(0.001, until - time.monotonic()))
        link.connect(path)
        link.sendall(message)
        link.shutdown(socket.SHUT_WR)
    except OSError as error:
        _spool(path, message)
        if isinstance(error, (FileNotFoundError, ConnectionRefusedError)):  # else it runs, and is busy
            _start(store)
        return
    sys.stdout.write(_answer(link, until).strip().decode())
    sys.stdout.flush()


def _answer(link: socket.socket, until: float) -> bytes:
    answer = b""
    while True:
        link.settimeout(max(0.001, until - time.monotonic()))
        part = link.recv(65536)
        if not part:
            return answer
        until += PATIENCE_SECONDS if not answer else 0
        answer += part


def _spool(path: str, message: bytes) -> None:
    """Keep an event for the process, which is about to start or busy."""
    folder = os.path.dirname(path)  # noqa: PTH120 - likewise
    os.makedirs(folder, 0o700, exist_ok=True)  # noqa: PTH103 - likewise
    kept = f"{path}.waiting"
    os.makedirs(kept, 0o700, exist_ok=True)  # noqa: PTH103 - likewise
    if is_private(folder) and is_private(kept) and len(os.listdir(kept)) < _MOST_SPOOLED:  # noqa: PTH208 - likewise
        name = f"{kept}/{time.time_ns():020d}-{os.getpid()}"
        with os.fdopen(os.open(f"{name}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as made:
            made.write(message)
        os.rename(f"{name}.part", name)  # noqa: PTH104 - likewise


def _start(store: str) -> None:
    import subprocess  # noqa: PLC0415 - only a cold start pays for it

    where = ["--store", store] if store else []
    subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", "evolore", "agent", "serve", *where],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


if __name__ == "__main__":
    try:
        main(sys.argv[1], "".join(sys.argv[2:3]))
    finally:  # nothing may fail the agent
        os._exit(0)
