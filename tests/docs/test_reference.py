from __future__ import annotations

import re
import shlex
import tomllib
from typing import TYPE_CHECKING, Protocol, cast

import pytest
from typer.main import get_command

import evolore
from evolore import (
    EvoloreError,
    config,
    errors,
)
from evolore.cli import app
from evolore.cli.session import EXIT_INPUT, EXIT_INTERRUPTED, EXIT_SETUP, EXIT_TRY_AGAIN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from docs.scripts import Examples, Reference, SettingsTables

HELP = {"-h", "--help"}
LARGEST_BYTES = 25_000
"""What is longer is not read."""


class Parameter(Protocol):
    """What is read of a command's parameter."""

    param_type_name: str
    opts: list[str]


class Command(Protocol):
    """What is read of a command."""

    params: list[Parameter]


def commands(command: Command | None = None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Command]]:
    here = command or cast("Command", get_command(app))
    yield path, here
    below = cast("Mapping[str, Command]", getattr(here, "commands", {}))
    for name, inner in below.items():
        yield from commands(inner, (*path, name))


def options(command: Command) -> set[str]:
    found = [one for one in command.params if one.param_type_name == "option"]
    negated = {name for one in found for name in cast("list[str]", getattr(one, "secondary_opts", []))}
    return negated | {name for one in found for name in one.opts}


def error_classes(base: type[EvoloreError] = EvoloreError) -> Iterator[type[EvoloreError]]:
    yield base
    for below in base.__subclasses__():
        if below.__module__ == errors.__name__:  # a server's refusal of a request is no error of the library
            yield from error_classes(below)


def below(pages: dict[str, str], name: str) -> dict[str, str]:
    """Give a reference's first page and those in its folder, by their places below ``docs``."""
    return {
        place.removeprefix("docs/"): page
        for place, page in pages.items()
        if place == f"docs/{name}.md" or place.startswith(f"docs/{name}/")
    }


def test_the_command_line_pages_are_current(pages: dict[str, str], reference: Reference) -> None:
    assert below(pages, "cli") == reference.pages(), "run: python docs/generate_cli.py"


@pytest.mark.parametrize("name", ["cli", "python"])
def test_a_page_of_a_reference_can_be_read(pages: dict[str, str], name: str) -> None:
    assert [place for place, page in below(pages, name).items() if len(page.encode()) > LARGEST_BYTES] == []


