"""How names, periods and an estimate of arousal stand in columns: written, and read whatever lies there."""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.domain.periods import Period

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evolore.ports import ItemKeys


def written_keys(keys: ItemKeys) -> dict[str, str]:
    """Write a text's tokens, names and periods as the columns of its payload."""
    return {
        "tokens": " ".join(keys.tokens),
        "names": "\n".join(keys.names),
        "periods": write_periods(keys.periods),
    }


def write_periods(periods: Iterable[Period]) -> str:
    """Write periods.

    >>> write_periods([Period(first=date(2026, 3, 1), last=date(2026, 3, 31))])
    '2026-03-01/2026-03-31'
    """
    return " ".join(f"{period.first.isoformat()}/{period.last.isoformat()}" for period in periods)


def read_names(written: str) -> tuple[str, ...]:
    """Read names back."""
    return tuple(written.split("\n")) if written else ()


def read_periods(written: str) -> tuple[Period, ...] | None:
    """Read periods back; None where what stands there is none."""
    try:
        ends = (map(date.fromisoformat, pair.split("/")) for pair in written.split())
        return tuple(Period(first=first, last=last) for first, last in ends)
    except ValueError:
        return None


@lru_cache(maxsize=4096)  # texts of one time speak of the same days
def read_days(written: str) -> tuple[tuple[int, int], ...]:
    """Read periods back as first and last days, counted as ``date.toordinal`` does; none where what stands there is none.

    What cannot be read is ``doctor``'s to tell and to make anew.
    """
    return tuple((one.first.toordinal(), one.last.toordinal()) for one in read_periods(written) or ())


def read_share(written: object) -> float | None:
    """Read a share back; None where there is none, or what stands there is none."""
    return written if isinstance(written, float) and 0.0 <= written <= 1.0 else None
