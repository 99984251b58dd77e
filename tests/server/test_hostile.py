"""Bad input is answered with a problem, and never with 5xx."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evolore.server.app import MOST_BODY_BYTES
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator

    from server.serving import Served

HOSTILE: tuple[object, ...] = (
    "\x00",
    "a\x00b",
    "\ud800",
    " ",
    "",
    "a" * 20_001,
    "' OR 1=1 --",
    "../../../../x",
    10**30,
    -1,
    0,
    1e308,
    True,
    None,
    [],
    ["a"] * 2000,
    {},
    {"a": {"b": 1}},
    "2026-13-45",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
)
VALUES = ("\x00", "a" * 5000, "-1", "0", "1e9", "9" * 400, "2026-99-99", "ÿ")
IDS = ("%00", "a%00b", "%ED%A0%80", "%20", "a" * 5000, "..%2F..%2Fx", "%F0%9F%98%80", "0", "'", "%2F")


def _schema(document: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    schema = next(iter(body["content"].values()))["schema"]
    schema = next((one for one in schema.get("anyOf", [schema]) if "$ref" in one), schema)
    name = schema.get("$ref", "").rpartition("/")[2]
    return document["components"]["schemas"].get(name, {})


def _bodies(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    examples: list[dict[str, Any]] = schema.get("examples") or [{}]
    for name in schema.get("properties", {}):
        for value in HOSTILE:
            yield {**examples[0], name: value}
    yield {**examples[0], "\ud800": 1}


def _refuses_or_does(came: Any) -> bool:  # noqa: ANN401 - a response
    if came.status_code < 400:
        return True
    told = json.loads(came.content)
    return (
        came.status_code < 500
        and came.headers["content-type"] == "application/problem+json"
        and told["status"] == came.status_code
        and bool(told["detail"])
    )


def test_no_body_is_answered_with_a_failure(served: Served) -> None:
    sent, step = 0, tried(11, long=1)  # of what each operation is sent, an eleventh in turn
    document = served.http.get("/api/openapi.json").json()
    for at, (method, path, said) in enumerate(served.operations()):
        if "requestBody" not in said or path == "/api/keys" or "multipart/form-data" in said["requestBody"]["content"]:
            continue
        bodies = tuple(_bodies(_schema(document, said["requestBody"])))
        for body in bodies[at % step :: step]:
            content = json.dumps(body).encode()
            came = served.http.request(
                method,
                path.replace("{", "").replace("}", ""),
                content=content,
                headers={"Content-Type": "application/json", "If-Match": "*"},
            )
            assert _refuses_or_does(came), (method, path, content[:200], came.status_code, came.text[:300])
            sent += 1
    assert sent > 2000 // step


@pytest.mark.parametrize(
    "sent",
    [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"question": NaN}', b"[" * 100_000, b"1" * 5000, b'{"question": 1e999}'],
)
def test_what_is_no_request_is_refused(served: Served, sent: bytes) -> None:
    came = served.http.post("/api/recall", content=sent, headers={"Content-Type": "application/json"})
    assert 400 <= came.status_code < 500
    assert _refuses_or_does(came)


def test_no_id_and_no_query_is_answered_with_a_failure(served: Served) -> None:
    step = tried(8, long=1)
    for at, (method, path, said) in enumerate(served.operations()):
        for id_ in IDS[at % step :: step] if "{" in path else ():
            where = path.partition("{")[0] + id_ + path.partition("}")[2]
            came = served.http.request(method, where, json={"rating": "good", "reason": "x", "keep": "newer"})
            assert _refuses_or_does(came), (method, where, came.text[:300])
        names = [one["name"] for one in said.get("parameters", []) if one["in"] == "query"]
        for number, name in enumerate(names, start=at):
            for value in VALUES[number % step :: step]:
                came = served.http.request(method, path.replace("{", "").replace("}", ""), params={name: value})
                assert _refuses_or_does(came), (method, path, name, value, came.text[:300])


@pytest.mark.parametrize("name", ["Evolore-Namespace", "Evolore-Principal", "Idempotency-Key", "If-Match", "Prefer"])
@pytest.mark.parametrize("value", [b"", b" ", b"a" * 5000, b"\xff\xfe", "日本".encode(), b"a\x01b"])
def test_no_header_is_answered_with_a_failure(served: Served, name: str, value: bytes) -> None:
    for path, body in (("statements", {"statements": [{"text": "a"}]}), ("evolution/run", {})):
        came = served.http.post(f"/api/{path}", json=body, headers={name.encode(): value})
        assert _refuses_or_does(came) or came.status_code == 501, (path, came.text)


@pytest.mark.parametrize(
    ("name", "data", "form"),
    [
        ("a.md", b"", {}),
        ("a.md", b"%PDF-1.7 \x00", {}),
        ("", b"text", {}),
        ("a" * 5000, b"text", {}),
        ("a.html", b"<" * 10_000, {}),
        ("a.md", b"text", {"metadata": "{"}),
        ("a.md", b"text", {"metadata": "[]"}),
        ("a.md", b"text", {"metadata": '{"a": {"b": 1}}'}),
        ("a.md", b"text", {"tags": " "}),
        ("a.md", b"text", {"media_type": "image/png"}),
        ("a.md", b"text", {"source": "\x00"}),
    ],
)
def test_no_upload_is_answered_with_a_failure(served: Served, name: str, data: bytes, form: dict[str, str]) -> None:
    came = served.http.post("/api/documents", files={"file": (name, data)}, data=form)
    assert _refuses_or_does(came)
    assert came.status_code in {400, 422} or name == "a.html"


def test_a_body_is_bounded_also_where_its_length_is_not_told(served: Served) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(MOST_BODY_BYTES // 2**20 + 1):
            yield b" " * 2**20

    for sent in (b" " * (MOST_BODY_BYTES + 1), parts()):
        came = served.http.post("/api/recall", content=sent, headers={"Content-Type": "application/json"})
        assert came.status_code == 413
        assert came.json()["detail"].startswith("The body is longer than")


def test_a_refusal_says_what_and_where(served: Served) -> None:
    told = served.http.post("/api/recall", json={"question": "x", "limit": "many"}).json()
    assert told["errors"] == [{"at": "body.limit", "message": told["errors"][0]["message"]}]
    assert served.http.get("/api/items/nothing").json()["error"] == "NotFound"
    assert served.http.get("/nowhere").json()["status"] == 404
