"""A random walk over the verbs of a memory from one seed, beside an account of what must be true after each step."""

from __future__ import annotations

import random
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from shutil import copytree
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from chance import Ids
from evolore.config import Settings
from evolore.domain.chat import ChatSettings
from evolore.domain.episode import EpisodeState
from evolore.episodes.settings import MaintenanceSettings
from evolore.episodes.shared_sentences import folded
from evolore.errors import EvoloreError, InputError, TryAgain
from evolore.memory import Memory
from evolore.store import events
from evolore.text.sentences import sentence_spans
from evolving import canaries, complaints
from simulation.account import Account, read
from simulation.world import (
    CALLS_A_DAY,
    SAYINGS,
    Embedder,
    EmbedderFailed,
    JumpingClock,
    MoodyModel,
    held_bytes,
    killed,
    marks,
    rows_by_namespace,
)
from store.test_disk_faults import pages_left
from store.test_index import facts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from simulation.account import Held

STEPS = 24
NAMES = ("a", "b")
EVOLVING, PAGE = "default", "refunds.md"
WHO = (None, "ann", "ben", "cy")
SESSIONS = (None, "s", "t")
SOURCES = ("0.md", "1.md")
ALL = 1000
EVOLVES = 10
"""Every so many seeds begin with a third namespace, in which a job waits for a person."""
EVERY = 9
"""So many steps lie between two looks at what is dear to look at."""
FAULTS = ("", "killed", "disk full", "embedder fails")
OF_FAULTS = (10, 1, 1, 1)


@cache
def _waiting() -> Path:
    """Make a store with a job that waits for a person, with the same ids each time."""
    with patch.object(events, "secrets", Ids(random.Random(0))):
        complaints._template.cache_clear()  # which other tests made with ids drawn by chance
        canaries._waiting.cache_clear()
        return canaries._waiting() / "store"


class Violation(AssertionError):
    """Something that must be true is not; it tells the seed, the steps, and how to repeat them."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A backup: where it lies, and what was held when it was made."""

    folder: Path
    held: Mapping[str, Held]
    older: Mapping[tuple[str, str], frozenset[str]]
    model: str


