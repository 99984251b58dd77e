"""The API's reference: operations with parameters, types and examples, each with a form to try it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from typing import Any, TypeAlias

from fastapi import APIRouter, FastAPI, Request, Response

from evolore.server.access import PAGES
from evolore.server.drawings.markup import Markup
from evolore.server.pages.page import PageRoute, Read

router = APIRouter(route_class=PageRoute)
Described: TypeAlias = Mapping[str, Any]  # a part of the OpenAPI document
_REFERENCE = "#/components/schemas/"
_NONE: Described = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationView:
    """An operation as the reference shows it."""

    id: str  #: Its operationId.
    method: str  #: Of HTTP, in capitals.
    path: str  #: With places for parameters in braces.
    said: Described  #: What the document says of it.
    body: str  #: An example of what it is sent, as JSON; empty for nothing, or for a form.
    takes: Markup  #: The type of what it is sent; empty for nothing.
    replies: tuple[tuple[str, Markup, str], ...]  #: Where it succeeds: the status, the type of the reply, an example.


@router.get("/reference")
def reference(request: Request, page: Read) -> Response:
    """Show the API's reference."""
    return page.html("reference.html", chapters=_chapters(request.app), type_of=type_of)


@router.get("/reference/types")
def types(request: Request, page: Read) -> Response:
    """Show the types that the reference names."""
    return page.html("types.html", types=request.app.openapi()["components"]["schemas"], type_of=type_of)


@lru_cache(maxsize=1)
def _chapters(app: FastAPI) -> Mapping[str, list[OperationView]]:
    document = app.openapi()
    types: Described = document["components"]["schemas"]
    chapters: dict[str, list[OperationView]] = {}
    for path, by_method in document["paths"].items():
        for method, said in by_method.items():
            chapter = chapters.setdefault(next(iter(said.get("tags", ())), "health"), [])
            chapter.append(_operation(path, method, said, types))
    return chapters


def _operation(path: str, method: str, said: Described, types: Described) -> OperationView:
    sent: Described = said.get("requestBody", _NONE).get("content", _NONE)
    schema = _first(sent).get("schema", _NONE)
    named: Described = types.get(schema.get("$ref", "").removeprefix(_REFERENCE), schema)
    examples: list[object] = named.get("examples", [{}])
    return OperationView(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        said=said,
        body=_written(examples[0]) if "application/json" in sent else "",
        takes=type_of(schema) if sent else Markup(),
        replies=tuple(_replies(said["responses"])),
    )


def _replies(responses: Mapping[str, Described]) -> Iterator[tuple[str, Markup, str]]:
    for status, response in responses.items():
        if status.startswith("2"):
            content = _first(response.get("content", _NONE))
            example = _written(content["example"]) if "example" in content else ""
            yield status, type_of(content.get("schema", _NONE)), example


def _first(of: Mapping[str, Described]) -> Described:
    return next(iter(of.values()), _NONE)


def _written(example: object) -> str:
    return json.dumps(example, ensure_ascii=False, indent=2)


def type_of(schema: Described) -> Markup:
    """Write a type as people do, with links to the types it names."""
    return Markup(_type(schema))


def _type(schema: Described) -> str:
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(_REFERENCE))
        return f'<a href="{PAGES}/reference/types#type-{name}">{name}</a>'
    for several, between in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " &amp; ")):
        if several in schema:
            kinds: list[Described] = schema[several]
            return between.join(map(_type, kinds))
    if "enum" in schema or "const" in schema:
        values: list[object] = schema.get("enum", [schema.get("const")])
        return " | ".join(escape(json.dumps(one)) for one in values)
    if "properties" in schema:
        fields: Mapping[str, Described] = schema["properties"]
        return f"{{{', '.join(f'{escape(name)}: {_type(one)}' for name, one in fields.items())}}}"
    kind: str | list[str] = schema.get("type", "any")
    if kind == "array":
        return f"list of {_type(schema.get('items', _NONE))}"
    return escape(kind if isinstance(kind, str) else " | ".join(kind))
