"""The command line: ``run`` runs it, ``app`` is all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from evolore.cli.commands import run, whole

if TYPE_CHECKING:
    app: typer.Typer

__all__ = ["app", "run"]


def __getattr__(name: str) -> object:
    if name == "app":
        return whole()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
