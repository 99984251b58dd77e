"""``doctor``: what is wrong in a store, and what of it can be mended."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from evolore.domain.health import Diagnosis, Finding, FindingKind
from evolore.flows.keys import EMBED_BATCH, tokens_of, vectors_of
from evolore.ports import ItemKeys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evolore.flows.context import Context
    from evolore.ports import StoredKeys

_EXAMPLES = 5
_REPAIR = "`evolore doctor --repair` mends it."
_UNOPENED = frozenset((FindingKind.UNREADABLE, FindingKind.SCHEMA, FindingKind.EMBEDDER))


def doctor(context: Context, *, repair: bool = False, all_namespaces: bool = True) -> Diagnosis:
    """Look for everything that is wrong in a store, and mend what is derived or left over.

    Raises:
        NamespaceNotFound: There is no store, or no such namespace.
        StoreBusy: Another process held the store for too long.
    """
    only = None if all_namespaces else context.namespace
    before = _examine(context, only)
    is_open = not any(finding.kind in _UNOPENED for finding in before.findings)
    if not (repair and is_open and any(finding.can_be_repaired for finding in before.findings)):
        return before
    for name in before.namespaces:
        context.store.repair(name)
        if name not in _unreadable(before.findings):
            _mend_keys(context, name)
    left = {_what(finding): finding for finding in _examine(context, only).findings}
    seen = [replace(finding, is_repaired=left.pop(_what(finding), None) is None) for finding in before.findings]
    return Diagnosis(namespaces=before.namespaces, findings=(*seen, *left.values()))


def _what(finding: Finding) -> tuple[str, str | None, str]:
    return finding.kind.value, finding.namespace, finding.reason


def _examine(context: Context, only: str | None) -> Diagnosis:
    names, findings = context.store.examine(only)
    if not any(finding.kind in _UNOPENED for finding in findings):
        looked_at = [name for name in names if name not in _unreadable(findings)]
        findings = (*findings, *(finding for name in looked_at for finding in _key_findings(context, name)))
    return Diagnosis(namespaces=names, findings=findings)


def _unreadable(findings: Iterable[Finding]) -> frozenset[str | None]:
    """Give the namespaces in which a row cannot be read: what is indexed of their texts cannot be told."""
    return frozenset(finding.namespace for finding in findings if finding.kind is FindingKind.VALUES)


def _key_findings(context: Context, name: str) -> tuple[Finding, ...]:
    """Compare what is indexed of each text with the text."""
    without_vector: list[str] = []
    other_tokens: list[str] = []
    with context.store.read(name) as reader:
        for stored in reader.stored_keys():
            if not stored.has_vector:
                without_vector.append(stored.payload_id)
            if stored.tokens != tokens_of(stored.text):
                other_tokens.append(stored.payload_id)
    wrong = (
        (FindingKind.VECTORS, without_vector, "Texts have no vector of the store's model, or a broken one."),
        (FindingKind.TOKENS, other_tokens, "The tokens of texts are not what the analyser makes of them."),
    )
    return tuple(
        Finding(
            kind=kind,
            reason=reason,
            remedy=_REPAIR,
            namespace=name,
            count=len(ids),
            examples=tuple(ids[:_EXAMPLES]),
            can_be_repaired=True,
        )
        for kind, ids, reason in wrong
        if ids
    )


def _mend_keys(context: Context, name: str) -> None:
    """Make wrong and missing keys anew, a batch a transaction; embedding holds up nobody."""
    with context.store.read(name) as reader:
        for batch in _batches(stored for stored in reader.stored_keys() if _is_wrong(stored)):
            vectors = vectors_of(context.embedder, [stored.text for stored in batch])
            keys = {
                stored.payload_id: ItemKeys(tokens=tokens_of(stored.text), vector=vector)
                for stored, vector in zip(batch, vectors, strict=True)
            }
            with context.store.write(name) as writer:
                writer.put_keys(keys, at=context.clock.now())


def _is_wrong(stored: StoredKeys) -> bool:
    return not stored.has_vector or stored.tokens != tokens_of(stored.text)


def _batches(items: Iterable[StoredKeys]) -> Iterator[list[StoredKeys]]:
    remaining = iter(items)
    while batch := list(islice(remaining, EMBED_BATCH)):
        yield batch
