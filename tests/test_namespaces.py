"""Namespaces never mix: whatever one does, the other reads as if it had the store for itself."""

from __future__ import annotations

import io
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.episode import Episode
from evolore.domain.outline import OutlineCode
from evolore.errors import EvoloreError, NotFound
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = ("red", "blue", "猫", "train", "Osaka")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
Action: TypeAlias = "tuple[int, str, int]"
ACTIONS = st.lists(st.tuples(st.integers(0, 33), TEXTS, st.integers(0, 5)), max_size=10)
SCRIPT = st.lists(st.tuples(st.sampled_from("ab"), ACTIONS), max_size=4)


def remember(memory: Memory, text: str, number: int) -> object:
    return memory.remember(text, session=[None, "s", "t"][number % 3], speaker=[None, "Mika"][number % 2]).text


def add(memory: Memory, text: str, number: int) -> object:
    return memory.add_text(f"{text}\n\nand more of {text}.\n" * 9, source=f"{number % 2}.md").version


def forget(memory: Memory, _text: str, number: int) -> object:
    held = everything(memory)
    return memory.forget(held[number % len(held)]).episodes if held else None


def show(memory: Memory, _text: str, number: int) -> object:
    held = everything(memory)
    return type(memory.show(held[number % len(held)])) if held else None


def recall(memory: Memory, text: str, _number: int) -> object:
    found = memory.recall(text, limit=9)
    return found.searched, sorted((round(hit.score, 5), hit.episode.text, hit.episode.position) for hit in found.hits)


def tree(memory: Memory, _text: str, number: int) -> object:
    nodes = memory.outline.tree(f"{number % 2}.md").nodes
    places = list(map(memory.outline.place, [node.episode_id for node in nodes if node.episode_id]))
    return [node.beginning for node in nodes], [len(place.siblings) for place in places]


def listing(memory: Memory, _text: str, number: int) -> object:
    found, filed = memory.list(), memory.list(tags=["filed"], where={"number": number % 2})
    shown = [item.source for item in found.documents], [item.text for item in found.statements]
    return shown, [item.source for item in filed.documents], [item.text for item in filed.statements]


def stats(memory: Memory, _text: str, _number: int) -> object:
    memory.store.prepare()
    counted = memory.stats()
    known = memory.profile(tokens=100_000)
    held = sorted((fact.attribute, fact.value) for fact in known.facts), sorted(one.value for one in known.statements)
    return counted.documents, counted.leaves, counted.statements, counted.sessions, counted.events, held


def remember_filed(memory: Memory, text: str, number: int) -> object:
    kept = memory.remember(text, metadata={"number": number % 2}, tags=["filed"])
    return kept.metadata, kept.tags


def file_anew(memory: Memory, _text: str, number: int) -> object:
    return memory.add_text("red train\n", source="filed.md", metadata={"number": number}).metadata


def answer(memory: Memory, text: str, number: int) -> object:
    if number == 5:
        *_, found = memory.answer_stream(text)
        assert not isinstance(found, str)
    else:
        found = memory.answer(text, record=number % 2 == 0)
    return found.text, found.kind, [(one.quote, one.span, one.source) for one in found.citations]


def recall_filtered(memory: Memory, text: str, number: int) -> object:
    filters: tuple[dict[str, Any], ...] = (
        {"session": "s"},
        {"speaker": "Mika"},
        {"source": "0.md"},
        {"where": {"number": 1}},
        {"tags": ["filed"]},
        {"since": datetime(2026, 3, 2, 0, 0, 9, tzinfo=UTC)},
    )
    found = memory.recall(text, limit=9, **filters[number])
    return found.searched, sorted((round(hit.score, 5), hit.episode.text) for hit in found.hits)


def forget_set(memory: Memory, _text: str, number: int) -> object:
    ways: tuple[dict[str, Any], ...] = (
        {"session": "s"},
        {"speaker": "Mika"},
        {"document": "0.md"},
        {"where": {"number": 1}},
        {"tags": ["filed"]},
        {"everything": True},
    )
    would = memory.forget(**ways[number], dry_run=True)
    gone = memory.forget(**ways[number])
    assert (would.documents, would.episodes) == (gone.documents, gone.episodes)
    return gone.documents, gone.episodes, gone.payloads, gone.vectors


