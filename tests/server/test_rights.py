"""Deny by default: every route × scope × another namespace's ids."""

from __future__ import annotations

import json
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from evolore.server.house import Rate
from evolore.server.keys import Scope, revoke_key
from evolore.store.service import AuditEntry
from laws import tried

if TYPE_CHECKING:
    from server.serving import Served

READ, WRITE, RATE, REVIEW, ADMIN = Scope.READ, Scope.WRITE, Scope.RATE, Scope.REVIEW, Scope.ADMIN
LOOK = frozenset({READ, REVIEW})
SECRET = "kumquat-vault"
"""The other namespace; neither its name nor its texts may be in any answer."""

ALLOWED: dict[str, frozenset[Scope]] = {
    "PUT /api/documents": frozenset({WRITE}),
    "POST /api/documents": frozenset({WRITE}),
    "GET /api/documents": LOOK,
    "GET /api/documents/{document}": frozenset({READ}),
    "GET /api/documents/{document}/versions": LOOK,
    "GET /api/documents/{document}/outline": LOOK,
    "GET /api/documents/{document}/generations": LOOK,
    "GET /api/documents/{document}/patch": frozenset({REVIEW}),
    "GET /api/feedback": LOOK,
    "POST /api/statements": frozenset({WRITE}),
    "GET /api/statements": frozenset({READ}),
    "GET /api/items/{item_id}": LOOK,
    "GET /api/items/{item_id}/history": LOOK,
    "POST /api/items/{item_id}/correct": frozenset({WRITE}),
    "DELETE /api/items/{item_id}": frozenset(),
    "POST /api/forget": frozenset(),
    "POST /api/expire": frozenset(),
    "GET /api/subject": frozenset(),
    "GET /api/events": LOOK,
    "POST /api/events/{event_id}/undo": frozenset({REVIEW}),
    "POST /api/maintain": frozenset(),
    "GET /api/profile": frozenset({READ}),
    "GET /api/stats": LOOK,
    "POST /api/recall": frozenset({READ}),
    "GET /api/questions": frozenset({READ}),
    "GET /api/questions/{query_id}": frozenset({READ}),
    "POST /api/answers": frozenset({READ}),
    "POST /api/answers/recorded": frozenset({WRITE}),
    "POST /api/ratings/{item_id}": frozenset({RATE}),
    "GET /api/review": LOOK,
    "POST /api/review": frozenset({REVIEW}),
    "GET /api/review/{item_id}": LOOK,
    "GET /api/review/{item_id}/conflict": LOOK,
    "POST /api/review/{item_id}/resolve": frozenset({REVIEW}),
    "POST /api/review/{item_id}/reopen": frozenset({REVIEW}),
    "POST /api/documents/{document}/verify": frozenset({WRITE}),
    "POST /api/review/{item_id}/settle": frozenset({REVIEW}),
    "POST /api/evolve": frozenset({REVIEW}),
    "POST /api/evolution/run": frozenset({REVIEW}),
    "GET /api/evolution/stats": LOOK,
    "GET /api/evolution/history": LOOK,
    "GET /api/evolution/candidates": LOOK,
    "GET /api/evolution/effects": LOOK,
    "GET /api/evolution/jobs": LOOK,
    "GET /api/evolution/jobs/{job_id}": LOOK,
    "GET /api/evolution/jobs/{job_id}/diff": LOOK,
    "POST /api/evolution/jobs/{job_id}/approve": frozenset({REVIEW}),
    "POST /api/evolution/jobs/{job_id}/reject": frozenset({REVIEW}),
    "POST /api/evolution/promotions/{promotion_id}/rollback": frozenset({REVIEW}),
    "GET /api/evolution/gaps": LOOK,
    "GET /api/evolution/gaps/{gap_id}": LOOK,
    "POST /api/evolution/gaps/{gap_id}/take": frozenset({REVIEW}),
    "POST /api/evolution/gaps/{gap_id}/close": frozenset({REVIEW}),
    "GET /api/evolution/canaries": LOOK,
    "GET /api/evolution/canaries/{promotion_id}": LOOK,
    "POST /api/evolution/canaries/{promotion_id}/grow": frozenset({REVIEW}),
    "GET /api/pages": frozenset({READ}),
    "POST /api/pages": frozenset({WRITE}),
    "GET /api/pages/{page_id}": frozenset({READ}),
    "POST /api/pages/{page_id}/rebuild": frozenset({WRITE}),
    "DELETE /api/pages/{page_id}": frozenset({WRITE}),
    "GET /api/namespaces": LOOK,
    "GET /api/keys": frozenset(),
    "POST /api/keys": frozenset(),
    "DELETE /api/keys/{key_id}": frozenset(),
    "POST /v1/chat/completions": frozenset(),  # needs the rights to read and to write, both
    "GET /v1/models": frozenset({READ}),
}
"""Which scopes open an operation, beside ``ADMIN``; an operation that is not here is refused by the test below."""

