"""What pages do: jobs, schedules and notifications are begun, changed and refused by forms; one slice from rating to effect."""

from __future__ import annotations

import csv
import html
import io
import re
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pytest
from fastapi.testclient import TestClient

from evolore.domain.evolution import JobState
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.house import House
from evolore.server.keys import Scope
from evolore.server.memories import Memories
from evolore.server.reach import Reach
from evolore.store.service import (
    CANCELLED,
    DONE,
    FAILED,
    WAITING,
    AuditEntry,
    BackgroundJob,
    Outgoing,
    Receiver,
    Schedule,
)
from evolving.complaints import NEWS, TEXT
from evolving.scripted import NEW, OLD, ScriptedEditor
from server.test_pages import key_with, log_in, sent
from serving.memories import Hands
from serving.receiver import Received

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from httpx2 import Response

ADDRESS = "http://127.0.0.1"
PEOPLE = ("ann", "ben", "cy")


@contextmanager
def still(folder: Path, hands: Hands) -> Generator[tuple[TestClient, House]]:
    """Serve a store with a clock that is moved, where nothing runs by itself: a test takes each step."""
    memories = Memories(folder / "store", embedder=HashingEmbedder(), chat_model=ScriptedEditor(), clock=hands)
    app = create_app(memories, address=ADDRESS)
    app.state.house = house = House(memories, now=hands, address=ADDRESS, reach=Reach(private_webhooks=True))
    try:
        yield TestClient(app, base_url=ADDRESS, follow_redirects=False), house
    finally:
        memories.close()


@pytest.fixture
def hands() -> Hands:
    return Hands(datetime(2026, 6, 2, 2, 30, tzinfo=UTC))


def went(answer: Response) -> str:
    """Give where a form led, below ``/admin``, without what was said."""
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/admin").partition("?")[0]


def test_from_a_bad_rating_to_its_effect(tmp_path: Path, hands: Hands, hook: Received) -> None:
    with still(tmp_path, hands) as (client, house):
        _outdated(client, hands)
        made = sent(client, "/running/schedules", "/running/schedules", kind="evolve", cron="0 3 * * *", zone="UTC")
        assert made.status_code == 303
        told = sent(
            client,
            "/running/notifications",
            "/running/notifications",
            kind="webhook",
            address=hook.address,
            secret="a secret of twenty-six char",
            language="en",
        )
        assert told.status_code == 303
        assert house.schedules.tick() == ()
        hands.move(minutes=31)
        (begun,) = house.schedules.tick()
        ended = house.background.run_next()
        assert ended is not None
        assert (ended.id, ended.state, ended.error) == (begun.id, DONE, None)
        message = house.notifications.send_next()
        assert message is not None
        assert message.state == DONE
        (letter,) = hook.told()
        assert letter["event"] in {"candidate_ready", "needs_person"}
        link = letter["link"].removeprefix(ADDRESS)
        path = link.removeprefix("/admin").partition("?")[0]
        page = client.get(link)
        assert page.status_code == 200
        assert "10 business days" in page.text
        assert f'href="/admin{path}"' in client.get(f"/admin/running/jobs/{begun.id}").text
        hands.move(hours=1)
        assert went(sent(client, path, f"{path}/approve", reason="as the news says")) == path
        assert NEW in client.get("/api/documents/refunds.md").json()["text"]
        hands.move(hours=1)
        for who, rating in (("ann", "good"), ("ben", "good"), ("dee", "bad")):
            _rate(client, "refunds.md", rating, who)
        assert _shown_alike(client) == (1, 3, 0)
        hands.move(hours=1)
        promotion = client.get("/api/evolution/effects").json()["effects"][0]["promotion_id"]
        back = sent(client, path, f"{path}/rollback", promotion=promotion, reason="too early")
        assert went(back) == path
        assert OLD in client.get("/api/documents/refunds.md").json()["text"]
        assert _shown_alike(client) == (1, 3, 1)


