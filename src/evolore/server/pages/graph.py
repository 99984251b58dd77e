"""Graph: the newest of a namespace and their edges, a document's passages, or the episodes around one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from evolore.errors import InputError
from evolore.flows.graph import MAX_DEPTH
from evolore.server.access import PAGES
from evolore.server.drawings.graph import drawing_of
from evolore.server.pages.page import PageRoute, Read
from evolore.server.pages.stored import newest_graph

router = APIRouter(prefix="/graph", route_class=PageRoute)
_MOST = 120
"""The names of more nodes cannot be read."""


@router.get("")
def show(
    page: Read, of: Annotated[str, Query(max_length=2000)] = "", depth: Annotated[int, Query(ge=1, le=MAX_DEPTH)] = 1
) -> Response:
    """Draw the graph, and list what it shows."""
    wanted, problem = of.strip(), ""
    found = None
    if wanted:
        try:
            found = newest_graph(page.memory, limit=_MOST, document=wanted)
            found = found or (page.memory.outline.graph(wanted, depth=depth, limit=_MOST), ())
        except InputError as error:
            problem = str(error)
    graph, names = found or newest_graph(page.memory, limit=_MOST) or (None, ())
    assert graph is not None
    drawing = drawing_of(graph, page.text, around=f"{PAGES}/graph?of=", documents=f"{PAGES}/documents/", names=names)
    return page.html(
        "graph.html", drawing=drawing, of=wanted, depth=depth, depths=range(1, MAX_DEPTH + 1), problem=problem
    )
