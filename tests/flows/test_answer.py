"""Questions are answered with what stands in the sources that may be seen, taken down, and rated."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.answer import Answer, AnswerKind
from evolore.domain.document import MediaType
from evolore.domain.outcome import Rating
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.flows.rate import RatedDocument, RatedQuery
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.domain.episode import Episode
    from evolore.domain.feedback import Feedback

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
PAGE = """# Refunds

A refund of ovens is paid within 30 days. To book the carrier, do the following:

- Call the shop.
- Name the order.

| Plan | Price |
|---|---|
| Pro | 20 euros |
"""
QUESTION = "Within how many days is a refund of ovens paid?"
NUMBERS = re.compile(r"\s*\[\d+\]")


def opened(folder: Path, model: ScriptedChatModel | None = None, *, namespace: str = "shop") -> Memory:
    clock = SteppingClock(DAY, step=timedelta(seconds=1))
    return Memory.open(
        folder / "m",
        namespace=namespace,
        embedder=HashingEmbedder(),
        clock=clock,
        settings=Settings(),
        chat_model=model,
    )


def filled(memory: Memory) -> str:
    """Add a page and some statements, and give the page's id."""
    for text in ("The mill stands still.", "Mika painted the door of the oven house."):
        memory.remember(text, speaker="Mika")
    return memory.add_text(PAGE, source="refunds.md", media_type=MediaType.MARKDOWN).id


def said(text: str, *passages: int) -> str:
    return json.dumps({"in_sources": True, "sentences": [{"text": text, "passages": passages}]})


def feedback(memory: Memory) -> tuple[Feedback, ...]:
    with memory._context.store.read(memory.namespace) as reader:
        return reader.feedback()


def check_citations(memory: Memory, answer: Answer) -> None:
    for one in answer.citations:
        episode = memory.show(one.episode_id)
        assert one.quote == one.span.of(getattr(episode, "text", ""))
        assert one.quote.strip() == one.quote != ""


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        (QUESTION, "A refund of ovens is paid within 30 days."),
        ("How do I book the carrier?", "- Name the order."),
        ("What is the price of the Pro plan?", "| Pro | 20 euros |"),
        ("Who painted the door of the oven house?", "Mika painted the door of the oven house."),
    ],
)
def test_without_a_model_an_answer_is_made_of_quotes_that_stand_where_they_are_cited(
    tmp_path: Path, question: str, wanted: str
) -> None:
    with opened(tmp_path) as memory:
        filled(memory)
        answer = memory.answer(question)
        assert answer.kind is AnswerKind.EXTRACTED
        assert wanted in answer.text
        check_citations(memory, answer)
        assert NUMBERS.sub("", answer.text) == "\n".join(one.quote for one in answer.citations)
        assert [one.number for one in answer.citations] == list(range(1, len(answer.citations) + 1))


