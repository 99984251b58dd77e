from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from builders import rows
from evolore.errors import EvoloreError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.events import FIRST_HASH
from evolore.store.location import DATABASE

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = ("The red train leaves at nine.", "駅は北にあります。", "The ferry is blue.")


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for text in TEXTS:
        memory.remember(text, speaker="Ann")
    page = "# Wheels\n\n## First\n\n{}\n\n## Second\n\n" + "Wheels are round, and more is said of them. " * 60
    memory.add_text(page.format("The first wheel is red."), source="wheels")
    memory.add_text(page.format("The first wheel is green now."), source="wheels")
    return memory


def change(store: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(store / DATABASE)) as connection, connection:
        assert connection.execute(statement, values).rowcount > 0


def test_a_whole_store_verifies(filled: Memory) -> None:
    found = filled.store.verify()
    [chain] = found.chains
    assert found.is_whole
    assert (chain.namespace, chain.events, chain.texts, chain.erased) == ("support", 5, 5, 0)


def test_what_was_forgotten_is_skipped_and_the_chain_still_holds(filled: Memory) -> None:
    listing = filled.list()
    filled.forget(listing.statements[0].id)
    filled.forget(listing.documents[0].id)
    [chain] = filled.store.verify().chains
    assert chain.is_whole
    assert (chain.events, chain.texts, chain.erased) == (7, 2, 3)


@pytest.mark.parametrize("target", [{"speaker": "Ann"}, {"tags": ["old"]}, {"everything": True}])
def test_what_was_forgotten_as_a_set_is_skipped_and_what_is_lost_is_not(
    filled: Memory, store_path: Path, target: dict[str, Any]
) -> None:
    filled.add_text("Words of a page.", source="old", tags=["old"])
    filled.remember("Words of a person.", tags=["old"])
    receipt = filled.forget(**target)
    kept = filled.remember("This one stays.")
    [chain] = filled.store.verify().chains
    assert chain.is_whole
    assert chain.erased >= receipt.documents + 1
    change(store_path, "delete from payloads where episode_id = ?", kept.id)
    assert filled.store.verify().chains[0].altered == (kept.id,)


def test_every_namespace_can_be_verified(filled: Memory, store_path: Path) -> None:
    change(store_path, "insert into namespaces (ns, name, revision, log_seq, event_seq, event_hash, created_at, "
           "query_seq, query_erasures) values (9, 'another', 1, 0, 0, ?, '', 0, 0)", FIRST_HASH)  # fmt: skip
    found = filled.store.verify(all_namespaces=True)
    assert [chain.namespace for chain in found.chains] == ["another", "support"]
    assert found.is_whole
    change(store_path, "update namespaces set event_seq = 1 where ns = 9")
    broken = filled.store.verify(all_namespaces=True)
    assert [chain.broken_event for chain in broken.chains] == [1, None]
    assert filled.store.verify().is_whole


def test_a_namespace_that_is_not_there_is_whole_and_empty(memory: Memory, store_path: Path) -> None:
    for _ in range(2):
        (chain,) = memory.store.verify().chains
        assert (chain.is_whole, chain.events, chain.texts) == (True, 0, 0)
        with Memory.open(store_path, namespace="another", embedder=HashingEmbedder()) as other:
            other.remember("Something.")


@pytest.mark.parametrize(
    "column", ["id", "kind", "subject_id", "principal", "body", "recorded_at", "previous_hash", "hash"]
)
@pytest.mark.parametrize("byte", [b"!", b"\xff"])
def test_a_changed_byte_in_any_field_of_any_event_is_found(
    filled: Memory, store_path: Path, column: str, byte: bytes
) -> None:
    for seq in range(1, 6):
        with closing(sqlite3.connect(store_path / DATABASE)) as connection, connection:
            (before,) = connection.execute(f"select {column} from events where seq = {seq}").fetchone()
            written = (before or "").encode()
            middle = len(written) // 2
            changed = written[:middle] + byte + written[middle + 1 :]
            connection.execute(f"update events set {column} = cast(? as text) where seq = ?", (changed, seq))
        [chain] = filled.store.verify().chains
        assert chain.broken_event == seq, column
        change(store_path, f"update events set {column} = ? where seq = ?", before, seq)
    assert filled.store.verify().is_whole


@pytest.mark.parametrize("byte", [b"!", b"\xff"])
def test_a_changed_byte_in_any_text_is_found(filled: Memory, store_path: Path, byte: bytes) -> None:
    texts = rows(store_path, "select id, text from payloads")
    assert len(texts) > 6
    for id_, before in texts:
        changed = before.encode()
        change(store_path, "update payloads set text = cast(? as text) where id = ?", byte + changed[1:], id_)
        [chain] = filled.store.verify().chains
        assert len(chain.altered) == 1
        assert chain.broken_event is None
        change(store_path, "update payloads set text = ? where id = ?", before, id_)
    assert filled.store.verify().is_whole


@pytest.mark.parametrize(
    "damage",
    [
        "update payloads set salt = zeroblob(16)",
        "delete from payloads",
        "update payloads set episode_id = 'another'",
        "delete from chunks where version = 1",
        "update chunks set ordinal = 9 - ordinal",
        "update namespaces set event_seq = event_seq + 1",
        "update namespaces set event_hash = iif(event_hash like '1%', '2', '1') || substr(event_hash, 2)",
        "delete from events where seq = 5",
        "delete from events",
        "update events set seq = 50 where seq = 5",
    ],
)
def test_other_damage_to_what_events_speak_of_is_found(filled: Memory, store_path: Path, damage: str) -> None:
    change(store_path, damage)
    assert not filled.store.verify().is_whole


def test_a_statement_that_no_event_speaks_of_is_found(filled: Memory, store_path: Path) -> None:
    change(store_path, "update episodes set id = 'forged' where id = (select min(id) from episodes)")
    [chain] = filled.store.verify().chains
    assert chain.altered == ("forged",)


def test_flipped_bytes_of_the_file_are_found(filled: Memory, store_path: Path) -> None:
    filled.close()
    whole = (store_path / DATABASE).read_bytes()
    hashes = [chain.encode() for chain in _hashes(store_path)]
    assert len(hashes) == 5
    for wanted in (*(text.encode() for text in TEXTS), b"The first wheel is red.", *hashes):
        place = whole.index(wanted) + 3
        (store_path / DATABASE).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            assert not filled.store.verify().is_whole
        except EvoloreError:
            pass  # a page that cannot be read is found too
        finally:
            filled.close()
    (store_path / DATABASE).write_bytes(whole)
    assert filled.store.verify().is_whole


def _hashes(store: Path) -> list[str]:
    return [chain for (chain,) in rows(store, "select hash from events")]
