"""Answers over the server while they are written: events, and the clients that read them."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import httpx2
import pytest
from starlette.testclient import TestClient

from evolore.client import AsyncClient, Client
from evolore.domain.answer import Answer
from evolore.errors import InvalidValue, ServerUnreachable
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel
from evolore.server.app import create_app
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fastapi import FastAPI

ADDRESS = "http://localhost"
QUESTION = "How long do refunds take?"
SAID = "Refunds take seven business days."
REPLY = json.dumps({"in_sources": True, "sentences": [{"text": SAID, "passages": [1]}]})
EVENTS = {"Accept": "text/event-stream"}


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    memories = Memories(tmp_path / "store", embedder=HashingEmbedder(), chat_model=ScriptedChatModel([REPLY]))
    memories.of("default").remember(SAID)
    return create_app(memories)


@pytest.fixture
def http(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app, base_url=ADDRESS) as http:
        yield http


def client_of(answer: Callable[[httpx2.Request], httpx2.Response]) -> Client:
    return Client(ADDRESS, transport=httpx2.MockTransport(answer))


def carried(http: TestClient) -> Client:
    def answer(request: httpx2.Request) -> httpx2.Response:
        came = http.request(request.method, str(request.url), content=request.read(), headers=list(request.headers.raw))
        return httpx2.Response(came.status_code, headers=came.headers, content=came.content)

    return client_of(answer)


def test_the_server_sends_pieces_and_then_the_answer(http: TestClient) -> None:
    reply = http.post("/api/answers", json={"question": QUESTION}, headers=EVENTS)

    assert reply.status_code == 201
    assert reply.headers["content-type"].startswith("text/event-stream")
    *pieces, last = [event.split("\ndata: ") for event in reply.text.strip().split("\n\n")]
    assert {name for name, _ in pieces} == {"event: piece"}
    assert "".join(json.loads(data)["text"] for _, data in pieces) == SAID
    assert last[0] == "event: answer"
    assert json.loads(last[1])["text"] == f"{SAID} [1]"
    assert "recall" not in json.loads(last[1])


def test_without_asking_for_events_the_answer_comes_whole(http: TestClient) -> None:
    assert http.post("/api/answers", json={"question": QUESTION}).json()["text"] == f"{SAID} [1]"


def test_a_wrong_question_is_a_problem_as_ever(http: TestClient) -> None:
    reply = http.post("/api/answers", json={"question": " "}, headers=EVENTS)
    assert reply.status_code == 422


def test_a_stream_under_an_idempotency_key_is_answered_each_time(http: TestClient) -> None:
    headers = {**EVENTS, "Idempotency-Key": "one"}
    replies = [http.post("/api/answers", json={"question": QUESTION}, headers=headers) for _ in range(2)]
    assert all("event: answer" in one.text for one in replies)


def test_clients_give_the_pieces_and_the_answer(app: FastAPI, http: TestClient) -> None:
    async def run() -> list[str | Answer]:
        async with AsyncClient(ADDRESS, transport=httpx2.ASGITransport(app=app)) as client:
            return [piece async for piece in client.answer_stream(QUESTION)]

    with carried(http) as client:
        for *told, last in (list(client.answer_stream(QUESTION)), asyncio.run(run())):
            assert "".join(str(one) for one in told) == SAID
            assert isinstance(last, Answer)
            assert last.recall is not None


def test_a_client_raises_what_the_server_says(http: TestClient) -> None:
    with carried(http) as client, pytest.raises(InvalidValue):
        list(client.answer_stream("Why?", since="never"))


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        ('event: piece\ndata: {"text": "Re"}\n\n', ServerUnreachable),
        ('event: problem\ndata: {"detail": "No.", "error": "InvalidValue"}\n\n', InvalidValue),
        ('event: problem\ndata: {"detail": "No.", "error": "Strange"}\n\n', ServerUnreachable),
    ],
)
def test_a_stream_that_breaks_off_is_no_answer(sent: str, error: type[Exception]) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        del request
        return httpx2.Response(201, headers={"Content-Type": "text/event-stream"}, text=sent)

    with client_of(answer) as client, pytest.raises(error):
        list(client.answer_stream(QUESTION))


def test_an_older_servers_answer_comes_in_one_piece(http: TestClient) -> None:
    def answer(request: httpx2.Request) -> httpx2.Response:
        came = http.post("/api/answers", content=request.read(), headers={"Content-Type": "application/json"})
        return httpx2.Response(came.status_code, json=came.json())

    with client_of(answer) as client:
        told, said = client.answer_stream(QUESTION)
    assert isinstance(said, Answer)
    assert told == said.text
