"""What a chat model says that statements state counts only where their words bear it out."""

from __future__ import annotations

import json

from evolore.domain.fact import SPEAKER, FactKind, FactOrigin
from evolore.domain.language import Language
from evolore.episodes.key_extraction import LONGEST_SHOWN, ShownStatement, extract_prompt, read_keys

SAID = (
    ShownStatement(text="I moved to Berlin.", language=Language.EN, speaker="Mika"),
    ShownStatement(text="My sister lives in Rome.", language=Language.EN),
)


def reply(*facts: dict[str, object]) -> str:
    return json.dumps({"facts": list(facts)})


def fact(number: int = 1, **over: object) -> dict[str, object]:
    return {"number": number, "subject": "speaker", "attribute": "home", "value": "Berlin", "is_over": False, **over}


def test_a_fact_that_stands_there_is_kept_under_the_known_key() -> None:
    (first, second) = read_keys(reply(fact(attribute="Homes")), SAID, [(SPEAKER, "home")])
    assert [one.key for one in first] == [(SPEAKER, "home")]
    assert first[0].origin is FactOrigin.CHAT
    assert second == ()


def test_what_does_not_stand_there_or_is_somebody_elses_is_dropped() -> None:
    wrong = (
        fact(value="Paris"),
        fact(number=2, value="Rome"),
        fact(number=3),
        fact(subject="the office"),
        fact(attribute="; drop table"),
    )
    assert read_keys(reply(*wrong), SAID, []) == ((), ())


def test_a_reply_of_another_form_says_nothing() -> None:
    for broken in ("", "no", "[]", '{"facts": [{"number": "one"}]}', reply(fact(number=0))):
        assert read_keys(broken, SAID, []) == ((), ())


def test_an_end_is_kept_as_one() -> None:
    (first, _) = read_keys(reply(fact(is_over=True)), SAID, [])
    assert first[0].kind is FactKind.ENDS


def test_the_prompt_shows_numbers_speakers_and_known_keys_and_no_long_text() -> None:
    long = ShownStatement(text="x" * (LONGEST_SHOWN + 1), language=Language.EN)
    request = extract_prompt("Words.", [*SAID, long], [("speaker", "home")])
    shown = request.messages[1].text
    assert '"number": 2' in shown or '"number":2' in shown
    assert "Mika" in shown
    assert "home" in shown
    assert "xxx" not in shown
