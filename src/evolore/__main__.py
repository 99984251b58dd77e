"""``evolore`` and ``python -m evolore``."""

from __future__ import annotations


def main() -> None:
    """Run the command line."""
    from evolore.cli import run  # noqa: PLC0415 - importing the module must run nothing

    run()


if __name__ == "__main__":
    main()
