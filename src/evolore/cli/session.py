"""What every command shares: its options, the memory it opens, and how its result and its errors are shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from traceback import format_exc
from typing import TYPE_CHECKING, Annotated, cast

import typer

from evolore.cli.printing import visible
from evolore.errors import EvoloreError, InputError, SetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from evolore.memory import Memory

_MEMORY_SHORT = (
    "There is not enough memory for this: give the process more, or do it in smaller parts, such as fewer or smaller "
    "files. What was done before is in the store, whole."
)
EXIT_INPUT = 1
EXIT_USAGE = 2
EXIT_SETUP = 3
EXIT_TRY_AGAIN = 4
EXIT_FAULT = 70
EXIT_INTERRUPTED = 130

StoreOption = Annotated[
    str | None,  # a path would lose a stroke of an address, which is refused
    typer.Option(
        "--store",
        metavar="FOLDER",
        envvar="EVOLORE_STORE",
        help="The store's folder; by default one in your data folder.",
    ),
]
NamespaceOption = Annotated[
    str | None,
    typer.Option("--namespace", envvar="EVOLORE_NAMESPACE", help="The namespace to work in; by default `default`."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]


@dataclass(frozen=True, slots=True)
class Session:
    """One command's run: where it works and how it speaks.

    Args:
        store: The store's folder; None for the settings' one.
        namespace: The namespace; None for the settings' one.
        as_json: Whether to print JSON.
    """

    store: str | None
    namespace: str | None
    as_json: bool

    @contextmanager
    def memory(self) -> Generator[Memory]:
        """Open the memory for the length of a block, and explain what goes wrong in it."""
        from evolore.memory import Memory  # noqa: PLC0415 - `--help` should not pay for it

        with self.explaining(), Memory.open(self.store, namespace=self.namespace) as memory:
            yield memory

    def show(self, value: object, render: Callable[[], None]) -> None:
        """Print a result: as JSON, or by ``render``."""
        if self.as_json:
            print_json(value)
        else:
            render()

    @contextmanager
    def explaining(self) -> Generator[None]:
        """Turn the errors we raise on purpose into a message and an exit code."""
        try:
            yield
        except EvoloreError as error:
            self.complain(error)
            raise typer.Exit(_exit_code(error)) from error
        except KeyboardInterrupt:
            sys.stderr.write("Stopped.\n")
            if self.as_json:
                print_error("KeyboardInterrupt", "Stopped by the user.")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError as error:  # whoever read has seen enough, such as `head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to be written at exit
            raise typer.Exit(EXIT_INPUT) from error
        except MemoryError as error:
            self._tell("MemoryError", _MEMORY_SHORT)
            raise typer.Exit(EXIT_TRY_AGAIN) from error
        except Exception as error:  # the one edge where a fault of ours becomes a message
            sys.stderr.write(format_exc())
            self._tell("Fault", f"This is a fault of Evolore, please report it: {type(error).__name__}: {error}")
            raise typer.Exit(EXIT_FAULT) from error

    def complain(self, error: EvoloreError) -> None:
        """Print an error: as JSON on standard output, or as text on standard error."""
        self._tell(type(error).__name__, visible(str(error)) if not self.as_json else str(error))

    def _tell(self, kind: str, message: str) -> None:
        if self.as_json:
            print_error(kind, message)
        else:
            sys.stderr.write(f"evolore: {message}\n")


def _exit_code(error: EvoloreError) -> int:
    if isinstance(error, InputError):
        return EXIT_INPUT
    return EXIT_SETUP if isinstance(error, SetupError) else EXIT_TRY_AGAIN


def print_json(value: object) -> None:
    """Print a value as one JSON object, in ASCII where the stream cannot show more."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=not is_unicode, indent=2) + "\n")


def print_error(kind: str, message: str) -> None:
    """Print an error as one JSON object."""
    print_json({"error": {"kind": kind, "message": message}})


def plain(value: object) -> object:
    """Turn values into what JSON holds: dataclasses into objects, times into ISO 8601, codes into text."""
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__name__ == "OutlineCode":
            return str(value)
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in cast("list[object]", value)]
    if isinstance(value, (date, Path)):
        return value.isoformat() if isinstance(value, date) else str(value)
    return value
