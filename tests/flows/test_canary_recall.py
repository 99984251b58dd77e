"""What a canary does to recall: nothing for those who see the old text, and what promoting does for the others."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from functools import cache
from pathlib import Path
from shutil import copytree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolving.canaries import QUICK, begun, people, reopened, with_canary
from evolving.complaints import NEWS, open_memory
from evolving.scripted import NEW, OLD, ScriptedEditor
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.query import Hit, Recall
    from evolore.memory import Memory

TOPICS = ("Parcels", "Invoices", "Warranty", "Passwords", "Opening hours", "Spare parts", "Repairs", "Vouchers")
PEOPLE = ("Mika Aalto", "Jonas Weber", "Priya Nair")
LONG = "# Handbook\n\nWhat the desk tells people.\n\n" + "\n\n".join(
    [
        f"## Refunds\n\n{OLD} They go to the card that paid. Mika Aalto decides about them at noon.",
        *(
            f"## {topic}\n\nAbout {topic.lower()} the desk asks {PEOPLE[place % 3]} first. "
            + " ".join(f"Rule {rule} for {topic.lower()} holds in branch {place * 7 + rule}." for rule in range(1, 12))
            for place, topic in enumerate(TOPICS)
        ),
    ]
)
BETTER = (
    LONG.replace(OLD, NEW)
    .replace("About parcels the desk", "Of parcels the whole desk")
    .replace("## Vouchers", "## Gifts\n\nGifts are packed by Priya Nair, and never sent by post.\n\n## Vouchers")
)
QUESTIONS = (
    "how long do refunds take?",
    "How many business days do refunds take?",
    "what does Mika Aalto decide?",
    "whom does the desk ask about warranty?",
    "which rule for vouchers holds in branch 52?",
    "What did Priya Nair say about repairs in May?",
    "I feel lost, help me",
)
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"source": "handbook.md"},
    {"level": "document"},
    {"expand": True},
    {"expand": False, "limit": 30},
    {"depth": 2},
    {"tokens": 80},
    {"fold_echoes": False},
    {"where": {"kind": "rules"}},
    {"tags": ["desk"]},
)


def _fill(memory: Memory) -> None:
    memory.add_text(
        LONG, source="handbook.md", media_type=MediaType.MARKDOWN, metadata={"kind": "rules"}, tags=["desk"]
    )
    memory.add_text(NEWS, source="news.md", media_type=MediaType.MARKDOWN)
    memory.remember_many(
        [Statement(text=f"{who} repaired {topic.lower()} in branch {n}.", speaker=who, session="talk")
         for n, topic in enumerate(TOPICS) for who in PEOPLE]
    )  # fmt: skip
    for number, question in enumerate(QUESTIONS[:5]):
        for who in ("p", "q", "r"):
            answer = memory.answer(f"{question} ({number})", principal=who)
            memory.rate(answer.id, "good", principal=who)


@cache
def _stores() -> Path:
    """Make, once in a process, one store as it was, one with a canary and one where all see the text."""
    folder = Path(mkdtemp(prefix="evolore-canary-recall-"))
    (folder / "before").mkdir()
    with open_memory(folder / "before", model=ScriptedEditor(), evolution=with_canary(QUICK)) as memory:
        _fill(memory)
        (job,) = memory.evolve("handbook.md")
        assert [one.id for one in job.candidates] == ["1"]
        assert memory.outline.tree("handbook.md").document.episode_count > len(TOPICS)
    for name in ("canary", "after"):
        copytree(folder / "before", folder / name)
    return folder


@pytest.fixture(scope="module")
def worlds() -> Iterator[tuple[Memory, Memory, Memory, str, str]]:
    """Give the three memories, and the names of one who sees the old text and one who sees the new."""
    with ExitStack() as stack:
        folder = _stores()
        before, canary, after = (stack.enter_context(reopened(folder / name)) for name in ("before", "canary", "after"))
        (job,) = before.evolution.jobs()
        if not canary.evolution.canaries():
            begun(canary, job.id, candidate="1", text=BETTER)
            after.evolution.approve(job.id, candidate="1", text=BETTER)
        (promotion,) = (one for one in canary.evolution.show(job.id).promotions)
        (new,), (old,) = people(promotion, is_new=True, count=1), people(promotion, is_new=False, count=1)
        yield before, canary, after, old, new


def told(hit: Hit, *, digits: int = 4) -> object:
    """Say what a hit is without ids and times; to some digits, because rows are added up in another order among others."""
    one = hit.episode
    wider, whole = hit.expansion, hit.whole
    return (
        hit.rank,
        round(hit.score, digits),
        tuple((term.name, round(term.value, digits)) for term in hit.terms),
        one.text,
        one.source,
        one.title,
        one.outline,
        one.heading_path,
        one.tags,
        tuple(one.metadata.items()),
        wider and (wider.text, wider.outline, tuple(told(each) for each in wider.folded)),
        whole and (whole.text, tuple(told(each) for each in whole.found)),
        tuple(each.episode.text for each in hit.echoes),
    )


def found(recall: Recall) -> list[object]:
    return [told(hit) for hit in recall.hits]


def test_the_stores_differ_where_they_should(worlds: tuple[Memory, Memory, Memory, str, str]) -> None:
    before, canary, after, old, new = worlds
    assert OLD in before.recall(QUESTIONS[0]).hits[0].text
    assert OLD in before.recall(QUESTIONS[0]).context
    assert NEW in after.recall(QUESTIONS[0], source="handbook.md").context
    assert OLD in canary.recall(QUESTIONS[0], principal=old).context
    assert NEW in canary.recall(QUESTIONS[0], principal=new, source="handbook.md").context
    assert any(canary.recall(one, principal=new).learned_from for one in QUESTIONS)


@settings(max_examples=tried(25, long=60), deadline=None)
@given(question=st.sampled_from(QUESTIONS), how=st.sampled_from(ASKED), number=st.integers(0, 400))
def test_who_sees_the_old_text_finds_what_is_found_without_a_canary_and_the_others_what_promoting_gives(
    worlds: tuple[Memory, Memory, Memory, str, str], question: str, how: dict[str, Any], number: int
) -> None:
    before, canary, after, *_ = worlds
    who = f"person {number}"
    got = canary.recall(question, principal=who, **how)
    ((_, is_new),) = got.canaries
    if is_new:
        assert found(got) == found(after.recall(question, principal=who, **how))
    else:
        want = before.recall(question, principal=who, **how)
        assert found(got) == found(want)
        assert replace(got, canaries=(), hits=()) == replace(want, hits=())
        assert [hit.episode for hit in got.hits] == [hit.episode for hit in want.hits]


@settings(max_examples=tried(8, long=20), deadline=None)
@given(question=st.sampled_from(QUESTIONS), number=st.integers(0, 400))
def test_answers_are_those_of_the_store_without_and_of_the_store_after(
    worlds: tuple[Memory, Memory, Memory, str, str], question: str, number: int
) -> None:
    before, canary, after, *_ = worlds
    who = f"person {number}"
    got = canary.answer(question, principal=who, record=False)
    ((_, is_new),) = got.canaries
    want = (after if is_new else before).answer(question, principal=who, record=False)
    assert (got.text, got.kind) == (want.text, want.kind)
    assert [one.source for one in got.citations] == [one.source for one in want.citations]


def test_a_moment_before_the_canary_is_answered_as_it_was(worlds: tuple[Memory, Memory, Memory, str, str]) -> None:
    before, canary, _, _, new = worlds
    earlier = canary.evolution.canaries()[0].begun_at - timedelta(seconds=1)
    got, want = (one.recall(QUESTIONS[0], principal=new, as_of=earlier) for one in (canary, before))
    assert got.canaries == ()
    assert found(got) == found(want)
