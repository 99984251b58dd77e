"""Print what a default store makes of everyday statements: what stays, what is found first, what is answered.

Run it as ``.venv/bin/python benchmarks/everyday.py [FOLDER] [--blind] [--only SET,…] [--language en,…] [--embedder NAME]``. A folder
holds a folder a language with the sets that ``tests/data/everyday/README.md`` describes; half of each is blind.

- *both_hold*: two statements that both hold, the second told after the first, at once (``now``) and forty days later
  (``later``). ``held``: both stay active; ``answered``: either question is answered with its own value; ``first``: either
  question finds its own statement first; ``right``: all three. ``marked``: one is called possibly replaced.
- *parts*: the second changes one of several facts. ``kept``: the other facts are answered; ``conflicts``: a person is asked.
- *corrections*: ``answered``: with the new value, the correction quoted first; ``sure``: the older is superseded.
- *changes*: real changes. ``newer``: the newer is above the older; ``marked``: superseded, or called possibly replaced;
  ``either``: one of both; ``sure``: superseded.
- *felt*: an old deep memory and a recent trifle of one theme, nothing stated. ``right``: the deep one is first.
- *unrelated*: every statement of every set in one store, as one speaker. ``sure``, ``likely``, ``conflict``: how many
  pairs were found in 10,000 that were near enough to be compared; the true ones of the sets are left out.
- *time*: everyday facts in stores of 5, 10, 20 and 40, told in one go or over months, with a speaker and without.
  ``changed``: another first hit than with time switched off; ``right``, ``right_off``: the fact asked for is first.
- *foreign*: stores of 1 to 40 facts, and of 40 of which two thirds are in other languages, with a speaker and without. ``silent``:
  share of foreign questions for which nothing is above the floor; ``lost``: share of questions whose fact is below it.
- *chat*: a talk of 60 turns, facts and small talk, asked for each fact with 1,500 tokens. ``turns``: how many are handed over;
  ``turns_all``: without a floor; ``kept``, ``kept_all``: the fact asked for is among them; ``silent``: nothing is, for foreign
  questions that no turn is.
"""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState, Statement
from evolore.domain.query import LEAST_LIKELIHOOD
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore.recall.settings import Decay, DecaySettings
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, is_blind, new_memory

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from evolore.domain.query import Recall
    from evolore.ports import Embedder

Record: TypeAlias = "dict[str, Any]"
SETS = Path(__file__).parent.parent / "tests" / "data" / "everyday"
BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
LATER = timedelta(days=40)
SIZES = (5, 10, 20, 40)
ROUNDS = 2
TALK, TALK_TOKENS = 20, 1500
WITHOUT_TIME = Settings(decay=DecaySettings(decay=Decay.NONE))


class Tally:
    """Counts what held of how many cases, by name."""

    def __init__(self) -> None:
        self._held: defaultdict[str, list[float]] = defaultdict(list)

    def add(self, **held: float) -> None:
        """Count one case."""
        for name, value in held.items():
            self._held[name].append(float(value))

    def __str__(self) -> str:
        shares = (f"{name} {sum(values) / len(values):.2f}" for name, values in self._held.items())
        most = max((len(values) for values in self._held.values()), default=0)
        return f"{'  '.join(shares)}  of {most}"


def records(folder: Path, name: str, *, blind: bool) -> list[Record]:
    """Read the visible half of a set, or the blind one."""
    lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    every = [json.loads(line) for line in lines if line.strip()]
    return [one for one in every if is_blind(one["id"]) is blind]


@contextmanager
def store(embedder: Embedder, settings: Settings | None = None) -> Generator[Memory]:
    """Open a new store in which a minute passes between two statements."""
    clock = SteppingClock(BEGAN + 10 * LATER, step=timedelta(seconds=20))
    with new_memory(embedder=embedder, clock=clock, settings=settings or Settings()) as memory:
        yield memory


def told(memory: Memory, texts: Sequence[str], speaker: str | None, gap: timedelta | None) -> list[str]:
    """Remember statements one after the other; return their ids."""
    whens = [None if gap is None else BEGAN + number * gap for number in range(len(texts))]
    return [
        memory.remember(text, speaker=speaker, occurred_at=when).id for text, when in zip(texts, whens, strict=True)
    ]


