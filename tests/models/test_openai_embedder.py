"""The embedder behind an address, against a real server on this machine that does whatever its script says."""

from __future__ import annotations

import json
import pickle
from threading import Barrier
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from chat_parts import RecordingPacer
from evolore.domain.model_server import EmbeddingServer
from evolore.errors import EmbedderBroken, InvalidValue, ServerUnreachable
from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole
from offline_server import OfflineChatServer, ServerFault, embedded_by

pytest.importorskip("openai", reason="openai is not installed")

from evolore.models.openai_embedder import OpenAIEmbedder, read_vectors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from offline_server import Reply

KEY = "sk-very-secret-0123456789"
SECRET = "Grandmother's recipe holds seven kinds of herbs."
LOCAL = HashingEmbedder(16)
ANSWERS = embedded_by(LOCAL)


def embedder(server: OfflineChatServer, *, pacer: RecordingPacer | None = None, **more: object) -> OpenAIEmbedder:
    given: dict[str, object] = {"model": "m", "base_url": server.url, "timeout_seconds": 20.0, "dimension": 16, **more}
    return OpenAIEmbedder(EmbeddingServer(**given), key=KEY, pacer=pacer)  # pyright: ignore[reportArgumentType] - as from a file


def listed(*rows: tuple[int, Sequence[float | None]]) -> str:
    return json.dumps({"data": [{"index": index, "embedding": list(row)} for index, row in rows]})


def sent(server: OfflineChatServer) -> list[list[str]]:
    return [cast("list[str]", body["input"]) for body in server.bodies]


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_answer() -> None:
    texts = ["one boat", "two loaves", "three hills"]
    with OfflineChatServer([ANSWERS]) as server:
        found = embedder(server).embed(texts, role=TextRole.PASSAGE)
        assert server.calls == 1
        assert server.bodies[0]["model"] == "m"
        assert "dimensions" not in server.bodies[0]
        assert {name.lower(): value for name, value in server.headers[0].items()}["authorization"] == f"Bearer {KEY}"
    np.testing.assert_allclose(found, LOCAL.embed(texts, role=TextRole.PASSAGE), atol=1e-6)
    assert found.dtype == np.float32


@pytest.mark.parametrize("status", [413, 422])
def test_a_call_with_more_texts_than_a_server_takes_is_halved_and_later_ones_are_smaller(status: int) -> None:
    texts = [f"boat {number}" for number in range(8)]
    with OfflineChatServer([ServerFault.BROKEN, ANSWERS], error=(status, "batch size 8 > maximum 4")) as server:
        one = embedder(server)
        found = one.embed(texts, role=TextRole.PASSAGE)
        np.testing.assert_allclose(found, LOCAL.embed(texts, role=TextRole.PASSAGE), atol=1e-6)
        one.embed(texts, role=TextRole.PASSAGE)
        assert sorted(map(len, sent(server))) == [4, 4, 4, 4, 8]


def test_another_process_can_be_handed_it_with_its_key() -> None:
    with OfflineChatServer([ANSWERS]) as server:
        handed = pickle.dumps(embedder(server, pacer=RecordingPacer(), passage_prefix="passage: "))
        found = cast("OpenAIEmbedder", pickle.loads(handed)).embed(["one boat"], role=TextRole.PASSAGE)
        assert {name.lower(): value for name, value in server.headers[0].items()}["authorization"] == f"Bearer {KEY}"
        assert server.bodies[0]["input"] == ["passage: one boat"]
    assert found.shape == (1, 16)


def test_vectors_of_any_length_are_made_unit_vectors() -> None:
    with OfflineChatServer([listed((0, [3.0, 4.0]))]) as server:
        found = embedder(server, dimension=2).embed(["x"], role=TextRole.QUERY)
    np.testing.assert_allclose(found, [[0.6, 0.8]], atol=1e-7)


def test_questions_and_passages_get_their_prefixes_and_what_is_too_long_or_half_a_character_is_cut() -> None:
    with OfflineChatServer([ANSWERS]) as server:
        one = embedder(server, query_prefix="query: ", passage_prefix="passage: ", most_characters=100)
        one.embed(["How?"], role=TextRole.QUERY)
        one.embed(["a" * 101, "b\ud800"], role=TextRole.PASSAGE)
        assert sent(server) == [["query: How?"], ["passage: " + "a" * 100, "passage: b\ufffd"]]


def test_the_name_holds_dimension_and_prefixes_so_that_a_store_mixes_no_vectors() -> None:
    with OfflineChatServer() as server:
        plain = embedder(server)
        assert (plain.model.id, plain.model.dimension) == ("m/16", 16)
        prefixed = [embedder(server, query_prefix="q: "), embedder(server, passage_prefix="q: ")]
        assert len({one.model.id for one in (plain, *prefixed)}) == 3
        assert server.calls == 0


