"""A clock that is set back by a day loses nothing and keeps nothing waiting for that day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.testclient import TestClient

from evolore.server.app import create_app
from evolore.server.background import Background
from evolore.server.house import House
from evolore.server.keys import Scope, make_key
from evolore.server.notifications import Notice, Notifications
from evolore.server.schedules import Schedules
from evolore.store.service import DONE, KeptReply, Schedule

if TYPE_CHECKING:
    from evolore.server.memories import Memories
    from serving.memories import Hands
    from serving.receiver import Received


def test_statements_are_remembered_and_found(memories: Memories, hands: Hands) -> None:
    memory = memories.of("default")
    first = memory.remember("The office is in Berlin.")
    hands.move(days=-1)
    second = memory.remember("The kitchen is on the second floor.")
    assert first.id != second.id
    assert memory.recall("Where is the kitchen?").hits[0].text == second.text
    assert memory.stats().statements == 2
    assert any(hit.text == first.text for hit in memory.recall("Where is the office?").hits)


def test_a_job_that_waits_is_begun(memories: Memories, hands: Hands) -> None:
    background = Background(memories, now=hands)
    memories.of("default").remember("The office is in Berlin.")
    background.begin("maintain", "default")
    hands.move(days=-1)
    ended = background.run_next()
    assert ended is not None
    assert ended.state == DONE


def test_a_message_that_waits_is_sent(memories: Memories, hands: Hands, hook: Received) -> None:
    notifications = Notifications(memories, now=hands, private_webhooks=True)
    notifications.make("default", kind="webhook", address=hook.address, secret="a secret of twenty-six char")
    notifications.tell(Notice.JOB_FAILED, "default", "job:1", {"job": "1", "kind": "maintain"})
    hands.move(days=-1)
    assert notifications.send_next() is not None
    assert len(hook.posts) == 1


def test_a_schedule_runs_again_within_its_hour(memories: Memories, hands: Hands) -> None:
    background = Background(memories, now=hands)
    schedules = Schedules(memories, background, now=hands)
    memories.of("default").remember("The office is in Berlin.")
    schedules.make("maintain", "default", cron="0 * * * *")
    hands.move(hours=1)
    assert schedules.tick()
    background.run_next()
    hands.move(days=-1)
    schedules.tick()
    (moved,) = memories.service.find(Schedule)
    assert (moved.next_at - hands.now()).total_seconds() <= 3600
    hands.move(hours=1)
    assert schedules.tick()


def test_a_write_that_was_interrupted_is_done_again_and_one_that_was_done_is_not(
    memories: Memories, hands: Hands
) -> None:
    app = create_app(memories)
    app.state.house = House(memories, now=hands)
    http = TestClient(app, base_url="http://localhost")

    def say(name: str) -> int:
        told = {"statements": [{"text": f"We open at nine, {name}."}]}
        return http.post("/api/statements", json=told, headers={"Idempotency-Key": name}).status_code

    assert [say("done"), say("interrupted")] == [201, 201]
    memories.service.change(KeptReply, {"name": "interrupted"}, {"status": 0})
    hands.move(hours=-20)
    assert [say("done"), say("interrupted")] == [201, 201]
    hands.move(hours=20)
    assert memories.of("default").stats().statements <= 3


def test_a_first_key_is_noticed_at_once(memories: Memories, hands: Hands) -> None:
    house = House(memories, now=hands)
    assert not house.has_keys()
    make_key(memories.service, id_=house.new_id(), label="a", scopes=[Scope.READ], at=hands.now())
    hands.move(days=-1)
    assert house.has_keys()
