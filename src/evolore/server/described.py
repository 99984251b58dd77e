"""Descriptions of responses in the OpenAPI document besides what FastAPI sees: examples, and problems of some routes alone."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

from pydantic import BaseModel


class Body(BaseModel, extra="forbid"):
    """What a route is sent; other names are refused."""


Responses: TypeAlias = dict[int | str, dict[str, Any]]
"""As FastAPI takes them."""


def shows(
    example: object,
    *,
    status: int = HTTPStatus.OK,
    headers: tuple[str, ...] = (),
    links: Mapping[str, tuple[str, ...]] | None = None,
) -> Responses:
    """Return what a route answers where it does what it is asked: an example, and headers beside it.

    Args:
        example: Of its body.
        status: Its status.
        headers: Their names.
        links: Where the answer leads: of what in its body, such as ``/id``, to which operations, each with the name of the
            parameter that takes it, as ``show_api_jobs__job_id__get job_id``.
    """
    described: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": {"type": "object"}, "example": example}},
    }
    if headers:
        described["headers"] = {name: {"schema": {"type": "string"}} for name in headers}
    if links:
        described["links"] = {
            operation: {"operationId": operation, "parameters": {name: f"$response.body#{place}"}}
            for place, named in links.items()
            for operation, name in (one.split() for one in named)
        }
    return {int(status): described}


def refuses(*statuses: int) -> Responses:
    """Return problems that a route answers with beside those that every route does."""
    return {
        int(status): {"description": HTTPStatus(status).phrase, "content": {"application/problem+json": {}}}
        for status in statuses
    }