class Walk:
    """One store under two handles, and the account of each of its namespaces."""

    def __init__(self, seed: int, folder: Path, *, steps: int = STEPS) -> None:
        self.length = "" if steps == STEPS else f" --steps {steps}"
        self.random = random.Random(seed)
        self.seed, self.root, self.folder = seed, folder, folder / "store"
        self.clock, self.ids = JumpingClock(), Ids(random.Random(seed))
        self.chat = MoodyModel(random.Random(seed), self.clock)
        self.embedders = [Embedder(), Embedder()]
        self.told: list[str] = []
        self.handles: dict[tuple[int, str], Memory] = {}
        self.held: dict[str, Held] = {}
        self.older: dict[tuple[str, str], frozenset[str]] = {}
        self.spoken: set[str] = set()
        self.events: dict[str, list[str]] = {}
        self.digests: dict[str, int] = {}
        self.reader, self.may_linger = ExitStack(), False
        self.kept: Kept | None = None
        self.copies, self.name, self.at = 0, NAMES[0], 0
        self.sayings = self.random.sample(SAYINGS, 5)
        self.names = NAMES
        if seed % EVOLVES == 0:
            self.names = (*NAMES, EVOLVING)
            copytree(_waiting(), self.folder)

    # What a step stands on

    def memory(self, handle: int, name: str) -> Memory:
        """Give one handle's memory of a namespace, opened where it is not; the second one has a chat model."""
        if (handle, name) not in self.handles:
            self.handles[handle, name] = self.opened(self.folder, handle, name)
        return self.handles[handle, name]

    def opened(self, folder: Path, handle: int, name: str) -> Memory:
        chat = ChatSettings(day_calls=CALLS_A_DAY, tries=1)
        return Memory.open(
            folder,
            namespace=name,
            embedder=self.embedders[handle],
            chat_model=self.chat if handle else None,
            clock=self.clock,
            settings=Settings(
                evolution=canaries.with_canary(canaries.QUICK), chat=chat, maintenance=MaintenanceSettings(log_days=1)
            ),
        )

    def close(self) -> None:
        self.end_reading()
        for key in list(self.handles):
            self.handles.pop(key).close()
        self.digests = {}

    def end_reading(self) -> None:
        self.reader.close()

    @property
    def here(self) -> Memory:
        return self.memory(self.at, self.name)

    @property
    def account(self) -> Account:
        return self.held[self.name].account if self.name in self.held else Account()

    @property
    def statements(self) -> list[str]:
        return sorted(self.held[self.name].said)

    def pick(self, *among: Any) -> Any:  # noqa: ANN401 - one of what is given
        return self.random.choice(among)

    def coin(self) -> bool:
        return self.random.random() < 0.5

    def new_mark(self) -> str:
        mark = f"qu{self.name[0]}{len(self.spoken)}z"
        self.spoken.add(mark)
        return mark

    def subject(self) -> str:
        known = sorted(marks(list(self.account.statements)), key=lambda mark: int(mark[3:-1]))
        return self.pick(*known[-3:]) if known and self.random.random() < 0.75 else self.new_mark()

    def live(self, *names: str) -> set[str]:
        """Give the marks of what is held, in older versions of documents too."""
        found: set[str] = set()
        for name in names or self.names:
            if name in self.held:
                account = self.held[name].account
                found |= marks([account.statements, account.documents, account.questions])
                found.update(*(self.older.get((name, source), ()) for source in account.documents))
        return found

    # What is looked at

    def step(self, name: str, verb: Callable[[Walk], None]) -> None:
        """Take a step, and look whether all is as it must be.

        Raises:
            Violation: It is not.
        """
        self.name, self.at = name, self.random.randrange(2)
        self.told.append(f"{len(self.told)}. {verb.__name__} (handle {self.at}, namespace {name})")
        try:
            verb(self)
            self.look()
            if len(self.told) % EVERY == 0:
                self.look_closely()
        except Exception as error:
            steps = "\n".join(self.told)
            raise Violation(
                f"Seed {self.seed} fails: {type(error).__name__}: {error}\n{steps}\n"
                f"Repeat it: PYTHONPATH=tests python -m simulation --seed {self.seed}{self.length}"
            ) from error

    def look(self) -> None:
        """Look that no namespace but the one of this step was touched, and that no more was spent than may be."""
        digests = rows_by_namespace(self.folder)
        touched = [name for name, digest in self.digests.items() if name != self.name and digests[name] != digest]
        assert not touched, f"rows of other namespaces changed: {touched}"
        self.digests = digests
        assert max(self.chat.days.values(), default=0) <= CALLS_A_DAY

    def look_closely(self) -> None:
        """Look at what costs more: the indexes, what stands for what was said, what is found, and the events."""
        kept = [self.facts(self.memory(handle, self.name)) for handle in (0, 1)]
        with self.opened(self.folder, 0, self.name) as fresh:
            kept.append(self.facts(fresh))
        assert kept[0] == kept[1] == kept[2], "an open index is not what one built anew is"
        assert read(self.here) == self.held[self.name]
        self.look_at_what_stands()
        assert self.here.store.verify().is_whole, "the chain of events is broken"

    def facts(self, memory: Memory) -> dict[str, object]:
        with memory._context.store.index(self.name) as (view, _):
            return facts(view)

    def trust(self) -> dict[str, tuple[float, float | None]]:
        """Give the confidence and arousal of all that can be recalled."""
        with self.here._context.store.index(self.name) as (view, reader):
            return {one.id: (one.confidence, one.arousal) for one in reader.episodes(sorted(view.episode_ids))}

    def look_at_what_stands(self) -> None:
        """Look that each sentence that was said is in what stands for it, and is found, unless it was taken back."""
        with self.here._context.store.index(self.name) as (view, reader):
            episodes = {one.id: one for one in reader.episodes(sorted(view.episode_ids))}
            holders = reader.standing_for(self.statements)
            members = reader.members(sorted(episodes))
        for id_, ids in holders.items():
            above = [one for one, held in members.items() if id_ in {member.id for member in held}]
            revoked = any(episodes[one].state is EpisodeState.REVOKED for one in (id_, *above))
            assert ids or revoked, f"nothing stands for {episodes[id_].text!r}"
            text = "".join(folded(episodes[one].text) for one in ids)
            for span in sentence_spans(episodes[id_].text):
                assert not ids or folded(span.of(episodes[id_].text)) in text, f"{episodes[id_].text!r} lost words"
        for id_ in self.random.sample(self.statements, min(3, len(self.statements))):
            hits = self.here.recall(episodes[id_].text, limit=ALL, record=False, fold_echoes=False).hits
            ids = set(holders[id_])
            assert not ids or ids & {hit.episode.id for hit in hits}, f"{episodes[id_].text!r} is not found"

    def look_at_bytes(self) -> None:
        """Look that nothing forgotten lies in the files, unless something may have kept them from being written anew."""
        if not self.may_linger:
            gone, held = self.spoken - self.live(), held_bytes(self.folder)
            lies = sorted(mark for mark in gone if mark.encode() in held)
            assert not lies, f"bytes of what was forgotten lie in the store: {lies}"

    # How a verb is called

    def ask(self, told: str, call: Callable[[], Any], *, also: str | None = None) -> Any:  # noqa: ANN401 - as it comes
        """Call a verb, and see that what it gives, or says when it refuses, tells of nothing forgotten or foreign."""
        self.told[-1] += f"\n     {told}"
        allowed = self.live(self.name, *([also] if also else [])) | marks(told)
        try:
            found = call()
        except (EvoloreError, EmbedderFailed) as error:
            found = error
            self.told[-1] += f" -> {type(error).__name__}: {error}".replace(str(self.root), "")
        foreign = marks([found, str(found)]) - allowed
        assert not foreign, f"what was forgotten, or is another namespace's, shows: {sorted(foreign)} in {found!r}"
        if isinstance(found, Exception) and not isinstance(found, (InputError, TryAgain, EmbedderFailed)):
            raise found
        return found

    def change(self, told: str, call: Callable[[], Any], after: Account | None = None, *, calm: bool = False) -> Any:  # noqa: ANN401
        """Call a verb that writes, maybe under a fault; what is held then is what it was, or what it must become."""
        before = self.account
        after = before if after is None else after
        (fault,) = ("",) if calm else self.random.choices(FAULTS, OF_FAULTS)
        told += f" [{fault}]" if fault else ""
        with self.under(fault, call) as really:
            found = self.ask(told, really)
        failed = isinstance(found, Exception)
        self.may_linger |= bool(getattr(found, "lingering_in", ()))
        held = read(self.memory(1 - self.at, self.name))
        allowed = [before] if failed and fault != "disk full" else [before, after] if fault else [after]
        assert held.account in allowed, f"what is held is not what must be: {held.account}, and not {allowed}"
        self.held[self.name] = held
        for event_id in () if failed else getattr(found, "event_ids", ()):
            self.events.setdefault(self.name, []).append(event_id)
        return found

    @contextmanager
    def under(self, fault: str, call: Callable[[], Any]) -> Generator[Callable[[], Any]]:
        """Give the call as it is made under a fault."""
        number, here, embedder = self.random.randint(1, 12), self.here, self.embedders[self.at]
        if fault == "killed":
            self.may_linger = True
            yield lambda: killed(number, call)
            self.ids.randbits(64)  # those that the child drew may be in the store
            self.clock.jump(0.01)
        elif fault == "disk full":
            self.may_linger = True
            with pages_left(here, self.folder, number % 4):
                yield call
            del self.handles[self.at, self.name]  # which was closed
        else:
            embedder.fails = bool(fault)
            yield call
            embedder.fails = False