def check(memory: Memory, _text: str, number: int) -> object:
    (chain,) = memory.store.verify().chains
    found = memory.store.doctor(repair=bool(number % 2), all_namespaces=False)
    audited = [one.kind for one in memory.store.audit().findings] if chain.events else []
    return chain.is_whole, chain.events, chain.texts, chain.erased, found.findings, audited


def export(memory: Memory, _text: str, number: int) -> object:
    stream = io.BytesIO()
    memory.store.export(stream, with_vectors=bool(number % 2))
    return Counter(json.loads(line).get("table") for line in stream.getvalue().splitlines())


def take_in(memory: Memory, text: str, _number: int) -> object:
    """Import what another store exports; a namespace that holds something refuses it."""
    stream = io.BytesIO()
    with TemporaryDirectory() as folder, open_memory(Path(folder), "a", day=1) as other:
        other.remember(text, session="s")
        other.store.export(stream)
    stream.seek(0)
    return memory.store.import_(stream).episodes


def chunk_text(memory: Memory, _text: str, number: int) -> object:
    document = memory.outline.tree(f"{number % 2}.md").document
    assert len(memory.outline.versions(document.id)) == document.version
    return memory.outline.chunk_text(document.id, OutlineCode.parse("1"))


def back_up(memory: Memory, text: str, _number: int) -> object:
    if not memory.stats().events:
        return None  # the copy is of the whole store, whoever is in it
    with TemporaryDirectory() as folder:
        memory.store.backup(Path(folder, "copy"))
        with open_memory(Path(folder, "copy"), memory.namespace) as copy:
            assert recall(copy, text, 0) == recall(memory, text, 0)
            return stats(copy, text, 0)


def review_note(memory: Memory, text: str, number: int) -> object:
    return memory.review.note(text, priority=["low", "urgent"][number % 2]).reason


def standing_page(memory: Memory, text: str, number: int) -> object:
    page = memory.pages.add(text)
    assert page in memory.pages.list()
    assert memory.pages.rebuild(page.id).text == memory.pages.show(page.id).text
    if number % 2:
        memory.pages.remove(page.id)
    return page.question, page.kind, sorted(page.text.splitlines()), page.is_stale, len(memory.pages.list())


def review_list(memory: Memory, _text: str, number: int) -> object:
    stream = io.BytesIO()
    memory.review.export(stream)
    items = memory.review.list(status=None, unresolved_for_days=[None, 1][number % 2])
    return [(item.reason, item.status, item.source) for item in items]


def review_turn(memory: Memory, _text: str, number: int) -> object:
    items = memory.review.list(status=None)
    if not items:
        return None
    item = items[number % len(items)]
    assert memory.review.show(item.id or "") == item
    return (memory.review.resolve if number % 2 else memory.review.reopen)(item.id or "").status


def resonate(memory: Memory, _text: str, number: int) -> object:
    known = memory.list().statements
    if not known:
        return None
    moved = memory.questions.resonate(known[number % len(known)].id, arousal=number / 10)
    last = moved.deflation_id or moved.event_id
    again = memory.undo(last) if last and number % 2 else None
    return again is None, memory.stats().events


def settle(memory: Memory, _text: str, number: int) -> object:
    items = memory.review.list(category="contradiction")
    if not items:
        return None
    settled = memory.review.settle(items[0].id or "", keep=["newer", "older", "both"][number % 3])
    return settled.older.state, settled.newer.state


def history(memory: Memory, _text: str, number: int) -> object:
    held = [item.id for item in memory.list().statements]
    return [one.kind for one in memory.history(held[number % len(held)])] if held else None


def members(memory: Memory, _text: str, number: int) -> object:
    held = [item.id for item in memory.list().statements]
    if not held:
        return None
    chosen = held[number % len(held)]
    standing = [memory.show(id_) for id_ in memory.outline.standing_for(chosen)]
    return [one.text for one in memory.outline.members(chosen)], [
        one.text for one in standing if isinstance(one, Episode)
    ]


def person(memory: Memory, _text: str, number: int) -> object:
    who = ["Mika", "nobody"][number % 2]
    over = memory.expire(older_than_days=1, dry_run=True)
    told = memory.outline.conversation(["s", "t"][number % 2])
    return (
        [(one.kind, one.text) for one in memory.export_subject(speaker=who).records],
        len(over.statement_ids),
        [one.text for one in told],
    )