def test_what_the_sources_do_not_say_is_said_so_in_the_questions_language(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        filled(memory)
        for question, text in (
            ("Which violins were tuned in Vienna yesterday?", "The sources do not say."),
            ("昨日の映画の題名は何ですか？", "資料にはその答えが見当たりません。"),
            ("昨天的电影叫什么名字？", "资料中没有找到答案。"),
        ):
            answer = memory.answer(question)
            assert (answer.kind, answer.text, answer.citations) == (AnswerKind.NOT_IN_SOURCES, text, ())
        assert memory.answer(QUESTION).kind is AnswerKind.EXTRACTED


def test_an_answer_is_taken_down_with_what_it_cites_unless_it_is_not_wanted(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        page = filled(memory)
        answer = memory.answer(QUESTION, principal="ann")
        assert answer.query_id is not None
        query = memory.questions.show(answer.query_id)
        assert (query.text, query.principal, query.answer_id) == (QUESTION, "ann", answer.id)
        assert set(query.cited_ids) == {one.episode_id for one in answer.citations}
        assert answer.document_ids == (page,)
        with memory._context.store.read(memory.namespace) as reader:
            kept = reader.answer(answer.id)
        assert kept is not None
        assert (kept.text, kept.citations, kept.principal) == (answer.text, answer.citations, "ann")
        unkept = memory.answer(QUESTION, record=False)
        assert (unkept.id, unkept.query_id, unkept.text) == ("", None, answer.text)
        assert len(memory.questions.list()) == 1


def test_a_model_writes_and_every_sentence_cites_where_it_stands(tmp_path: Path) -> None:
    model = ScriptedChatModel([said("You get it back within 30 days.", 1)])
    with opened(tmp_path, model) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        assert (answer.kind, answer.text) == (AnswerKind.WRITTEN, "You get it back within 30 days. [1]")
        assert [one.quote for one in answer.citations] == ["A refund of ovens is paid within 30 days."]
        assert (answer.model, answer.prompt_version, answer.usage.calls, answer.reason) == ("scripted-1", 1, 1, "")
        check_citations(memory, answer)


def test_a_citation_that_does_not_speak_of_the_matter_is_dropped(tmp_path: Path) -> None:
    seen: list[str] = []

    def reply(request: ChatRequest) -> str:
        shown = json.loads(request.messages[1].text.split("\n")[1])["passages"]
        seen.extend(one["text"] for one in shown)
        return said("A refund of ovens is paid within 30 days.", *(one["number"] for one in shown))

    with opened(tmp_path, ScriptedChatModel([reply])) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        assert any("The mill stands still." in text for text in seen)
        assert answer.kind is AnswerKind.WRITTEN
        assert [one.quote for one in answer.citations if one.document_id is not None] == [
            "A refund of ovens is paid within 30 days."
        ]
        assert all("mill" not in one.quote for one in answer.citations)


def test_an_answer_none_of_whose_citations_speaks_of_it_is_not_given_as_sourced(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel([said("Whales swim far north in summer.", 1)])) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        assert answer.kind is AnswerKind.EXTRACTED
        assert answer.reason.startswith("unsupported: ")
        assert "hales" not in answer.text


def test_a_model_that_finds_nothing_is_believed(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel(['{"in_sources": false, "sentences": []}'])) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        assert (answer.kind, answer.reason, answer.model) == (AnswerKind.NOT_IN_SOURCES, "", "scripted-1")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (said("You get it back within 31 days.", 1), "invented"),
        (said("You get it back.", 9), "unknown_passage"),
        (said("Это так.", 1), "other_language"),
        (ScriptedFault.MALFORMED_JSON, "unusable_reply"),
        (ScriptedFault.REFUSAL, "refused"),
        (ScriptedFault.TIMEOUT, "timed_out"),
        (ScriptedFault.EXCEPTION, "failed"),
    ],
)
def test_where_a_model_fails_the_answer_is_extracted_and_says_why(tmp_path: Path, reply: str, reason: str) -> None:
    model = ScriptedChatModel([reply])
    with opened(tmp_path, model) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        assert answer.kind is AnswerKind.EXTRACTED
        assert "A refund of ovens is paid within 30 days." in answer.text
        assert answer.reason.startswith(reason)
        assert (answer.model, model.calls) == ("", 1)


def test_nothing_is_quoted_or_shown_that_the_question_may_not_see(tmp_path: Path) -> None:
    model = ScriptedChatModel(['{"in_sources": false, "sentences": []}'])
    with opened(tmp_path, model) as memory, opened(tmp_path, namespace="other") as other:
        filled(memory)
        other.add_text("A refund of ovens is paid within 77 days of the secret.", source="secret.md")
        memory.remember("A refund of ovens was paid within 88 days.", speaker="Bo", occurred_at=DAY + timedelta(days=9))
        memory.answer(QUESTION)
        memory.answer(QUESTION, speaker="Mika")
        memory.answer(QUESTION, as_of=DAY + timedelta(days=1))
        everything, by_mika, before = (request.messages[-1].text for request in model.requests)
        assert "77" not in everything + by_mika + before
        assert "88 days" in everything
        assert "30 days" in everything
        assert "88 days" not in by_mika + before
        assert "30 days" not in by_mika
        assert "30 days" in before


def test_where_nothing_is_found_no_model_is_asked(tmp_path: Path) -> None:
    model = ScriptedChatModel([said("So it is.", 1)])
    with opened(tmp_path, model) as memory:
        filled(memory)
        assert memory.answer(QUESTION, speaker="Nobody").kind is AnswerKind.NOT_IN_SOURCES
        assert model.calls == 0


