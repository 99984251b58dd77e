"""Upkeep of documents: who owns one, until when it is to be verified, and when that was done last."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Final, Self

from evolore.domain.metadata import MAX_NAMES, MetadataValue
from evolore.domain.times import read_moment
from evolore.errors import InvalidValue

_OWNER: Final = ("owner", "docowner", "documentowner", "maintainer", "responsible")
_VERIFY_BY: Final = ("verifyby", "reviewby", "verifyuntil", "nextreview", "nextreviewdate", "reviewdue")
_LAST: Final = ("lastverified", "lastreviewed", "lastreview", "verifiedon", "verifiedat", "reviewedon", "reviewedat")
_BY: Final = ("verifiedby", "reviewedby")
"""Under what each is stated, the first that is there; case, ``-``, ``_`` and blanks do not count."""
_BETWEEN: Final = re.compile(r"[\s_-]")
_LONGEST: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """Who answers for a document, and how current it is."""

    owner: str | None = None  #: Who answers for it; None if unknown.
    verify_by: date | None = None  #: The last day on which it counts as verified; None for no such day.
    last_verified: date | None = None  #: When somebody verified it last; None if unknown.
    verified_by: str | None = None  #: Who did; None if unknown.

    @classmethod
    def of(cls, stated: Mapping[str, MetadataValue]) -> Self:
        """Read it from metadata or front matter; what is no date is left out.

        >>> Upkeep.of({"Owner": "mika", "review-by": "2026-12-31"}).verify_by
        datetime.date(2026, 12, 31)
        """
        if not stated:
            return cls()
        known = {_BETWEEN.sub("", name.casefold()): str(value).strip() for name, value in stated.items()}
        owner, by = (next(filter(None, map(known.get, names)), "")[:_LONGEST].strip() for names in (_OWNER, _BY))
        days = ((_day(known[one]) for one in names if one in known) for names in (_VERIFY_BY, _LAST))
        verify_by, last = (next(filter(None, some), None) for some in days)
        return cls(owner=owner or None, verify_by=verify_by, last_verified=last, verified_by=by or None)

    def is_overdue(self, today: date) -> bool:
        """Return whether its day is over, and nobody verified it on that day or later."""
        if self.verify_by is None or self.verify_by >= today:
            return False
        return self.last_verified is None or self.last_verified < self.verify_by

    def filed(self) -> dict[str, MetadataValue]:
        """Return it as metadata, what is known of it."""
        days = {"verify_by": self.verify_by, "last_verified": self.last_verified}
        texts = {"owner": self.owner, "verified_by": self.verified_by}
        return {
            **{name: one.isoformat() for name, one in days.items() if one},
            **{n: one for n, one in texts.items() if one},
        }


def unread_day(stated: Mapping[str, MetadataValue]) -> str:
    """Return the day to verify by that is stated and cannot be read; empty for none."""
    found = (str(value) for name, value in stated.items() if _BETWEEN.sub("", name.casefold()) in _VERIFY_BY)
    return next((one[:_LONGEST] for one in found if one.strip() and _day(one) is None), "")


def _day(written: str) -> date | None:
    try:
        moment = read_moment(written, "date")
    except InvalidValue:
        return None
    return moment and moment.date()


def with_upkeep(
    given: Mapping[str, MetadataValue] | None, front: Mapping[str, MetadataValue], known: Mapping[str, MetadataValue]
) -> Mapping[str, MetadataValue] | None:
    """Return the metadata of a document that is added, with what its front matter states of its upkeep.

    A verification that is newer than what its source states stays, with its day if that is later.

    Args:
        given: Its metadata; it decides over front matter. None for what the store knows.
        front: What its front matter states.
        known: What the store has of it.
    """
    if given is not None and not given:
        known = {}
    kept, stated, own = Upkeep.of(known), Upkeep.of(front), Upkeep.of(given or {})
    found = replace(
        own,
        owner=own.owner or stated.owner,
        verify_by=own.verify_by or stated.verify_by,
        last_verified=own.last_verified or stated.last_verified,
        verified_by=own.verified_by or stated.verified_by,
    )
    if kept.last_verified and (found.last_verified is None or kept.last_verified > found.last_verified):
        days = [one for one in (found.verify_by, kept.verify_by) if one]
        found = replace(
            found,
            verify_by=max(days, default=None),
            last_verified=kept.last_verified,
            verified_by=kept.verified_by,
        )
    base = known if given is None else given
    merged = {**base, **{name: one for name, one in found.filed().items() if Upkeep.of(base).filed().get(name) != one}}
    return given if merged == dict(base) or len(merged) > MAX_NAMES else merged
