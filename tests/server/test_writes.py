"""Writes are done once under an idempotency key, lists come in parts, and approvals need what was seen."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from evolore.server.idempotency import ABANDONED
from evolore.server.keys import Scope
from evolore.store.service import REPLIES_KEPT, KeptReply

if TYPE_CHECKING:
    from server.serving import Served


def say(served: Served, text: str, name: str = "once", **headers: str) -> Any:  # noqa: ANN401 - a response
    told = {"Idempotency-Key": name, **headers}
    return served.http.post("/api/statements", json={"statements": [{"text": text}]}, headers=told)


def count(served: Served) -> int:
    return int(served.http.get("/api/stats").json()["statements"])


def test_the_same_write_is_done_once(served: Served) -> None:
    first, second = say(served, "We open at nine."), say(served, "We open at nine.")
    assert (first.status_code, second.status_code) == (201, 201)
    assert second.json() == first.json()
    assert "idempotency-replayed" not in first.headers
    assert second.headers["idempotency-replayed"] == "true"
    assert count(served) == 1


def test_another_write_under_the_same_key_is_refused(served: Served) -> None:
    say(served, "We open at nine.")
    assert say(served, "We open at ten.").status_code == 422
    assert say(served, "We open at nine.", **{"Evolore-Namespace": "elsewhere"}).status_code == 422
    assert count(served) == 1


def test_the_document_names_the_key_of_every_write_that_is_done_once(served: Served) -> None:
    document = served.http.get("/api/openapi.json").json()
    named = {
        f"{method} {path}": [one["name"] for one in said.get("parameters", ())].count("Idempotency-Key")
        for path, by_method in document["paths"].items()
        for method, said in by_method.items()
    }
    assert {named[one] for one in ("post /api/statements", "post /api/documents")} == {1}
    assert named["post /api/documents/{document}/verify"] == 1
    assert named["get /api/statements"] == named["post /api/recall"] == 0
    assert max(named.values()) == 1


def uploaded(served: Served, text: str, boundary: str) -> Any:  # noqa: ANN401 - a response
    head = 'Content-Disposition: form-data; name="file"; filename="a.md"\r\nContent-Type: text/markdown'
    body = f"--{boundary}\r\n{head}\r\n\r\n{text}\r\n--{boundary}--\r\n"
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}", "Idempotency-Key": "once"}
    return served.http.post("/api/documents", content=body, headers=headers)


def test_two_uploads_are_two_whatever_separates_their_parts(served: Served) -> None:
    first = uploaded(served, "tenet house", "e")
    assert first.status_code == 201
    assert uploaded(served, "tnt hous", "e").status_code == 422, "another text under the same key"
    assert uploaded(served, "tenet house", "e").json() == first.json()
    assert uploaded(served, "tenet house", "another").json() == first.json(), "clients draw a new one each time"


def test_a_document_that_is_put_is_marked_up_as_its_name_says(served: Served) -> None:
    text = "# Returns\n\nSend it back.\n\n## Time\n\nWithin 14 days.\n"
    put = [served.http.put("/api/documents", json={"source": name, "text": text}).json() for name in ("r.md", "r.txt")]
    assert [(one["media_type"], one["title"]) for one in put] == [
        ("text/markdown", "Returns"),
        ("text/plain", "r.txt"),
    ]


def test_a_write_that_was_refused_may_be_tried_again(served: Served) -> None:
    assert say(served, " ").status_code == 422
    assert served.house.service.find(KeptReply) == ()
    assert say(served, "We open at nine.").status_code == 201


def test_a_write_that_is_being_done_is_not_begun_again(served: Served) -> None:
    say(served, "We open at nine.")
    served.house.service.change(KeptReply, {"name": "once"}, {"status": 0})
    came = say(served, "We open at nine.")
    assert (came.status_code, came.headers["retry-after"]) == (409, "1")
    now = served.house.now
    served.house.now = lambda: now() + ABANDONED + timedelta(seconds=1)
    assert say(served, "We open at nine.").status_code == 201, "it was interrupted long ago"


def test_a_reply_is_kept_for_a_day(served: Served) -> None:
    first = say(served, "We open at nine.").json()
    now = served.house.now
    served.house.now = lambda: now() + REPLIES_KEPT + timedelta(seconds=1)
    assert say(served, "We open at nine.").json() != first


def test_what_is_forgotten_is_in_no_kept_reply(served: Served) -> None:
    said = say(served, "The vault is under the stairs.").json()
    served.http.delete(f"/api/items/{said['episodes'][0]['id']}")
    (kept,) = served.house.service.find(KeptReply, name="once")
    assert "vault" not in str(kept)
    came = say(served, "The vault is under the stairs.")
    assert (came.status_code, count(served)) == (409, 0)


def test_an_idempotency_key_is_its_callers(served: Served) -> None:
    one, _ = served.key(Scope.WRITE)
    other, _ = served.key(Scope.WRITE)
    first = say(served, "We open at nine.", **one)
    assert say(served, "We open at nine.", **other).json() != first.json()
    assert say(served, "We open at nine.", **one).json() == first.json()
    reader, _ = served.key(Scope.READ)
    assert say(served, "We open at nine.", **reader).status_code == 403


def test_an_upload_is_done_once(served: Served) -> None:
    def upload() -> Any:  # noqa: ANN401 - likewise
        return served.http.post(
            "/api/documents",
            files={"file": ("hours.html", b"<h1>Hours</h1><p>We open at nine.</p>")},
            data={"tags": ["b", "a"], "metadata": '{"team": "ops"}'},
            headers={"Idempotency-Key": "once"},
        )

    first, second = upload(), upload()
    assert second.json() == first.json()
    document = first.json()["documents"][0]["document"]
    assert (document["title"], document["source"], document["tags"]) == ("Hours", "hours.html", ["a", "b"])
    assert served.http.get("/api/documents/hours.html").json()["text"].startswith("# Hours")


def _in_parts(served: Served, path: str, name: str, limit: int) -> list[Any]:
    found: list[Any] = []
    cursor = None
    while True:
        told = {"limit": limit} | ({} if cursor is None else {"cursor": cursor})
        part = served.http.get(f"/api/{path}", params=told).json()
        found += part[name]
        cursor = part["next"]
        if cursor is None:
            return found
        assert len(part[name]) == limit


def test_parts_of_a_list_are_the_list(served: Served) -> None:
    for number in range(7):
        served.http.put("/api/documents", json={"source": f"{number}.md", "text": f"Page {number} says so."})
        say(served, f"Statement {number} is about {number * 7}.", str(number))
        served.http.put("/api/documents", json={"source": "changed.txt", "text": f"It is {number} today."})
        served.http.post("/api/recall", json={"question": f"What about {number}?"})
        priority = ("low", "urgent", "normal")[number % 3]
        served.http.post("/api/review", json={"text": f"Look at {number}.", "priority": priority})
    served.http.delete("/api/items/6.md")
    lists = {
        "documents": "documents",
        "statements": "statements",
        "questions": "questions",
        "review": "items",
        "documents/changed.txt/versions": "versions",
    }
    for path, name in lists.items():
        whole = served.http.get(f"/api/{path}").json()[name]
        for limit in (1, 2, 3, 7, 8):
            assert _in_parts(served, path, name, limit) == whole, (path, limit)
        assert len(whole) == 7


def test_what_is_added_in_front_shifts_no_part(served: Served) -> None:
    for number in range(6):
        say(served, f"Statement {number} is about {number * 7}.", str(number))
    first = served.http.get("/api/statements", params={"limit": 3}).json()
    say(served, "Something new and different.", "new")
    second = served.http.get("/api/statements", params={"limit": 3, "cursor": first["next"]}).json()
    texts = [one["text"] for one in (*first["statements"], *second["statements"])]
    assert texts == [f"Statement {number} is about {number * 7}." for number in reversed(range(6))]
    assert second["next"] is None


def test_versions_come_with_what_they_changed(served: Served) -> None:
    for days in (7, 9):
        served.http.put("/api/documents", json={"source": "a/refunds.md", "text": f"Refunds take {days} days."})
    told = served.http.get("/api/documents/a/refunds.md/versions").json()
    assert [one["number"] for one in told["versions"]] == [2, 1]
    assert told["versions"][0]["lines"][-2:] == ["-Refunds take 7 days.", "+Refunds take 9 days."]
    assert told["versions"][1]["lines"] == []


def test_the_seeds_routes_have_the_seeds_fields(served: Served) -> None:
    stats = served.http.get("/api/evolution/stats").json()
    assert stats == {
        "success": True,
        "stats": {
            "feedback": {"total": 0, "good": 0, "bad": 0, "pendingBad": 0},
            "evolution": {
                "eligibleDocuments": 0,
                "eligibleDocumentIds": [],
                "totalEvolutions": 0,
                "successfulEvolutions": 0,
                "threshold": 3,
            },
            "documents": {"total": 0},
        },
    }
    assert served.http.get("/api/evolution/history").json() == {"success": True, "history": []}
    run = served.http.post("/api/evolution/run", json={})
    assert run.json() == {"success": True, "message": "Evolution completed. Processed 0 documents", "jobs": []}
    assert served.http.get("/api/evolution/history", params={"documentId": "nothing"}).status_code == 404


def test_every_operation_is_described_with_an_example(served: Served) -> None:
    for method, path, said in served.operations():
        assert said["summary"], path
        assert said["description"].endswith("."), path
        if path.startswith("/api") and "/keys" not in path:
            done = next(told for status, told in said["responses"].items() if status.startswith("2"))
            content = done.get("content", {})  # nothing is said of what is deleted, nor of a stream
            assert "application/json" not in content or "example" in content["application/json"], (method, path)
            assert {"401", "403", "404", "409", "422", "429"} <= said["responses"].keys(), path
