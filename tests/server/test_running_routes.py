from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from evolore.server.app import create_app
from evolore.server.keys import Scope, make_key
from evolore.server.observation import LogForm
from evolore.server.reach import Reach
from evolore.store.service import BackgroundJob
from serving.memories import NOW, until
from serving.receiver import Received

ADDRESS = "http://localhost"

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.server.memories import Memories
    from server.serving import Served

SECRET = "a secret of twenty-six char"


@pytest.fixture
def client(memories: Memories) -> Iterator[TestClient]:
    with TestClient(create_app(memories, reach=Reach(private_webhooks=True)), base_url=ADDRESS) as asked:
        yield asked


def bearing(memories: Memories, *scopes: str, namespaces: tuple[str, ...] = ()) -> dict[str, str]:
    secret, _ = make_key(
        memories.service, id_=memories.new_id(NOW), label="somebody", scopes=scopes, namespaces=namespaces, at=NOW
    )
    return {"Authorization": f"Bearer {secret}"}


def test_a_job_is_begun_followed_and_shown(client: TestClient, memories: Memories) -> None:
    memories.of("default").remember("The shelf holds nine boxes.")
    begun = client.post("/api/jobs", json={"kind": "maintain", "items": 10})
    assert begun.status_code == 202
    where = begun.headers["location"]
    with client.stream("GET", f"{where}/log") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = "".join(stream.iter_text()).strip().split("\n\n")
    assert events[0].startswith("id: 1\nevent: line\ndata: {")
    assert events[-1].startswith("event: end\ndata: ")
    ended: dict[str, Any] = json.loads(events[-1].removeprefix("event: end\ndata: "))
    assert (ended["state"], ended["result"]["remaining"]) == ("done", 0)
    with client.stream("GET", f"{where}/log", headers={"Last-Event-ID": "1"}) as stream:
        assert "Begun, try 1." not in "".join(stream.iter_text())
    shown = client.get(where).json()
    assert next(one["text"] for one in shown["lines"]) == "Begun, try 1."
    assert client.get(where, params={"after": 1}).json()["lines"][0]["number"] == 2
    listed = client.get("/api/jobs", params={"state": "done", "kind": "maintain"}).json()
    assert [one["id"] for one in listed["jobs"]] == [shown["id"]]
    assert client.post(f"{where}/cancel").json()["state"] == "done"


def test_jobs_come_in_pages(memories: Memories) -> None:
    client = TestClient(create_app(memories), base_url=ADDRESS)  # nothing runs: nobody started it
    ids = [client.post("/api/jobs", json={"kind": "evolve", "documents": [one]}).json()["id"] for one in "abc"]
    first = client.get("/api/jobs", params={"limit": 2}).json()
    rest = client.get("/api/jobs", params={"limit": 2, "after": first["next"]}).json()
    assert [one["id"] for one in first["jobs"] + rest["jobs"]] == ids[::-1]
    assert rest["next"] is None
    assert client.post(f"/api/jobs/{ids[0]}/cancel").json()["state"] == "cancelled"


