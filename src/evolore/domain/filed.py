"""JSON of any form filed in metadata, in parts that fit, and hits as flat metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from evolore.domain.citation import hit_place
from evolore.domain.metadata import MAX_VALUE_CHARACTERS, MetadataValue
from evolore.domain.query import Hit, Recall
from evolore.errors import InvalidValue

Json: TypeAlias = Any
"""What JSON holds."""
PARTS = 30
"""Of at most so many parts."""
_PART = MAX_VALUE_CHARACTERS - 2


def filed(name: str, value: Json, *, what: str) -> dict[str, MetadataValue]:
    """File a value under a name, in as many parts as it takes.

    Args:
        name: Under which it is read again.
        value: What JSON holds.
        what: What it is called where it cannot be kept.

    Raises:
        InvalidValue: It is no JSON, or takes more than 30 parts.
    """
    try:
        written = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidValue(f"{what} is no JSON: {error}.") from error
    if len(written) > _PART * PARTS:
        raise InvalidValue(
            f"{what} takes {len(written):,} characters as JSON: keep at most {_PART * PARTS:,}, and add longer texts as "
            "documents."
        )
    starts = range(0, len(written), _PART)
    # A part is written between bars, because metadata keeps no blank at an end.
    return {f"{name}_{place:02}": f"|{written[start : start + _PART]}|" for place, start in enumerate(starts)}


def filed_values(metadata: Mapping[str, MetadataValue]) -> dict[str, Json]:
    """Return what was filed, by its names; not what only looks like it."""
    found: dict[str, Json] = {}
    for name in (one[:-3] for one in metadata if one.endswith("_00")):
        with suppress(ValueError, InvalidValue):
            value = read_filed(name, metadata)
            if filed(name, value, what=name).items() <= metadata.items():
                found[name] = value
    return found


def read_filed(name: str, metadata: Mapping[str, MetadataValue]) -> Json:
    """Return what was filed under a name; None for nothing."""
    parts = (metadata.get(f"{name}_{place:02}") for place in range(PARTS))
    written = "".join(str(part)[1:-1] for part in parts if part is not None)
    return json.loads(written) if written else None


def hit_metadata(hit: Hit, found: Recall) -> dict[str, Any]:
    """Return what is known of a hit beside its text; what it has not is left out."""
    one = hit.episode
    known = {
        "id": one.id,
        "rank": hit.rank,
        "score": hit.score,
        "citation": hit_place(hit),
        "source": one.source,
        "document_id": one.document_id,
        "speaker": one.speaker,
        "session": one.session,
        "occurred_at": None if one.occurred_at is None else one.occurred_at.isoformat(),
        "namespace": hit.namespace,
        "query_id": found.query_id,
        "is_superseded": hit.is_superseded or None,
        "is_in_conflict": hit.is_in_conflict or None,
        "warnings": [one.value for one in hit.warnings] or None,
    }
    return {**dict(one.metadata), **{name: value for name, value in known.items() if value is not None}}
