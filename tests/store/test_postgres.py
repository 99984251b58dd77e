"""A store in PostgreSQL remembers, recalls, adds and forgets; `make test-long` runs the whole store suite on it."""

from __future__ import annotations

import gc
import gzip
import re
import signal
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import delete, select, update

from evolore.chat.budget import InMemoryChatCache
from evolore.config import Settings
from evolore.domain.chat import ChatBudget, ChatUsage
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.health import FindingKind
from evolore.errors import (
    InvalidSetting,
    InvalidValue,
    StoreDamaged,
    StoreFailed,
    StoreUnwritable,
    StoreVersionError,
    TryAgain,
)
from evolore.integrations.mirror import mirror
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.store import schema
from evolore.store.database import WriteTurn
from evolore.store.examination import unreadable
from evolore.store.postgres import PostgresLocation, explain
from evolore.store.service import ApiKey, AuditEntry, BackgroundJob, KeptReply, Outgoing, Receiver, Schedule
from evolore.store.tables import SERVICE, WHOLE_STORE, api_keys, metadata, namespaces, payloads, settings, targets
from once import MAKE_TABLES
from postgres_server import PostgresServer, running

from .on_postgres import APP, an_address, grant, make_role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evolore.domain.document import Document
    from evolore.ports import TextRole, Vectors
    from evolore.store.reading import StoreReader


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with an_address() as given:
        yield given


@pytest.fixture
def store(address: str, request: pytest.FixtureRequest) -> str:
    return f"{address}&schema={request.node.name[:60]}"


@pytest.fixture
def memory(store: str) -> Iterator[Memory]:
    with Memory.open(store, embedder=HashingEmbedder()) as opened:
        yield opened


def test_statements_are_remembered_recalled_and_forgotten(memory: Memory) -> None:
    kept = memory.remember("We moved to Postgres 18.")
    gone = memory.remember("The cat sleeps on the sofa.")
    assert "We moved to Postgres 18." in [hit.text for hit in memory.recall("which Postgres do we use?").hits]
    memory.forget(gone.id)
    assert [one.text for one in memory.list().statements] == ["We moved to Postgres 18."]
    assert kept.id == memory.list().statements[0].id


def test_a_document_is_added_read_in_versions_and_forgotten(memory: Memory) -> None:
    for hour in ("02:00", "03:00"):
        told = f"# Backup\n\nThe backup runs at {hour}.\n"
        (added,) = memory.add(SourceText(source="backup.md", text=told, media_type=MediaType.MARKDOWN)).documents
    assert added.document.version == 2
    assert "03:00" in memory.recall("when does the backup run?").hits[0].text
    memory.forget(added.document.id)
    assert memory.list().documents == ()
    assert memory.store.verify().is_whole


@pytest.mark.long
def test_pages_procedures_and_a_mirror_work_and_keep_nothing_that_was_forgotten(store: str, tmp_path: Path) -> None:
    def words() -> str:
        with psycopg.connect(store.partition("&schema=")[0]) as owner:
            schema = store.rpartition("=")[2]
            named = owner.execute("select table_name from information_schema.tables where table_schema = %s", (schema,))
            tables = [sql.Identifier(schema, name) for (name,) in named]
            return repr([owner.execute(sql.SQL("select * from {}").format(one)).fetchall() for one in tables])

    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        said = memory.remember("Customer Hoshino has 40 zqcanary seats.", speaker="Mika")
        page = memory.pages.add("What do we know about customer Hoshino?")
        assert "zqcanary" in page.text
        steps = memory.remember("Bake rye: heat the oven, wait.", kind="procedure", outcome="worked", principal="ann")
        memory.review.resolve(steps.review_ids[0])
        (hit,) = [one for one in memory.recall("How do I bake rye?").hits if one.outcomes]
        assert hit.outcomes == (1, 1)
        mirror(memory, tmp_path)
        (tmp_path / "Mika.md").write_text((tmp_path / "Mika.md").read_text() + "- Hoshino pays in yen.\n")
        assert [one.deed.value for one in mirror(memory, tmp_path).steps] == ["remembered"]
        assert "zqcanary" in words()
        memory.forget(said.id)
        assert "zqcanary" not in str(memory.pages.show(page.id))
        assert "zqcanary" not in words()
        assert [one.deed.value for one in mirror(memory, tmp_path).steps] == ["removed"]
        assert "yen" in memory.pages.rebuild(page.id).text


