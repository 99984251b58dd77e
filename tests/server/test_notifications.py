from __future__ import annotations

import hmac
import smtplib
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from threading import Event
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
import requests

from evolore.domain.evolution import JobState, Operator
from evolore.errors import InvalidValue, NotFound
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve.canary import TRIPPED
from evolore.flows.evolve.show import EvolutionJob
from evolore.server import delivery, reach
from evolore.server.notifications import MOST_ATTEMPTS, Notice, Notifications, event_of, shown_target
from evolore.store.service import (
    DONE,
    FAILED,
    REPLIES_KEPT,
    WAITING,
    BackgroundJob,
    KeptReply,
    Outgoing,
    Receiver,
)
from evolore.text.word_files import read_tables
from evolving.complaints import complained
from evolving.scripted import ScriptedEditor
from serving.memories import NOW, Hands, memories_of, until
from serving.receiver import Received, receiver

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.server.memories import Memories

# apprise reads a module of Python that is to go; that is its matter.
pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")
SECRET = "a secret of twenty-six char"


@pytest.fixture
def notifications(memories: Memories, hands: Hands) -> Notifications:
    return Notifications(memories, now=hands, address="https://memory.example/", private_webhooks=True)


def target_at(
    notifications: Notifications, address: str, *, events: tuple[str, ...] = (), language: str = "en"
) -> Receiver:
    return notifications.make(
        "default", kind="webhook", address=address, secret=SECRET, events=events, language=language
    )


def test_a_webhook_is_signed_and_says_what_happened(notifications: Notifications, hook: Received) -> None:
    target_at(notifications, f"{hook.address}/in?token=1")
    assert notifications.tell(Notice.JOB_FAILED, "default", "job:1", {"job": "1", "kind": "maintain"}) == 1
    sent = notifications.send_next()
    assert sent is not None
    assert (sent.state, sent.attempts, sent.error) == (DONE, 1, None)
    ((headers, body),) = hook.posts
    assert headers["Evolore-Timestamp"] == str(int(NOW.timestamp()))
    wanted = hmac.new(SECRET.encode(), headers["Evolore-Timestamp"].encode() + b"." + body, sha256).hexdigest()
    assert headers["Evolore-Signature"] == f"v1={wanted}"
    assert headers["Evolore-Message"] == sent.id
    (told,) = hook.told()
    assert told == {
        "id": sent.id,
        "event": "job_failed",
        "namespace": "default",
        "at": NOW.isoformat(),
        "language": "en",
        "title": "A job failed: maintain",
        "text": "The background job maintain failed and is not tried again. Its log says why.\nNamespace: default",
        "link": "https://memory.example/admin/running/jobs/1?namespace=default",
        "job": "1",
        "kind": "maintain",
    }


def test_what_has_a_name_is_told_once(notifications: Notifications, hook: Received) -> None:
    target_at(notifications, hook.address)
    assert notifications.tell(Notice.BUDGET, "default", "budget:80", {"percent": 80}) == 1
    assert notifications.tell(Notice.BUDGET, "default", "budget:80", {"percent": 80}) == 0
    assert notifications.tell(Notice.BUDGET, "other", "budget:80", {"percent": 80}) == 0
    assert notifications.send_next() is not None
    assert notifications.send_next() is None
    assert len(hook.posts) == 1


def test_a_target_is_told_what_it_asked_for(notifications: Notifications, hook: Received) -> None:
    target_at(notifications, hook.address, events=("approved",))
    assert notifications.tell(Notice.JOB_FAILED, "default", "1", {"kind": "add"}) == 0
    assert notifications.tell(Notice.APPROVED, "default", "2", {"documents": []}) == 1


