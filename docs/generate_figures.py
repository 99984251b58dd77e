"""Write ``docs/figures.md`` from ``docs/figures.toml``: ``python docs/generate_figures.py``."""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import tomllib
from itertools import groupby
from pathlib import Path

DOCS = Path(__file__).resolve().parent
HEAD = """# All figures

Generated from `docs/figures.toml` by `docs/generate_figures.py`. [Protocols](protocols.md) explains the sets and what is counted; commit
and date say when a value was printed or last written here. Values in one cell are in the order that the claim names. Public sets are not part of this repository.
`DOCUMENTS` and `FOLDER` are folders of yours.
"""
TABLE = "| figure | value | command | commit | date |\n|---|---|---|---|---|\n"


def rows() -> list[dict[str, str]]:
    """Read the figures, in the order of the file."""
    return tomllib.loads((DOCS / "figures.toml").read_text(encoding="utf-8"))["figure"]


def line(row: dict[str, str]) -> str:
    """Render one figure as a row of its table."""
    value = f"{row['value']} {row['unit']}".strip()
    return f"| {row['what']} | {value} | `{row['command']}` | {row['commit']} | {row['date']} |\n"


def page() -> str:
    """Render the whole page."""
    groups = groupby(rows(), key=lambda row: row["group"])
    return HEAD + "".join(f"\n## {group}\n\n{TABLE}{''.join(map(line, members))}" for group, members in groups)


if __name__ == "__main__":
    (DOCS / "figures.md").write_text(page(), encoding="utf-8")
