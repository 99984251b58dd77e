"""What needs the pages' bundle, which only `make setup` makes."""

from __future__ import annotations

import pytest

from evolore.server.pages.page import assets

bundled = pytest.mark.skipif("alone.css" not in assets(), reason="the pages are not bundled: run `make setup`")
