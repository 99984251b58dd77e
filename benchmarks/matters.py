"""Print what default stores do by themselves: split notes of two matters, tell contexts apart, merge, and link.

Run it as ``.venv/bin/python benchmarks/matters.py [--blind]``. The sets are in ``tests/data/matters``; half of each is
blind. A store is opened anew for each note, word and pair, with default settings and the default embedder.

- *notes*: six statements are remembered, three of either matter; then a note of both, which should be split, or one of
  one matter, which should not; then ``maintain``. ``pool``: the same with the neighbours of all notes in one store.
- *words*: eight statements that hold one word in two senses, then an episode of both; ``contexts`` should find two, each
  of one sense by three quarters. *apple* is that word in three languages.
- *pairs*: near-duplicates that say the same, or not. *turns*: small talk with its speakers; how many say "linked".
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.episode import Statement
from evolore.flows.remember.plan import Became
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, new_memory

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from evolore.ports import Embedder

Record: TypeAlias = "dict[str, Any]"
SETS = Path(__file__).parent.parent / "tests" / "data" / "matters"
LANGUAGES = ("en", "ja", "zh")
APPLES = frozenset(("apple", "アップル", "苹果"))
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PURE = 0.75
JOINED = frozenset((Became.MERGED, Became.DUPLICATE))


def records(kind: str, language: str, *, blind: bool) -> list[Record]:
    """Read the visible half of a set, or the blind one."""
    lines = (SETS / f"{kind}_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if bool(record.get("blind")) is blind]


@contextmanager
def store(embedder: Embedder, said: Sequence[str] = ()) -> Generator[Memory]:
    """Open a new store that holds statements, an hour apart."""
    with new_memory(embedder=embedder) as memory:
        memory.remember_many(
            [Statement(text=text, occurred_at=BEGAN + timedelta(hours=hour)) for hour, text in enumerate(said)]
        )
        if said:
            memory.maintain()
        yield memory


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How notes and their neighbours are remembered, one at a time."""

    name: str
    speaker: str | None = None  #: Who says all.
    session: str | None = None  #: The conversation of the note.
    is_first: bool = False  #: Whether the note comes before its neighbours.
    is_pooled: bool = False  #: Whether the neighbours of all notes are in one store.


TRIALS = (
    Trial(name="neighbours before"),
    Trial(name="neighbours after", is_first=True),
    Trial(name="a speaker, before", speaker="Mika"),
    Trial(name="a speaker, after", speaker="Mika", is_first=True),
    Trial(name="a session, before", speaker="Mika", session="chat"),
    Trial(name="pool, before", is_pooled=True),
)


def split_notes(embedder: Embedder, found: Sequence[Record], kind: str, trial: Trial) -> int:
    """Count the notes that are split in the end; nothing is maintained."""
    count = 0
    pool = [text for record in found for group in record["neighbours"] for text in group]
    for record in found:
        around = (
            pool if trial.is_pooled else [text for pair in zip(*record["neighbours"], strict=True) for text in pair]
        )
        said, note = [record[kind], *around] if trial.is_first else [*around, record[kind]], ""
        with store(embedder) as memory:
            for hour, text in enumerate(said):
                done = memory.remember(
                    text,
                    speaker=trial.speaker,
                    session=trial.session if text == record[kind] else None,
                    occurred_at=BEGAN + timedelta(hours=hour),
                )
                note = done.id if text == record[kind] else note
            count += len(memory.outline.standing_for(note)) > 1
    return count


def tells_senses(embedder: Embedder, record: Record, language: str) -> bool:
    """Tell whether the contexts of an episode about both senses of a word are its senses."""
    texts = {item["id"]: item["text"] for item in record["items"]}
    others = [id_ for id_ in record["order"] if id_ not in {"a1", "b1"}]
    with store(embedder) as memory:
        sense = {memory.remember(texts[id_]).id: id_[0] for id_ in others}
        both = memory.remember((" " if language == "en" else "").join((texts["a1"], texts["b1"])))
        sides = [side.episode_ids for side in memory.questions.contexts(both.id).contexts if len(side.episode_ids) > 1]
    shares = [sum(sense[id_] == "a" for id_ in side) / len(side) for side in sides]
    return any(share >= PURE for share in shares) and any(share <= 1.0 - PURE for share in shares)


def joins(embedder: Embedder, record: Record) -> bool:
    """Tell whether the second of a pair becomes one with the first."""
    with store(embedder) as memory:
        done = memory.remember_many([Statement(text=record[one], occurred_at=BEGAN) for one in ("a", "b")])
        return done.integrated[1].became in JOINED


def main() -> None:
    """Try all, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--blind", action="store_true", help="the blind half")
    parser.add_argument("--no-pool", action="store_true", help="leave out the stores that hold all neighbours")
    given = parser.parse_args()
    blind: bool = given.blind
    embedder = RememberingEmbedder(embedder_named("use"))
    for language in LANGUAGES:
        notes = records("notes", language, blind=blind)
        for trial in TRIALS[: -1 if given.no_pool else None]:
            counts = {kind: split_notes(embedder, notes, kind, trial) for kind in ("note", "clean")}
            print(
                f"{language} {trial.name}: split {counts['note']} of {len(notes)}, clean {counts['clean']}", flush=True
            )
        words = records("senses", language, blind=blind)
        told = [record["word"] for record in words if tells_senses(embedder, record, language)]
        print(f"{language} words: {len(told)} of {len(words)}, apple {bool(APPLES & {*told})}", flush=True)
        pairs = records("near", language, blind=blind)
        joined = [record for record in pairs if joins(embedder, record)]
        right = sum(record["same"] for record in joined)
        same = sum(record["same"] for record in pairs)
        print(f"{language} pairs: merged {right} of {same} right, {len(joined) - right} wrong", flush=True)
        turns = [turn for record in records("smalltalk", language, blind=blind) for turn in record["turns"]]
        with store(embedder) as memory:
            done = memory.remember_many(
                [Statement(text=turn["text"], speaker=turn["speaker"], session="chat") for turn in turns]
            )
        linked = sum(one.became is Became.LINKED for one in done.integrated)
        print(f"{language} turns: {linked} of {len(turns)} linked", flush=True)


if __name__ == "__main__":
    main()