def test_a_dimension_that_is_not_set_is_asked_for_once() -> None:
    with OfflineChatServer([ANSWERS]) as server:
        one = embedder(server, dimension=0)
        assert [one.model.dimension, one.model.dimension] == [16, 16]
        assert server.calls == 1


def test_a_server_is_told_a_dimension_where_that_is_wanted() -> None:
    with OfflineChatServer([ANSWERS]) as server:
        embedder(server, sends_dimension=True).embed(["x"], role=TextRole.QUERY)
        assert server.bodies[0]["dimensions"] == 16


def test_many_texts_are_cut_into_batches_and_long_ones_into_smaller() -> None:
    texts = [f"text {number}" for number in range(150)]
    with OfflineChatServer([ANSWERS]) as server:
        found = embedder(server, batch=64, concurrency=1).embed(texts, role=TextRole.PASSAGE)
        assert list(map(len, sent(server))) == [64, 64, 22]
    np.testing.assert_allclose(found, LOCAL.embed(texts, role=TextRole.PASSAGE), atol=1e-6)
    with OfflineChatServer([ANSWERS]) as server:
        embedder(server, most_characters=100_000, concurrency=1).embed(
            ["a" * 150_000, "b" * 60_000, "c" * 40_000, "d"], role=TextRole.PASSAGE
        )
        assert [sum(map(len, texts)) for texts in sent(server)] == [100_000, 100_000, 1]


def test_batches_are_overlapped_as_far_as_allowed_and_their_order_kept() -> None:
    two = Barrier(2, timeout=30)

    def answer(body: Mapping[str, object]) -> str:
        if cast("list[str]", body["input"])[0] in {"text 0", "text 1"}:
            two.wait()  # either is answered only while the other is asked
        return ANSWERS(body)

    texts = [f"text {number}" for number in range(8)]
    with OfflineChatServer([answer]) as server:
        found = embedder(server, batch=1, concurrency=3).embed(texts, role=TextRole.PASSAGE)
        assert 1 < server.most_at_once <= 3
    np.testing.assert_allclose(found, LOCAL.embed(texts, role=TextRole.PASSAGE), atol=1e-6)


@pytest.mark.parametrize("fault", [ServerFault.RATE_LIMITED, ServerFault.BROKEN, ServerFault.CUT_OFF])
def test_what_fails_for_the_servers_sake_is_tried_again_after_growing_waits(fault: ServerFault) -> None:
    pacer = RecordingPacer()
    with OfflineChatServer([fault, fault, ANSWERS]) as server:
        found = embedder(server, pacer=pacer).embed(["x"], role=TextRole.QUERY)
        assert server.calls == 3
    assert found.shape == (1, 16)
    assert pacer.waits == [0.75, 1.5]


def test_a_server_that_says_how_long_to_wait_is_waited_for() -> None:
    pacer = RecordingPacer()
    with OfflineChatServer([ServerFault.RATE_LIMITED, ANSWERS], retry_after="7") as server:
        embedder(server, pacer=pacer).embed(["x"], role=TextRole.QUERY)
    assert pacer.waits == [7.0]


def test_tries_come_to_an_end_and_the_message_says_what_to_do() -> None:
    pacer = RecordingPacer()
    with OfflineChatServer([ServerFault.BROKEN]) as server:
        with pytest.raises(ServerUnreachable, match=r"(?s)'m' at .*HTTP 500.*asked 3 times.*embedding\.base_url"):
            embedder(server, pacer=pacer).embed(["x"], role=TextRole.QUERY)
        assert server.calls == 3


@pytest.mark.parametrize(
    ("fault", "error", "words"),
    [
        (ServerFault.KEY_REFUSED, EmbedderBroken, "401: the server did not accept the key in TEAM_KEY"),
        (ServerFault.REFUSES_ECHO, EmbedderBroken, "HTTP 400.*most_characters"),
        (ServerFault.REDIRECTED, EmbedderBroken, "307"),
        (ServerFault.COMPRESSED, EmbedderBroken, "compressed"),
        (ServerFault.MALFORMED_JSON, EmbedderBroken, "not a list of vectors"),
        (ServerFault.NO_COMPLETION, EmbedderBroken, "not a list of vectors"),
        (ServerFault.HANGS, ServerUnreachable, "No whole answer within 0.2 seconds"),
    ],
)
def test_what_another_try_would_not_mend_is_made_once(fault: ServerFault, error: type[Exception], words: str) -> None:
    pacer = RecordingPacer()
    with OfflineChatServer([fault]) as server:
        seconds = 0.2 if fault is ServerFault.HANGS else 20.0
        one = embedder(server, pacer=pacer, timeout_seconds=seconds, api_key_env="TEAM_KEY")
        with pytest.raises(error, match=words) as caught:
            one.embed([SECRET], role=TextRole.PASSAGE)
        assert server.calls == 1
    assert pacer.waits == []
    assert KEY not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_server_that_is_not_there_is_told_with_its_address() -> None:
    with OfflineChatServer() as server:
        gone = embedder(server)
    with pytest.raises(ServerUnreachable, match=r"at http://127\.0\.0\.1.*no connection"):
        gone.embed(["x"], role=TextRole.QUERY)


