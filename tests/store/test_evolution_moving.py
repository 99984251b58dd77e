"""What documents improve by outlives export, import and backup, and what is wrong with it is found and mended."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from builders import damage, exported
from evolore.domain.evolution import JobState
from evolore.domain.health import FindingKind
from evolore.errors import InvalidValue
from evolore.store.location import DATABASE
from evolore.store.sqlite import open_database
from evolore.store.tables import (
    answer_citations,
    answers,
    documents,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    promotion_documents,
    promotions,
)
from flows.memories import opened
from laws import tried
from store.evolving import BAD, NEW, OLD, Evolving

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

TABLES = (
    answer_citations,
    answers,
    documents,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    promotion_documents,
    promotions,
)


@pytest.fixture
def here(tmp_path: Path) -> Generator[Evolving]:
    made = filled(tmp_path / "s")
    yield made
    made.close()


def filled(folder: Path) -> Evolving:
    """Give a store with a row in every table, a promotion and feedback that was withdrawn among them."""
    here = Evolving(folder)
    document, other = here.add(), here.add("other.md")
    answer = here.answered("When does it run?", document, principal="ann")
    here.said(document, BAD, by="ann", query_id=answer.query_id, comment="out of date")
    here.said(other, BAD, by="bob")
    here.withdraw("bob")
    here.citing("Which?", here.memory.remember("The key is new.").id)
    job = str(here.begin(document, other))
    here.go_on(job, 1, None, reply="It runs at three.", share=0.1)
    here.promote(document, NEW, job_id=job)
    here.go_on(job, 2, JobState.PROMOTED)
    here.begin(here.add("third.md"))
    return here


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    database = open_database(folder / DATABASE)
    with database.reading() as connection:
        found = {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in TABLES
        }
    database.close()
    return found


def test_there_is_a_row_in_every_table_and_nothing_is_wrong(here: Evolving) -> None:
    assert all(rows(here.folder).values())
    assert here.memory.store.doctor().findings == ()
    assert here.memory.store.verify().is_whole


def test_an_import_of_an_export_is_the_same(here: Evolving, tmp_path: Path) -> None:
    said = exported(here.memory)
    with opened(tmp_path / "other") as other:
        other.store.import_(io.BytesIO(said))
        assert rows(tmp_path / "other") == rows(here.folder)
        assert exported(other) == said
        assert other.store.verify().is_whole
        assert other.store.doctor().is_whole


def test_a_backup_holds_it_too(here: Evolving, tmp_path: Path) -> None:
    here.memory.store.backup(tmp_path / "copy")
    assert rows(tmp_path / "copy") == rows(here.folder)


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("answers", "kind", "guessed"),
        ("answers", "canaries", "[1]"),
        ("feedback", "rating", "meh"),
        ("feedback", "version", 0),
        ("evolution_jobs", "state", "asleep"),
        ("evolution_jobs", "steps", 7),
        ("evolution_steps", "body", "[]"),
        ("promotions", "operator", "MUTATION_NOISE"),
        ("promotions", "win_rate", 1.5),
        ("answer_citations", "number", 0),
        ("answer_citations", "episode_id", "nobody"),
    ],
)
def test_an_export_that_was_tampered_with_is_refused(
    here: Evolving, tmp_path: Path, table: str, field: str, value: object
) -> None:
    lines = [json.loads(line) for line in exported(here.memory).splitlines()]
    assert any(line.get("table") == table for line in lines)
    changed = [line | {field: value} if line.get("table") == table else line for line in lines]
    said = b"".join(json.dumps(line).encode() + b"\n" for line in changed)
    with opened(tmp_path / "other") as other, pytest.raises(InvalidValue):
        other.store.import_(io.BytesIO(said))


ORPHANS = {
    "a citation of no answer": (
        "insert into answer_citations values (1, 'lost', 1, (select id from episodes limit 1), 0, 1, 'q', null, null, '')"
    ),
    "a citation of nobody": "update answer_citations set episode_id = 'nobody'",
    "feedback on nothing": "update feedback set document_id = 'nowhere'",
    "feedback of no question": "update feedback set query_id = 'nothing' where query_id <> ''",
    "a step of no job": "insert into evolution_steps values (1, 'lost', 1, 'k', '{}', '2026-03-02T00:00:00+00:00')",
    "a document of no job": "insert into evolution_job_documents values (1, 'lost', 'd', 1, 0)",
    "a document of no promotion": "insert into promotion_documents values (1, 'lost', 'd', 0, 1, 2, null)",
}


@pytest.mark.parametrize("name", ORPHANS)
def test_what_belongs_to_nothing_is_found_and_deleted(here: Evolving, name: str) -> None:
    damage(here.folder, ORPHANS[name])
    (finding,) = here.memory.store.doctor().findings
    assert (finding.kind, finding.can_be_repaired) == (FindingKind.ORPHAN, True)
    assert here.memory.store.doctor(repair=True).findings[0].is_repaired
    assert here.memory.store.doctor().findings == ()


LOST = {
    "steps": (FindingKind.TEXT_LOST, "delete from evolution_steps where number = 2"),
    "documents of a job": (FindingKind.TEXT_LOST, "delete from evolution_job_documents"),
    "documents of a promotion": (FindingKind.TEXT_LOST, "delete from promotion_documents"),
    "a rating that is none": (FindingKind.VALUES, "update feedback set rating = 'meh'"),
    "a body that is none": (FindingKind.VALUES, "update evolution_steps set body = '{'"),
    "a state that is none": (FindingKind.VALUES, "update evolution_jobs set state = 'asleep'"),
    "an operator that is none": (FindingKind.VALUES, "update promotions set operator = 'NOISE'"),
    "an answer of no kind": (FindingKind.VALUES, "update answers set kind = 'guessed'"),
}


@pytest.mark.parametrize("name", LOST)
def test_what_is_lost_or_cannot_be_read_is_found(here: Evolving, name: str) -> None:
    kind, statement = LOST[name]
    damage(here.folder, statement)
    assert kind in {finding.kind for finding in here.memory.store.doctor().findings}


@pytest.mark.parametrize(
    "statement",
    [
        "update promotion_documents set after = 7",
        "delete from promotions",
        (
            "insert into promotions select ns, 'more', job_id, candidate_id, operator, win_rate, percent, approved_by, "
            "is_by_policy, is_edited, reason, promoted_at, rolled_back_at, rolled_back_by, rollback_reason from promotions"
        ),
        "update promotion_documents set promotion_id = cast(x'ff' as text)",
    ],
)
def test_a_promotion_that_is_not_as_its_event_tells_does_not_verify(here: Evolving, statement: str) -> None:
    with here.reading() as reader:
        (promotion,) = reader.promotions()
    damage(here.folder, statement)
    altered = here.memory.store.verify().chains[0].altered
    assert altered in {(promotion.id,), ("more",)}


def test_a_promotion_verifies_at_every_share_of_people_and_taken_back(here: Evolving) -> None:
    with here.writing() as writer:
        (promotion,) = writer.promotions()
        (one,) = promotion.documents
        later = replace(one, after=3)
        writer.set_percent(promotion.id, 50, documents=(), at=here.clock.now())
        writer.set_percent(promotion.id, 100, documents=(later,), at=here.clock.now())
    assert here.memory.store.verify().is_whole
    with here.writing() as writer:
        back = replace(later, restored=4)
        writer.close_promotion(promotion.id, documents=(back,), reason="", at=here.clock.now())
        assert writer.promotions()[0].documents == (back,)
    assert here.memory.store.verify().is_whole
    here.memory.forget(one.document_id)
    assert here.memory.store.verify().is_whole


# What differs in white space alone is the same to a promotion, which then is kept.
texts = st.lists(
    st.text(st.sampled_from("ab# \n.。犬ä-|"), max_size=80).filter(lambda text: text.strip()),
    min_size=1,
    max_size=4,
    unique_by=lambda text: "".join(text.split()),
)


@settings(max_examples=tried(10, long=25))
@given(made=texts, is_promoted=st.lists(st.booleans(), min_size=4, max_size=4))
def test_a_document_says_at_every_version_what_was_written_then(
    tmp_path_factory: pytest.TempPathFactory, made: list[str], is_promoted: list[bool]
) -> None:
    here = Evolving(tmp_path_factory.mktemp("law") / "s")
    document = here.add(text=OLD)
    said = [OLD]
    from_source = OLD
    for text, promotes in zip(made, is_promoted, strict=False):
        if promotes:
            here.promote(document, text)
            said.append(text)
        elif text != from_source:
            here.add(text=text)
            said += [text] if text != said[-1] else []  # a source that comes to say what was promoted makes no version
            from_source = text
        with here.reading() as reader:
            present = reader.document(document.id)
        assert present is not None
        document = present
        assert [here.text(document, number) for number in range(1, len(said) + 1)] == said
        assert here.text(document) == said[-1]
        assert here.add(text=from_source).version == len(said)
    assert here.text(document, len(said) + 1) is None
    here.close()
