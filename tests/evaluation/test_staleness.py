import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run
from evolore_evaluation.staleness import STALENESS_SETS, evaluate_staleness, is_in_right_order

DATA = Path(__file__).parents[1] / "data" / "staleness" / "cases.jsonl"
VISIBLE = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 0]
BLIND = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 1]
ITEMS = [
    {"id": "a", "text": "The API listens on port 8080.", "occurred_at": "2025-03-02T09:00:00Z"},
    {"id": "b", "text": "Nadia brought baklava.", "occurred_at": "2025-04-02T09:00:00Z"},
]


def case(id_: str, **more: object) -> dict[str, object]:
    return {
        "id": id_,
        "lang": "en",
        "kind": "Control no-change",
        "as_of": "2026-05-01T09:00:00Z",
        "items": ITEMS,
        "query": "Which port does the API listen on?",
        "better": "a",
        "worse": ["b"],
        **more,
    }


def write_set(folder: Path, cases: Sequence[Mapping[str, object]]) -> Path:
    path = folder / "tiny.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in cases), encoding="utf-8")
    return path


def test_the_share_of_right_orders_is_given_by_kind_and_language(tmp_path: Path) -> None:
    wrong = case(VISIBLE[1], kind="everyday", better="b", worse=["a"])
    path = write_set(tmp_path, [case(VISIBLE[0]), wrong])
    found = evaluate_staleness([path], embedder=HashingEmbedder(64), run=Run(predictions=tmp_path / "out.jsonl")).sets[
        0
    ]
    flat = found.flat_metrics()
    assert flat["cases"] == 2
    assert flat["right_order"] == 0.5
    assert flat["right_order_control_no_change"] == 1.0
    assert flat["right_order_everyday"] == 0.0
    assert flat["right_order_en"] == 0.5
    first = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert first == {"set": "tiny", "id": VISIBLE[0], "ranking": ["a", "b"], "right": True}


def test_the_blind_half_is_measured_only_when_asked_for(tmp_path: Path) -> None:
    path = write_set(tmp_path, [case(VISIBLE[0]), case(BLIND[0], better="b", worse=["a"])])
    assert evaluate_staleness([path], embedder=HashingEmbedder(64)).sets[0].metrics["right_order"] == 1.0
    both = evaluate_staleness([path], embedder=HashingEmbedder(64), run=Run(blind=True)).sets[0]
    assert both.categories["visible"]["right_order"] == 1.0
    assert both.categories["blind"]["right_order"] == 0.0
    assert both.categories["blind_control_no_change"]["cases"] == 1


def test_what_is_not_recalled_stands_below_what_is() -> None:
    assert is_in_right_order(["x", "new"], better="new", worse=frozenset({"old"}))
    assert not is_in_right_order(["x", "old"], better="new", worse=frozenset({"old"}))
    assert not is_in_right_order([], better="new", worse=frozenset({"old"}))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"better": "z"}, '"better" is "z": give the id of one of the items'),
        ({"worse": []}, '"worse" is'),
        ({"worse": ["a"]}, '"worse" is'),
        ({"query": " "}, '"query" is'),
        ({"as_of": "soon"}, '"as_of" is "soon"'),
        ({"items": [ITEMS[0], ITEMS[0]]}, '"items" is'),
        ({"items": [{**ITEMS[0], "arousal": 2}, ITEMS[1]]}, '"arousal" is 2'),
        ({"items": [{**ITEMS[0], "occurred_at": "?"}, ITEMS[1]]}, '"occurred_at" is'),
        ({"items": [{**ITEMS[0], "text": ""}, ITEMS[1]]}, '"text" is'),
    ],
)
def test_a_case_of_another_form_is_refused(tmp_path: Path, more: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        STALENESS_SETS.read(write_set(tmp_path, [case("1", **more)]))


def test_two_cases_of_one_id_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        STALENESS_SETS.read(write_set(tmp_path, [case("1"), case("1")]))


def test_the_projects_cases_hold_a_quarter_of_controls_in_three_languages() -> None:
    cases = STALENESS_SETS.read(DATA)
    assert len(cases) == 180
    assert {one.language for one in cases} == {"en", "ja", "zh"}
    assert sum(one.kind.startswith("control") for one in cases) >= 45
    assert 0.4 < sum(one.is_blind for one in cases) / len(cases) < 0.6
