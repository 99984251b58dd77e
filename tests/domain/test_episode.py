from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState, Statement
from evolore.domain.language import Language
from evolore.errors import InvalidValue

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def episode(**more: Any) -> Episode:  # noqa: ANN401 - wrong values are what these tests give
    return Episode(id="e", kind=EpisodeKind.STATEMENT, text="We moved.", language=Language.EN, recorded_at=NOW, **more)


def test_an_episode_begins_active_and_half_confident() -> None:
    assert episode().state is EpisodeState.ACTIVE
    assert episode().confidence == 0.5
    assert episode().merge_count == 0


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("confidence", 1.01, "confidence is 1.01"),
        ("arousal", -0.1, "arousal is -0.1"),
        ("arousal", float("nan"), "arousal is nan"),
        ("occurred_at", datetime(2026, 3, 2), "occurred_at is 2026-03-02T00:00:00: use a time with a zone"),  # noqa: DTZ001
        ("merge_count", -1, "count from 0"),
        ("position", -1, "count from 0"),
    ],
)
def test_an_impossible_episode_cannot_exist(field: str, value: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        episode(**{field: value})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": " \n"}, "text is blank"),
        ({"text": "a\0b"}, "NUL character at character 1"),
        ({"text": "a\ud800b"}, r"half of a surrogate pair, U\+D800, at character 1"),
        ({"text": "a", "speaker": " "}, "speaker is blank"),
        ({"text": "a", "session": "s" * 501}, "has 501 characters: use at most 500"),
        ({"text": "a", "about": ("office", "")}, "about is blank"),
        ({"text": "a", "about": ("office", None)}, "about is None: use a text"),
        ({"text": "a", "about": ("office",)}, "use a subject and an attribute"),
        ({"text": "a", "about": "office"}, "use a subject and an attribute"),
        ({"text": 7}, "text is 7: use a text"),
        ({"text": "a", "arousal": "much"}, "arousal is much"),
        ({"text": "a", "occurred_at": "soon"}, "is not a date or time"),
        ({"text": "a", "occurred_at": 5}, "use a datetime with a zone"),
        ({"text": "a", "occurred_at": datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=9)))}, "between the years"),
        ({"text": "a", "arousal": 2.0}, "arousal is 2.0"),
        ({"text": "a", "occurred_at": datetime(2026, 1, 1)}, "with a zone"),  # noqa: DTZ001
    ],
)
def test_what_cannot_be_remembered_is_refused_with_the_reason(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Statement(**values)


def test_a_whole_statement_is_accepted() -> None:
    said = Statement(
        text="𠮷野家🍜", occurred_at=NOW, speaker="Mika", session="s", arousal=1.0, about=("office", "city")
    )
    assert said.text == "𠮷野家🍜"


def test_the_seeds_older_edge_name_is_understood() -> None:
    assert EdgeKind("query_spike") is EdgeKind.QUERY_INSIGHT
    with pytest.raises(ValueError, match="query_guess"):
        EdgeKind("query_guess")


def test_an_edge_joins_two_nodes_with_a_share() -> None:
    assert Edge(source_id="a", target_id="b", kind=EdgeKind.SEMANTIC).weight == 1.0
    with pytest.raises(InvalidValue, match=r"is on both ends\."):
        Edge(source_id="a", target_id="a", kind=EdgeKind.SEMANTIC)
    with pytest.raises(InvalidValue, match=r"weight is 1\.5"):
        Edge(source_id="a", target_id="b", kind=EdgeKind.SEMANTIC, weight=1.5)