def test_a_namespace_nothing_was_written_to_does_not_say_it_and_is_not_made(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        answer = memory.answer(QUESTION)
        assert (answer.kind, answer.id) == (AnswerKind.NOT_IN_SOURCES, "")
    assert Memory.namespaces(tmp_path) == ()


def test_rating_an_answer_rates_its_question_and_the_documents_it_cites(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        page = filled(memory)
        answer = memory.answer(QUESTION)
        rated = memory.rate(answer.id, "bad", comment="Too late.", principal="ann")
        assert isinstance(rated, RatedQuery)
        assert rated.query.id == answer.query_id
        assert [(one.document_id, one.rating, one.comment) for one in rated.feedback] == [
            (page, Rating.BAD, "Too late.")
        ]
        assert rated.episodes


def test_one_persons_repeated_ratings_count_once_and_the_last_holds(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        filled(memory)
        answer = memory.answer(QUESTION)
        for word in ("bad", "bad", "good", "bad", "good"):
            memory.rate(answer.id, word, principal="ann")
        memory.rate(answer.query_id or "", "bad", principal="bob")
        assert [(one.principal, one.rating) for one in feedback(memory)] == [
            ("ann", Rating.GOOD),
            ("bob", Rating.BAD),
        ]


def test_where_nothing_is_cited_the_document_of_the_best_hit_gets_the_feedback(tmp_path: Path) -> None:
    with opened(tmp_path, ScriptedChatModel(['{"in_sources": false, "sentences": []}'])) as memory:
        page = filled(memory)
        refused = memory.answer("How is a refund of ovens paid by the shop?")
        recalled = memory.recall(QUESTION, record=True)
        memory.rate(refused.id, "bad")
        memory.rate(recalled.query_id or "", "bad", principal="ann")
        assert [one.document_id for one in feedback(memory)] == [page, page]


def test_a_document_is_rated_itself_and_no_episode_is_moved(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        page = filled(memory)
        rated = memory.rate(page, "bad", comment="Out of date.", principal="ann")
        assert isinstance(rated, RatedDocument)
        assert (rated.document.id, rated.feedback.comment, rated.feedback.query_id) == (page, "Out of date.", None)
        memory.rate(rated.document.source, "good", principal="ann")
        assert [one.rating for one in feedback(memory)] == [Rating.GOOD]
        assert {one.confidence for one in memory.list().statements} == {0.5}
        for wrong in ({"cited": [page]}, {"helpful": True}):
            with pytest.raises(InvalidValue, match="is about an answer"):
                memory.rate(page, "good", **wrong)  # pyright: ignore[reportArgumentType]


def test_ids_that_name_nothing_or_several_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        filled(memory)
        first, second = memory.answer(QUESTION), memory.answer("How do I book the carrier?")
        with pytest.raises(NotFound, match="No question, answer or document"):
            memory.rate("zzzz", "good")
        with pytest.raises(AmbiguousId, match="write more of it"):
            memory.rate(first.id[:2], "good")
        assert isinstance(memory.rate(second.id, "good"), RatedQuery)
        statement: Episode = memory.list().statements[0]
        with pytest.raises(NotFound):
            memory.rate(statement.id, "good")


def test_forgetting_a_document_takes_the_answers_and_feedback_that_rest_on_it_along(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        page = filled(memory)
        gone, stays = memory.answer(QUESTION), memory.answer("Who painted the door of the oven house?", speaker="Mika")
        memory.rate(gone.id, "bad")
        memory.forget(page)
        with memory._context.store.read(memory.namespace) as reader:
            assert reader.answer(gone.id) is None
            assert reader.answer(stays.id) is not None
        assert feedback(memory) == ()
        assert memory.store.verify().is_whole


def test_what_was_superseded_is_not_quoted_but_where_it_still_held(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for city, day in (("Kyoto", 1), ("Osaka", 2)):
            text = f"The office is in {city}."
            memory.remember(text, about=("office", "city"), occurred_at=DAY - timedelta(days=30 - 10 * day))
        asked = "which city is the office in?"
        assert [hit.text for hit in memory.recall(asked).hits] == ["The office is in Osaka.", "The office is in Kyoto."]
        assert [one.quote for one in memory.answer(asked).citations] == ["The office is in Osaka."]
        then = memory.answer(asked, as_of=DAY - timedelta(days=15))
        assert [one.quote for one in then.citations] == ["The office is in Kyoto."]


def test_a_question_that_was_said_before_is_no_answer(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for text in ("I moved to Osaka in March.", "Do you know why the oven smokes?", "When did I move to Osaka?"):
            memory.remember(text, speaker="Mika", session="chat")
        said = memory.answer("When did I move to Osaka?")
        hits = memory.recall("When did I move to Osaka?").hits
    assert said.text == "I moved to Osaka in March. [1]"
    assert hits[0].text == "I moved to Osaka in March."
    assert len(hits) == 3


def test_whoever_asks_and_goes_on_does_not_reply(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        memory.remember("Where is the spare key of the barn?", speaker="Mika", session="chat")
        memory.remember("My bike has a new bell.", speaker="Mika", session="chat")
        assert "bike" not in memory.answer("Where is the spare key of the barn?").text
    with opened(tmp_path, namespace="two") as memory:
        memory.remember("Where is the spare key of the barn?", speaker="Mika", session="chat")
        memory.remember("Under the blue pot.", speaker="Noa", session="chat")
        assert "Under the blue pot." in memory.answer("Where is the spare key of the barn?").text


def test_of_a_table_only_the_rows_that_were_asked_for_are_quoted(tmp_path: Path) -> None:
    rows = ("crop,bed,price,sown", "Pumpkin,3,4.50,May", "Leek,5,1.20,March", "Carrot,2,0.90,April", "Bean,1,2.10,May")
    (tmp_path / "garden.csv").write_text("\n".join(rows), encoding="utf-8")
    with opened(tmp_path) as memory:
        memory.add(tmp_path / "garden.csv")
        one = memory.answer("In which bed is the leek?").text
        two = memory.answer("Which crops are sown in May?").text
    assert "Leek" in one
    assert not any(other in one for other in ("Pumpkin", "Carrot", "Bean"))
    assert "Pumpkin" in two
    assert "Bean" in two
    assert "Carrot" not in two