def graph(memory: Memory, _text: str, number: int) -> object:
    held = [item.id for item in memory.list().statements]
    return len(memory.outline.graph(held[number % len(held)]).edges) if held else None


def maintain(memory: Memory, _text: str, number: int) -> object:
    done = memory.maintain(items=number + 1)
    return done.examined, done.remaining, done.links, [one.deed for one in done.actions]


def calibrate(memory: Memory, _text: str, _number: int) -> object:
    return [(one.language, one.texts, one.version) for one in memory.store.calibrate()]


def rate(memory: Memory, text: str, number: int) -> object:
    """Rate what is recalled or answered, or a document."""
    rated = f"{number % 2}.md"
    if number == 0:
        rated = memory.questions.record(memory.recall(text, limit=3)).id
    elif number == 1:
        rated = memory.questions.record_answer(text, "So it is.", cited=["0.md"]).id
    elif number < 4:
        rated = memory.answer(text).id
    done = memory.rate(rated, "good" if number % 2 else "bad", principal=f"p{number % 2}")
    return type(done), [(one.rating, one.version) for one in memory.evolution.feedback()]


def queries(memory: Memory, _text: str, _number: int) -> object:
    asked = memory.questions.list()
    for one in asked:
        assert memory.questions.show(one.id) == one
    return [(one.text, one.outcome, [said.rating for said in one.ratings]) for one in asked]


def unlearn(memory: Memory, _text: str, number: int) -> object:
    done = memory.questions.unlearn([None, "p0", "p1"][number % 3], erase=number > 3, dry_run=number == 0)
    return done.queries, done.edges, done.ratings, done.episodes


def evolution(memory: Memory, _text: str, number: int) -> object:
    held = [item.id for item in memory.list().statements]
    entropy = memory.questions.contexts(held[number % len(held)]).entropy if held else None
    lines = memory.evolution.generations(f"{number % 2}.md")
    counted = memory.evolution.stats()
    said = counted.good, counted.bad, counted.pending_bad, counted.documents, len(counted.eligible_document_ids)
    open_ones = len(memory.evolution.candidates().eligible), memory.evolution.history()
    canaries = memory.evolution.canaries(), memory.evolution.canaries(step=True)
    gaps = memory.evolution.gaps(least=1)
    for gap in gaps[:1]:
        memory.evolution.take_gap(gap.id)
        if number % 2:
            memory.evolution.close_gap(gap.id)
        assert memory.evolution.gap(gap.id).questions == gap.questions
    missed = [(one.questions, one.people, one.state, one.missing) for one in gaps]
    return entropy, lines, memory.evolution.jobs(), said, open_ones, canaries, missed


def correct(memory: Memory, text: str, number: int) -> object:
    held = [one.id for one in memory.list().statements]
    if not held:
        return None
    done = memory.correct(held[number % len(held)], text if number % 2 else None)
    return done.statement and (done.statement.text, done.statement.state), len(done.event_ids)


VERBS: tuple[Callable[[Memory, str, int], object], ...] = (
    remember,
    add,
    forget,
    show,
    recall,
    tree,
    listing,
    stats,
    remember_filed,
    file_anew,
    recall_filtered,
    answer,
    forget_set,
    check,
    export,
    take_in,
    chunk_text,
    back_up,
    review_note,
    standing_page,
    review_list,
    review_turn,
    resonate,
    settle,
    history,
    members,
    person,
    graph,
    maintain,
    calibrate,
    rate,
    queries,
    unlearn,
    evolution,
    correct,
)


def act(memory: Memory, action: Action) -> object:
    """Do one thing, and give what it shows, without the ids that are drawn by chance."""
    verb, text, number = action
    try:
        return VERBS[verb](memory, text, number)
    except EvoloreError as error:
        return type(error)


def open_memory(store: Path, namespace: str, *, day: int = 2) -> Memory:
    clock = SteppingClock(datetime(2026, 3, day, tzinfo=UTC), step=timedelta(seconds=1))
    return Memory.open(store, namespace=namespace, embedder=HashingEmbedder(), clock=clock, settings=Settings())


