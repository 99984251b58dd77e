"""Further namespaces over the server: read where the key may enter them, and else refused without a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.server.keys import Scope

if TYPE_CHECKING:
    from server.serving import Served

ALSO = {"question": "When are laptops replaced?", "also": ["company"]}


@pytest.fixture
def shared(served: Served) -> Served:
    with served.house.memories.of("company") as memory:
        memory.remember("Laptops are replaced after four years.")
    return served


@pytest.mark.parametrize("path", ["/api/recall", "/api/answers"])
def test_a_key_for_both_reads_both(shared: Served, path: str) -> None:
    header, _ = shared.key(Scope.READ, namespaces=["me", "company"])

    reply = shared.http.post(path, json=ALSO, headers=header)
    assert reply.is_success
    assert "four years" in reply.text
    assert "four years" not in shared.http.post(path, json={"question": ALSO["question"]}, headers=header).text


@pytest.mark.parametrize("path", ["/api/recall", "/api/answers"])
@pytest.mark.parametrize("name", ["company", "nowhere"])
def test_a_key_for_one_is_refused_alike_whether_the_other_is_there(shared: Served, path: str, name: str) -> None:
    header, _ = shared.key(Scope.READ, namespaces=["me"])

    reply = shared.http.post(path, json={**ALSO, "also": [name]}, headers=header)
    assert reply.status_code == 403
    assert name not in reply.text
    assert "a right to the namespace asked for" in reply.json()["detail"]


def test_a_key_without_bounds_reads_any(shared: Served) -> None:
    header, _ = shared.key(Scope.READ)

    assert "four years" in shared.http.post("/api/recall", json=ALSO, headers=header).text
