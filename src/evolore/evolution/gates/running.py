"""All gates, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.lineage import Operator
from evolore.evolution.gate_settings import GateSettings
from evolore.evolution.gates.claim_gate import claim_gate
from evolore.evolution.gates.injection import injection_gate
from evolore.evolution.gates.markup import markup_gate
from evolore.evolution.gates.novelty import novelty_gate
from evolore.evolution.gates.parsing import parse_gate
from evolore.evolution.gates.sizes import size_gate
from evolore.evolution.gates.spans import span_gate
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Similar
    from evolore.evolution.gates.verdicts import Verdict

_DEFAULT = GateSettings()
_MAY_ADD = frozenset({Operator.MUTATION_DETAIL, Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT})
"""Only these draw on evidence; the others say what the document says."""


def run_gates(
    before: str,
    after: str,
    *,
    language: Language | None = None,
    operator: Operator | None = None,
    evidence: Sequence[str] = (),
    earlier: Sequence[str] = (),
    settings: GateSettings = _DEFAULT,
    similar: Similar | None = None,
) -> Iterator[Verdict]:
    """Give the verdict of each gate, cheapest first; stop where you like, what is not asked for is not computed.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What they are written in; judged from the original where it is not told.
        operator: How the candidate was made; evidence counts for detail and crossovers only, and where it is not told.
        evidence: The texts the candidate cites. Feedback is no evidence.
        earlier: Other candidates of the document.
        settings: What is let pass.
        similar: How near sentences are in meaning: given the sentences of either text, a matrix of cosines. Without it,
            words alone tell which sentence became which, and none is said to be certainly lost or invented for its meaning.

    >>> [verdict.gate.value for verdict in run_gates("Wait 30 s.", "Wait 60 s.") if not verdict.passes]
    ['spans', 'claims']
    """
    spoken = language or detect_language(before)
    cited = tuple(evidence) if operator is None or operator in _MAY_ADD else ()
    yield parse_gate(before, after)
    yield size_gate(before, after, settings, evidence=sum(map(len, cited)))
    yield span_gate(before, after, spoken, evidence=cited)
    yield markup_gate(before, after)
    yield novelty_gate(before, after, settings, earlier=earlier)
    yield injection_gate(before, after)
    yield claim_gate(before, after, spoken, settings, evidence=cited, similar=similar)
