"""A value is written as a row by the forms of its columns, and read back from it equal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from evolore.domain.evolution import Operator, PromotedDocument, Promotion, Step
from evolore.domain.fact import FactKind, FactOrigin
from evolore.errors import StoreDamaged
from evolore.ports import StoredFact
from evolore.store.forms import check_of, form_of, reader, row_of, write
from evolore.store.rows import to_promotion, to_step
from evolore.store.service import ApiKey
from evolore.store.tables import api_keys, documents, episodes, evolution_steps, facts, promotions, settings

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_a_value_whose_fields_are_columns_is_read_back_as_it_was_written() -> None:
    fact = StoredFact(
        episode_id="e", subject="Rosa", attribute="city", value="Lyon", kind=FactKind.IS, origin=FactOrigin.PATTERN
    )
    row = row_of(facts, fact, ns=1, number=0)
    assert row["kind"] == FactKind.IS.value
    assert row.keys() == set(facts.c.keys())
    assert reader(StoredFact, facts)(row) == fact


def test_times_lists_and_closed_sets_are_written_by_their_forms() -> None:
    key = ApiKey(
        id="k",
        hash="h",
        prefix="p",
        label="l",
        scopes=("read", "write"),
        namespaces=(),
        created_at=NOON.astimezone(timezone(timedelta(hours=2))),
    )
    row = row_of(api_keys, key)
    assert (row["scopes"], row["namespaces"]) == ('["read", "write"]', "[]")
    assert row["created_at"] == "2026-03-02T12:00:00.000000+00:00"
    assert row["used_at"] is None
    assert reader(ApiKey, api_keys)(row) == key


def test_what_belongs_to_a_row_is_read_with_it() -> None:
    promotion = Promotion(
        id="p",
        job_id="j",
        candidate_id="c",
        operator=Operator.MUTATION_DETAIL,
        documents=(PromotedDocument(document_id="d", before=1, after=2),),
        win_rate=1,
        promoted_at=NOON,
        approved_by=None,
        is_by_policy=True,
        percent=100,
    )
    row = row_of(promotions, promotion, ns=1)
    assert isinstance(row["win_rate"], float)
    assert (
        to_promotion({**row, "documents": [{"document_id": "d", "before": 1, "after": 2, "restored": None}]})
        == promotion
    )


def test_a_step_holds_its_body_as_canonical_json() -> None:
    step = Step(number=1, kind="begun", body={"b": 1, "a": "é"}, at=NOON)
    row = row_of(evolution_steps, step, ns=1, job_id="j")
    assert row["body"] == '{"a":"\\u00e9","b":1}'
    assert to_step({**row, "id": "j"}) == step


def test_a_row_that_is_no_value_is_named() -> None:
    step = row_of(evolution_steps, Step(number=1, kind="begun", body={}, at=NOON), ns=1, job_id="j")
    with pytest.raises(StoreDamaged, match="'j'"):
        to_step({**step, "id": "j", "body": "[]"})


def test_a_column_without_a_form_holds_values_as_they_are() -> None:
    assert write(settings.c.value, "text") == "text"
    assert check_of(settings.c.value) is None
    assert form_of(documents.c.is_file).read(0) is False


def test_every_time_of_a_namespace_that_is_checked_is_written_so_that_texts_sort_as_times() -> None:
    check = check_of(episodes.c.recorded_at)
    assert check is not None
    check("2026-03-02T12:00:00.000000+00:00")
    with pytest.raises(ValueError, match="2026"):
        check("2026-03-02T12:00:00+02:00")
