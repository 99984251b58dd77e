"""Write ``docs/python.md`` from the docstrings of the public names: ``python docs/generate_python.py``.

A test fails while the page is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import inspect
import re
from enum import Enum
from functools import cached_property
from importlib import import_module
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

ELSEWHERE = {
    "evolore.answers.settings": ("AnswerSettings",),
    "evolore.chunking.settings": ("SizeUnit", "TierSettings"),
    "evolore.domain.answer": ("AnswerKind",),
    "evolore.domain.document": ("Chunk", "ChunkTree", "Span", "TreePart"),
    "evolore.domain.episode": ("Edge", "EdgeKind", "EpisodeKind"),
    "evolore.domain.language": ("Language",),
    "evolore.domain.metadata": ("Metadata",),
    "evolore.domain.outcome": ("Outcome",),
    "evolore.domain.outline": ("Place", "Relation"),
    "evolore.domain.query": ("Echo", "Expansion", "Intent", "Reranking", "ScoreTerm", "Suppressed", "Whole"),
    "evolore.domain.review": ("Priority", "ReviewCategory", "ReviewStatus"),
    "evolore.flows.add": ("AddedDocument",),
    "evolore.flows.check_chunks": ("Reread",),
    "evolore.flows.evolve.overview": ("EvolutionCandidates", "EvolutionRecord", "EvolutionStats"),
    "evolore.queries.settings": ("QuerySettings",),
    "evolore.recall.settings": ("Decay", "DecaySettings", "IntentSettings"),
}
"""What is met in results and settings, and imported from its module."""


def page() -> str:
    """Give the whole page."""
    names = sorted(evolore.__all__, key=lambda name: (name != "Memory", name.lower()))
    lines = [line for name in names for line in entry(name)]
    return INTRODUCTION + "\n".join([*elsewhere(), *lines]).rstrip("\n") + "\n"


def elsewhere() -> Iterator[str]:
    """Give a table of what is imported from its module."""
    yield from (
        "What results and settings are made of is imported from its module:",
        "",
        "| from | name | |",
        "|---|---|---|",
    )
    for module, names in ELSEWHERE.items():
        for name in names:
            first = inspect.cleandoc(getattr(import_module(module), name).__doc__ or "").partition("\n")[0]
            yield f"| `{module}` | `{name}` | {first.replace('``', '`')} |"
    yield ""


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
        for method, value in vars(thing).items():
            if method.startswith("_"):
                continue
            if isinstance(value, cached_property):
                yield from noun(name, method, value)
            else:
                yield from member(name, method, value, thing)


def noun(name: str, method: str, value: cached_property[object]) -> Iterator[str]:
    """Give the lines about a noun of a memory and its verbs."""
    yield f"### {name}.{method}"
    yield ""
    yield from said(value)
    if name == "Memory":  # those of AsyncMemory are the same, described once
        thing = inspect.signature(value.func, eval_str=True).return_annotation
        for verb, inner in vars(thing).items():
            if not verb.startswith("_"):
                yield from member(f"Memory.{method}", verb, inner, thing)


def member(name: str, method: str, value: object, owner: type) -> Iterator[str]:
    """Give the lines about one method or property; nothing for a plain field."""
    if isinstance(value, property):
        yield f"### {name}.{method}"
    elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
        signature = inspect.signature(getattr(owner, method))
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
