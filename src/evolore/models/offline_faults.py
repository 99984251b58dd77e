"""What can go wrong with a call of a chat model over HTTP, and what a server says then."""

from __future__ import annotations

import json
from enum import StrEnum


class ServerFault(StrEnum):
    """What can go wrong with a call, as a client meets it."""

    RATE_LIMITED = "rate_limited"
    BROKEN = "broken"
    HANGS = "hangs"
    CUT_OFF = "cut_off"
    TRUNCATED_JSON = "truncated_json"
    MALFORMED_JSON = "malformed_json"
    NO_COMPLETION = "no_completion"
    WRONG_SCHEMA = "wrong_schema"
    ABSURD_VALUES = "absurd_values"
    ABSURD_USAGE = "absurd_usage"
    REFUSAL = "refusal"
    WRONG_LANGUAGE = "wrong_language"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    COMPRESSED = "compressed"
    REDIRECTED = "redirected"
    KEY_REFUSED = "key_refused"
    REFUSES_ECHO = "refuses_echo"


RUSSIAN = "Всё это написано на совсем другом языке. И это тоже. И ещё это."
"""Words in another language than anybody asked in."""
TEXTS = {
    ServerFault.MALFORMED_JSON: "{'text': 'cut off', }",
    ServerFault.TRUNCATED_JSON: '{"text": "cut off',
    ServerFault.WRONG_SCHEMA: '{"decision": [1, 2, 3]}',
    ServerFault.ABSURD_VALUES: json.dumps(
        {
            "text": "x" * 100_000,
            "order": [-1, 0, 10**30],
            "intent": "temporal",
            "confidence": 1e308,
            "verdicts": [{"number": 10**12, "whole": True, "pair": -7, "verdict": "newer_holds", "reason": ""}],
            "edits": [{"kind": "replace", "place": "9" * 100, "text": "x" * 100_000, "reason": "x", "evidence": []}],
            "title": "x",
            "taken": [{"document": 10**12, "place": "1", "rest": "", "reason": "x"}],
            "conflicts": [],
            "lost": [{"quote": "x" * 1_000, "reason": "x"}],
            "invented": [],
            "questions": [{"number": 10**12, "question": "x?"}],
            "reason": "x",
            "first": {"helpfulness": 1e308, "correctness": -1, "coherence": 4},
            "second": {"helpfulness": 1, "correctness": 1, "coherence": 1},
            "preferred": "first",
            "in_sources": True,
            "sentences": [{"text": "x" * 100_000, "passages": [10**12, -1]}],
        }
    ),
    ServerFault.WRONG_LANGUAGE: json.dumps(
        {
            "text": RUSSIAN,
            "order": RUSSIAN,
            "intent": "временной",
            "confidence": 1,
            "verdicts": [
                {
                    "number": 1,
                    "whole": "нет",
                    "pair": 1,
                    "verdict": "newer_holds",
                    "reason": RUSSIAN,
                    "suggestion": RUSSIAN,
                }
            ],
            "edits": [{"kind": "insert", "place": "1", "text": RUSSIAN, "reason": RUSSIAN, "evidence": []}],
            "title": RUSSIAN,
            "taken": [{"document": number, "place": "1", "rest": "", "reason": RUSSIAN} for number in (1, 2)],
            "conflicts": [],
            "lost": [{"quote": RUSSIAN, "reason": RUSSIAN}],
            "invented": [],
            "questions": [{"number": 1, "question": f"{RUSSIAN}?"}],
            "reason": RUSSIAN,
            "first": dict.fromkeys(("helpfulness", "correctness", "coherence"), 3),
            "second": dict.fromkeys(("helpfulness", "correctness", "coherence"), 3),
            "preferred": "первый",
            "in_sources": True,
            "sentences": [{"text": RUSSIAN, "passages": [1]}],
        },
        ensure_ascii=False,
    ),
    ServerFault.EMPTY: "",
    ServerFault.ABSURD_USAGE: "{}",
}
"""The words of a reply that goes wrong."""
