"""Stores on a Citus cluster: each is a schema, and lies whole on one node.

``EVOLORE_TEST_CITUS=postgresql://…`` names the coordinator, as a user who may do all; ``cluster.nodes`` starts one. The
tests that kill a worker need it to run on this machine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue, StoreBusy, TryAgain
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.store.tables import payloads
from store.on_postgres import APP, grant, make_role

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

ADDRESS = "EVOLORE_TEST_CITUS"
_BACK_SECONDS = 60.0
_STORES = count()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A coordinator, and the stores that a test made there."""

    address: str
    owner: psycopg.Connection[tuple[Any, ...]]

    def store(self) -> str:
        """Return the address of a store that is not there yet."""
        return f"{self.address}?schema=evolore_test_{os.getpid()}_{next(_STORES)}"

    def node_of(self, store: str) -> tuple[str, int]:
        """Return the host and the port of the node that holds a store, which must be one."""
        asked = "select distinct nodename, nodeport::int from citus_shards where table_name::text like %s"
        ((host, port),) = self.owner.execute(asked, (f"{schema_of(store)}.%",)).fetchall()
        return host, port

    def other_node(self, store: str) -> tuple[str, int]:
        """Return a worker that does not hold a store."""
        nodes = self.owner.execute("select node_name, node_port::int from citus_get_active_worker_nodes()").fetchall()
        return next((host, port) for host, port in nodes if (host, port) != self.node_of(store))

    def on(self, node: tuple[str, int]) -> psycopg.Connection[tuple[Any, ...]]:
        """Connect to a node itself."""
        return psycopg.connect(self.address, host=node[0], port=node[1], autocommit=True)


def schema_of(store: str) -> str:
    return store.rpartition("schema=")[2]


def opened(store: str, namespace: str = "team") -> Memory:
    return Memory.open(store, namespace=namespace, embedder=HashingEmbedder())


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    if ADDRESS not in os.environ:
        pytest.skip(f"needs a Citus cluster: {ADDRESS}=postgresql://… names its coordinator")
    address = os.environ[ADDRESS]
    with psycopg.connect(address, autocommit=True) as owner:
        yield Cluster(address, owner)
        made = owner.execute("select nspname from pg_namespace where nspname like 'evolore_test_%'").fetchall()
        for (schema,) in made:
            owner.execute(f"drop schema if exists {schema} cascade".encode())


def test_every_verb_works_in_stores_on_several_nodes(cluster: Cluster, tmp_path: Path) -> None:
    stores = [cluster.store() for _ in range(3)]
    for store in stores:
        with opened(store) as memory:
            wrong = memory.remember("The key lies under the mat.")
            memory.remember("We moved to Postgres 18.")
            backup = "# Backup\n\nThe backup runs at 02:00.\n"
            memory.add(SourceText(source="backup.md", text=backup, media_type=MediaType.MARKDOWN))
            found = memory.recall("which Postgres do we use?")
            assert found.hits[0].text == "We moved to Postgres 18."
            assert memory.answer("when does the backup run?").text.startswith("The backup runs at 02:00.")
            assert memory.forget(wrong.id).lingering_in == ()
            assert memory.store.verify().is_whole
            assert memory.store.doctor(repair=True).is_whole
            assert memory.maintain().lingering_in == ()
            assert memory.stats().statements == 1
            memory.store.export(tmp_path / f"{schema_of(store)}.jsonl")
    assert len({cluster.node_of(store) for store in stores}) > 1


def test_a_store_is_copied_to_a_node_and_back_with_every_row(cluster: Cluster, tmp_path: Path) -> None:
    store = cluster.store()
    with Memory.open(tmp_path / "a", namespace="team", embedder=HashingEmbedder()) as memory:
        for number in range(40):
            memory.remember(f"Line {number} lies in drawer {number}.")
        there = memory.store.copy(store)
    with opened(store) as memory:
        assert memory.stats().statements == 40
        back = memory.store.copy(tmp_path / "b")
    with opened(store, "new") as memory:
        memory.remember("Its number comes behind those that were copied.")
    assert (there.rows, there.sha256) == (back.rows, back.sha256)
    assert there.bytes > 1_000_000  # of the node, where the coordinator's own tables are empty


