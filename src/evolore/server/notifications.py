"""Notifications: events are written to an outbox, and sent to targets by threads of their own.

A message names documents by id, and their titles are read when it is sent: what was forgotten meanwhile is not sent.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum
from threading import Condition, Event, Lock, Thread
from typing import cast
from urllib.parse import quote, urlencode, urlsplit

from evolore.domain.checks import check_name, checked_word
from evolore.domain.document import Document
from evolore.domain.evolution import JobState
from evolore.domain.language import Language
from evolore.domain.result import fields_but
from evolore.errors import EvoloreError, InputError, InvalidValue, NotFound
from evolore.flows.evolve.canary import TRIPPED
from evolore.flows.evolve.show import EvolutionJob
from evolore.server.delivery import Letter, TargetKind, Undelivered, check_address, send_by_apprise, send_webhook
from evolore.server.memories import Memories
from evolore.store.service import (
    DONE,
    FAILED,
    REPLIES_KEPT,
    RUNNING,
    WAITING,
    BackgroundJob,
    KeptReply,
    Outgoing,
    Receiver,
    Service,
)
from evolore.text.word_files import read_words

_LOG = logging.getLogger(__name__)
MOST_ATTEMPTS = 8
"""With the waits between them, a target may be away for about half a day."""

_RETRY_SECONDS = 60.0
"""Before the second try; before each further one three times as long, but no more than six hours."""

_MOST_RETRY_SECONDS = 6 * 3600.0
_LEASE_SECONDS = 120.0
"""A message of a process that was killed while it sent is sent again after so long; so is at most one a kill."""

_POLL_SECONDS = 2.0
_WATCH_SECONDS = 15.0
_LANES = 32
_MOST_CHARACTERS = 200
_MOST_NAMED = 5
_LOOK_BACK = timedelta(days=7)
_KEEP = timedelta(days=30)
_PRUNE_EACH = timedelta(hours=1)
"""All replies are read for it, while nothing writes: 0.4 s at 50,000 of 6 kB."""


_SENDERS: Mapping[TargetKind, Callable[..., None]] = {
    TargetKind.WEBHOOK: send_webhook,
    TargetKind.APPRISE: send_by_apprise,
}


class Notice(StrEnum):
    """The events that targets receive."""

    CANDIDATE_READY = "candidate_ready"
    NEEDS_PERSON = "needs_person"
    APPROVED = "approved"
    ROLLED_BACK = "rolled_back"
    GUARDRAIL_TRIPPED = "guardrail_tripped"
    BUDGET = "budget"
    OVERDUE = "overdue"
    JOB_FAILED = "job_failed"
    TEST = "test"


def check_target(kind: TargetKind | str, address: str, secret: str, events: Iterable[str], language: str) -> None:
    """Refuse a target that cannot be one."""
    check_address(kind, address, secret)
    for one in events:
        checked_word(Notice, one, "events")
    if language not in {"en", "ja", "zh"}:
        raise InvalidValue(f"The language is {language!r}: use en, ja or zh.")


class Notifications:
    """Records the messages for targets, and sends them."""

    def __init__(
        self, memories: Memories, *, now: Callable[[], datetime], address: str = "", private_webhooks: bool = False
    ) -> None:
        self._memories, self._private_webhooks, self._now = memories, private_webhooks, now
        self._address = address.rstrip("/")
        self._seen: dict[str, datetime] = {}
        self._pruned_at: datetime | None = None
        self._busy: set[str] = set()
        self._lock = Lock()
        self._work = Condition()
        self._news = 0
        self._stopped = Event()
        self._thread: Thread | None = None

    @property
    def _service(self) -> Service:
        return self._memories.service

    def make(
        self,
        namespace: str,
        *,
        kind: TargetKind | str,
        address: str,
        secret: str,
        events: Sequence[str] = (),
        language: str = "en",
    ) -> Receiver:
        """Make a target; with no event named, it receives all."""
        check_name(namespace, "namespace")
        check_target(kind, address, secret, events, language)
        at = self._now()
        target = Receiver(
            id=self._memories.new_id(at),
            namespace=namespace,
            kind=str(kind),
            address=address,
            secret=secret,
            events=tuple(dict.fromkeys(events)) or tuple(one.value for one in Notice if one is not Notice.TEST),
            language=language,
            created_at=at,
        )
        self._service.put(target)
        return target

    def of(self, target_id: str, *, namespace: str) -> Receiver:
        """Return a target of a namespace."""
        found = self._service.get(Receiver, id=target_id, namespace=namespace)
        if found is None:
            raise NotFound(f"No target has the id {target_id!r}: `GET /api/notifications/targets` lists them.")
        return found

    def remove(self, target_id: str, *, namespace: str) -> None:
        """Delete a target with its messages."""
        found = self.of(target_id, namespace=namespace)
        self._service.remove(Receiver, id=found.id)
        self._service.remove(Outgoing, target_id=found.id)

    def tell(
        self, event: Notice, namespace: str, name: str, facts: Mapping[str, object], *, since: datetime | None = None
    ) -> int:
        """Write a message to every target of a namespace that receives an event, unless one of this name was written.

        Args:
            event: What happened.
            namespace: Where.
            name: What distinguishes it from other events.
            facts: Ids and numbers, never a text.
            since: When it happened: targets that were made later do not receive it.

        Returns:
            How many messages are new.
        """
        at = self._now()
        new = 0
        for target in self._service.find(Receiver, namespace=namespace):
            if event.value in target.events and (since is None or since >= target.created_at):
                new += self._service.post(self._message(target, event, name, facts, at))
        if new:
            self.wake()
        return new

    def job_ended(self, job: BackgroundJob) -> None:
        """Report a background job that failed, and what one that is done brought."""
        if job.state == FAILED:
            self.tell(Notice.JOB_FAILED, job.namespace, f"job_failed:{job.id}", {"job": job.id, "kind": job.kind})
        if (job.result or {}).get("overdue"):
            late = [one.id for one in self._memories.of(job.namespace).list(overdue=True).documents]
            facts = {"documents": late[:_MOST_NAMED], "count": len(late)}
            self.tell(Notice.OVERDUE, job.namespace, f"overdue:{self._now().date().isoformat()}", facts)
        self.watch(job.namespace)

    def watch(self, namespace: str) -> None:
        """Report the jobs of evolution that changed since the last time, however they did."""
        targets = self._service.find(Receiver, namespace=namespace)
        if not targets:
            return
        first = max(min(one.created_at for one in targets), self._now() - _LOOK_BACK)
        since = max(first, self._seen.get(namespace, first))
        for job in self._memories.evolution_jobs(namespace, since=since):
            event = event_of(job)
            if event is not None:
                promoted = job.promotions[-1].id if job.promotions else ""
                facts = {"job": job.id, "documents": [one.id for one in job.documents]}
                self.tell(event, namespace, f"{event.value}:{job.id}:{promoted}", facts, since=job.updated_at)
            since = max(since, job.updated_at)
        self._seen[namespace] = since

    def watch_all(self) -> None:
        """Report what changed in all namespaces that have targets, and the day's budget."""
        namespaces = sorted({one.namespace for one in self._service.find(Receiver)})
        for one in namespaces:
            self.watch(one)
        share = self._memories.share_spent() if namespaces else None
        day = self._now().date().isoformat()
        for percent in (80, 100):
            if share is not None and share * 100 >= percent:
                for one in namespaces:
                    self.tell(Notice.BUDGET, one, f"budget:{day}:{percent}", {"percent": percent, "day": day})

    def test(self, target_id: str, *, namespace: str) -> Outgoing:
        """Send a test message now, once, and say how that went."""
        target, at = self.of(target_id, namespace=namespace), self._now()
        message = self._message(target, Notice.TEST, f"test:{self._memories.new_id(at)}", {}, at)
        taken = replace(message, state=RUNNING, attempts=1, runs_at=at + timedelta(seconds=_LEASE_SECONDS))
        self._service.put(taken)
        return self._send(taken, is_last=True)

    def send_again(self, message_id: str, *, namespace: str) -> Outgoing:
        """Queue a message that failed, or that waits for its next try, to be sent now, with all its tries before it."""
        targets = tuple(one.id for one in self._service.find(Receiver, namespace=namespace))
        here = {"id": message_id, "target_id": targets}
        changes = {"state": WAITING, "attempts": 0, "runs_at": self._now()}
        is_changed = self._service.change(Outgoing, {**here, "state": (WAITING, FAILED)}, changes)
        found = self._service.get(Outgoing, **here)
        if found is None:
            raise NotFound(f"No message has the id {message_id!r}: `GET /api/notifications/messages` lists them.")
        if not is_changed:
            raise InvalidValue(f"The message {message_id} is {found.state}: only what failed or waits is sent again.")
        self.wake()
        return found

    def send_next(self) -> Outgoing | None:
        """Send the message that has waited longest, in this thread; None where none is due."""
        message = self._taken()
        return None if message is None else self._send(message)

    def start(self) -> None:
        """Begin to watch and to send, in threads."""
        self._thread = Thread(target=self._keep_sending, name="evolore-messages", daemon=True)
        self._thread.start()

    def stop(self, *, seconds: float) -> None:
        """Send nothing more; what is being sent is sent again at the next start if it does not end before this."""
        self._stopped.set()
        self.wake()
        if self._thread is not None:
            self._thread.join(seconds)
        with self._work:
            self._work.wait_for(lambda: not self._busy, timeout=seconds)

    def wake(self) -> None:
        """Wake the thread to look for messages now."""
        with self._work:
            self._news += 1
            self._work.notify_all()

    def _message(
        self, target: Receiver, event: Notice, name: str, facts: Mapping[str, object], at: datetime
    ) -> Outgoing:
        return Outgoing(
            id=self._memories.new_id(at),
            target_id=target.id,
            name=name,
            event=event.value,
            body={**facts, "namespace": target.namespace},
            state=WAITING,
            runs_at=at,
            created_at=at,
        )

    def _taken(self) -> Outgoing | None:
        at = self._now()
        with self._lock:
            busy = tuple(self._busy)
        if len(busy) >= _LANES:
            return None
        return self._service.take_message(at=at, until=at + timedelta(seconds=_LEASE_SECONDS), but=busy)

    def _send(self, message: Outgoing, *, is_last: bool = False) -> Outgoing:
        """Send a message that was taken, and write how that went."""
        error = self._tried(message)
        changes: dict[str, object] = {"state": DONE, "error": None}
        if error and (is_last or message.attempts >= MOST_ATTEMPTS):
            changes = {"state": FAILED, "error": error}
        elif error:
            wait = min(_RETRY_SECONDS * 3 ** (message.attempts - 1), _MOST_RETRY_SECONDS)
            changes = {"state": WAITING, "error": error, "runs_at": self._now() + timedelta(seconds=wait)}
        self._service.change(Outgoing, {"id": message.id, "attempts": message.attempts, "state": RUNNING}, changes)
        return self._service.get(Outgoing, id=message.id) or message

    def _tried(self, message: Outgoing) -> str:
        """Send a message; return why it was not taken, empty where it was."""
        target = self._service.get(Receiver, id=message.target_id)
        if target is None:
            return "Its target was deleted."
        try:
            letter = self.letter(message, target)
            send = _SENDERS[TargetKind(target.kind)]
            send(target, letter, at=self._now(), is_private_allowed=self._private_webhooks)
        except Undelivered as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - the edge of a message: another's adapter may raise anything
            return f"It could not be sent ({type(error).__name__})."
        return ""

    def letter(self, message: Outgoing, target: Receiver) -> Letter:
        """Return a message as it is sent to a target: in its language, with the titles documents have now."""
        words = read_words("evolore.server", "messages", Language(target.language)).texts
        facts = {name: value for name, value in message.body.items() if name != "namespace"}
        ids = cast("list[str]", facts.get("documents", []))
        titles = [self._title(target.namespace, one) or words["forgotten"] for one in ids]
        filled = {
            "documents": words["and"].join(titles),
            "namespace": target.namespace,
            "kind": facts.get("kind", ""),
            "percent": facts.get("percent", ""),
            "count": facts.get("count", ""),
        }
        where = words["in_namespace"].format(**filled)
        return Letter(
            id=message.id,
            event=message.event,
            namespace=target.namespace,
            at=message.created_at,
            language=target.language,
            title=words[message.event].format(**filled),
            text=f"{words[f'{message.event}_text'].format(**filled)}\n{where}",
            link=self._link(message),
            facts=facts,
        )

    def _title(self, namespace: str, document_id: str) -> str:
        with suppress(InputError):
            found = self._memories.of(namespace).show(document_id)
            if isinstance(found, Document):
                return " ".join((found.title or found.source).split())[:_MOST_CHARACTERS]
        return ""

    def _link(self, message: Outgoing) -> str:
        if not self._address:
            return ""
        job = message.body.get("job")
        jobs = "running/jobs" if message.event == Notice.JOB_FAILED else "evolution/jobs"
        page = "" if job is None else f"/{jobs}/{quote(str(job), safe='')}"
        return f"{self._address}/admin{page}?{urlencode({'namespace': message.body['namespace']})}"

    def _keep_sending(self) -> None:
        watched_at: datetime | None = None
        while not self._stopped.is_set():
            with self._work:
                seen = self._news
            try:
                at = self._now()
                if watched_at is None or (at - watched_at).total_seconds() >= _WATCH_SECONDS:
                    watched_at = at
                    self._clear(at)
                    self.watch_all()
                if self._begin_sending():
                    continue
            except Exception as error:  # noqa: BLE001 - the edge of a thread that lives as long as the server
                _LOG.warning("Messages wait, the store could not be read or written: %s", type(error).__name__)
            with self._work:
                self._work.wait_for(lambda seen=seen: self._news != seen, timeout=_POLL_SECONDS)

    def _clear(self, at: datetime) -> None:
        """Delete messages that ended long ago, and replies that are kept no longer."""
        if self._pruned_at is None or at - self._pruned_at >= _PRUNE_EACH:
            self._pruned_at = at
            self._service.remove_older(KeptReply, at - REPLIES_KEPT)
        for one in self._service.find(Outgoing, state=(DONE, FAILED), limit=100):
            if one.created_at < at - _KEEP:
                self._service.remove(Outgoing, id=one.id)

    def _begin_sending(self) -> bool:
        """Send a message in a thread of its own, so that a target that does not answer keeps no other waiting."""
        message = self._taken()
        if message is None:
            return False
        with self._lock:
            self._busy.add(message.target_id)
        Thread(target=self._send_alone, args=(message,), name="evolore-message", daemon=True).start()
        return True

    def _send_alone(self, message: Outgoing) -> None:
        try:
            self._send(message)
        except EvoloreError as error:
            _LOG.warning("How a message went could not be written: %s", type(error).__name__)
        finally:
            with self._lock:
                self._busy.discard(message.target_id)
            self.wake()


def event_of(job: EvolutionJob) -> Notice | None:
    """Return the event that a job of evolution causes in its state; None for none."""
    if job.state is JobState.WAITING:
        if job.closing == TRIPPED:
            return Notice.GUARDRAIL_TRIPPED
        return Notice.CANDIDATE_READY if job.decision == "winner" else Notice.NEEDS_PERSON
    return {
        JobState.CANARY: Notice.APPROVED,
        JobState.PROMOTED: Notice.APPROVED,
        JobState.ROLLED_BACK: Notice.ROLLED_BACK,
    }.get(job.state)


def shown_target(target: Receiver) -> dict[str, object]:
    """Return a target as JSON, without secret and without what is secret of its address: that leads to the target itself."""
    parts = urlsplit(target.address)
    host = parts.hostname if target.kind == TargetKind.WEBHOOK else None
    return {**fields_but(target, "secret"), "address": f"{parts.scheme}://{host or ''}…"}
