"""Print how a default store files notes of several matters, links everyday facts, and takes questions for insights.

Run it as ``.venv/bin/python benchmarks/notes.py [--blind]``. The sets are in ``tests/data/systems``, by a stranger; half
is blind. Nothing is maintained; every store has default settings and the default embedder.

- *two*, *interleaved*, *turn*, *clean*: notes that are split, with neighbours said before or after, with a speaker or not;
  *turn* is a message of a session. *smalltalk*: turns of everyday chats that are split.
- *senses*: ten statements that hold one word in two senses, then a note of both: words whose two senses are the note's contexts.
- *unrelated*: links between facts that have nothing in common, a statement, and the share of statements with a link.
- *insights*: questions rated good whose answer rests on two places that nothing joined, taken for an insight, and ordinary
  questions that are, in stores of 8, 20 and 60 statements.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.episode import Statement
from evolore.domain.outcome import Outcome
from evolore.flows.rate import RatedQuery
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, new_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import Embedder

Record: TypeAlias = "dict[str, Any]"
SETS = Path(__file__).parent.parent / "tests" / "data" / "systems"
LANGUAGES = ("en", "ja", "zh")
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = (8, 20, 60)
PURE = 0.8


def records(kind: str, language: str, *, blind: bool) -> list[Record]:
    """Read the visible half of a set, or the blind one."""
    lines = (SETS / f"{kind}_{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [record for record in map(json.loads, lines) if bool(record.get("blind")) is blind]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """How a note and its neighbours are said."""

    speaker: str | None
    is_first: bool  #: Whether the note comes before its neighbours.

    @property
    def name(self) -> str:
        """Return it in words."""
        return f"{'speaker' if self.speaker else 'nobody'}, {'first' if self.is_first else 'last'}"


TRIALS = tuple(
    Trial(speaker=speaker, is_first=is_first) for speaker, is_first in product((None, "Mika"), (False, True))
)


def is_split(embedder: Embedder, record: Record, trial: Trial) -> bool:
    """Say a note and its neighbours, and return whether the note is split."""
    note = Statement(
        text=record["text"],
        speaker=trial.speaker,
        session="chat" if record["kind"] == "turn" else None,
        occurred_at=BEGAN + timedelta(days=-1 if trial.is_first else 1),
    )
    around = [
        Statement(text=text, speaker=trial.speaker, occurred_at=BEGAN + timedelta(hours=hour))
        for hour, text in enumerate(text for side in record["around"] for text in side)
    ]
    with new_memory(embedder=embedder) as memory:
        said = [
            memory.remember_many([one]).episodes[0] for one in ([note, *around] if trial.is_first else [*around, note])
        ]
        return len(memory.outline.standing_for(said[0 if trial.is_first else -1].id)) > 1


def split_turns(embedder: Embedder, record: Record) -> list[str]:
    """Say a chat, and return the turns that are split."""
    with new_memory(embedder=embedder) as memory:
        turns = [Statement(text=one["text"], speaker=one["speaker"], session="chat") for one in record["turns"]]
        said = [memory.remember_many([turn]).episodes[0] for turn in turns]
        return [one.text for one in said if len(memory.outline.standing_for(one.id)) > 1]


def tells_senses(embedder: Embedder, record: Record) -> bool:
    """Return whether two contexts of a note about both senses of a word are these senses, at least four in five of each."""
    with new_memory(embedder=embedder) as memory:
        said = [
            (memory.remember(text).id, sense)
            for pair in zip(record["a"], record["b"], strict=True)
            for sense, text in zip("ab", pair, strict=True)
        ]
        both = memory.remember(record["both"])
        sides = [one.episode_ids for one in memory.questions.contexts(both.id).contexts if len(one.episode_ids) > 1]
    senses = dict(said)
    shares = [sum(senses.get(id_) == "a" for id_ in side) / len(side) for side in sides]
    return any(share >= PURE for share in shares) and any(share <= 1.0 - PURE for share in shares)


def links(embedder: Embedder, texts: Sequence[str]) -> tuple[int, int]:
    """Say unrelated facts, and count the links, and the facts that have one."""
    with new_memory(embedder=embedder) as memory:
        done = [memory.remember_many([Statement(text=text)]).integrated[0] for text in texts]
    pairs = [action.episode_ids for one in done for action in one.actions if action.deed.value == "linked"]
    return len(pairs), len({id_ for pair in pairs for id_ in pair})


def insights(embedder: Embedder, record: Record, others: Sequence[str], size: int) -> tuple[list[bool], list[bool]]:
    """Ask each question, rate it good with what it rests on, and return which were taken for an insight."""
    found: dict[str, list[bool]] = {"insights": [], "ordinary": []}
    for kind, taken in found.items():
        for asked in record[kind]:
            wanted = asked["rests_on"]
            kept = [*wanted, *(place for place in range(len(record["statements"])) if place not in wanted)]
            texts = [record["statements"][place] for place in kept]
            with new_memory(embedder=embedder) as memory:
                said = memory.remember_many([Statement(text=text) for text in [*texts, *others][:size]]).episodes
                recall = memory.recall(asked["question"], limit=size, record=False)
                given = {hit.episode.id for hit in recall.hits}
                cited = [one.id for one in said[: len(wanted)]]
                if not set(cited) <= given:
                    taken.append(False)
                    continue
                query = memory.questions.record(recall, cited=cited).id
                rated = memory.rate(query, "good")
                taken.append(isinstance(rated, RatedQuery) and rated.query.outcome is Outcome.INSIGHT)
    return found["insights"], found["ordinary"]


def main() -> None:
    """Try all, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--blind", action="store_true", help="the blind half")
    parser.add_argument("--only", choices=("notes", "senses", "links", "insights"), help="only this")
    given = parser.parse_args()
    blind: bool = given.blind
    embedder = RememberingEmbedder(embedder_named("use"))
    for language in LANGUAGES:
        notes = records("notes", language, blind=blind)
        for kind in ("two", "interleaved", "turn", "clean") if given.only in {None, "notes"} else ():
            those = [record for record in notes if record["kind"] == kind]
            counts = (f"{trial.name} {sum(is_split(embedder, one, trial) for one in those)}" for trial in TRIALS)
            print(f"{language} {kind}: of {len(those)} split: {'; '.join(counts)}", flush=True)
        chats = records("smalltalk", language, blind=blind) if given.only in {None, "notes"} else []
        torn = [text for chat in chats for text in split_turns(embedder, chat)]
        if chats:
            print(
                f"{language} smalltalk: {len(torn)} of {sum(len(one['turns']) for one in chats)} turns split",
                flush=True,
            )
        if given.only in {None, "senses"}:
            words = records("senses", language, blind=blind)
            told = sum(tells_senses(embedder, record) for record in words)
            print(f"{language} senses: {told} of {len(words)} words", flush=True)
        facts = [one["text"] for one in records("unrelated", language, blind=blind)]
        if given.only in {None, "links"}:
            count, linked = links(embedder, facts)
            print(f"{language} unrelated: {count / len(facts):.2f} links a statement, {linked / len(facts):.0%} linked")
        for size in SIZES if given.only in {None, "insights"} else ():
            all_taken: list[bool] = []
            all_ordinary: list[bool] = []
            for record in records("insights", language, blind=blind):
                others = [*facts, *(one["text"] for one in records("unrelated", language, blind=not blind))]
                taken, ordinary = insights(embedder, record, others, size)
                all_taken += taken
                all_ordinary += ordinary
            print(
                f"{language} insights among {size}: {sum(all_taken)} of {len(all_taken)}; "
                f"ordinary taken for one {sum(all_ordinary)} of {len(all_ordinary)}",
                flush=True,
            )


if __name__ == "__main__":
    main()
