"""Wording of stored reasons, which are English, in the language of a page: the forms of sentences are data in ``words``."""

from __future__ import annotations

import re
import tomllib
from ast import literal_eval
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from html import escape, unescape
from importlib.resources import files
from typing import cast

from evolore.server.drawings.markup import Markup
from evolore.server.languages import LANGUAGES

_PART = re.compile(r"\{([a-z_]+)\}")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_TAG = re.compile(r"<[^<>]*>")
_LONGEST = 4_000
_DEEPEST = 12


@cache
def forms() -> Sequence[Mapping[str, str]]:
    """Read the forms of sentences: of several that fit, the first counts. Each has one text a language, with the same parts.

    A part whose name begins with ``reason`` has to fit a form itself, and one with ``said`` may.
    """
    read = tomllib.loads(files("evolore.server").joinpath("pages", "words", "reasons.toml").read_text("utf-8"))
    return cast("Sequence[Mapping[str, str]]", read["form"])


def pattern_of(form: str) -> re.Pattern[str]:
    """Return what reads the parts of a form in linear time: each ends where the words behind it come first."""
    before, *rest = _PART.split(form)
    written = re.escape(before)
    for at, (name, behind) in enumerate(zip(rest[::2], rest[1::2], strict=True), start=1):
        is_last = 2 * at == len(rest)
        words = re.escape(behind)
        written += f"(?P<{name}>.+){words}" if is_last else f"(?>(?P<{name}>.+?){words})"
    return re.compile(written, re.DOTALL)


@cache
def _patterns(language: str) -> Sequence[tuple[re.Pattern[str], Mapping[str, str]]]:
    return [(pattern_of(one[language]), one) for one in forms()]


@lru_cache(maxsize=4096)
def worded(text: str, wanted: str, *, written: str = "en", most: int = 0, is_ours: bool = True) -> Markup:
    """Return a reason in a language; where no form fits, as it was written, with its language.

    Args:
        text: The reason.
        wanted: The language of the page.
        written: The language that it was written in.
        most: So many characters are shown of each part; 0 for all.
        is_ours: Whether no person wrote it.
    """
    written = written if written in LANGUAGES else "en"
    told = None if written == wanted else _told(text, wanted, written, most, _DEEPEST)
    if told is not None:
        return Markup(told)
    shown = escape(_cut(text, most))
    if not is_ours:
        return Markup(f"<bdi>{shown}</bdi>")
    return Markup(shown if written == wanted else f'<span lang="{written}">{shown}</span>')


def plainly(text: str, wanted: str) -> str:
    """Return a reason in a language, without markup."""
    return unescape(_TAG.sub("", worded(text, wanted)))


def _told(text: str, wanted: str, written: str, most: int, depth: int) -> str | None:
    if len(text) > _LONGEST or not depth:
        return None
    for pattern, form in _patterns(written):
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts: dict[str, str | None] = {}
        for name, part in found.groupdict().items():
            told = _told(part, wanted, written, most, depth - 1) if name.startswith(("reason", "said")) else None
            parts[name] = told or (None if name.startswith("reason") else _shown(part, most))
        if None not in parts.values():
            return _PART.sub(lambda name, parts=parts: parts[name[1]] or "", escape(form[wanted]))
    return None


def _shown(part: str, most: int) -> str:
    """Return what others wrote, apart from our words: a quotation without the signs of a programming language."""
    if not _QUOTED.fullmatch(part):
        return f"<bdi>{escape(_cut(part, most))}</bdi>"
    try:
        return f"<q>{escape(_cut(str(literal_eval(part)), most))}</q>"
    except (SyntaxError, ValueError):
        return f"<q>{escape(_cut(part[1:-1], most))}</q>"


def _cut(text: str, most: int) -> str:
    return f"{text[: most - 1].rstrip()}…" if 0 < most < len(text) else text
