"""What is of another namespace is answered exactly as what never was: by error, by words, and by what it costs."""

from __future__ import annotations

import inspect
import sqlite3
import sqlite3.dbapi2
from contextlib import contextmanager
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.outline import OutlineCode
from evolore.errors import EvoloreError
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path

SECRET = "kumquat"
"""Stands in every text of the other namespace; it is called so too."""

VERBS: dict[str, Callable[[Memory, str], object]] = {
    "correct": lambda memory, id_: memory.correct(id_, "It is otherwise."),
    "correct without a text": lambda memory, id_: memory.correct(id_),
    "evolution.approve": lambda memory, id_: memory.evolution.approve(id_),
    "evolution.canary": lambda memory, id_: memory.evolution.canary(id_),
    "evolution.candidates": lambda memory, id_: memory.evolution.candidates(id_),
    "evolution.diff": lambda memory, id_: memory.evolution.diff(id_),
    "evolution.feedback": lambda memory, id_: memory.evolution.feedback(id_),
    "evolution.close_gap": lambda memory, id_: memory.evolution.close_gap(id_),
    "evolution.gap": lambda memory, id_: memory.evolution.gap(id_),
    "evolution.take_gap": lambda memory, id_: memory.evolution.take_gap(id_),
    "evolution.generations": lambda memory, id_: memory.evolution.generations(id_),
    "evolution.history": lambda memory, id_: memory.evolution.history(id_),
    "evolution.reject": lambda memory, id_: memory.evolution.reject(id_, reason="No."),
    "evolution.rollback": lambda memory, id_: memory.evolution.rollback(id_, reason="No."),
    "evolution.show": lambda memory, id_: memory.evolution.show(id_),
    "evolution.write": lambda memory, id_: memory.evolution.write(id_, patch=True),
    "evolve": lambda memory, id_: memory.evolve(id_),
    "forget": lambda memory, id_: memory.forget(id_),
    "forget document": lambda memory, id_: memory.forget(document=id_),
    "expire": lambda memory, id_: memory.expire(session=id_, older_than_days=1),
    "history": lambda memory, id_: memory.history(id_),
    "outline.chunk_text": lambda memory, id_: memory.outline.chunk_text(id_, OutlineCode.parse("1")),
    "outline.conversation": lambda memory, id_: memory.outline.conversation(id_),
    "outline.graph": lambda memory, id_: memory.outline.graph(id_),
    "outline.members": lambda memory, id_: memory.outline.members(id_),
    "outline.place": lambda memory, id_: memory.outline.place(id_),
    "outline.standing_for": lambda memory, id_: memory.outline.standing_for(id_),
    "outline.tree": lambda memory, id_: memory.outline.tree(id_),
    "outline.versions": lambda memory, id_: memory.outline.versions(id_),
    "questions.contexts": lambda memory, id_: memory.questions.contexts(id_),
    "questions.record_answer": lambda memory, id_: memory.questions.record_answer("Where?", "There.", cited=[id_]),
    "questions.resonate": lambda memory, id_: memory.questions.resonate(id_, arousal=0.9),
    "questions.show": lambda memory, id_: memory.questions.show(id_),
    "questions.unlearn": lambda memory, id_: memory.questions.unlearn(id_),
    "rate": lambda memory, id_: memory.rate(id_, "bad"),
    "review.conflict": lambda memory, id_: memory.review.conflict(id_),
    "review.check_chunks": lambda memory, id_: memory.review.check_chunks(document=id_),
    "review.export": lambda memory, id_: memory.review.export(BytesIO(), document=id_),
    "review.list": lambda memory, id_: memory.review.list(document=id_),
    "review.note": lambda memory, id_: memory.review.note("Look.", about=id_),
    "review.reopen": lambda memory, id_: memory.review.reopen(id_),
    "review.resolve": lambda memory, id_: memory.review.resolve(id_),
    "review.settle": lambda memory, id_: memory.review.settle(id_, keep="newer"),
    "review.settle_promotion": lambda memory, id_: memory.review.settle_promotion(id_, keep="source"),
    "pages.show": lambda memory, id_: memory.pages.show(id_),
    "pages.rebuild": lambda memory, id_: memory.pages.rebuild(id_),
    "pages.remove": lambda memory, id_: memory.pages.remove(id_),
    "review.show": lambda memory, id_: memory.review.show(id_),
    "show": lambda memory, id_: memory.show(id_),
    "verify": lambda memory, id_: memory.verify(id_),
    "undo": lambda memory, id_: memory.undo(id_),
}
NAMED = {"document", "document_id", "documents", "about", "session"}
"""What a parameter that takes an id is called, beside those that end so."""


