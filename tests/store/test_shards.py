"""A store that is spread over schemas: placing, finding and moving namespaces, and what the whole store does."""

from __future__ import annotations

import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

import psycopg
import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from evolore.chat.budget import InMemoryChatCache
from evolore.cli import app
from evolore.domain.episode import Statement
from evolore.domain.health import FindingKind
from evolore.errors import (
    EmbedderMismatch,
    EvoloreError,
    InvalidSetting,
    InvalidValue,
    NamespaceNotFound,
    StoreBusy,
    StoreFailed,
    StoreVersionError,
)
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import EmbeddingModel
from evolore.server.app import create_app
from evolore.server.keys import Scope, make_key
from evolore.server.memories import Memories
from evolore.store import database, schema
from evolore.store.database import FaultPoint
from evolore.store.placements import rendezvous
from evolore.store.postgres import PostgresLocation
from evolore.store.service import KeptReply
from once import MAKE_TABLES

from .on_postgres import APP, Tables, an_address, grant, make_role
from .test_postgres import (  # run again here, on the stores of this module
    test_a_document_is_added_read_in_versions_and_forgotten,
    test_what_was_read_is_of_one_moment_and_others_writes_are_seen_at_once,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from evolore.domain.health import MovedNamespace, Shard
    from evolore.store.placements import Placements
    from evolore.store.shards import ShardedStore

__all__ = (
    "test_a_document_is_added_read_in_versions_and_forgotten",
    "test_what_was_read_is_of_one_moment_and_others_writes_are_seen_at_once",
)
_STORES = count()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    tables = Tables(MAKE_TABLES)
    with an_address() as given, pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "make_tables", tables.make)
        yield given


@pytest.fixture(scope="module")
def shared(address: str) -> str:
    """A store that is made, and that tests share which use namespaces of their own."""
    given = f"{address}&schema=shared&shards=3"
    with opened(given) as memory:
        memory.store.shards(make=True)
    return given


@pytest.fixture
def store(shared: str, request: pytest.FixtureRequest) -> str:
    del request
    return shared


@pytest.fixture
def memory(shared: str, request: pytest.FixtureRequest) -> Iterator[Memory]:
    with opened(shared, request.node.name) as memory:
        yield memory


@pytest.fixture
def empty(address: str) -> str:
    return f"{address}&schema=own{next(_STORES)}&shards=2"


def opened(store: str, namespace: str = "default", **options: Any) -> Memory:  # noqa: ANN401 - any of its options
    return Memory.open(store, namespace=namespace, embedder=HashingEmbedder(), **options)


def texts(store: str, namespace: str) -> set[str]:
    with opened(store, namespace) as memory:
        return {one.text for one in memory.list(limit=1000).statements}


def base_of(store: str) -> str:
    return PostgresLocation(store).schema


def rows_in(address: str, store: str, namespace: str) -> dict[str, int]:
    """Count the payloads of a namespace in each schema of a store."""
    with psycopg.connect(address, autocommit=True) as owner:
        asked = (
            "select schemaname from pg_tables where tablename = 'payloads' and starts_with(schemaname, %s) order by 1"
        )
        found: dict[str, int] = {}
        for (name,) in owner.execute(asked, (base_of(store),)).fetchall():
            told = f"select count(*) from {name}.payloads join {name}.namespaces using (ns) where name = %s".encode()
            (rows,) = owner.execute(told, (namespace,)).fetchone() or (0,)
            found |= {name: rows} if rows else {}
        return found


def another(store: str, schema: str) -> str:
    return next(name for name in PostgresLocation(store).schemas if name != schema)


def placements_of(memory: Memory) -> Placements:
    return cast("ShardedStore", memory._context.store)._placements


def moved(memory: Memory) -> MovedNamespace:
    place = placements_of(memory).find(memory.namespace)
    return memory.store.move_namespace(memory.namespace, to=another(str(memory._context.store.where), place))


def counted(shards: tuple[Shard, ...]) -> dict[str, int]:
    return {one.schema: one.namespaces for one in shards}


