"""The parse gate: is the candidate a text that can be stored and read, and the document alone?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text
from evolore.domain.knowledge import Span
from evolore.errors import InvalidValue
from evolore.evolution.gates.verdicts import Finding, Gate, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHATTER = re.compile(
    r"\A\s*(?:(?:Sure|Certainly|Of course|Absolutely)[,!.:]|Here(?:'s| is| are) (?:the|an?|your) (?:re|revised|updated|improved|edited|new|clar)"
    r"|(?:以下|こちら)(?:が|は).{0,12}(?:書き直し|修正|改善|更新)(?:した|版|後)|(?:承知|かしこまり)(?:し)?ました|(?:好的|当然)[,，!！]|以下是(?:修改|改写|更新|优化)"
    r"|As an AI|I(?:'m| am) sorry, (?:but )?I (?:can|am)|I cannot (?:help|assist|comply))",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\A\s*```(?:markdown|md|text)?[ \t]*\n.*\n```\s*\Z", re.DOTALL)
_JSON = re.compile(r"\A\s*[{\[]\s*[\"{].*[}\]]\s*\Z", re.DOTALL)
_REPLACEMENT = "\ufffd"


def parse_gate(before: str, after: str) -> Verdict:
    """Say whether a candidate is a text of its own: not blank, storable, without a model's talk or wrapping around it."""
    return Verdict(gate=Gate.PARSE, findings=tuple(_findings(before, after)))


def _findings(before: str, after: str) -> Iterator[Finding]:
    try:
        check_text(after, "The candidate")
    except InvalidValue as error:
        yield Finding(reason=str(error))
        return
    if after.count(_REPLACEMENT) > before.count(_REPLACEMENT):
        yield Finding(reason="Characters were lost in decoding", quote=_REPLACEMENT, after=_at(after, _REPLACEMENT))
    for pattern, reason in (
        (_CHATTER, "The candidate begins with a model's talk, not with the document"),
        (_WRAPPED, "The candidate is wrapped in a code block"),
        (_JSON, "The candidate is JSON, not a document"),
    ):
        match = pattern.search(after)
        if match and not pattern.search(before):
            yield Finding(reason=reason, quote=match.group().strip(), after=Span(*match.span()))


def _at(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))
