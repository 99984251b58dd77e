from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

A_TEST = re.compile(r"(tests/[\w/]+\.py)::(\w+)")
THREATS = [f"LLM{number:02}" for number in range(1, 11)]


def rows(page: str) -> list[list[str]]:
    return [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| **LLM")]


def is_test(root: Path, place: str, name: str) -> bool:
    path = root / place
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else ()
    return any(isinstance(one, ast.FunctionDef) and one.name == name for one in found)


def test_every_threat_names_what_holds_it_and_tests_that_exist(pages: dict[str, str], root: Path) -> None:
    table = rows(pages["docs/security.md"])
    assert [row[0].strip().removeprefix("**").partition("**")[0] for row in table] == THREATS
    for row in table:
        assert len(row) == 4, row[0]
        assert all(cell.strip() for cell in row), row[0]
        named = A_TEST.findall(row[3])
        assert named, row[0]
        assert len(named) == row[3].count("::"), "each is written as it is run"
        assert [one for one in named if not is_test(root, *one)] == [], row[0]


def test_a_test_that_is_not_there_is_noticed(root: Path) -> None:
    here = "tests/docs/test_security.py"
    assert is_test(root, here, "test_a_test_that_is_not_there_is_noticed")
    assert not is_test(root, here, "test_that_nobody_wrote")
    assert not is_test(root, "tests/docs/test_nothing.py", "test_a_test_that_is_not_there_is_noticed")


def test_the_policy_says_how_to_report_what_is_supported_and_what_is_not_defended(pages: dict[str, str]) -> None:
    headings = re.findall(r"^#+ (.+)$", pages["SECURITY.md"], re.MULTILINE)
    for wanted in ("Report a weakness", "Supported versions", "Threat model", "Not defended"):
        assert wanted in headings