def test_a_name_is_placed_by_itself_and_more_shards_take_their_share_alone() -> None:
    names = [f"team-{number}" for number in range(2000)]
    three, four = [tuple(f"evolore_{number:02}" for number in range(most)) for most in (3, 4)]
    before = {name: rendezvous(name, three) for name in names}
    assert [before[name] for name in names[:6]] == [
        "evolore_01",
        "evolore_00",
        "evolore_00",
        "evolore_01",
        "evolore_01",
        "evolore_01",
    ]  # of stores that are there
    assert min(Counter(before.values()).values()) > 600
    moving = {name for name in names if rendezvous(name, four) != before[name]}
    assert {rendezvous(name, four) for name in moving} == {"evolore_03"}
    assert 400 < len(moving) < 600


@pytest.mark.parametrize("wrong", ["0", "-1", "many", "1000", "2&shards=3", "", "&schema=a"])
def test_a_number_of_shards_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidSetting, match=r"shards is .* write a whole number from 1 to 999"):
        Memory.open(f"postgresql://evolore@localhost/x?shards={wrong}", embedder=HashingEmbedder())


def test_names_of_schemas_leave_room_for_the_number() -> None:
    assert PostgresLocation(f"postgresql:///x?schema={'a' * 59}&shards=999").schemas[-1] == f"{'a' * 59}_998"
    with pytest.raises(InvalidSetting, match="up to 59 bytes"):
        PostgresLocation(f"postgresql:///x?schema={'a' * 60}&shards=2")


def test_only_an_address_with_shards_is_spread(tmp_path: Path) -> None:
    with Memory.open(tmp_path, embedder=HashingEmbedder()) as memory:
        for act in (memory.store.shards, lambda: memory.store.move_namespace("default", to="evolore_01")):
            with pytest.raises(InvalidSetting, match="is in one place"):
                act()


def test_a_store_is_spread_and_more_shards_added_and_every_namespace_stays_until_it_is_moved(
    address: str, empty: str
) -> None:
    plain, more = empty.replace("&shards=2", ""), empty.replace("shards=2", "shards=3")
    base, two = base_of(empty), PostgresLocation(empty).schemas
    with opened(plain, "old") as memory:
        memory.remember("It was there before.")
    with opened(empty, "old") as memory:
        with pytest.raises(
            InvalidSetting,
            match=r"has shards=none.* says shards=2: write the number.* `evolore store shards --make` with a larger",
        ):
            memory.list()
        assert counted(memory.store.shards(make=True)) == {base: 1, two[0]: 0, two[1]: 0}
        memory.remember("It is there after.")
    names = [f"n{number}" for number in range(4)]
    for name in names:
        with opened(empty, name) as memory:
            memory.remember(f"It is {name}.")
    with opened(more) as memory:
        with pytest.raises(InvalidSetting, match="has shards=2, and the address says shards=3: write the"):
            memory.remember("Lost?")
        made = memory.store.shards(make=True)
        assert [one.schema for one in made] == [base, *two, f"{base}_02"]
        assert all(one.bytes > 500_000 and one.node is None for one in made)
        assert sum(one.namespaces for one in made) == 1 + len(names)
    assert Memory.namespaces(more) == (*names, "old")
    for name in names:
        assert rows_in(address, more, name) == {rendezvous(name, two): 1}
        assert texts(more, name) == {f"It is {name}."}
    assert rows_in(address, more, "old") == {base: 2}
    with opened(more, "old") as memory:
        assert memory.store.move_namespace("old", to=f"{base}_02").source == base
    assert rows_in(address, more, "old") == {f"{base}_02": 2}
    part = plain.replace(f"schema={base}", f"schema={two[0]}")
    for wrong, message in (
        (empty, "has shards=3, and the address says shards=2"),
        (plain, "has shards=3, and the address says shards=none"),
        (part, "has shards=0.* 0 is one schema of a store with shards: open that store"),
    ):
        with opened(wrong) as memory, pytest.raises(InvalidSetting, match=message):
            memory.list()
    with opened(empty) as memory, pytest.raises(InvalidSetting, match="has 3 shards: write shards=3 or more"):
        memory.store.shards(make=True)


def test_a_store_of_an_older_schema_is_upgraded_before_it_is_spread(address: str, empty: str) -> None:
    with opened(empty.replace("&shards=2", "")) as memory:
        memory.remember("It was there before.")
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"update {base_of(empty)}.alembic_version set version_num = '0004'".encode())
    with (
        opened(empty) as memory,
        pytest.raises(StoreVersionError, match=r"has schema 0004.* run `evolore store upgrade`"),
    ):
        memory.store.shards(make=True)
    with psycopg.connect(address) as owner:
        assert owner.execute("select to_regnamespace(%s)", (PostgresLocation(empty).schemas[0],)).fetchone() == (None,)


