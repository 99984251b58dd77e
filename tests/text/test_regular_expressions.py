"""No regular expression of the package may take more than linear time on any text that a user gives."""

# ruff: noqa: ANN401 - the parser of expressions has no types

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pkgutil
import re
import time
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import pytest

import evolore
from evolore.domain.language import Language
from evolore.server.languages import LANGUAGES
from evolore.server.pages.reasons import forms as reason_forms
from evolore.server.pages.reasons import pattern_of as pattern_of_reason
from evolore.text.changes import ChangeWording, pattern_of
from evolore.text.contrasts import slot_words_of, words_of
from evolore.text.secret_signs import pattern_of as pattern_of_secrets
from evolore.text.secret_signs import shapes
from evolore.text.values.marks import limits
from evolore.text.warning_signs import SUBJECTS, signs_of
from laws import tried

_parser: Final = importlib.import_module("re._parser")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import ModuleType

_SIZES: Final = (500, 1000, 2000)
_STEEP: Final = 9.0  # four times the text takes four times as long; a square takes 16 times
_FLOOR_SECONDS: Final = 0.001  # a line takes a tenth of this; a square of the cheapest steps takes four times as long
_ANCHORED: Final = frozenset({"match", "fullmatch"})
_REPEATED: Final = (
    *(
        "1",
        "12,345.",
        "1:",
        "1/",
        "1-",
        "1 ",
        "1 a ",
        "１",
        "1年",
        "2024-01-01 ",
        "10:30 ",
        "一",
        "一二三",
        "一1",
        "一百円",
    ),
    *(
        " ",
        "\n",
        "\r\n",
        " \n",
        "\u3000",
        "a\n",
        "# ",
        "- ",
        "> ",
        "[",
        "](",
        "![a](",
        "[a](b",
        "(",
        ")",
        "（",
        "「",
        "」",
    ),
    *("“", '"', "'", "(a", "「あ", "{", "a", "A", "a ", "A. ", "a.", "a,", "a-", "a_", "aB", "a1", "v1.", "A:", "and "),
    *(
        "<",
        "<a",
        "<a ",
        "<p ",
        "<!--",
        "<a@",
        "a@b.",
        "//",
        "http://a.",
        "&#1;",
        "。",
        "、",
        "は",
        "の",
        "ー",
        "ア",
        "ア・",
    ),
    *(
        "漢",
        "漢字の",
        "的",
        "`",
        "~",
        "*",
        "_",
        "|",
        "|-",
        "#",
        "=",
        "$",
        "%2",
        "\\",
        "+",
        "/",
        ":",
        "?",
        "—",
        "…",
        "😀",
    ),
    *("one ", "twenty-", "not ", "no ", "the ", "I ", "he said "),
)


class _Used(NamedTuple):
    where: str
    pattern: re.Pattern[str]
    is_anchored: bool


def _modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(evolore.__path__, "evolore."):
        if "migrations" not in info.name and not info.name.endswith("__main__"):
            try:
                yield importlib.import_module(info.name)
            except ImportError:  # an extra that is not installed
                continue