def test_a_key_and_a_text_that_the_server_quotes_are_in_no_message() -> None:
    with OfflineChatServer([ServerFault.REFUSES_ECHO]) as server, pytest.raises(EmbedderBroken):
        embedder(server).embed([SECRET], role=TextRole.PASSAGE)
    with OfflineChatServer([ServerFault.BROKEN], error=(400, f"No: {KEY[:20]} asked {SECRET}")) as server:
        with pytest.raises(EmbedderBroken) as caught:
            embedder(server).embed([SECRET], role=TextRole.PASSAGE)
        assert KEY[:12] not in str(caught.value)
        assert "herbs" not in str(caught.value)


NAN, HUGE = '{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}', '{"data": [{"index": 0, "embedding": [1e999, 1.0]}]}'


@pytest.mark.parametrize(
    ("body", "texts", "words"),
    [
        (listed((0, [1.0, 0.0, 0.0])), 1, "vectors of 3 numbers, not 2: set embedding.dimension"),
        (listed((0, [1.0, 0.0]), (1, [1.0])), 2, "vectors of 1, 2 numbers"),
        (listed((0, [])), 1, "vectors of 0 numbers"),
        (NAN, 1, "no number"),
        (HUGE, 1, "no number"),
        (listed((0, [0.0, 0.0])), 1, "all zeros"),
        (listed((0, [None, 1.0])), 1, "no number"),
        (listed((0, [1.0, 0.0])), 2, "indexes 0 for 2 texts"),
        (listed((0, [1.0, 0.0]), (0, [0.0, 1.0])), 2, "not a list of vectors"),
        (listed((1, [1.0, 0.0]), (2, [0.0, 1.0])), 2, "indexes 1, 2 for 2 texts"),
        ('{"data": [{"index": 0, "embedding": "AACAPw=="}]}', 1, "not a list of vectors"),
        ('{"data": [{"index": 0, "embedding": [[1.0, 0.0]]}]}', 1, "not a list of vectors"),
        ('{"data": [{"embedding": [1.0, 0.0]}]}', 1, "not a list of vectors"),
        ('{"data": [3]}', 1, "not a list of vectors"),
        ('{"data": {"a": 1}}', 1, "not a list of vectors"),
        ("[" * 100_000, 1, "not a list of vectors"),
        ("", 1, "not a list of vectors"),
    ],
)
def test_an_answer_that_cannot_be_compared_is_refused(body: str, texts: int, words: str) -> None:
    with pytest.raises(EmbedderBroken, match=words):
        read_vectors(body.encode(), texts=texts, dimension=2)


def test_a_wrong_dimension_is_told_with_the_models_name() -> None:
    with OfflineChatServer([ANSWERS]) as server, pytest.raises(EmbedderBroken, match=r"'m' at http.*16 numbers, not 8"):
        embedder(server, dimension=8).embed(["x"], role=TextRole.QUERY)


def test_one_batch_of_another_dimension_fails_all_of_them() -> None:
    replies: list[Reply] = [ANSWERS, embedded_by(HashingEmbedder(8))]
    with OfflineChatServer(replies) as server, pytest.raises(EmbedderBroken, match="8 numbers, not 16"):
        embedder(server, batch=1, concurrency=1).embed(["x", "y"], role=TextRole.PASSAGE)


def test_an_answer_longer_than_its_vectors_may_be_is_not_read_to_its_end() -> None:
    with (
        OfflineChatServer([ServerFault.TOO_LARGE]) as server,
        pytest.raises(EmbedderBroken, match="longer than 1000512 bytes"),
    ):
        embedder(server).embed(["x"], role=TextRole.QUERY)


def test_the_key_is_not_shown_and_must_be_one() -> None:
    server = EmbeddingServer(model="m", base_url="http://127.0.0.1:1/v1")
    assert KEY not in repr(OpenAIEmbedder(server, key=KEY))
    with pytest.raises(InvalidValue, match="no key"):
        OpenAIEmbedder(server, key="two words")
    with pytest.raises(InvalidValue, match="model is empty"):
        OpenAIEmbedder(EmbeddingServer())


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dimension": -1}, "dimension is -1"),
        ({"sends_dimension": True}, "sends_dimension is true and dimension is 0"),
        ({"batch": 0}, "batch is 0"),
        ({"tries": 0}, "tries is 0"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"most_characters": 99}, "most_characters is 99"),
        ({"base_url": "localhost"}, "base_url is not an address"),
        ({"timeout_seconds": 0.0}, "timeout_seconds is 0.0"),
    ],
)
def test_settings_out_of_range_are_refused(given: dict[str, object], words: str) -> None:
    make = cast("Callable[..., EmbeddingServer]", EmbeddingServer)
    with pytest.raises(InvalidValue, match=words):
        make(**given)
