"""A change of structure that is stopped anywhere has not happened, and touches no other namespace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from evolore.domain.filters import Target
from evolore.store.database import FaultPoint, listeners
from evolore.store.location import DATABASE
from evolore.store.sqlite import open_database
from evolore.store.tables import metadata
from store.structures import Structured

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BEFORE_COMMIT = tuple(FaultPoint)[: tuple(FaultPoint).index(FaultPoint.COMMITTED)]


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    database = open_database(folder / DATABASE)
    with database.reading() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(select(table))] for table in metadata.sorted_tables
        }
    database.close()
    return found


def stop_at(point: FaultPoint, seen: list[FaultPoint]) -> Callable[[FaultPoint], None]:
    def listen(reached: FaultPoint) -> None:
        seen.append(reached)
        if reached is point:
            raise KeyboardInterrupt

    return listen


def merge(one: Structured, ids: list[str]) -> object:
    return one.merge(ids[0], ids[1])


def undo(one: Structured, ids: list[str]) -> object:
    with one.store.read("n") as reader:
        return one.undo(reader.history(ids[2])[-1].id)


def forget(one: Structured, ids: list[str]) -> object:
    return one.store.erase("n", Target(item_id=ids[3]))


@pytest.mark.parametrize("deed", [merge, undo, forget])
@pytest.mark.parametrize("point", BEFORE_COMMIT)
def test_what_is_stopped_has_not_happened(
    tmp_path: Path, deed: Callable[[Structured, list[str]], object], point: FaultPoint
) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green", "white", session="s")
    one.merge(ids[2], ids[3])
    before = rows(tmp_path)
    seen: list[FaultPoint] = []
    listeners.append(stop_at(point, seen))
    try:
        deed(one, ids)
    except KeyboardInterrupt:
        assert rows(tmp_path) == before
    else:
        assert point not in seen
        assert rows(tmp_path) != before
    finally:
        listeners.clear()
    assert FaultPoint.BEGUN in seen


def test_another_namespace_is_not_touched(tmp_path: Path) -> None:
    one, other = Structured(tmp_path), Structured(tmp_path, namespace="m")
    ids = one.remember("red", "blue", session="s")
    others = other.remember("sun", "moon", session="s")
    made = other.merge(others[0], others[1])
    other.store.close()
    before = {name: [row for row in found if row[0] == 2] for name, found in rows(tmp_path).items()}
    event_id = one.merge(ids[0], ids[1]).event_id
    one.undo(event_id)
    with one.store.read("n") as reader, other.store.read("m") as beside:
        assert reader.history(made.made[0].id) == ()
        assert reader.members(others) == reader.standing_for(others) == {}
        assert {edge.target_id for edge in beside.edges_around(others, hidden=True)} <= set(others) | {made.made[0].id}
    one.store.erase("n", Target(everything=True))
    after = {name: [row for row in found if row[0] == 2] for name, found in rows(tmp_path).items()}
    assert after == before
    assert before["edges"]
