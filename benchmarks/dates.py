"""Print how well and how fast dates are found in texts, and what weighing 100,000 items by their dates costs.

    python benchmarks/dates.py [--items 100000] [--peers]

Texts are the hand-written cases of ``tests/text/dates``, one by one, and in pieces of 400 characters the documents of
``demo/documents``. With ``--peers`` the same texts are put to dateparser, datefinder, jionlp and ja-timex, as far as they are
installed. Printed: of how many cases exactly the expected ranges were found, in how many at least one day of them, how
many cases without a date gave one; milliseconds of CPU time for 400 characters; then, for several questions, milliseconds
for the evidence of all items.
"""

from __future__ import annotations

import argparse
import re
from calendar import monthrange
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt

from evolore.domain.language import Language
from evolore.domain.times import AskedTime, Period, TimeSide
from evolore.recall.dates import ItemDates, date_evidence
from evolore.text.dates import mentioned_periods

ROOT = Path(__file__).parent.parent
NOW = datetime(2023, 6, 14, 12, tzinfo=UTC)
Ends = tuple[date, date]
Finder = Callable[[str, str], list[Ends]]
LANGUAGES = ("en", "ja", "zh")


def ours(text: str, language: str) -> list[Ends]:
    """Find dates as Evolore does."""
    return [(one.first, one.last) for one in mentioned_periods(text, language=Language(language), said_at=NOW)]


def peers() -> dict[str, tuple[Finder, tuple[str, ...]]]:
    """Give the finders of what is installed, and their languages."""
    found: dict[str, tuple[Finder, tuple[str, ...]]] = {}
    for name, make in (
        ("dateparser", _dateparser),
        ("datefinder", _datefinder),
        ("jionlp", _jionlp),
        ("ja-timex", _timex),
    ):
        try:
            found[name] = make()
        except ImportError:
            print(f"{name} is not installed")
    return found


def _dateparser() -> tuple[Finder, tuple[str, ...]]:
    search: Any = __import__("dateparser.search", fromlist=["search_dates"]).search_dates

    def find(text: str, language: str) -> list[Ends]:
        hits = search(text, languages=[language], settings={"RELATIVE_BASE": NOW.replace(tzinfo=None)})
        return [(moment.date(), moment.date()) for _, moment in hits or ()]

    return find, LANGUAGES


def _datefinder() -> tuple[Finder, tuple[str, ...]]:
    find_dates: Any = __import__("datefinder").find_dates

    def find(text: str, _: str) -> list[Ends]:
        return [(moment.date(), moment.date()) for moment in find_dates(text, base_date=NOW.replace(tzinfo=None))]

    return find, ("en",)


def _jionlp() -> tuple[Finder, tuple[str, ...]]:
    extract: Any = __import__("jionlp").ner.extract_time

    def find(text: str, _: str) -> list[Ends]:
        times = (one["detail"].get("time") for one in extract(text, time_base=NOW.timestamp()))
        pairs: list[list[Any]] = [time for time in times if isinstance(time, list)]
        spans = [[re.match(r"(\d+)-(\d+)-(\d+)", str(end)) for end in time] for time in pairs]
        days = [[date(*map(int, end.groups())) if end else None for end in span] for span in spans if len(span) == 2]
        return [(first or date.min, last or date.max) for first, last in days if first or last]

    return find, ("zh",)


def _timex() -> tuple[Finder, tuple[str, ...]]:
    parser: Any = __import__("ja_timex").TimexParser(
        reference=__import__("pendulum").datetime(NOW.year, NOW.month, NOW.day, tz="UTC")
    )

    def find(text: str, _: str) -> list[Ends]:
        ends: list[Ends] = []
        for one in parser.parse(text):
            if re.fullmatch(r"\d{4}(-\d\d){0,2}", one.value or ""):
                ends.append((_end(one.value, is_last=False), _end(one.value, is_last=True)))
            elif (moment := one.to_datetime()) is not None:
                day = date(moment.year, moment.month, moment.day)
                ends.append((day, day))
        return ends

    return find, ("ja",)


