"""A Citus cluster of three servers on this machine, as `test_cluster.py` needs it.

``PYTHONPATH=tests python -m cluster.nodes FOLDER`` starts a coordinator and two workers from the programs in FOLDER (``initdb``,
``postgres``), where PostgreSQL has Citus and pgvector; it prints the coordinator's address, and stops them when it is stopped.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import psycopg

from postgres_server import PostgresServer, server_user

if TYPE_CHECKING:
    from collections.abc import Generator

_HOST = "127.0.0.1"
_OPTIONS = (
    f"listen_addresses={_HOST}",
    "shared_preload_libraries=citus",
    "wal_level=logical",  # moving a schema copies it while it is written
    "max_prepared_transactions=300",
)


@contextmanager
def cluster(programs: Path) -> Generator[str]:
    """Run a coordinator and two workers for the length of a block, and yield the coordinator's address."""
    folder = Path(mkdtemp(prefix="evolore-citus-"))
    folder.chmod(0o755)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        ports = [_node(stack, programs, folder / f"node{number}") for number in range(3)]
        address = f"postgresql://evolore@{_HOST}:{ports[0]}/postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("select citus_set_coordinator_host(%s, %s)", (_HOST, ports[0]))
            for port in ports[1:]:
                connection.execute("select citus_add_node(%s, %s)", (_HOST, port))
        yield address


def _node(stack: ExitStack, programs: Path, folder: Path) -> int:
    """Start one server and return its port."""
    folder.mkdir()
    if (user := server_user()) is not None:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    with socket.create_server((_HOST, 0)) as free:
        port: int = free.getsockname()[1]
    server = PostgresServer(folder, programs=programs, port=port, options=_OPTIONS)
    server.start()
    stack.callback(_stop, folder / "data" / "postmaster.pid")
    with psycopg.connect(f"postgresql://evolore@{_HOST}:{port}/postgres", autocommit=True) as connection:
        connection.execute("create extension vector")
        connection.execute("create extension citus")
    return port


def _stop(noted: Path) -> None:
    """Stop whichever process is the server now: a test may have killed it and started it again."""
    os.kill(int(noted.read_text().split()[0]), signal.SIGQUIT)
    while noted.exists():
        time.sleep(0.05)


if __name__ == "__main__":
    with cluster(Path(sys.argv[1])) as started:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        sys.stdout.write(f"EVOLORE_TEST_CITUS={started}\n")
        sys.stdout.flush()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who kills one may start it again: its number is free at once
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
