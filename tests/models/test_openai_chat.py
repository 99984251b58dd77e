"""The adapter for OpenAI-compatible servers, against a real one on this machine that does whatever its script says."""

from __future__ import annotations

import importlib
import json
import logging
import sys
from threading import Barrier, Thread
from typing import TYPE_CHECKING, cast

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.chat import (
    ChatFailure,
    ChatFailureKind,
    ChatMessage,
    ChatReply,
    ChatRequest,
    ChatRole,
    ChatSettings,
    PromptLogProbs,
    StructuredOutput,
    TokenLimitName,
)
from evolore.errors import InvalidValue, MissingExtra
from evolore.models.openai_connection import BodyTooLarge, BoundedBody, OpenAIChat, without_key
from evolore.models.openai_messages import read_completion, read_echo, read_refusal, said
from offline_server import OfflineChatServer, ServerFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

pytest.importorskip("openai", reason="openai is not installed")

KEY = "sk-very-secret-0123456789"
SECRET = "Grandmother's recipe holds seven kinds of herbs."
SCHEMA = {
    "type": "object",
    "title": "Reply",
    "properties": {"a": {"type": "string", "default": "", "maxLength": 9, "title": "A"}},
}
FAILED, TIMED_OUT, REFUSED = ChatFailureKind.FAILED, ChatFailureKind.TIMED_OUT, ChatFailureKind.REFUSED


def request(text: str = SECRET, **more: object) -> ChatRequest:
    messages = (ChatMessage(role=ChatRole.SYSTEM, text="Be brief."), ChatMessage(role=ChatRole.USER, text=text))
    return ChatRequest(purpose="test.words", messages=messages, **more)  # pyright: ignore[reportArgumentType] - as given


def model(server: OfflineChatServer, **more: object) -> OpenAIChat:
    given = {"model": "scripted", "base_url": server.url, "timeout_seconds": 20.0, **more}
    return OpenAIChat(ChatSettings(**given), key=KEY)  # pyright: ignore[reportArgumentType] - as from a file


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("fault", "kind", "words", "is_worth_another_try", "was_read"),
    [
        (ServerFault.RATE_LIMITED, FAILED, "429", True, False),
        (ServerFault.BROKEN, FAILED, "500", True, True),
        (ServerFault.HANGS, TIMED_OUT, "0.2 seconds", False, True),
        (ServerFault.CUT_OFF, FAILED, "broke off", True, True),
        (ServerFault.NO_COMPLETION, FAILED, "form of a completion", False, True),
        (ServerFault.TOO_LARGE, FAILED, "longer than 1000000 bytes", False, True),
        (ServerFault.COMPRESSED, FAILED, "compressed", False, True),
        (ServerFault.REDIRECTED, FAILED, "307", False, False),
        (ServerFault.KEY_REFUSED, FAILED, "401", False, False),
        (ServerFault.REFUSAL, REFUSED, "cannot help", False, True),
    ],
)
def test_a_fault_of_the_server_is_a_failure_that_says_what_it_was(
    fault: ServerFault,
    kind: ChatFailureKind,
    words: str,
    is_worth_another_try: bool,  # noqa: FBT001 - a column
    was_read: bool,  # noqa: FBT001 - a column
) -> None:
    with OfflineChatServer([fault]) as server:
        seconds = 0.2 if fault is ServerFault.HANGS else 20.0
        (outcome,) = model(server, timeout_seconds=seconds).complete([request()])
        assert isinstance(outcome, ChatFailure)
        assert outcome.kind is kind
        assert words in outcome.detail
        assert (outcome.retry_after_seconds is not None) is is_worth_another_try
        assert outcome.was_read is was_read
        assert server.calls == outcome.usage.calls == 1  # one request is one call, whatever becomes of it


_TOO_LONG = {ServerFault.HANGS, ServerFault.ABSURD_VALUES}
"""In seconds; and in bytes, once it is sent in pieces."""


