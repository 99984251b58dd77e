"""Descriptions of responses in the OpenAPI document besides what FastAPI sees: examples, and problems of some routes alone."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any, TypeAlias

from fastapi.routing import APIRoute
from pydantic import BaseModel

from evolore.server.problems import PROBLEM

_TEXT = {"type": "string"}
_PROBLEM_SCHEMA = {
    "type": "object",
    "description": "What went wrong and what to do, as RFC 9457 has it.",
    "required": ["type", "title", "status", "detail"],
    "properties": {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT, "error": _TEXT},
}
_IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key with the same request is answered as the first time, and done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}


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
            parameter that takes it, as ``jobs_show job_id``.
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
    return {int(status): {"description": HTTPStatus(status).phrase, "content": {PROBLEM: {}}} for status in statuses}


def operation_id(route: APIRoute) -> str:
    """Return an operation's short name: its subject and what it does, such as ``jobs_show``."""
    name = "list" if route.name == "listed" else route.name
    return f"{route.tags[0]}_{name}" if route.tags else name


def complete(document: dict[str, Any], done_once: Collection[str]) -> dict[str, Any]:
    """Add to an OpenAPI document what every operation has: the key, the form of problems, and the header of retried writes."""
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "An API key, `evo_…`."}}
    components.setdefault("schemas", {})["Problem"] = _PROBLEM_SCHEMA
    document["security"] = [{"key": []}]
    for operation in (one for path in document["paths"].values() for one in path.values()):
        for response in operation["responses"].values():
            if PROBLEM in response.get("content", {}):
                response["content"][PROBLEM] = {"schema": {"$ref": "#/components/schemas/Problem"}}
        if operation["operationId"] in done_once:
            operation.setdefault("parameters", []).append(_IDEMPOTENCY_KEY)
    return document
