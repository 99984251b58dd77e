"""Replies of the API against what its OpenAPI document says of them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from evolore.server.app import create_app
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from pathlib import Path

    from httpx2 import Response

_DOCUMENT: dict[str, Any] = {}
CHECKED: set[tuple[str, str]] = set()
"""Which operations a reply was looked at of: method and path."""


def read(folder: Path) -> None:
    """Read the document, once."""
    if not _DOCUMENT:
        _DOCUMENT.update(create_app(Memories(folder / "described")).openapi())


def check(response: Response) -> None:
    """Assert that a reply is as the document says."""
    path, method = response.request.url.path, response.request.method.lower()
    if (
        not response.content
        or not response.is_success
        or not path.startswith("/api/")
        or "json" not in response.headers.get("content-type", "")
    ):
        return
    template = next((one for one, form in _forms() if form.fullmatch(path) and method in _DOCUMENT["paths"][one]), None)
    if template is None:
        return
    CHECKED.add((method, template))
    problems = [*_validator(template, method, str(int(response.status_code))).iter_errors(response.json())]
    assert not problems, (method, template, [(one.message, list(one.instance_path)) for one in problems[:3]])


@cache
def _forms() -> list[tuple[str, re.Pattern[str]]]:
    """Return the paths, those without parameters first."""
    paths = sorted(_DOCUMENT["paths"], key=lambda one: ("{" in one, -len(one)))
    return [(one, re.compile(re.sub(r"\{\w+\}", "[^?]+", one))) for one in paths]


@cache
def _validator(template: str, method: str, status: str) -> Any:  # noqa: ANN401
    content: dict[str, Any] = _DOCUMENT["paths"][template][method]["responses"][status].get("content", {})
    said: dict[str, Any] = content["application/json"]["schema"] if content else {}
    return jsonschema_rs.Draft202012Validator({**said, "components": _DOCUMENT["components"]})