def test_reading_places_nothing_and_makes_nothing(address: str, empty: str) -> None:
    with opened(empty, "nobody") as memory:
        assert memory.list().statements == ()
        assert memory.recall("what is there?").hits == ()
        assert {(one.bytes, one.namespaces) for one in memory.store.shards()} == {(0, 0)}
    assert Memory.namespaces(empty) == ()
    with psycopg.connect(address) as owner:
        assert owner.execute("select to_regnamespace(%s)", (base_of(empty),)).fetchone() == (None,)


def test_a_moved_namespace_is_whole_and_who_has_it_open_goes_on_there(address: str, shared: str) -> None:
    with opened(shared, "mover") as memory, opened(shared, "mover") as reader, opened(shared, "mover") as writer:
        memory.add_text("# Backup\n\nThe backup runs at 02:00.\n", source="backup.md")
        memory.remember_many(Statement(text=f"Line {number} lies in drawer {number}.") for number in range(40))
        memory.answer("when does the backup run?", record=True)
        writer.remember("It is open here, too.")
        hits = [hit.text for hit in reader.recall("which line lies in drawer 7?").hits]
        stats, events = memory.stats(), memory.history()
        ((before, rows),) = rows_in(address, shared, "mover").items()
        done = moved(memory)
        assert rows_in(address, shared, "mover") == {done.target: rows}
        assert (done.source, done.target, done.lingering_in) == (before, another(shared, before), ())
        assert done.rows > 200
        assert memory.history() == events
        assert [hit.text for hit in reader.recall("which line lies in drawer 7?").hits] == hits
        writer.remember("It goes on there.")
        assert rows_in(address, shared, "mover") == {done.target: rows + 1}
        assert reader.stats().statements == stats.statements + 1
        assert memory.store.verify().is_whole
        assert memory.store.doctor(all_namespaces=False).is_whole
        again = memory.store.move_namespace("mover", to=before)  # and back, under a new number
        assert again.source == done.target
        assert [hit.text for hit in reader.recall("which line lies in drawer 7?").hits] == hits
        assert texts(shared, "mover") == {one.text for one in writer.list(limit=100).statements}


def test_a_move_says_what_cannot_be_moved(shared: str) -> None:
    with opened(shared, "stays") as memory:
        memory.remember("It stays.")
        place = placements_of(memory).find("stays")
        with pytest.raises(InvalidValue, match=r"lies in 'shared_0.' already"):
            memory.store.move_namespace("stays", to=place)
        for wrong in ("shared", "shared_77", "public"):
            with pytest.raises(InvalidValue, match=f"{wrong!r} is no schema of .* name one that"):
                memory.store.move_namespace("stays", to=wrong)
        with pytest.raises(NamespaceNotFound):
            memory.store.move_namespace("never", to="shared_00")
    with (
        opened(shared, "stays", read_only=True) as memory,
        pytest.raises(EvoloreError, match="opened to be read alone"),
    ):
        memory.store.move_namespace("stays", to=another(shared, place))


class Cut(BaseException):
    """Ends a process, as far as the store can see."""


@contextmanager
def cut_off_at(point: FaultPoint) -> Generator[None]:
    def listen(reached: FaultPoint) -> None:
        if reached is point:
            raise Cut(point)

    database.listeners.append(listen)
    try:
        yield
    finally:
        database.listeners.remove(listen)


