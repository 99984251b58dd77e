"""Write ``docs/python.md`` and the pages in ``docs/python`` from docstrings: ``python docs/generate_python.py``.

A test fails while a page is not current, or where a public name is on no page.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from enum import Enum
from functools import cached_property
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from field_docs import field_docs

import evolore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DOCS = Path(__file__).resolve().parent
SECTIONS = ("Args", "Returns", "Raises")
SELF = re.compile(r"\(self(?:, )?")
QUOTED = re.compile(r"(: |-> )'([^']*)'")
MEMBER = re.compile(r"<(\w+\.\w+): [^>]*>")
ITEM = re.compile(r"^(\*{0,2}\w+): ")

INTRODUCTION = """\
# Python

Import these names from `evolore`. Importing reads no file and loads no model. Values are frozen, take keywords only, and refuse
what is out of range ([errors](errors.md)). The [quickstart](quickstart.md) shows them in use.

"""

ENDING = """
Also: `evolore.config` (`Settings`, `load`; [settings](settings.md)), `evolore.errors`, `evolore.ports` (types of an `Embedder`), and
`evolore.models.offline` (an embedder for tests).

`docs/generate_python.py` writes these pages from the docstrings. Do not edit them.
"""

NOUNS = {
    "outline": "How documents were cut, the text behind a hit, and its surroundings.",
    "questions": "The questions that were asked, and what they taught.",
    "pages": "Questions that are kept answered by pages of quotes.",
    "review": "Items that wait for a person, and decisions on them.",
    "evolution": "Rewrites of badly rated documents: show, approve, roll back.",
    "store": "Check, copy, move and re-embed the store.",
}
"""Of each noun of a memory what it is for; it has a page of its own."""

SUBJECTS = {
    "memory": ("A memory", "Open a memory; add, remember, ask, rate, forget, undo.", ("Memory",)),
    "async": ("AsyncMemory: a memory with asyncio", "The same methods, for programs with `asyncio`.", ("AsyncMemory",)),
    "asking": (
        "Questions, hits and answers",
        "Options and results of recall and answer.",
        (
            *("AskOptions", "RecallOptions", "Query", "Filter", "Level", "Recall", "Hit"),
            *("Answer", "Citation", "QueryRecord", "Rating"),
        ),
    ),
    "remembering": (
        "Statements, episodes and receipts",
        "Input, stored items, and the results of changes.",
        ("Statement", "Remembered", "Episode", "Neighbourhood", "Added", "Receipt", "ReviewItem"),
    ),
    "documents": (
        "Documents and chunks",
        "A text, its outline, and the chunker that cuts it.",
        ("SourceText", "MediaType", "Document", "DocumentTree", "OutlineCode", "Chunker", "ChunkSettings"),
    ),
    "models": (
        "Models and settings",
        "Embedders, chat models, rerankers, tokenizers, and the settings in one value.",
        ("Settings", "ChatSettings", "RerankSettings", "ChatModel", "Embedder", "UseEmbedder", "Reranker", "Tokenizer"),
    ),
    "clients": ("Chat clients", "A chat client with a memory: [how it works](../wrap.md).", ("wrap",)),
    "errors": (
        "Errors",
        "The four classes to catch. [All errors](../errors.md).",
        ("EvoloreError", "InputError", "SetupError", "TryAgain"),
    ),
}
"""Of each other page its title, what it is for, and its public names in order."""

MODULES = ("modules", "From their modules", "Types in results and settings, with their modules.")

ELSEWHERE = {
    "evolore.answers.settings": ("AnswerSettings",),
    "evolore.chunking.settings": ("SizeUnit", "TierSettings"),
    "evolore.domain.answer": ("AnswerKind",),
    "evolore.domain.document": ("Chunk", "ChunkTree", "Place", "Span", "TreePart"),
    "evolore.domain.episode": ("Edge", "EdgeKind", "EpisodeKind"),
    "evolore.domain.language": ("Language",),
    "evolore.domain.metadata": ("Metadata",),
    "evolore.domain.outcome": ("Outcome",),
    "evolore.domain.outline": ("Relation",),
    "evolore.domain.query": (
        "Echo",
        "Expansion",
        "HitRelation",
        "Intent",
        "Reranking",
        "ScoreTerm",
        "Suppressed",
        "Whole",
    ),
    "evolore.domain.review": ("Priority", "ReviewCategory", "ReviewStatus"),
    "evolore.flows.add": ("AddedDocument",),
    "evolore.flows.check_chunks": ("Reread",),
    "evolore.flows.evolve.overview": ("EvolutionCandidates", "EvolutionRecord", "EvolutionStats"),
    "evolore.queries.settings": ("QuerySettings",),
    "evolore.recall.settings": ("Decay", "DecaySettings", "IntentSettings"),
}
"""What is met in results and settings, and imported from its module."""


EXAMPLES = {
    "async": """\
```python
import asyncio

from evolore import AsyncMemory


async def main():
    async with AsyncMemory.open("async.evolore") as memory:
        await memory.remember("The gate code is 4711.", speaker="Mika")
        await memory.remember("The bins go out on Tuesday.", speaker="Tom")
        questions = ["What is the gate code?", "When do the bins go out?"]
        for found in await asyncio.gather(*(memory.recall(one, limit=1) for one in questions)):
            print(found.hits[0].text)


asyncio.run(main())
```

```text
The gate code is 4711.
The bins go out on Tuesday.
```

`async with` closes the memory at the end. `asyncio.gather` asks both questions at the same time.