def test_an_interrupted_add_goes_on_and_what_waits_can_be_forgotten(store: str) -> None:
    text = "\n\n".join(f"## Part {number}\n\n" + f"Matter {number} is here. " * 15 for number in range(200))
    embedded: list[int] = []

    class Stopping(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            embedded.append(len(texts))
            if len(embedded) in {4, 8}:
                raise KeyboardInterrupt
            return super().embed(texts, role=role)

    def add(memory: Memory, source: str) -> Document:
        return memory.add_text(text, source=source, media_type=MediaType.MARKDOWN)

    with Memory.open(store, embedder=Stopping(), settings=Settings(max_leaves_at_once=64)) as memory:
        with pytest.raises(KeyboardInterrupt):
            add(memory, "large.md")
        assert memory.list().documents == ()
        assert add(memory, "large.md").episode_count == sum(embedded) - embedded[3] - embedded[2]
        embedded[:] = [0] * 5
        with pytest.raises(KeyboardInterrupt):
            add(memory, "other.md")
        assert memory.forget("other.md").episodes == 64
        assert memory.store.doctor().is_whole
        assert memory.store.verify().is_whole


def test_a_store_lies_beside_another_application_that_uses_the_same_names(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(
            "create table public.alembic_version (version_num text); insert into alembic_version values ('7')"
        )
        other.execute("create table public.settings (name text)")
        try:
            store = f"{address}&schema=beside"
            for _ in range(2):
                with Memory.open(store, embedder=HashingEmbedder()) as memory:
                    memory.remember("It stays apart.")
                    assert memory.store.verify().is_whole
            assert other.execute("select version_num from public.alembic_version").fetchall() == [("7",)]
        finally:
            other.execute("drop table public.alembic_version, public.settings")


@pytest.mark.parametrize("old", ["0003", "0004"])
def test_a_store_that_an_older_version_laid_on_a_server_is_upgraded_with_every_row(
    address: str, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "make_tables", MAKE_TABLES)
    dump = gzip.decompress((Path(__file__).parents[1] / "data" / "stores" / f"postgres-{old}.sql.gz").read_bytes())
    kept = b"\n".join(line for line in dump.split(b"\n") if not line.startswith(b"\\"))
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute("drop schema if exists old cascade; create extension if not exists vector")
        owner.execute(kept)
        counted = "select table_name from information_schema.tables where table_schema = 'old'"
        names = [name for (name,) in owner.execute(counted).fetchall() if name != "alembic_version"]
        before = {
            name: sorted(map(repr, owner.execute(f"select to_jsonb(t) from old.{name} t".encode()))) for name in names
        }
    with Memory.open(f"{address}&schema=old", namespace="team", embedder=HashingEmbedder(16)) as memory:
        told = memory.store.upgrade(dry_run=True)
        assert told.old_schema == old
        for act in (memory.store.upgrade, memory.list):
            with pytest.raises(StoreVersionError, match=r"pg_dump.*`evolore store upgrade --no-backup`"):
                act()
        assert memory.store.upgrade(backup=False).steps == told.steps
        assert memory.store.upgrade().steps == ()
        assert "10 business days" in memory.answer("How long do refunds take?", record=False).text
        assert memory.store.verify().is_whole
        assert memory.store.doctor(repair=True).is_whole
        with psycopg.connect(address, autocommit=True) as owner:
            for name in names:
                added = [step.name for step in told.steps if (step.table, step.adds) == (name, "column")]
                without = "".join(f" - '{column}'" for column in added)
                found = owner.execute(f"select to_jsonb(t){without} from old.{name} t".encode())
                assert sorted(map(repr, found)) == before[name], name
        memory.remember("It goes on.")


def test_a_store_is_copied_to_a_server_and_back_with_every_row(store: str, tmp_path: Path) -> None:
    with Memory.open(tmp_path / "a", embedder=HashingEmbedder()) as memory:
        filled(memory)
        there = memory.store.copy(store)
        with pytest.raises(InvalidValue, match="a store at postgresql"):
            memory.store.copy(store)
    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        assert memory.store.verify().is_whole
        hits = memory.recall("who keeps the red key?", record=False)
        assert hits.hits
        back = memory.store.copy(tmp_path / "b")
    with Memory.open(tmp_path / "b", embedder=HashingEmbedder()) as memory:
        assert memory.recall("who keeps the red key?", record=False).hits == hits.hits
    assert (there.rows, there.sha256) == (back.rows, back.sha256)


def test_a_copy_that_was_cut_off_goes_on_and_cannot_be_opened_before(
    store: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Memory.open(tmp_path / "a", embedder=HashingEmbedder()) as memory:
        filled(memory)
        told: list[int] = []

        def stop(done: int, _total: int) -> None:
            told.append(done)
            if len(told) == 5:
                raise KeyboardInterrupt

        monkeypatch.setattr("evolore.store.copying._AT_ONCE", 3)
        with pytest.raises(KeyboardInterrupt):
            memory.store.copy(store, progress=stop)
        with Memory.open(store, embedder=HashingEmbedder()) as begun, pytest.raises(StoreDamaged, match="not whole"):
            begun.list()
        rows = memory.store.copy(store).rows
        assert rows > told[-1]
    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        assert memory.store.verify().is_whole
        memory.remember("It goes on.")


def filled(memory: Memory) -> None:
    memory.add(
        SourceText(
            source="keys.md",
            text="# Keys\n\nMika keeps the red key.\n\nAda keeps the blue one.\n",
            media_type=MediaType.MARKDOWN,
        )
    )
    for place in range(40):
        memory.remember(
            f"Note {place}: {'赤い鍵はミカが持っている。' if place % 2 else 'The red key lies in drawer'} {place}",
            session="s",
        )


def test_a_role_sees_its_namespace_alone_even_where_our_filter_is_gone(address: str, store: str) -> None:
    for name, text in (("mine", "The code is 1234."), ("theirs", "The secret is in the safe.")):
        with Memory.open(store, namespace=name, embedder=HashingEmbedder()) as memory:
            memory.remember(text)
    walled = walled_off(address, store)
    with Memory.open(walled, namespace="mine", embedder=HashingEmbedder()) as memory:
        memory.remember("The code is 5678 now.")
        assert len(memory.recall("what is the code?").hits) == 2
        database = memory._context.store._open.database()  # around our own filter
        with database.reading("mine") as connection:
            assert sorted(connection.scalars(select(payloads.c.text))) == ["The code is 1234.", "The code is 5678 now."]
        with database.reading() as connection:
            assert connection.scalars(select(payloads.c.text)).all() == []
            assert connection.scalars(select(namespaces.c.name)).all() == []
    with Memory.open(walled, namespace="new", embedder=HashingEmbedder()) as memory:
        lines = (Statement(text=f"Line {number} of a namespace of its own.") for number in range(40))
        memory.remember_many(lines)  # so many rows that their owner's would go by COPY
        assert memory.store.doctor(all_namespaces=False).namespaces == ("new",)


def test_the_wall_of_a_store_made_earlier_holds_too(address: str, store: str) -> None:
    for name in ("mine", "theirs"):
        with Memory.open(store, namespace=name, embedder=HashingEmbedder()) as memory:
            memory.remember(f"The code is {name}.")
    with psycopg.connect(address, autocommit=True) as owner:
        schema = store.rpartition("schema=")[2]
        owner.execute(f"set search_path = {schema}".encode())
        asked = "select tablename from pg_policies where schemaname = %s and policyname = 'own_namespace'"
        for (table,) in owner.execute(asked, (schema,)).fetchall():
            if table != "namespaces":
                owner.execute(f"drop policy own_namespace on {table}".encode())
                owner.execute(
                    f"create policy own_namespace on {table} using (ns = (select ns from namespaces"
                    " where name = current_setting('evolore.namespace', true)))".encode()
                )
    with Memory.open(walled_off(address, store), namespace="mine", embedder=HashingEmbedder()) as memory:
        memory.remember("The key is under the mat.")
        with memory._context.store._open.database().reading("mine") as connection:
            assert len(connection.scalars(select(payloads.c.text)).all()) == 2


def walled_off(address: str, store: str, *, without: str = "") -> str:
    """Give the address by which the documented role opens a store that is there."""
    make_role(address)
    with psycopg.connect(address, autocommit=True) as owner:
        grant(owner, store.rpartition("schema=")[2], without=without)
    return store.replace("evolore@", f"{APP}@")


SECRET = "hippopotamus"
HOLDING = {"payloads", "facts", "review_items", "episodes", "episodes_by_speaker"}
"""What holds the word of ``keep_secret``: tables, and an index."""


def keep_secret(memory: Memory) -> None:
    said = memory.remember(f"My favourite word is {SECRET}.", speaker=SECRET)
    memory.review.note(f"Ask what a {SECRET} is.", about=said.id)


def holding(address: str, store: str, word: str = SECRET) -> set[str]:
    """Give the tables and indexes of a store in whose files a word lies."""
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute("checkpoint")
        asked = (
            "select relname from (select relname, pg_relation_filepath(oid) as path from pg_class"
            " where relnamespace = %s::regnamespace) as files where path is not null"
            " and position(convert_to(%s, 'UTF8') in pg_read_binary_file(path)) > 0"
        )
        return {name for (name,) in owner.execute(asked, (store.rpartition("schema=")[2], word))}


@pytest.fixture
def made(memory: Memory, store: str) -> str:
    """A store that is there."""
    memory.remember("It stays.")
    return store


def test_the_documented_role_forgets_out_of_every_file_of_tables_and_indexes(address: str, made: str) -> None:
    with Memory.open(walled_off(address, made), embedder=HashingEmbedder()) as memory:
        keep_secret(memory)
        with psycopg.connect(address, autocommit=True) as owner:
            told = (
                "select tablename from pg_stats where tablename in ('payloads', 'episodes')"
                " and (most_common_vals::text like %s or histogram_bounds::text like %s)"
            )
            memory.remember(f"The word is {SECRET}.", speaker=SECRET)
            owner.execute("analyze")
            assert holding(address, made) >= HOLDING
            assert owner.execute(told, (f"%{SECRET}%",) * 2).fetchall()
            receipt = memory.forget(speaker=SECRET)
            assert (receipt.review_items, receipt.lingering_in) == (1, ())
            assert holding(address, made) == set()
            assert owner.execute(told, (f"%{SECRET}%",) * 2).fetchall() == []
        assert holding(address, made, "It stays.") >= {"payloads"}
        assert memory.maintain().lingering_in == ()


def test_a_role_that_may_not_clean_says_so_until_one_that_may_has(address: str, made: str) -> None:
    where = f"the server's files of the schema {made.rpartition('schema=')[2]}, which the role may not clean"
    walled = walled_off(address, made, without="maintain")
    with Memory.open(walled, embedder=HashingEmbedder()) as memory:
        keep_secret(memory)
        assert memory.forget(speaker=SECRET).lingering_in == (where,)
        assert holding(address, made) >= HOLDING
        assert memory.maintain().lingering_in == (where,)
        (finding,) = memory.store.doctor(repair=True).findings
        assert (finding.kind, finding.is_repaired) == (FindingKind.LEFTOVER, False)
    with Memory.open(made, embedder=HashingEmbedder()) as owned:
        owned.list()
        assert owned.store.doctor().findings == ()
    assert holding(address, made) == set()


def test_a_table_that_alone_was_not_cleaned_is_named(address: str, made: str) -> None:
    walled, schema = walled_off(address, made), made.rpartition("schema=")[2]
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"revoke maintain on {schema}.facts from {APP}".encode())
    with Memory.open(walled, embedder=HashingEmbedder()) as memory:
        keep_secret(memory)
        (left,) = memory.forget(speaker=SECRET).lingering_in
        assert left == f"the server's files of {schema}.facts, which the role may not clean"
        assert holding(address, made) == {"facts"}
        with psycopg.connect(address, autocommit=True) as owner:
            owner.execute(f"grant maintain on {schema}.facts to {APP}".encode())
        assert memory.store.doctor(repair=True).is_whole
        assert holding(address, made) == set()


def kept_by_a_server(at: datetime) -> tuple[object, ...]:
    """Give one of each thing that a server keeps."""
    return (
        ApiKey(id="k", hash="h", prefix="p", label="mine", scopes=(), namespaces=(), created_at=at),
        AuditEntry(id="a", at=at, act="made a key", status=200),
        KeptReply(key_id="k", name="n", asked="x", status=201, body={"text": SECRET}, at=at),
        BackgroundJob(id="j", namespace="n", kind="add", subject="", state="done", body={}, runs_at=at, created_at=at),
        Schedule(
            id="s", namespace="n", kind="maintain", body={}, cron="* * * * *", zone="UTC", next_at=at, created_at=at
        ),
        Receiver(
            id="t",
            namespace="n",
            kind="webhook",
            address="https://a",
            secret="s",
            events=(),
            language="en",
            created_at=at,
        ),
        Outgoing(id="o", target_id="t", name="n", event="e", body={}, state="done", runs_at=at, created_at=at),
    )


def test_a_transaction_of_a_namespace_reads_nothing_that_a_server_keeps(address: str, made: str) -> None:
    kept = [table for table in metadata.sorted_tables if table in WHOLE_STORE - {settings, namespaces}]
    at = datetime(2026, 3, 2, tzinfo=UTC)
    with Memory.open(walled_off(address, made), embedder=HashingEmbedder()) as memory:
        store = memory._context.store
        store.service().put(*kept_by_a_server(at))
        store.service().say("j", ["It runs."], at=at)
        cache = store.chat_cache(5, until=InMemoryChatCache(1))
        assert cache.get("asked") is None
        cache.put("asked", f"A {SECRET}.")
        assert store.chat_spend().take(at.date(), ChatUsage(calls=1), ChatBudget(calls=1))
        database = store._open.database()
        with database.reading() as connection:
            assert [table.name for table in kept if not connection.execute(select(table)).all()] == []
        with database.reading("default") as connection:
            assert [table.name for table in kept if connection.execute(select(table)).all()] == []
        with database.writing(WriteTurn.NAMESPACE, namespace="default") as connection:
            assert connection.execute(delete(api_keys).where(api_keys.c.label == "mine")).rowcount == 0
            assert connection.execute(update(targets).where(targets.c.id == "t").values(address="x")).rowcount == 0
        keep_secret(memory)
        assert memory.forget(speaker=SECRET).lingering_in == ()  # it empties replies that it may not read
        assert cache.get("asked") is None
        (reply,) = store.service().find(KeptReply)
        assert reply.body == {"is_gone": True}
        assert holding(address, made) == set()


def test_a_role_for_the_library_alone_needs_nothing_that_a_server_keeps(address: str, made: str) -> None:
    walled, schema = walled_off(address, made), made.rpartition("schema=")[2]
    page = (Path(__file__).parents[2] / "docs" / "postgres.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(set search_path .*?)```", page, re.DOTALL)
    revoked = {table.name for table in SERVICE}
    assert revoked == set(re.findall(r"[a-z_]+", " ".join(re.findall(r" on (.*?) from", block, re.DOTALL))))
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(block.replace("= evolore;", f"= {schema};").encode())
    with Memory.open(walled, embedder=HashingEmbedder()) as memory:
        keep_secret(memory)
        assert memory.recall("favourite word?").hits
        assert memory.forget(speaker=SECRET).lingering_in == ()
        assert memory.maintain().lingering_in == ()
        database = memory._context.store._open.database()
        for table in SERVICE:
            with pytest.raises(StoreUnwritable, match="permission denied"), database.reading() as connection:
                connection.execute(select(table))
        assert memory.list().statements
    assert holding(address, made) == set()


@pytest.mark.usefixtures("no_patience")
def test_a_row_that_an_older_snapshot_may_see_is_said_to_linger(address: str, memory: Memory, made: str) -> None:
    keep_secret(memory)
    with psycopg.connect(address) as other:  # of another application, which never looks at our tables
        other.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        other.execute("select 1")
        (left,) = memory.forget(speaker=SECRET).lingering_in
        assert {"payloads", "facts", "review_items"} <= {name.rpartition(".")[2] for name in left.split(", ")}
        assert "may not clean" not in left
        assert "payloads" in holding(address, made)
    memory.maintain()
    assert holding(address, made) == set()
    assert memory.store.doctor().findings == ()


@pytest.mark.usefixtures("no_patience")
def test_a_table_that_others_hold_is_named_and_the_others_are_cleaned(address: str, memory: Memory, made: str) -> None:
    keep_secret(memory)
    schema = made.rpartition("schema=")[2]
    with psycopg.connect(address) as other:
        other.execute(f"select 1 from {schema}.facts".encode())
        (left,) = memory.forget(speaker=SECRET).lingering_in
        assert left == f"the server's files of {schema}.facts"
        assert holding(address, made) == {"facts"}
    assert memory.store.doctor(repair=True).is_whole
    assert holding(address, made) == set()


def test_what_is_forgotten_is_in_no_file_of_the_tables() -> None:
    with running() as server:
        with Memory.open(server.address, embedder=HashingEmbedder()) as memory:
            memory.remember("It stays.")
            secret = memory.remember("The word is hippopotamus.")
            assert lies_in(server, "hippopotamus")
            assert memory.forget(secret.id).lingering_in == ()
        assert not lies_in(server, "hippopotamus")
        assert lies_in(server, "It stays.")


def lies_in(server: PostgresServer, word: str) -> bool:
    with psycopg.connect(server.address, autocommit=True) as connection:
        connection.execute("checkpoint")
    return any(
        word.encode() in path.read_bytes() for path in (server.folder / "data" / "base").rglob("*") if path.is_file()
    )


def test_what_was_read_is_of_one_moment_and_others_writes_are_seen_at_once(store: str) -> None:
    with Memory.open(store, embedder=HashingEmbedder()) as one, Memory.open(store, embedder=HashingEmbedder()) as other:
        one.remember("The kettle is blue.")
        assert [hit.text for hit in other.recall("which colour is the kettle?").hits] == ["The kettle is blue."]
        other.remember("The kettle is green now.")
        assert len(one.recall("which colour is the kettle?").hits) == 2


def test_a_server_that_was_started_anew_is_used_again(tmp_path: Path) -> None:
    with running() as server, Memory.open(server.address, embedder=HashingEmbedder()) as memory:
        memory.remember("It stays.")
        server.stop(how=signal.SIGKILL)
        with pytest.raises(TryAgain, match="does not answer"):
            memory.remember("Nobody hears this.")
        with (
            pytest.raises(TryAgain, match="does not answer"),
            memory._context.store._open.database().alone("some work"),
        ):
            pass
        server.start()
        memory.remember("It goes on.")
        assert {one.text for one in memory.list().statements} == {"It stays.", "It goes on."}


def test_a_server_whose_vectors_are_out_of_reach_names_what_it_lacks() -> None:
    with running() as server:
        with psycopg.connect(server.address, autocommit=True) as owner:
            owner.execute("create schema elsewhere")
            owner.execute("create extension vector schema elsewhere")
        with pytest.raises(StoreUnwritable, match=r"halfvec: install pgvector, 0\.7 or newer"):
            Memory.open(server.address, embedder=HashingEmbedder()).remember("It is not kept.")


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("0A000", "Subqueries are not supported in policies on distributed tables"),
        ("58P01", "could not access file"),
        ("XX000", "failure on connection marked as essential: db2:5432"),
    ],
)
def test_what_another_extension_refuses_is_repeated_without_advice_that_does_not_fit(code: str, reason: str) -> None:
    told = explain(psycopg.errors.lookup(code)(reason), "postgresql://db.invalid/team")
    assert type(told) is StoreFailed
    assert reason in str(told)
    assert "pgvector" not in str(told)
    assert "backup" not in str(told)