@pytest.mark.parametrize("fault", [one for one in ServerFault if one not in _TOO_LONG])
def test_a_stream_ends_as_the_whole_reply_would(fault: ServerFault) -> None:
    with OfflineChatServer([fault]) as server:
        (whole,) = model(server).complete([request()])
        told: list[str] = []
        streamed = model(server).stream(request(), told.append)
        assert type(streamed) is type(whole)
        if isinstance(whole, ChatFailure) and isinstance(streamed, ChatFailure):
            assert streamed.kind is whole.kind
        if isinstance(streamed, ChatReply):
            assert "".join(told) == streamed.text


@pytest.mark.parametrize("fault", [ServerFault.EMPTY, ServerFault.WRONG_SCHEMA, ServerFault.TRUNCATED_JSON])
def test_what_only_whoever_asked_can_judge_is_handed_over_as_it_came(fault: ServerFault) -> None:
    with OfflineChatServer([fault]) as server:
        (outcome,) = model(server).complete([request(reply_schema=SCHEMA)])
        assert isinstance(outcome, ChatReply)


def test_a_server_that_is_not_there_is_a_failure_and_worth_another_try() -> None:
    with OfflineChatServer() as server:
        gone = model(server)
    (outcome,) = gone.complete([request()])
    assert isinstance(outcome, ChatFailure)
    assert "no connection" in outcome.detail
    assert (outcome.retry_after_seconds, outcome.was_read) == (0.0, False)


def test_a_request_says_what_is_wanted_and_the_reply_what_it_cost() -> None:
    with OfflineChatServer(["```json\n{}\n```"]) as server:
        asked = request("How?\ud800", reply_schema=SCHEMA, most_tokens=77, seed=5)
        (outcome,) = model(server).complete([asked])
        assert isinstance(outcome, ChatReply)
        assert outcome.text == "{}"
        assert (outcome.usage.calls, outcome.usage.prompt_tokens, outcome.usage.reply_tokens) == (1, 3, 3)
        (body,), (headers,) = server.bodies, server.headers
        assert body["messages"] == [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How?\ufffd"},
        ]
        assert {name: body[name] for name in ("model", "max_tokens", "temperature", "seed")} == {
            "model": "scripted",
            "max_tokens": 77,
            "temperature": 0.0,
            "seed": 5,
        }
        form = cast("dict[str, dict[str, object]]", body["response_format"])["json_schema"]
        assert (form["name"], form["strict"]) == ("test_words", True)
        assert form["schema"] == {
            "type": "object",
            "properties": {"a": {"type": "string"}},
            "required": ["a"],
            "additionalProperties": False,
        }
        assert {name.lower(): value for name, value in headers.items()}["authorization"] == f"Bearer {KEY}"


def test_what_a_server_does_not_know_is_not_sent() -> None:
    with OfflineChatServer(["{}"]) as server:
        for known in StructuredOutput:
            asked = model(
                server,
                structured_output=known,
                sends_temperature=False,
                token_limit_name=TokenLimitName.MAX_COMPLETION_TOKENS,
            )
            asked.complete([request(reply_schema=SCHEMA)])
        forms = [cast("dict[str, object]", body.get("response_format", {})).get("type") for body in server.bodies]
        assert forms == ["json_schema", "json_object", None]
        assert all("temperature" not in body and "max_tokens" not in body for body in server.bodies)
        assert all(body["max_completion_tokens"] == 2048 for body in server.bodies)


def test_whose_account_it_is_with_openai_is_told_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-server")
    with OfflineChatServer() as server:
        OpenAIChat(ChatSettings(model="m", base_url=server.url)).complete([request()])
        told = json.dumps(dict(server.headers[0]))
        assert "secret" not in told
        assert "sk-of-another-server" not in told


def test_a_batch_is_overlapped_as_far_as_allowed_and_its_order_kept() -> None:
    two = Barrier(2, timeout=30)

    def repeated(body: Mapping[str, object]) -> str:
        said = cast("list[dict[str, str]]", body["messages"])[1]["content"]
        if said in {"number 0", "number 1"}:
            two.wait()  # either is answered only while the other is asked
        return said

    with OfflineChatServer([repeated]) as server:
        outcomes = model(server, concurrency=3).complete([request(f"number {n}") for n in range(8)])
        assert [one.text for one in outcomes if isinstance(one, ChatReply)] == [f"number {n}" for n in range(8)]
        assert server.calls == 8
        assert 1 < server.most_at_once <= 3


