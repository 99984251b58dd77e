from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.episode import Statement
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from laws import tried

WORDS = st.lists(st.sampled_from(["red", "駅", "“quoted”", "a\tb", "é", "'"]), min_size=1, max_size=5).map(" ".join)
TIMES = st.datetimes(min_value=datetime(1950, 1, 1), max_value=datetime(2100, 1, 1)).flatmap(  # noqa: DTZ001
    lambda time: st.integers(-720, 720).map(lambda minutes: time.replace(tzinfo=timezone(timedelta(minutes=minutes))))
)
VALUES = WORDS | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6)
STATEMENTS = st.builds(
    Statement,
    text=WORDS,
    occurred_at=st.none() | TIMES,
    speaker=st.none() | st.sampled_from(["Ann", "美香"]),
    session=st.none() | st.sampled_from(["s", "t"]),
    arousal=st.none() | st.integers(0, 1) | st.floats(0, 1),
    about=st.none() | st.just(("office", "city")),
    metadata=st.dictionaries(st.sampled_from(["team", "year", "地域"]), VALUES),
    tags=st.lists(st.sampled_from(["b", "a", "札"]), unique=True).map(tuple),
)


@settings(max_examples=tried(10, long=30))
@given(statements=st.lists(STATEMENTS, min_size=1, max_size=5))
def test_what_remembering_gives_is_what_is_read_later(statements: list[Statement]) -> None:
    with TemporaryDirectory() as made, Memory.open(Path(made) / "store", embedder=HashingEmbedder()) as memory:
        given_back = memory.remember_many(statements).episodes
        read = [memory.show(episode.id) for episode in given_back]
    assert list(given_back) == read
    assert [repr(episode) for episode in given_back] == [repr(episode) for episode in read]
    assert [episode.text for episode in given_back] == [statement.text for statement in statements]
