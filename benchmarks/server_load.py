"""Put a load on two servers of one store, and look that nothing fails and nothing is lost.

    python benchmarks/server_load.py [--seconds 60] [--clients 32] [--servers 2] [--embedder hashing]

The servers are processes of their own on loopback ports. Every client is a thread that asks one of them, one request after
the other: recalls, answers, ratings of those, lists, statements and documents, in shares as talk with an assistant has
them. Printed for each verb: how many a second, and the median and 99th percentile in milliseconds. Afterwards every
statement and document that a server had acknowledged is looked for in the store.

The bar: no error, nothing acknowledged that is lost, no word of a lock in any answer or in what the servers say.
``--seconds 2 --clients 4`` tries it out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import median, quantiles

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from evolore.memory import Memory
from server_process import embedder_of, serving

SHARES = {"recall": 40, "answer": 15, "rate": 10, "list": 15, "remember": 15, "add": 5}
WARM_WORDS = 400
_SHOWN = 40
"""So many lines are printed of each fault that a server tells of."""


@dataclass
class Seen:
    """What one client saw."""

    took: dict[str, list[float]] = field(default_factory=lambda: {verb: [] for verb in SHARES})
    errors: Counter[str] = field(default_factory=Counter[str])
    statements: list[str] = field(default_factory=list[str])
    documents: list[str] = field(default_factory=list[str])
    locks: int = 0


class Asker:
    """A client that asks one server, one request after the other.

    Args:
        address: Of the server.
        number: Of the client.
        words: What it speaks of.
    """

    def __init__(self, address: str, number: int, words: list[str]) -> None:
        self._http = httpx2.Client(base_url=address, timeout=60)
        self._number = number
        self._words = words
        self._random = Random(number)
        self._said = 0
        self._answers: list[str] = []
        self.seen = Seen()

    def ask_until(self, end: float) -> None:
        """Ask until a moment."""
        verbs, weights = list(SHARES), list(SHARES.values())
        while time.perf_counter() < end:
            (verb,) = self._random.choices(verbs, weights)
            began = time.perf_counter()
            try:
                reply = self._ask(verb)
            except httpx2.HTTPError as error:
                self.seen.errors[f"{verb}: {type(error).__name__}"] += 1
                continue
            self.seen.took[verb].append(1000 * (time.perf_counter() - began))
            self._judge(verb, reply)
        self._http.close()

    def _judge(self, verb: str, reply: httpx2.Response) -> None:
        if reply.is_success:
            return
        self.seen.errors[f"{verb}: {reply.status_code}"] += 1
        self.seen.locks += "lock" in reply.text.casefold()

    def _ask(self, verb: str) -> httpx2.Response:
        if verb == "rate" and not self._answers:
            verb = "answer"
        if verb == "recall":
            return self._http.post("/recall", json={"question": self._phrase(5)})
        if verb == "answer":
            reply = self._http.post("/answers", json={"question": self._phrase(5)})
            if reply.is_success:
                self._answers.append(reply.json()["id"])
            return reply
        if verb == "rate":
            return self._http.post(
                f"/ratings/{self._answers.pop()}", json={"rating": self._random.choice(["good", "bad"])}
            )
        if verb == "list":
            return self._http.get(self._random.choice(["/documents", "/statements", "/questions"]))
        return self._write(verb)

    def _write(self, verb: str) -> httpx2.Response:
        self._said += 1
        text = f"Note {self._number}-{self._said}: {self._phrase(12)}."
        if verb == "remember":
            reply = self._http.post("/statements", json={"statements": [{"text": text, "speaker": f"s{self._number}"}]})
            if reply.is_success:
                self.seen.statements.append(reply.json()["episodes"][0]["id"])
            return reply
        reply = self._http.put("/documents", json={"source": f"{self._number}-{self._said}.md", "text": text})
        if reply.is_success:
            self.seen.documents.append(reply.json()["id"])
        return reply

    def _phrase(self, count: int) -> str:
        return " ".join(self._random.choices(self._words, k=count))


def main() -> None:
    """Run the benchmark; leave with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description="A load on servers of one store.")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--embedder", default="hashing")
    told = parser.parse_args()
    words = [f"w{number}" for number in range(WARM_WORDS)]
    with tempfile.TemporaryDirectory() as folder:
        store, logs = Path(folder) / "store", [Path(folder) / f"{number}.log" for number in range(told.servers)]
        with Memory.open(store, embedder=embedder_of(told.embedder)) as memory:
            memory.remember("The first thing that is known.")
        with ExitStack() as ends:
            servers = [ends.enter_context(serving(store, embedder=told.embedder, log=log)) for log in logs]
            addresses = [f"{one.address}/api" for one in servers]
            clients: range = range(told.clients)
            askers = [Asker(addresses[number % len(addresses)], number, words) for number in clients]
            end = time.perf_counter() + told.seconds
            threads = [threading.Thread(target=one.ask_until, args=(end,)) for one in askers]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        said = "".join(log.read_text() for log in logs)
        for fault in said.split("Traceback")[1:]:
            lines = fault.splitlines()
            ours = [line.strip() for line in lines if "evolore" in line or (line and not line[0].isspace())]
            print("\n".join(ours[:_SHOWN]))
        sys.exit(report([one.seen for one in askers], store, said, told.embedder, seconds=told.seconds))


def report(seen: list[Seen], store: Path, said: str, embedder: str, *, seconds: float) -> int:
    """Print what was seen; give 1 where the bar is missed."""
    for verb in SHARES:
        took = sorted(number for one in seen for number in one.took[verb])
        if len(took) > 1:
            most = quantiles(took, n=100)[-1]
            print(f"{verb:9} {len(took) / seconds:7.1f} /s   p50 {median(took):8.1f} ms   p99 {most:8.1f} ms")
    errors = sum((one.errors for one in seen), Counter[str]())
    lost = missing(seen, store, embedder)
    locks = sum(one.locks for one in seen) + said.casefold().count("lock")
    print(f"errors {errors.total()}   lost {lost}   lock errors {locks}")
    for what, count in errors.most_common(10):
        print(f"  {count} x {what}")
    return int(bool(errors.total() or lost or locks))


def missing(seen: list[Seen], store: Path, embedder: str) -> int:
    """Count what was acknowledged and is not there."""
    wanted = [id_ for one in seen for id_ in (*one.statements, *one.documents)]
    assert all(first != second for first, second in pairwise(sorted(wanted)))
    lost = 0
    with Memory.open(store, embedder=embedder_of(embedder)) as memory:
        for id_ in wanted:
            try:
                memory.show(id_)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is not there
                print(f"  {id_}: {error}")
                lost += 1
    print(f"acknowledged {len(wanted)}")
    return lost


if __name__ == "__main__":
    main()
