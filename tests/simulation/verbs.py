"""What a walk may do in a step, how often, and the whole walk from one seed."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast
from unittest.mock import patch

from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.evolution import JobState
from evolore.domain.health import FindingKind
from evolore.domain.review import Keep
from evolore.store import condensing, database, events
from evolore.store.tables import queries
from evolving.complaints import BETTER, TEXT
from flows import test_memory_law
from simulation.account import Asked, Said, read
from simulation.walk import ALL, EVOLVING, NAMES, PAGE, SESSIONS, SOURCES, STEPS, WHO, Kept, Walk
from simulation.world import ASKED, HASHING, SAYINGS, START, Embedder, marks, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Generator


def rows_of(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Give every row that undoing gives back: neither how often a question was touched, nor what waits to be scrubbed."""
    rows, place = test_memory_law.rows_of(folder), list(queries.c.keys()).index("touched_seq")
    untouched = [row[:place] + row[place + 1 :] for row in rows["queries"]]
    return {name: found for name, found in rows.items() if name != "settings"} | {"queries": untouched}


def remember(walk: Walk, *, calm: bool = False) -> None:
    """Say one thing or several, some of it said before or against what was."""
    new: list[Statement] = []
    for _ in range(walk.pick(1, 1, 2, 3)):
        form, values = walk.pick(*walk.sayings)
        known = [one.text for one in walk.account.statements]
        again = known and walk.random.random() < 0.25
        text = walk.pick(*known) if again else form.format(walk.subject(), walk.pick(*values))
        when = walk.pick(None, None, START - timedelta(days=walk.random.randint(1, 9)))
        about = walk.pick(None, None, None, None, ("office", "city"))
        session, speaker = walk.pick(*SESSIONS), walk.pick(None, None, None, "Mika")
        new.append(Statement(text=text, session=session, speaker=speaker, occurred_at=when, about=about))
    said = [Said(one.text, one.session, one.speaker) for one in new]
    walk.change(f"remember {said}", lambda: walk.here.remember_many(new), walk.account.plus(*said), calm=calm)


def begin(walk: Walk) -> None:
    """Say the first things of a namespace."""
    remember(walk, calm=True)


def add(walk: Walk) -> None:
    """Add a document, or another version of one."""
    source = walk.pick(*SOURCES)
    parts = [walk.pick(*SAYINGS)[0].format(walk.subject(), "Nara") * 12 for _ in range(walk.pick(1, 2, 3))]
    text, before = "\n\n".join(parts), walk.account.documents.get(source, "")
    key = walk.name, source
    older = walk.older.get(key, frozenset()) if before else frozenset[str]()
    walk.older[key] = older | marks(before)
    walk.change(
        f"add {source} of {sorted(marks(text))}",
        lambda: walk.here.add_text(text, source=source),
        walk.account.page(source, text),
    )


def ask(walk: Walk) -> None:
    """Ask, with the question taken down, and maybe answered by the chat model."""
    who, text, is_answer = walk.pick(*WHO), f"{walk.pick(*ASKED)} ({walk.new_mark()})", walk.coin()

    def asked() -> object:
        verb = walk.here.answer if is_answer else walk.here.recall
        found = verb(text, record=True, principal=who)
        walk.here._bound.queue.write()  # what waits would else be written by a thread, whenever that comes
        return found

    walk.change(f"ask {text!r} by {who}, answer={is_answer}", asked, walk.account.ask(Asked(text, who)), calm=True)


def look_up(walk: Walk) -> None:
    """Ask without a trace, of what is held, was forgotten or is another's, now or as of a moment before."""
    text = walk.pick(*ASKED, *sorted(walk.spoken))
    since = (walk.clock.now() - START).total_seconds()
    moment = walk.pick(None, START + timedelta(seconds=walk.random.uniform(-9 * 86400, since)))
    found = walk.ask(
        f"recall {text!r} as of {moment}",
        lambda: walk.here.recall(text, limit=ALL, record=False, as_of=moment).hits,
    )
    if moment is not None and not isinstance(found, Exception):
        early = {mark for one in walk.held[walk.name].said.values() for mark in marks(one.text)}
        late = {mark for mark in early if walk.held[walk.name].born[mark] > moment}
        shown = marks([hit.text for hit in found if hit.episode.document_id is None])
        assert not shown & late, f"{sorted(shown & late)} was not said yet at {moment}"
    walk.ask(f"answer {text!r}", lambda: walk.here.answer(text, record=False))
    before = read(walk.here)
    assert before == walk.held[walk.name], "a question without a trace left one"