def test_the_command_line_pages_are_plain_and_narrow(pages: dict[str, str]) -> None:
    for page in below(pages, "cli").values():
        assert "\x1b" not in page
        for block in re.findall(r"^```console\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
            assert max(map(len, block.splitlines())) <= 80


def test_every_command_stands_on_one_page(pages: dict[str, str]) -> None:
    titles = [
        title for page in below(pages, "cli").values() for title in re.findall(r"^## (evolore.*)$", page, re.MULTILINE)
    ]
    assert sorted(titles) == sorted(" ".join(("evolore", *path)) for path, _ in commands())


def test_every_command_and_option_is_named(pages: dict[str, str]) -> None:
    page = "".join(below(pages, "cli").values())
    for path, command in commands():
        title = " ".join(("evolore", *path))
        section = page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
        assert section, title
        assert not [name for name in options(command) if name not in section], title


def test_every_command_is_shown_in_use(pages: dict[str, str], examples: Examples) -> None:
    used = {
        line
        for name, page in pages.items()
        if not name.startswith("docs/cli")
        for block in examples.blocks(page)
        for line in block.commands
    }
    leaves = [path for path, command in commands() if path and not getattr(command, "commands", None)]
    assert not [path for path in leaves if not any(line.startswith(" ".join(("evolore", *path))) for line in used)]


def test_shell_lines_use_commands_and_options_that_exist(pages: dict[str, str], examples: Examples) -> None:
    known = dict(commands())
    for page in pages.values():
        for block in examples.blocks(page):
            for line in block.commands:
                words = shlex.split(line)
                if words[0] != "evolore":
                    continue
                path = tuple(words[1:3]) if tuple(words[1:3]) in known else tuple(words[1:2])
                path = path if path in known else ()
                named = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
                assert path or named, line
                assert named <= options(known[path]) | HELP, line


def test_commands_named_in_prose_exist(pages: dict[str, str]) -> None:
    known = {path[0] for path, _ in commands() if path}
    for name, page in pages.items():
        for word in re.findall(r"`evolore ([a-z][a-z-]*)", page):
            assert word in known, f"{name}: evolore {word}"


def test_the_python_pages_are_current(pages: dict[str, str], python_reference: Reference) -> None:
    assert below(pages, "python") == python_reference.pages(), "run: python docs/generate_python.py"


def test_every_public_name_has_its_section(pages: dict[str, str]) -> None:
    python = "".join(below(pages, "python").values())
    titles = re.findall(r"^## (\w+)$", python, re.MULTILINE)
    assert sorted(titles) == sorted(evolore.__all__)


def test_the_settings_page_is_current(pages: dict[str, str], settings_tables: SettingsTables) -> None:
    page = pages["docs/settings.md"]
    assert page == settings_tables.page(page), "run: python docs/generate_settings.py"


def test_every_setting_is_named_with_its_variable_and_default(
    pages: dict[str, str], settings_tables: SettingsTables
) -> None:
    page = pages["docs/settings.md"]
    for name in settings_tables.BY_HAND:
        assert f"| `{name}` | `EVOLORE_{name.upper()}` |" in page
    tables = {name.partition(".")[0] for name, *_ in settings_tables.all_settings()}
    assert tables | set(settings_tables.BY_HAND) == set(config.Settings.model_fields)
    for name, default, _ in settings_tables.all_settings():
        variable = f"EVOLORE_{name}".replace(".", "__").upper()
        assert f"| `{name}` | `{variable}` | {settings_tables.shown(default)} |" in page


def test_every_variable_of_the_settings_page_is_read(pages: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for table, name, default in re.findall(
        r"`EVOLORE_(CHUNKING|TIERS|EPISODES)__(\w+)` \| ([\d.]+) \|", pages["docs/settings.md"]
    ):
        present = getattr(getattr(config.load(), table.lower()), name.lower())
        assert present == float(default)
        monkeypatch.setenv(f"EVOLORE_{table}__{name}", "not a number")
        with pytest.raises(errors.InvalidSetting, match=name.lower()):
            config.load()
        monkeypatch.delenv(f"EVOLORE_{table}__{name}")


def test_the_example_settings_file_loads(
    pages: dict[str, str], examples: Examples, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    [block] = [block for block in examples.blocks(pages["docs/settings.md"]) if block.kind == "toml"]
    (tmp_path / "config.toml").write_text(block.body, encoding="utf-8")
    monkeypatch.setenv("EVOLORE_CONFIG", str(tmp_path / "config.toml"))
    written, read = tomllib.loads(block.body), config.load()
    assert read.namespace == written["namespace"]
    assert str(read.store) == written["store"]
    for table, values in written.items():
        for name, value in cast("dict[str, object]", values).items() if isinstance(values, dict) else ():
            assert getattr(getattr(read, table), name) == value


def test_every_error_stands_in_the_tree_and_in_a_table(pages: dict[str, str]) -> None:
    page = pages["docs/errors.md"]
    tree = page.partition("```text\n")[2].partition("```")[0]
    for error in error_classes():
        assert re.search(rf"\b{error.__name__}\b", tree), error
        if not error.__subclasses__() or error is errors.InvalidValue:
            assert f"| `{error.__name__}` |" in page


def test_the_tree_of_errors_is_the_tree_of_classes(pages: dict[str, str]) -> None:
    tree = pages["docs/errors.md"].partition("```text\n")[2].partition("```")[0]
    above: list[tuple[int, str]] = []
    for line in tree.splitlines():
        name = re.search(r"[A-Z]\w+", line)
        assert name
        above = [(depth, other) for depth, other in above if depth < name.start()]
        parents = [base.__name__ for base in getattr(errors, name[0]).__bases__]
        assert not above or above[-1][1] in parents, line
        above.append((name.start(), name[0]))


def test_the_pages_name_no_error_that_does_not_exist(pages: dict[str, str]) -> None:
    known = {error.__name__ for error in error_classes()} | {"ValueError", "ImportError"}
    rows = re.findall(r"^\| `(\w+)` \|", pages["docs/errors.md"], re.MULTILINE)
    assert set(rows) <= known


def test_the_exit_codes_are_those_of_the_program(pages: dict[str, str]) -> None:
    for code in (0, EXIT_INPUT, 2, EXIT_SETUP, EXIT_TRY_AGAIN, EXIT_INTERRUPTED):
        for page in ("docs/errors.md", "docs/cli.md"):
            assert f"\n| {code} | " in pages[page]
