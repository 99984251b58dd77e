"""Size is a budget: what ships may not grow.

``tests/data/size.toml`` holds a row for each folder. ``python tests/test_size.py --write`` lowers the rows that are too high.
With ``--why TEXT`` it also raises those that are too low, and notes the text in them, as long as the total does not rise.
Without the file it writes every row as it is.
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "tests" / "data" / "size.toml"
SHIPPED = ("evolore", "evolore_evaluation")
TOTAL = "total"
SLACK = {"files": 0, "lines": 40, "code": 20}
"""A row may stand so far above what is there; beyond, it has to be lowered."""
WRITE = "python tests/test_size.py --write"

Size: TypeAlias = dict[str, int]
"""Files, lines, and lines of code: those that hold more than blanks, comments and docstrings."""


def code_lines(source: str) -> int:
    """Count the lines of code; a string that stands alone is a docstring."""
    lines = enumerate(source.splitlines(), start=1)
    held = {number for number, line in lines if line.strip() and not line.lstrip().startswith("#")}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            held.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(held)


@cache
def measure(root: Path = ROOT / "src") -> dict[str, Size]:
    """Measure what ships, by row: a folder of the package, its own files, the evaluation, and the total."""
    sizes: defaultdict[str, Size] = defaultdict(lambda: dict.fromkeys(SLACK, 0))
    for package in SHIPPED:
        for path in sorted((root / package).rglob("*.py")):
            inside = path.relative_to(root).parts[1:-1] if package == SHIPPED[0] else ()
            source = path.read_text(encoding="utf-8")
            code = code_lines(source)
            for row in ("/".join((package, *inside[:1])), TOTAL):
                sizes[row]["files"] += 1
                sizes[row]["lines"] += source.count("\n")
                sizes[row]["code"] += code
    return dict(sorted(sizes.items(), key=lambda one: (one[0] == TOTAL, one[0])))


def read_rows(path: Path = ROWS) -> dict[str, dict[str, int | str]]:
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def compared(
    rows: Mapping[str, Mapping[str, int | str]], sizes: Mapping[str, Size]
) -> Iterator[tuple[str, str, int, int]]:
    """Compare each number: its row, its name, what the row allows and what is there."""
    for row in dict.fromkeys((*rows, *sizes)):
        for name in SLACK:
            yield row, name, int(rows.get(row, {}).get(name, 0)), sizes.get(row, {}).get(name, 0)


def write(path: Path, sizes: Mapping[str, Size], *, why: str = "") -> list[str]:
    """Write the rows, and return those that are still too low.

    Args:
        path: The file; without it every row is written as it is.
        sizes: What is there.
        why: Why rows rise, which is noted in them; empty for no row rises. The total never does.
    """
    rows = read_rows(path)
    if not rows:
        _save(path, {row: dict[str, int | str](size) for row, size in sizes.items()})
        return []
    rising = {row for row, _, allowed, there in compared(rows, sizes) if there > allowed}
    raised = rising if why and TOTAL not in rising else set[str]()
    made: dict[str, dict[str, int | str]] = {}
    for row, size in sizes.items():
        old = rows.get(row, {})
        numbers = size if row in raised else {name: min(size[name], int(old.get(name, 0))) for name in SLACK}
        note = why if row in raised else old.get("why")
        made[row] = {**numbers, **({"why": note} if note else {})}
    _save(path, made)
    return sorted(rising - raised)


def _save(path: Path, rows: Mapping[str, Mapping[str, int | str]]) -> None:
    lines = [f"# {WRITE} lowers these rows; the total never rises."]
    for row, values in rows.items():
        written = ", ".join(f"{name} = {_quoted(one) if isinstance(one, str) else one}" for name, one in values.items())
        lines.append(f'"{row}" = {{ {written} }}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _quoted(text: str) -> str:
    return '"' + " ".join(text.replace("\\", "/").replace('"', "'").split()) + '"'


def test_nothing_that_ships_grows_beyond_its_row() -> None:
    over = [
        f"{row}: {name} {allowed} -> {there}"
        for row, name, allowed, there in compared(read_rows(), measure())
        if there > allowed
    ]
    what = f'lower another row in the same commit, and say in the row why it rose: {WRITE} --why "…"'
    assert not over, f"The total may not rise; of a folder that grows, {what}\n" + "\n".join(over)


def test_rows_fall_with_what_ships() -> None:
    high = [
        f"{row}: {name} {allowed} -> {there}"
        for row, name, allowed, there in compared(read_rows(), measure())
        if there < allowed - SLACK[name]
    ]
    assert not high, f"Lower these rows: {WRITE}\n" + "\n".join(high)


def test_blanks_comments_and_docstrings_are_no_code() -> None:
    source = '''"""A module
of two lines."""
# A comment.

LIMIT = 3  # with a comment
"""What it limits."""


def text() -> str:
    """Give it."""
    return """first
second"""
'''
    assert code_lines(source) == 4


def test_rows_rise_only_with_a_reason_and_the_total_never(tmp_path: Path) -> None:
    path = tmp_path / "size.toml"

    def size(lines: int) -> Size:
        return {"files": 1, "lines": lines, "code": lines}

    def lines(row: str) -> int | str:
        return read_rows(path)[row]["lines"]

    assert write(path, {"a": size(50), "b": size(50), TOTAL: size(100)}) == []
    assert write(path, {"a": size(60), "b": size(30), TOTAL: size(90)}) == ["a"]
    assert (lines("a"), lines("b"), lines(TOTAL)) == (50, 30, 90)
    assert write(path, {"a": size(60), "b": size(30), TOTAL: size(90)}, why='it took over "b"') == []
    assert (lines("a"), read_rows(path)["a"]["why"]) == (60, "it took over 'b'")
    assert write(path, {"a": size(60), "b": size(40), TOTAL: size(100)}, why="more") == ["b", TOTAL]
    assert (lines("b"), lines(TOTAL)) == (30, 90)
    assert write(path, {"a": size(20), TOTAL: size(20)}) == []
    assert read_rows(path).keys() == {"a", TOTAL}


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description="Print the size of what ships, by folder.")
    asked.add_argument("--write", action="store_true", help="lower the rows that are too high")
    asked.add_argument("--why", default="", metavar="TEXT", help="raise those that are too low, and note why in them")
    given = asked.parse_args()
    found = measure()
    for name, numbers in found.items():
        sys.stdout.write(f"{name:24}" + "".join(f"{number:9,} {what}" for what, number in numbers.items()) + "\n")
    left = write(ROWS, found, why=given.why) if given.write else []
    sys.exit(f"These grew beyond their rows: {', '.join(left)}" if left else 0)