def test_a_role_sees_its_namespace_alone(cluster: Cluster) -> None:
    store = cluster.store()
    for name in ("mine", "theirs"):
        with opened(store, name) as memory:
            memory.remember(f"The code is {name}.")
    make_role(cluster.address)
    grant(cluster.owner, schema_of(store))
    with opened(store.replace("evolore@", f"{APP}@"), "mine") as memory:
        memory.remember("The code is 5678 now.")
        database = memory._context.store._open.database()  # around our own filter
        with database.reading("mine") as connection:
            assert len(connection.scalars(payloads.select().with_only_columns(payloads.c.text)).all()) == 2
        with database.reading() as connection:
            assert connection.scalars(payloads.select().with_only_columns(payloads.c.text)).all() == []
    with opened(store.replace("evolore@", f"{APP}@"), "new") as memory:
        memory.remember("A namespace of its own.")
        (own,) = memory.list().statements
        assert memory.forget(own.id).lingering_in == ()


@pytest.mark.usefixtures("no_patience")
def test_a_row_that_an_older_snapshot_on_the_node_may_see_is_said_to_linger(cluster: Cluster) -> None:
    store = cluster.store()
    with opened(store) as memory:
        secret = memory.remember("The word is hippopotamus.")
        with cluster.on(cluster.node_of(store)) as other:
            other.autocommit = False
            other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            other.execute("select 1")
            (left,) = memory.forget(secret.id).lingering_in
            assert f"{schema_of(store)}.payloads" in left
            assert "may not clean" not in left
        assert memory.maintain().lingering_in == ()


def test_while_a_worker_is_down_its_stores_say_so_and_the_others_serve(cluster: Cluster) -> None:
    first, second = cluster.store(), cluster.store()
    with opened(first) as lost, opened(second) as kept:
        lost.remember("It was acknowledged.")
        kept.remember("It serves.")
        assert cluster.node_of(first) != cluster.node_of(second)
        with killed(cluster, cluster.node_of(first)):
            for _ in range(2):
                with pytest.raises(TryAgain) as told:
                    lost.remember("Nobody hears this.")
                assert "does not answer" in str(told.value)
                with pytest.raises(TryAgain):
                    lost.recall("what was acknowledged?")
            kept.remember("It goes on.")
            assert len(kept.recall("what serves and goes on?").hits) == 2
        last = time.monotonic() + _BACK_SECONDS
        while time.monotonic() < last:
            try:
                lost.remember("It is back.")
                break
            except TryAgain:
                time.sleep(0.2)
        assert {one.text for one in lost.list().statements} == {"It was acknowledged.", "It is back."}
        assert lost.store.verify().is_whole


@contextmanager
def killed(cluster: Cluster, node: tuple[str, int]) -> Generator[None]:
    """Kill a node's server for the length of a block, and start it again as it was."""
    with cluster.on(node) as connection:
        (told,) = connection.execute("select pg_read_file('postmaster.pid')").fetchone() or ("",)
    pid, folder = told.splitlines()[:2]
    process = Path("/proc", pid)
    if not process.is_dir() or process.joinpath("cwd").resolve() != Path(folder).resolve():
        pytest.skip("needs a worker that runs on this machine")
    program, owner = process.joinpath("exe").resolve(), Path(folder).stat()
    os.kill(int(pid), signal.SIGKILL)
    time.sleep(1.0)  # its children notice, and end
    try:
        yield
    finally:
        restart = [program.with_name("pg_ctl"), "restart", "--wait", "-D", folder, "-l", os.devnull]  # with its options
        last = time.monotonic() + _BACK_SECONDS
        while subprocess.call(
            restart, user=owner.st_uid, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ):
            assert time.monotonic() < last
            time.sleep(1.0)  # a child that goes on holds the memory


