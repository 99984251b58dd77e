"""The list of requirements of the source documents: whole, true to the code, and the page that is made of it."""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from evolore import config
from evolore.cli import app

if TYPE_CHECKING:
    from pathlib import Path

    from docs.scripts import Requirements, SettingsTables

COUNT = 166
SOURCES = ("000", "001", "002", "003", "004")


@cache
def functions_of(path: Path) -> frozenset[str]:
    return frozenset(
        one.name for one in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(one, ast.FunctionDef)
    )


def test_the_list_is_complete_and_in_order(requirements: Requirements) -> None:
    found, _ = requirements.listed()
    assert [one["number"] for one in found] == list(range(1, COUNT + 1))
    assert [one["source"] for one in found] == sorted(one["source"] for one in found)
    assert tuple(dict.fromkeys(one["source"] for one in found)) == SOURCES


def test_the_page_is_the_one_that_is_generated(requirements: Requirements, pages: dict[str, str]) -> None:
    assert pages["docs/seeds.md"] == requirements.page(), "run python docs/generate_seeds.py"


def test_each_requirement_is_said_in_few_words_and_each_departure_has_its_reason(requirements: Requirements) -> None:
    states = Counter[str]()
    for one in requirements.listed()[0]:
        states[one["state"]] += 1
        assert one["state"] in {"whole", "departs"}, one
        assert ("why" in one) is (one["state"] == "departs"), one
        assert 0 < len(one["asks"].split()) <= 15, one
        assert one.get("why", ".").endswith("."), one
        assert "|" not in one["asks"] + one.get("why", ""), one
    assert states["whole"] >= 150


def test_each_requirement_names_a_module_and_a_test_that_the_suite_runs(requirements: Requirements, root: Path) -> None:
    for one in requirements.listed()[0]:
        assert one["module"].startswith("src/evolore/"), one
        assert (root / one["module"]).is_file(), one
        path, _, name = one["shown_by"].partition("::")
        assert path.startswith("tests/"), one
        assert name.startswith("test_"), one
        assert name in functions_of(root / path), one


def test_a_setting_is_there_and_a_value_beside_it_is_not_the_default(
    requirements: Requirements, settings_tables: SettingsTables
) -> None:
    defaults = {name: default for name, default, _ in settings_tables.all_settings()} | {"score_log": None}
    for one in requirements.listed()[0]:
        name, _, value = one.get("setting", "").partition(" = ")
        if not name:
            continue
        assert name in defaults, one
        if value:
            assert tomllib.loads(f"value = {value}")["value"] != defaults[name], one


def test_a_command_is_one_that_is_there(requirements: Requirements, root: Path) -> None:
    runner = CliRunner()
    paths = "\n".join(path.read_text(encoding="utf-8") for path in (root / "src/evolore/server/routes").glob("*.py"))
    for command in {one["command"] for one in requirements.listed()[0] if "command" in one}:
        first, *words = command.split()
        if first == "evolore":
            options = [word for word in words if word.startswith("--")]
            names = words[: words.index(options[0])] if options else words
            said = runner.invoke(app, [*names, "--help"], env={"COLUMNS": "200"})
            assert said.exit_code == 0, command
            assert all(option in said.output for option in options), command
        elif first == "python":
            assert (root / words[0]).is_file(), command
        else:
            assert first in {"GET", "POST", "PUT"}, command
            last = words[0].removeprefix("/api").split("/")[-1]
            assert re.search(rf'(?:prefix=|\.{first.lower()}\(\s*)"[^"]*{last}"', paths), command


def test_each_parameter_of_a_source_is_a_setting_or_refused_with_its_reason(
    requirements: Requirements, settings_tables: SettingsTables
) -> None:
    names = {name for name, _, _ in settings_tables.all_settings()}
    _, parameters = requirements.listed()
    assert {one["source"] for one in parameters} == set(SOURCES)
    for one in parameters:
        assert one["settings"], one
        for name in one["settings"]:
            assert (name in names) is not (name in config.REFUSED), one
    told = {config.REFUSED.get(name) for one in parameters for name in one["settings"]}
    assert {reason for reason in config.REFUSED.values() if reason.startswith("it has no effect")} <= told
