"""Effects: the dashboard as a page and as CSV."""

from __future__ import annotations

import csv
import io

from fastapi import APIRouter, Request, Response

from evolore.server.dashboard import Share, dashboard_of
from evolore.server.house import house_of
from evolore.server.pages.page import PageRoute, Read

router = APIRouter(route_class=PageRoute)
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
_NAMES = ("count", "total", "rate", "low", "high")
_HEAD = ("promotion", "job", "document", "source", "operator", "model", "promoted_at", "rolled_back_at")


@router.get("/effects")
def effects(request: Request, page: Read) -> Response:
    """Show what changes did."""
    shown = dashboard_of(page.memory, day=house_of(request).now().date())
    sources = {one.document_id: one.source for one in shown.effects}
    most = max(1, *(one.good + one.bad for one in shown.weeks))
    return page.html("effects.html", shown=shown, sources=sources, most=most)


@router.get("/effects.csv")
def effects_as_csv(request: Request, page: Read) -> Response:
    """Return each change as CSV."""
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow([*_HEAD, *(f"{when}_{name}" for when in ("before", "after") for name in _NAMES), "cost_micros"])
    for one in dashboard_of(page.memory, day=house_of(request).now().date()).effects:
        head = (one.promotion_id, one.job_id, one.document_id, _plain(one.source), one.operator, _plain(one.model))
        times = (one.promoted_at, one.rolled_back_at)
        writer.writerow([*head, *times, *_figures(one.before), *_figures(one.after), one.cost_micros])
    return Response(
        written.getvalue(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="effects.csv"'},
    )


def _plain(text: str) -> str:
    """Keep a table's programme from reading a text as a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _figures(share: Share) -> tuple[int, int, float, float, float]:
    return share.count, share.total, share.rate, share.low, share.high
