"""Common parts of every command: its options, the memory it opens, and how its result and its errors are shown."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import Parameter, Signature, signature
from traceback import format_exc
from typing import TYPE_CHECKING, Annotated, cast

import typer
from typer import Argument, Option

from evolore.domain.metadata import MAX_NAMES, MetadataValue
from evolore.domain.query import AskOptions
from evolore.domain.result import to_json
from evolore.domain.times import read_moment
from evolore.errors import EvoloreError, InputError, InvalidValue, SetupError
from evolore.text.display import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evolore.memory import Memory

_MEMORY_SHORT = (
    "There is not enough memory for this: allow the process more, or do it in smaller parts, such as fewer or smaller "
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
    Option(
        "--store",
        metavar="FOLDER|ADDRESS",
        envvar="EVOLORE_STORE",
        help="The store's folder, or postgresql://user@host/database; by default a folder in your data folder.",
    ),
]
NamespaceOption = Annotated[
    str | None,
    Option("--namespace", envvar="EVOLORE_NAMESPACE", help="The namespace to work in; by default `default`."),
]
JsonOption = Annotated[bool, Option("--json", help="Print one JSON object instead of text.")]


@dataclass(frozen=True, slots=True)
class CliRun:
    """One command's run: where it works and how it speaks."""

    store: str | None  #: The store's folder or address; None for the settings' one.
    namespace: str | None  #: The namespace; None for the settings' one.
    as_json: bool  #: Whether to print JSON.

    @contextmanager
    def memory(self) -> Generator[Memory]:
        """Open the memory for the length of a block, and explain what goes wrong in it."""
        from evolore.memory import Memory  # noqa: PLC0415 - `--help` should not pay for it

        with self.explaining(), Memory.open(self.store, namespace=self.namespace) as memory:
            yield memory

    def show(self, value: object, render: Callable[[], Iterable[RenderableType] | None]) -> None:
        """Print a result: as JSON, or by ``render``, which prints it or returns its lines."""
        from evolore.cli.printing import print_lines  # noqa: PLC0415 - JSON needs none

        if self.as_json:
            print_json(value)
        else:
            print_lines(render() or ())

    @contextmanager
    def explaining(self) -> Generator[None]:
        """Turn the errors we raise on purpose into a message and an exit code."""
        try:
            yield
        except EvoloreError as error:
            self.complain(error)
            kinds = {InputError: EXIT_INPUT, SetupError: EXIT_SETUP}
            code = next((code for kind, code in kinds.items() if isinstance(error, kind)), EXIT_TRY_AGAIN)
            raise typer.Exit(code) from error
        except KeyboardInterrupt:
            sys.stderr.write("Stopped.\n")
            if self.as_json:
                print_error("KeyboardInterrupt", "Stopped by the user.")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError as error:  # the reader has seen enough, such as `head`
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