def _outdated(client: TestClient, hands: Hands) -> None:
    """Three people rate the answers from a page BAD over HTTP, and a newer page says what holds."""
    page = {"source": "refunds.md", "text": TEXT, "media_type": "text/markdown"}
    assert client.put("/api/documents", json=page).status_code == 200
    for who in PEOPLE:
        hands.move(minutes=1)
        headers = {"Evolore-Principal": who}
        asked = {"question": f"how long do refunds take in case {who}?"}
        answer = client.post("/api/answers", json=asked, headers=headers).json()["id"]
        _rate(client, answer, "bad", who)
    hands.move(minutes=5)
    news = {"source": "news.md", "text": NEWS, "media_type": "text/markdown"}
    assert client.put("/api/documents", json=news).status_code == 200


def _rate(client: TestClient, item: str, rating: str, who: str) -> None:
    rated = client.post(f"/api/ratings/{item}", json={"rating": rating}, headers={"Evolore-Principal": who})
    assert rated.status_code == 201, rated.text


def _shown_alike(client: TestClient) -> tuple[int, int, int]:
    """Compare API, CSV and page digit by digit; give BAD and all ratings after the change, and rollbacks."""
    api = client.get("/api/evolution/effects").json()
    rows = list(csv.DictReader(io.StringIO(client.get("/admin/effects.csv").text)))
    page = html.unescape(client.get("/admin/effects").text)
    assert len(rows) == len(api["effects"]) == 1
    for row, one in zip(rows, api["effects"], strict=True):
        for name in ("operator", "model", "promoted_at", "source"):
            assert row[name] == one[name]
        assert row["rolled_back_at"] == one["rolled_back_at"]
        assert row["cost_micros"] == str(one["cost_micros"])
        (shown,) = re.findall(rf'<tr data-promotion="{one["promotion_id"]}">.*?</tr>', page, flags=re.DOTALL)
        assert f'title="{one["cost_micros"]}"' in shown
        for when in ("before", "after"):
            share = one[when]
            assert {name: row[f"{when}_{name}"] for name in share} == {name: str(each) for name, each in share.items()}
            assert f'title="{share["rate"]}"' in shown
            assert f'title="{share["low"]} – {share["high"]}"' in shown
    (operator,), (model,), (document,) = api["operators"], api["models"], api["documents"]
    assert operator["after"] == model["after"] == document["after"] == api["effects"][0]["after"]
    assert model["name"] == "scripted-editor-1"
    assert f'title="{operator["cost_micros_each"]}"' in page
    assert sum(one["approved"] for one in api["agreements"]) == 1
    assert sum(one["good"] + one["bad"] for one in api["weeks"]) == 6
    after = api["effects"][0]["after"]
    return after["count"], after["total"], api["rolled_back"]["count"]