@pytest.mark.parametrize(
    "point",
    [
        pytest.param(FaultPoint.NAMESPACE_COPIED, marks=pytest.mark.long),
        FaultPoint.NAMESPACE_PLACED,
        pytest.param(FaultPoint.COMMITTING, marks=pytest.mark.long),
        FaultPoint.COMMITTED,
    ],
)
def test_a_move_that_is_cut_off_anywhere_leaves_all_rows_in_one_place(
    address: str, shared: str, point: FaultPoint
) -> None:
    name = f"cut-{point}"
    with opened(shared, name) as memory:
        memory.remember_many(Statement(text=f"Line {number}.") for number in range(3))
        ((before, rows),) = rows_in(address, shared, name).items()
        target = another(shared, before)
        with cut_off_at(point), pytest.raises(Cut):
            memory.store.move_namespace(name, to=target)
    is_done = point is FaultPoint.COMMITTED
    assert rows_in(address, shared, name) == {target if is_done else before: rows}
    with opened(shared, name) as memory:
        assert {one.text for one in memory.list().statements} == {f"Line {number}." for number in range(3)}
        memory.remember("It goes on.")
        assert memory.store.verify().is_whole
        if is_done:
            source = cast("ShardedStore", memory._context.store)._part(before)
            assert any(one.kind is FindingKind.LEFTOVER for one in source.examine()[1])
            assert source.take_out_erased() == ()
            assert source.examine()[1] == ()
        else:
            assert memory.store.move_namespace(name, to=target).target == target
    assert rows_in(address, shared, name) == {target: rows + 1}


def test_a_copy_that_differs_by_a_letter_is_not_taken(address: str, shared: str) -> None:
    with opened(shared, "differs") as memory, psycopg.connect(address, autocommit=True) as owner:
        memory.remember("The key lies under the mat.")
        ((before, rows),) = rows_in(address, shared, "differs").items()
        target = another(shared, before)
        owner.execute(
            f"create function {target}.change() returns trigger language plpgsql as"
            " $$ begin new.text := replace(new.text, 'mat', 'hat'); return new; end $$;"
            f" create trigger change before insert on {target}.payloads for each row"
            f" execute function {target}.change()".encode()
        )
        try:
            with pytest.raises(StoreFailed, match=r"differs in payloads: nothing was moved"):
                memory.store.move_namespace("differs", to=target)
        finally:
            owner.execute(f"drop function {target}.change cascade".encode())
        assert rows_in(address, shared, "differs") == {before: rows}
        assert moved(memory).target == target


