"""Defects planted one at a time, to show that a walk finds them: what each breaks, and how."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import patch

from evolore.flows.rate import Effects
from evolore.index.namespace_index import NamespaceIndex
from evolore.store import selects, sql, statements, undo
from evolore.store.events import Batch
from evolore.store.opening import OpenStore
from evolore.store.tables import episodes, vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager

Make: TypeAlias = "Callable[..., Any]"


@contextmanager
def replaced(holder: object, name: str, make: Callable[[Make], Make]) -> Generator[None]:
    """Replace a function by what is made of it."""
    with patch.object(holder, name, make(getattr(holder, name))):
        yield


def _but_vectors(parts_of: Make) -> Make:
    def leave(table: Any) -> list[Any]:  # noqa: ANN401
        return [part for part in parts_of(table) if part.table is not vectors]

    return leave


def _but_the_last(write: Make) -> Make:
    def lose(of: Any, new: Any) -> None:  # noqa: ANN401
        write(of, list(new)[:-1])

    return lose


def _of_all(select: Make) -> Make:
    def widely(_: int) -> Any:  # noqa: ANN401
        return select(episodes.c.ns)

    return widely


def _every_third_not(log: Make) -> Make:
    calls: list[object] = []

    def sometimes(*args: object, **named: object) -> None:
        calls.append(args)
        if len(calls) % 3:
            log(*args, **named)

    return sometimes


def _skipping_the_last(refresh: Make) -> Make:
    def skip(index: Any, feed: Any) -> None:  # noqa: ANN401
        refresh(index, feed)
        if not hasattr(index, "was_opened") and len(index._items):
            index._drop([index._items.ids[-1]])
            index._view = None
        index.was_opened = True

    return skip


def _in_two(insert: Make) -> Make:
    def halves(batch: Batch, written: Any) -> None:  # noqa: ANN401
        insert(batch, written)
        driver = batch.connection.connection.driver_connection
        assert driver is not None
        driver.execute("COMMIT").close()
        driver.execute("BEGIN IMMEDIATE").close()

    return halves


DEFECTS: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "forget leaves a vector": lambda: replaced(sql, "parts_of", _but_vectors),
    "forget leaves bytes in the files": lambda: replaced(OpenStore, "take_out_erased", lambda _: lambda *_, **__: ()),
    "undo loses an edge": lambda: replaced(undo, "insert_edges", _but_the_last),
    "the list reads every namespace": lambda: replaced(selects, "select_statements", _of_all),
    "the indexes are not told of a write": lambda: replaced(Batch, "log", _every_third_not),
    "a reopened index skips the last item": lambda: replaced(NamespaceIndex, "refresh", _skipping_the_last),
    "a rating said again counts twice": lambda: replaced(Effects, "take_back", lambda _: lambda *_: None),
    "a write is two transactions": lambda: replaced(statements, "insert_episodes", _in_two),
}
