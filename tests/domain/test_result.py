"""Every result is written as JSON and read again as it was."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st

import evolore
from evolore.domain.document import Document, Span
from evolore.domain.evolution import PromotionStanding
from evolore.domain.metadata import Metadata
from evolore.domain.outline import OutlineCode
from evolore.domain.result import Result, from_json, reader_of
from evolore.errors import InvalidValue
from evolore.flows.add import Added, AddedDocument, AddOutcome
from evolore.ports import MadeEpisode, Receipt, Undone

SRC = Path(evolore.__file__).parents[1]
HOMES = [path for path in (SRC / "evolore").rglob("*.py") if "(Result)" in path.read_text(encoding="utf-8")]
MODULES = [import_module(".".join(path.relative_to(SRC).with_suffix("").parts)) for path in HOMES]
RESULTS = [
    value
    for module in MODULES
    for value in vars(module).values()
    if isinstance(value, type) and issubclass(value, Result) and value.__module__ == module.__name__
    if value is not MadeEpisode  # which is written and never given
]
reader_of(Added).rebuild(
    _types_namespace={"Document": Document, "PromotionStanding": PromotionStanding, "Receipt": Receipt}
)


WORDS = st.text("abcé日", min_size=1, max_size=4)
LABELS = st.dictionaries(
    st.sampled_from("abc"), st.integers(0, 2) | st.booleans() | WORDS | st.floats(0, 1), max_size=2
)
st.register_type_strategy(str, WORDS)
st.register_type_strategy(int, st.integers(1, 99))
st.register_type_strategy(float, st.floats(0, 1))
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(Span, st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda two: Span(*sorted(two))))
st.register_type_strategy(
    OutlineCode, st.lists(st.integers(1, 12), min_size=1).map(lambda some: OutlineCode(tuple(some)))
)
st.register_type_strategy(Metadata, LABELS.map(Metadata))
ADDED = st.builds(
    AddedDocument,
    document=st.from_type(Document),
    outcome=st.sampled_from(AddOutcome),
    promotions=st.tuples(st.from_type(PromotionStanding)),
)
RECEIPTS = st.none() | st.from_type(Receipt)
st.register_type_strategy(Added, st.builds(Added, documents=st.tuples(ADDED), receipt=RECEIPTS))


@pytest.mark.parametrize("kind", RESULTS, ids=lambda one: one.__name__)
@settings(
    max_examples=3, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(st.data())
def test_what_is_written_is_read_as_it_was(kind: type[Result], data: st.DataObject) -> None:
    try:
        value = data.draw(st.from_type(kind))
    except InvalidValue:  # a value that cannot be
        reject()
    written = json.dumps(value.to_dict())
    read = from_json(kind, {**json.loads(written), "of_a_later_version": 1})
    assert read == value
    assert json.dumps(read.to_dict()) == written


def test_what_is_no_result_is_refused_with_its_place() -> None:
    written = {"undone_ids": ["a"], "event_ids": [["b"]]}
    with pytest.raises(
        InvalidValue, match=r"^This is no Undone: event_ids\.0: .* string, not \['b'\]\. Was it written by"
    ):
        from_json(Undone, written)
    with pytest.raises(InvalidValue, match="event_ids: Field required"):
        from_json(Undone, {"undone_ids": []})


def test_what_a_value_refuses_is_refused_when_it_is_read() -> None:
    with pytest.raises(InvalidValue, match=r"'1\.\.2' is not an outline code"):
        from_json(OutlineCode, "1..2")
    with pytest.raises(InvalidValue, match="is not a span"):
        from_json(Span, {"start": 2, "end": 1})
