"""Doubts that somebody is asked about: what is entailed both ways is dropped, what contradicts is refused, the rest stays."""

from __future__ import annotations

import importlib.util
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.chat.asking import Asker
from evolore.domain.chat import ChatBudget
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.errors import InvalidSetting
from evolore.evolution.gates.entailment import doubted_pairs
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling
from evolore.flows.evolve.entailment import ChatEntailment, without_settled_doubts
from evolore.models.offline_chat import ScriptedChatModel
from evolore.models.onnx_pairs import OnnxEntailment
from evolore.ports import EntailmentFailure, EntailmentLabel
from evolore.text.fences import unfenced
from models.test_rerankers import WORDS, write_tokenizer
from models.tiny_onnx import model, node
from scripted_judges import ScriptedEntailment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.ports import Entailment

YES, MAYBE, NO = EntailmentLabel
BEFORE = "The valve stays shut at night. Call the desk first."
AFTER = "At night the valve is kept closed. Before all else, ring the desk."
HAS_RUNTIME = importlib.util.find_spec("onnxruntime") is not None
runs = pytest.mark.skipif(not HAS_RUNTIME, reason="onnxruntime is not installed: it comes with the extra `rerank`")


FIRST = Span(0, 30)
SECOND = Span(0, 34)


def doubt(before: Span | None = FIRST, after: Span | None = SECOND, level: Grade = Grade.DOUBT) -> Ruling:
    finding = Concern(reason="It may say something else", before=before, after=after, level=level)
    return Ruling(gate=Gate.CLAIMS, findings=(finding,))


def settle(verdict: Ruling, entailment: Entailment | None) -> list[Ruling]:
    return without_settled_doubts([verdict], BEFORE, AFTER, language=Language.EN, entailment=entailment)


def always(label: EntailmentLabel) -> ScriptedEntailment:
    return ScriptedEntailment(lambda _premise, _hypothesis: label)


def test_a_doubt_that_is_entailed_both_ways_is_dropped() -> None:
    asked = always(YES)
    assert settle(doubt(), asked) == [Ruling(gate=Gate.CLAIMS)]
    first, second = "The valve stays shut at night.", "At night the valve is kept closed."
    assert asked.asked == [((first, second), (second, first))]


def test_one_that_is_entailed_one_way_alone_stays() -> None:
    one_way = ScriptedEntailment(lambda premise, _: YES if premise.startswith("The valve") else MAYBE)
    assert settle(doubt(), one_way) == [doubt()]


def test_of_a_lost_or_new_sentence_the_other_text_must_entail_it() -> None:
    from_after = ScriptedEntailment(lambda premise, _: YES if premise.startswith("At night") else MAYBE)
    assert settle(doubt(after=None), from_after) == [Ruling(gate=Gate.CLAIMS)]
    assert settle(doubt(before=None), from_after) == [doubt(before=None)]


def test_a_contradiction_becomes_a_refusal_that_names_its_judge() -> None:
    (told,) = settle(doubt(), always(NO))
    assert not told.passes
    assert "scripted-entailment-1" in told.refusals[0].reason


def fails(_premise: str, _hypothesis: str) -> EntailmentLabel:
    raise OSError


@pytest.mark.parametrize(
    "entailment",
    [
        None,
        always(MAYBE),
        ScriptedEntailment(fails),
        ScriptedEntailment(fails, answer=EntailmentFailure(reason="down")),
    ],
    ids=["nobody", "neutral", "raises", "fails"],
)
def test_without_an_answer_doubts_stay_doubts(entailment: Entailment | None) -> None:
    assert settle(doubt(), entailment) == [doubt()]


def test_nobody_is_asked_where_nothing_is_doubted_or_something_is_refused() -> None:
    asked = always(YES)
    for verdict in (Ruling(gate=Gate.CLAIMS), doubt(level=Grade.REFUSE)):
        assert settle(verdict, asked) == [verdict]
    assert not asked.asked


def test_other_gates_are_not_asked_about() -> None:
    injection = Ruling(gate=Gate.INJECTION, findings=doubt().findings)
    assert not doubted_pairs([injection], BEFORE, AFTER, Language.EN)


