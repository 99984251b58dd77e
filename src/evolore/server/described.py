"""What the OpenAPI document says of responses besides what FastAPI sees: examples, and problems of some routes alone."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, TypeAlias

Responses: TypeAlias = dict[int | str, dict[str, Any]]
"""As FastAPI takes them."""


def shows(example: object, *, status: int = HTTPStatus.OK, headers: tuple[str, ...] = ()) -> Responses:
    """Give what a route answers where it does what it is asked: an example, and headers beside it."""
    described: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": {"type": "object"}, "example": example}},
    }
    if headers:
        described["headers"] = {name: {"schema": {"type": "string"}} for name in headers}
    return {int(status): described}


def refuses(*statuses: int) -> Responses:
    """Give problems that a route answers with beside those that every route does."""
    return {
        int(status): {"description": HTTPStatus(status).phrase, "content": {"application/problem+json": {}}}
        for status in statuses
    }
