"""Write the tables of ``docs/settings.md`` from the settings' own docstrings: ``python docs/generate_settings.py``.

What stands between the markers is replaced; a test fails while it is not current.
"""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import json
import re
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evolore.chunking.settings import ChunkSettings
from evolore.chunking.tier_settings import TierSettings
from evolore.domain.chat_settings import ChatSettings
from evolore.episodes.integration_settings import IntegrationSettings
from evolore.episodes.maintenance_settings import MaintenanceSettings
from evolore.episodes.settings import EpisodeSettings
from evolore.evolution.policy import ApprovalPolicy
from evolore.evolution.settings import CanarySettings, EvolutionSettings, WritingSettings
from evolore.queries.settings import QuerySettings
from evolore.recall.answer_settings import AnswerSettings
from evolore.recall.date_settings import DateSettings
from evolore.recall.decay_settings import DecaySettings
from evolore.recall.graph_settings import GraphSettings
from evolore.recall.intent_settings import IntentSettings
from evolore.recall.rerank_settings import RerankSettings
from evolore.recall.settings import RecallSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import DataclassInstance

PAGE = Path(__file__).resolve().parent / "settings.md"
SYSTEMS = {
    "chunking": ChunkSettings,
    "tiers": TierSettings,
    "chat": ChatSettings,
    "recall": RecallSettings,
    "rerank": RerankSettings,
    "dates": DateSettings,
    "graph": GraphSettings,
    "episodes": EpisodeSettings,
    "integration": IntegrationSettings,
    "maintenance": MaintenanceSettings,
    "queries": QuerySettings,
    "answer": AnswerSettings,
    "evolution": EvolutionSettings,
    "evolution.writing": WritingSettings,
    "evolution.policy": ApprovalPolicy,
    "evolution.canary": CanarySettings,
    "intent": IntentSettings,
    "decay": DecaySettings,
}
ENTRY = re.compile(r"^ {8}(\w+): (.*?)(?=^ {8}\w+: |^ {0,4}\S|\Z)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"(<!-- begin ([\w.]+) -->\n).*?(<!-- end \2 -->)", re.DOTALL)


def meanings(
    system: type[DataclassInstance],
) -> dict[str, str]:
    """Give what the docstring says of each setting, as one line."""
    _, _, arguments = (system.__doc__ or "").partition("Args:\n")
    return {
        name: " ".join(text.split()).replace("``", "`").replace("|", "/") for name, text in ENTRY.findall(arguments)
    }


def shown(default: object) -> str:
    """Give a default as it is written in the settings file."""
    if isinstance(default, tuple):
        # what is an enum's counts by its value
        values = [one.value if isinstance(one, StrEnum) else one for one in cast("tuple[object, ...]", default)]
        return f"`{json.dumps(values)}`"
    if default is None or default == "":
        return "none"
    return f"`{default}`" if isinstance(default, str) else repr(default)


def rows(name: str) -> Iterator[str]:
    """Give the table of one system, line by line."""
    system = SYSTEMS[name]
    said = meanings(system)
    yield f"| in `[{name}]` | environment variable | default | meaning, unit and range |"
    yield "|---|---|---|---|"
    for field in fields(system):
        if f"{name}.{field.name}" in SYSTEMS:  # a table of its own
            continue
        variable = f"EVOLORE_{name}__{field.name}".replace(".", "__").upper()
        yield f"| `{field.name}` | `{variable}` | {shown(field.default)} | {said[field.name]} |"


def page(present: str) -> str:
    """Give the page with its tables made anew."""
    return BLOCK.sub(lambda found: found[1] + "\n".join(rows(found[2])) + "\n" + found[3], present)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
