"""Rows of the index log, read as what the indexes keep of an item."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evolore.store.item_facts import Changing, Facts
from evolore.store.items import Item, document_group
from evolore.store.key_columns import read_days, read_share
from evolore.store.rows import local_moment, moment
from evolore.text.questions import ends_with_question

if TYPE_CHECKING:
    from evolore.store.prepared import ReadRow


def item_of(row: ReadRow) -> Item:
    """Give where an item stands, and who said it when."""
    time = moment(row.occurred_at or row.recorded_at).timestamp()
    changing = changing_of(row)
    return Item(
        id=row.episode_id,
        group=_group(row),
        position=row.position,
        time=time,
        said_at=time if row.document_id is None else 0.0,
        speaker=row.speaker,
        is_hidden=changing.is_hidden,
    )


def facts_of(row: ReadRow) -> Facts:
    """Give all else that recall knows of an item beside its words and vector."""
    happened = local_moment(row.occurred_at, row.occurred_offset_minutes)
    changing = changing_of(row)
    return Facts(
        arousal=changing.arousal,
        estimate=read_share(row.estimate),
        day=happened.toordinal() if happened else 0,
        state=row.state,
        about=None if row.about_subject is None else f"{row.about_subject}\0{row.about_attribute}",
        is_passage=row.document_id is not None,
        is_made=row.made_by is not None,
        is_question=row.session is not None and ends_with_question(str(row.ending)),
        periods=read_days(row.periods),
        stands_until=changing.stands_until,
        valid_to=changing.valid_to,
    )


def changing_of(row: ReadRow) -> Changing:
    """Give what of that may change while the item stays."""
    return Changing(
        arousal=read_share(row.arousal),
        state=row.state,
        stands_until=_seconds(row.stands_until),
        valid_to=_seconds(row.valid_to),
    )


def _seconds(written: str | None) -> float:
    return math.inf if written is None else moment(written).timestamp()


def _group(row: ReadRow) -> str | None:
    if row.document_id is not None:
        return document_group(row.document_id)
    return None if row.session is None else f"s{row.session}"
