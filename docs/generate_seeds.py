"""Write ``docs/seeds.md`` from the requirements in ``docs/seeds.toml``: ``python docs/generate_seeds.py``.

A test runs over the list, and fails while the page is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from evolore.config import REFUSED

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "seeds.md"
LIST = DOCS / "seeds.toml"
SOURCES = {
    "000": "splitting by conflict (コンフリクトベース自動分裂機能仕様)",
    "001": "time decay that knows arousal (Arousal-Aware Time Decay 研究メモ)",
    "002": "cutting along the chain of logic (逻辑链分片技术文档)",
    "003": "documents that evolve (GA進化システム)",
    "004": "timing of query edges (クエリエッジのタイミング設計分析)",
}
WHOLE, DEPARTS = "whole", "departs"
CODE, TESTS = "src/evolore/", "tests/"
PREFACE = """\
# Requirements of the source documents

Evolore grew from five documents, four in Japanese and one in Chinese (002). They ask for {count} things, listed here: {whole} are
whole, {departs} depart.

- **whole**: what is asked happens, by default or with the setting beside it. The mechanism may be another one.
- **departs**: the effect differs; the row names the figure or decision that chose it.

*Where* is a module below `{code}`, with the setting or command. A setting with a value differs from its default. *Shown
by* is a test below `{tests}`. To change a row, edit `docs/seeds.toml` and run `python docs/generate.py`.

| source | requirements | whole | depart |
|---|---|---|---|
"""
PARAMETERS = """
## Parameters

Each parameter that a source names is a [setting](settings.md), or is refused with a reason.

| source | parameter | setting |
|---|---|---|
"""


class Requirement(TypedDict):
    """One thing that a source asks for."""

    number: int  #: Its place in the list, from 1.
    source: str  #: ``000`` to ``004``.
    section: str  #: The source's own section.
    asks: str  #: What is asked, in at most 15 words.
    state: str  #: ``whole`` or ``departs``.
    why: NotRequired[str]  #: Why it departs: a figure or a decision.
    setting: NotRequired[str]  #: The setting that holds it; with a value where the default is another one.
    command: NotRequired[str]  #: The command, or the route, that shows it.
    module: str  #: Where it is.
    shown_by: str  #: The test that shows it.


class Parameter(TypedDict):
    """A parameter that a source names."""

    source: str  #: ``000`` to ``004``.
    name: str  #: As the source writes it.
    settings: list[str]  #: Its settings, or the one name that is refused with a reason.


def listed() -> tuple[list[Requirement], list[Parameter]]:
    """Return the requirements and the parameters."""
    read = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return cast("list[Requirement]", read["requirement"]), cast("list[Parameter]", read["parameter"])


def row(one: Requirement) -> str:
    """Return the row of a requirement."""
    module = one["module"].removeprefix(CODE)
    where = "; ".join(f"`{text}`" for text in (module, one.get("setting"), one.get("command")) if text)
    state = f"departs: {one['why']}" if "why" in one else one["state"]
    cells = (str(one["number"]), one["section"], one["asks"], state, where, f"`{one['shown_by'].removeprefix(TESTS)}`")
    return f"| {' | '.join(cells)} |"


def parameter_row(one: Parameter) -> str:
    """Return the row of a parameter."""
    names = ", ".join(f"`{name}`" for name in one["settings"])
    reason = REFUSED.get(one["settings"][0])
    return f"| {one['source']} | `{one['name']}` | {names}{f': refused, {reason}' if reason else ''} |"


def lines(requirements: Sequence[Requirement], parameters: Sequence[Parameter]) -> Iterator[str]:
    """Yield the page, part by part."""
    states = Counter(one["state"] for one in requirements)
    counts = {"count": len(requirements), "whole": states[WHOLE], "departs": states[DEPARTS]}
    yield PREFACE.format(**counts, code=CODE, tests=TESTS)
    for source, title in SOURCES.items():
        states = Counter(one["state"] for one in requirements if one["source"] == source)
        yield f"| {source}, {title} | {states.total()} | {states[WHOLE]} | {states[DEPARTS]} |\n"
    for source, title in SOURCES.items():
        yield f"\n## {source} – {title}\n\n| # | section | asks | state | where | shown by |\n|---|---|---|---|---|---|\n"
        yield from (f"{row(one)}\n" for one in requirements if one["source"] == source)
    yield PARAMETERS
    yield from (f"{parameter_row(one)}\n" for one in parameters)


def page() -> str:
    """Return the whole page."""
    return "".join(lines(*listed()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
