"""Further namespaces: read with one's own on one scale, never written to, and not there for who does not name them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.answer import AnswerKind
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.query import Hit, Recall
    from evolore.ports import Reranked

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("me", "company", "team")


def opened(stack: ExitStack, store: Path, name: str) -> Memory:
    clock = SteppingClock(START, step=timedelta(seconds=1))
    memory = Memory.open(store, namespace=name, embedder=HashingEmbedder(), clock=clock, settings=Settings())
    return stack.enter_context(memory)


@pytest.fixture
def memories(store_path: Path) -> Iterator[dict[str, Memory]]:
    with ExitStack() as stack:
        yield {name: opened(stack, store_path, name) for name in NAMES}


@pytest.fixture
def me(memories: dict[str, Memory]) -> Memory:
    memories["me"].remember("My laptop is a blue one.", speaker="Mika")
    memories["company"].add_text("# Laptops\n\nLaptops are replaced after four years.\n", source="handbook.md")
    memories["team"].remember("The team laptop stands in room 12.", speaker="Jonas")
    return memories["me"]


def told(found: Recall) -> list[tuple[str | None, str, float]]:
    return [(hit.namespace, hit.episode.id, hit.score) for hit in found.hits]


def test_hits_of_all_named_come_on_one_scale_and_name_their_namespace(me: Memory) -> None:
    found = me.recall("When are laptops replaced?", also=["company", "team"])

    assert {hit.namespace for hit in found.hits} == set(NAMES)
    assert found.hits[0].namespace == "company"
    assert [hit.rank for hit in found.hits] == list(range(1, len(found.hits) + 1))
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert found.searched == 3
    assert "[1] company: Laptops (handbook.md, 1" in found.context
    assert "Mika · 2026-01-01\nMy laptop is a blue one." in found.context


def test_one_own_namespace_and_an_unknown_one_add_nothing(me: Memory) -> None:
    alone = me.recall("Which laptop?", record=False)

    assert me.recall("Which laptop?", also=["me"], record=False) == alone
    assert me.recall("Which laptop?", also=["nowhere"], record=False).hits == alone.hits
    assert "nowhere" not in Memory.namespaces(me._context.store.folder)


def test_what_is_found_elsewhere_is_found_from_an_empty_memory(memories: dict[str, Memory]) -> None:
    memories["company"].remember("Laptops are replaced after four years.")

    found = memories["me"].recall("When are laptops replaced?", also=["company"])
    assert [hit.namespace for hit in found.hits] == ["company"]
    assert found.query_id is None
    assert memories["me"].stats().queries == 0


def test_nothing_is_written_elsewhere_and_ratings_teach_at_home_alone(memories: dict[str, Memory], me: Memory) -> None:
    before = {name: memories[name].stats() for name in NAMES[1:]}
    histories = {name: memories[name].history() for name in NAMES[1:]}

    found = me.recall("When are laptops replaced?", also=NAMES, record=True)
    me.rate(found, "good")
    said = me.answer("When are laptops replaced?", also=["company"])
    assert said.citations[0].namespace == "company"
    me.rate(said.id, "bad", comment="No.")

    assert {name: memories[name].stats() for name in NAMES[1:]} == before
    assert {name: memories[name].history() for name in NAMES[1:]} == histories
    kept = me.questions.show(found.query_id or "")
    assert [one.episode_id for one in kept.given] == [hit.episode.id for hit in found.hits if hit.namespace == "me"]
    assert me.stats().queries == 2


def test_the_words_of_another_namespace_are_not_kept(memories: dict[str, Memory], me: Memory) -> None:
    said = me.answer("When are laptops replaced?", also=["company"])
    assert said.kind is AnswerKind.EXTRACTED
    assert "four years" in said.text

    exported = "".join(str(one) for one in me.questions.list())
    assert "four years" not in exported
    assert me.questions.show(said.query_id or "").given == ()
    memories["company"].forget(everything=True)
    files = [path for path in me._context.store.folder.rglob("*") if path.is_file()]
    assert files
    assert not any(b"four years" in path.read_bytes() for path in files)


def test_an_answer_from_both_cites_both(memories: dict[str, Memory]) -> None:
    memories["me"].remember("My laptop Koala was bought in May 2021.")
    memories["company"].remember("Every laptop is replaced after four years.")

    said = memories["me"].answer(
        "When was my laptop Koala bought, and after how many years is a laptop replaced?", also=["company"]
    )
    assert {one.namespace for one in said.citations} <= {None, "company"}
    assert said.citations


def test_lessons_of_another_namespace_do_not_reach_who_reads_it(memories: dict[str, Memory], me: Memory) -> None:
    team = memories["team"]
    before = told(me.recall("Which room?", also=["team"], record=False))
    for _ in range(3):
        team.rate(team.recall("Which room?", record=True), "good")

    found = me.recall("Which room?", also=["team"], record=False)
    assert told(found) == before
    assert found.learned_from == ()


@pytest.mark.parametrize("also", ["company", [""], [" "], [f"n{one}" for one in range(21)]])
def test_names_that_are_none_are_refused(me: Memory, also: Sequence[str]) -> None:
    with pytest.raises(InvalidValue, match="also"):
        me.recall("Which?", also=also)


def test_a_budget_and_a_limit_hold_for_all_together(me: Memory) -> None:
    assert len(me.recall("laptop", also=NAMES, limit=2).hits) == 2
    found = me.recall("laptop", also=NAMES, tokens=60)
    assert found.tokens <= 60


def test_a_reranker_judges_the_hits_of_all_together(store_path: Path, me: Memory) -> None:
    class Backwards:
        name = "backwards"

        def score(self, question: str, texts: Sequence[str]) -> Reranked:
            del question
            return np.arange(len(texts), dtype=np.float32)

    del me
    settings = Settings()
    settings = settings.model_copy(update={"rerank": replace(settings.rerank, blend=1.0)})
    memory = Memory.open(
        store_path,
        namespace="me",
        embedder=HashingEmbedder(),
        reranker=Backwards(),
        settings=settings,
    )
    with memory:
        plain = memory.recall("When are laptops replaced?", also=["company", "team"], record=False)
        assert plain.reranking is not None
        assert plain.reranking.items == 3
        for hit in plain.hits:
            assert hit.score == pytest.approx(sum(term.value for term in hit.terms), abs=1e-5)


SAID = st.lists(
    st.sampled_from(
        [
            "The red train.",
            "A blue train to Osaka.",
            "猫がいる。",
            "Where is the red bike?",
            "Mika left.",
            "我们搬到了大阪。",
        ]
    ),
    min_size=1,
    max_size=6,
)
ASKED = st.sampled_from(["Which train is red?", "Osaka", "大阪", "How did it feel?", "Who left?"])


def filled(stack: ExitStack, folder: str, **said: Sequence[str]) -> dict[str, Memory]:
    memories = {name: opened(stack, Path(folder) / "s.evolore", name) for name in said}
    for name, texts in said.items():
        if texts:
            memories[name].remember_many([Statement(text=one, session=name) for one in texts])
    return memories


def own(hits: Sequence[Hit], name: str) -> list[tuple[str, float]]:
    return [(hit.episode.text, round(hit.score, 5)) for hit in hits if hit.namespace == name]


@given(mine=SAID, theirs=SAID, asked=ASKED)
def test_another_namespace_is_out_of_reach_unless_it_is_named(mine: list[str], theirs: list[str], asked: str) -> None:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        memories = filled(stack, folder, me=mine, company=theirs)
        foreign = {one.id for one in memories["company"].list().statements}
        me = memories["me"]
        assert not foreign & {hit.episode.id for hit in me.recall(asked, limit=50, record=False).hits}
        assert not foreign & {one.episode_id for one in me.answer(asked, record=False).citations}
        with_it = me.recall(asked, limit=50, also=["company"], record=False, fold_echoes=False)
        assert {hit.episode.id for hit in with_it.hits if hit.namespace == "company"} <= foreign


@given(mine=SAID, theirs=SAID, more=SAID, asked=ASKED)
def test_what_is_added_there_changes_no_score_of_ones_own(
    mine: list[str], theirs: list[str], more: list[str], asked: str
) -> None:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        memories = filled(stack, folder, me=mine, company=theirs)
        me, company = memories["me"], memories["company"]
        alone = own(me.recall(asked, limit=50, record=False).hits, "me")
        before = own(me.recall(asked, limit=50, also=["company"], record=False).hits, "me")
        company.remember_many([Statement(text=one) for one in more])
        assert own(me.recall(asked, limit=50, also=["company"], record=False).hits, "me") == before == alone


@given(mine=SAID, theirs=SAID, others=SAID, asked=ASKED)
def test_the_order_of_names_does_not_matter(mine: list[str], theirs: list[str], others: list[str], asked: str) -> None:
    with TemporaryDirectory() as folder, ExitStack() as stack:
        me = filled(stack, folder, me=mine, company=theirs, team=others)["me"]
        one = me.recall(asked, also=["company", "team"], record=False)
        assert one == me.recall(asked, also=["team", "company", "me", "team"], record=False)