def test_a_job_is_begun_cancelled_and_retried_by_forms(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        house.memories.of("default").remember("The shelf holds nine boxes.")
        path = went(sent(client, "/running", "/running/jobs", kind="maintain"))
        page = client.get(f"/admin{path}").text
        assert "data-follow" in page
        assert "job_log.js" in page
        assert went(sent(client, path, f"{path}/cancel")) == path
        id_ = path.rsplit("/", 1)[1]
        assert _job(house, id_).state == CANCELLED
        assert "data-follow" not in client.get(f"/admin{path}").text
        again = went(sent(client, path, f"{path}/retry"))
        assert again != path
        ended = house.background.run_next()
        assert ended is not None
        assert (ended.id, ended.state) == (again.rsplit("/", 1)[1], DONE)
        assert sent(client, "/ask", f"{again}/retry").status_code == 422
        assert sent(client, "/ask", f"{path}x/retry").status_code == 404
        acts = [one.act for one in house.service.find(AuditEntry)]
        assert "POST /admin/running/jobs" in acts
        assert "POST /admin/running/jobs/{job_id}/retry" in acts


def test_jobs_come_a_page_at_a_time_and_by_state(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        ids: list[str] = []
        for number in range(60):
            hands.move(seconds=1)
            ids.append(house.background.begin("evolve", "default", f"d{number}").id)
        house.background.cancel(ids[3], namespace="default")
        seen: list[str] = []
        path = "/admin/running"
        while path:
            page = client.get(path).text
            seen += re.findall(r'href="/admin/running/jobs/(\w+)"', page)
            following = re.search(r'rel="next" href="([^"]+)"', page)
            path = f"/admin/running{html.unescape(following[1])}" if following else ""
        assert seen == ids[::-1]
        cancelled = client.get("/admin/running?state=cancelled").text
        assert re.findall(r'href="/admin/running/jobs/(\w+)"', cancelled) == [ids[3]]
        assert client.get("/admin/running?state=baked").status_code == 422


def test_a_log_is_followed_with_progress_under_the_session(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        for number in range(3):
            house.memories.of("default").remember(f"The shelf {number} holds nine boxes.")
        job = house.background.begin("maintain", "default")
        house.background.run_next()
        log_in(client, key_with(client, Scope.READ)) if house.has_keys() else None
        with client.stream("GET", f"/admin/running/jobs/{job.id}/log?after=1") as stream:
            assert stream.headers["content-type"].startswith("text/event-stream")
            text = "".join(stream.iter_text())
        assert "Begun, try 1." not in text
        assert "event: end" in text
        wrong = client.get(f"/admin/running/jobs/{job.id}/log", headers={"Last-Event-ID": "x"})
        assert wrong.status_code == 422


def test_a_document_is_evolved_by_a_job_that_names_it(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        _outdated(client, hands)
        document = client.get("/api/documents").json()["documents"][0]["id"]
        path = went(sent(client, f"/documents/{document}", "/evolution/run", document=document))
        assert _job(house, path.rsplit("/", 1)[1]).subject == document
        assert sent(client, "/ask", "/evolution/run", document="nothing.md").status_code == 404
        ended = house.background.run_next()
        assert ended is not None
        (made,) = cast("list[dict[str, str]]", (ended.result or {})["jobs"])
        assert house.memories.of("default").evolution.show(made["id"]).state is JobState.WAITING


def test_a_schedule_is_tried_made_paused_run_and_deleted(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        where = "/running/schedules"
        fields = {"kind": "maintain", "cron": "0 4 * * *", "zone": "Asia/Tokyo"}
        tried = sent(client, where, where, **fields, preview="yes")
        assert (tried.status_code, house.service.count(Schedule)) == (200, 0)
        assert tried.text.count("2026-06-03 04:00") == 1
        assert went(sent(client, where, where, **fields)) == where
        (made,) = house.service.find(Schedule)
        page = client.get(f"/admin{where}").text
        assert [f"2026-06-0{day} 04:00" in page for day in range(3, 8)] == [True] * 5
        assert went(sent(client, where, f"{where}/{made.id}/pause")) == where
        assert house.service.find(Schedule)[0].is_paused
        assert went(sent(client, where, f"{where}/{made.id}/resume")) == where
        assert went(sent(client, where, f"{where}/{made.id}/run")).startswith("/running/jobs/")
        assert went(sent(client, where, f"{where}/{made.id}/delete")) == where
        assert house.service.count(Schedule) == 0


def test_the_maintenance_by_the_setting_is_shown_where_no_schedule_replaces_it(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        page = client.get("/admin/running/schedules").text
        assert "<code>0 3 * * *</code> <bdi>UTC</bdi> from the setting maintenance.schedule" in page
        assert "2026-06-03 03:00" in page
        assert "last" not in page.split("maintenance.schedule")[1].split("</li>")[0]
        assert client.get("/api/schedules").json()["schedules"] == []
        house.background.begin("maintain", "default")
        line = client.get("/admin/running/schedules").text.split("maintenance.schedule")[1].split("</li>")[0]
        assert "last" in line
        assert "<form" not in line, "it has no id to pause, run or delete"
        made = house.schedules.make("maintain", "default", cron="0 4 * * *")
        house.schedules.pause(made.id, namespace="default")
        assert not house.schedules.by_setting("default")
        assert house.schedules.by_setting("another")
        assert "maintenance.schedule" not in client.get("/admin/running/schedules").text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "maintain", "cron": "soon", "zone": "UTC"}, "is no cron line"),
        ({"kind": "maintain", "cron": "0 0 30 2 *", "zone": "UTC"}, "is no cron line"),
        ({"kind": "maintain", "cron": "0 3 * * *", "zone": "Mars/Base"}, "There is no time zone"),
        ({"kind": "bake", "cron": "0 3 * * *", "zone": "UTC"}, "bake"),
        ({"kind": "add", "cron": "0 3 * * *", "zone": "UTC"}, "needs"),
        ({}, "is no cron line"),
    ],
)
def test_a_schedule_that_cannot_be_is_told_where_it_was_written(
    tmp_path: Path, hands: Hands, fields: dict[str, str], told: str
) -> None:
    with still(tmp_path, hands) as (client, house):
        answer = sent(client, "/running/schedules", "/running/schedules", **fields)
        assert answer.status_code == 422
        assert told in html.unescape(answer.text)
        assert f'value="{fields.get("zone", "UTC")}"' in answer.text
        assert house.service.count(Schedule) == 0


def test_a_target_is_made_tried_and_deleted_and_a_message_sent_again(
    tmp_path: Path, hands: Hands, hook: Received
) -> None:
    with still(tmp_path, hands) as (client, house):
        where = "/running/notifications"
        made = sent(client, where, where, kind="webhook", address=hook.address, events="job_failed", language="zh")
        assert made.status_code == 303, "F5 makes no second target"
        made = client.get(made.headers["location"])
        (target,) = house.service.find(Receiver)
        assert target.secret in made.text
        assert target.secret not in client.get(f"/admin{where}").text
        assert (target.events, target.language) == (("job_failed",), "zh")
        assert "test_taken" in sent(client, where, f"{where}/{target.id}/test").headers["location"]
        hook.statuses = [500]
        assert "test_refused" in sent(client, where, f"{where}/{target.id}/test").headers["location"]
        (failed,) = house.service.find(Outgoing, state=FAILED)
        page = client.get(f"/admin{where}?state=failed").text
        assert "It answered with status 500." in page
        assert went(sent(client, where, f"{where}/messages/{failed.id}/send")) == where
        assert house.service.get(Outgoing, id=failed.id) is not None
        assert house.service.count(Outgoing, state=WAITING) == 1
        again = house.notifications.send_next()
        assert again is not None
        assert (again.id, again.state) == (failed.id, DONE)
        assert sent(client, where, f"{where}/messages/{failed.id}/send").status_code == 422
        assert went(sent(client, where, f"{where}/{target.id}/delete")) == where
        assert house.service.count(Outgoing) == 0


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"kind": "webhook", "address": "file:///etc/passwd"}, "no webhook"),
        ({"kind": "webhook", "address": "https://a.example", "events": "rain"}, "rain"),
        ({"kind": "webhook", "address": "https://a.example", "language": "fr"}, "fr"),
        ({"kind": "webhook", "address": "https://a.example", "secret": "short"}, "secret"),
        ({"kind": "apprise", "address": "exec://a"}, "no service"),
        ({"kind": "pigeon", "address": "https://a.example"}, "pigeon"),
        ({}, "kind"),
    ],
)
def test_a_target_that_cannot_be_is_told(tmp_path: Path, hands: Hands, fields: dict[str, str], told: str) -> None:
    with still(tmp_path, hands) as (client, house):
        answer = sent(client, "/running/notifications", "/running/notifications", **fields)
        assert answer.status_code == 422
        assert told in html.unescape(answer.text)
        assert house.service.count(Receiver) == 0


