"""What bears on a question is handed over, and nothing where nothing does: in small stores and large, three languages."""

from __future__ import annotations

import json
import random
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.citation import context_words
from evolore.domain.episode import Statement
from evolore.domain.language import Language
from evolore.domain.query import LEAST_LIKELIHOOD, Query
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.query import Recall

SETS = Path(__file__).parents[1] / "data" / "everyday"
BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
FOREIGN = {
    "en": ("What is the capital of Peru?", "Why is the sky blue?", "Tell me a joke about accountants."),
    "ja": ("モンゴルの首都はどこですか。", "うるう秒とは何ですか?", "DNAとRNAはどう違う?"),
    "zh": ("HTTP状态码403是什么意思？", "猫为什么怕黄瓜？", "能简单讲讲区块链吗？"),
}


def facts(language: str, count: int) -> list[dict[str, str]]:
    """Draw facts with their questions from the visible half."""
    lines = (SETS / language / "facts.jsonl").read_text(encoding="utf-8").splitlines()
    every = [json.loads(line) for line in lines]
    return random.Random(3).sample([one for one in every if zlib.crc32(one["id"].encode()) % 2 == 0], count)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", clock=SteppingClock(BEGAN + timedelta(days=40))) as opened:
        yield opened


def ask(memory: Memory, question: str, **options: Any) -> Recall:  # noqa: ANN401 - as recall takes them
    return memory.recall(question, record=False, **options)


@pytest.mark.parametrize("language", FOREIGN)
@pytest.mark.parametrize("size", [1, 5, 40])
def test_facts_answer_their_questions_and_foreign_ones_find_nothing(memory: Memory, size: int, language: str) -> None:
    chosen = facts(language, size)
    memory.remember_many([Statement(text=one["fact"]) for one in chosen])
    for question in FOREIGN[language]:
        plain = ask(memory, question)
        assert len(plain.hits) == min(size, 5), "plainly asked, recall leaves nothing out"
        assert plain.likelihood is not None
        assert plain.likelihood < LEAST_LIKELIHOOD
        assert plain.as_messages()[0]["content"] == context_words(Language(language))["nothing"]
        within = ask(memory, question, tokens=500)
        assert (within.hits, within.tokens) == ((), 0)
        assert within.likelihood is not None
        assert plain.likelihood <= within.likelihood < LEAST_LIKELIHOOD, "with tokens more hits are looked at"
    for one in chosen:
        found = ask(memory, one["question"], tokens=500)
        assert one["fact"] in [hit.text for hit in found.hits]
        assert one["fact"] in ask(memory, one["question"]).as_messages()[0]["content"]


@pytest.mark.parametrize("speaker", [None, "Mika"])
def test_in_a_store_of_several_languages_the_same_holds_with_a_speaker_and_without(
    memory: Memory, speaker: str | None
) -> None:
    chosen = [one for language in FOREIGN for one in facts(language, 10)]
    memory.remember_many([Statement(text=one["fact"], speaker=speaker) for one in chosen])
    for one in chosen:
        assert one["fact"] in [hit.text for hit in ask(memory, one["question"], tokens=500).hits]
    for questions in FOREIGN.values():
        for question in questions:
            assert not ask(memory, question, tokens=500).hits


@pytest.mark.parametrize("language", FOREIGN)
def test_what_stands_in_a_long_message_is_not_left_out(memory: Memory, language: str) -> None:
    first, *others = facts(language, 30)
    memory.remember(" ".join(one["fact"] for one in (*others[:15], first, *others[15:])), session="talk")
    assert ask(memory, first["question"], tokens=2000).hits
    assert not ask(memory, FOREIGN[language][0], tokens=2000).hits


@pytest.mark.parametrize(
    ("told", "asked"),
    [("A boiled egg was on my plate.", "How do I calculate a derivative?"), ("I moved to Osaka.", "How can we sort?")],
)
def test_the_way_to_do_something_is_no_matter_of_ones_own(memory: Memory, told: str, asked: str) -> None:
    memory.remember(told)
    assert not ask(memory, asked, tokens=500).hits


def test_a_hit_is_as_likely_whatever_else_is_remembered(memory: Memory) -> None:
    first, *others = facts("en", 40)
    memory.remember(first["fact"])
    alone = ask(memory, first["question"]).hits[0].likelihood
    memory.remember_many([Statement(text=one["fact"]) for one in others])
    among = ask(memory, first["question"]).hits[0]
    assert among.text == first["fact"]
    assert alone is not None
    assert among.likelihood == pytest.approx(alone, abs=0.02)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Hi! I moved to Osaka in March.", "Where do I live now?"),
        ("I started a job at Siemens.", "Who is my employer?"),
        ("I take the ferry from Puttgarden.", "How do we get to our island?"),
        ("このたび課長を拝命いたしました。", "今の役職は?"),
        ("3月に大阪へ転職します。", "私はどこで働くことになったんですか？"),
        ("我三月搬到了大阪。", "我现在住在哪里？"),
    ],
)
def test_what_one_told_of_oneself_in_other_words_is_not_left_out(memory: Memory, told: str, asked: str) -> None:
    memory.remember(told, speaker="Mika", session="talk")
    assert [hit.text for hit in ask(memory, asked, tokens=500).hits] == [told]