"""
}
"""What a page begins with; a test runs it."""


def pages() -> dict[str, str]:
    """Give every page by its place below ``docs``."""
    made = {"python.md": INTRODUCTION + "\n".join(overview()) + "\n" + ENDING}
    for subject, (title, purpose, names) in SUBJECTS.items():
        lines = (line for name in names for line in entry(name))
        made[f"python/{subject}.md"] = whole(title, purpose, chain(EXAMPLES.get(subject, "").splitlines(), lines))
        if subject == "memory":
            for method, said_of_it in NOUNS.items():
                made[f"python/memory-{method}.md"] = whole(f"Memory.{method}", said_of_it, verbs(method))
    subject, title, purpose = MODULES
    made[f"python/{subject}.md"] = whole(title, purpose, elsewhere())
    return made


def whole(title: str, purpose: str, lines: Iterator[str]) -> str:
    """Give a page below the first one."""
    head = f"# {title}\n\n{purpose} All pages: [Python](../python.md).\n\n"
    return (head + "\n".join(lines)).rstrip("\n") + "\n"


def overview() -> Iterator[str]:
    """Give the table of the pages and their names."""
    yield from ("| page | what it is for | names |", "|---|---|---|")
    for subject, (title, purpose, names) in SUBJECTS.items():
        place = f"python/{subject}.md"
        links = links_to(place, "", names)
        if subject == "memory":
            links = links_to(place, "memory", (name for name in public_of(evolore.Memory) if name not in NOUNS))
        yield f"| [{title}]({place}) | {purpose.replace('](../', '](')} | {links} |"
        if subject == "memory":
            for method, said_of_it in NOUNS.items():
                place = f"python/memory-{method}.md"
                links = links_to(place, f"memory{method}", public_of(noun_of(method)))
                yield f"| [Memory.{method}]({place}) | {said_of_it} | {links} |"
    subject, title, purpose = MODULES
    yield f"| [{title}](python/{subject}.md) | {purpose} | |"


def links_to(place: str, above: str, names: Iterable[str]) -> str:
    """Give links to the sections of a page, whose headings begin with ``above``."""
    return ", ".join(f"[`{name}`]({place}#{above}{name.lower()})" for name in names)


def public_of(thing: type) -> list[str]:
    """Give the names of a class's verbs and nouns, in order."""
    verbs = (property, cached_property, classmethod, staticmethod)
    return [
        name
        for name, value in vars(thing).items()
        if not name.startswith("_") and (isinstance(value, verbs) or inspect.isfunction(value))
    ]


def elsewhere() -> Iterator[str]:
    """Give a table of what is imported from its module."""
    yield from ("| from | name | |", "|---|---|---|")
    for module, names in ELSEWHERE.items():
        for name in names:
            first = inspect.cleandoc(getattr(import_module(module), name).__doc__ or "").partition("\n")[0]
            yield f"| `{module}` | `{name}` | {first.replace('``', '`')} |"


def entry(name: str) -> Iterator[str]:
    """Give the lines about one public name."""
    thing: object = getattr(evolore, name)
    yield f"## {name}"
    yield ""
    if inspect.isfunction(thing):
        shown = QUOTED.sub(r"\1\2", str(inspect.signature(thing)))
        yield from (f"`{name}{shown}`", "")
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
    yield from (f"Its verbs stand on [a page of their own](memory-{method}.md).", "")


def noun_of(method: str) -> type:
    """Give the class of a noun of a memory."""
    noun: cached_property[object] = vars(evolore.Memory)[method]
    return inspect.signature(noun.func, eval_str=True).return_annotation


def verbs(method: str) -> Iterator[str]:
    """Give the lines about the verbs of a noun of a memory; those of an ``AsyncMemory`` are the same, described once."""
    thing = noun_of(method)
    for verb in public_of(thing):
        yield from member(f"Memory.{method}", verb, vars(thing)[verb], thing)


def member(name: str, method: str, value: object, owner: type) -> Iterator[str]:
    """Give the lines about one method or property; nothing for a plain field."""
    heading = f"{'##' if '.' in name else '###'} {name}.{method}"  # a noun's verbs have a page of their own
    if isinstance(value, property):
        yield heading
    elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
        signature = inspect.signature(getattr(owner, method))
        if name == "AsyncMemory":  # its verbs are those of Memory, described once
            yield from (
                heading,
                "",
                f"As [`Memory.{method}`](memory.md#memory{method})"
                + (", and not awaited." if method == "open" else ", awaited."),
                "",
            )
            return
        shown = SELF.sub("(", MEMBER.sub(r"\1", QUOTED.sub(r"\1\2", str(signature))))
        yield heading
        yield ""
        yield f"`{method}{shown}`"
    else:
        return
    yield ""
    yield from said(value)


def said(thing: object) -> Iterator[str]:
    """Turn a docstring into Markdown: prose as it is, sections as lists, examples as code; fields as a list too."""
    in_section = in_example = False
    fields = fields_of(thing)
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
            yield from fields  # before what may be raised
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
    yield from fields


def fields_of(thing: object) -> Iterator[str]:
    """Return what is said of the fields of a dataclass, as a list; nothing where its docstring does so."""
    docs = field_docs(thing) if is_dataclass(thing) and isinstance(thing, type) else {}
    if docs and "Args:" not in (thing.__doc__ or ""):
        yield from ("**Args:**", "", *(f"- `{name}`: {text.replace('``', '`')}" for name, text in docs.items()), "")


if __name__ == "__main__":
    for place, page in pages().items():
        (DOCS / place).parent.mkdir(exist_ok=True)
        (DOCS / place).write_text(page, encoding="utf-8")