def is_first(memory: Memory, question: str, id_: str) -> bool:
    """Tell whether a statement is the first hit, itself or as a part of what stands for it."""
    found = memory.recall(question, record=False)
    return bool(found.hits) and id_ in {one.id for one in found.hits[0].episodes}


def states(memory: Memory, ids: Sequence[str]) -> set[EpisodeState]:
    """Return the states of what stands for statements."""
    heads = [memory.show(head) for id_ in ids for head in memory.outline.standing_for(id_)]
    return {one.state for one in heads if isinstance(one, Episode)}


def is_marked(found: Recall) -> bool:
    """Tell whether a hit is called possibly replaced."""
    return any(hit.possibly_replaced_by for hit in found.hits)


def said(memory: Memory, question: str) -> str:
    """Answer a question."""
    return memory.answer(question, record=False).text


def both_hold(one: Record, embedder: Embedder, gap: timedelta | None) -> Mapping[str, float]:
    """Tell two statements that both hold, and ask for either."""
    texts = (one["first"], one["second"])
    with store(embedder) as memory:
        ids = told(memory, texts, one["speaker"], gap)
        held = states(memory, ids) <= {EpisodeState.ACTIVE}
        asked = [(one["question_first"], one["answer_first"]), (one["question_second"], one["answer_second"])]
        if one["kind"] == "notation":  # both values are the same, and the statements may have become one
            both = [said(memory, question) for question, _ in asked]
            answered = all(any(value in text for _, value in asked) for text in both)
            first = True
        else:
            answered = all(value in said(memory, question) for question, value in asked)
            first = all(is_first(memory, question, id_) for (question, _), id_ in zip(asked, ids, strict=True))
        marked = any(is_marked(memory.recall(question, record=False)) for question, _ in asked)
    return {"right": held and answered and first, "held": held, "answered": answered, "first": first, "marked": marked}


def parts(one: Record, embedder: Embedder, gap: timedelta | None) -> Mapping[str, float]:
    """Change one of several facts, and ask for the others."""
    with store(embedder) as memory:
        ids = told(memory, (one["first"], one["second"]), one["speaker"], gap)
        kept = [kept["answer"] in said(memory, kept["question"]) for kept in one["kept"]]
        conflict = EpisodeState.CONFLICT_PENDING in states(memory, ids)
        changed = one["changed"]
        found = memory.recall(changed["question"], record=False)
        answer = said(memory, changed["question"])
    return {
        "kept": sum(kept) / len(kept),
        "conflicts": conflict,
        "answered_new": changed["new"] in answer,
        "noticed": is_marked(found) or any(hit.is_superseded for hit in found.hits),
    }


def corrections(one: Record, embedder: Embedder, gap: timedelta | None) -> Mapping[str, float]:
    """Correct a statement in words, and ask for the value."""
    with store(embedder) as memory:
        older, newer = told(memory, (one["first"], one["second"]), one["speaker"], gap)
        answer = memory.answer(one["question"], record=False)
        sure = EpisodeState.SUPERSEDED in states(memory, [older])
    holds_new = one["new"] in answer.text
    answered = holds_new and bool(answer.citations) and answer.citations[0].episode_id == newer
    return {"answered": answered, "holds_new": holds_new, "sure": sure}


def changes(one: Record, embedder: Embedder, gap: timedelta | None) -> Mapping[str, float]:
    """Tell what became otherwise, and ask how things are."""
    gap = None if gap is None else timedelta(days=one["days"])
    with store(embedder) as memory:
        older, newer = told(memory, (one["old"], one["new"]), one["speaker"], gap)
        found = memory.recall(one["question"], record=False)
        places = {episode.id: hit.rank for hit in found.shown for episode in hit.episodes}
        above = places.get(newer, 99) < places.get(older, 99)
        sure = EpisodeState.SUPERSEDED in states(memory, [older])
        marked = sure or is_marked(found)
    return {"newer": above, "marked": marked, "either": above or marked, "sure": sure}


