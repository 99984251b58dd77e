"""On a cluster each namespace lies on one node, and what is done to it is done there."""

from __future__ import annotations

import gc
import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import UniqueConstraint

import evolore.store
from evolore.store.postgres import distribution
from evolore.store.sql import Prepared
from evolore.store.tables import metadata
from shards import KEY, SPREAD, crossing, watched, words_of
from store.questions import Asked

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("sql", "left"),
    [
        ("select id from queries where ns = 1", ""),
        ("select id from queries", "queries"),
        ("select id from queries where id = :id", "queries"),
        ("select id from queries where ns = :ns or id = :id", "queries"),
        ("select id from queries where not ns = :ns", "queries"),
        ("select id from queries where ns = ns", "queries"),
        ("select name from namespaces where name = :name", ""),
        ("select value from settings", ""),
        ("select q.id from queries q join ratings r on r.ns = q.ns where q.ns = :ns", ""),
        ("select q.id from queries q join ratings r on r.query_id = q.id where q.ns = :ns", "ratings"),
        ("select q.id from queries q join ratings r on r.ns = q.ns", "queries ratings"),
        ("select q.id from queries q left join ratings r on r.ns = q.ns where q.ns = :ns", ""),
        ("select q.id from queries q left join ratings r on r.ns = q.ns where r.ns = :ns", "queries"),
        ("select q.id from queries q left join ratings r on q.ns = :ns and r.ns = :ns", "queries"),
        ("select id from queries q where ns = :ns and exists (select 1 from ratings r where r.ns = q.ns)", ""),
        (
            "select id from queries q where ns = :ns and exists (select 1 from ratings r where r.query_id = q.id)",
            "ratings",
        ),
        (
            "select id from queries q where exists (select 1 from ratings r where r.ns = :ns and q.ns = r.ns)",
            "queries",
        ),
        ("select id from queries where ns = :ns and id in (select query_id from ratings)", "ratings"),
        ("select (select count(*) from ratings where ns = :ns), (select count(*) from edges)", "edges"),
        ("select id from queries where ns = :ns union all select id from answers", "answers"),
        ("select a.id from (select id from queries where ns = :ns) as a", ""),
        ("select a.id from (select id from queries) as a", "queries"),
        ("with a as (select id from queries) select id from a", "queries"),
        ("select q.id from namespaces n join queries q on q.ns = n.ns where n.name = :name", ""),
        ("select id from queries where false", ""),
        ("insert into queries (ns, id) values (:ns, :id)", ""),
        ("insert into queries (ns, id) select ns, id from answers where ns = :ns", ""),
        ("insert into queries (ns, id) select ns, id from answers", "answers"),
        ("update queries set outcome = 1 where ns = :ns", ""),
        ("update queries set outcome = 1 where id = :id", "queries"),
        ("update queries set outcome = (select 1 from ratings) where ns = :ns", "ratings"),
        ("update queries set outcome = 1 from ratings where queries.ns = :ns and ratings.ns = queries.ns", ""),
        ("update queries set outcome = 1 from ratings where queries.ns = :ns", "ratings"),
        ("delete from queries where ns = :ns and id in (select query_id from ratings where ns = :ns)", ""),
        ("delete from queries where id in (select query_id from ratings where ns = :ns)", "queries"),
        ("delete from queries where ns = :ns and not exists (select 1 from ratings r where r.ns = queries.ns)", ""),
    ],
)
def test_what_is_not_kept_to_one_namespace_is_named(sql: str, left: str) -> None:
    assert crossing(sql) == set(left.split())


def test_every_prepared_statement_keeps_to_one_namespace() -> None:
    for module in pkgutil.iter_modules(evolore.store.__path__, "evolore.store."):
        if not module.ispkg:
            importlib.import_module(module.name)
    gc.unfreeze()  # what tests froze is not listed else
    prepared = {words_of(one) for one in gc.get_objects() if isinstance(one, Prepared)}
    assert len(prepared) > 50
    assert {words: found for words in prepared if (found := crossing(words))} == {}


def test_keys_begin_with_the_namespace_and_every_table_is_spread_or_everywhere() -> None:
    for name in SPREAD:
        table = metadata.tables[name]
        unique = [one.columns for one in table.constraints if isinstance(one, UniqueConstraint)]
        unique += [one.columns for one in table.indexes if one.unique]
        assert all(next(iter(columns)).name == KEY for columns in [table.primary_key.columns, *unique]), name
    statements = distribution()
    assert len(statements) == len(metadata.tables)
    for name in metadata.tables:
        (statement,) = [one for one in statements if f"('{name}'" in one]
        assert ("create_distributed_table" in statement) == (name in SPREAD)


def test_what_tests_ask_is_left_out_and_what_the_store_asks_is_not(tmp_path: Path) -> None:
    one = Asked(tmp_path / "s")
    with watched(without=()) as found:
        one.remember("the red house")
        one.dump()
        assert found == []
        one.store.examine(None)
        assert {line.partition(":")[0] for line in found} == {"examination.py"}
    one.store.close()
