"""Observation of a running server: figures for Prometheus, and a line of JSON a request, without a word of text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from time import perf_counter
from typing import Protocol, TextIO, cast

import structlog
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from evolore.server.house import House, route_of
from evolore.store.service import CANCELLED, DONE, FAILED, RUNNING, STOPPING, WAITING, ApiKey, BackgroundJob, Outgoing

_STATES: tuple[tuple[str, str, type, tuple[str, ...]], ...] = (
    ("evolore_jobs", "Background jobs by state.", BackgroundJob, (WAITING, RUNNING, STOPPING, DONE, FAILED, CANCELLED)),
    ("evolore_messages", "Messages to targets by state.", Outgoing, (WAITING, RUNNING, DONE, FAILED)),
)
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_UNKNOWN = "unknown"
_METHODS = frozenset(("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"))


class LogForm(StrEnum):
    """In which form requests are logged."""

    OFF = "off"
    JSON = "json"


class RequestLog(Protocol):
    """Logs requests."""

    def info(self, event: str, /, **more: object) -> None:
        """Log one."""
        ...


class Metrics:
    """Counts requests, and reads what waits in the store when it is asked."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._registry = CollectorRegistry()
        self._registry.register(self)
        labels = ("route", "method", "status")
        self._requests = Counter("evolore_requests", "Requests.", labels, registry=self._registry)
        self._latency = Histogram(
            "evolore_request_seconds",
            "How long requests took.",
            ("route", "method"),
            registry=self._registry,
            buckets=_SECONDS,
        )

    def describe(self) -> Iterable[GaugeMetricFamily | CounterMetricFamily]:
        """Name nothing beforehand: nothing is read before somebody asks."""
        return ()

    def collect(self) -> Iterable[GaugeMetricFamily | CounterMetricFamily]:
        """Count jobs and messages, and what was not noted."""
        notes = self._house.notes
        yield CounterMetricFamily("evolore_notes_dropped", "Audit lines let go of.", value=notes.dropped)
        yield CounterMetricFamily("evolore_notes_failures", "How often notes could not be written.", notes.failures)
        for name, meaning, kind, states in _STATES:
            family = GaugeMetricFamily(name, meaning, labels=("state",))
            for state in states:
                family.add_metric((state,), self._house.service.count(kind, state=state))
            yield family

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, method, str(status)).inc()
        self._latency.labels(route, method).observe(seconds)

    def text(self) -> bytes:
        """Return all of it in the text form of Prometheus."""
        return generate_latest(self._registry)


def request_log(form: LogForm, stream: TextIO | None = None) -> RequestLog | None:
    """Return what logs requests to a stream, by default standard error; None for nothing."""
    if form is LogForm.OFF:
        return None
    processors = [structlog.processors.TimeStamper(fmt="iso", utc=True), structlog.processors.JSONRenderer()]
    return structlog.wrap_logger(structlog.PrintLogger(stream or sys.stderr), processors=processors)


class Observed:
    """Counts and logs each request: its route and never its path, which may name documents; no header, no body."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, log: RequestLog | None) -> None:
        self._app, self._metrics, self._log = app, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, began = 500, perf_counter()

        async def noted(event: Event) -> None:
            nonlocal status
            if event["type"] == "http.response.start":
                status = event["status"]
            await send(event)

        try:
            await self._app(scope, receive, noted)
        finally:
            self._note(scope, status, perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = route_of(scope) or _UNKNOWN
        method = str(scope["method"])
        method = method if method in _METHODS else _UNKNOWN  # else clients could create rows without end
        self._metrics.count(route, method, status, seconds)
        if self._log is not None:
            key = cast("ApiKey | None", scope.get("state", {}).get("key"))
            self._log.info(
                "request",
                method=method,
                route=route,
                status=status,
                ms=round(seconds * 1000, 1),
                key=None if key is None else key.id,
            )
