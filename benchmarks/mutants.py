"""Print how many small faults that are put into the code the tests find, and show those that live.

    python benchmarks/mutants.py [--count 200] [--seed 1] [--notes FOLDER] [--only episodes]

First the quick tests of the systems, flows and store run once, and it is noted which test runs which line (kept in FOLDER, and
used again). Then places are drawn from the code of episodes, recall, the gates of evolution, undoing and erasing: a comparison is
turned, an ``and`` becomes an ``or``, a condition its opposite, a number another, a sum a difference, a result None. With each fault in a
copy of the code the tests run that run its line, the shortest first, until one fails, then those that hold what is decided of
our own sets. A fault that no test runs lives.

The bar is 85 %. Those that live are printed, to be read: some change nothing that can be seen. ``--count 1`` tries it out.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
TARGETS = (
    "src/evolore/episodes/*.py",
    "src/evolore/recall/*.py",
    "src/evolore/evolution/gates/*.py",
    "src/evolore/store/undo.py",
    "src/evolore/store/erasure.py",
    "src/evolore/store/evolution_erasure.py",
    "src/evolore/flows/forget.py",
)
TESTS = ("tests/episodes", "tests/recall", "tests/evolution", "tests/flows", "tests/store")
PINNED = ("tests/evaluation/test_pinned.py",)
"""What is run where the others find nothing: what was decided of the project's own sets."""
MOST_TESTS = 40
MOST_SECONDS = 60.0
GRACE_SECONDS = 120
BAR = 0.85
TURNED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
EXCHANGED: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A small fault.

    Args:
        path: The file, from the root.
        line: Where it is.
        before: What stands there.
        after: What stands there instead.
        text: The whole file with it.
    """

    path: str
    line: int
    before: str
    after: str
    text: str


def faults_of(path: Path) -> Iterator[Fault]:
    """Give every fault that can be put into a file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    named = str(path.relative_to(ROOT))
    for node, new in _changes(tree):
        before = ast.get_source_segment(source, node)
        assert before is not None
        after = f"({ast.unparse(ast.fix_missing_locations(new))})"
        yield Fault(path=named, line=node.lineno, before=before, after=after, text=_replaced(source, node, after))


