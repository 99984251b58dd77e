"""Every operation with every key: requests that Schemathesis makes of the OpenAPI document find no failure and no status it does not tell."""

from __future__ import annotations

import itertools
import re
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis.errors import Flaky

from evolore.models.offline import HashingEmbedder
from evolore.server import notifications
from evolore.server.app import create_app
from evolore.server.keys import Scope
from evolore.server.memories import Memories
from server.serving import ADDRESS, Served

schemathesis = pytest.importorskip("schemathesis", reason="Schemathesis is not installed: make setup installs it.")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

Described: TypeAlias = Any
"""Schemathesis gives no types."""
_FREE = 10**9
_MOST_URL = 65_536
"""The client sends no longer one."""
_FORGIVEN = frozenset({HTTPStatus.NOT_IMPLEMENTED})
"""A package that is not installed is told so, with the command that installs it."""

_NOT_LOOKED_AT = [
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.function_scoped_fixture,
    HealthCheck.large_base_example,
]
"""How requests are drawn is Schemathesis's matter."""

# The first example is always the simplest there is, so that one alone would try nothing.
_QUICK = settings(
    max_examples=2,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=_NOT_LOOKED_AT,
)
_LONG = settings(_QUICK, max_examples=40)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serve what nobody outside is asked by: jobs wait, messages go nowhere."""
    folder: Path = tmp_path_factory.mktemp("schemathesis")
    kept = notifications._SENDERS
    notifications._SENDERS = dict.fromkeys(kept, lambda *_args, **_more: None)
    app = create_app(Memories(folder / "store", embedder=HashingEmbedder()), rate=f"{_FREE}/second")
    with TestClient(app, base_url=ADDRESS, raise_server_exceptions=False) as http:
        served = Served(app=app, http=http)
        served.house.background.stop(seconds=5)
        http.put("/api/documents", json={"source": "a.md", "text": "Refunds take 7 business days."})
        http.post("/api/answers", json={"question": "How long do refunds take?"})
        yield served
    notifications._SENDERS = kept


@pytest.fixture(scope="module")
def callers(api: Served) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {one.value: api.key(one)[0] for one in Scope}
    elsewhere, _ = api.key(*Scope, namespaces=["elsewhere"])
    return {"no key": {}, **found, "another namespace": {**elsewhere, "Evolore-Namespace": "default"}}


@pytest.fixture(scope="module")
def described(api: Served) -> Described:
    return schemathesis.openapi.from_dict(api.http.get("/api/openapi.json").json())


def sent(api: Served, case: Described, headers: dict[str, str]) -> Described:
    """Send a case as Schemathesis would, to the server in this process."""
    import requests  # noqa: PLC0415 - Schemathesis brings it

    told = case.as_transport_kwargs(base_url=ADDRESS)
    told["headers"] = {**dict(told.get("headers") or {}), **headers}
    made = requests.Request(**{name: told[name] for name in told if name in _OF_REQUEST}).prepare()
    assume(len(str(made.url)) <= _MOST_URL)
    given_body: Any = made.body
    body: bytes = given_body.encode() if isinstance(given_body, str) else given_body or b""
    told_headers = {name: str(value) for name, value in made.headers.items()}
    came = api.http.request(
        str(made.method), str(made.url), content=body, headers=[*told_headers.items()], follow_redirects=False
    )
    responses: dict[str, Any] = case.operation.definition.raw["responses"]
    where = (case.method, made.url, told_headers, body[:500], came.status_code, came.text[:500])
    assert came.status_code < HTTPStatus.INTERNAL_SERVER_ERROR or came.status_code in _FORGIVEN, where
    assert str(came.status_code) in responses, where
    return came, made


_OF_REQUEST = frozenset({"method", "url", "headers", "files", "data", "params", "auth", "cookies", "json"})


def walk(
    api: Served, described: Described, callers: Sequence[dict[str, str]], asked: settings, *, step: int = 1
) -> int:
    """Send requests to every operation, each by every caller, or by every n-th in turn; give how many."""
    count, turns = 0, itertools.count()
    for found in described.get_all_operations():
        operation = found.ok()
        strategy = operation.as_strategy()

        @seed(1)
        @asked
        @given(case=strategy)
        def ask(case: Described) -> None:
            nonlocal count
            for headers in callers[next(turns) % step :: step]:
                count += 1
                sent(api, case, headers)

        ask()
    return count


def follow(
    api: Served, described: Described, callers: dict[str, dict[str, str]], asked: settings, *, rounds: int
) -> dict[str, int]:
    """Follow links: what a request made is looked at, changed and deleted by the next, and every key tries each of these.

    The server remembers what earlier examples did, so an example need not go the same way twice. Hypothesis then ends a
    round; the next begins from another seed.

    Returns:
        Which operations succeeded, and how often.
    """
    found: dict[str, int] = {}
    wrong: list[AssertionError] = []
    machine = described.as_state_machine()

    class Followed(machine):
        def call(self, case: Described, **_kwargs: Described) -> Described:
            try:
                came, made = sent(api, case, callers["admin"])
                for headers in callers.values():
                    sent(api, case, headers)
            except AssertionError as error:
                wrong.append(error)
                raise
            if came.is_success:
                name = str(case.operation.definition.raw["operationId"])
                found[name] = found.get(name, 0) + 1
            return schemathesis.Response(
                status_code=came.status_code,
                headers={name.lower(): [value] for name, value in came.headers.items()},
                content=came.content,
                request=made,
                elapsed=0.1,
                verify=False,
            )

        def validate_response(self, response: Described, case: Described, **_kwargs: Described) -> None:
            pass

    for number in range(rounds):
        seed(number)(Followed)
        with suppress(Flaky, AssertionError):  # it asserts too where a replay goes another way
            Followed.run(settings=asked)
        if wrong:
            raise wrong[0]
    return found


def test_no_request_fails_or_is_answered_otherwise_than_told(
    api: Served, described: Described, callers: dict[str, dict[str, str]]
) -> None:
    every = [*callers.values()]  # one half of them sends a request, the other half the next
    assert walk(api, described, every, _QUICK, step=2) >= 6 * len(api.operations())


@pytest.mark.long
def test_no_request_of_many_fails(api: Served, described: Described, callers: dict[str, dict[str, str]]) -> None:
    assert walk(api, described, [*callers.values()], _LONG) >= 20 * len(callers) * len(api.operations())


def test_what_links_lead_to_does_not_fail(
    api: Served, described: Described, callers: dict[str, dict[str, str]]
) -> None:
    asked = settings(_QUICK, max_examples=4, stateful_step_count=6)
    assert sum(follow(api, described, callers, asked, rounds=1).values()) >= 1


@pytest.mark.long
def test_what_links_lead_to_in_many_steps_does_not_fail(
    api: Served, described: Described, callers: dict[str, dict[str, str]]
) -> None:
    asked = settings(_QUICK, max_examples=10, stateful_step_count=20)
    found = follow(api, described, callers, asked, rounds=10)
    followed = {"statements_show", "schedules_run"}
    assert followed <= found.keys()
    assert sum(found.values()) >= 150


def test_every_link_leads_to_an_operation_and_a_parameter_it_has(api: Served) -> None:
    by_id = {said["operationId"]: (path, said) for _, path, said in api.operations()}
    count = 0
    for _, _, said in api.operations():
        for response in said["responses"].values():
            for link in response.get("links", {}).values():
                path, _ = by_id[link["operationId"]]
                assert set(link["parameters"]) <= set(re.findall(r"{(\w+)}", path))
                count += 1
    assert count >= 30
