"""Wording of stored reasons, which are English, in the language of a page: the forms of sentences are data in ``words``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape, unescape
from importlib.resources import files

from evolore.server.drawings.markup import Markup

_PART, _TAG, _QUOTED = re.compile(r"\{([a-z_]+)\}"), re.compile(r"<[^<>]*>"), re.compile(r"'[^']*'|\"[^\"]*\"")
_LONGEST, _DEEPEST = 4_000, 12


@cache
def forms() -> Sequence[Mapping[str, str]]:
    """Read the forms of sentences: of several that fit, the first counts. Each has one text a language, with the same parts.

    A part whose name begins with ``reason`` has to fit a form itself, and one with ``said`` may.
    """
    return tomllib.loads(files("evolore.server.pages").joinpath("words", "reasons.toml").read_text("utf-8"))["form"]


def pattern_of(form: str) -> re.Pattern[str]:
    """Return what reads the parts of a form in linear time: each ends where the words behind it come first."""
    before, *rest = _PART.split(form)
    ends = [f"(?P<{rest[at]}>.+?){re.escape(rest[at + 1])}" for at in range(0, len(rest), 2)]
    return re.compile("".join((re.escape(before), *(f"(?>{one})" for one in ends[:-1]), *ends[-1:])), re.DOTALL)


@cache
def _patterns(language: str) -> Sequence[tuple[re.Pattern[str], Mapping[str, str]]]:
    return [(pattern_of(one.get(language, one["en"])), one) for one in forms()]


@lru_cache(maxsize=4096)
def worded(text: str, wanted: str, *, written: str = "en", most: int = 0, is_ours: bool = True) -> Markup:
    """Return a reason in a language; where no form fits, as it was written, with its language.

    Args:
        text: The reason.
        wanted: The language of the page.
        written: The language that it was written in; of another than those of the forms it is English.
        most: So many characters are shown of each part; 0 for all.
        is_ours: Whether no person wrote it.
    """
    told = None if written == wanted else _told(text, wanted, written, most, _DEEPEST)
    return Markup(told or _tagged(f'span lang="{written}"' if is_ours else "bdi", text, most))


def plainly(wanted: str) -> Callable[[str], str]:
    """Return what words a reason in a language, without markup."""
    return lambda text: unescape(_TAG.sub("", worded(text, wanted)))


def _told(text: str, wanted: str, written: str, most: int, depth: int) -> str | None:
    for pattern, form in _patterns(written) if len(text) <= _LONGEST and depth else ():
        if found := pattern.fullmatch(text):
            parts = {key: _part(key, one, wanted, written, most, depth - 1) for key, one in found.groupdict().items()}
            if None not in parts.values():
                return _PART.sub(lambda name, parts=parts: parts[name[1]] or "", escape(form[wanted]))
    return None


def _part(name: str, part: str, wanted: str, written: str, most: int, depth: int) -> str | None:
    """Return a part of a reason; of what others wrote a quotation has no signs of a programming language."""
    told = _told(part, wanted, written, most, depth) if name.startswith(("reason", "said")) else None
    if told or name.startswith("reason"):
        return told
    return _tagged("q", part[1:-1], most) if _QUOTED.fullmatch(part) else _tagged("bdi", part, most)


def _tagged(tag: str, text: str, most: int) -> str:
    shown = f"{text[: most - 1].rstrip()}…" if 0 < most < len(text) else text
    return f"<{tag}>{escape(shown)}</{tag.split(maxsplit=1)[0]}>"