def look_beside(walk: Walk) -> None:
    """Ask in another namespace also, which may then show, and no third one."""
    other = walk.pick(*(name for name in walk.names if name != walk.name))
    walk.ask(
        f"recall also in {other}",
        lambda: walk.here.recall(walk.pick(*ASKED), also=[other], limit=ALL, record=False),
        also=other,
    )


def browse(walk: Walk) -> None:
    """Read by the verbs that list, show and tell."""
    here, id_ = walk.here, walk.pick(*walk.statements, "")
    shown: list[Callable[[], object]] = [
        lambda: here.list(limit=ALL),
        lambda: (here.show(id_), here.history(id_), here.outline.members(id_), here.outline.graph(id_)),
        lambda: here.outline.conversation(walk.pick("s", "t")),
        lambda: here.outline.tree(walk.pick(*SOURCES), with_text=True),
        lambda: (here.stats(), here.history(), here.profile(tokens=ALL)),
        lambda: here.review.list(status=None),
        lambda: here.export_subject(speaker="Mika"),
        lambda: [here.questions.show(one) for one in walk.held[walk.name].asked],
        lambda: (here.evolution.stats(), here.evolution.jobs(), here.evolution.candidates()),
    ]
    for call in walk.random.sample(shown, 3):
        walk.ask("browse", call)


def rate(walk: Walk) -> None:
    """Rate an answer or a document; saying the same again changes nothing."""
    who, rating, account = walk.pick(*WHO), walk.pick("good", "bad"), walk.account
    if account.documents and walk.coin():
        source = walk.pick(*sorted(account.documents))
        id_, after = walk.held[walk.name].pages[source], account.rated(source, who, rating)
    elif walk.held[walk.name].asked:
        id_ = walk.pick(*sorted(walk.held[walk.name].asked))
        one = walk.held[walk.name].asked[id_]
        said = frozenset((*(told for told in one.ratings if told[0] != who), (who, rating)))
        after = account.unask(one).ask(replace(one, ratings=said))
    else:
        return
    told, call = f"rate {id_} {rating} by {who}", lambda: walk.here.rate(id_, rating, principal=who)
    done = walk.change(told, call, after)
    if not isinstance(done, (Exception, bool)):
        once = walk.trust()
        walk.change(f"{told} again", call, calm=True)
        assert walk.trust() == once, "a rating that is said again counts twice"


def unlearn(walk: Walk) -> None:
    """Erase what one person asked and rated, or take it back and that back."""
    who, account = walk.pick(*WHO), walk.account
    if walk.coin():
        before = rows_of(walk.folder)
        done = walk.ask(f"unlearn {who}", lambda: walk.here.questions.unlearn(who))
        if not isinstance(done, Exception) and done.event_id:
            walk.ask("undo", lambda: walk.here.undo(done.event_id))
            assert rows_of(walk.folder) == before, "taking an unlearning back does not give all back"
        return
    after = replace(account, feedback=type(account.feedback)(), questions=type(account.questions)())
    after.feedback.update({one: n for one, n in account.feedback.items() if one[1] != who})
    for one, n in account.questions.items():
        if one.principal != who:
            ratings = frozenset(told for told in one.ratings if told[0] != who)
            after.questions[replace(one, ratings=ratings)] += n
    walk.change(f"erase what {who} asked", lambda: walk.here.questions.unlearn(who, erase=True), after)
    walk.look_at_bytes()


def forget(walk: Walk) -> None:
    """Forget a statement, a conversation, a speaker, or a document."""
    here, account, said = walk.here, walk.account, walk.held[walk.name].said
    way = walk.pick("id", "id", "id", "session", "speaker", "document")
    if way == "document" and account.documents:
        source = walk.pick(*sorted(account.documents))
        told, call, after = source, lambda: here.forget(document=source), account.page(source, None)
    elif way in {"session", "speaker"}:
        value = "Mika" if way == "speaker" else walk.pick("s", "t")
        told, call = f"{way} {value}", lambda: here.forget(**cast("Any", {way: value}))
        after = account.minus(one for one in said.values() if getattr(one, way) == value)
    elif said:
        id_ = walk.pick(*walk.statements)
        told, call, after = f"{id_} ({said[id_].text})", lambda: here.forget(id_), account.minus([said[id_]])
    else:
        return
    walk.change(f"forget {told}", call, after)
    walk.look_at_bytes()


