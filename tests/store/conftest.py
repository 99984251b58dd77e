from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from store.shards import watched

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="session")
def _crossings() -> Iterator[list[str]]:
    with watched() as found:
        yield found


@pytest.fixture(autouse=True)
def _statements_keep_to_one_namespace(_crossings: list[str]) -> Iterator[None]:
    """On a cluster each namespace lies on one node: whatever a test has the store do, no other is asked."""
    yield
    found = list(_crossings)
    _crossings.clear()
    assert found == []