def print_json(value: object) -> None:
    """Print a value as one JSON object, in ASCII where the stream cannot show more."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    sys.stdout.write(json.dumps(to_json(value), ensure_ascii=not is_unicode, indent=2) + "\n")


def print_error(kind: str, message: str) -> None:
    """Print an error as one JSON object."""
    print_json({"error": {"kind": kind, "message": message}})


MetaOption = Annotated[
    list[str] | None,
    Option(
        "--meta",
        metavar="NAME=VALUE",
        help="Metadata to file it under: a text, a number, true or false. May be repeated.",
    ),
]
SyncOption = Annotated[
    str | None, Option(metavar="[report|forget]", help="What to do about documents whose files left the folders.")
]
TagOption = Annotated[list[str] | None, Option("--tag", metavar="TAG", help="A tag to file it under. May be repeated.")]
NoMetaOption = Annotated[bool, Option("--no-meta", help="Remove all metadata it was filed under.")]
NoTagsOption = Annotated[bool, Option("--no-tags", help="Remove all tags it was filed under.")]
WhereOption = Annotated[
    list[str] | None, Option("--where", metavar="NAME=VALUE", help="Only what has this metadata. May be repeated.")
]
WithTagOption = Annotated[
    list[str] | None, Option("--tag", metavar="TAG", help="Only what has this tag. May be repeated.")
]
SinceOption = Annotated[
    str | None, Option(help="Only what happened, or else was recorded, then or later. UTC without a zone.")
]
UntilOption = Annotated[
    str | None, Option(help="Only what happened, or else was recorded, before then. UTC without a zone.")
]
QuestionArgument = Annotated[str, Argument(help="What you want to know; `-` reads it from standard input.")]
AsOfOption = Annotated[
    str | None,
    Option(
        help="The moment to ask from: what came later is not seen. UTC without a zone; by default now, in the zone "
        "of this machine."
    ),
]
OfSessionOption = Annotated[str | None, Option("--session", help="Only statements of this conversation.")]
OfSpeakerOption = Annotated[str | None, Option("--speaker", help="Only statements of this speaker.")]
OfSourceOption = Annotated[
    str | None, Option("--source", help="Only passages of this document, or of the documents in this folder.")
]
BelowOption = Annotated[
    str | None,
    Option(
        "--path",
        help="Only passages at or below this outline code of --source, such as 1.2, or below these headings, such as "
        '"Handbook > Going live".',
    ),
]
DepthOption = Annotated[
    int | None, Option("--depth", help="Prefer passages this deep in their outlines, from 1 for the top.")
]
AlsoOption = Annotated[
    list[str] | None,
    Option(
        "--also",
        metavar="NAMESPACE",
        help="A further namespace of the store to read; nothing is written there. May be repeated.",
    ),
]
AskedByOption = Annotated[
    str | None, Option("--by", metavar="NAME", help="On whose behalf it is asked; kept if it is recorded.")
]
ByOption = Annotated[str | None, Option("--by", metavar="NAME", help="On whose behalf; it is kept in the events.")]
EpisodeArgument = Annotated[str, Argument(metavar="EPISODE", help="A statement's or passage's id, or its beginning.")]
DocumentArgument = Annotated[
    str, Argument(metavar="DOCUMENT", help="A document: its id, the beginning of it, its source, or its file's path.")
]
ForceOption = Annotated[bool, Option("--force", help="Overwrite the file.")]


def session_of(store: StoreOption = None, namespace: NamespaceOption = None, as_json: JsonOption = False) -> CliRun:
    """Return the run of a command."""
    return CliRun(store, namespace, as_json)


def ask_options(
    as_of: AsOfOption = None,
    where: WhereOption = None,
    tag: WithTagOption = None,
    session_name: OfSessionOption = None,
    speaker: OfSpeakerOption = None,
    source: OfSourceOption = None,
    path: BelowOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    depth: DepthOption = None,
    by: AskedByOption = None,
    also: AlsoOption = None,
) -> AskOptions:
    """Read what narrows a question."""
    return AskOptions(
        as_of=read_moment(as_of, "--as-of"),
        where=read_pairs(where, "--where"),
        tags=tag or (),
        session=session_name,
        speaker=speaker,
        source=source,
        path=path,
        since=read_moment(since, "--since"),
        until=read_moment(until, "--until"),
        depth=depth,
        principal=by,
        also=also or (),
    )


def command(run: Callable[..., None]) -> Callable[..., None]:
    """Return a command as typer reads it.

    Where it takes a ``session`` or ``asked``, its options are declared once, by ``session_of`` and ``ask_options``; those
    of the session come last.
    """
    own = signature(run, eval_str=True).parameters
    of_session, of_asked = (signature(one, eval_str=True).parameters for one in (session_of, ask_options))
    listed: list[Parameter] = []
    for name, parameter in own.items():
        listed += of_asked.values() if name == "asked" else [] if name == "session" else [parameter]
    listed += of_session.values() if "session" in own else ()

    def call(**given: object) -> None:
        taken = {name: given.pop(name) for name in of_session if name in given}
        if "session" not in own:
            return run(**given)
        session = cast("CliRun", cast("Callable[..., object]", session_of)(**taken))
        if "asked" in own:
            narrowing = {name: given.pop(name) for name in of_asked}
            with session.explaining():
                given["asked"] = cast("Callable[..., object]", ask_options)(**narrowing)
        return run(session=session, **given)

    return as_command(call, run, listed)


def as_command(
    call: Callable[..., None], run: Callable[..., object], listed: Sequence[Parameter]
) -> Callable[..., None]:
    """Return what typer calls, with the name and description of what it runs, and with parameters as they are declared."""
    call.__name__, call.__doc__ = run.__name__, run.__doc__
    call.__annotations__ = {one.name: one.annotation for one in listed}
    vars(call)["__signature__"] = Signature([one.replace(kind=Parameter.KEYWORD_ONLY) for one in listed])
    return call


def read_pairs(pairs: Sequence[str] | None, option: str) -> dict[str, MetadataValue]:
    """Read what was written as ``name=value``.

    ``true`` and ``false`` are bools, what is written as JSON writes a number is a number, and the rest is text: so
    ``1.5`` is a number, and ``1.50``, ``007`` and ``"1.5"`` in double quotes are texts.

    Raises:
        InvalidValue: There is no ``=``, or a name occurs twice.

    >>> read_pairs(["year=2024", "team=ops", 'version="1.5"', "done=true"], "--meta")
    {'year': 2024, 'team': 'ops', 'version': '1.5', 'done': True}
    """
    read: dict[str, MetadataValue] = {}
    for pair in pairs or ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise InvalidValue(f"{option} {pair!r} has no value: write it as {option} name=value.")
        if name in read:
            raise InvalidValue(f"{option} names {name!r} twice: use each of at most {MAX_NAMES} names once.")
        read[name] = _read_value(value)
    return read


def refuse_both(given: Sequence[str] | None, option: str, is_cleared: bool, clearing: str) -> None:  # noqa: FBT001 - a flag of the command line
    """Refuse to file something under labels and to take them away at once."""
    if given and is_cleared:
        raise InvalidValue(f"{option} {given[0]!r} and {clearing} exclude each other: leave one out.")


def _read_value(value: str) -> MetadataValue:
    try:
        parsed: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(parsed, str):
        return parsed
    if not isinstance(parsed, (bool, int, float)) or not math.isfinite(parsed):
        return value
    return parsed if json.dumps(parsed) == value else value


def write_pairs(metadata: Mapping[str, MetadataValue]) -> str:
    """Write metadata as it would be given, with commas between.

    >>> write_pairs({"team": "ops", "version": "1.5", "year": 2024})
    'team=ops, version="1.5", year=2024'
    """
    return ", ".join(f"{name}={_write_value(value)}" for name, value in metadata.items())


def _write_value(value: MetadataValue) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _read_value(value) == value else json.dumps(value, ensure_ascii=False)
