from __future__ import annotations

import json
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import Episode, EpisodeKind
from evolore.domain.language import Language
from evolore.episodes.contradictions import NoVerdict, Said, confirm_prompt, read_confirmations


def said(text: str, language: Language = Language.EN) -> Episode:
    return Episode(
        id="e", kind=EpisodeKind.STATEMENT, text=text, language=language, recorded_at=datetime(2026, 3, 2, tzinfo=UTC)
    )


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_whatever_a_statement_says_it_stays_within_the_marks_and_arrives_as_it_is(pairs: list[tuple[str, str]]) -> None:
    request = confirm_prompt("Judge.", [(said(older), said(newer)) for older, newer in pairs])
    system, user = (message.text for message in request.messages)
    assert system == "Judge."
    before, data, behind = user.splitlines()
    assert (before, behind) == ("<pairs>", "</pairs>")
    assert "<" not in data
    assert ">" not in data
    found = [(pair["earlier"]["text"], pair["later"]["text"]) for pair in json.loads(data)]
    assert found == pairs


@given(st.text(), st.integers(1, 4))
def test_any_reply_is_read_as_one_answer_a_pair(reply: str, count: int) -> None:
    pairs = [(said("It is on."), said("It is off."))] * count
    assert len(read_confirmations(reply, pairs)) == count


def test_the_reason_becomes_one_line_of_what_can_be_shown() -> None:
    reply = json.dumps({"verdicts": [{"pair": 1, "verdict": "unsure", "reason": "\x1b[1m It \n is\x00 odd.\u2028"}]})
    (found,) = read_confirmations(reply, [(said("It is on."), said("It is off."))])
    assert isinstance(found, Said)
    assert found.reason == "[1m It is odd."


def test_the_reason_is_in_the_language_of_the_newer_statement() -> None:
    reasons = {Language.EN: "It changed.", Language.JA: "あとで変わりました。", Language.ZH: "后来改了地点。"}
    for language in reasons:
        for other, reason in reasons.items():
            reply = json.dumps({"verdicts": [{"pair": 1, "verdict": "unsure", "reason": reason}]})
            (found,) = read_confirmations(reply, [(said("x"), said("y", language))])
            assert (found is NoVerdict.OTHER_LANGUAGE) == (language is not other)
