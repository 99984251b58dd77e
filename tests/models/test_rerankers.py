"""What every reranker must do, whichever adapter it comes from; and a cross-encoder that really runs."""

from __future__ import annotations

import importlib.util
import json
import sys
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from evolore.config import Settings
from evolore.errors import InvalidSetting, InvalidValue, MissingExtra
from evolore.flows.intent import ChatReranker
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel
from evolore.models.rerankers import OnnxReranker
from evolore.ports import RerankFailure
from evolore.recall.settings import RerankSettings
from models.tiny_onnx import model, node
from offline_server import OfflineChatServer, ServerFault
from scripted_judges import ScriptedReranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Sized
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.ports import Reranker

WORDS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]", "boat", "harbour", "bread", "where", "the", "is")
HAS_RUNTIME = importlib.util.find_spec("onnxruntime") is not None
KEY = "sk-very-secret-0123456789"
reaches = pytest.mark.skipif(importlib.util.find_spec("openai") is None, reason="it comes with the extra `openai`")
runs = pytest.mark.skipif(not HAS_RUNTIME, reason="onnxruntime is not installed: it comes with the extra `rerank`")


def write_tokenizer(folder: Path) -> None:
    """Write a tokenizer that knows ten words, and puts pairs together as BERT's does."""
    parts = [{"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")]
    single: list[dict[str, dict[str, str | int]]] = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
    ]
    single += [{"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    pair = [*single, {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}]
    written: dict[str, object] = {
        "version": "1.0",
        "added_tokens": list[str](),
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": pair,
            "special_tokens": {part["id"]: part for part in parts},
        },
        "model": {
            "type": "WordLevel",
            "vocab": {word: place for place, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(written), encoding="utf-8")


def counting(inputs: Sequence[str], *, labels: int = 1) -> bytes:
    """Make a model that counts the word "boat" in the text of a pair, as far as its mask lets it be read."""
    nodes = [
        node("Equal", ["input_ids", "boat"], "is_boat"),
        node("Cast", ["is_boat"], "boats", to=1),
        node("Cast", ["attention_mask"], "read", to=1),
        node("Mul", ["boats", "read"], "seen"),
    ]
    if "token_type_ids" in inputs:
        nodes += [node("Cast", ["token_type_ids"], "in_text", to=1), node("Mul", ["seen", "in_text"], "counted")]
    else:
        nodes.append(node("Identity", ["seen"], "counted"))
    nodes.append(node("ReduceSum", ["counted", "axes"], "sum", keepdims=1))
    nodes.append(node("MatMul", ["sum", "weights"], "logits"))
    weights = np.arange(labels, dtype=np.float32)[None, :] if labels > 1 else np.ones((1, 1), dtype=np.float32)
    constants = {
        "boat": np.array([WORDS.index("boat")], dtype=np.int64),
        "axes": np.array([1], dtype=np.int64),
        "weights": weights,
    }
    return model(nodes, inputs=inputs, constants=constants, output=("logits", 2))


ALL = ("input_ids", "attention_mask", "token_type_ids")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "tiny-cross-encoder"
    made.mkdir()
    write_tokenizer(made)
    (made / "model.onnx").write_bytes(counting(ALL))
    return made


def backwards(request: ChatRequest) -> str:
    _, data, _ = request.messages[1].text.split("\n")  # between its marks
    count = len(json.loads(data)["passages"])
    return json.dumps({"order": list(range(count, 0, -1))})


def boats(body: Mapping[str, object]) -> str:
    """Answer as Jina's servers do: the best first, each with its place."""
    texts = cast("list[str]", body["documents"])
    rows = [{"index": place, "relevance_score": text.count("boat") / 8} for place, text in enumerate(texts)]
    return json.dumps({"model": "scripted", "results": sorted(rows, key=lambda one: -one["relevance_score"])})


@pytest.fixture(params=["scripted", "chat", pytest.param("onnx", marks=runs), pytest.param("http", marks=reaches)])
def reranker(request: pytest.FixtureRequest, folder: Path) -> Iterator[Reranker]:
    match request.param:
        case "scripted":
            yield ScriptedReranker(lambda _, text: float(text.count("boat")))
        case "chat":
            yield ChatReranker(ScriptedChatModel([backwards]), calls=100)
        case "onnx":
            yield OnnxReranker(folder)
        case _:
            with OfflineChatServer([boats]) as server:
                yield behind(server)


def test_every_reranker_gives_a_finite_score_a_text_and_the_same_ones_again(reranker: Reranker) -> None:
    texts = ["the boat", "bread", "boat boat harbour", "", "a" * 5000]
    scores = reranker.score("where is the boat", texts)
    assert not isinstance(scores, RerankFailure)
    assert scores.shape == (5,)
    assert scores.dtype == np.float32
    assert np.isfinite(scores).all()
    again = reranker.score("where is the boat", texts)
    assert not isinstance(again, RerankFailure)
    assert scores.tolist() == again.tolist()
    assert reranker.name


@runs
def test_a_cross_encoder_reads_the_text_beside_the_question(folder: Path) -> None:
    texts = ["bread", "boat boat", "the boat is the harbour", "boat", "boat boat boat"]
    for batch in (1, 2, 16):
        scores = OnnxReranker(folder, batch=batch, threads=1).score("boat boat boat boat", texts)
        assert not isinstance(scores, RerankFailure)
        assert scores.tolist() == [0, 2, 1, 1, 3]


@runs
def test_what_is_too_long_loses_its_end(folder: Path) -> None:
    scores = OnnxReranker(folder, max_tokens=10).score("where", ["boat " * 100, "the " * 100 + "boat"])
    assert not isinstance(scores, RerankFailure)
    assert scores.tolist() == [6, 0]  # ten less [CLS], where, [SEP] and [SEP]


@runs
def test_models_of_other_forms_are_run_as_they_are(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(counting(ALL[:2], labels=2))
    scores = OnnxReranker(folder).score("where", ["boat", "bread", "boat boat"])
    assert not isinstance(scores, RerankFailure)
    assert scores.tolist() == [1, 0, 2]
    (folder / "model.onnx").unlink()
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(counting(ALL))
    assert not isinstance(OnnxReranker(folder).score("where", ["boat"]), RerankFailure)


@runs
def test_a_model_that_is_no_cross_encoder_is_told_so(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(counting(ALL, labels=3))
    assert "3 numbers a pair" in str(OnnxReranker(folder).score("where", ["boat"]))
    (folder / "model.onnx").write_bytes(counting((*ALL, "position_ids")))
    assert "position_ids" in str(OnnxReranker(folder).score("where", ["boat"]))


@runs
def test_a_broken_file_is_a_fault_of_the_set_up(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(InvalidSetting, match="cannot be read"):
        OnnxReranker(folder).score("where", ["boat"])


def test_a_folder_without_its_files_is_refused_by_name(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"tokenizer\.json and model\.onnx"):
        OnnxReranker(tmp_path)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InvalidSetting, match="tiny-cross-encoder"):
        OnnxReranker(folder)


def test_a_missing_runtime_is_named_with_the_command_that_installs_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match=r'pip install "evolore\[rerank\]"'):
        OnnxReranker(folder)


@pytest.mark.parametrize(("max_tokens", "batch", "threads"), [(7, 1, 0), (8, 0, 0), (8, 1, -1)])
def test_numbers_out_of_range_are_refused(folder: Path, max_tokens: int, batch: int, threads: int) -> None:
    with pytest.raises(InvalidValue, match="at least 8, 1 and 0"):
        OnnxReranker(folder, max_tokens=max_tokens, batch=batch, threads=threads)


def behind(server: OfflineChatServer, **more: object) -> Reranker:
    from evolore.models.rerankers import HttpReranker  # noqa: PLC0415 - an extra

    given: dict[str, object] = {"model": "judge-1", "base_url": server.url, **more}
    return HttpReranker(RerankSettings(**given), key=KEY)  # pyright: ignore[reportArgumentType] - as from a file


@reaches
def test_a_server_is_asked_as_jinas_is_and_its_scores_come_in_the_order_of_the_texts() -> None:
    with OfflineChatServer([boats]) as server:
        scores = behind(server).score("where\ud800?", ["bread", "boat boat", "boat"])
        assert not isinstance(scores, RerankFailure)
        assert scores.tolist() == [0, 0.25, 0.125]
        assert server.bodies == [
            {"model": "judge-1", "query": "where\ufffd?", "documents": ["bread", "boat boat", "boat"], "top_n": 3}
        ]
        assert {name.lower(): value for name, value in server.headers[0].items()}["authorization"] == f"Bearer {KEY}"
        assert len(cast("Sized", behind(server).score("where?", []))) == 0
        assert server.calls == 1


@reaches
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (ServerFault.RATE_LIMITED, "429"),
        (ServerFault.BROKEN, "500"),
        (ServerFault.KEY_REFUSED, "401"),
        (ServerFault.HANGS, "0.2 seconds"),
        (ServerFault.MALFORMED_JSON, "no list of scores"),
        ('{"results": [{"index": 0, "relevance_score": "high"}]}', "no list of scores"),
        ('{"results": [{"index": 0}]}', "no list of scores"),
        ('{"results": [{"index": 0, "relevance_score": 1}]}', "2 texts got scores for 1"),
        ('{"results": [{"index": 1, "relevance_score": 1}, {"index": 2, "relevance_score": 1}]}', "2 texts got"),
        ('{"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": NaN}]}', "no number"),
        ('{"results": [{"index": 0, "relevance_score": 1}, {"index": 1, "relevance_score": 1e99}]}', "no number"),
    ],
)
def test_a_server_that_does_not_judge_leaves_the_order_as_it_was(
    reply: str | ServerFault, words: str, tmp_path: Path
) -> None:
    with (
        OfflineChatServer([reply]) as server,
        Memory.open(
            tmp_path / "store",
            embedder=HashingEmbedder(),
            reranker=behind(server, timeout_seconds=0.2 if reply is ServerFault.HANGS else 20.0),
            settings=Settings(),
        ) as memory,
    ):
        memory.remember("the harbour is where the bread is")
        memory.remember("boat boat boat")
        found = memory.recall("where is the harbour")
        assert server.calls == 1  # somebody waits: nothing is tried again
    assert found.hits[0].text == "the harbour is where the bread is"
    assert found.reranking is not None
    assert words in str(found.reranking.failure)
    assert KEY not in str(found.reranking.failure)


@reaches
def test_a_memory_reranks_with_the_server_that_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with OfflineChatServer([boats]) as server:
        rerank = RerankSettings(blend=1.0, model="judge-1", base_url=server.url, api_key_env="JUDGE_KEY")
        settings = Settings(rerank=rerank)
        with pytest.raises(InvalidSetting, match="reranker 'judge-1' needs a key, and JUDGE_KEY is not set"):
            Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings)
        monkeypatch.setenv("JUDGE_KEY", KEY)
        with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings) as memory:
            for text in ("the harbour is where the bread is", "boat boat boat", "bread"):
                memory.remember(text)
            found = memory.recall("where is the harbour")
        assert KEY not in repr(memory._context.reranker)
    assert found.hits[0].text == "boat boat boat"
    assert found.reranking is not None
    assert (found.reranking.name, found.reranking.failure) == ("judge-1", "")


def test_a_server_without_an_address_is_refused() -> None:
    with pytest.raises(InvalidValue, match="base_url is empty"):
        RerankSettings(model="judge-1")


@runs
def test_a_memory_reranks_with_the_model_that_is_set(folder: Path, tmp_path: Path) -> None:
    settings = Settings(reranker=folder, rerank=RerankSettings(blend=1.0))
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings) as memory:
        for text in ("the harbour is where the bread is", "boat boat boat", "bread"):
            memory.remember(text)
        found = memory.recall("where is the harbour")
    assert found.reranking is not None
    assert (found.reranking.name, found.reranking.items) == ("tiny-cross-encoder/onnx", 3)
    assert found.hits[0].text == "boat boat boat"
