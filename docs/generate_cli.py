"""Write ``docs/cli.md`` from the commands' own help: ``python docs/generate_cli.py``.

With ``--print`` the page goes to standard output instead. A test fails while the page is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from typer.main import get_command
from typer.testing import CliRunner

from evolore.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGE = Path(__file__).resolve().parent / "cli.md"
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PLAIN = {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}

INTRODUCTION = """\
# Command line

`docs/generate_cli.py` writes this page from the commands' own help. Do not edit it by hand: change the command.

Every command that works on a store takes `--store`, `--namespace` and `--json`. The store is, first found wins:
`--store`, the environment variable `EVOLORE_STORE`, the settings file, a folder in the user's data directory. The
namespace is `--namespace`, else `EVOLORE_NAMESPACE`, else the settings file, else `default`
([settings](settings.md)).

`--json` prints one JSON object on standard output. An error is one too, `{"error": {"kind": …, "message": …}}`, unless
the command line itself is wrong. Without `--json`, results go to standard output and messages to standard error. Progress bars appear on a terminal only.

| exit code | meaning |
|---|---|
| 0 | it is done |
| 1 | fix the input; for `add`, at least one file could not be added and the others are; for `verify` and `doctor`, something is wrong |
| 2 | the command line itself is wrong: an unknown command or option, a missing argument |
| 3 | fix the set-up: the store, a setting, the installation |
| 4 | try again later |
| 130 | stopped by Ctrl-C |

[Errors](errors.md) names every error behind the codes 1, 3 and 4.

"""


class Command(Protocol):
    """What of a command is read here."""

    @property
    def commands(self) -> Mapping[str, Command]:
        """The commands below it, where it is a group."""
        ...


def command_paths(command: Command | None = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Give the words of every command, a group before its own."""
    here = command or cast("Command", get_command(app))
    yield path
    for name, below in getattr(here, "commands", {}).items():
        yield from command_paths(below, (*path, name))


def help_text(path: tuple[str, ...]) -> str:
    """Give a command's help as a terminal of 80 columns without colours shows it."""
    result = CliRunner().invoke(app, [*path, "--help"], prog_name="evolore", env=PLAIN)
    lines = [line.rstrip() for line in COLOUR.sub("", result.output).splitlines()]
    return "\n".join(lines).strip("\n")


def page() -> str:
    """Give the whole page."""
    parts = [INTRODUCTION]
    for path in command_paths():
        name = " ".join(("evolore", *path))
        parts.append(f"## {name}\n\n```console\n$ {name} --help\n{help_text(path)}\n```\n\n")
    return "".join(parts).rstrip("\n") + "\n"


if __name__ == "__main__":
    if "--print" in sys.argv:
        sys.stdout.write(page())
    else:
        PAGE.write_text(page(), encoding="utf-8")
