"""Keep a server busy for long with as much going as comes, and look whether memory, files and waiting stay as they are.

    python benchmarks/soak.py [--minutes 30] [--clients 8] [--embedder hashing]

A server in a process of its own, asked on a loopback port by clients that recall, answer, rate, remember, list, add documents and
forget them a minute later. Every ten seconds what was said and asked more than a minute ago expires, and maintenance runs, with
``maintenance.log_days`` set to a minute. So the store holds the last minute at any time, and whatever grows is lost. Printed each
minute: requests a second, the 99th percentile of waiting, the server's resident memory, the store's size. At the end, how the mean of
the last fifth of the time differs from that of the fifth that follows the first sixth.

The bars: at most 5 % more memory, size and waiting; no error. ``--minutes 0.2 --clients 2`` tries it out.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import mean, quantiles

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["EVOLORE_MAINTENANCE__LOG_DAYS"] = str(60 / 86_400)

import httpx2

from evolore.memory import Memory
from server_process import embedder_of, serving

HELD_SECONDS = 60
DAY_SECONDS = 86_400
SHARES = {"recall": 45, "answer": 15, "rate": 10, "list": 10, "remember": 15, "add": 5}
MOST = 1.05
GONE = {404, 422}
PAUSE_SECONDS = 0.04
"""Between two requests of a client: the server is busy, and no queue grows."""
SWEPT_EVERY_SECONDS = 10


@dataclass
class Seen:
    """What was seen: when each request ended and how long it took, what failed, and how many rated what was gone."""

    took: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    errors: Counter[str] = field(default_factory=Counter[str])
    gone: int = 0


class Client(threading.Thread):
    """Asks a server until it is told to stop, and forgets each document it added.

    Args:
        address: Of the server's API.
        number: Of the client.
        end: When it stops.
    """

    def __init__(self, address: str, number: int, end: float) -> None:
        super().__init__()
        self._http = httpx2.Client(base_url=address, timeout=60, headers={"Evolore-Principal": f"client {number}"})
        self._random, self._number, self._end = Random(number), number, end
        self._answers: deque[tuple[float, str]] = deque(maxlen=20)
        self._added: deque[tuple[float, str]] = deque()
        self._count = 0
        self.seen = Seen()

    def run(self) -> None:
        """Ask until the end."""
        verbs, weights = list(SHARES), list(SHARES.values())
        while (now := time.monotonic()) < self._end:
            if self._added and now - self._added[0][0] > HELD_SECONDS:
                self._send("DELETE", f"/items/{self._added.popleft()[1]}", None)
            else:
                (verb,) = self._random.choices(verbs, weights)
                self._ask(verb)
            time.sleep(PAUSE_SECONDS)
        self._http.close()

    def _ask(self, verb: str) -> None:
        self._count += 1
        words = " ".join(self._random.choices(WORDS, k=6))
        now = time.monotonic()
        match verb:
            case "recall":
                self._send("POST", "/recall", {"question": words})
            case "answer":
                reply = self._send("POST", "/answers", {"question": words})
                self._answers += [(now, reply["id"])] if reply else []
            case "rate" if self._answers and now - self._answers[-1][0] < HELD_SECONDS / 2:
                rating = self._random.choice(["good", "bad"])
                self._send("POST", f"/ratings/{self._answers.pop()[1]}", {"rating": rating})
            case "remember":
                said = f"Note {self._number}-{self._count}: {words}."
                self._send("POST", "/statements", {"statements": [{"text": said, "speaker": f"s{self._number}"}]})
            case "add":
                source = f"{self._number}-{self._count}.md"
                reply = self._send("PUT", "/documents", {"source": source, "text": f"# Page\n\n{words}.\n"})
                self._added += [(now, reply["id"])] if reply else []
            case _:
                self._send("GET", self._random.choice(["/documents", "/statements", "/questions"]), None)

    def _send(self, method: str, path: str, body: object) -> dict[str, str] | None:
        began = time.monotonic()
        try:
            reply = (
                self._http.request(method, path, json=body) if body is not None else self._http.request(method, path)
            )
        except httpx2.HTTPError as error:
            self.seen.errors[f"{method} {path.split('/')[1]}: {type(error).__name__}"] += 1
            return None
        self.seen.took.append((time.monotonic(), 1000 * (time.monotonic() - began)))
        if method == "POST" and path.startswith("/ratings/") and reply.status_code in GONE:
            self.seen.gone += 1  # what the answer rests on was forgotten meanwhile, and the answer with it
            return None
        if not reply.is_success:
            self.seen.errors[f"{method} {path.split('/')[1]}: {reply.status_code}"] += 1
            return None
        return reply.json()


WORDS = [f"w{number}" for number in range(400)]


def sweep(address: str, end: float, errors: Counter[str]) -> None:
    """Let what is over expire, and maintain, every ten seconds."""
    with httpx2.Client(base_url=address, timeout=120) as http:
        while time.monotonic() < end:
            time.sleep(min(SWEPT_EVERY_SECONDS, max(0.0, end - time.monotonic())))
            rule = {"older_than_days": HELD_SECONDS / DAY_SECONDS, "questions": True}
            for path, body in (("/expire", rule), ("/maintain", {"items": 200})):
                reply = http.post(path, json=body)
                if not reply.is_success:
                    errors[f"{path}: {reply.status_code} {reply.text[:100]}"] += 1


def resident(pid: int) -> float:
    """Give how much memory a process holds, in MB."""
    said = Path(f"/proc/{pid}/status").read_text()
    return int(said.partition("VmRSS:")[2].split()[0]) / 1000


def size(store: Path) -> float:
    """Give how long the files of a store are together, in MB."""
    return sum(one.stat().st_size for one in store.rglob("*") if one.is_file()) / 1e6


def main() -> None:
    """Run the benchmark; leave with 1 where a bar is missed."""
    parser = argparse.ArgumentParser(description="A server that is busy for long.")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--embedder", default="hashing")
    told = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store"
        with Memory.open(store, embedder=embedder_of(told.embedder)) as memory:
            memory.remember("The first thing that is known.")
        with serving(store, embedder=told.embedder, log=Path(folder) / "log") as server:
            start = time.monotonic()
            end = start + 60 * told.minutes
            errors = Counter[str]()
            clients = [Client(f"{server.address}/api", number, end) for number in range(told.clients)]
            sweeper = threading.Thread(target=sweep, args=(f"{server.address}/api", end, errors))
            for one in (*clients, sweeper):
                one.start()
            held: list[tuple[float, float, float]] = []
            while time.monotonic() < end:
                time.sleep(min(2.0, max(0.0, end - time.monotonic())))
                held.append((time.monotonic(), resident(server.pid), size(store)))
            for one in (*clients, sweeper):
                one.join()
        took = sorted(one for client in clients for one in client.seen.took)
        gone = sum(client.seen.gone for client in clients)
        print(f"{gone} ratings of answers whose passages had been forgotten, refused")
        faults = sum((client.seen.errors for client in clients), errors)
        sys.exit(report(took, held, faults, start=start, seconds=60 * told.minutes))


def report(
    took: list[tuple[float, float]],
    held: list[tuple[float, float, float]],
    faults: Counter[str],
    *,
    start: float,
    seconds: float,
) -> int:
    """Print what was seen; give 1 where a bar is missed."""
    step = min(60.0, seconds / 6)
    for begin in range(round(seconds / step)):
        print(
            f"{(begin + 1) * step / 60:5.1f} min  {line(took, held, start + begin * step, start + (begin + 1) * step)}"
        )
    early = start + seconds / 6, start + seconds / 6 + seconds / 5
    late = start + seconds * 4 / 5, start + seconds
    missed = False
    for name, place in (("memory", 1), ("files", 2)):
        before, after = (mean(one[place] for one in held if a <= one[0] < b) for a, b in (early, late))
        missed |= told_more(name, before, after, "MB")
    before, after = (ninety_nine([ms for at, ms in took if a <= at < b]) for a, b in (early, late))
    missed |= told_more("p99", before, after, "ms")
    print(f"{len(took):,} requests; errors {faults.total()}: {dict(faults)}")
    return int(missed or bool(faults))


def line(took: list[tuple[float, float]], held: list[tuple[float, float, float]], begin: float, end: float) -> str:
    """Tell of a stretch of time."""
    waited = [ms for at, ms in took if begin <= at < end]
    now = [one for one in held if begin <= one[0] < end] or held[-1:]
    memory, files = (mean(one[place] for one in now) for place in (1, 2))
    return f"{len(waited) / (end - begin):6.1f} /s   p99 {ninety_nine(waited):7.1f} ms   memory {memory:7.1f} MB   files {files:7.2f} MB"


def ninety_nine(values: list[float]) -> float:
    """Give the 99th percentile."""
    return quantiles(values, n=100)[-1] if len(values) > 1 else 0.0


def told_more(name: str, before: float, after: float, unit: str) -> bool:
    """Say how much more something is; tell whether that is too much."""
    print(f"{name:7} {before:8.2f} -> {after:8.2f} {unit}: {100 * (after / before - 1):+.1f} % (bar +5 %)")
    return after > MOST * before


if __name__ == "__main__":
    main()