@settings(max_examples=tried(3, long=15))
@given(script=SCRIPT)
def test_what_one_namespace_does_is_not_felt_in_the_other(script: list[tuple[str, list[Action]]]) -> None:
    with TemporaryDirectory() as folder:
        shared = {name: open_memory(Path(folder, "shared"), name) for name in "ab"}
        alone = {name: open_memory(Path(folder, name), name) for name in "ab"}
        for name, actions in script:
            for action in [*actions, (VERBS.index(recall), "red train", 0)]:
                known = set(everything(shared[name]))
                assert act(shared[name], action) == act(alone[name], action)
                other = "b" if name == "a" else "a"
                assert not (known | set(everything(shared[name]))) & set(everything(shared[other]))
        for memory in (*shared.values(), *alone.values()):
            memory.close()


def everything(memory: Memory) -> list[str]:
    try:
        listing = memory.list(limit=100)
    except EvoloreError:
        return []
    return [*(document.id for document in listing.documents), *(item.id for item in listing.statements)]


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb is not take_in])  # which wants an empty namespace
def test_every_verb_of_the_law_can_succeed(verb: Callable[[Memory, str, int], object], store_path: Path) -> None:
    with open_memory(store_path, "a") as memory:
        memory.remember("red train", session="s", speaker="Mika")
        memory.add_text("# A\n\nred train\n", source="0.md")
        memory.review.note("Look at it.")
        verb(memory, "red train", 0)


def test_the_law_tries_every_verb(store_path: Path) -> None:
    assert len(VERBS) == 35  # so many the scripts draw from
    tried = {"remember_many", "close", "open"}  # what ``add_text`` and ``remember`` go through
    for verb in VERBS:
        tried |= set(verb.__code__.co_names)
    with open_memory(store_path, "a") as memory:
        holders: list[object] = [
            memory,
            memory.review,
            memory.evolution,
            memory.questions,
            memory.store,
            memory.outline,
            memory.pages,
        ]
        verbs = {
            name
            for holder in holders
            for name in dir(type(holder))
            if not name.startswith("_") and callable(getattr(type(holder), name))
        }
    of_models = {"check_chunks", "confirm_conflicts", "chat_check"}  # they ask a chat model; there is none here
    of_models |= {"evolve", "diff", "approve", "reject", "rollback", "canary"}  # or need a job
    of_models |= {"write", "conflict", "settle_promotion"}  # or what was promoted
    of_models |= {"move_in"}  # of files, which are tried with their reader
    of_the_store = {
        "reembed",
        "abandon_reembed",
        "namespaces",
        "copy",
        "upgrade",
        "shards",
        "move_namespace",
    }  # they change or list what all namespaces share
    assert verbs - tried == of_models | of_the_store  # ``add`` of files is tried below


def test_files_added_to_one_namespace_are_not_known_in_the_other(store_path: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("Red trains.", encoding="utf-8")
    (folder / "b.md").write_text("Blue trains.", encoding="utf-8")
    with open_memory(store_path, "a") as one, open_memory(store_path, "b") as other:
        one.add(folder)
        assert [item.outcome.value for item in other.add(folder).documents] == ["added", "added"]
        (folder / "b.md").unlink()
        assert one.add(folder, sync="forget").receipt is not None
        assert len(one.list().documents) == 1
        assert len(other.list().documents) == 2
        assert len(other.add(folder, sync="report").vanished) == 1


def test_an_id_of_the_other_namespace_names_nothing(store_path: Path) -> None:
    with open_memory(store_path, "a") as one, open_memory(store_path, "b") as other:
        secret = one.remember("Only here.")
        page = one.add_text("Only here too.", source="p.md")
        other.remember("Something.")
        verbs: tuple[Callable[[str], object], ...] = (other.show, other.forget, other.outline.tree)
        note = one.review.note("Only here as well.")
        for verb in (other.review.show, other.review.resolve, other.review.reopen, other.forget):
            with pytest.raises(NotFound):
                verb(note.id or "")
        assert other.review.list(status=None) == ()
        assert one.review.list() == (note,)
        for id_ in (secret.id, page.id):
            for verb in verbs:
                with pytest.raises(NotFound):
                    verb(id_)
        assert one.show(secret.id) == secret
