"""``doctor`` and ``verify``: find and repair damage in a store, and check that all is as it was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from evolore.domain.health import Diagnosis, Finding, FindingKind, Verification
from evolore.flows import item_keys
from evolore.flows.context import Context
from evolore.ports import StoredKeys
from evolore.recall.arousal import EstimateArousal

_EXAMPLES = 5
_REPAIR = "`evolore store doctor --repair` mends it."
_KEYS = {
    "vector": (FindingKind.VECTORS, "Texts have no vector of the store's model, or a broken one."),
    "tokens": (FindingKind.TOKENS, "The tokens of texts are not what the analyser makes of them."),
    "names": (FindingKind.NAMES, "The names of texts are not those that are found in them."),
    "periods": (FindingKind.PERIODS, "The periods of texts are not those that they speak of."),
    "arousal": (FindingKind.AROUSAL, "The estimates of how strongly texts were felt are not what is made of them."),
}
_UNOPENED = frozenset((FindingKind.UNREADABLE, FindingKind.SCHEMA, FindingKind.EMBEDDER))


def doctor(context: Context, *, repair: bool = False, all_namespaces: bool = True) -> Diagnosis:
    """Look for everything that is wrong in a store, and mend what is derived or left over."""
    only = None if all_namespaces else context.namespace
    before = _examine(context, only)
    is_open = not any(finding.kind in _UNOPENED for finding in before.findings)
    if not (repair and is_open and any(finding.can_be_repaired for finding in before.findings)):
        return before
    for name in before.namespaces:
        context.store.repair(name)
        if name not in _unreadable(before.findings):
            _mend_keys(context, name)
    context.store.take_out_erased()  # of any namespace, also of one that the role does not see
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
    """Return the namespaces in which a row cannot be read: what is indexed of their texts is unknown."""
    return frozenset(finding.namespace for finding in findings if finding.kind is FindingKind.VALUES)


def _key_findings(context: Context, name: str) -> tuple[Finding, ...]:
    """Compare what is indexed of each text with the text."""
    estimate = context.estimates(context.embedder.model)
    wrong: dict[str, list[str]] = {}
    with context.store.read(name) as reader:
        for stored in reader.stored_keys():
            for what in _wrong_keys(stored, estimate):
                wrong.setdefault(what, []).append(stored.payload_id)
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
        for what, (kind, reason) in _KEYS.items()
        if (ids := wrong.get(what))
    )


def _wrong_keys(stored: StoredKeys, estimate: EstimateArousal | None) -> Iterator[str]:
    """Yield which of a text's keys are not what is made of it."""
    if stored.vector is None:
        yield "vector"
    if stored.tokens != item_keys.tokens_of(stored.text):
        yield "tokens"
    if stored.names != item_keys.names_of(stored.text):
        yield "names"
    if stored.periods != item_keys.periods_of(stored.text):
        yield "periods"
    if not item_keys.has_same_arousal(stored, estimate=estimate):
        yield "arousal"


def _mend_keys(context: Context, name: str) -> None:
    """Rebuild wrong and missing keys, a batch a transaction; embedding blocks no other writer.

    A sound vector stays: only texts that lack one are embedded.
    """
    estimate = context.estimates(context.embedder.model)
    with context.store.read(name) as reader:
        for batch in _batches(stored for stored in reader.stored_keys() if any(_wrong_keys(stored, estimate))):
            lacking = [stored for stored in batch if stored.vector is None]
            made = item_keys.vectors_of(context.embedder, [stored.text for stored in lacking]) if lacking else ()
            vectors = dict(zip((stored.payload_id for stored in lacking), made, strict=True))
            vectors |= {stored.payload_id: stored.vector for stored in batch if stored.vector is not None}
            keys = {
                stored.payload_id: item_keys.keys_with(stored.text, vectors[stored.payload_id], estimate=estimate)
                for stored in batch
            }
            with context.store.write(name) as writer:
                writer.put_keys(keys, at=context.clock.now())


def _batches(items: Iterable[StoredKeys]) -> Iterator[list[StoredKeys]]:
    remaining = iter(items)
    while batch := list(islice(remaining, item_keys.EMBED_BATCH)):
        yield batch


def verify(context: Context, *, all_namespaces: bool = False) -> Verification:
    """Check the event chain of the namespace, or of every namespace, each at one moment."""
    names = context.store.namespaces() if all_namespaces else (context.namespace,)
    return Verification(chains=tuple(context.store.verify(name) for name in names))