ACTS = (
    "/running/jobs",
    "/running/jobs/{job}/cancel",
    "/running/jobs/{job}/retry",
    "/running/schedules",
    "/running/schedules/{schedule}/pause",
    "/running/schedules/{schedule}/resume",
    "/running/schedules/{schedule}/run",
    "/running/schedules/{schedule}/delete",
    "/running/notifications",
    "/running/notifications/{target}/test",
    "/running/notifications/{target}/delete",
    "/running/notifications/messages/{message}/send",
)


def test_who_only_reads_and_who_is_of_elsewhere_runs_nothing(tmp_path: Path, hands: Hands, hook: Received) -> None:
    with still(tmp_path, hands) as (client, house):
        job = house.background.begin("maintain", "default").id
        schedule = house.schedules.make("maintain", "default", cron="0 3 * * *").id
        target = house.notifications.make("default", kind="webhook", address=hook.address, secret="x" * 32).id
        message = house.notifications.test(target, namespace="default").id
        named = {"job": job, "schedule": schedule, "target": target, "message": message}
        secret = key_with(client, Scope.READ, Scope.WRITE, Scope.RATE, Scope.REVIEW)
        log_in(client, secret)
        for act in ACTS:
            assert sent(client, "/ask", act.format(**named)).status_code == 403, act
        assert client.get("/admin/running/notifications").status_code == 403
        client.cookies.clear()
        log_in(client, key_with(client, Scope.ADMIN, namespaces=("other",)))
        for act in ACTS:
            if "{" in act:
                assert sent(client, "/ask", act.format(**named)).status_code == 404, act
        assert client.get(f"/admin/running/jobs/{job}/log").status_code == 404
        added = {"kind": "add", "cron": "0 3 * * *", "zone": "UTC", "path": "/etc"}
        assert sent(client, "/ask", "/running/schedules", **added).status_code == 403
        assert (_job(house, job).state, house.service.count(Schedule)) == (WAITING, 1)