def test_a_turn_that_asks_nothing_brings_what_it_touches(memory: Memory) -> None:
    memory.remember_many([Statement(text="I'm allergic to walnuts."), Statement(text="The office moved to Leeds.")])
    assert [hit.text for hit in ask(memory, "I just baked a walnut cake.", tokens=500).hits] == [
        "I'm allergic to walnuts."
    ]
    assert not ask(memory, "Haha, that was a good one.", tokens=500).hits


def test_ranks_are_those_of_what_is_handed_over(memory: Memory) -> None:
    memory.remember_many([Statement(text=one["fact"]) for one in facts("en", 40)])
    memory.remember_many([Statement(text=f"The ferry to {place} costs 8 euros.") for place in ("Wight", "Skye")])
    found = ask(memory, "What does the ferry cost?", least=LEAST_LIKELIHOOD)
    assert 2 <= len(found.hits) < 5
    assert [hit.rank for hit in found.hits] == [*range(1, len(found.hits) + 1)]
    assert f"[{len(found.hits)}]" in found.context


def test_within_a_budget_it_reads_on_behind_what_is_left_out(memory: Memory) -> None:
    memory.remember_many(
        [Statement(text=f"Ferry number {number} leaves at {number} o'clock.") for number in range(1, 21)]
    )
    found = ask(memory, "When does ferry number 7 leave?", tokens=2000)
    assert len(found.hits) == 20
    assert len(ask(memory, "Who painted The Night Watch?", tokens=2000).hits) == 0


def test_with_an_embedder_that_nobody_looked_at_nothing_is_left_out(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(64)) as memory:
        memory.remember("The office moved to Leeds.")
        found = ask(memory, "What is the capital of Peru?", tokens=500)
        assert (len(found.hits), found.likelihood, found.hits[0].likelihood) == (1, None, None)
        assert "Leeds" in found.as_messages()[0]["content"]


def test_what_contradicts_or_replaces_a_hit_is_kept_with_it(memory: Memory) -> None:
    memory.remember("The office is in Munich.", speaker="Mika", occurred_at=BEGAN, about=("office", "city"))
    memory.remember("Berlin now.", speaker="Ben", occurred_at=BEGAN + timedelta(days=9), about=("office", "city"))
    found = ask(memory, "Which city is the office in, Munich?", tokens=500)
    assert {hit.text for hit in found.hits} == {"The office is in Munich.", "Berlin now."}


def test_a_question_after_a_day_alone_finds_what_happened_then(memory: Memory) -> None:
    memory.remember("The cat caught a mouse.", occurred_at=BEGAN)
    memory.remember("The lamp broke.", occurred_at=BEGAN + timedelta(days=20))
    found = ask(memory, "What happened on 1 March 2026?", tokens=500)
    assert "The cat caught a mouse." in [hit.text for hit in found.hits]


def test_a_session_or_document_is_as_likely_as_the_best_in_it(memory: Memory) -> None:
    for number, text in enumerate(("Morning!", "The ferry to Skye costs 8 euros.", "Bye then.")):
        memory.remember(text, session="talk", occurred_at=BEGAN + timedelta(minutes=number))
    memory.remember("The lamp broke.", session="other")
    (hit,) = ask(memory, "What does the ferry to Skye cost?", level="session", least=LEAST_LIKELIHOOD).hits
    assert hit.whole is not None
    assert hit.whole.name == "talk"
    assert hit.likelihood == max(one.likelihood or 0.0 for one in hit.whole.found)
    assert not ask(memory, "Who painted The Night Watch?", level="session", least=LEAST_LIKELIHOOD).hits


def test_siblings_that_are_expanded_are_as_likely_as_the_best_of_them(memory: Memory) -> None:
    text = "# Ferry\n\nThe ferry to Skye costs 8 euros.\n\n## Lamps\n\nThe lamp in the hall is green.\n"
    memory.add_text(text, source="notes.md")
    found = ask(memory, "What does the ferry to Skye cost?", expand=True, tokens=500)
    assert found.hits
    assert found.hits[0].likelihood == found.likelihood
    assert not ask(memory, "Who painted The Night Watch?", expand=True, tokens=500).hits


def test_further_namespaces_are_held_to_the_same_floor(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", namespace="company") as company:
        company.remember("The ferry to Skye costs 8 euros.")
        company.remember("The canteen closes at two.")
    with Memory.open(tmp_path / "store") as memory:
        memory.remember("The lamp broke.")
        found = ask(memory, "What does the ferry to Skye cost?", also=["company"], tokens=500)
        assert [hit.text for hit in found.hits] == ["The ferry to Skye costs 8 euros."]
        assert found.likelihood == found.hits[0].likelihood
        assert not ask(memory, "Who painted The Night Watch?", also=["company"], tokens=500).hits


def test_an_empty_memory_holds_nothing_that_bears(memory: Memory) -> None:
    assert ask(memory, "Where do I live?").likelihood == 0.0


@pytest.mark.parametrize("least", [-0.1, 1.1, float("nan")])
def test_a_floor_is_a_share(least: float) -> None:
    with pytest.raises(InvalidValue, match="least"):
        Query.of("Where do I live?", least=least)


def test_a_floor_that_is_named_holds_with_a_budget_and_without(memory: Memory) -> None:
    memory.remember("The lamp broke.")
    assert ask(memory, "Who painted The Night Watch?", tokens=500, least=0.0).hits
    found = ask(memory, "Who painted The Night Watch?", least=0.0)
    assert "The lamp broke." in found.as_messages()[0]["content"]