@contextmanager
def counted() -> Generator[list[str]]:
    """Write down every statement that connections opened meanwhile are given."""
    given: list[str] = []
    connect = sqlite3.connect

    def connected(*arguments: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - passed on as they are
        connection = connect(*arguments, **options)
        connection.set_trace_callback(given.append)
        return connection

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", connected)
        patch.setattr(sqlite3.dbapi2, "connect", connected)
        yield given


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Fill a namespace with one of each, and give their ids."""
    folder = tmp_path_factory.mktemp("foreign")
    with outdated(folder, model=ScriptedEditor()) as memory:
        job = memory.evolve()[0]
        promoted = memory.evolution.approve(job.id).promotion
        assert promoted is not None
        one = memory.remember(f"The {SECRET} is ripe in March.", session="their-long-talk", speaker="eve-of-theirs")
        note = memory.review.note(f"Look at the {SECRET}.", priority="high")
        answer = memory.answer(f"When is the {SECRET} ripe?", principal="eve-of-theirs")
        page = memory.pages.add(f"Is the {SECRET} ripe?")
        events = memory.history(one.id)
        (document, *_) = memory.list().documents
        found = {
            "document": document.id,
            "source": document.source,
            "passage": memory.recall("How long do refunds take?", record=False).hits[0].episode.id,
            "statement": one.id,
            "session": "their-long-talk",
            "speaker": "eve-of-theirs",
            "review item": note.id or "",
            "page": page.id,
            "answer": answer.id,
            "question": memory.questions.list()[0].id,
            "event": events[0].id,
            "job": job.id,
            "promotion": promoted.id,
            "namespace": memory.namespace,
        }
    assert all(found.values())
    return folder, found


@pytest.fixture
def prober(ids: tuple[Path, dict[str, str]]) -> Iterator[tuple[Memory, list[str]]]:
    with (
        counted() as given,
        Memory.open(
            ids[0] / "store", namespace="prober", embedder=HashingEmbedder(), chat_model=ScriptedEditor()
        ) as memory,
    ):
        memory.remember("The prober is here.")
        yield memory, given


def unlike(id_: str) -> str:
    """Give a name of the same form that names nothing."""
    return id_[:-3] + ("zzy" if id_.endswith("zzz") else "zzz")


def told(memory: Memory, verb: str, id_: str) -> str:
    """Say what a verb answers, without the id it was asked for and those that are drawn by chance."""
    try:
        given = VERBS[verb](memory, id_)
    except EvoloreError as error:
        return f"{type(error).__name__}: {error}".replace(id_, "ID")
    return type(given).__name__


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_of_elsewhere_is_answered_as_what_never_was(
    verb: str, ids: tuple[Path, dict[str, str]], prober: tuple[Memory, list[str]]
) -> None:
    memory, given = prober
    for what, id_ in ids[1].items():
        for one, none in ((id_, unlike(id_)), (id_[:10], unlike(id_[:10]))):
            told(memory, verb, none)  # what is looked up once for both
            given.clear()
            nothing = told(memory, verb, none)
            asked = len(given)
            given.clear()
            assert told(memory, verb, one) == nothing, what
            assert len(given) == asked, f"{what}: as many statements, so the time tells nothing"
            assert SECRET not in nothing


@pytest.mark.parametrize("verb", ["show", "review.show", "questions.show", "evolution.show", "evolution.canary"])
def test_the_control_tells_them_apart_where_they_are(verb: str, ids: tuple[Path, dict[str, str]]) -> None:
    with Memory.open(ids[0] / "store", embedder=HashingEmbedder()) as memory:
        answers = {told(memory, verb, one) == told(memory, verb, unlike(one)) for one in ids[1].values()}
        assert answers == {True, False}


def test_every_verb_that_takes_an_id_is_tried(prober: tuple[Memory, list[str]]) -> None:
    memory, _ = prober
    nouns = {"": memory, "review.": memory.review, "evolution.": memory.evolution, "questions.": memory.questions}
    nouns |= {"outline.": memory.outline, "store.": memory.store, "pages.": memory.pages}
    taking = {
        f"{noun}{name}"
        for noun, holder in nouns.items()
        for name, verb in inspect.getmembers(type(holder), inspect.isfunction)
        if not name.startswith("_")
        for parameter in inspect.signature(verb).parameters
        if parameter.endswith(("_id", "_ids")) or parameter in NAMED
    }
    of_what_is_written = {"remember", "add", "add_text", "questions.record"}  # `about` and `session` are names there
    assert taking - set(VERBS) <= of_what_is_written