def _keys(reader: StoreReader) -> Iterator[object]:
    return reader.stored_keys()


def _records(reader: StoreReader) -> Iterator[object]:
    return reader.records(with_vectors=False)


def _unreadable(reader: StoreReader) -> Iterator[object]:
    return unreadable(reader._connection, reader._ns)


DAMAGE = "update episodes set language = 'xx'"


@pytest.mark.parametrize(
    ("read", "damage"),
    [
        (_keys, ""),
        (_records, ""),
        (_unreadable, DAMAGE),
    ],
)
def test_who_stops_reading_early_leaves_no_cursor_open(
    memory: Memory, read: Callable[[StoreReader], Iterator[object]], damage: str
) -> None:
    for number in range(3):
        memory.remember(f"Line {number}.", session="s")
    with memory._context.store._open.database().writing() as owner:
        owner.exec_driver_sql(damage or "select 1")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        with memory._context.store.read("default") as reader:
            rows = read(reader)
            left = [next(rows) for _ in range(2)]
            del rows
            gc.collect()
    assert len(left) == 2
    assert [one for one in told if one.category is ResourceWarning] == []


def test_an_address_shows_no_password() -> None:
    where = PostgresLocation("postgresql://mika:hunter2@db.invalid:5433/team?schema=notes")
    assert str(where) == "postgresql://db.invalid:5433/team?schema=notes"
    with pytest.raises(StoreFailed) as told:
        where.is_there()
    assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("wrong", ["mysql://host/db", f"postgresql://host/db?schema={'n' * 64}", "s3://bucket"])
def test_other_addresses_are_refused(wrong: str) -> None:
    with pytest.raises(InvalidSetting):
        Memory.open(wrong, embedder=HashingEmbedder())