def _end(text: str, *, is_last: bool) -> date:
    parts = [int(part) for part in text.split("-")]
    year, month = parts[0], parts[1] if len(parts) > 1 else (12 if is_last else 1)
    return date(year, month, parts[2] if len(parts) > 2 else (monthrange(year, month)[1] if is_last else 1))


def _expected(word: str) -> Ends:
    first, dots, last = word.partition("..")
    last = last if dots else first
    return (_end(first, is_last=False) if first else date.min, _end(last, is_last=True) if last else date.max)


def cases(language: str) -> list[tuple[str, list[Ends]]]:
    """Read the hand-written texts and what they speak of."""
    path = ROOT / "tests" / "text" / "dates" / f"cases_{language}.txt"
    fields = [[field.strip() for field in line.split(" | ")] for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        (one[1], [] if one[2] == "none" else sorted(map(_expected, one[2].split()))) for one in fields if one[0] == "m"
    ]


def pieces(language: str) -> list[str]:
    """Cut the documents of the demo into 400 characters each."""
    text = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "demo" / "documents" / language).glob("*.md")))
    return [text[start : start + 400] for start in range(0, len(text), 400)][:100]


def judge(name: str, find: Finder, language: str) -> None:
    """Print a line of counts and time."""
    exact = touched = dated = false = empty = failed = 0
    for text, expected in cases(language):
        try:
            found = sorted(find(text, language))
        except Exception:  # noqa: BLE001 - a peer may raise anything, and that is counted
            failed, found = failed + 1, []
        dated, empty = dated + bool(expected), empty + (not expected)
        exact += bool(expected) and found == expected
        touched += bool(expected) and any(one[0] <= expected[0][1] and one[1] >= expected[0][0] for one in found)
        false += not expected and bool(found)
    texts, began = pieces(language), process_time()
    for text in texts:
        try:
            find(text, language)
        except Exception:  # noqa: BLE001 - likewise
            failed += 1
    each = 1000 * (process_time() - began) / len(texts)
    print(f"{name:12}{language:4}{exact:6}{touched:8}{dated:5}{false:7}{empty:6}{failed:8}{each:10.3f}")


def weigh(items: int) -> None:
    """Print what the evidence of all items costs, by what is asked."""
    random = np.random.default_rng(0)
    counts = random.poisson(1.3, items)
    count = int(counts.sum())
    first: npt.NDArray[np.int32] = random.integers(693_596, 739_617, count, dtype=np.int32)  # 1900 to 2025
    dates = ItemDates(
        occurred=np.where(random.random(items) < 0.5, random.integers(735_000, 740_000, items), 0).astype(np.int32),
        starts=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        first=first,
        last=first + random.choice(np.array([0, 30, 364, 1825], dtype=np.int32), count),
    )
    year = (Period(first=date(2012, 1, 1), last=date(2012, 12, 31)),)
    for name, asked in {
        "a day": AskedTime(periods=(Period(first=date(2015, 5, 8), last=date(2015, 5, 8)),)),
        "a year": AskedTime(periods=year),
        "a century": AskedTime(periods=(Period(first=date(1901, 1, 1), last=date(2000, 12, 31)),)),
        "before a year": AskedTime(periods=year, relation=TimeSide.BEFORE),
        "when": AskedTime(asks_when=True),
    }.items():
        spent: list[float] = []
        for _ in range(30):
            began = process_time()
            date_evidence(asked, dates)
            spent.append(1000 * (process_time() - began))
        print(f"{name:16}{median(spent):8.2f} ms for {items:,} items and {count:,} periods")


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--peers", action="store_true")
    given = parser.parse_args()
    print(f"{'':12}{'':4}{'exact':>6}{'touched':>8}{'of':>5}{'false':>7}{'of':>6}{'failed':>8}{'ms/400':>10}")
    for language in LANGUAGES:
        ours("2019", language)
        judge("evolore", ours, language)
    for name, (find, languages) in (peers() if given.peers else {}).items():
        for language in languages:
            judge(name, find, language)
    weigh(given.items)


if __name__ == "__main__":
    main()
