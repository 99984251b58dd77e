"""Chat calls through the server, by the real client of OpenAI, to a server behind that speaks its protocol."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any, cast

import httpx2
import openai
import pytest

import evolore
from chat_server import KEY, REPLY, ChatServer, chat_server
from evolore.client import connect
from evolore.domain.model_server import ProxySettings
from evolore.errors import InvalidSetting, InvalidValue
from evolore.server.keys import Scope
from integrations.test_wrapping import ASKED, CALLS, KNOWN, SAID, Call, amade, made, without_told
from server.serving import running
from serving.memories import until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from server.serving import Served

USER: Any = {"role": "user", "content": ASKED}


@pytest.fixture(scope="module")
def behind() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture(scope="module")
def proxied(behind: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str, str]]:
    """A server before it, its address for clients, and a key."""
    settings = ProxySettings(
        base_url=f"{behind.address}/v1", api_key_env="CHAT_BEHIND", also=("house",), timeout_seconds=2, replies=False
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAT_BEHIND", KEY)
        with running(tmp_path_factory.mktemp("proxied"), proxy=settings) as (served, address):
            header, _ = served.key(Scope.READ, Scope.WRITE, label="Mika")
            served.house.memories.of("default").remember(KNOWN, speaker="Mika")
            yield served, f"{address}/v1", header["Authorization"].removeprefix("Bearer ")


@pytest.fixture
def client(behind: ChatServer, proxied: tuple[Served, str, str]) -> Iterator[openai.OpenAI]:
    behind.bodies.clear()
    behind.headers.clear()
    behind.go_on.clear()
    with openai.OpenAI(api_key=proxied[2], base_url=proxied[1], max_retries=0) as opened:
        yield opened


def told(server: ChatServer) -> str:
    return json.dumps([one for one in server.bodies[-1]["messages"] if one["role"] == "system"])


@pytest.mark.parametrize("call", [one for one in CALLS if one.api == "openai"], ids=lambda one: one.name)
def test_a_call_through_it_does_what_a_direct_one_does(
    behind: ChatServer, proxied: tuple[Served, str, str], call: Call
) -> None:
    def result(address: str, key: str) -> tuple[list[object], list[dict[str, Any]]]:
        behind.bodies.clear()
        kind = openai.AsyncOpenAI if call.is_async else openai.OpenAI
        client: Any = kind(api_key=key, base_url=address, max_retries=0)
        if call.is_async:
            return asyncio.run(amade(client, call)), [*behind.bodies]
        with client:
            return made(client, call), [*behind.bodies]

    direct, sent = result(f"{behind.address}/v1", "none")
    through, resent = result(*proxied[1:])
    if call.name == "a time-out":
        time.sleep(1)  # what the server behind had begun is over
    assert str(through) == str(direct).replace(KEY, "[key]")
    parted = [without_told(one) for one in resent]
    assert [rest for rest, _ in parted] == sent
    assert all(KNOWN in text for _, texts in parted for text in texts)
    assert [len(texts) for _, texts in parted] == [int(call.is_told or call.kind == "raw")] * len(sent)


def test_what_nothing_bears_on_goes_and_comes_byte_for_byte(
    behind: ChatServer, proxied: tuple[Served, str, str]
) -> None:
    behind.raw.clear()
    behind.sent.clear()
    spaced = b'{ "model":"talks", "stream" : true,"messages":[{"role":"user","content":"ok"}], "x":1.50 }'
    headers = {"Authorization": f"Bearer {proxied[2]}", "Content-Type": "application/json"}
    reply = httpx2.post(f"{proxied[1]}/chat/completions", content=spaced, headers=headers)
    assert behind.raw == [spaced]
    assert [reply.content] == behind.sent
    assert reply.headers["content-type"] == "text/event-stream; charset=utf-8"


def test_parts_come_as_they_are_sent(behind: ChatServer, client: openai.OpenAI) -> None:
    stream: Any = client.chat.completions.create(model="waits", messages=[USER], stream=True)
    assert [next(stream).choices[0].delta.content for _ in range(3)] == ["", "Bake ", "the "]
    behind.go_on.set()
    assert "".join(one.choices[0].delta.content or "" for one in stream) == REPLY.removeprefix("Bake the ")


def test_the_turn_is_remembered_for_the_user_that_the_request_names(
    behind: ChatServer, proxied: tuple[Served, str, str], client: openai.OpenAI
) -> None:
    memory = proxied[0].house.memories.of("default")
    before, calls = len(memory.list(limit=50).statements), cast("Any", client.chat.completions)
    calls.create(model="talks", messages=[SAID], user="Tom", extra_headers={"Evolore-Session": "kitchen"})
    calls.create(model="talks", messages=[{"role": "user", "content": "My cat is called Momo."}])
    until(lambda: len(memory.list(limit=50).statements) == before + 2)  # a moment after the client has all
    seen = [(one.speaker, one.text, one.session) for one in memory.list(limit=2).statements]
    assert seen[1] == ("Tom", SAID["content"], "kitchen")
    assert seen[0][:2] == ("Mika", "My cat is called Momo.")
    calls.create(model="talks", messages=[{"role": "user", "content": "Where did I move to, to Osaka?"}], user="Ann")
    assert SAID["content"] not in str(behind.bodies[-1]["messages"][:-1])
    calls.create(model="talks", messages=[{"role": "user", "content": "Where did I move to, to Osaka?"}], user="Tom")
    assert SAID["content"] in told(behind)


@pytest.mark.parametrize("user", ["x" * 501, "half \ud800", "a\0b", " ", 7, ["Tom"], None])
def test_a_user_field_that_is_no_name_leaves_the_call_to_the_principal(
    behind: ChatServer, proxied: tuple[Served, str, str], user: object
) -> None:
    behind.bodies.clear()
    headers = {"Authorization": f"Bearer {proxied[2]}", "Content-Type": "application/json"}
    body = json.dumps({"model": "talks", "messages": [USER], "user": user})
    reply = httpx2.post(f"{proxied[1]}/chat/completions", content=body, headers=headers)
    assert reply.status_code == 200
    assert KNOWN in told(behind)
    assert behind.bodies[-1]["user"] == user


def test_a_label_too_long_for_a_name_leaves_the_call_to_the_user(
    behind: ChatServer, proxied: tuple[Served, str, str]
) -> None:
    header, _ = proxied[0].key(Scope.READ, Scope.WRITE, label="x" * 501)
    body = {"model": "talks", "messages": [{"role": "user", "content": "ok"}]}
    assert httpx2.post(f"{proxied[1]}/chat/completions", json=body, headers=header).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_replies_are_remembered_by_default(behind: ChatServer, tmp_path: Path, *, stream: bool) -> None:
    settings = ProxySettings(base_url=f"{behind.address}/v1/", model="the-only-one")
    with running(tmp_path, proxy=settings) as (served, address):
        with openai.OpenAI(api_key="none", base_url=f"{address}/v1", max_retries=0) as client:
            reply: Any = client.chat.completions.create(model="any", messages=[cast("Any", SAID)], stream=stream)
            for _ in reply if stream else ():
                pass
        assert behind.bodies[-1]["model"] == "the-only-one"
        assert "Authorization" not in behind.headers[-1]
        memory = served.house.memories.of("default")
        until(lambda: len(memory.list().statements) == 2)
        seen = [(one.speaker, one.text) for one in memory.list().statements]
    assert seen == [("assistant to user", REPLY), ("user", SAID["content"])]


def test_a_key_that_may_enter_it_reads_what_is_shared(
    behind: ChatServer, proxied: tuple[Served, str, str], client: openai.OpenAI
) -> None:
    served, address, _ = proxied
    served.house.memories.of("house").remember("Yui is allergic to cats, too.", speaker="Tom")
    client.chat.completions.create(model="talks", messages=[USER])
    assert "cats" in told(behind)
    header, _ = served.key(Scope.READ, Scope.WRITE, namespaces=["ann"], label="Ann")
    with openai.OpenAI(api_key=header["Authorization"][7:], base_url=address, max_retries=0) as other:
        other.chat.completions.create(model="talks", messages=[USER])
    assert told(behind) == "[]"


def test_the_servers_own_key_goes_up_and_never_comes_down(
    behind: ChatServer, proxied: tuple[Served, str, str], client: openai.OpenAI, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    assert [one.id for one in client.models.list()] == ["talks"]
    assert behind.headers[-1]["Authorization"] == f"Bearer {KEY}"
    with pytest.raises(openai.AuthenticationError) as refused:
        client.chat.completions.create(model="key", messages=[USER])
    assert refused.value.status_code == 401
    assert "the key [key] is bad" in str(refused.value)
    with pytest.raises(openai.RateLimitError) as many:
        client.chat.completions.create(model="many", messages=[USER])
    assert many.value.response.headers["x-request-id"] == "req_1"
    assert KEY not in caplog.text
    assert proxied[2] not in str(behind.headers) + caplog.text


@pytest.mark.parametrize(
    ("scopes", "status"), [((), 401), ((Scope.READ,), 403), ((Scope.WRITE,), 403), ((Scope.READ, Scope.WRITE), 200)]
)
def test_a_chat_needs_the_rights_to_read_and_to_write(
    proxied: tuple[Served, str, str], scopes: tuple[Scope, ...], status: int
) -> None:
    served, address, _ = proxied
    header = served.key(*scopes)[0] if scopes else {"Authorization": f"Bearer {KEY}"}
    body = {"model": "talks", "messages": [USER]}
    assert httpx2.post(f"{address}/chat/completions", json=body, headers=header).status_code == status


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"model": "talks"}', b'{"model": "talks", "messages": 3}', b"\xff"])
def test_what_is_no_chat_is_answered_by_the_server_behind(
    behind: ChatServer, proxied: tuple[Served, str, str], raw: bytes
) -> None:
    behind.raw.clear()
    headers = {"Authorization": f"Bearer {proxied[2]}"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chat_server._completion", dict[str, Any])
        httpx2.post(f"{proxied[1]}/chat/completions", content=raw, headers=headers)
    assert behind.raw == [raw]


def test_half_a_character_costs_no_memory(behind: ChatServer, proxied: tuple[Served, str, str]) -> None:
    memory = proxied[0].house.memories.of("default")
    before = len(memory.list(limit=50).statements)
    messages = [{"role": "user", "content": "The bread \ud83c is baked by Kenji."}]
    headers = {"Authorization": f"Bearer {proxied[2]}", "Content-Type": "application/json"}
    body = json.dumps({"model": "talks", "messages": messages})
    assert httpx2.post(f"{proxied[1]}/chat/completions", content=body, headers=headers).status_code == 200
    assert behind.bodies[-1]["messages"][-1:] == messages
    until(lambda: len(memory.list(limit=50).statements) == before + 1)
    assert memory.list(limit=1).statements[0].text == "The bread ? is baked by Kenji."


@pytest.mark.parametrize(
    "raw", [b'{"model": "dear", "n": ' + b"9" * 5000 + b', "messages": []}', b"[" * 9999, b"no JSON"]
)
def test_a_body_that_is_not_understood_asks_no_other_model(raw: bytes, behind: ChatServer, tmp_path: Path) -> None:
    behind.raw.clear()
    settings = ProxySettings(base_url=f"{behind.address}/v1", model="talks")
    with running(tmp_path, proxy=settings) as (served, address):
        header, _ = served.key(Scope.READ, Scope.WRITE)
        reply = httpx2.post(f"{address}/v1/chat/completions", content=raw, headers=header)
    assert (reply.status_code, behind.raw) == (422, [])
    assert "no chat call" in reply.json()["detail"]


@pytest.mark.parametrize(
    ("settings", "status", "why"),
    [
        (ProxySettings(), 501, "proxy.base_url"),
        (ProxySettings(base_url="http://127.0.0.1:9/v1"), 502, "cannot be reached (ConnectError)"),
        ("slow", 504, "within 0.2 seconds"),
    ],
)
def test_a_server_behind_that_is_not_there_is_named(
    behind: ChatServer,
    tmp_path: Path,
    settings: ProxySettings | str,
    status: int,
    why: str,
) -> None:
    if isinstance(settings, str):
        settings = ProxySettings(base_url=f"{behind.address}/v1", timeout_seconds=0.2)
    with running(tmp_path, proxy=settings) as (_, address):
        reply = httpx2.post(f"{address}/v1/chat/completions", json={"model": "slow", "messages": [USER]})
    assert reply.status_code == status
    assert why in reply.json()["detail"]


def test_a_reply_without_an_end_is_cut(
    behind: ChatServer, proxied: tuple[Served, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.server.routes.completions.MOST_REPLY_BYTES", 300)
    headers = {"Authorization": f"Bearer {proxied[2]}"}
    body = {"model": "talks", "messages": [USER], "stream": True}
    with pytest.raises(httpx2.RemoteProtocolError):
        httpx2.post(f"{proxied[1]}/chat/completions", json=body, headers=headers)


def test_wrong_settings_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CHAT_BEHIND", raising=False)
    with pytest.raises(InvalidValue, match="also is 'house'"):
        ProxySettings(also=cast("Any", "house"))
    settings = ProxySettings(base_url="https://models.example/v1", api_key_env="CHAT_BEHIND")
    with pytest.raises(InvalidSetting, match="CHAT_BEHIND is not set"), running(tmp_path, proxy=settings):
        pass


def test_a_client_of_the_server_is_a_memory_for_a_wrapped_client(
    behind: ChatServer, proxied: tuple[Served, str, str]
) -> None:
    address, key = proxied[1].removesuffix("/v1"), proxied[2]
    for text, speaker in ((KNOWN, "Mika"), ("Yui is allergic to bees.", "Tom")):
        proxied[0].house.memories.of("far").remember(text, speaker=speaker)
    with (
        connect(address, key=key, namespace="far") as far,
        openai.OpenAI(api_key="none", base_url=f"{behind.address}/v1") as bare,
    ):
        wrapped: Any = evolore.wrap(bare, cast("Any", far), user="Mika", replies=False)
        wrapped.chat.completions.create(
            model="talks",
            messages=[USER, SAID, {"role": "user", "content": "Which allergy does my daughter Yui have?"}],
        )
        assert KNOWN in told(behind)
        assert "bees" not in told(behind)
        assert far.list(limit=1).statements[0].text == "Which allergy does my daughter Yui have?"
