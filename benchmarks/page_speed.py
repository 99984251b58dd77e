"""Print how fast pages are drawn from a large store, and how much a browser gets.

    python benchmarks/page_speed.py [--documents 10000] [--ratings 100000] [--rounds 20] [--store FOLDER]

A store of short made-up documents is filled; a stand-in embeds. 100,000 ratings lie there, so that some fifty documents
would be rewritten, and as many background jobs wait as there are documents. A server in a process of its own serves the
pages on a loopback port. Printed for each page: the median and the 95th percentile of the time to its whole HTML and the
latter of the processor time that the server spends, in milliseconds, the processor time of its very first view, and its
bytes gzipped; then the bytes of a first load, with style sheet, scripts and pictures, and of the largest page alone, which
is a later load. A store that is named is kept and used again.

The bars are 60 ms of processor time at the 95th percentile, 250 kB first and 30 kB later. ``--documents 50 --ratings 100 --rounds 3`` tries it
out.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from statistics import median, quantiles

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore.server.background import Background
from evolore.server.memories import Memories
from harness import store_folder

BAR_MS, FIRST_KB, LATER_KB = 60, 250, 30
PAGES = (
    *("", "/ask", "/documents", "/graph", "/evolution", "/effects", "/effects.csv", "/review", "/running"),
    *("/running/schedules", "/running/notifications", "/keys", "/audit", "/reference", "/reference/types"),
    *("/statements", "/people", "/ask/questions", "/evolution/gaps", "/documents?order=title"),
)
SERVER = """
import sys
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolore.server.running import run
app = create_app(Memories(sys.argv[1], embedder=HashingEmbedder()))
app.state.house.start = lambda: None  # what waits stays
run(app, host="127.0.0.1", port=0)
"""


_RATED = """
insert into feedback (ns, id, document_id, version, query_id, principal, rating, rated_at)
select ns, ?, ?, 1, '', ?, ?, ? from feedback limit 1
"""
"""Through a memory each would take as long as a page."""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="How fast pages are drawn.")
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--ratings", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--store", type=Path)
    told = parser.parse_args()
    with store_folder(told.store) as store:
        begun = time.perf_counter()
        if not (store / "evolore.db").exists():
            fill(store, told.documents, told.ratings)
        print(f"filled in {time.perf_counter() - begun:.0f} s")
        with Memory.open(store, embedder=HashingEmbedder()) as memory:
            document, item = memory.list(limit=1).documents[0].id, memory.review.list()[0].id
        with subprocess.Popen([sys.executable, "-c", SERVER, str(store)], stderr=subprocess.PIPE, text=True) as server:
            try:
                assert server.stderr is not None
                bound = next(found for line in server.stderr if (found := re.search(r"http://127.0.0.1:(\d+)", line)))
                own = (f"/documents/{document}", f"/documents/{document}/versions/1", f"/review/{item}")
                time.sleep(5)  # it gets ready
                measure(int(bound[1]), server.pid, (*PAGES, *own), told.rounds)
            finally:
                server.terminate()


def fill(store: Path, documents: int, ratings: int) -> None:
    """Fill a store."""
    random = Random(7)
    words = [f"w{number}" for number in range(2000)]
    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        memory.add(*(_document(number, words, random) for number in range(documents)))
        ids = [one.id for one in memory.list(limit=1).documents]
        memory.rate(ids[0], "bad", principal="reader")
        for number in range(min(100, documents)):
            memory.review.note(f"Look at {number}.")
    with closing(sqlite3.connect(store / "evolore.db")) as database, database:
        database.executemany(_RATED, (_rating(ids, number, random) for number in range(ratings)))
    memories = Memories(store, embedder=HashingEmbedder())
    background = Background(memories, now=lambda: datetime.now(UTC))
    memories.service.put(*(background.job("evolve", "default", f"page {number}") for number in range(documents)))
    memories.close()


def _rating(ids: list[str], number: int, random: Random) -> tuple[str, str, str, str, str]:
    """Make a rating: GOOD, but that every hundredth is about one of a few documents, and every other of these BAD."""
    is_of_few = number % 100 == 0
    about = ids[number // 100 % max(1, len(ids) // 200)] if is_of_few else random.choice(ids)
    at = datetime.now(UTC) - timedelta(minutes=number % 100_000)
    rating = random.choice(("good", "bad")) if is_of_few else "good"
    return f"feedback{number:08}", about, f"reader {number}", rating, at.isoformat(timespec="microseconds")


def _document(number: int, words: list[str], random: Random) -> SourceText:
    text = f"# Page {number}\n\n{' '.join(random.choices(words, k=30))}.\n"
    return SourceText(source=f"{number}.md", text=text, media_type=MediaType.MARKDOWN)


def _busy_seconds(process: int) -> float:
    """Return the processor time of all threads of a process."""
    threads = Path(f"/proc/{process}/task").iterdir()
    return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9


def measure(port: int, server: int, pages: tuple[str, ...], rounds: int) -> None:
    """Ask for every page so often, and print how that went."""
    address = f"http://127.0.0.1:{port}"
    took: dict[str, list[tuple[float, float]]] = {page: [] for page in pages}
    firsts: dict[str, float] = {}
    weights: dict[str, int] = {}
    with httpx2.Client(base_url=address, timeout=120) as http:
        for turn in range(rounds + 1):
            for page in pages:
                start, busy = time.perf_counter(), _busy_seconds(server)
                reply = http.get(f"/admin{page}")
                spent = 1000 * (time.perf_counter() - start), 1000 * (_busy_seconds(server) - busy)
                assert reply.status_code == 200, (page, reply.text)
                weights[page] = len(gzip.compress(reply.content))
                if turn:  # the first is to warm up
                    took[page].append(spent)
                else:
                    firsts[page] = spent[1]
        first = http.get("/admin").text
        drawn = set(re.findall(r'(?:src|href)="(/admin/assets/[^"]+)"', first))
        assets = sum(len(gzip.compress(http.get(one).content)) for one in drawn)
    for page, pairs in took.items():
        times, busy_times = zip(*pairs, strict=True)
        last, busiest = quantiles(times, n=20)[-1], quantiles(busy_times, n=20)[-1]
        mark = "" if busiest <= BAR_MS else "  too slow"
        figures = f"p50 {median(times):7.1f} ms   p95 {last:7.1f} ms   processor p50 {median(busy_times):6.1f} ms"
        figures += f"   p95 {busiest:6.1f} ms   first {firsts[page]:6.1f} ms"
        print(f"{f'/admin{page}':70} {figures}   {weights[page] / 1000:6.1f} kB{mark}")
    heaviest = max(weights.values())
    print(
        f"first load {(weights[''] + assets) / 1000:.1f} kB (bar {FIRST_KB}), later at the most {heaviest / 1000:.1f} kB (bar {LATER_KB})"
    )


if __name__ == "__main__":
    main()