@pytest.mark.parametrize(
    ("route", "body"),
    [
        ("/api/jobs", {"kind": "bake"}),
        ("/api/jobs", {"kind": "add"}),
        ("/api/jobs", {"kind": "maintain", "documents": ["a"]}),
        ("/api/jobs", {"kind": "maintain", "items": 0}),
        ("/api/schedules", {"kind": "maintain", "cron": "nonsense"}),
        ("/api/schedules", {"kind": "maintain", "cron": "* * * * *", "zone": "Mars"}),
        ("/api/notifications/targets", {"kind": "webhook", "address": "file:///etc/passwd"}),
        ("/api/notifications/targets", {"kind": "webhook", "address": "https://a.example", "events": ["rain"]}),
    ],
)
def test_wrong_input_is_told(client: TestClient, route: str, body: dict[str, object]) -> None:
    answer = client.post(route, json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")


def test_a_stream_asked_for_from_nowhere_is_refused(client: TestClient) -> None:
    assert client.get("/api/jobs/nothing/log").status_code == 404
    job = client.post("/api/jobs", json={"kind": "maintain"}).json()["id"]
    assert client.get(f"/api/jobs/{job}/log", headers={"Last-Event-ID": "x"}).status_code == 422


def test_a_schedule_lives(client: TestClient, memories: Memories) -> None:
    made = client.post("/api/schedules", json={"kind": "maintain", "cron": "0 3 * * *", "zone": "Asia/Tokyo"})
    assert made.status_code == 201
    where = f"/api/schedules/{made.json()['id']}"
    assert len(made.json()["next_runs"]) == 5
    assert (
        client.get("/api/schedules/next", params={"cron": "0 3 * * *"})
        .json()["next_runs"][0]
        .endswith("03:00:00+00:00")
    )
    assert client.patch(where, json={"cron": "0 4 * * *"}).json()["cron"] == "0 4 * * *"
    assert client.post(f"{where}/pause").json()["next_runs"] == []
    assert client.get(where).json()["is_paused"] is True
    assert client.post(f"{where}/resume").json()["is_paused"] is False
    assert client.post(f"{where}/run").status_code == 202
    assert memories.service.count(BackgroundJob) == 1
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404
    assert client.get("/api/schedules").json() == {"schedules": []}


def test_a_target_lives_and_gives_no_secret_back(client: TestClient, hook: Received) -> None:
    new = {"kind": "webhook", "address": f"{hook.address}/in/token"}
    made = client.post("/api/notifications/targets", json=new)
    assert made.status_code == 201
    secret = made.json()["secret"]
    where = f"/api/notifications/targets/{made.json()['id']}"
    tested = client.post(f"{where}/test").json()
    assert (tested["state"], tested["error"]) == ("done", None)
    assert hook.told()[0]["event"] == "test"
    changed = client.patch(where, json={"language": "ja", "events": ["approved"]}).json()
    assert (changed["language"], changed["events"]) == ("ja", ["approved"])
    texts = [client.get(one).text for one in (where, "/api/notifications/targets", "/api/notifications/messages")]
    assert not any(secret in one or "in/token" in one for one in texts)
    assert json.loads(texts[2])["messages"][0]["event"] == "test"
    assert client.delete(where).status_code == 204
    assert client.get(where).status_code == 404
    own = client.post("/api/notifications/targets", json={**new, "secret": SECRET})
    assert "secret" not in own.json()


WRITES = (
    ("POST", "/api/jobs", {"kind": "maintain"}),
    ("POST", "/api/jobs/{job}/cancel", None),
    ("POST", "/api/schedules", {"kind": "maintain", "cron": "* * * * *"}),
    ("PATCH", "/api/schedules/{schedule}", {"cron": "1 * * * *"}),
    ("POST", "/api/schedules/{schedule}/pause", None),
    ("POST", "/api/schedules/{schedule}/resume", None),
    ("POST", "/api/schedules/{schedule}/run", None),
    ("DELETE", "/api/schedules/{schedule}", None),
    ("GET", "/api/notifications/targets", None),
    ("POST", "/api/notifications/targets", {"kind": "webhook", "address": "https://a.example"}),
    ("GET", "/api/notifications/targets/{target}", None),
    ("PATCH", "/api/notifications/targets/{target}", {"language": "ja"}),
    ("POST", "/api/notifications/targets/{target}/test", None),
    ("DELETE", "/api/notifications/targets/{target}", None),
    ("GET", "/api/notifications/messages", None),
)
READS = ("/api/jobs/{job}", "/api/jobs/{job}/log", "/api/schedules/{schedule}")


def filled(client: TestClient, admin: dict[str, str], namespace: str) -> dict[str, str]:
    """Make one of each in a namespace, and give the ids."""
    headers = {**admin, "Evolore-Namespace": namespace}
    hidden = {"kind": "webhook", "address": "https://a.example"}
    return {
        "job": client.post("/api/jobs", json={"kind": "evolve"}, headers=headers).json()["id"],
        "schedule": client.post(
            "/api/schedules", json={"kind": "maintain", "cron": "0 3 * * *"}, headers=headers
        ).json()["id"],
        "target": client.post("/api/notifications/targets", json=hidden, headers=headers).json()["id"],
    }


def test_only_admins_write_and_readers_read(memories: Memories) -> None:
    client = TestClient(create_app(memories), base_url=ADDRESS)
    admin, reader, other = (bearing(memories, one) for one in ("admin", "read", "rate"))
    ids = filled(client, admin, "default")
    for method, route, body in WRITES:
        for key, status in (({}, 401), (reader, 403), (other, 403)):
            answer = client.request(method, route.format(**ids), json=body, headers=key)
            assert answer.status_code == status, (method, route)
    for route in ("/api/jobs", "/api/schedules", *READS[::2]):
        assert client.get(route.format(**ids), headers=reader).status_code == 200
        assert client.get(route.format(**ids), headers=other).status_code == 403


def test_what_is_of_another_namespace_is_not_there(memories: Memories) -> None:
    client = TestClient(create_app(memories), base_url=ADDRESS)
    ids = filled(client, bearing(memories, "admin"), "hidden-one")
    bound = bearing(memories, "admin", namespaces=("own",))
    asked = [(method, route, body) for method, route, body in WRITES if "{" in route]
    for method, route, body in (*asked, *(("GET", route, None) for route in READS)):
        answer = client.request(method, route.format(**ids), json=body, headers=bound)
        assert answer.status_code == 404, (method, route)
        assert "hidden-one" not in answer.text
    for route in ("/api/jobs", "/api/schedules", "/api/notifications/targets", "/api/notifications/messages"):
        assert not any(one in client.get(route, headers=bound).text for one in (*ids.values(), "hidden-one"))


@pytest.mark.parametrize("body", [{"kind": "add", "path": "/"}, {"kind": "reembed", "embedder": "use"}])
def test_a_bound_key_reads_no_file_and_changes_no_store(memories: Memories, body: dict[str, str]) -> None:
    client = TestClient(create_app(memories, reach=Reach(add_from=(Path("/"),))), base_url=ADDRESS)
    bound = bearing(memories, "admin", namespaces=("own",))
    assert client.post("/api/jobs", json=body, headers=bound).status_code == 403
    assert client.post("/api/schedules", json={**body, "cron": "* * * * *"}, headers=bound).status_code == 403
    assert client.post("/api/jobs", json=body, headers=bearing(memories, "admin")).status_code == 202


def test_metrics_count_routes_and_jobs(memories: Memories) -> None:
    app = create_app(memories)
    here = TestClient(app, client=("127.0.0.1", 1), base_url=ADDRESS)
    here.get("/api/jobs/secret-name")
    here.get("/secret-path")
    here.post("/api/jobs", json={"kind": "maintain"})
    told = here.get("/metrics").text
    assert 'evolore_requests_total{method="GET",route="/api/jobs/{job_id}",status="404"} 1.0' in told
    assert 'evolore_jobs{state="waiting"} 1.0' in told
    assert 'evolore_messages{state="failed"} 0.0' in told
    assert "evolore_request_seconds_bucket" in told
    assert "secret" not in told


def test_metrics_are_for_who_names_this_machine(served: Served) -> None:
    here = TestClient(served.app, base_url="http://localhost", client=("127.0.0.1", 5))
    for status in (403, 401):
        assert here.get("/metrics", headers={"Host": "rebound.example"}).status_code == status
        assert here.get("/metrics").status_code == 200
        served.key(Scope.ADMIN)


@pytest.mark.parametrize("path", ["/api/stats/", "/admin/", "/healthz/", "/metrics/", "/mcp/"])
def test_no_address_leads_to_another_host(served: Served, path: str) -> None:
    reply = served.http.get(path, headers={"Host": "other.example"}, follow_redirects=False)
    assert "other.example" not in reply.headers.get("location", "")
    assert reply.status_code in {401, 403, 404}


def test_metrics_are_for_this_machine_or_an_admin(memories: Memories) -> None:
    app = create_app(memories)
    away, here = (
        TestClient(app, client=("192.0.2.1", 1), base_url=ADDRESS),
        TestClient(app, client=("::1", 1), base_url=ADDRESS),
    )
    assert away.get("/metrics").status_code == 403
    assert here.get("/metrics", headers={"X-Forwarded-For": "192.0.2.1"}).status_code == 403
    bound, reader, admin = (
        bearing(memories, "admin", namespaces=("own",)),
        bearing(memories, "read"),
        bearing(memories, "admin"),
    )
    app.state.house.keys_changed()
    answers = [away.get("/metrics", headers=one).status_code for one in ({}, bound, reader, admin)]
    assert answers == [401, 403, 403, 200]
    assert here.get("/metrics").status_code == 200


def test_the_log_holds_no_secret_and_no_text(memories: Memories, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    client = TestClient(create_app(memories, log=LogForm.JSON), base_url=ADDRESS)
    key = bearing(memories, "admin")
    client.post("/api/recall", json={"question": "where is the treasure?"}, headers=key)
    client.get("/api/items/treasure-map?x=treasure", headers=key)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(one["route"], one["method"]) for one in lines] == [
        ("/api/recall", "POST"),
        ("/api/items/{item_id}", "GET"),
    ]
    assert all(one["key"] for one in lines)
    assert set(lines[0]) == {"event", "timestamp", "method", "route", "status", "ms", "key"}
    assert "treasure" not in stream.getvalue()
    assert key["Authorization"].split()[1] not in stream.getvalue()


def test_streams_end_when_the_server_stops(memories: Memories) -> None:
    app = create_app(memories)
    client = TestClient(app, base_url=ADDRESS)
    job = client.post("/api/jobs", json={"kind": "maintain"}).json()["id"]
    app.state.house.background.stop_soon()
    with client.stream("GET", f"/api/jobs/{job}/log") as stream:
        assert list(stream.iter_text()) == []


def test_work_in_the_background_ends_with_the_server(memories: Memories) -> None:
    app = create_app(memories, reach=Reach(add_from=(Path("/"),)))
    with TestClient(app, base_url=ADDRESS) as client:
        client.post("/api/jobs", json={"kind": "add", "path": "nowhere"})
        until(lambda: memories.service.count(BackgroundJob, state="failed"))
    assert app.state.house.background.is_stopping


def test_replies_that_are_no_results_have_the_fields_that_the_api_describes(served: Served, hook: Received) -> None:
    header, key = served.key(Scope.ADMIN)
    body = {"kind": "maintain", "cron": "0 3 * * *"}
    target = {"kind": "webhook", "address": hook.address, "events": ["needs_person"]}
    made = {
        ("/api/schedules", "post"): served.http.post("/api/schedules", json=body, headers=header),
        ("/api/jobs", "post"): served.http.post("/api/jobs", json={"kind": "maintain"}, headers=header),
        ("/api/notifications/targets", "post"): served.http.post(
            "/api/notifications/targets", json=target, headers=header
        ),
        ("/api/keys", "post"): served.http.post("/api/keys", json={"label": "b", "scopes": ["read"]}, headers=header),
    }
    id_ = made["/api/notifications/targets", "post"].json()["id"]
    test = "/api/notifications/targets/{target_id}/test"
    made[test, "post"] = served.http.post(test.format(target_id=id_), headers=header)
    made["/api/keys/{key_id}", "delete"] = served.http.delete(f"/api/keys/{key}?force=true", headers=header)
    said = served.http.get("/api/openapi.json").json()["paths"]
    for (path, method), response in made.items():
        content = said[path][method]["responses"][str(response.status_code)]["content"]["application/json"]
        assert response.json().keys() == content["schema"]["properties"].keys(), path


def test_every_reply_in_json_is_described_by_its_fields(served: Served) -> None:
    document = served.http.get("/api/openapi.json").json()
    told = [
        content["schema"]
        for _, _, said in served.operations()
        for status, response in said["responses"].items()
        if status.startswith("2") and (content := response.get("content", {}).get("application/json"))
    ]
    assert len(told) >= 70
    assert [
        one for one in told if not one.keys() & {"$ref", "anyOf", "allOf", "properties", "additionalProperties"}
    ] == []
    assert {"Document", "Recall", "Answer", "Episode", "EvolutionJob"} <= document["components"]["schemas"].keys()
