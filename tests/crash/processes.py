"""Processes that tests start and kill: forked from one that has imported what they run, and has opened no store."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from multiprocessing import forkserver, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkServerContext
    from types import TracebackType

TESTS = Path(__file__).parent.parent
_CRASH = (
    "asker",
    "canary_mover",
    "contender",
    "evolver",
    "integrator",
    "neighbour",
    "promoter",
    "reembedder",
    "stager",
    "worker",
)
_IMPORTED = [*(f"crash.{one}" for one in _CRASH), "serving.job_runner", "serving.message_sender"]


class Started:
    """A process that runs a module's ``main``; its input and output are text, and it is waited for at the end.

    Args:
        module: Which module; imported beforehand.
        arguments: What stands behind its name on a command line.
    """

    def __init__(self, module: str, *arguments: str) -> None:
        context = _context()
        theirs_in, ours_in = context.Pipe(duplex=False)
        ours_out, theirs_out = context.Pipe(duplex=False)
        given = (module, arguments, dict(os.environ), theirs_in, theirs_out)
        self._process = context.Process(target=_run, args=given)
        self._process.start()
        self.stdin = os.fdopen(os.dup(ours_in.fileno()), "w", encoding="utf-8")
        self.stdout = os.fdopen(os.dup(ours_out.fileno()), encoding="utf-8")
        for end in (theirs_in, ours_in, ours_out, theirs_out):
            end.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.wait()

    def kill(self) -> None:
        """Kill it with SIGKILL."""
        self._process.kill()

    def wait(self, timeout: float | None = None) -> None:
        """Wait for its end, at most so many seconds."""
        if timeout is None and not self.stdin.closed:
            self.stdin.close()
        self._process.join(timeout)
        if timeout is None:
            self.stdout.close()

    def communicate(self, text: str = "") -> str:
        """Write the last of its input, and read the rest of its output."""
        self.stdin.write(text)
        self.stdin.close()
        told = self.stdout.read()
        self.wait()
        return told

    @property
    def returncode(self) -> int:
        """How it ended: below 0 by a signal."""
        code = self._process.exitcode
        assert code is not None, "it did not end"
        return code


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload(_IMPORTED)
    before = {name: os.environ.get(name) for name in ("PYTHONPATH", "OMP_NUM_THREADS")}
    os.environ["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    os.environ["OMP_NUM_THREADS"] = "1"
    forkserver.ensure_running()
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value
    return context


def _run(
    module: str, arguments: tuple[str, ...], environment: dict[str, str], given: Connection, told: Connection
) -> None:
    for end, number in ((given, 0), (told, 1)):
        os.dup2(end.fileno(), number)
        end.close()
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [module, *arguments]
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    import_module(module).main()
