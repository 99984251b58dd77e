"""Routes made of the client's plain verbs: parameters in, one call of a memory, its result out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import is_dataclass
from inspect import Parameter, Signature, getdoc, signature
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse
from pydantic import BaseModel, create_model

from evolore.client.plain_verbs import PlainRoute, Verb
from evolore.client.verbs import EvolutionVerbs, OutlineVerbs, PageVerbs, QuestionVerbs, ReviewVerbs, Verbs
from evolore.domain.result import to_json
from evolore.server.access import Caller, may
from evolore.server.described import Body, shows
from evolore.server.idempotency import DoneOnce
from evolore.server.keys import Scope

_NOUNS: dict[str, type] = {
    "": Verbs,
    "review": ReviewVerbs,
    "evolution": EvolutionVerbs,
    "questions": QuestionVerbs,
    "outline": OutlineVerbs,
    "pages": PageVerbs,
}


def plain_routes() -> APIRouter:
    """Return the routes of all verbs whose table says how they are served."""
    router = APIRouter(route_class=DoneOnce)
    for noun, table in _NOUNS.items():
        for name, verb in vars(table).items():
            if isinstance(verb, Verb) and verb.route is not None:
                _add_route(router, noun, name, verb.route)
    return router


def _add_route(router: APIRouter, noun: str, name: str, route: PlainRoute) -> None:
    served = route.served
    router.add_api_route(
        route.path,
        _endpoint(noun, name, route),
        methods=[route.method],
        name=served.name or name,
        tags=[*served.tags.split()],
        summary=served.summary,
        description=(getdoc(route.verb) or "").partition("\n\n")[0],
        status_code=served.status,
        responses=shows(served.reply, of=_type_in(route), status=served.status, links=served.links),
    )


def _type_in(route: PlainRoute) -> type | dict[str, type]:
    kinds: list[Any] = [kind for kind in get_args(route.result) if is_dataclass(kind)]
    one: type = kinds[0] if kinds else route.result
    return {route.inside: one} if route.inside else one


def _endpoint(noun: str, name: str, route: PlainRoute) -> Callable[..., JSONResponse]:
    """Return what answers a route, with the signature that FastAPI reads."""
    is_read = route.method == "GET"

    def answer(*, caller: Caller, body: BaseModel | None = None, **given: object) -> JSONResponse:
        if body is not None:
            given |= {one: getattr(body, one) for one in type(body).model_fields}
        if not is_read:
            given["principal"] = caller.principal
        owner = getattr(caller.memory, noun) if noun else caller.memory
        result = to_json(getattr(owner, name)(**given))
        return JSONResponse({route.inside: result} if route.inside else result, status_code=route.served.status)

    caller = Annotated[Caller, Depends(may(*map(Scope, route.served.scopes.split())))]
    vars(answer)["__signature__"] = Signature(
        [
            *(_named(one, str) for one in re.findall(r"\{(\w+)", route.path)),
            _named("caller", caller),
            *(_of_query(route) if is_read else _of_body(name, route)),
        ]
    )
    return answer


def _named(name: str, annotation: object, default: object = Parameter.empty) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)


def _of_query(route: PlainRoute) -> list[Parameter]:
    defaults = signature(route.verb).parameters
    return [_named(one, Annotated[kind, Query()], defaults[one].default) for one, kind in route.served.takes.items()]


def _of_body(name: str, route: PlainRoute) -> list[Parameter]:
    """Return the body as a parameter, where there is one; it may be left out where each of its fields may."""
    if not route.served.takes:
        return []
    defaults = signature(route.verb).parameters
    fields: dict[str, Any] = {
        one: (kind, ... if defaults[one].default is Parameter.empty else defaults[one].default)
        for one, kind in route.served.takes.items()
    }
    model = create_model(
        f"{name.title().replace('_', '')}Body",
        __base__=Body,
        __doc__=f"{route.served.summary}.",
        __cls_kwargs__={"json_schema_extra": {"examples": [route.served.body]}},
        **fields,
    )
    if any(one.is_required() for one in model.model_fields.values()):
        return [_named("body", model)]
    return [_named("body", model | None, None)]
