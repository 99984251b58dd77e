"""The pages under ``/admin``: drawn on the server, a file a subject, for who keeps a knowledge base and who reviews."""

from fastapi import APIRouter

from evolore.server.access import PAGES
from evolore.server.pages import (
    ask,
    care,
    documents,
    effects,
    entry,
    evolution,
    graph,
    jobs,
    notifications,
    reference,
    rewrite,
    schedules,
    statements,
    today,
)

router = APIRouter(include_in_schema=False)
_KNOWN = (entry, today, ask, documents, statements, graph)
for part in (*_KNOWN, evolution, rewrite, effects, care, schedules, notifications, jobs, reference):
    router.include_router(part.router, prefix=PAGES)
router.include_router(entry.last, prefix=PAGES)
