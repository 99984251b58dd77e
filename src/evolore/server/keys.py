"""API keys: how they are made, kept and found again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from secrets import token_urlsafe

from evolore.domain.checks import check_name, check_text
from evolore.domain.result import fields_but
from evolore.errors import InvalidValue, NotFound
from evolore.store.service import ApiKey, Service

_BYTES = 32
_MARK = "evo_"
_PREFIX = 12


class Scope(StrEnum):
    """What a key may do; none includes another but ``ADMIN``, which includes all."""

    READ = "read"
    WRITE = "write"
    RATE = "rate"
    REVIEW = "review"
    ADMIN = "admin"


def hash_of(secret: str) -> str:
    """Return what is kept of a key. It has 256 bits of chance, so a plain hash reveals nothing of it."""
    return sha256(secret.encode()).hexdigest()


def make_key(
    service: Service,
    *,
    id_: str,
    label: str,
    scopes: Iterable[Scope | str],
    namespaces: Iterable[str] = (),
    at: datetime,
    expires_at: datetime | None = None,
    created_by: str | None = None,
) -> tuple[str, ApiKey]:
    """Make a key, and return it: it is not shown again."""
    check_text(label, "The label")
    try:
        wanted = tuple(sorted({Scope(one) for one in scopes}))
    except ValueError as error:
        raise InvalidValue(f"{error}: use scopes of {', '.join(Scope)}.") from error
    if not wanted:
        raise InvalidValue(f"The key may do nothing: use at least one scope of {', '.join(Scope)}.")
    spaces = tuple(dict.fromkeys(namespaces))
    for one in spaces:
        check_name(one, "namespace")
    if expires_at is not None and expires_at <= at:
        raise InvalidValue(f"expires_at is {expires_at.isoformat()}, which is past: use a future time.")
    secret = _MARK + token_urlsafe(_BYTES)
    key = ApiKey(
        id=id_,
        hash=hash_of(secret),
        prefix=secret[:_PREFIX],
        label=label,
        scopes=tuple(one.value for one in wanted),
        namespaces=spaces,
        created_at=at,
        created_by=created_by,
        expires_at=expires_at,
    )
    service.put(key)
    return secret, key


def key_of(service: Service, secret: str, *, at: datetime) -> ApiKey | None:
    """Return the key that holds now; None for one that is not known, ended or was taken back."""
    return _holding(service.get(ApiKey, hash=hash_of(secret)), at=at)


def key_with_id(service: Service, key_id: str, *, at: datetime) -> ApiKey | None:
    """Return the key with an id, as ``key_of`` does."""
    return _holding(service.get(ApiKey, id=key_id), at=at)


def _holding(key: ApiKey | None, *, at: datetime) -> ApiKey | None:
    if key is None or key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= at):
        return None
    return key


def revoke_key(service: Service, key_id: str, *, at: datetime, force: bool = False) -> ApiKey:
    """Revoke a key; one that was revoked stays so."""
    key = service.get(ApiKey, id=key_id)
    if key is None:
        raise NotFound(f"No key has the id {key_id!r}: `evolore server keys` lists them.")
    if not force and _holding(key, at=at) and _is_last(key, service.find(ApiKey), at=at):
        raise InvalidValue(
            f"{key.prefix}… is the last key that administers {', '.join(key.namespaces) or 'the server'}: make another one "
            "first, or take it back by `evolore server revoke --force`, over HTTP by `?force=true`."
        )
    if key.revoked_at is None:
        service.change(ApiKey, {"id": key.id, "revoked_at": None}, {"revoked_at": at})
        return replace(key, revoked_at=at)
    return key


def _is_last(key: ApiKey, every: Iterable[ApiKey], *, at: datetime) -> bool:
    """Return whether no other key that holds administers all that a key does."""
    return Scope.ADMIN.value in key.scopes and not any(
        one.id != key.id
        and Scope.ADMIN.value in one.scopes
        and (not one.namespaces or (bool(key.namespaces) and set(key.namespaces) <= set(one.namespaces)))
        and _holding(one, at=at)
        for one in every
    )


def shown_key(key: ApiKey) -> dict[str, object]:
    """Return a key as people see it: without its hash."""
    return fields_but(key, "hash")