@pytest.mark.parametrize("status", [500, 404, 302])
def test_what_fails_is_tried_later_and_later(
    notifications: Notifications, hook: Received, hands: Hands, status: int
) -> None:
    hook.statuses = [status] * MOST_ATTEMPTS
    target_at(notifications, hook.address)
    notifications.tell(Notice.BUDGET, "default", "1", {"percent": 80})
    waits: list[float] = []
    for _ in range(MOST_ATTEMPTS - 1):
        tried = notifications.send_next()
        assert tried is not None
        assert (tried.state, tried.error) == (WAITING, f"It answered with status {status}.")
        assert notifications.send_next() is None
        waits.append((tried.runs_at - hands.at).total_seconds())
        hands.at = tried.runs_at
    assert waits == [60, 180, 540, 1620, 4860, 14580, 21600]
    last = notifications.send_next()
    assert last is not None
    assert last.state == FAILED
    assert notifications.send_next() is None
    assert len(hook.posts) == MOST_ATTEMPTS


def test_a_target_that_is_not_there_is_told_later(notifications: Notifications) -> None:
    with receiver() as gone:
        address = gone.address
    target_at(notifications, address)
    notifications.tell(Notice.BUDGET, "default", "1", {"percent": 80})
    tried = notifications.send_next()
    assert tried is not None
    assert (tried.state, tried.error) == (WAITING, "It could not be reached (ConnectError).")


def test_a_message_of_a_process_that_was_killed_is_sent_again(
    notifications: Notifications, memories: Memories, hook: Received, hands: Hands
) -> None:
    target_at(notifications, hook.address)
    notifications.tell(Notice.BUDGET, "default", "1", {"percent": 80})
    hands_until = hands.at.replace(hour=hands.at.hour + 1)
    assert memories.service.take_message(at=hands.at, until=hands_until) is not None
    assert notifications.send_next() is None
    hands.at = hands_until
    sent = notifications.send_next()
    assert sent is not None
    assert (sent.state, sent.attempts) == (DONE, 2)


def test_a_dead_target_keeps_no_other_waiting(notifications: Notifications, memories: Memories, hook: Received) -> None:
    with receiver() as dead:
        dead.hold = Event()
        target_at(notifications, dead.address)
        target_at(notifications, hook.address)
        for number in range(5):
            notifications.tell(Notice.BUDGET, "default", str(number), {"percent": 80})
        notifications.start()
        until(lambda: len(hook.posts) == 5)
        assert len(dead.posts) == 1, "one at a time to each"
        dead.hold.set()
        until(lambda: memories.service.count(Outgoing, state=DONE) == 10)
        notifications.stop(seconds=10)


def test_a_test_message_says_at_once_how_it_went(notifications: Notifications, hook: Received) -> None:
    target = target_at(notifications, hook.address, language="ja")
    assert notifications.test(target.id, namespace="default").state == DONE
    assert hook.told()[0]["title"] == "テストメッセージ"
    hook.statuses = [403]
    failed = notifications.test(target.id, namespace="default")
    assert (failed.state, failed.error) == (FAILED, "It answered with status 403.")
    assert notifications.send_next() is None
    with pytest.raises(NotFound):
        notifications.test(target.id, namespace="other")


def test_apprise_sends_to_services(notifications: Notifications, hook: Received) -> None:
    address = hook.address.replace("http://", "ntfy://") + "/topic"
    target = notifications.make("default", kind="apprise", address=address, secret="", language="zh")
    assert notifications.test(target.id, namespace="default").state == DONE
    assert hook.told()[0]["title"] == "测试消息"


_UUID = "0123abcd-0123-4567-89ab-0123456789ab"
_PLACE = "host.example/" + "a" * 26
SERVICES = {
    "discord": "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js",
    "gchat": "gchat://workspace/key/token",
    "gotify": f"gotify://{_PLACE}",
    "gotifys": f"gotifys://{_PLACE}",
    "mailto": "mailto://user:pass@example.com?to=someone@example.com",
    "mailtos": "mailtos://user:pass@example.com?to=someone@example.com",
    "matrix": "matrix://user:pass@host.example/#room",
    "matrixs": "matrixs://user:pass@host.example/#room",
    "mmost": f"mmost://{_PLACE}",
    "mmosts": f"mmosts://{_PLACE}",
    "ntfy": f"ntfy://{_PLACE}",
    "ntfys": f"ntfys://{_PLACE}",
    "pagerduty": f"pagerduty://{'a' * 32}@{'b' * 32}",
    "pover": f"pover://{'u' * 30}@{'t' * 30}",
    "rocket": "rocket://user:pass@host.example/#room",
    "rockets": "rockets://user:pass@host.example/#room",
    "slack": "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
    "tgram": "tgram://123456789:abcdefg_hijklmnop/12315544/",
    "workflow": f"workflow://host.example/{'a' * 32}/{'b' * 43}",
    "workflows": f"workflows://host.example/{'a' * 32}/{'b' * 43}",
    "wxteams": f"wxteams://{'a' * 80}",
    "zulip": f"zulip://bot@org/{'a' * 32}/stream",
}


