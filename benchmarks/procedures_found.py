"""Print which procedures are found by what somebody wants to do, and which version is offered after a history.

Run it as ``.venv/bin/python benchmarks/procedures_found.py [--blind] [--misses] [--small]`` (the blind half; what was missed; two
histories). A default store holds 300 statements of talk and all of ``tests/data/procedures``. *plain* is one namespace without speakers
or dates; in *dressed*, procedures have a speaker and a date and are in a namespace that another person reads beside the own.

- *first*, *first three*: wants whose procedure is the first hit, or among the first three, once all were reviewed.
- *first offered*: wants whose procedure is the first of the procedures that are hits; *beside*: other procedures offered for each.
- *for nothing*: wants nothing stored helps that are offered one; *before review*: wants that offer another person an unreviewed one.
- *histories*: those after which the right version is offered to the asker, or none, and none that must not be without a mark.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, read_lines, store_folder

if TYPE_CHECKING:
    from evolore import Hit

DATA = Path(__file__).parent.parent / "tests" / "data"
TALK = 100


class Calendar:
    """A clock that can be set, and moves a second a reading."""

    at = datetime(2026, 1, 1, 9, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time it is set to, and move on."""
        self.at += timedelta(seconds=1)
        return self.at


def talk(*, is_dressed: bool) -> list[Statement]:
    """Return what people said about other things, TALK statements a language."""
    kept = ("text", "speaker", "occurred_at") if is_dressed else ("text",)
    said: list[dict[str, Any]] = []
    for language in ("en", "ja", "zh"):
        people = read_lines(DATA / "life" / "everyday" / f"{language}.jsonl")
        said += [item | {"speaker": person["id"]} for person in people for item in person["items"]][:TALK]
    return [Statement(**{name: item[name] for name in kept}) for item in said]


class Team:
    """A store of two namespaces, or of one, with talk in it."""

    def __init__(self, stack: ExitStack, *, embedder: RememberingEmbedder, is_dressed: bool) -> None:
        self.is_dressed = is_dressed
        self.clock = Calendar()
        how: dict[str, Any] = {"embedder": embedder, "settings": Settings(), "clock": self.clock}
        folder = stack.enter_context(store_folder())
        self.memory = stack.enter_context(Memory.open(folder, namespace="team", **how))
        self.own = stack.enter_context(Memory.open(folder, namespace="own", **how)) if is_dressed else self.memory
        for at, memory in enumerate((self.memory, self.own)):
            memory.remember_many(talk(is_dressed=is_dressed)[at::2])

    def tell(self, text: str, outcome: str, who: str, about: list[str] | None = None) -> str:
        """Remember steps with how they turned out; return their id."""
        more: dict[str, Any] = {"about": tuple(about)} if about else {}
        more |= {"speaker": who, "occurred_at": self.clock.now()} if self.is_dressed else {}
        return self.memory.remember(text, kind="procedure", outcome=outcome, principal=who, **more).id

    def review(self, *ids: str) -> None:
        """Find procedures good."""
        for item in self.memory.review.list(category="procedure"):
            if item.id and item.episode_id in ids:
                self.memory.review.resolve(item.id, principal="lead")

    def ask(self, text: str, who: str) -> tuple[Hit, ...]:
        """Return what is found for somebody."""
        return self.own.recall(text, principal=who, also=["team"] * self.is_dressed, record=False).hits


