from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser.chromium import opened_once

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True, scope="module")
def _one_browser() -> Iterator[None]:
    """Start Chromium once for the tests of a file; each has contexts of its own. Playwright's loop bars others, so that it ends with the file."""
    with opened_once():
        yield
