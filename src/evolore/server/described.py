"""Descriptions of responses in the OpenAPI document besides what FastAPI sees: examples, and problems of some routes alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from fastapi.routing import APIRoute
from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue

from evolore.domain.result import reader_of
from evolore.server.problems import PROBLEM

if TYPE_CHECKING:
    from pydantic_core import core_schema

_SCHEMAS = "#/components/schemas/"
_TEXT = {"type": "string"}
_PROBLEM_SCHEMA = {
    "type": "object",
    "description": "What went wrong and what to do, as RFC 9457 has it.",
    "required": ["type", "title", "status", "detail"],
    "properties": {"type": _TEXT, "title": _TEXT, "status": {"type": "integer"}, "detail": _TEXT, "error": _TEXT},
}


class Body(BaseModel, extra="forbid"):
    """What a route is sent; other names are refused."""


Responses: TypeAlias = dict[int | str, dict[str, Any]]
"""As FastAPI takes them."""


_DESCRIBED: dict[str, type] = {}
"""Types of replies by their names; the document describes them when somebody asks for it."""
Kinds: TypeAlias = type | tuple[type, ...]
"""A type, or those of which it is one."""
_CURSOR = {"type": ["string", "null"]}
_PLAIN: Mapping[type, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


def _schema_of(example: object, of: Kinds | Mapping[str, Kinds] | None) -> dict[str, Any]:
    if isinstance(example, (list, tuple)):
        first = next(iter(cast("Sequence[object]", example)), None)
        return {"type": "array", "items": _schema_of(first, of)}
    if isinstance(of, tuple):
        return {"anyOf": [_schema_of(None, one) for one in of]}
    told: Mapping[str, object] = cast("Any", example) if isinstance(example, Mapping) else {}
    if isinstance(of, type):
        _DESCRIBED[of.__name__] = of
        besides = {name: value for name, value in told.items() if name not in {one.name for one in fields(of)}}
        reference = {"$ref": f"{_SCHEMAS}{of.__name__}"}
        return {"allOf": [reference, _schema_of(besides, None)]} if besides else reference
    if isinstance(example, Mapping):
        parts = {name: _schema_of(value, None if of is None else of.get(name)) for name, value in told.items()}
        return {"type": "object", "properties": {**parts, **({"next": _CURSOR} if "next" in parts else {})}}
    kind = next((name for kind, name in _PLAIN.items() if isinstance(example, kind)), None)
    return {"type": kind} if kind else {}


class _Schemas(GenerateJsonSchema):
    """Schemas of what ``to_json`` writes: a dataclass with a text of its own is that text."""

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002 - of no field: its name says as much
        """Return whether a field gets a title."""
        return False

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        """Return the schema of a dataclass."""
        is_text = schema["cls"].__str__ is not object.__str__
        return {"type": "string"} if is_text else super().dataclass_schema(schema)

    def function_plain_schema(self, schema: core_schema.PlainValidatorFunctionSchema) -> JsonSchemaValue:
        """Return the schema of what is read by a function: a mapping, or written as a text."""
        read = schema["function"]["function"]
        return {"type": "object" if isinstance(read, type) and issubclass(read, Mapping) else "string"}


def _components() -> dict[str, Any]:
    """Return schemas of the types of replies, and of those that these hold."""
    known: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]]
    known = [(name, "validation", reader_of(kind)) for name, kind in _DESCRIBED.items()]
    found, held = TypeAdapter.json_schemas(known, ref_template=f"{_SCHEMAS}{{model}}", schema_generator=_Schemas)
    return {**held.get("$defs", {}), **{name: schema for (name, _), schema in found.items() if "$ref" not in schema}}


def shows(
    example: object,
    *,
    of: Kinds | Mapping[str, Kinds] | None = None,
    status: int = HTTPStatus.OK,
    headers: tuple[str, ...] = (),
    links: Mapping[str, tuple[str, ...]] | None = None,
) -> Responses:
    """Return what a route answers where it does what it is asked: an example, and headers beside it.

    Args:
        example: Of its body.
        of: The type of its body, or the types of the lists and objects in it by name; the rest is as the example has it; several types, where it is one of these.
        status: Its status.
        headers: Their names.
        links: Where the answer leads: of what in its body, such as ``/id``, to which operations, each with the name of the
            parameter that takes it, as ``jobs_show job_id``.
    """
    described: dict[str, Any] = {
        "description": HTTPStatus(status).phrase,
        "content": {"application/json": {"schema": _schema_of(example, of), "example": example}},
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


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Add to an OpenAPI document what every operation has: the key, and the form of problems."""
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "An API key, `evo_…`."}}
    components.setdefault("schemas", {}).update(_components(), Problem=_PROBLEM_SCHEMA)
    document["security"] = [{"key": []}]
    for operation in (one for path in document["paths"].values() for one in path.values()):
        for response in operation["responses"].values():
            if PROBLEM in response.get("content", {}):
                response["content"][PROBLEM] = {"schema": {"$ref": f"{_SCHEMAS}Problem"}}
    return document
