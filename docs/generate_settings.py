"""Write the tables of ``docs/settings.md`` from what is said beside the settings: ``python docs/generate_settings.py``.

What stands between the markers is replaced; a test fails while it is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from field_docs import field_docs

from evolore.config import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).resolve().parent / "settings.md"
OF_SEEDS = {
    "episodes": "000",
    **dict.fromkeys(("intent", "decay"), "001"),
    **dict.fromkeys(("chunking", "tiers"), "002"),
    "evolution": "003",
    "queries": "004",
}
"""Which seed names what is in a table; beside it stand these, which are a user's."""
OF_USERS = {
    *("intent.chat_calls", "chunking.embedding_weight", "tiers.calls_per_document"),
    *("queries.record", "queries.learned_weight"),
    *("evolution.write_back", "evolution.git.author", "evolution.git.co_author"),
}
BY_HAND = (
    "store",
    "namespace",
    "read_only",
    "embedder",
    "model2vec",
    "tokenizer",
    "reranker",
    "entailment",
    "southern",
)
BY_HAND += (
    "secrets",
    "score_log",
    "index_memory_bytes",
    "namespace_memory_bytes",
    "max_leaves_at_once",
    "max_file_bytes",
)
"""Settings without a table, which the page tells of in more words than their docstring."""
BLOCK = re.compile(r"(<!-- begin ([\w.]+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def meanings(system: object) -> dict[str, str]:
    """Return what is said beside each setting, as one line."""
    return {name: text.replace("``", "`").replace("|", "/") for name, text in field_docs(type(system)).items()}


def shown(default: object) -> str:
    """Give a default as it is written in the settings file."""
    if isinstance(default, tuple):
        # what is an enum's counts by its value
        values = [one.value if isinstance(one, StrEnum) else one for one in cast("tuple[object, ...]", default)]
        return f"`{json.dumps(values)}`"
    if default is None or default == "":
        return "none"
    return f"`{default}`" if isinstance(default, str) else repr(default)


def settings_of(system: Any, name: str) -> Iterator[tuple[str, object, str]]:  # noqa: ANN401 - any of the settings' tables
    """Give each setting of a table: its whole name, its default and what it means."""
    said = meanings(system)
    for field in fields(system):
        value: object = getattr(system, field.name)
        if is_dataclass(value):
            yield from settings_of(value, f"{name}.{field.name}")
        else:
            yield f"{name}.{field.name}", value, said[field.name]


def all_settings() -> list[tuple[str, object, str]]:
    """Give every setting that stands in a table."""
    made = Settings.model_construct()
    tables = [(name, getattr(made, name)) for name in Settings.model_fields]
    return [one for name, table in tables if is_dataclass(table) for one in settings_of(table, name)]


def seed_of(name: str) -> str | None:
    """Give the seed that names a parameter; None where it is a user's."""
    table = name.partition(".")[0]
    return (
        None if name in OF_USERS or name.startswith(("evolution.policy", "evolution.canary")) else OF_SEEDS.get(table)
    )


def rows(which: str) -> Iterator[str]:
    """Give one of the two tables, line by line."""
    is_seeds = which == "seeds"
    yield "| key | environment variable | default | " + ("seed | " if is_seeds else "") + "meaning, unit and range |"
    yield "|---|---|---|---|" + ("---|" if is_seeds else "")
    for name, default, said in all_settings():
        seed = seed_of(name)
        if (seed is not None) is is_seeds:
            variable = f"EVOLORE_{name}".replace(".", "__").upper()
            yield f"| `{name}` | `{variable}` | {shown(default)} | " + (f"{seed} | " if seed else "") + f"{said} |"


def page(present: str) -> str:
    """Give the page with its tables made anew."""
    return BLOCK.sub(lambda found: found[1] + "\n".join(rows(found[2])) + "\n" + found[3], present)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
