"""Ask a server while a writer holds the store's lock, and look how much longer a recall takes than before.

    python benchmarks/held_lock.py [--seconds 10] [--clients 32] [--statements 500] [--pause-ms 500]

Every client is a thread with a key of its own that recalls, one request after the other, with a pause between. First nobody
writes; then another process's write holds the database's lock all the time. Printed for both: recalls a second, the median
and 99th percentile in milliseconds, and how many answers had which status but 200.

Each question is queued to be recorded, as by default. The bar: no error while the lock is held, and a 99th percentile of at most twice the idle one. ``--seconds 1 --clients 2``
tries it out.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.server.keys import Scope, make_key
from evolore.server.memories import Memories
from evolore.store.location import DATABASE
from server_process import embedder_of, serving


class Asker:
    """A client that recalls until a moment.

    Args:
        address: Of the server.
        key: Of the client.
        pause: Seconds between two requests.
    """

    def __init__(self, address: str, key: str, pause: float) -> None:
        self._http = httpx2.Client(base_url=address, timeout=120, headers={"Authorization": f"Bearer {key}"})
        self._pause = pause
        self.took: list[float] = []
        self.failed: Counter[int] = Counter()

    def ask_until(self, end: float) -> None:
        """Recall until a moment."""
        number = 0
        while time.perf_counter() < end:
            number += 1
            began = time.perf_counter()
            reply = self._http.post("/api/recall", json={"question": f"where is thing {number}?"})
            self.took.append(1000 * (time.perf_counter() - began))
            if not reply.is_success:
                self.failed[reply.status_code] += 1
            time.sleep(self._pause)


def ask(address: str, keys: list[str], *, seconds: float, pause: float) -> tuple[float, Counter[int]]:
    """Let all clients ask, print what it took, and give the 99th percentile and the failures."""
    askers = [Asker(address, key, pause) for key in keys]
    end = time.perf_counter() + seconds
    threads = [threading.Thread(target=one.ask_until, args=(end,)) for one in askers]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    took = sorted(number for one in askers for number in one.took)
    failed = sum((one.failed for one in askers), Counter[int]())
    most = quantiles(took, n=100)[-1]
    print(f"{len(took) / seconds:7.1f} /s   p50 {median(took):8.1f} ms   p99 {most:8.1f} ms   failed {dict(failed)}")
    return most, failed


def main() -> None:
    """Run the benchmark; leave with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description="Recalls while a writer holds the lock.")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--statements", type=int, default=500)
    parser.add_argument("--pause-ms", type=float, default=500)
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, log = Path(folder) / "store", Path(folder) / "log"
        with Memory.open(store, embedder=embedder_of("hashing")) as memory:
            memory.remember_many(
                Statement(text=f"Thing {number} is in box {number}.") for number in range(told.statements)
            )
        memories, at, scopes = Memories(store, embedder=embedder_of("hashing")), datetime.now(UTC), (Scope.READ,)
        keys = [
            make_key(memories.service, id_=memories.new_id(at), label=f"c{number}", scopes=scopes, at=at)[0]
            for number in range(told.clients)
        ]
        memories.close()
        how = {"seconds": told.seconds, "pause": told.pause_ms / 1000}
        with serving(store, embedder="hashing", log=log) as server:
            ask(server.address, keys, **(how | {"seconds": 5}))
            idle, _ = ask(server.address, keys, **how)
            with closing(sqlite3.connect(store / DATABASE, isolation_level=None)) as writer:
                writer.execute("begin immediate")
                held, failed = ask(server.address, keys, **how)
                writer.execute("rollback")
    print(
        f"p99 held over idle {held / idle:.2f} (bar 2)   503 {failed[503]}   other errors {failed.total() - failed[503]}"
    )
    sys.exit(int(bool(failed)))


if __name__ == "__main__":
    main()
