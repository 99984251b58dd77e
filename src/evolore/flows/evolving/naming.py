"""What ids, or their beginnings, name: documents, jobs, promotions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.errors import AmbiguousId, NotFound
from evolore.flows.browse import document_named

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.domain.evolving import JobRecord, Promotion
    from evolore.domain.knowledge import Document
    from evolore.ports import StoreReader


def document_to_rewrite(reader: StoreReader, name: str) -> Document:
    """Give the document that a source, a file's path, an id or the beginning of one names.

    Raises:
        NotFound: It names no document, or a text on trial.
        AmbiguousId: It begins several ids.
    """
    found = document_named(reader, name)
    on_trial = next((one for one in reader.shadows() if one.document_id == found.id), None)
    if on_trial is not None:
        raise NotFound(
            f"{name!r} names a text on trial, which is no document of its own: `evolore canary {on_trial.promotion_id}` "
            f"shows how it does; its document is {found.source}."
        )
    return found


def job_named(reader: StoreReader, prefix: str) -> JobRecord:
    """Give the job that an id, or the beginning of one, names.

    Raises:
        NotFound: It names none.
        AmbiguousId: It begins several ids.
    """
    found = reader.job(_only(prefix, reader.resolve_job, "job"))
    assert found is not None
    return found


def promotion_named(reader: StoreReader, prefix: str) -> Promotion:
    """Give the promotion that an id of its own or of its job, or the beginning of one, names.

    Raises:
        NotFound: It names none.
        AmbiguousId: It begins several ids.
    """
    check_name(prefix, "id")
    if not reader.resolve_promotion(prefix):
        jobs = reader.resolve_job(prefix)
        of_job = reader.promotions(job_id=jobs[0]) if len(jobs) == 1 else ()
        if of_job:  # canaries that ended may have come before, by a clock that was set back since
            return next((one for one in of_job if one.rolled_back_at is None), of_job[-1])
    found = reader.promotion(_only(prefix, reader.resolve_promotion, "promotion"))
    assert found is not None
    return found


def _only(prefix: str, resolve: Callable[[str], tuple[str, ...]], what: str) -> str:
    check_name(prefix, "id")
    found = resolve(prefix)
    first = next(iter(found), None)
    if first is None:
        raise NotFound(f"No {what} has an id that begins with {prefix!r}: `evolore {_LISTS[what]}` lists them.")
    if len(found) > 1:
        raise AmbiguousId(f"{prefix!r} begins several ids: {', '.join(found)} and maybe more; give more of it.")
    return first


_LISTS = {"job": "jobs", "promotion": "generations DOCUMENT"}