def test_threads_together_overlap_no_more_than_allowed() -> None:
    with OfflineChatServer(["yes"]) as server:
        shared = model(server, concurrency=2)
        threads = [Thread(target=shared.complete, args=([request()] * 3,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.calls == 12
        assert server.most_at_once <= 2


def test_one_failure_in_a_batch_leaves_the_others_alone() -> None:
    with OfflineChatServer(["one", ServerFault.BROKEN, "three"]) as server:
        outcomes = model(server, concurrency=1).complete([request()] * 3)
        assert [type(one).__name__ for one in outcomes] == ["ChatReply", "ChatFailure", "ChatReply"]


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("0.5", 0.5), ("-3", 0), ("nan", 0), ("soon", 0)])
def test_how_long_to_wait_is_what_the_server_says(header: str, seconds: float) -> None:
    with OfflineChatServer([ServerFault.RATE_LIMITED], retry_after=header) as server:
        (outcome,) = model(server).complete([request()])
        assert isinstance(outcome, ChatFailure)
        assert outcome.retry_after_seconds == seconds


def test_a_date_to_come_back_at_is_read_and_one_that_is_over_means_now() -> None:
    def after(header: str) -> float | None:
        return read_refusal(429, None, header, asked=[], key_variable="").retry_after_seconds

    assert after("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert (after("Wed, 21 Oct 2999 07:28:00 GMT") or 0) > 1e9


def test_a_spent_account_is_not_worth_another_try() -> None:
    body = {"message": "You exceeded your current quota.", "code": "insufficient_quota"}
    assert read_refusal(429, body, "1", asked=[], key_variable="").retry_after_seconds is None
    assert read_refusal(429, {"error": {**body, "code": "slow_down"}}, "1", asked=[], key_variable="").detail == (
        "HTTP 429: You exceeded your current quota."
    )
    assert read_refusal(400, {"error": "no such model"}, None, asked=[], key_variable="").detail.endswith(
        "no such model"
    )


@pytest.mark.parametrize("status", [405, 501])
def test_what_a_server_says_it_cannot_do_is_not_offered_and_not_asked_again(status: int) -> None:
    failure = read_refusal(status, None, "1", asked=[], key_variable="")
    assert failure.kind is ChatFailureKind.NOT_OFFERED
    assert failure.retry_after_seconds is None


def test_a_server_that_refuses_to_echo_does_not_offer_log_probabilities() -> None:
    with OfflineChatServer([ServerFault.REFUSES_ECHO]) as server:
        (told,) = model(server, prompt_log_probs=True).prompt_log_probs(["a text of some length"])
        (other,) = model(server).complete([request()])
    assert isinstance(told, ChatFailure)
    assert (told.kind, told.retry_after_seconds) == (ChatFailureKind.NOT_OFFERED, None)
    assert isinstance(other, ChatFailure)
    assert other.kind is FAILED


def test_neither_the_key_nor_what_was_asked_is_in_a_failure_or_a_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    for fault in ServerFault:
        with OfflineChatServer([fault]) as server:
            asked = model(server, timeout_seconds=0.2, prompt_log_probs=True)
            outcomes = [*asked.complete([request()]), *asked.prompt_log_probs([SECRET])]
            said = repr(outcomes) + repr(asked)
            assert KEY not in said
            assert SECRET[:12] not in said
    assert caplog.records  # the control: something was logged
    assert KEY not in caplog.text


@pytest.mark.parametrize("status", [400, 404, 409, 422, 429, 500, 503])
@pytest.mark.parametrize(
    "words", ["Invalid {0}!", "{1}****{2} is no key", "'{3}' is of another project", "{0}{0}", "x" * 190 + "{0}"]
)
def test_a_key_that_a_server_quotes_is_in_no_failure_and_no_log(
    status: int, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    quoted = words.format(KEY, KEY[:12], KEY[-8:], KEY.upper())
    with OfflineChatServer([ServerFault.BROKEN], error=(status, quoted)) as server:
        asked = model(server, prompt_log_probs=True)
        outcomes = [*asked.complete([request()]), *asked.prompt_log_probs(["a text"])]
    for outcome in outcomes:
        assert isinstance(outcome, ChatFailure)
        assert "[key]" in outcome.detail  # the control: the server's words are told
        pieces = {KEY[start : start + 8] for start in range(len(KEY) - 7)}
        assert not [piece for piece in pieces if piece in outcome.detail.lower() or piece in caplog.text.lower()]


def test_a_key_in_a_refusal_is_blanked_too() -> None:
    with OfflineChatServer([ServerFault.REFUSAL]) as server:
        given = ChatSettings(model="scripted", base_url=server.url)
        (outcome,) = OpenAIChat(given, key="I-cannot-help").complete([request()])
        (other,) = OpenAIChat(given, key="cannot help".replace(" ", "-")).complete([request()])
        (short,) = OpenAIChat(given, key="help").complete([request()])
    assert isinstance(outcome, ChatFailure)
    assert isinstance(other, ChatFailure)
    assert isinstance(short, ChatFailure)
    assert outcome.detail == other.detail == "I cannot help with that."
    assert short.detail == "I cannot [key] with that."


@given(text=st.text("abc123", max_size=40), key=st.text("abc123", min_size=8, max_size=20))
def test_no_piece_of_a_key_is_left_and_nothing_else_is_lost(text: str, key: str) -> None:
    told = without_key(text, key)
    assert not [key[start : start + 8] for start in range(len(key) - 7) if key[start : start + 8] in told]
    if not any(key[start : start + 8] in text for start in range(len(key) - 7)):
        assert told == text


def test_words_of_the_server_that_quote_what_it_was_asked_are_left_out() -> None:
    assert said("model 'x' is not found", asked=[SECRET]) == "model 'x' is not found"
    assert said(f"cannot read: {SECRET}", asked=[SECRET]) == ""
    assert said(f"bad input {json.dumps('窯に火を入れて石を返して')}", asked=["窯に火を入れて石を返して"]) == ""
    assert said("a\nb\x00c" + "d" * 500, asked=[]) == "a b c" + "d" * 195


def test_a_wrong_key_is_said_by_the_name_of_its_variable() -> None:
    with OfflineChatServer([ServerFault.KEY_REFUSED]) as server:
        (outcome,) = model(server, api_key_env="TEAM_KEY").complete([request()])
        assert isinstance(outcome, ChatFailure)
        assert "TEAM_KEY" in outcome.detail
        assert KEY not in outcome.detail


def test_log_probabilities_are_those_of_the_text_alone() -> None:
    with OfflineChatServer(log_probs=lambda text: [-0.5 * place for place in range(len(text))]) as server:
        (told,) = model(server, prompt_log_probs=True).prompt_log_probs(["窯に火"])
        assert isinstance(told, PromptLogProbs)
        assert told.tokens == ((1, -0.5), (2, -1.0))
        assert told.usage.prompt_tokens == 3
        assert (server.bodies[0]["echo"], server.bodies[0]["max_tokens"]) == (True, 1)


def test_a_server_that_echoes_nothing_does_not_offer_them() -> None:
    with OfflineChatServer() as server:
        asked = model(server, prompt_log_probs=True)
        (told,) = asked.prompt_log_probs(["a text of some length"])
        assert isinstance(told, ChatFailure)
        assert told.kind is ChatFailureKind.NOT_OFFERED
        assert server.calls == 1
        (untold,) = model(server).prompt_log_probs(["a text"])
        assert isinstance(untold, ChatFailure)
        assert (untold.kind, server.calls) == (ChatFailureKind.NOT_OFFERED, 1)


@pytest.mark.parametrize(
    ("logprobs", "kind"),
    [
        ({"tokens": ["a", "b"], "token_logprobs": [None, 0.5]}, FAILED),
        ({"tokens": ["a", "b"], "token_logprobs": [None]}, FAILED),
        ({"tokens": ["a"], "token_logprobs": "many"}, FAILED),
        (None, ChatFailureKind.NOT_OFFERED),
    ],
)
def test_log_probabilities_that_make_no_sense_are_failures(logprobs: object, kind: ChatFailureKind) -> None:
    outcome = read_echo(json.dumps({"choices": [{"text": "ab", "logprobs": logprobs}]}).encode(), "ab")
    assert isinstance(outcome, ChatFailure)
    assert outcome.kind is kind


def test_parts_of_one_character_are_added_up_and_places_counted_where_none_are_told() -> None:
    told = {"tokens": ["a", "b", "c"], "token_logprobs": [None, -1, -2]}
    assert read_echo(json.dumps({"choices": [{"text": "abc", "logprobs": told}]}).encode(), "abc") == PromptLogProbs(
        tokens=((1, -1.0), (2, -2.0))
    )
    told["text_offset"] = [0, 1, 1]
    assert read_echo(json.dumps({"choices": [{"text": "ab", "logprobs": told}]}).encode(), "ab") == PromptLogProbs(
        tokens=((1, -3.0),)
    )


@pytest.mark.parametrize(
    "usage", [{"prompt_tokens": -5, "completion_tokens": 3}, {"prompt_tokens": 10**15}, "much", None]
)
def test_a_usage_that_makes_no_sense_counts_as_none_told(usage: object) -> None:
    body = json.dumps({"choices": [{"message": {"content": "yes"}}], "usage": usage}).encode()
    outcome = read_completion(body, asked=[], is_json=False)
    assert isinstance(outcome, ChatReply)
    assert (outcome.usage.calls, outcome.usage.tokens) == (1, 0)


@pytest.mark.parametrize("module", ["openai_connection", "openai_embedder", "rerankers"])
def test_without_the_extra_the_message_says_what_to_type(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    for name in ("openai_embedder", "rerankers", "openai_connection"):
        monkeypatch.delitem(sys.modules, f"evolore.models.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "openai", None)  # as if it were not installed
    with pytest.raises(MissingExtra, match=r'pip install "evolore\[openai\]"'):
        importlib.import_module(f"evolore.models.{module}")


def test_without_a_model_there_is_nothing_to_ask() -> None:
    with pytest.raises(InvalidValue, match="name the chat model"):
        OpenAIChat(ChatSettings())


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_what_cannot_be_a_key_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(InvalidValue, match="no key") as caught:
        OpenAIChat(ChatSettings(model="m"), key=key)
    assert not key or key not in str(caught.value)


class Body(httpx2.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        yield from (b"a", b"b", b"c")


def test_a_body_is_read_so_far_and_so_long() -> None:
    assert list(BoundedBody(Body(), most_bytes=3, most_seconds=60)) == [b"a", b"b", b"c"]
    with pytest.raises(BodyTooLarge, match="2 bytes"):
        list(BoundedBody(Body(), most_bytes=2, most_seconds=60))
    with pytest.raises(httpx2.ReadTimeout):  # a byte now and then keeps a connection alive, and not the call
        list(BoundedBody(Body(), most_bytes=3, most_seconds=-1))


def test_a_server_answers_no_more_calls_than_it_was_told() -> None:
    with OfflineChatServer(["yes"], most_calls=1) as server:
        outcomes = model(server, concurrency=1).complete([request(), request()])
    assert [type(one).__name__ for one in outcomes] == ["ChatReply", "ChatFailure"]


def test_a_server_that_hangs_ends_when_its_block_does() -> None:
    with OfflineChatServer([ServerFault.HANGS]) as server:
        thread = Thread(target=model(server).complete, args=([request()],))
        thread.start()
        server.wait_for_call()
    thread.join()
    assert server.calls == 1
