"""The command line."""

from evolore.cli.app import app, run

__all__ = ["app", "run"]