def maintain(walk: Walk) -> None:
    items = walk.pick(3, 100)
    walk.change(f"maintain {items}", lambda: walk.here.maintain(items=items))


def settle(walk: Walk) -> None:
    """Settle a contradiction as a person does."""
    waiting = walk.here.review.list(category="contradiction")
    if waiting:
        one, keep = walk.pick(*waiting), walk.pick(*Keep)
        walk.change(f"settle {one.id}: {keep}", lambda: walk.here.review.settle(one.id or "", keep=keep))


def correct(walk: Walk) -> None:
    """Put a new version in the place of what holds, or retire it."""
    open_ones = [one for one in walk.here.list(limit=ALL).statements if one.state is not EpisodeState.SUPERSEDED]
    if open_ones:
        one, (form, values) = walk.pick(*open_ones), walk.pick(*walk.sayings)
        text = walk.pick(None, form.format(walk.subject(), walk.pick(*values)))
        said = () if text is None else (Said(text, one.session, one.speaker),)
        after = walk.account.plus(*said)
        walk.change(f"correct {one.id}: {text!r}", lambda: walk.here.correct(one.id, text), after)


def review(walk: Walk) -> None:
    """File something, and close or open what is filed."""
    walk.change("note", lambda: walk.here.review.note("Look at it."))
    filed = walk.here.review.list(status=None)
    if not filed:  # the fault kept it from being so
        return
    one = walk.pick(*filed)
    verb = walk.pick(walk.here.review.resolve, walk.here.review.reopen)
    walk.change(f"{verb.__name__} {one.id}", lambda: verb(one.id or ""))


def resonate(walk: Walk) -> None:
    if walk.statements:
        id_, arousal = walk.pick(*walk.statements), walk.pick(0.1, 0.9)
        walk.change(f"resonate {id_}", lambda: walk.here.questions.resonate(id_, arousal=arousal))


def undo(walk: Walk) -> None:
    """Undo something, redo it, and undo that: each time all is as it was."""
    if not walk.events.get(walk.name):
        return
    event_id, here = walk.pick(*walk.events[walk.name]), walk.here
    before = rows_of(walk.folder)
    undone = walk.ask(f"undo {event_id}", lambda: here.undo(event_id, cascade=True))
    if isinstance(undone, Exception):
        assert rows_of(walk.folder) == before, "an undoing that was refused changed something"
        return
    after = rows_of(walk.folder)
    again = [walk.ask("redo", lambda one=one: here.undo(one)) for one in reversed(undone.event_ids)]
    assert rows_of(walk.folder) == before, "undoing and redoing does not give all back"
    for one in reversed(again):
        walk.ask("undo again", lambda one=one: here.undo(one.event_ids[0]))
    assert rows_of(walk.folder) == after, "undoing what was redone does not give all back"
    walk.change("see", lambda: undone, calm=True)


def evolve(walk: Walk) -> None:
    """Go on with jobs, approve or reject what waits, take back what was taken over."""
    here, jobs = walk.memory(1, walk.name), walk.here.evolution.jobs()
    waiting = [one for one in jobs if one.state is JobState.WAITING]
    promoted = [one.promotion_id for one in here.evolution.history(limit=ALL) if one.promotion_id]
    if waiting and walk.coin():
        canary = walk.coin()
        after = walk.account if canary else walk.account.page(PAGE, BETTER)
        walk.change(f"approve, canary={canary}", lambda: here.evolution.approve(waiting[0].id, canary=canary), after)
    elif promoted:
        walk.change(
            "roll back", lambda: here.evolution.rollback(promoted[-1], reason="No."), walk.account.page(PAGE, TEXT)
        )
    else:
        walk.change("evolve", here.evolve)
    walk.ask("canaries", lambda: here.evolution.canaries(step=True))


def jump(walk: Walk) -> None:
    hours = walk.pick(-30, -1, 5, 200)
    walk.told[-1] += f" by {hours} h"
    walk.clock.jump(hours)


def read_on(walk: Walk) -> None:
    """Let somebody read an old state of the store from here on, or end it."""
    if walk.coin():
        walk.reader.enter_context(reading(walk.folder))
    else:
        walk.end_reading()


def reopen(walk: Walk) -> None:
    walk.close()


