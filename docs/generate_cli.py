"""Write ``docs/cli.md`` and the pages in ``docs/cli`` from the commands' own help: ``python docs/generate_cli.py``.

A test fails while a page is not current, or where a command is on no page.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from typer.main import get_command
from typer.testing import CliRunner

from evolore.cli import app

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DOCS = Path(__file__).resolve().parent
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PLAIN = {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}

SUBJECTS = {
    "adding": (
        "Adding and forgetting",
        "Put documents and statements in, and take them out for good.",
        ("add", "watch", "remember", "correct", "mirror", "forget", "expire"),
    ),
    "asking": (
        "Asking and rating",
        "Find passages and statements, get an answer, and rate it.",
        ("recall", "answer", "rate", "profile"),
    ),
    "looking": (
        "Looking and undoing",
        "See what is there and what happened, undo a change, and let the memory tidy itself.",
        ("list", "show", "stats", "history", "undo", "maintain"),
    ),
    "outline": ("Outline", "See how a document was cut, and what is joined with a passage.", ("outline",)),
    "questions": ("Questions", "See the questions that were asked, and what they taught.", ("questions",)),
    "page": ("Standing pages", "Keep questions answered by pages of quotes.", ("page",)),
    "review": ("Review", "Go through what waits for a person.", ("review",)),
    "evolution": (
        "Evolution: deciding",
        "Have badly rated documents rewritten, look at each rewrite, and accept, refuse or undo it.",
        (
            "evolve",
            "evolution",
            *(f"evolution {name}" for name in ("jobs", "show", "diff", "approve", "reject", "rollback", "canary")),
        ),
    ),
    "evolution-records": (
        "Evolution: looking back",
        "Complaints, candidates, figures and past rewrites, and writing a text back to its file.",
        tuple(
            f"evolution {name}"
            for name in ("gaps", "generations", "write", "stats", "history", "candidates", "feedback")
        ),
    ),
    "store": ("Store", "Check, audit, repair, back up, upgrade and re-embed a store.", ("store",)),
    "store-moving": (
        "Store: copy, export, import",
        "Copy, export and import a store, and move namespaces over its schemas.",
        tuple(f"store {name}" for name in ("copy", "shards", "move-namespace", "export", "export-subject", "import")),
    ),
    "serving": ("Serving", "Run the server or the MCP tools, and hand out keys.", ("serve", "server", "mcp")),
    "agents": ("Coding agents", "Connect coding agents by hooks and over MCP, and take it back.", ("agent",)),
    "evaluate": (
        "Evaluate: texts and ranking",
        "Measure cutting, ranking by age, and retrieval.",
        (
            "evaluate",
            *(f"evaluate {name}" for name in ("segmentation", "chunks", "staleness", "retrieval")),
        ),
    ),
    "evaluate-memory": (
        "Evaluate: memory and answers",
        "Measure merging, learning and answers.",
        tuple(f"evaluate {name}" for name in ("pairs", "learning", "answers")),
    ),
    "demo": ("Demo", "Watch a document being rewritten, on pages that come along.", ("demo",)),
}
"""Of each page its title, what it is for, and its commands. A group brings along those below it that no page names."""

INTRODUCTION = """\
# Command line

Each page shows the `--help` of the commands of one subject. To rename a namespace, see
[Rename a namespace](moving.md#rename-a-namespace).

"""
COMMON = """\
## Common options

Every command on a store takes these; the first that is set wins:

| what | option | variable | else |
|---|---|---|---|
| store | `--store` | `EVOLORE_STORE` | the [settings file](settings.md), a folder in your data directory |
| namespace | `--namespace` | `EVOLORE_NAMESPACE` | the settings file, `default` |

`--json` prints one JSON object on standard output, also for an error: `{"error": {"kind": …, "message": …}}`. Without it, results go to
standard output and messages to standard error.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | fix the input; `add`: a file was not added; `verify`, `doctor`: something is wrong |
| 2 | the command line is wrong |
| 3 | fix the set-up: the store, a setting, the installation |
| 4 | try again later |
| 130 | stopped by Ctrl-C |

[All errors](errors.md). `docs/generate_cli.py` writes these pages: change the command, not the page.

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


def subject_of(path: tuple[str, ...]) -> str:
    """Give the page of a command: the one that names it, else its group's; the program itself is on the first."""
    for length in range(len(path), 0, -1):
        for subject, (_, _, names) in SUBJECTS.items():
            if " ".join(path[:length]) in names:
                return f"cli/{subject}.md"
    return "cli.md"


def title(path: tuple[str, ...]) -> str:
    """Give a command as it is typed."""
    return " ".join(("evolore", *path))


def section(path: tuple[str, ...]) -> str:
    """Give what a page says of a command."""
    return f"## {title(path)}\n\n```console\n$ {title(path)} --help\n{help_text(path)}\n```\n\n"


def overview(paths: list[tuple[str, ...]]) -> str:
    """Give the table of the pages and their commands."""
    lines = ["| page | what it is for | commands |", "|---|---|---|"]
    for subject, (name, purpose, _) in SUBJECTS.items():
        place = f"cli/{subject}.md"
        shown = [
            f"[`{' '.join(path)}`]({place}#{title(path).replace(' ', '-')})"
            for path in paths
            if subject_of(path) == place
        ]
        lines.append(f"| [{name}]({place}) | {purpose} | {', '.join(shown)} |")
    return "\n".join(lines) + "\n\n"


def pages() -> dict[str, str]:
    """Give every page by its place below ``docs``."""
    paths = list(command_paths())
    made = {
        f"cli/{subject}.md": f"# {name}\n\n{purpose} All commands: [command line](../cli.md).\n\n"
        for subject, (name, purpose, _) in SUBJECTS.items()
    }
    made["cli.md"] = INTRODUCTION + overview(paths) + COMMON
    for path in paths:
        made[subject_of(path)] += section(path)
    return {place: page.rstrip("\n") + "\n" for place, page in made.items()}


if __name__ == "__main__":
    for place, page in pages().items():
        (DOCS / place).parent.mkdir(exist_ok=True)
        (DOCS / place).write_text(page, encoding="utf-8")