def _patterns_in(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """Find patterns in tuples, dictionaries and our own values, a few levels deep."""
    if isinstance(value, re.Pattern):
        pattern = cast("re.Pattern[str]", value)
        if isinstance(pattern.pattern, str):  # pyright: ignore[reportUnnecessaryIsInstance] - it may be bytes
            yield pattern
    elif getattr(getattr(value, "__wrapped__", None), "func", None) is re.compile:  # a lazy one
        yield cast("Callable[[], re.Pattern[str]]", value)()
    elif depth < 6:
        for one in _inside(value):
            yield from _patterns_in(one, depth + 1)


def _inside(value: object) -> tuple[object, ...]:
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value)
        return (*pairs, *pairs.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return tuple(cast("Iterable[object]", value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return tuple(getattr(value, field.name, None) for field in dataclasses.fields(value))
    return ()


@cache
def _methods(module: ModuleType) -> dict[str, frozenset[str]]:
    """Tell what a module does with each name: the methods it calls on it, '' for any other use."""
    uses: dict[str, set[str]] = {}
    tree = ast.parse(inspect.getsource(module))
    called: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            called[id(node.value.func if isinstance(node.value, ast.Call) else node.value)] = node.attr
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            uses.setdefault(node.id, set()).add(called.get(id(node), ""))
    return {name: frozenset(methods) for name, methods in uses.items()}


def _compiled() -> Iterator[_Used]:
    """List every pattern once, and whether all its uses look at the beginning of a text alone."""
    where: dict[tuple[str, int], list[tuple[ModuleType, str, re.Pattern[str]]]] = {}
    for module in _modules():
        for name, value in vars(module).copy().items():
            for pattern in _patterns_in(value() if _compiles_on_first_use(value, module) else value):
                where.setdefault((pattern.pattern, pattern.flags), []).append((module, name, pattern))
    for places in where.values():
        methods = frozenset(chain.from_iterable(_methods(module).get(name, ()) for module, name, _ in places))
        module, name, pattern = places[0]
        yield _Used(f"{module.__name__}.{name}", pattern, bool(methods) and methods <= _ANCHORED)


def _compiles_on_first_use(value: Any, module: ModuleType) -> bool:
    is_cached = hasattr(value, "cache_info") and value.__module__ == module.__name__
    return is_cached and str(inspect.signature(value)) == "() -> 're.Pattern[str]'"


def _written() -> Iterator[_Used]:
    """List the patterns that lie as text among the words of a language."""
    for subject in SUBJECTS:
        yield from (_Used(f"warnings, {subject}", one.pattern(), is_anchored=False) for one in signs_of(subject))
    yield from _of_secrets()
    yield from (
        _Used(f"reasons, {language}", pattern_of_reason(form[language]), is_anchored=True)
        for form in reason_forms()
        for language in LANGUAGES
    )
    for side in ("before", "behind", "before_han", "behind_han"):
        yield from (_Used(f"limits, {side}", pattern, is_anchored=False) for _, pattern in limits(side))
    seen: set[str] = set()
    yield from (
        _Used(f"changes, {wording}, {language}", pattern_of(wording, language), is_anchored=False)
        for wording in ChangeWording
        for language in Language
    )
    for language in Language:
        for words in (words_of(language), slot_words_of(language)):
            for field in dataclasses.fields(words):
                value = getattr(words, field.name)
                if isinstance(value, tuple):
                    value = "|".join(cast("tuple[str, ...]", value))
                if isinstance(value, str) and value and value not in seen:
                    seen.add(value)
                    yield _Used(
                        f"{type(words).__name__}.{field.name}, {language}", re.compile(value), is_anchored=False
                    )


def _of_secrets() -> Iterator[_Used]:
    yield from (_Used(f"secrets, {name}", pattern, is_anchored=True) for name, _, _, pattern in shapes())
    for name in ("latin", "han", "keys", "passed", "issuers"):
        yield _Used(f"secrets, {name}", pattern_of_secrets(name), is_anchored=True)


def _repeats_of(pattern: re.Pattern[str]) -> tuple[str, ...]:
    """Give what an expression repeats without a limit, as it might be written, alone and behind what comes before."""
    found: dict[str, None] = {}
    _write(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), found)
    return tuple(found)


def _write(parsed: Any, found: dict[str, None]) -> str:
    """Write a text that a parsed expression takes, roughly; what is repeated goes into ``found``."""
    written = ""
    for name, value in parsed:
        kind = str(name)
        if kind.endswith("_REPEAT"):
            least, most, inside = value
            one = _write(inside, found)
            if one and most > 50:
                found.setdefault(one)
                found.setdefault((written + one)[-40:])
            written += one * max(1, int(least))
        else:
            written += _written_once(kind, value, found)
    return written


def _written_once(kind: str, value: Any, found: dict[str, None]) -> str:
    if kind in {"SUBPATTERN", "ATOMIC_GROUP"}:
        return _write(value[-1] if kind == "SUBPATTERN" else value, found)
    if kind == "BRANCH":
        first, *_others = [_write(one, found) for one in value[1]]
        return first
    if kind == "LITERAL":
        return chr(value)
    if kind == "IN":
        return _sign_of(value)
    return "a" if kind in {"ANY", "NOT_LITERAL"} else ""


def _sign_of(signs: Any) -> str:
    name, value = signs[0]
    kind = str(name)
    if kind == "NEGATE":
        return next(one for one in "a 一1" if not any(str(k) == "LITERAL" and chr(v) == one for k, v in signs[1:]))
    if kind == "LITERAL":
        return chr(value)
    if kind == "RANGE":
        return chr(value[0])
    return {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " "}.get(str(value), "a")


def _seconds(used: _Used, text: str, *, rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        began = time.thread_time()  # what other processes take does not count
        if used.is_anchored:
            used.pattern.match(text)
        else:
            for _match in used.pattern.finditer(text):
                pass
        best = min(best, time.thread_time() - began)
    return best


def _is_steep(used: _Used, unit: str) -> bool:
    texts = [(unit * (size // len(unit) + 1))[:size] for size in _SIZES]
    few = texts[0][:250]
    if _seconds(used, few, rounds=1) > 10 * _FLOOR_SECONDS < _seconds(used, few, rounds=3):
        return True  # far beyond any line: do not wait for the others
    if _seconds(used, texts[2], rounds=1) < _FLOOR_SECONDS:
        return False
    return all(_grows_steeply(used, texts) for _ in range(2))  # a suspicion is looked at again


def _grows_steeply(used: _Used, texts: Sequence[str]) -> bool:
    small, middle, large = (_seconds(used, text, rounds=5) for text in texts)
    return large > _FLOOR_SECONDS and large > _STEEP * small and large > _STEEP / 3 * middle


@pytest.mark.parametrize("kind", ["compiled", "written"])
def test_every_regular_expression_takes_linear_time(kind: str) -> None:
    all_used = tuple(_compiled() if kind == "compiled" else _written())
    assert len(all_used) > (300 if kind == "compiled" else 30)
    step = tried(8, long=1)  # of what every expression meets, an eighth in turn
    steep = [
        f"{used.where} on {unit!r}: {used.pattern.pattern[:100]}"
        for at, used in enumerate(all_used)
        if (
            unit := next(
                (one for one in (*_REPEATED[at % step :: step], *_repeats_of(used.pattern)) if _is_steep(used, one)),
                None,
            )
        )
        is not None
    ]
    assert not steep, "\n".join(steep)