def found(team: Team, half: str, counts: Counter[str]) -> list[str]:
    """Count what the wants of a half find; return a line for each miss."""
    ids: dict[str, str] = {}
    for name in ("", "blind_"):
        for one in read_lines(DATA / "procedures" / f"{name}procedures.jsonl"):
            ids[team.tell(one["text"], "worked", "ana", one.get("about"))] = one["id"]
    wants = read_lines(DATA / "procedures" / f"{half}wants.jsonl")
    counts["wants"] = sum(want["right"] is not None for want in wants)
    for want in wants:
        counts["before review"] += any(hit.episode.is_procedure for hit in team.ask(want["text"], "ben"))
    team.review(*ids)
    misses: list[str] = []
    for want in wants:
        hits = [ids.get(hit.episode.id) for hit in team.ask(want["text"], "ben")]
        offered = [one for one in hits if one]
        is_right = (hits if want["right"] else offered)[:1] == [want["right"]] * bool(want["right"])
        counts["for nothing"] += bool(offered and not want["right"])
        counts["first"] += bool(is_right and want["right"])
        if want["right"]:
            counts["three"] += want["right"] in hits[:3]
            counts["first offered"] += offered[:1] == [want["right"]]
            counts["beside"] += len(set(offered) - {want["right"]})
        if not is_right:
            misses.append(f"  {want['id']} {want['text']} → {want['right']}: {hits[:4]}, offered {offered}")
    return misses


def take(team: Team, event: dict[str, str], record: dict[str, Any], ids: dict[str, str]) -> None:
    """Let one event of a history happen."""
    memory, who, version = team.memory, event["who"], event["version"]
    team.clock.at = max(team.clock.at, datetime.fromisoformat(event["on"]).replace(hour=10, tzinfo=UTC))
    match event["what"]:
        case "worked" | "failed":
            ids[version] = team.tell(record["versions"][version], event["what"], who)
        case "review":
            team.review(ids[version])
        case "reopen":
            memory.review.reopen(memory.review.list(category="procedure", status=None)[0].id or "", principal=who)
        case "correct":
            done = memory.correct(ids[version], record["versions"][event["by"]], principal=who).statement
            ids[event["by"]] = done.id if done else ""
        case "undo":
            memory.undo(memory.history(ids[version])[-1].id, principal=who)
        case "forget":
            memory.forget(ids[version], principal=who)
        case _:
            memory.correct(ids[version], principal=who)


def offers(record: dict[str, Any], team: Team) -> str:
    """Return what is offered at the end of a history, with a dot if marked; nothing where that is right."""
    ids: dict[str, str] = {}
    for event in record["events"]:
        take(team, event, record, ids)
    names = {id_: name for name, id_ in ids.items()}
    hits = [hit for hit in team.ask(record["want"], record["asker"]) if hit.episode.id in names]
    every = [names[hit.episode.id] + "·" * bool(hit.is_superseded or hit.possibly_replaced_by) for hit in hits]
    plain = [name for name in every if "·" not in name]
    is_right = (plain[:1] or [None]) == [record["offered"]] and not set(plain) & set(record["absent"])
    return "" if is_right else " ".join(every) or "none"


def main() -> None:
    """Count in a plain store and a dressed one."""
    parser = command_line(__doc__)
    for option in ("--blind", "--misses", "--small"):
        parser.add_argument(option, action="store_true")
    options = parser.parse_args()
    half = "blind_" * options.blind
    records = read_lines(DATA / "procedures" / f"{half}histories.jsonl")[: 2 if options.small else None]
    embedder = RememberingEmbedder(embedder_named("use"))
    for mode in ("plain", "dressed"):
        how: dict[str, Any] = {"embedder": embedder, "is_dressed": mode == "dressed"}
        counts: Counter[str] = Counter()
        with ExitStack() as stack:
            misses = found(Team(stack, **how), half, counts)
        for record in records:
            with ExitStack() as stack:
                offered = offers(record, Team(stack, **how))
            counts["histories"] += not offered
            misses += [f"  {record['id']} {record['want']} → {record['offered']}: {offered}"] * bool(offered)
        print(
            f"{mode}: first {counts['first']}, first three {counts['three']}, first offered {counts['first offered']} of "
            f"{counts['wants']}, beside {counts['beside'] / max(counts['wants'], 1):.2f}; for nothing {counts['for nothing']} of "
            f"{counts['wants'] // 2}; before review {counts['before review']}; histories {counts['histories']} of {len(records)}"
        )
        if options.misses and not options.blind:
            print("\n".join(misses))


if __name__ == "__main__":
    main()
