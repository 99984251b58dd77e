"""Questions put to one document: the answer is its own words, or what a model wrote of it, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from evolore.chat.asking import Asker
from evolore.config import Settings
from evolore.domain.answer import AnswerKind
from evolore.domain.chat import ChatBudget, ChatFailure, ChatRequest
from evolore.domain.contest import DocumentText
from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.requests import read_data
from evolore.flows.evolve.contest import QUESTIONS_PER_CALL, TextAnswer, TextQuestion, answer_text
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.flows.context import Context

TEXT = """# Refunds

A refund is paid within 30 days. Returned goods must be unused.

## Ovens

Ovens are returned by the carrier. To book the carrier, do the following:

- Call the shop.
- Name the order.
"""


def document(text: str = TEXT) -> DocumentText:
    return DocumentText(
        document_id="d",
        version=1,
        source="shop.md",
        title="Shop",
        text=text,
        media_type=MediaType.MARKDOWN,
        language=Language.EN,
    )


def asking(question: str, *, text: str = TEXT, attempt: int = 0) -> TextQuestion:
    return TextQuestion(question=question, document=document(text), attempt=attempt)


@pytest.fixture(scope="module")
def context() -> Iterator[Context]:
    with (
        TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "m", embedder=HashingEmbedder(), settings=Settings()) as memory,
    ):
        memory.remember("Something else.")
        yield memory._context


def said(text: str, *passages: int, count: int = 1) -> str:
    """Say the same to so many questions."""
    told = {"in_sources": True, "sentences": [{"text": text, "passages": passages}]}
    return json.dumps({"answers": [told | {"number": number} for number in range(1, count + 1)]})


def asker(model: ScriptedChatModel, calls: int = 9) -> Asker:
    return Asker(model, ChatBudget(calls=calls))


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Within how many days is a refund paid?", "A refund is paid within 30 days."),
        ("How do I book the carrier of returned ovens?", "Call the shop."),
    ],
)
def test_without_a_model_the_answer_is_the_documents_own_words(context: Context, question: str, wanted: str) -> None:
    (answer,) = answer_text(context, None, [asking(question)])
    assert isinstance(answer, TextAnswer)
    assert answer.kind is AnswerKind.EXTRACTED
    assert wanted in answer.text
    assert sorted(answer.text.split("\n")) == sorted("\n".join(span.of(TEXT) for span in answer.passages).split("\n"))


def test_what_the_document_does_not_say_is_said_so(context: Context) -> None:
    (answer,) = answer_text(context, None, [asking("毎年の収入はいくらですか？")])
    assert isinstance(answer, TextAnswer)
    assert (answer.kind, answer.passages) == (AnswerKind.NOT_IN_SOURCES, ())
    assert answer.text == "資料にはその答えが見当たりません。"


def test_a_model_answers_from_passages_and_the_sentence_it_means_is_found(context: Context) -> None:
    model = ScriptedChatModel([said("You get it within 30 days.", 1)])
    (answer,) = answer_text(context, asker(model), [asking("When do I get my refund?")])
    assert isinstance(answer, TextAnswer)
    assert (answer.kind, answer.text) == (AnswerKind.WRITTEN, "You get it within 30 days.")
    assert [span.of(TEXT) for span in answer.passages] == ["A refund is paid within 30 days."]
    assert answer.usage.calls == 1


@pytest.mark.parametrize(
    "reply",
    [said("It takes 31 days.", 1), said("It takes a while.", 7), said("Das dauert.", 1) * 2, ScriptedFault.REFUSAL, ""],
)
def test_what_cannot_be_used_is_a_failure_and_no_other_answer(context: Context, reply: str) -> None:
    (answer,) = answer_text(context, asker(ScriptedChatModel([reply])), [asking("When do I get my refund?")])
    assert isinstance(answer, ChatFailure)
    assert answer.detail


def test_questions_to_one_text_are_asked_in_calls_of_sixteen_and_what_is_asked_twice_once(context: Context) -> None:
    model = ScriptedChatModel([said("It is paid soon.", 1, count=QUESTIONS_PER_CALL)])
    asked = [asking(f"When do I get refund {number}?") for number in range(QUESTIONS_PER_CALL)]
    answers = answer_text(context, asker(model), [*asked, asking("And then?"), *asked[:3], asking("いつですか？")])
    assert [len(listed(request)) for request in model.requests] == [QUESTIONS_PER_CALL, 1, 1]
    assert len(answers) == QUESTIONS_PER_CALL + 5
    assert answers[-4:-1] == answers[:3]
    told = [one for one in answers[:QUESTIONS_PER_CALL] if isinstance(one, TextAnswer)]
    assert len(told) == QUESTIONS_PER_CALL
    assert sum(one.usage.calls for one in told) == 1, "a call is paid for once"


def listed(request: ChatRequest) -> Sequence[object]:
    """Give the questions of a request."""
    questions = read_data(request)["questions"]
    assert isinstance(questions, list)
    return questions


def test_two_texts_are_never_asked_in_one_call_and_each_answer_is_of_its_own(context: Context) -> None:
    model = ScriptedChatModel([said("It takes 30 days.", 1), said("It takes 9 days.", 1)])
    other = TEXT.replace("30 days", "9 days")
    answers = answer_text(context, asker(model), [asking("How long?"), asking("How long?", text=other)])
    assert [one.text for one in answers if isinstance(one, TextAnswer)] == ["It takes 30 days.", "It takes 9 days."]


def test_one_answer_that_cannot_be_used_fails_alone(context: Context) -> None:
    mixed = json.loads(said("It is paid soon.", 1, count=3))
    mixed["answers"][1]["sentences"][0]["passages"] = [7]
    model = ScriptedChatModel([json.dumps(mixed)])
    answers = answer_text(context, asker(model), [asking(one) for one in ("When?", "How soon?", "At what time?")])
    assert [isinstance(one, TextAnswer) for one in answers] == [True, False, True]


def test_another_attempt_is_another_call_with_another_seed(context: Context) -> None:
    model = ScriptedChatModel([said("It is paid soon.", 1)])
    asked = [asking("When do I get my refund?", attempt=attempt) for attempt in range(3)]
    answers = answer_text(context, asker(model, calls=2), asked)
    assert [isinstance(one, TextAnswer) for one in answers] == [True, True, False]
    assert [request.seed for request in model.requests] == [0, 1]


def test_of_a_long_document_the_best_sections_are_shown(context: Context) -> None:
    others = "".join(f"## Part {number}\n\n{f'The lamp number {number} is old. ' * 20}\n\n" for number in range(30))
    model = ScriptedChatModel([said("It is paid soon.", 1)])
    text = others + TEXT
    (answer,) = answer_text(context, asker(model), [asking("Within how many days is a refund paid?", text=text)])
    shown = model.requests[0].messages[-1].text
    assert "within 30 days" in shown
    assert len(shown) < 9000
    assert isinstance(answer, TextAnswer)
    assert all(0 <= span.start < span.end <= len(text) for span in answer.passages)


def test_an_attempt_below_0_is_refused() -> None:
    with pytest.raises(InvalidValue, match="attempt is -1"):
        asking("Why?", attempt=-1)