OPEN = {"GET /healthz", "GET /readyz"}
OTHERS: tuple[str, ...] = ("/api/jobs", "/api/schedules", "/api/targets", "/api/notifications", "/admin", "/metrics")
"""What other parts of the server answer, and test."""

BODIES: dict[str, dict[str, Any]] = {
    "PUT /api/documents": {"json": {"source": "x.md", "text": "One more."}},
    "POST /api/documents": {"files": {"file": ("y.txt", b"Another one.")}},
    "POST /api/statements": {"json": {"statements": [{"text": "Something else."}]}},
    "POST /api/forget": {"json": {"speaker": "nobody", "dry_run": True}},
    "POST /api/expire": {"json": {"older_than_days": 1000, "dry_run": True}},
    "GET /api/subject": {"params": {"speaker": "nobody"}},
    "POST /api/recall": {"json": {"question": "Where is the kumquat?"}},
    "POST /api/answers": {"json": {"question": "Where is the kumquat?"}},
    "POST /api/answers/recorded": {"json": {"question": "Where?", "text": "There."}},
    "POST /api/ratings/{item_id}": {"json": {"rating": "good"}},
    "POST /api/review": {"json": {"text": "Look at this."}},
    "POST /api/pages": {"json": {"question": "Who is there?"}},
    "POST /api/review/{item_id}/settle": {"json": {"keep": "newer"}},
    "POST /api/evolve": {"json": {}},
    "POST /api/evolution/jobs/{job_id}/approve": {"json": {}, "headers": {"If-Match": "*"}},
    "POST /api/evolution/jobs/{job_id}/reject": {"json": {"reason": "no"}},
    "POST /api/evolution/gaps/{gap_id}/close": {"json": {"reason": "no"}},
    "POST /api/evolution/promotions/{promotion_id}/rollback": {"json": {"reason": "no"}},
    "POST /api/keys": {"json": {"label": "a bot", "scopes": ["read"]}},
}


def operations(served: Served) -> list[str]:
    named = [f"{method} {path}" for method, path, _ in served.operations()]
    return [name for name in named if name not in OPEN and not name.split(" ")[1].startswith(OTHERS)]


def ask(served: Served, name: str, headers: dict[str, str], *, id_: str = "nothing") -> Any:  # noqa: ANN401 - a response
    method, path = name.split(" ")
    for part in ("{document}", "{item_id}", "{event_id}", "{query_id}", "{job_id}", "{promotion_id}", "{key_id}"):
        path = path.replace(part, id_)
    body = BODIES.get(name, {})
    told: dict[str, Any] = {**body, "headers": {**headers, **body.get("headers", {})}}
    return served.http.request(method, path, **told)


def test_every_operation_says_who_may_ask(served: Served) -> None:
    assert sorted(operations(served)) == sorted(ALLOWED)


@pytest.mark.parametrize("scope", [READ, WRITE, RATE, REVIEW])
def test_a_scope_opens_its_operations_and_no_others(served: Served, scope: Scope) -> None:
    headers, _ = served.key(scope)
    for name, scopes in ALLOWED.items():
        status = ask(served, name, headers).status_code
        assert (status != 403) == (scope in scopes), (name, status)
        assert status < 500 or status == 501, (name, status)


def test_without_a_key_nothing_opens_once_there_is_one(served: Served) -> None:
    served.key(ADMIN)
    served.house._refusals = Rate("1000/minute")
    for name in ALLOWED:
        came = ask(served, name, {})
        assert came.status_code == 401, name
        assert came.headers["www-authenticate"] == "Bearer"
        assert ask(served, name, {"Authorization": "Bearer evo_wrong"}).status_code == 401
    assert all(served.http.get(name.split(" ")[1]).status_code == 200 for name in OPEN)


