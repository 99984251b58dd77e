"""Writes that are done once: the same ``Idempotency-Key`` is answered with what the first request was."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from datetime import timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Any, cast

from fastapi import Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from evolore.domain.checks import check_text
from evolore.domain.secret import SecretsPolicy
from evolore.server.access import NAMESPACE_HEADER, PRINCIPAL_HEADER, Caller
from evolore.server.house import House, house_of
from evolore.server.problems import Refused
from evolore.store.service import REPLIES_KEPT, KeptReply
from evolore.text.secret_signs import redacted

HEADER = "Idempotency-Key"
ABANDONED = timedelta(minutes=10)
"""A write that was begun so long ago and left no reply was interrupted: then it is done again."""

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_MOST_CHARACTERS = 255
_WAIT_SECONDS = "1"
_NAMED = {
    "name": HEADER,
    "in": "header",
    "description": "The same key with the same request is answered as the first time, and done once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": _MOST_CHARACTERS},
}
_PARTS = (NAMESPACE_HEADER.casefold(), PRINCIPAL_HEADER.casefold(), "if-match", "prefer", "content-type")


class DoneOnce(APIRoute):
    """A route whose writes are done once under an ``Idempotency-Key``.

    A reply that is an error is not kept: the same request may be tried again. Where something was forgotten since, the
    reply is not kept either, since it may hold its text; that it was done is.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **described: Any) -> None:  # noqa: ANN401 - as FastAPI calls it
        super().__init__(path, endpoint, **described)
        if _WRITES & set(self.methods or ()):
            self.openapi_extra = {"parameters": [_NAMED]}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what handles a request."""
        handle = super().get_route_handler()
        caller_of = cast(
            "Callable[..., Caller]", next(o.call for o in self.dependant.dependencies if o.name == "caller")
        )

        takes_etag = any(one.alias.casefold() == "if-match" for one in self.dependant.header_params)

        async def handled(request: Request) -> Response:
            name = request.headers.get(HEADER)
            if not takes_etag and request.headers.get("if-match", "*") != "*" and request.method in _WRITES:
                raise Refused(HTTPStatus.PRECONDITION_FAILED, "What this writes has no ETag: send no If-Match.")
            if name is None or request.method not in _WRITES:
                return await handle(request)
            asked = _hash_of(request, await request.body())
            house = house_of(request)
            begun = await run_in_threadpool(_begin, request, house, caller_of, name, asked)
            if isinstance(begun, JSONResponse):
                return begun
            try:
                response = await handle(request)
            except BaseException:
                await run_in_threadpool(_drop, house, begun)
                raise
            if isinstance(response, StreamingResponse):  # streamed: there is no reply to keep
                await run_in_threadpool(_drop, house, begun)
                return response
            await run_in_threadpool(_keep, house, begun, response)
            return response

        return handled


def _hash_of(request: Request, body: bytes) -> str:
    """Hash what makes a request this one; the parts of a form are separated by a mark that is random each time."""
    told = [request.method, request.url.path, request.url.query, *(request.headers.get(one, "") for one in _PARTS)]
    kind, mark, rest = told[-1].partition("boundary=")
    parts = [body]
    if mark and kind.startswith("multipart/"):
        told[-1] = kind
        boundary = rest.partition(";")[0].strip().strip('"').encode("latin-1")
        parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    whole = sha256()
    for one in (*(part.encode("utf-8", "surrogatepass") for part in told), *parts):
        whole.update(b"%d:" % len(one) + one)
    return whole.hexdigest()


def _begin(
    request: Request, house: House, caller_of: Callable[..., Caller], name: str, asked: str
) -> KeptReply | JSONResponse:
    """Record that a write is being done, once it is known that its caller may; return its reply where it was done before."""
    headers = request.headers
    caller = caller_of(request, headers.get(NAMESPACE_HEADER), headers.get(PRINCIPAL_HEADER))
    request.state.caller, key = caller, caller.key
    check_text(name, HEADER)
    if len(name) > _MOST_CHARACTERS:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"{HEADER} has {len(name)} characters: use at most {_MOST_CHARACTERS}, such as a UUID.",
        )
    new = KeptReply(key_id=key.id if key else "", name=name, asked=asked, status=0, body={}, at=house.now())
    found = house.service.begin_reply(new)
    if found is None:
        return new
    age = abs(new.at - found.at)  # a clock that was set back ends what was interrupted, too
    if age >= REPLIES_KEPT or (found.status == 0 and age >= ABANDONED):
        house.service.put(new)
        return new
    if found.asked != asked:
        raise Refused(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"{HEADER} was used for another request: use a new one for each write, such as a UUID.",
        )
    if found.status == 0:
        raise Refused(
            HTTPStatus.CONFLICT,
            "The same request is being done: ask again in a moment.",
            headers={"Retry-After": _WAIT_SECONDS},
        )
    if "reply" not in found.body:
        raise Refused(
            HTTPStatus.CONFLICT,
            "The same request was done, and its reply is not kept: something was forgotten since. Look at what is there.",
        )
    return JSONResponse(found.body["reply"], status_code=found.status, headers={"Idempotency-Replayed": "true"})


def _drop(house: House, begun: KeptReply) -> None:
    house.service.remove(KeptReply, key_id=begun.key_id, name=begun.name, status=0)


def _keep(house: House, begun: KeptReply, response: Response) -> None:
    body = cast("bytes", response.body)
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        _drop(house, begun)
        return
    reply = json.loads(body) if body else None
    if house.memories.secrets is not SecretsPolicy.KEEP:
        reply = redacted(reply)
    done = {"status": response.status_code, "body": {"reply": reply}}
    here = {"key_id": begun.key_id, "name": begun.name}
    if not house.service.change(KeptReply, {**here, "body": {}}, done):  # something was forgotten meanwhile
        house.service.change(KeptReply, here, {"status": response.status_code})
