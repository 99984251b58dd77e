"""Print what ``POST /api/recall`` costs over HTTP beside ``Memory.recall``.

    python benchmarks/server_overhead.py [--documents 300] [--questions 300]

A server is started in a process of its own on a loopback port, over a store of made-up documents; a stand-in embeds. The same
questions are asked of it by one connection, and of a ``Memory`` on the same store in this process, in turns. Printed: the
median and the 95th percentile of each in milliseconds, and the difference of the medians.

The bar for the difference is 3 ms, hoped for are 1.5. ``--documents 20 --questions 20`` tries it out.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from random import Random
from statistics import median, quantiles

os.environ["OMP_NUM_THREADS"] = "1"

import httpx2

from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from harness import store_folder

BAR_MS, HOPED_MS = 3.0, 1.5
SERVER = """
import sys, uvicorn
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
app = create_app(Memories(sys.argv[1], embedder=HashingEmbedder()))
config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False)
server = uvicorn.Server(config)
started = server.startup
async def startup(sockets=None):
    await started(sockets)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
server.startup = startup
server.run()
"""


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description="What HTTP adds to a recall.")
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--questions", type=int, default=300)
    told = parser.parse_args()
    words = [f"w{number}" for number in range(2000)]
    random = Random(7)
    with store_folder() as store, Memory.open(store, embedder=HashingEmbedder()) as memory:
        memory.add(*(_document(number, words, random) for number in range(told.documents)))
        questions = [" ".join(random.choices(words, k=6)) for _ in range(told.questions)]
        with subprocess.Popen([sys.executable, "-c", SERVER, str(store)], stdout=subprocess.PIPE, text=True) as server:
            try:
                assert server.stdout is not None
                _compare(memory, int(server.stdout.readline()), questions)
            finally:
                server.terminate()


def _document(number: int, words: list[str], random: Random) -> SourceText:
    sections = (f"# Part {part}\n\n{' '.join(random.choices(words, k=120))}.\n" for part in range(5))
    return SourceText(source=f"{number}.md", text="\n".join(sections), media_type=MediaType.MARKDOWN)


def _compare(memory: Memory, port: int, questions: list[str]) -> None:
    address = f"http://127.0.0.1:{port}/api/recall"
    spent: dict[str, list[float]] = {"Memory.recall": [], "POST /api/recall": []}
    with httpx2.Client() as http:
        for place, question in enumerate([*questions[:20], *questions]):
            start = time.perf_counter()
            found = memory.recall(question)
            between = time.perf_counter()
            reply = http.post(address, json={"question": question})
            end = time.perf_counter()
            assert len(reply.json()["hits"]) == len(found.hits)
            if place >= 20:  # the first are to warm up
                spent["Memory.recall"].append(1000 * (between - start))
                spent["POST /api/recall"].append(1000 * (end - between))
    for name, took in spent.items():
        print(f"{name:18} p50 {median(took):6.2f} ms   p95 {quantiles(took, n=20)[-1]:6.2f} ms")
    more = median(spent["POST /api/recall"]) - median(spent["Memory.recall"])
    print(f"{'more':18} p50 {more:6.2f} ms   (bar {BAR_MS}, hoped for {HOPED_MS})")


if __name__ == "__main__":
    main()