def mend(walk: Walk) -> None:
    """Repair the store with nobody in the way: then nothing is left to find, and nothing forgotten lies anywhere."""
    walk.end_reading()
    found = walk.here.store.doctor(repair=walk.may_linger).findings
    broken = [one for one in found if not (walk.may_linger and one.kind is FindingKind.LEFTOVER)]
    assert not broken, f"doctor finds {broken}"
    if found:
        found = walk.here.store.doctor().findings
        assert not found, f"doctor finds after a repair {found}"
    walk.may_linger, walk.digests = False, {}
    walk.look_at_bytes()


def back_up(walk: Walk) -> None:
    walk.copies += 1
    folder = walk.root / f"backup-{walk.copies}"
    walk.here.store.backup(folder)
    walk.kept = Kept(folder, dict(walk.held), dict(walk.older), walk.embedders[0].name)


def restore(walk: Walk) -> None:
    """Go back to a backup."""
    if walk.kept is None:
        return
    walk.close()
    walk.copies += 1
    walk.folder = walk.root / f"restored-{walk.copies}"
    shutil.copytree(walk.kept.folder, walk.folder)
    walk.held, walk.older = dict(walk.kept.held), dict(walk.kept.older)
    walk.embedders = [Embedder(walk.kept.model), Embedder(walk.kept.model)]
    see_all(walk)


def move(walk: Walk) -> None:
    """Copy the store table by table, and go on with the copy."""
    walk.copies += 1
    folder = walk.root / f"moved-{walk.copies}"
    walk.here.store.copy(folder)
    walk.close()
    walk.folder = folder
    see_all(walk)


def see_all(walk: Walk) -> None:
    for name in walk.names:
        assert read(walk.memory(walk.at, name)) == walk.held[name], f"{name} is not what it was"


def export(walk: Walk) -> None:
    """Export a namespace and import it elsewhere: the same is held there."""
    stream = BytesIO()
    walk.here.store.export(stream, with_vectors=walk.coin())
    assert not marks(stream.getvalue().decode()) - walk.live(walk.name), "an export tells what it must not"
    stream.seek(0)
    walk.copies += 1
    with walk.opened(walk.root / f"imported-{walk.copies}", 0, walk.name) as other:
        other.store.import_(stream)
        assert read(other).account == walk.account, "what was imported is not what was exported"


def reembed(walk: Walk) -> None:
    """Change the model of the store."""
    new = "mirrored" if walk.embedders[0].name == HASHING else HASHING
    walk.here.store.reembed(Embedder(new))
    walk.close()
    walk.embedders = [Embedder(new), Embedder(new)]
    see_all(walk)


def calibrate(walk: Walk) -> None:
    walk.change("calibrate", walk.here.store.calibrate)


VERBS: dict[Callable[[Walk], None], int] = {
    remember: 20,
    add: 6,
    ask: 8,
    look_up: 6,
    look_beside: 2,
    browse: 5,
    rate: 8,
    unlearn: 2,
    forget: 10,
    maintain: 6,
    settle: 4,
    correct: 3,
    review: 2,
    resonate: 2,
    undo: 8,
    evolve: 2,
    jump: 2,
    read_on: 2,
    reopen: 3,
    mend: 1,
    back_up: 2,
    restore: 2,
    move: 1,
    export: 2,
    reembed: 1,
    calibrate: 1,
}
"""How often each is drawn."""


@contextmanager
def walking(seed: int, *, steps: int = STEPS) -> Generator[Walk]:
    """Give a walk in a folder of its own, with ids drawn from its seed, and no waiting for readers."""
    with TemporaryDirectory(prefix="evolore-simulation-") as folder:
        walk = Walk(seed, Path(folder), steps=steps)
        with (
            patch.object(events, "secrets", walk.ids),
            patch.object(database, "COMPACT_TIMEOUT_SECONDS", 0.01),
            patch.object(condensing, "LEAST", 3),
        ):
            try:
                yield walk
            finally:
                walk.close()


def run(seed: int, *, steps: int = STEPS) -> list[str]:
    """Walk from a seed, and give the steps; the same seed gives the same.

    Raises:
        Violation: Something that must be true was not.
    """
    with walking(seed, steps=steps) as walk:
        for name in NAMES:
            walk.step(name, begin)
        if EVOLVING in walk.names:
            walk.held[EVOLVING] = read(walk.memory(0, EVOLVING))
        for _ in range(steps):
            (verb,) = walk.random.choices(list(VERBS), list(VERBS.values()))
            walk.step(walk.pick(*walk.names), verb)
        walk.step(NAMES[0], mend)
        for name in walk.names:
            walk.step(name, Walk.look_closely)
        return walk.told
