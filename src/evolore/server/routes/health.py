"""Whether the server lives, and whether it is ready."""

from __future__ import annotations

from fastapi import APIRouter, Request

from evolore.server.house import house_of

router = APIRouter(tags=["health"])


@router.get("/healthz", summary="Tell that the process lives")
def alive() -> dict[str, str]:
    """Tell that the process lives; the store is not looked at."""
    return {"status": "ok"}


@router.get("/readyz", summary="Tell that the store can be read")
def ready(request: Request) -> dict[str, str]:
    """Tell that the store can be read."""
    house = house_of(request)
    house.memories.of(house.default_namespace).stats()
    return {"status": "ok"}