def _changes(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in _code(tree):
        match node:
            case ast.Constant():
                yield from ((node, ast.Constant(value=other)) for other in _another(node.value))
            case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(
                test, (ast.Compare, ast.BoolOp, ast.UnaryOp)
            ):
                yield test, ast.UnaryOp(op=ast.Not(), operand=test)
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                yield value, ast.Constant(value=None)
            case ast.expr():
                yield from ((node, other) for other in _turned(node))
            case _:
                pass


def _turned(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=comparators) if type(op) in TURNED:
            yield ast.Compare(left=left, ops=[TURNED[type(op)]()], comparators=comparators)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(op=ast.Or() if isinstance(op, ast.And) else ast.And(), values=values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.BinOp(left=left, op=op, right=right) if type(op) in EXCHANGED and not _is_text(left, right):
            yield ast.BinOp(left=left, op=EXCHANGED[type(op)](), right=right)
        case _:
            pass


def _another(value: object) -> Iterator[bool | int | float]:
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case float():
            yield value * 1.5 + 0.1
        case _:
            pass


def _code(tree: ast.Module) -> Iterator[ast.AST]:
    """Give what runs: no annotation, no docstring, nothing for the type checker alone."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        match node:
            case ast.AnnAssign(target=target, value=value):
                waiting += [target, *([value] if value else [])]
            case ast.FunctionDef(body=body, args=arguments):
                waiting += [*body, *arguments.defaults, *(one for one in arguments.kw_defaults if one)]
            case ast.ClassDef(body=body):
                waiting += body
            case ast.Expr(value=ast.Constant()) | ast.JoinedStr():
                continue
            case _:
                waiting += ast.iter_child_nodes(node)


def _is_text(*sides: ast.expr) -> bool:
    return any(
        isinstance(one, ast.JoinedStr) or (isinstance(one, ast.Constant) and isinstance(one.value, str))
        for one in sides
    )


def _replaced(source: str, node: ast.expr, after: str) -> str:
    lines = source.splitlines(keepends=True)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    first = lines[node.lineno - 1].encode()[: node.col_offset].decode()
    last = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode()
    return "".join([*lines[: node.lineno - 1], first + after + last, *lines[node.end_lineno :]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """What was noted of the tests.

    Args:
        tests: Which tests run each line of each file.
        seconds: How long each test takes.
    """

    tests: Mapping[tuple[str, int], Sequence[str]]
    seconds: Mapping[str, float]

    def of(self, fault: Fault) -> list[str]:
        """Give the tests that run a fault, the shortest first, as many as there is time for."""
        chosen: list[str] = []
        left = MOST_SECONDS
        running = self.tests.get((fault.path, fault.line)) or self._of_file(fault.path)
        for test in sorted(running, key=lambda one: self.seconds.get(one, 1.0)):
            left -= self.seconds.get(test, 1.0)
            if chosen and (left < 0 or len(chosen) >= MOST_TESTS):
                break
            chosen.append(test)
        return chosen

    def _of_file(self, path: str) -> frozenset[str]:
        """Give the tests that run anything of a file: what runs when it is imported was noted for none."""
        return frozenset(test for (one, _), tests in self.tests.items() if one == path for test in tests)


def noted(folder: Path) -> Notes:
    """Give what the tests run, by running them once where that is not noted."""
    data, report = folder / "coverage", folder / "report.xml"
    if not (data.exists() and report.exists()):
        folder.mkdir(parents=True, exist_ok=True)
        print("Running the tests once, to note what each runs …", flush=True)
        command = (
            *(sys.executable, "-m", "pytest", "-q", "-m", "not long", "-p", "no:randomly", "-p", "no:xdist", *TESTS),
            *("--cov=evolore.episodes", "--cov=evolore.recall", "--cov=evolore.evolution", "--cov=evolore.store"),
            *("--cov=evolore.flows", "--cov-context=test", "--cov-report=", f"--junitxml={report}"),
        )
        subprocess.run(
            command, cwd=ROOT, env=_environment(ROOT, COVERAGE_FILE=str(data)), check=True, stdout=sys.stderr
        )
    return Notes(tests=_lines(data), seconds=_seconds(report))


def _environment(root: Path, **more: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(root / "src"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"} | more


def _lines(data: Path) -> dict[tuple[str, int], list[str]]:
    found: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    reading = sqlite3.connect(data)
    arcs = "select path, context, fromno, tono from arc join file on file.id = arc.file_id join context on context.id = arc.context_id"
    for path, context, *numbers in reading.execute(arcs):
        name = context.partition("|")[0]
        for number in numbers:
            if name and number > 0:
                found[str(Path(path).relative_to(ROOT)), number].add(name)
    reading.close()
    return {place: sorted(names) for place, names in found.items()}


def _seconds(report: Path) -> dict[str, float]:
    took: dict[str, float] = {}
    for case in ET.parse(report).iter("testcase"):
        place = case.get("classname", "").replace(".", "/")
        for path in (f"{place}.py", f"{place.rpartition('/')[0]}.py"):
            took[f"{path}::{case.get('name')}"] = float(case.get("time", "1"))
    return took


def is_found(fault: Fault, tests: Sequence[str], copy: Path) -> bool:
    """Tell whether any of some tests fails with a fault."""
    place = copy / fault.path
    whole = place.read_text(encoding="utf-8")
    place.write_text(fault.text, encoding="utf-8")
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:randomly",
        "-m",
        "not long",
        "--rootdir",
        str(copy),
    )
    try:
        done = subprocess.run(
            (*command, *(str(copy / test) for test in tests)),
            cwd=copy,
            env=_environment(copy),
            capture_output=True,
            timeout=MOST_SECONDS + GRACE_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(
            f"{fault.path}:{fault.line}: {fault.before!r} -> {fault.after!r}: tests did not end, counted as found",
            flush=True,
        )
        return True
    finally:
        place.write_text(whole, encoding="utf-8")
    return done.returncode != 0


def copied(folder: Path) -> Path:
    """Copy what the tests need."""
    for name in ("src", "tests", "demo", "docs", "benchmarks", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def main() -> None:
    """Run the benchmark; leave with 1 where the bar is missed."""
    parser = argparse.ArgumentParser(description="Small faults that tests find.")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--only", default="", help="Only files whose path holds this.")
    told = parser.parse_args()
    notes = noted(told.notes)
    paths = [path for pattern in TARGETS for path in sorted(ROOT.glob(pattern)) if told.only in str(path)]
    every = [fault for path in paths for fault in faults_of(path)]
    drawn = Random(told.seed).sample(every, min(told.count, len(every)))
    living: list[Fault] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = copied(Path(folder) / "copy")
        for number, fault in enumerate(drawn, start=1):
            tests = notes.of(fault)
            if not (tests and is_found(fault, tests, copy)) and not is_found(fault, PINNED, copy):
                living.append(fault)
                why = "" if tests else "no test runs it: "
                print(f"{fault.path}:{fault.line}: {why}{fault.before!r} -> {fault.after!r}", flush=True)
            if number % 20 == 0:
                print(f"{number} tried, {number - len(living)} found", flush=True)
    found = len(drawn) - len(living)
    print(
        f"{found} of {len(drawn)} found, {100 * found / len(drawn):.1f} % (bar {100 * BAR:g}); {len(every):,} could be made"
    )
    sys.exit(int(found < BAR * len(drawn)))


if __name__ == "__main__":
    main()