def test_writers_wait_for_a_move_or_are_told_it_is_busy(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = threading.Event(), threading.Event()

    def hold(point: FaultPoint) -> None:
        if point is FaultPoint.NAMESPACE_COPIED:
            begun.set()
            done.wait(30)

    with opened(shared, "waits") as memory, opened(shared, "waits") as writer, ThreadPoolExecutor(1) as pool:
        memory.remember("It is there.")
        writer.remember("So is this.")
        database.listeners.append(hold)
        try:
            moving = pool.submit(moved, memory)
            assert begun.wait(30)
            assert len(writer.list().statements) == 2  # reading goes on
            with monkeypatch.context() as patch, opened(shared, "waits") as hasty:
                patch.setattr("evolore.store.postgres.BUSY_TIMEOUT_SECONDS", 0.2)
                with pytest.raises(StoreBusy):
                    hasty.remember("Nobody keeps this.")
            threading.Timer(0.1, done.set).start()
            writer.remember("It waited.")
            assert done.is_set()
        finally:
            done.set()
            database.listeners.remove(hold)
        assert moving.result().rows > 0
        assert writer.store.verify().is_whole
    assert texts(shared, "waits") == {"It is there.", "So is this.", "It waited."}


class Writers:
    """Twelve writers to three namespaces, and who moves these meanwhile."""

    def __init__(self, store: str, names: tuple[str, ...], *, seconds: float) -> None:
        self.store, self.names = store, names
        self.last, self.stopped = monotonic() + seconds, threading.Event()
        self.written: list[tuple[str, str]] = []

    def write(self, writer: int) -> None:
        name, number = self.names[writer % len(self.names)], 0
        with opened(self.store, name) as memory:
            while number < 2 or monotonic() < self.last:
                text = f"Line {number} of writer {writer}."
                with suppress(StoreBusy):  # a deadlock was ended; nothing of it was kept
                    memory.remember(text)
                    self.written.append((name, text))
                    number += 1

    def move(self) -> int:
        done = 0
        while not self.stopped.is_set():
            for name in self.names:
                with opened(self.store, name) as memory, suppress(NamespaceNotFound, StoreBusy):
                    moved(memory)
                    done += 1
        return done

    def run(self) -> int:
        """Return how many moves were made."""
        with ThreadPoolExecutor(13) as pool:
            moving = pool.submit(self.move)
            try:
                list(pool.map(self.write, range(12)))
            finally:
                self.stopped.set()
            return moving.result()


@pytest.mark.parametrize("seconds", [0.0, pytest.param(90.0, marks=pytest.mark.long)])
def test_nothing_is_lost_when_namespaces_are_moved_under_twelve_writers(
    address: str, shared: str, seconds: float
) -> None:
    writers = Writers(shared, ("w1", "w2", "w3"), seconds=seconds)
    assert writers.run() >= max(1, seconds / 10)
    for name in writers.names:
        assert texts(shared, name) == {text for of, text in writers.written if of == name}
        assert len(rows_in(address, shared, name)) == 1
        with opened(shared, name) as memory:
            assert memory.store.verify().is_whole
            assert memory.store.doctor(all_namespaces=False).is_whole


def test_a_role_places_and_sees_its_namespace_alone(address: str, shared: str) -> None:
    with opened(shared, "theirs") as memory:
        memory.remember("The secret is in the safe.")
    make_role(address)
    with psycopg.connect(address, autocommit=True) as owner:
        for name in (base_of(shared), *PostgresLocation(shared).schemas):
            grant(owner, name)
    walled = shared.replace("evolore@", f"{APP}@")
    with opened(walled, "mine") as memory:
        said = memory.remember("The code is 5678 now.")
        memory.remember("It stays.")
        assert len(memory.recall("what is the code?").hits) == 2
        assert placements_of(memory).all() == {}
        assert memory.forget(said.id).lingering_in == ()
        assert moved(memory).rows > 0
        assert memory.store.verify().is_whole
    assert texts(walled, "mine") == {"It stays."}
    assert texts(walled, "theirs") == {"The secret is in the safe."}


def test_what_concerns_the_whole_store_goes_over_all_schemas(address: str, empty: str) -> None:
    for name in ("a", "b", "c", "d"):
        with opened(empty, name) as memory:
            memory.remember(f"It is {name}.")
    assert len({next(iter(rows_in(address, empty, name))) for name in ("a", "b", "c", "d")}) == 2
    with opened(empty) as memory:
        assert [one.namespace for one in memory.store.verify(all_namespaces=True).chains] == ["a", "b", "c", "d"]
        new = _Other()
        told = memory.store.reembed(new, dry_run=True)
        assert (told.texts, told.remaining) == (4, 4)
        done = memory.store.reembed(new)
        assert (done.embedded, sorted(done.events), done.deleted_vectors) == (4, ["a", "b", "c", "d"], 4)
        assert memory.store.doctor().namespaces == ("a", "b", "c", "d")
    with opened(empty, "new") as memory, pytest.raises(EmbedderMismatch):
        memory.remember("It is of the old model.")
    with Memory.open(empty, namespace="new", embedder=new) as memory:
        memory.remember("It is of the new one.")
        assert memory.store.abandon_reembed().model is None
        (place,) = rows_in(address, empty, "new")
        with psycopg.connect(address, autocommit=True) as owner:
            owner.execute(f"update {base_of(empty)}.placements set schema = 'x' where name = 'new'".encode())
        (wrong,) = memory.store.doctor().findings
        assert (wrong.namespace, wrong.reason) == (
            "new",
            f"It lies in the schema {place}, and the table placements names x.",
        )


@pytest.mark.long
def test_schemas_of_an_older_version_are_upgraded_one_after_the_other(address: str, empty: str) -> None:
    with opened(empty) as memory:
        memory.store.shards(make=True)
    with psycopg.connect(address, autocommit=True) as owner:
        for name in PostgresLocation(empty).schemas:  # as an older version left them
            owner.execute(f"update {name}.alembic_version set version_num = '0004'".encode())
            owner.execute(f"drop index {name}.feedback_in_effect".encode())
    with opened(empty) as memory:
        assert [one.name for one in memory.store.upgrade(dry_run=True).steps] == ["feedback_in_effect"] * 2
        with pytest.raises(StoreVersionError, match="make a backup with `pg_dump"):
            memory.store.upgrade()
        done = memory.store.upgrade(backup=False)
        assert (done.old_schema, len(done.steps), memory.store.upgrade(dry_run=True).steps) == ("0004", 2, ())
        assert memory.store.doctor().is_whole


class _Other(HashingEmbedder):
    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(id="other", dimension=super().model.dimension)


def test_what_takes_one_schema_refuses_several(address: str, shared: str, tmp_path: Path) -> None:
    with opened(shared, "refused") as memory:
        memory.remember("It is there.")
        with pytest.raises(InvalidValue, match=r"spread over schemas, and a copy or backup is of one: use pg_dump"):
            memory.store.backup(tmp_path / "a")
        with pytest.raises(InvalidValue, match="spread over schemas"):
            memory.store.copy(tmp_path / "b")
        memory.store.export(tmp_path / "c.jsonl")
    with opened(str(tmp_path / "d")) as memory:
        memory.remember("It is in a folder.")
        with pytest.raises(InvalidValue, match="spread over schemas"):
            memory.store.copy(f"{address}&schema=nowhere&shards=2")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["c.jsonl", "d"]
    with psycopg.connect(address) as owner:
        assert owner.execute("select to_regnamespace('nowhere')").fetchone() == (None,)


def test_an_erasure_empties_the_replies_that_the_first_schema_keeps(shared: str) -> None:
    with opened(shared, "erased") as memory:
        secret = memory.remember("My favourite word is hippopotamus.")
        kept = memory._context.store
        cache = kept.chat_cache(10, until=InMemoryChatCache(10))
        cache.get("asked")
        cache.put("asked", "It is hippopotamus.")
        at = datetime(2026, 1, 1, tzinfo=UTC)
        kept.service().put(KeptReply(key_id="", name="k", asked="x", status=200, body={"text": "hippopotamus"}, at=at))
        assert memory.forget(secret.id).lingering_in == ()
        assert cache.get("asked") is None
        (reply,) = kept.service().find(KeptReply)
        assert reply.body == {"is_gone": True}


def test_the_commands_list_make_and_move(address: str, shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", shared)

    def evolore(*arguments: str, code: int = 0) -> str:
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == code, result.output
        return result.output

    evolore("remember", "It is there.", "--namespace", "team")
    ((before, _),) = rows_in(address, shared, "team").items()
    after = another(shared, before)
    lines = evolore("store", "shards").splitlines()
    assert [line.partition(":")[0] for line in lines] == ["shared", "shared_00", "shared_01", "shared_02"]
    assert all(re.fullmatch(r"shared\S*: node -, \d,\d{3},\d{3} bytes, \d+ namespaces?", line) for line in lines)
    assert len(evolore("store", "shards", "--make").splitlines()) == 4
    shown = evolore("store", "move-namespace", "team", "--to", after)
    assert shown.startswith("Moved ")
    assert f" rows of team from {before} to {after}; sha256 " in shown
    assert "lies in" in evolore("store", "move-namespace", "team", "--to", after, code=1)
    assert "is in one place" in evolore("store", "shards", "--store", "somewhere", code=3)


def test_a_server_keeps_keys_in_the_first_schema_and_serves_every_namespace(address: str, shared: str) -> None:
    memories = Memories(shared, embedder=HashingEmbedder())
    at = datetime.now(UTC)
    key, _ = make_key(memories.service, id_=memories.new_id(at), label="all", scopes=[Scope.ADMIN], at=at)
    with TestClient(
        create_app(memories), base_url="http://localhost", headers={"Authorization": f"Bearer {key}"}
    ) as http:
        for name in ("served1", "served2", "served3"):
            with opened(shared, name) as memory:
                memory.remember("It is there.")
            said = {"statements": [{"text": f"It is {name}."}]}
            assert http.post("/api/statements", json=said, headers={"Evolore-Namespace": name}).status_code == 201
            with opened(shared, name) as memory:
                moved(memory)
            found = http.post("/api/recall", json={"question": "what is it?"}, headers={"Evolore-Namespace": name})
            assert f"It is {name}." in found.text
        assert {"served1", "served2", "served3"} <= set(memories.namespaces())
    with psycopg.connect(address) as owner:
        assert owner.execute("select count(*) from shared.api_keys").fetchone() == (1,)


def test_a_store_is_closed_and_opened_again(shared: str) -> None:
    with opened(shared, "again") as memory:
        memory.remember("It is there.")
        memory._context.store.close()
        assert [hit.text for hit in memory.recall("what is there?").hits] == ["It is there."]
