"""Errors as RFC 9457 problem details, each with what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from evolore import errors
from evolore.errors import EvoloreError

PROBLEM = "application/problem+json"
_MOST_ERRORS = 20
_RETRY_SECONDS = "2"
_STATUSES: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (errors.NotFound, HTTPStatus.NOT_FOUND),
    (errors.NamespaceNotFound, HTTPStatus.NOT_FOUND),
    (errors.AmbiguousId, HTTPStatus.CONFLICT),
    (errors.InputError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (errors.ChatModelMissing, HTTPStatus.CONFLICT),
    (errors.ChatKeyMissing, HTTPStatus.CONFLICT),
    (errors.MissingExtra, HTTPStatus.NOT_IMPLEMENTED),
    (errors.SetupError, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.StoreBusy, HTTPStatus.SERVICE_UNAVAILABLE),
    (errors.TryAgain, HTTPStatus.SERVICE_UNAVAILABLE),
)
"""The first that fits counts. The message says what was wrong, the value, and what to do."""


class Refused(Exception):
    """Say that a request is refused before the memory is asked."""

    def __init__(self, status: HTTPStatus, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.headers = dict(headers or {})


def problem(status: int, detail: str, *, headers: Mapping[str, str] | None = None, **more: object) -> Response:
    """Return a problem as a response; ``more`` are members of its own."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail, **more}
    content = json.dumps(body)  # in ASCII: half of a surrogate pair that somebody sent has no UTF-8
    return Response(content, status_code=status, media_type=PROBLEM, headers=dict(headers or {}))


def detail_of(request: Request, error: EvoloreError | Refused) -> str:
    """Return what an error says; where the store lies is left out where no key was shown."""
    is_known = getattr(request.state, "key", None) is not None
    return str(error) if is_known else str(error).replace(request.app.state.house.memories.place, "…")


def problem_of(request: Request, error: EvoloreError | Refused) -> Response:
    """Return what an error of ours means over HTTP."""
    detail = detail_of(request, error)
    if isinstance(error, Refused):
        return problem(error.status, detail, headers=error.headers)
    status = next((one for kind, one in _STATUSES if isinstance(error, kind)), HTTPStatus.INTERNAL_SERVER_ERROR)
    headers = {"Retry-After": _RETRY_SECONDS} if isinstance(error, errors.TryAgain) else {}
    return problem(status, detail, headers=headers, error=type(error).__name__)


def answer_with_problems(app: FastAPI) -> None:
    """Answer every error as a problem."""

    @app.exception_handler(EvoloreError)
    @app.exception_handler(Refused)
    async def _ours(request: Request, error: EvoloreError | Refused) -> Response:
        return problem_of(request, error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_request: Request, error: RequestValidationError) -> Response:
        found: list[dict[str, Any]] = [dict(one) for one in error.errors()[:_MOST_ERRORS]]
        told = [{"at": ".".join(map(str, one["loc"])), "message": str(one["msg"])} for one in found]
        first = f"{told[0]['at']}: {told[0]['message']}" if told else "the request is not of its form"
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, first, errors=told)

    @app.exception_handler(Exception)
    async def _unforeseen(_request: Request, _error: Exception) -> Response:
        return problem(
            HTTPStatus.INTERNAL_SERVER_ERROR, "The server failed, and its log says at what: report it as a bug."
        )

    @app.exception_handler(HTTPException)
    async def _http(_request: Request, error: HTTPException) -> Response:
        return problem(error.status_code, str(error.detail), headers=error.headers)
