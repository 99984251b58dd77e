"""A process that reads one file at a time for this one, each in a fork of its own that is bounded and then gone.

Starting Python and importing a parser takes 0.1 to 0.3 s, a fork some milliseconds. The process that is kept never sees a
file: its forks do, so that none learns of another, and what breaks one breaks no more. It ends when its end of the socket
closes, also where its parent was killed. It needs POSIX.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from threading import Lock
from typing import Any, BinaryIO, Final, TypeAlias

_BEGIN: Final = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from evolore.sources import confinement; confinement.serve()"
_SIZE: Final = 8  # bytes
_STATUS: Final = 16
_CHUNK: Final = 1 << 20
Task: TypeAlias = list[Any]
_Reader: TypeAlias = Callable[[Task, BinaryIO], bytes]
_MOST_KEPT: Final = 2


class ReaderProcess:
    """The process that forks a reader for each file."""

    def __init__(self) -> None:
        mine, its = socket.socketpair()
        self._socket = mine
        with closing(its):
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter, on our own code
                # Isolated: neither the environment nor the current folder says what is imported; the same modules as here.
                [sys.executable, "-I", "-c", _BEGIN, json.dumps([one for one in sys.path if one])],
                stdin=its.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self.owner = os.getpid()
        self.pid = self._process.pid
        atexit.register(self.end)

    def ask(self, task: Task, data: bytes, *, seconds: float) -> bytes | int | None:
        """Return what a reader answers, else the signal that ended it, 0 for none, or None where it took too long."""
        with ExitStack() as open_files:
            file = open_files.enter_context(tempfile.TemporaryFile())
            file.write(data)
            file.flush()
            read_end, write_end = os.pipe()
            open_files.callback(os.close, read_end)
            try:
                stated = json.dumps(task).encode()
                # A socket may hand over what comes with files in two halves, where it is more than a page.
                socket.send_fds(self._socket, [len(stated).to_bytes(_SIZE)], [file.fileno(), write_end])
                self._socket.sendall(stated)
            finally:
                os.close(write_end)
            answer = _read_until(read_end, time.monotonic() + seconds)
            if answer is None:
                return None
            status = self._socket.recv(_STATUS)
        if not status:
            raise BrokenPipeError
        return answer or (os.WTERMSIG(int(status)) if os.WIFSIGNALED(int(status)) else 0)

    def end(self) -> None:
        """End it, and the reader that is at work; in a fork of its parent, nothing is done."""
        if self.owner != os.getpid():
            return
        atexit.unregister(self.end)
        self._socket.close()
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()


def _read_until(source: int, deadline: float) -> bytes | None:
    """Return what comes until the other end closes; None where that takes too long."""
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([source], [], [], max(deadline - time.monotonic(), 0))
        if not ready:
            return None
        part = os.read(source, _CHUNK)
        if not part:
            return b"".join(parts)
        parts.append(part)


idle: list[ReaderProcess] = []
"""Processes that wait for a file."""

_lock = Lock()


def ask(task: Task, data: bytes, *, seconds: float) -> bytes | int | None:
    """Ask a process that is idle or a new one, and return what ``ReaderProcess.ask`` does."""
    with _lock:
        process = idle.pop() if idle and idle[-1].owner == os.getpid() else None
    asked = process or ReaderProcess()
    try:
        answer = asked.ask(task, data, seconds=seconds)
    except ConnectionError:  # it was killed while it was idle
        asked.end()
        if process is None:
            raise
        return ask(task, data, seconds=seconds)
    except BaseException:  # the caller was interrupted
        asked.end()
        raise
    with _lock:
        is_kept = isinstance(answer, bytes) and len(idle) < _MOST_KEPT
        if is_kept:
            idle.append(asked)
    if not is_kept:
        asked.end()
    return answer


def serve(prepare: Callable[[Task], None], read: _Reader) -> None:
    """Fork a reader for each task on standard input, until that ends; ``prepare`` imports what the task needs before."""
    with socket.socket(fileno=os.dup(0)) as asks:
        while True:
            size, files, _, _ = socket.recv_fds(asks, _SIZE, 2)
            if not size:
                return
            task: Task = json.loads(asks.recv(int.from_bytes(size), socket.MSG_WAITALL))
            prepare(task)
            reader = os.fork()
            if not reader:
                asks.close()
                _answer(task, files[0], files[1], read)
            for one in files:
                os.close(one)
            _, status = os.waitpid(reader, 0)
            asks.send(str(status).encode())


def _answer(task: Task, file: int, answer: int, read: _Reader) -> None:
    """Read a file, and end."""
    try:
        os.lseek(file, 0, os.SEEK_SET)
        with os.fdopen(file, "rb") as source, os.fdopen(answer, "wb") as target:
            target.write(read(task, source))
    except BaseException:  # noqa: BLE001 - a fork must never go on as if it were the process that is kept
        os._exit(1)
    os._exit(0)