def felt(one: Record, embedder: Embedder, gap: timedelta | None) -> Mapping[str, float]:
    """Ask after a feeling that an old memory and a recent trifle speak of."""
    del gap
    now = BEGAN + 10 * LATER
    with store(embedder) as memory:
        days = (one["felt_days_ago"], one["plain_days_ago"])
        ids = [
            memory.remember(text, speaker="Mika", occurred_at=now - timedelta(days=ago)).id
            for text, ago in zip((one["felt"], one["plain"]), days, strict=True)
        ]
        return {"right": is_first(memory, one["question"], ids[0])}


PAIRED = {"both_hold": both_hold, "parts": parts, "corrections": corrections, "changes": changes, "felt": felt}


def of_pairs(name: str, found: Sequence[Record], embedder: Embedder) -> Iterator[tuple[str, Tally]]:
    """Try a set of pairs, told at once and forty days apart; by kind where they have one."""
    for how, gap in (("now", None), ("later", LATER))[: 1 if name == "felt" else 2]:
        tallies: defaultdict[str, Tally] = defaultdict(Tally)
        for one in found:
            held = PAIRED[name](one, embedder, gap)
            for key in {one.get("kind", "all"), "all"}:
                tallies[key].add(**held)
        yield from ((f"{key:<12} {how}", tally) for key, tally in sorted(tallies.items()))


def unrelated(folder: Path, embedder: Embedder, *, blind: bool) -> str:
    """Tell all statements of all sets to one store, and count what was found between those that do not belong together."""
    partners: dict[str, str] = {}
    texts: list[str] = [one["fact"] for one in records(folder, "facts", blind=blind)]
    for name, keys in (
        ("both_hold", ("first", "second")),
        ("parts", ("first", "second")),
        ("corrections", ("first", "second")),
        ("changes", ("old", "new")),
    ):
        for one in records(folder, name, blind=blind):
            first, second = (one[key] for key in keys)
            partners[first], partners[second] = second, first
            texts += [first, second]
    random.Random(7).shuffle(texts)
    counts: defaultdict[str, int] = defaultdict(int)
    with store(embedder) as memory:
        done = memory.remember_many(
            [
                Statement(text=text, speaker="Mika", occurred_at=BEGAN + number * timedelta(days=1))
                for number, text in enumerate(texts)
            ]
        )
        text_of = {one.id: one.text for one in done.episodes}
        for one in done.integrated:
            for action in one.actions:
                pair = [text_of.get(id_, "") for id_ in action.episode_ids[:2]]
                if action.deed.value != "linked" and partners.get(pair[0]) != pair[-1]:
                    counts[action.deed.value] += 1
    pairs = len(texts) * (len(texts) - 1) // 2
    told_of = "  ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f"{told_of or 'none'}  in {len(texts)} statements, {pairs:,} pairs"


def time_changes(folder: Path, embedder: Embedder, *, blind: bool) -> Iterator[tuple[str, Tally]]:
    """Ask stores of everyday facts with time and without."""
    facts = records(folder, "facts", blind=blind)
    for size in SIZES:
        for speaker in (None, "Mika"):
            for how, gap in (("at once", None), ("over months", timedelta(days=9))):
                tally = Tally()
                for round_ in range(ROUNDS):
                    chosen = random.Random(1000 * round_ + size).sample(facts, len(facts))
                    for start in range(0, len(chosen) - size + 1, size):
                        ask_both(chosen[start : start + size], embedder, speaker, gap, tally)
                yield f"size {size:>2} {how:<11} {'speaker' if speaker else 'nobody':<8}", tally


def ask_both(
    facts: Sequence[Record], embedder: Embedder, speaker: str | None, gap: timedelta | None, tally: Tally
) -> None:
    """Ask one store of facts for each of them, with time and with time switched off."""
    firsts: list[list[str]] = []
    for settings in (Settings(), WITHOUT_TIME):
        with store(embedder, settings) as memory:
            ids = told(memory, [one["fact"] for one in facts], speaker, gap)
            place = {id_: number for number, id_ in enumerate(ids)}
            hits = [memory.recall(one["question"], record=False).hits for one in facts]
            firsts.append([str(place.get(found[0].episode.id, -1)) if found else "" for found in hits])
    for number, (with_time, without) in enumerate(zip(*firsts, strict=True)):
        tally.add(changed=with_time != without, right=with_time == str(number), right_off=without == str(number))


