"""``evolore`` and ``python -m evolore``."""

from __future__ import annotations

import gc

_OBJECTS_BETWEEN_COLLECTIONS = 100_000
"""Imports make many objects and no garbage: looking for it after every 700, as Python does, is a sixth of a cold recall."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS, 20, 20)
    from evolore.cli import run  # noqa: PLC0415 - importing the module must run nothing

    run()


if __name__ == "__main__":
    main()