def _job(house: House, id_: str) -> BackgroundJob:
    found = house.service.get(BackgroundJob, id=id_)
    assert found is not None
    return found


def test_documents_and_ratings_come_in_parts_over_the_api(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, _):
        for number in range(7):
            hands.move(seconds=1)
            source = f"p{number}.md"
            client.put("/api/documents", json={"source": source, "text": f"Page {number}."})
            _rate(client, source, "bad", f"reader {number}")
        for what, name in (("documents", "documents"), ("feedback", "feedback")):
            seen: list[str] = []
            cursor: str | None = ""
            while cursor is not None:
                told = {"limit": "3", **({"cursor": cursor} if cursor else {})}
                part = client.get(f"/api/{what}", params=told).json()
                seen += [one["id"] for one in part[name]]
                cursor = part["next"]
            assert len(seen) == len(set(seen)) == 7
            assert seen == sorted(seen)
            for wrong in ("x", "W10", "WzFd", "WyJhIiwiYiJd", "bnVsbA"):
                assert client.get(f"/api/{what}", params={"cursor": wrong}).status_code == 422


def test_a_page_of_a_rewrite_shows_both_answers_to_the_same_question(tmp_path: Path, hands: Hands) -> None:
    with still(tmp_path, hands) as (client, house):
        _outdated(client, hands)
        (job,) = house.memories.of("default").evolve()
        (proved,) = [one for one in job.candidates if one.proof is not None]
        assert proved.proof is not None
        answered = [one for one in proved.proof.matches if one.answers]
        assert answered
        page = html.unescape(client.get(f"/admin/evolution/jobs/{job.id}").text)
        for one in answered:
            assert all(f"<bdi>{text}</bdi>" in page for text in one.answers)
        assert "Written by scripted-editor-1" in page