def foreign(folder: Path, embedder: Embedder, *, blind: bool) -> Iterator[tuple[str, Tally]]:
    """Ask stores of everyday facts for each of them, and what has nothing to do with any."""
    facts, asked = (records(folder, name, blind=blind) for name in ("facts", "foreign"))
    elsewhere = [
        one["fact"]
        for other in sorted(folder.parent.iterdir())
        if other != folder and (other / "facts.jsonl").is_file()
        for one in records(other, "facts", blind=blind)
    ]
    mixed = SIZES[-1] // 3
    for size, others in (*((size, 0) for size in (1, *SIZES)), (mixed, SIZES[-1] - mixed)):
        for speaker in (None, "Mika"):
            tally, draw = Tally(), random.Random(size)
            chosen = draw.sample(facts, len(facts))
            for start in range(0, len(chosen) - size + 1, size):
                part = chosen[start : start + size]
                with store(embedder) as memory:
                    ids = told(memory, [one["fact"] for one in part], speaker, None)
                    told(memory, draw.sample(elsewhere, others), speaker, None)
                    for id_, one in zip(ids, part, strict=True):
                        tally.add(lost=not is_among(memory, one["question"], id_))
                    for one in asked:
                        tally.add(silent=not memory.recall(one["question"], least=LEAST_LIKELIHOOD, record=False).hits)
            yield (
                f"size {size + others:>2} {'mixed' if others else '':<5} {'speaker' if speaker else 'nobody':<8}",
                tally,
            )


def is_among(memory: Memory, question: str, id_: str) -> bool:
    """Tell whether a statement is among the hits that bear on a question."""
    found = memory.recall(question, record=False, limit=SIZES[-1], least=LEAST_LIKELIHOOD)
    return any(id_ in {episode.id for episode in hit.episodes} for hit in found.hits)


def chat(folder: Path, embedder: Embedder, *, blind: bool) -> Iterator[tuple[str, Tally]]:
    """Ask a talk of facts and small talk for each fact, as a chat does."""
    facts, said = (records(folder, name, blind=blind) for name in ("facts", "foreign"))
    small, asked = said[:TALK], said[TALK:]
    turns = [(one["fact"], one["question"]) for one in facts] + [(one["question"], None) for one in small]
    random.Random(7).shuffle(turns)
    with store(embedder) as memory:
        ids = [
            memory.remember(text, speaker="user", session="talk", occurred_at=BEGAN + number * timedelta(minutes=1)).id
            for number, (text, _) in enumerate(turns)
        ]
        tally = Tally()
        for id_, (_, question) in zip(ids, turns, strict=True):
            if question is not None:
                for name, least in (("", None), ("_all", 0.0)):
                    found = memory.recall(question, record=False, tokens=TALK_TOKENS, least=least)
                    handed = [episode.id for hit in found.hits for episode in hit.episodes]
                    tally.add(**{f"turns{name}": len(handed), f"kept{name}": id_ in handed})
        for one in asked:
            tally.add(silent=not memory.recall(one["question"], record=False, tokens=TALK_TOKENS).hits)
    yield f"{len(turns)} turns", tally


OF_FACTS = {"time": time_changes, "foreign": foreign, "chat": chat}


def main() -> None:
    """Print the figures that are asked for."""
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SETS, help="where the sets lie, a folder a language")
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument(
        "--only", default="both_hold,parts,corrections,changes,felt,unrelated,time,foreign,chat", help="which sets"
    )
    parser.add_argument("--language", default="en,ja,zh")
    parser.add_argument("--embedder", default="use", help="the embedder's name, as in the setting")
    given = parser.parse_args()
    embedder = RememberingEmbedder(embedder_named(given.embedder))
    for name in given.only.split(","):
        for language in given.language.split(","):
            folder = given.folder / language
            if name in PAIRED:
                rows: Iterator[tuple[str, object]] = of_pairs(name, records(folder, name, blind=given.blind), embedder)
            elif name in OF_FACTS:
                rows = OF_FACTS[name](folder, embedder, blind=given.blind)
            else:
                rows = iter([("all", unrelated(folder, embedder, blind=given.blind))])
            for what, figures in rows:
                print(f"{name:<12} {language}  {what:<22} {figures}", flush=True)


if __name__ == "__main__":
    main()