def test_a_store_that_is_moved_to_another_node_is_whole(cluster: Cluster, tmp_path: Path) -> None:
    store = cluster.store()
    with opened(store) as memory:
        for number in range(20):
            memory.remember(f"Line {number} lies in drawer {number}.")
        before = memory.store.copy(tmp_path / "before")
        host, port = cluster.other_node(store)
        cluster.owner.execute("select citus_schema_move(%s, %s, %s)", (schema_of(store), host, port))
        assert cluster.node_of(store) == (host, port)
        after = memory.store.copy(tmp_path / "after")
        assert (before.rows, before.sha256) == (after.rows, after.sha256)
        memory.remember("It goes on.")
        assert memory.store.verify().is_whole
        assert memory.store.doctor().is_whole


def test_what_twelve_writers_write_is_there(cluster: Cluster) -> None:
    store = cluster.store()
    with opened(store) as memory:
        memory.remember("It is made.")

    def write(writer: int) -> None:
        with opened(store, f"writer{writer % 4}") as memory:
            for number in range(8):
                memory.remember(f"Line {number} of writer {writer}.")

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(write, range(12)))
    found: set[str] = set()
    for name in range(4):
        with opened(store, f"writer{name}") as memory:
            found |= {one.text for one in memory.list(limit=1000).statements}
            assert memory.store.verify().is_whole
    assert len(found) == 96


def test_a_store_with_shards_is_spread_over_the_nodes_and_namespaces_are_moved_between_them(
    cluster: Cluster, tmp_path: Path
) -> None:
    store = f"{cluster.store()}&shards=4"
    names = [f"team{number}" for number in range(4)]
    with opened(store) as memory:
        made = memory.store.shards(make=True)
        assert len({one.node for one in made} - {None}) > 1
        nodes = {one.schema: one.node for one in made}
    for name in names:
        with opened(store, name) as memory:
            memory.remember_many(
                Statement(text=f"Line {number} of {name} lies in drawer {number}.") for number in range(40)
            )
    stopped = threading.Event()

    def write(writer: int) -> set[str]:
        written: set[str] = set()
        with opened(store, names[writer % 4]) as memory:
            while len(written) < 8:
                text = f"Line {len(written)} of writer {writer}."
                with suppress(StoreBusy):  # a deadlock was ended; nothing of it was kept
                    memory.remember(text)
                    written.add(text)
        return written

    def move() -> set[tuple[str | None, str | None]]:
        ways: set[tuple[str | None, str | None]] = set()
        while not stopped.is_set():
            for name, to in product(names, list(nodes)[1:]):
                with opened(store, name) as memory, suppress(StoreBusy, InvalidValue):
                    done = memory.store.move_namespace(name, to=to)
                    ways.add((nodes[done.source], nodes[done.target]))
        return ways

    with ThreadPoolExecutor(13) as pool:
        moving = pool.submit(move)
        try:
            written = list(pool.map(write, range(12)))
        finally:
            stopped.set()
        assert any(source != target for source, target in moving.result())  # from node to node
    for place, name in enumerate(names):
        with opened(store, name) as memory:
            found = {one.text for one in memory.list(limit=1000).statements}
            assert len(found) == 40 + 24
            assert found > set().union(*written[place::4])
            assert "drawer 7" in memory.recall("which line lies in drawer 7?", limit=3).hits[0].text
            assert memory.store.verify().is_whole
            memory.store.export(tmp_path / f"{name}.jsonl")
    with opened(store) as memory:
        assert memory.store.doctor(repair=True).namespaces == tuple(names)
        assert sum(one.namespaces for one in memory.store.shards()) == 4
    first = schema_of(store).partition("&")[0]
    host, port = cluster.other_node(f"schema={first}_00")
    cluster.owner.execute("select citus_schema_move(%s, %s, %s)", (f"{first}_00", host, port))
    with opened(store) as memory:
        assert {one.node for one in memory.store.shards() if one.schema == f"{first}_00"} == {f"{host}:{port}"}
        assert memory.store.verify(all_namespaces=True).is_whole
