"""How many examples a law is tried on: few at every change, many in ``make test-long``."""

from __future__ import annotations

from hypothesis import settings


def tried(quick: int, *, long: int) -> int:
    """Give one number or the other, by what runs."""
    return long if settings.get_current_profile_name() == "long" else quick
