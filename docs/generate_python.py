"""Write ``docs/python.md`` from the docstrings of the public names: ``python docs/generate_python.py``.

A test fails while the page is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import inspect
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import evolore

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent / "python.md"
SECTIONS = ("Args", "Returns", "Raises")
SELF = re.compile(r"\(self(?:, )?")
QUOTED = re.compile(r"(: |-> )'([^']*)'")
MEMBER = re.compile(r"<(\w+\.\w+): [^>]*>")
ITEM = re.compile(r"^(\*{0,2}\w+): ")

INTRODUCTION = """\
# Python

`docs/generate_python.py` writes this page from the docstrings. Do not edit it by hand.

Everything here is imported from `evolore`. Importing the package reads no file and loads no model. Values are frozen,
take keywords only, and refuse what is out of range when they are made ([errors](errors.md)). The
[quickstart](quickstart.md) shows them in use. Besides these, `evolore.config` has `Settings` and `load`
([settings](settings.md)), `evolore.errors` every error, `evolore.ports` what an `Embedder` gives and is given, and
`evolore.models.offline` an embedder for tests.

"""


def page() -> str:
    """Give the whole page."""
    names = sorted(evolore.__all__, key=lambda name: (name != "Memory", name.lower()))
    return INTRODUCTION + "\n".join(line for name in names for line in entry(name)).rstrip("\n") + "\n"


def entry(name: str) -> Iterator[str]:
    """Give the lines about one public name."""
    thing: object = getattr(evolore, name)
    yield f"## {name}"
    yield ""
    yield from said(thing)
    if isinstance(thing, type) and issubclass(thing, Enum):
        yield "Values: " + ", ".join(f"`{name}.{member.name}`" for member in thing) + "."
        yield ""
    elif isinstance(thing, type) and not issubclass(thing, Exception):
        for method, value in own_members(thing).items():
            if not method.startswith("_"):
                yield from member(name, method, value)


def own_members(thing: type) -> dict[str, object]:
    """Give what a class defines, and what it takes over from a part of it that is no public name."""
    parts = [base for base in thing.__mro__ if base is thing or base.__name__.startswith("Memory")]
    members: dict[str, object] = {}
    for part in parts:
        members |= {name: value for name, value in vars(part).items() if name not in members}
    return members


def member(name: str, method: str, value: object) -> Iterator[str]:
    """Give the lines about one method or property; nothing for a plain field."""
    if isinstance(value, property):
        yield f"### {name}.{method}"
    elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
        signature = inspect.signature(getattr(getattr(evolore, name), method))
        if name == "AsyncMemory":  # its verbs are those of Memory, described once
            yield from (
                f"### {name}.{method}",
                "",
                f"As [`Memory.{method}`](#memory{method})"
                + (", and not awaited." if method == "open" else ", awaited."),
                "",
            )
            return
        shown = SELF.sub("(", MEMBER.sub(r"\1", QUOTED.sub(r"\1\2", str(signature))))
        yield f"### {name}.{method}"
        yield ""
        yield f"`{method}{shown}`"
    else:
        return
    yield ""
    yield from said(value)


def said(thing: object) -> Iterator[str]:
    """Turn a docstring into Markdown: prose as it is, sections as lists, examples as code."""
    in_section = in_example = False
    for line in inspect.cleandoc(getattr(thing, "__doc__", None) or "").splitlines():
        text = line.replace("``", "`")
        if text.startswith(">>>") and not in_example:
            in_example = True
            yield "```pycon"
        if in_example and not text:
            in_example = False
            yield "```"
        if in_example:
            yield line
        elif text.rstrip(":") in SECTIONS and text.endswith(":"):
            in_section = True
            yield f"**{text}**"
            yield ""
        elif in_section and line.startswith("    "):
            body = text[4:]
            yield ITEM.sub(r"- `\1`: ", body) if ITEM.match(body) else ("  " + body.strip())
        else:
            yield text
    if in_example:
        yield "```"
    yield ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
