"""The words chat models are asked with: versioned files in English, read once."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt_words(name: str, version: int) -> str:
    """Return the words of a prompt in one of its versions.

    What a document or a person says never becomes part of them: it follows as data, see ``text/fences.py``. A change of
    the words is a new file with the next number, and what names a version (caches, notes, figures) distinguishes them.
    """
    return files("evolore.chat").joinpath("prompts", f"{name}_{version}.md").read_text(encoding="utf-8")
