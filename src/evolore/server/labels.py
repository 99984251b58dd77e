"""Metadata and tags as requests carry them."""

from __future__ import annotations

import json
from typing import Annotated, Any, TypeAlias, cast

from fastapi import Depends, Query

from evolore.domain.filters import Filter
from evolore.domain.metadata import MAX_TAGS, Metadata, checked_tags
from evolore.errors import InvalidValue

_MOST_CHARACTERS = 20_000


def read_metadata(text: str, name: str) -> Metadata:
    """Read metadata that came as JSON.

    Raises:
        InvalidValue: It is no object in JSON, or a name or value is not of its form; the message calls it ``name``.
    """
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f'{name} is no JSON: write it as {{"team": "ops"}}.') from error
    if not isinstance(read, dict):
        raise InvalidValue(f'{name} is no JSON object: write it as {{"team": "ops"}}.')
    return Metadata(cast("dict[str, Any]", read))


def _labelled(
    where: Annotated[
        str | None,
        Query(max_length=_MOST_CHARACTERS, description='Only what has this metadata, as JSON: `{"team": "ops"}`.'),
    ] = None,
    tag: Annotated[list[str] | None, Query(max_length=MAX_TAGS, description="Only what has all of these tags.")] = None,
) -> Filter:
    return Filter(where=Metadata() if where is None else read_metadata(where, "where"), tags=checked_tags(tag or ()))


Labelled: TypeAlias = Annotated[Filter, Depends(_labelled)]
"""What is listed must have this metadata and these tags; without either, everything."""