def test_another_namespace_is_found_in_no_answer(served: Served) -> None:
    ids = fill(served)
    headers, _ = served.key(READ, WRITE, RATE, REVIEW, ADMIN, namespaces=["mine"])
    step = tried(2, long=1)
    for at, name in enumerate(ALLOWED):
        for id_ in ids[at % step :: step] if "{" in name else ids[:1]:
            came = ask(served, name, headers, id_=id_)
            told = came.text.replace(json.dumps("Where is the kumquat?"), "")
            assert "kumquat" not in told, (name, told)
            if "{" in name:
                assert came.status_code in {404, 409, 422}, (name, came.status_code, told)


def test_a_key_may_not_enter_another_namespace(served: Served) -> None:
    fill(served)
    headers, _ = served.key(ADMIN, namespaces=["mine"])
    there = {**headers, "Evolore-Namespace": SECRET}
    nowhere = {**headers, "Evolore-Namespace": "never-heard-of"}
    for name in ALLOWED:
        refused, unknown = ask(served, name, there), ask(served, name, nowhere)
        assert refused.status_code == 403, name
        assert refused.json() == unknown.json(), "who may not enter cannot tell whether it is there"
        assert SECRET not in refused.text


def unlike(id_: str) -> str:
    """Give an id of the same form that names nothing: its last signs differ."""
    return id_[:-6] + ("zzzzzy" if id_.endswith("zzzzzz") else "zzzzzz")


def test_an_id_of_elsewhere_is_answered_like_one_that_names_nothing(served: Served) -> None:
    ids = fill(served)
    headers, _ = served.key(READ, WRITE, RATE, REVIEW, ADMIN, namespaces=["mine"])
    step = tried(4, long=1)  # of ids, a quarter in turn at each operation
    for at, name in enumerate(one for one in ALLOWED if "{" in one):
        for id_ in (*ids, *(one[:10] for one in ids))[at % step :: step]:
            there, nowhere = (ask(served, name, headers, id_=one) for one in (id_, unlike(id_)))
            assert there.status_code == nowhere.status_code, (name, id_)
            assert there.text.replace(id_, "ID") == nowhere.text.replace(unlike(id_), "ID"), (name, id_)


def test_what_is_remembered_elsewhere_moves_no_score(served: Served) -> None:
    headers, _ = served.key(READ, WRITE, namespaces=["mine"])
    said = {"statements": [{"text": f"The kumquat number {number} is ripe."} for number in range(6)]}
    served.http.post("/api/statements", headers=headers, json=said)

    def scores() -> list[tuple[str, float]]:
        asked = {"question": "Which kumquat is ripe?", "record": False}
        hits = served.http.post("/api/recall", headers=headers, json=asked).json()["hits"]
        return [(hit["episode"]["text"], hit["score"]) for hit in hits]

    before = scores()
    every, _ = served.key(ADMIN)
    for number in range(20):
        there = {"statements": [{"text": f"A ripe kumquat of elsewhere, number {number}."}]}
        served.http.post("/api/statements", headers={**every, "Evolore-Namespace": SECRET}, json=there)
    assert scores() == before != []


def test_looking_for_an_id_of_elsewhere_takes_as_long_as_for_one_that_names_nothing(served: Served) -> None:
    # Coarse: the least of many, in turns, may differ by half. A read of what lies elsewhere would show as several times.
    id_ = fill(served)[0]
    headers, _ = served.key(READ, namespaces=["mine"])

    def seconds(one: str) -> float:
        began = time.process_time()  # what other processes take does not count
        served.http.get(f"/api/items/{one}", headers=headers)
        return time.process_time() - began

    took = [(seconds(id_), seconds(unlike(id_))) for _ in range(40)]
    assert min(there for there, _ in took) < 1.5 * min(nowhere for _, nowhere in took) + 0.001


def test_a_bound_key_makes_no_key_for_elsewhere(served: Served) -> None:
    headers, id_ = served.key(ADMIN, namespaces=["mine"])
    _, other = served.key(READ, namespaces=[SECRET], label="kumquat reader")
    made = served.http.post(
        "/api/keys", headers=headers, json={"label": "x", "scopes": ["read"], "namespaces": [SECRET]}
    )
    assert made.status_code == 403
    assert served.http.delete(f"/api/keys/{other}", headers=headers).status_code == 404
    own = served.http.post("/api/keys", headers=headers, json={"label": "x", "scopes": ["read"]}).json()
    assert own["namespaces"] == ["mine"]
    listed = served.http.get("/api/keys", headers=headers).json()["keys"]
    assert {one["id"] for one in listed} == {id_, own["id"]}


