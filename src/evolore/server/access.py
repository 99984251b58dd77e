"""Access control: the caller of a request, and what they may do; denied by default."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, NoReturn, cast
from urllib.parse import urlsplit

from fastapi import Depends, Header, Request

from evolore.domain.checks import check_name
from evolore.memory import Memory
from evolore.server.house import house_of
from evolore.server.keys import Scope, key_with_id
from evolore.server.problems import Refused
from evolore.store.service import ApiKey

_BEARER = "bearer "
_CHALLENGE = {"WWW-Authenticate": "Bearer"}
COOKIE = "evolore_session"
PAGES = "/admin"
"""Where the pages are; only there a session counts."""
NAMESPACE_HEADER = "Evolore-Namespace"
PRINCIPAL_HEADER = "Evolore-Principal"
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
"""How a program on this machine names the server: a page of another site that a browser here shows names it otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who asks, in which namespace."""

    key: ApiKey | None  #: By which key; None where the server has none, and serves this machine alone.
    namespace: str  #: Where.
    memory: Memory  #: Its memory.
    principal: str | None  #: On whose behalf: as the request says, or the key's label.

    @property
    def key_id(self) -> str | None:
        """The id of the key; None where there is none."""
        return self.key.id if self.key else None

    def covers(self, namespaces: Collection[str]) -> bool:
        """Return whether a key for some namespaces, none for all, enters only namespaces that this one may enter."""
        own = self.key.namespaces if self.key else ()
        return not own or (bool(namespaces) and set(namespaces) <= set(own))


def secret_of(request: Request) -> str | None:
    """Return the key that a request bears in its header; None for none."""
    header = request.headers.get("authorization", "")
    return header[len(_BEARER) :].strip() or None if header.casefold().startswith(_BEARER) else None


def _key_of_session(request: Request) -> ApiKey | None:
    """Return the key that a page's reader logged in with; the API takes no cookie, so that no other site can use it."""
    house = house_of(request)
    if not request.url.path.startswith(PAGES):
        return None
    key_id = house.sessions.key_id(request.cookies.get(COOKIE), at=house.now())
    return key_with_id(house.service, key_id, at=house.now()) if key_id else None


def key_that_asks(request: Request) -> ApiKey | None:
    """Return the key of a request; None where the server has none at all."""
    house = house_of(request)
    if not house.has_keys():
        _refuse_other_sites(request)
        return None
    secret = secret_of(request)
    key = house.key_of(request, secret) if secret else _key_of_session(request)
    if key is None:
        why = "bears no key" if secret is None else "bears a key that is not known, ended or was taken back"
        house.limit_stranger(request)
        house.note_refusal(request, HTTPStatus.UNAUTHORIZED)
        raise Refused(
            HTTPStatus.UNAUTHORIZED,
            f"The request {why}: send one with `Authorization: Bearer evo_…`.",
            headers=_CHALLENGE,
        )
    house.notes.use(key, at=house.now())
    request.state.key = key
    return key


def _refuse_other_sites(request: Request) -> None:
    """Refuse what a page of another site may have sent from this machine, where there are no keys to check.

    A name that is made to point to this machine (DNS rebinding) shows in ``Host``, a form of another site in ``Origin``.
    """
    names = [request.url.hostname]
    origin = request.headers.get("origin")
    if origin is not None:
        names.append(_host_of(origin))
    if any(name not in LOOPBACK_NAMES for name in names):
        raise Refused(
            HTTPStatus.FORBIDDEN,
            "The server has no key, and serves this machine alone, as localhost or 127.0.0.1: ask it by one of these "
            "names, or make a key with `evolore server key`.",
        )


def _host_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def utf8(value: str | None) -> str | None:
    """Read a header as UTF-8 where it is; HTTP passes it as Latin-1."""
    if value is None:
        return None
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def caller_of(request: Request, *scopes: Scope, namespace: str | None, principal: str | None) -> Caller:
    """Return who asks, whose key has one of some scopes and may enter the namespace; by default the key's only one, or the default."""
    house = house_of(request)
    key = key_that_asks(request)
    chosen = namespace or (key.namespaces[0] if key and key.namespaces else house.default_namespace)
    check_name(chosen, "namespace")
    check_name(principal, "principal")
    if key is not None:
        house.limit(key)
        _check_scopes(request, key, scopes)
        _check_namespaces(request, key, [chosen])
    who = principal or (key.label if key is not None else None)
    return Caller(key=key, namespace=chosen, memory=house.memories.of(chosen), principal=who)


def may_do(request: Request, caller: Caller, *scopes: Scope) -> None:
    """Refuse a caller unless its key has one of some scopes."""
    if caller.key is not None:
        _check_scopes(request, caller.key, scopes)


def _check_scopes(request: Request, key: ApiKey, scopes: Iterable[Scope]) -> None:
    enough = list(dict.fromkeys((*scopes, Scope.ADMIN)))
    if not any(one.value in key.scopes for one in enough):
        wanted = enough[:-1] if len(enough) > 1 else enough
        _refuse(request, key, f"the scope {' or '.join(repr(one.value) for one in wanted)}")


def may_enter(request: Request, caller: Caller, namespaces: Iterable[str]) -> None:
    """Refuse further namespaces that a caller's key may not enter, as the first one would be; none is named."""
    if caller.key is not None:
        _check_namespaces(request, caller.key, namespaces)


def _check_namespaces(request: Request, key: ApiKey, namespaces: Iterable[str]) -> None:
    if key.namespaces and any(one not in key.namespaces for one in namespaces):
        _refuse(request, key, "a right to the namespace asked for")


def _refuse(request: Request, key: ApiKey, what: str) -> NoReturn:
    house_of(request).note_later(request, HTTPStatus.FORBIDDEN, key_id=key.id)
    raise Refused(HTTPStatus.FORBIDDEN, f"The key {key.prefix}… lacks {what}: ask its maker.")


def may(*scopes: Scope) -> Callable[..., Caller]:
    """Return what a route depends on: the caller, whose key has one of some scopes and may enter the namespace.

    The namespace is the header ``Evolore-Namespace``, or the key's only one, or ``default``. A namespace that a key may not
    enter is answered like one that does not exist would be with no right to look: it is named nowhere.
    """

    def caller(
        request: Request,
        namespace: Annotated[
            str | None,
            Header(alias=NAMESPACE_HEADER, max_length=200, description="The namespace; by default the key's."),
        ] = None,
        principal: Annotated[
            str | None, Header(alias=PRINCIPAL_HEADER, max_length=200, description="On whose behalf.")
        ] = None,
    ) -> Caller:
        known = cast("Caller | None", getattr(request.state, "caller", None))  # looked up before its write was begun
        return known or caller_of(request, *scopes, namespace=utf8(namespace), principal=utf8(principal))

    return caller


Reader = Annotated[Caller, Depends(may(Scope.READ))]
Writer = Annotated[Caller, Depends(may(Scope.WRITE))]
Rater = Annotated[Caller, Depends(may(Scope.RATE))]
Reviewer = Annotated[Caller, Depends(may(Scope.REVIEW))]
Looker = Annotated[Caller, Depends(may(Scope.READ, Scope.REVIEW))]
Admin = Annotated[Caller, Depends(may(Scope.ADMIN))]