def labels(*said: EntailmentLabel) -> ScriptedChatModel:
    def reply(request: ChatRequest) -> str:
        shown = unfenced(request.messages[1].text)
        assert isinstance(shown, dict)
        return json.dumps({"labels": [one.value for one in said]})

    return ScriptedChatModel([reply])


def by_chat(model: ScriptedChatModel) -> ChatEntailment:
    return ChatEntailment(Asker(model, ChatBudget(calls=5)), language=Language.EN)


def test_a_chat_model_is_asked_once_for_all_pairs() -> None:
    verdict = Ruling(gate=Gate.CLAIMS, findings=(*doubt().findings, *doubt(after=None).findings))
    asker = Asker(labels(YES, YES, YES, YES), ChatBudget(calls=5))
    assert settle(verdict, ChatEntailment(asker)) == [Ruling(gate=Gate.CLAIMS)]
    assert asker.usage.calls == 1


def test_a_reply_with_another_number_of_labels_is_not_used() -> None:
    judged = by_chat(labels(YES)).judge([("a", "b"), ("b", "a")])
    assert isinstance(judged, EntailmentFailure)
    assert judged.reason == "unusable_reply"
    assert settle(doubt(), by_chat(labels(YES))) == [doubt()]


def classifier(folder: Path, names: Sequence[str]) -> Path:
    """Write a classifier whose last column grows with how often "boat" stands in a pair, and its first with how seldom."""
    folder.mkdir()
    write_tokenizer(folder)
    nodes = [
        node("Equal", ["input_ids", "boat"], "is_boat"),
        node("Cast", ["is_boat"], "boats", to=1),
        node("ReduceSum", ["boats", "axes"], "sum", keepdims=1),
        node("MatMul", ["sum", "weights"], "logits"),
    ]
    constants = {
        "boat": np.array([WORDS.index("boat")], dtype=np.int64),
        "axes": np.array([1], dtype=np.int64),
        "weights": np.linspace(-9, 9, len(names), dtype=np.float32)[None, :],
    }
    written = model(nodes, inputs=("input_ids",), constants=constants, output=("logits", 2))
    (folder / "model.onnx").write_bytes(written)
    (folder / "config.json").write_text(json.dumps({"id2label": dict(enumerate(names))}), encoding="utf-8")
    return folder


@runs
@pytest.mark.parametrize(
    ("names", "last"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), YES),
        (("entailment", "neutral", "contradiction"), NO),
        (("Entailment", "Contradictory", "Neutral"), MAYBE),
        (("not_entailment", "entailment"), YES),
        (("entailment", "non-entailment"), MAYBE),
    ],
)
def test_labels_are_read_from_the_config_in_any_order(
    tmp_path: Path, names: Sequence[str], last: EntailmentLabel
) -> None:
    judge = OnnxEntailment(classifier(tmp_path / "nli", names), threads=1)
    judged = judge.judge([("the boat", "the boat"), ("bread", "the harbour")])
    assert not isinstance(judged, EntailmentFailure)
    assert judged.shape == (2, 3)
    assert judged.sum(axis=1) == pytest.approx([1.0, 1.0])
    assert list(EntailmentLabel)[int(judged[0].argmax())] is last
    assert judge.name == "nli/onnx"
    none = judge.judge([])
    assert not isinstance(none, EntailmentFailure)
    assert none.shape == (0, 3)


@runs
@pytest.mark.parametrize(
    "names", [("LABEL_0", "LABEL_1", "LABEL_2"), ("neutral", "neutral", "entailment"), ("neutral",)]
)
def test_a_config_that_does_not_tell_its_labels_is_refused(tmp_path: Path, names: Sequence[str]) -> None:
    with pytest.raises(InvalidSetting, match="entailment"):
        OnnxEntailment(classifier(tmp_path / "nli", names))


@runs
def test_a_model_with_another_number_of_labels_is_a_failure(tmp_path: Path) -> None:
    folder = classifier(tmp_path / "nli", ("contradiction", "neutral", "entailment"))
    (folder / "config.json").write_text('{"id2label": {"0": "not_entailment", "1": "entailment"}}', encoding="utf-8")
    assert isinstance(OnnxEntailment(folder).judge([("a", "b")]), EntailmentFailure)
    (folder / "config.json").unlink()
    with pytest.raises(InvalidSetting, match="id2label"):
        OnnxEntailment(folder)