def test_only_namespaces_that_may_be_entered_are_listed(served: Served) -> None:
    fill(served)
    bound, _ = served.key(READ, namespaces=["mine", "not-there-yet"])
    free, _ = served.key(READ)
    assert served.http.get("/api/namespaces", headers=bound).json() == {"namespaces": ["mine"]}
    assert served.http.get("/api/namespaces", headers=free).json() == {"namespaces": [SECRET, "mine"]}


def test_a_key_that_ended_or_was_taken_back_opens_nothing(served: Served) -> None:
    ends = served.house.now() + timedelta(seconds=30)
    headers, _ = served.key(READ, expires_at=ends)
    assert served.http.get("/api/stats", headers=headers).status_code == 200
    served.house.now = lambda: ends
    assert served.http.get("/api/stats", headers=headers).status_code == 401
    headers, id_ = served.key(READ)
    assert served.http.get("/api/stats", headers=headers).status_code == 200
    revoke_key(served.house.service, id_, at=served.house.now())
    assert served.http.get("/api/stats", headers=headers).status_code == 401


def test_the_last_key_that_administers_is_taken_back_only_by_force(served: Served) -> None:
    headers, id_ = served.key(ADMIN)
    served.key(READ)
    served.key(ADMIN, namespaces=["mine"])
    _, ended = served.key(ADMIN, expires_at=served.house.now() + timedelta(seconds=30))
    now = served.house.now
    served.house.now = lambda: now() + timedelta(seconds=31)
    refused = served.http.delete(f"/api/keys/{id_}", headers=headers)
    assert refused.status_code == 422
    assert "force" in refused.json()["detail"]
    assert served.http.delete(f"/api/keys/{ended}", headers=headers).status_code == 200
    assert served.http.get("/api/stats", headers=headers).status_code == 200
    other, last = served.key(ADMIN)
    assert served.http.delete(f"/api/keys/{id_}", headers=headers).status_code == 200, "another administers"
    assert served.http.delete(f"/api/keys/{last}?force=true", headers=other).status_code == 200
    assert served.http.get("/api/stats", headers=other).status_code == 401


def test_a_key_that_asks_too_often_is_told_to_wait(served: Served) -> None:
    served.house._asks = Rate("3/minute")
    headers, _ = served.key(READ)
    statuses = [served.http.get("/api/stats", headers=headers).status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    last = served.http.get("/api/stats", headers=headers)
    assert 1 <= int(last.headers["retry-after"]) <= 60
    other, _ = served.key(READ)
    assert served.http.get("/api/stats", headers=other).status_code == 200


def test_what_is_refused_is_written_down_without_names(served: Served) -> None:
    headers, id_ = served.key(READ)
    ask(served, "DELETE /api/items/{item_id}", headers, id_="somebodys-secret.md")
    served.house.notes.write()
    (entry,) = served.house.service.find(AuditEntry, key_id=id_)
    assert (entry.status, entry.act) == (403, "DELETE /api/items/{item_id}")


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "rebound.example"},
        {"Host": "localhost.rebound.example:8765"},
        {"Origin": "https://other.example"},
        {"Origin": "null"},
    ],
)
def test_without_keys_no_other_site_is_served(served: Served, headers: dict[str, str]) -> None:
    assert served.http.get("/api/stats").status_code == 200
    assert served.http.get("/api/stats", headers={"Origin": "http://127.0.0.1:8765"}).status_code == 200
    assert served.http.get("/api/stats", headers=headers).status_code == 403
    key, _ = served.key(READ)
    assert served.http.get("/api/stats", headers={**headers, **key}).status_code == 200


def fill(served: Served) -> list[str]:
    """Write into a namespace that is nobody's business, and into one's own; give ids of the first."""
    there = {"Evolore-Namespace": SECRET}
    http = served.http
    served.http.post(
        "/api/statements", json={"statements": [{"text": "We met at noon."}]}, headers={"Evolore-Namespace": "mine"}
    )
    document = http.put("/api/documents", json={"source": "kumquat.md", "text": "The kumquat is here."}, headers=there)
    said = http.post("/api/statements", json={"statements": [{"text": "The kumquat is ripe."}]}, headers=there)
    answer = http.post("/api/answers", json={"question": "Where is the kumquat?"}, headers=there)
    item = http.post("/api/review", json={"text": "Whose kumquat?"}, headers=there)
    event = http.get("/api/events", headers=there).json()["events"][0]
    return [
        document.json()["id"],
        said.json()["episodes"][0]["id"],
        answer.json()["id"],
        answer.json()["query_id"],
        item.json()["id"],
        event["id"],
    ]
