"""How documents improve."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from evolore.server.access import Reader  # noqa: TC001 - FastAPI reads it

router = APIRouter(prefix="/evolution", tags=["evolution"])


@router.get("/jobs", summary="List jobs of evolution")
def jobs(caller: Reader) -> JSONResponse:
    """List jobs, the newest first."""
    return JSONResponse({"jobs": [one.to_dict() for one in caller.memory.evolution.jobs()]})
