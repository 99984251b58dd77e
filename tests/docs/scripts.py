"""What the tests use of the scripts in ``docs/``, which are no package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.models.use import UseEmbedder


class Block(Protocol):
    """A fenced block, as ``docs/generate_output.py`` reads it."""

    @property
    def kind(self) -> str: ...

    @property
    def body(self) -> str: ...

    @property
    def file(self) -> str: ...

    @property
    def commands(self) -> list[str]: ...


class Examples(Protocol):
    """What is used of ``docs/generate_output.py``."""

    def blocks(self, page: str) -> list[Block]: ...

    def run(self, page: str, embedder: UseEmbedder) -> Iterator[tuple[Block, str]]: ...

    def is_same(self, shown: str, printed: str) -> bool: ...


class Reference(Protocol):
    """What is used of ``docs/generate_cli.py`` and ``docs/generate_python.py``."""

    def pages(self) -> dict[str, str]: ...


class SettingsTables(Protocol):
    """What is used of ``docs/generate_settings.py``."""

    OF_SEEDS: dict[str, str]

    def page(self, present: str) -> str: ...

    BY_HAND: tuple[str, ...]

    def shown(self, default: object) -> str: ...
    def all_settings(self) -> list[tuple[str, object, str]]: ...


class Requirements(Protocol):
    """What is used of ``docs/generate_seeds.py``."""

    def listed(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]: ...

    def page(self) -> str: ...


class Picture(Protocol):
    """What is used of ``docs/generate_picture.py``."""

    PICTURE: Path

    def picture(self) -> str: ...