def test_there_is_an_address_of_every_service() -> None:
    assert set(SERVICES) == delivery._SERVICES


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_every_service_is_asked_for_a_message(
    notifications: Notifications, service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refuse(*args: object, **_more: object) -> None:
        asked.append(str(args))
        raise requests.ConnectionError("no network")

    monkeypatch.setattr(requests.Session, "request", refuse)
    monkeypatch.setattr(smtplib, "SMTP", refuse)
    monkeypatch.setattr(smtplib, "SMTP_SSL", refuse)
    monkeypatch.setattr("apprise.URLBase.throttle", Mock())
    target = notifications.make("default", kind="apprise", address=SERVICES[service], secret="")
    assert notifications.test(target.id, namespace="default").state == FAILED
    assert asked


@pytest.mark.parametrize("address", [f"opsgenie://{_UUID}", f"msteams://team/{_UUID}@{_UUID}/{'c' * 32}/{_UUID}"])
def test_a_service_that_nothing_would_reach_is_refused_and_one_kept_says_so(
    notifications: Notifications, memories: Memories, address: str
) -> None:
    with pytest.raises(InvalidValue, match="no service that is reached"):
        notifications.make("default", kind="apprise", address=address, secret="")
    target = notifications.make("default", kind="apprise", address=SERVICES["ntfy"], secret="")
    memories.service.put(replace(target, address=address))
    sent = notifications.test(target.id, namespace="default")
    assert (sent.state, sent.error) == (FAILED, "Its service is no longer reached: make a target of another.")


def test_no_log_names_who_gets_a_message(
    notifications: Notifications, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise smtplib.SMTPRecipientsRefused({"someone@example.com": (550, b"no")})

    monkeypatch.setattr(smtplib, "SMTP", refuse)
    monkeypatch.setattr(smtplib, "SMTP_SSL", refuse)
    target = notifications.make("default", kind="apprise", address=SERVICES["mailto"], secret="")
    with caplog.at_level("DEBUG"):
        assert notifications.test(target.id, namespace="default").state == FAILED
    assert "someone@example.com" not in caplog.text
    assert [one for one in caplog.records if one.name == "apprise"] == []


def test_a_title_calls_nobody(notifications: Notifications, hook: Received, memories: Memories) -> None:
    document = memories.of("default").add_text("Nine boxes.", source="a.md", title="<!channel>\n  {percent} come")
    address = hook.address.replace("http://", "ntfy://") + "/topic"
    notifications.make("default", kind="apprise", address=address, secret="")
    notifications.tell(Notice.APPROVED, "default", "1", {"documents": [document.id]})
    notifications.send_next()
    said = hook.posts[0][1].decode()
    assert "<!channel>" not in said
    assert "Nine boxes" not in said


def test_what_was_forgotten_is_not_told(notifications: Notifications, hook: Received, memories: Memories) -> None:
    document = memories.of("default").add_text("Nine boxes.", source="secret-plan.md")
    target_at(notifications, hook.address)
    notifications.tell(Notice.APPROVED, "default", "1", {"documents": [document.id]})
    memories.of("default").forget(document.id)
    notifications.send_next()
    assert hook.told()[0]["title"] == "Approved: a document that was forgotten"
    assert b"secret-plan" not in hook.posts[0][1]


@pytest.mark.parametrize(
    ("kind", "address"),
    [
        ("webhook", "ftp://example.com/a"),
        ("webhook", "file:///etc/passwd"),
        ("webhook", "https://"),
        ("webhook", "https://me:pass@example.com"),
        ("webhook", "https://example.com:0/"),
        ("webhook", "https://example.com:port/"),
        ("webhook", "http://[1"),
        ("webhook", "https://example.com/a b"),
        ("webhook", "https://example.com/\r\nHost: other"),
        ("apprise", "syslog://"),
        ("apprise", "https://example.com"),
        ("apprise", "json://example.com"),
        ("apprise", "msteams://a@b/c/d?template=/etc/passwd"),
        ("apprise", "mailto://u:p@example.com?pgpkey=/etc/passwd"),
        ("carrier pigeon", "https://example.com"),
    ],
)
def test_what_is_no_target_is_refused(notifications: Notifications, kind: str, address: str) -> None:
    with pytest.raises(InvalidValue) as found:
        notifications.make("default", kind=kind, address=address, secret=SECRET)
    assert "passwd" not in str(found.value)
    assert ":pass@" not in str(found.value)


def test_one_address_is_not_several(
    notifications: Notifications, hook: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apprise.plugins.ntfy.NotifyNtfy.request_rate_per_sec", 0)  # it waits between topics
    with receiver() as other:
        hidden = other.address.replace("http://", "json://")
        address = hook.address.replace("http://", "ntfy://") + f"/topic,{hidden}/x"
        target = notifications.make("default", kind="apprise", address=address, secret="")
        notifications.test(target.id, namespace="default")
        assert other.posts == []


def test_secrets_are_not_shown(notifications: Notifications) -> None:
    target = target_at(notifications, "https://hooks.example.com/services/T00/B00/XXXX")
    mail = notifications.make("default", kind="apprise", address="mailto://u:pass@example.com", secret="")
    assert shown_target(target)["address"] == "https://hooks.example.com…"
    assert shown_target(mail)["address"] == "mailto://…"
    assert "secret" not in shown_target(target)
    with pytest.raises(InvalidValue):
        notifications.make("default", kind="webhook", address="https://example.com", secret="short")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "10.0.0.5", "169.254.169.254", "[::1]", "192.168.1.1"])
def test_a_webhook_within_the_network_is_sent_to_only_where_that_is_said(
    memories: Memories, hands: Hands, hook: Received, host: str
) -> None:
    careful = Notifications(memories, now=hands)
    port = hook.address.rpartition(":")[2]
    target_at(careful, f"http://{host}:{port}/in")
    careful.tell(Notice.JOB_FAILED, "default", "job:1", {"job": "1", "kind": "maintain"})
    sent = careful.send_next()
    assert sent is not None
    assert sent.error is not None
    assert "--private-webhooks" in sent.error or "not known" in sent.error
    assert hook.posts == []


_WITHIN = [
    *("127.0.0.1", "10.0.0.5", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *(
        "192.0.0.192",
        "168.63.129.16",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "fe80::1%eth0",
        "fc00::1",
        "fec0::1",
    ),
    *(
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:100.64.0.1",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::10.0.0.1",
        "2002:7f00:1::",
    ),
]
_OUTSIDE = ["8.8.8.8", "1.1.1.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]


@pytest.mark.parametrize(
    ("address", "is_open"), [*((one, False) for one in _WITHIN), *((one, True) for one in _OUTSIDE)]
)
def test_addresses_of_a_network_are_told_from_open_ones(address: str, *, is_open: bool) -> None:
    assert reach.is_open(address) is is_open


def test_a_name_of_which_one_address_is_within_the_network_is_not_sent_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*addresses: str) -> None:
        rows = [(2, 1, 6, "", (one, 443)) for one in addresses]

        def looked_up(_host: str, _port: int, **_more: object) -> list[tuple[object, ...]]:
            return [*rows]

        monkeypatch.setattr(reach, "getaddrinfo", looked_up)

    found("8.8.8.8", "1.1.1.1")
    assert reach.public_address("hooks.example", 443) == "8.8.8.8"
    found("8.8.8.8", "10.0.0.5")
    assert reach.public_address("hooks.example", 443) is None


@pytest.mark.parametrize(
    "address",
    [
        *("ntfy://127.0.0.1:{port}/topic", "gotify://127.0.0.1:{port}/abc", "mmost://127.0.0.1:{port}/" + "a" * 24),
        *(
            "rocket://u:p@127.0.0.1:{port}/#room",
            "matrix://u:p@127.0.0.1:{port}/#room",
            "workflows://127.0.0.1:{port}/a/b",
        ),
        *("mailto://u:p@example.com?smtp=127.0.0.1", "zulip://bot@127.0.0.1/" + "a" * 32),
    ],
)
def test_a_service_within_the_network_is_sent_to_only_where_that_is_said(
    memories: Memories, hands: Hands, hook: Received, address: str
) -> None:
    careful = Notifications(memories, now=hands)
    placed = address.format(port=hook.address.rpartition(":")[2])
    sent = careful.test(careful.make("default", kind="apprise", address=placed, secret="").id, namespace="default")
    assert sent.error is not None
    assert "--private-webhooks" in sent.error
    assert hook.posts == []


def test_a_service_elsewhere_is_sent_to(
    memories: Memories, hands: Hands, hook: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def public(host: str, port: int) -> str:
        asked.append(f"{host}:{port}")
        return "127.0.0.1"

    monkeypatch.setattr(reach, "public_address", public)
    careful = Notifications(memories, now=hands)
    address = hook.address.replace("http://", "ntfy://")
    target = careful.make("default", kind="apprise", address=f"{address}/topic", secret="")
    assert careful.test(target.id, namespace="default").state == DONE
    assert asked == [address.removeprefix("ntfy://")]
    hook.statuses = [302]
    assert careful.test(target.id, namespace="default").state == FAILED


def test_a_name_is_looked_up_once_and_what_was_found_is_sent_to(
    memories: Memories, hands: Hands, hook: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(hook.address.rpartition(":")[2])
    asked: list[str] = []

    def public(host: str, number: int) -> str:
        asked.append(f"{host}:{number}")
        return "127.0.0.1"

    monkeypatch.setattr(reach, "public_address", public)
    careful = Notifications(memories, now=hands)
    target_at(careful, f"http://hooks.example:{port}/in")
    careful.tell(Notice.JOB_FAILED, "default", "job:1", {"job": "1", "kind": "maintain"})
    sent = careful.send_next()
    assert sent is not None
    assert sent.error is None
    assert asked == [f"hooks.example:{port}"]
    ((headers, _),) = hook.posts
    assert headers["Host"] == f"hooks.example:{port}"


def test_replies_are_pruned_once_they_are_kept_no_longer(memories: Memories, hands: Hands) -> None:
    service, at = memories.service, hands()
    for name, when in (("old", at - REPLIES_KEPT - timedelta(seconds=1)), ("new", at)):
        service.put(KeptReply(key_id="", name=name, asked="x", status=201, body={}, at=when))
    notifications = Notifications(memories, now=hands)
    notifications._clear(at)
    assert [one.name for one in service.find(KeptReply)] == ["new"]
    notifications._clear(at + REPLIES_KEPT + timedelta(hours=1))
    assert service.find(KeptReply) == ()


def test_every_event_has_words_in_every_language() -> None:
    tables = [read_tables("evolore.server", f"words/{one}.toml")["messages"] for one in ("en", "ja", "zh")]
    wanted = {name for event in Notice for name in (event.value, f"{event.value}_text")}
    assert all(set(table) == set(tables[0]) for table in tables)
    assert wanted <= set(tables[0])


DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))


def test_from_a_candidate_to_a_rollback_people_are_told(tmp_path: Path, hook: Received) -> None:
    with complained(tmp_path):
        pass
    hands = Hands()
    with memories_of(tmp_path / "store", clock=hands, model=ScriptedEditor(), evolution=DETAIL) as memories:
        notifications = Notifications(memories, now=hands, private_webhooks=True)
        target_at(notifications, hook.address)
        memory = memories.of("default")

        def told() -> list[str]:
            notifications.watch_all()
            while notifications.send_next() is not None:
                pass
            hands.move(minutes=1)
            return [one["event"] for one in hook.told()]

        assert told() == []
        hands.move(minutes=1)
        (job,) = memory.evolve("refunds.md")
        first = told()
        assert first in (["candidate_ready"], ["needs_person"])
        memory.evolution.approve(job.id)
        assert told() == [*first, "approved"]
        memory.evolution.rollback(job.id, reason="Not yet.")
        assert told() == [*first, "approved", "rolled_back"]
        assert told() == [*first, "approved", "rolled_back"]
        assert notifications.watch("nowhere") is None
        again = Notifications(memories, now=hands, private_webhooks=True)
        again.watch_all()
        assert again.send_next() is None, "another process tells nothing twice"
        assert all("Refunds" in one["title"] for one in hook.told())


def test_a_trial_that_was_stopped_is_told_as_one() -> None:
    job = EvolutionJob(id="1", state=JobState.WAITING, documents=(), created_at=NOW, updated_at=NOW, decision="winner")
    assert event_of(job) is Notice.CANDIDATE_READY
    assert event_of(replace(job, closing=TRIPPED)) is Notice.GUARDRAIL_TRIPPED
    assert event_of(replace(job, decision="needs_person")) is Notice.NEEDS_PERSON
    assert event_of(replace(job, state=JobState.CANARY)) is Notice.APPROVED
    assert event_of(replace(job, state=JobState.ORIGINAL_STAYS)) is None


def test_the_budget_is_told_at_80_and_100_percent(
    notifications: Notifications, memories: Memories, hook: Received, monkeypatch: pytest.MonkeyPatch
) -> None:
    target_at(notifications, hook.address)
    percents: list[list[int]] = []
    for share in (None, 0.79, 0.8, 0.9, 1.0, 1.2):
        monkeypatch.setattr(memories, "share_spent", lambda share=share: share)
        notifications.watch_all()
        while notifications.send_next() is not None:
            pass
        percents.append([one["percent"] for one in hook.told()])
    assert percents == [[], [], [80], [80], [80, 100], [80, 100]]


def test_a_job_that_failed_is_told(notifications: Notifications, hook: Received) -> None:
    target_at(notifications, hook.address)
    job = BackgroundJob(
        id="1",
        namespace="default",
        kind="add",
        subject="",
        state=FAILED,
        body={},
        runs_at=NOW,
        created_at=NOW,
        error="The file secret.md is broken.",
    )
    notifications.job_ended(job)
    notifications.send_next()
    assert hook.told()[0]["event"] == "job_failed"
    assert b"secret.md" not in hook.posts[0][1]


def test_after_maintenance_what_is_to_be_verified_is_told_once_a_day(
    notifications: Notifications, memories: Memories, hook: Received
) -> None:
    target_at(notifications, hook.address)
    late = {"verify_by": "2020-01-31"}
    memories.of("default").add_text("Refunds take a week.", source="refunds", title="Refunds", metadata=late)
    job = BackgroundJob(
        id="1",
        namespace="default",
        kind="maintain",
        subject="",
        state=DONE,
        body={},
        runs_at=NOW,
        created_at=NOW,
        result={"overdue": memories.of("default").maintain().overdue},
    )
    for _ in range(2):
        notifications.job_ended(job)
        notifications.send_next()
    (told,) = hook.told()
    assert (told["event"], told["title"], told["count"]) == ("overdue", "Documents to verify: 1", 1)
    assert "is over: Refunds." in told["text"]
    notifications.job_ended(replace(job, result={"overdue": 0}))
    assert notifications.send_next() is None


def test_a_target_goes_with_its_messages(notifications: Notifications, memories: Memories) -> None:
    target = target_at(notifications, "https://example.com")
    notifications.tell(Notice.BUDGET, "default", "1", {"percent": 80})
    notifications.remove(target.id, namespace="default")
    assert (memories.service.count(Receiver), memories.service.count(Outgoing)) == (0, 0)
