import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.scripts import load_script
from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run

SCRIPT = load_script("life")
STORE_SIZES, Form = SCRIPT.STORE_SIZES, SCRIPT.Form
evaluate_life, read_life_questions = SCRIPT.evaluate_life, SCRIPT.read_life_questions
DATA = Path(__file__).parents[1] / "data" / "life"
WORDS = re.findall(
    r"\w+",
    """anchor basket candle donkey engine feather garden hammer island jacket kettle ladder magnet needle orchard pepper
    quilt ribbon saddle teapot umbrella violin walnut yoghurt zipper acorn bottle copper dragon elbow falcon ginger
    hollow insect jungle kitten lantern mirror nickel oyster""",
)
TIMED = {"occurred_at": "2026-03-02T09:00:00+00:00"}


def is_blind(record: str, question: str) -> bool:
    return zlib.crc32(f"{record}/{question}".encode()) % 2 == 1


def id_in(record: str, *, blind: bool) -> str:
    return next(name for name in map(str, range(40)) if is_blind(record, name) is blind)


def facts(count: int) -> list[dict[str, object]]:
    return [
        {"id": word, "text": f"{word} {word}", "occurred_at": f"2026-01-01T{index % 24:02}:{index:02}:00+00:00"}
        for index, word in enumerate(WORDS[:count])
    ]


def everyday(id_: str, items: Sequence[object], questions: Sequence[object]) -> dict[str, object]:
    return {"id": id_, "lang": "en", "items": items, "questions": questions}


def after(fact: str, **more: object) -> dict[str, object]:
    return {"id": f"q-{fact}", "text": f"{fact}?", "evidence": [fact], "words": "same", **more}


def write_set(folder: Path, *records: Mapping[str, object], name: str = "en") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def figures(path: Path, *, blind: bool = False) -> dict[str, float]:
    return evaluate_life([path], embedder=HashingEmbedder(256), run=Run(blind=blind)).sets[0].flat_metrics()


def test_every_fact_is_asked_for_in_stores_of_four_sizes(tmp_path: Path) -> None:
    path = write_set(tmp_path / "everyday", everyday("m", facts(40), [after(word) for word in WORDS]))
    out = tmp_path / "out.jsonl"
    found = evaluate_life([path], embedder=HashingEmbedder(256), run=Run(predictions=out, blind=True)).sets[0]
    flat = found.flat_metrics()
    assert found.name == "everyday_en"
    assert flat["questions"] == flat["questions_same"] == 40
    assert [flat[f"first_right_{size}"] for size in STORE_SIZES] == [1.0] * 4
    assert flat["first_right"] == flat["plain_product_first_right_40"] == flat["first_right_same"] == 1.0
    assert flat["difference_to_plain"] == 0.0
    asked = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert Counter((one["id"], one["items"]) for one in asked) == {
        (f"m/q-{word}", size): 1 for word in WORDS for size in STORE_SIZES
    }
    assert all(one["ranking"][0] == one["id"].removeprefix("m/q-") for one in asked)


def test_every_deal_of_facts_holds_each_once(tmp_path: Path) -> None:
    path = write_set(tmp_path, everyday("m", facts(23), [after("anchor")]))
    life = read_life_questions(path)[0].life
    for size in STORE_SIZES:
        stores = {life.dealt(size, fact=word) for word in WORDS[:23]}
        assert sorted(name for store in stores for name, _ in store) == sorted(WORDS[:23])
        assert max(map(len, stores)) == min(size, 23)
        assert all((word in {name for name, _ in life.dealt(size, fact=word)}) for word in WORDS[:23])
    again = read_life_questions(write_set(tmp_path / "other", everyday("n", facts(23), [after("anchor")])))[0].life
    assert again.dealt(5, fact="anchor") != life.dealt(5, fact="anchor")


def test_what_is_found_wrongly_lowers_the_figures_of_its_words(tmp_path: Path) -> None:
    questions = [after("anchor"), after("basket", text="candle?", words="other")]
    flat = figures(write_set(tmp_path, everyday("m", facts(5), questions)), blind=True)
    assert flat["first_right"] == 0.5
    assert flat["first_right_same"] == flat["first_right_5_same"] == 1.0
    assert flat["first_right_other"] == flat["plain_product_first_right_5_other"] == 0.0


def test_a_fact_that_was_merged_into_another_counts_as_found_where_that_is_first(tmp_path: Path) -> None:
    text = "The spare key hangs behind the boiler."
    items = [
        *facts(3),
        {"id": "old", "text": text, "occurred_at": "2026-01-02T09:00:00+00:00"},
        {"id": "new", "text": text, "occurred_at": "2026-01-03T09:00:00+00:00"},
    ]
    questions = [after(name, text="Where does the spare key hang?") for name in ("old", "new")]
    assert figures(write_set(tmp_path, everyday("m", items, questions)), blind=True)["first_right"] == 1.0


def times(**more: object) -> dict[str, object]:
    items = [
        {"id": "a", "text": "The roofer shook his head.", "occurred_at": "2026-06-07T23:30:00+00:00"},
        {"id": "b", "text": "The roof is dry at last.", "occurred_at": "2026-06-08T00:30:00+09:00"},
        {"id": "c", "text": "Bought a kite.", "occurred_at": "2026-06-16T09:00:00+09:00"},
    ]
    asked = {"id": "q", "text": "What happened last week?", "first": "2026-06-08", "last": "2026-06-14", "kind": "time"}
    return {"id": "t", "as_of": "2026-06-17T10:00:00+09:00", "items": items, "questions": [{**asked, **more}]}


def test_an_item_lies_in_a_time_by_the_day_it_was_where_it_was_said(tmp_path: Path) -> None:
    (question,) = read_life_questions(write_set(tmp_path, times()))
    assert question.in_range == {"b"}


def test_as_many_hits_as_lie_in_the_time_are_held_against_it(tmp_path: Path) -> None:
    flat = figures(write_set(tmp_path, times()), blind=True)
    assert flat["inside"] == flat["inside_time"] == 1.0
    assert "subject_first_right" not in flat
    flat = figures(
        write_set(tmp_path, times(text="The roof last week?", kind="subject", evidence=["b"]), name="ja"), blind=True
    )
    assert flat["inside_subject"] == flat["subject_first_right"] == 1.0
    flat = figures(write_set(tmp_path, times(first="2026-06-16", last="2026-06-16"), name="zh"), blind=True)
    assert flat["inside"] == 0.0


def test_the_best_four_hits_are_held_against_the_sense(tmp_path: Path) -> None:
    texts = {"a1": "bank loan", "a2": "bank loan money", "b1": "bank river", "b2": "bank river water"}
    items = [{"id": name, "text": text} for name, text in texts.items()]
    questions = [{"id": "qa", "text": "bank loan?", "sense": "a"}, {"id": "qb", "text": "bank loan?", "sense": "b"}]
    record = {"id": "s", "word": "bank", "items": items, "questions": questions}
    flat = figures(write_set(tmp_path, record), blind=True)
    assert flat["sense"] == flat["plain_product_sense"] == 0.5


def seed(question: str, **more: object) -> dict[str, object]:
    items = [
        {"id": "a", "text": "anchor", "occurred_at": "2026-01-01T09:00:00+00:00", "arousal": 0.9},
        {"id": "b", "text": "basket", "occurred_at": "2026-01-02T09:00:00+00:00", "arousal": 0.2},
    ]
    asked = {"id": question, "text": "anchor?", "better": "a", "worse": ["b"], **more}
    return {"id": "seed", "as_of": "2026-02-01T09:00:00+00:00", "items": items, "questions": [asked]}


def test_the_founding_scenario_is_told_by_the_number_of_items_and_never_held_back(tmp_path: Path) -> None:
    blind = id_in("seed", blind=True)
    right = figures(write_set(tmp_path, seed(blind)))
    assert right["scenario"] == right["scenario_2"] == 1.0
    wrong = seed(blind, better="b", worse=["a"])
    flat = figures(write_set(tmp_path, wrong, name="ja"), blind=True)
    assert flat["scenario"] == 0.0
    assert "scenario_blind" not in flat


def test_the_blind_half_is_measured_only_when_asked_for(tmp_path: Path) -> None:
    seen, unseen = (id_in("m", blind=blind) for blind in (False, True))
    questions = [after("anchor", id=seen), after("basket", id=unseen, text="candle?")]
    path = write_set(tmp_path, everyday("m", facts(5), questions))
    assert figures(path)["first_right"] == 1.0
    assert "first_right_visible" not in figures(path)
    both = figures(path, blind=True)
    assert both["first_right_visible"] == both["first_right_visible_same"] == 1.0
    assert both["first_right_blind"] == 0.0
    assert both["questions_blind_same"] == 1


def test_only_so_many_questions_are_asked_and_each_is_told_of(tmp_path: Path) -> None:
    path = write_set(tmp_path / "days", everyday("m", facts(5), [after(word) for word in WORDS[:5]]))
    told: list[tuple[str, int, int]] = []
    evaluate_life(
        [path],
        embedder=HashingEmbedder(64),
        run=Run(blind=True, limit=2, progress=lambda name, done, total: told.append((name, done, total))),
    )
    assert told == [("days_en", 0, 2), ("days_en", 1, 2), ("days_en", 2, 2)]


def test_files_of_one_name_in_several_folders_are_several_sets(tmp_path: Path) -> None:
    paths = [write_set(tmp_path / "seed", seed("q")), write_set(tmp_path / "times", times())]
    found = evaluate_life([tmp_path / "seed", paths[1]], embedder=HashingEmbedder(64), run=Run(blind=True))
    assert [one.name for one in found.sets] == ["seed_en", "times_en"]
    twin = write_set(tmp_path / "more" / "seed", seed("q"))
    with pytest.raises(InvalidValue, match="both called 'seed_en'"):
        evaluate_life([paths[0], twin], embedder=HashingEmbedder(64))


def test_one_file_may_hold_records_of_every_form(tmp_path: Path) -> None:
    senses = {
        "id": "s",
        "word": "anchor",
        "items": [{"id": "a1", "text": "anchor"}],
        "questions": [{"id": "q", "text": "anchor?", "sense": "a"}],
    }
    path = write_set(tmp_path, everyday("m", facts(5), [after("anchor")]), times(), senses, seed("q"))
    flat = figures(path, blind=True)
    assert flat["questions"] == 4
    assert {"first_right", "inside", "sense", "scenario"} <= flat.keys()


ITEM = {"id": "a", "text": "anchor", **TIMED}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (everyday("m", [ITEM], []), "is not of this form"),
        (everyday("m", [ITEM], ["q"]), r"questions\[0\] is"),
        (everyday("m", [ITEM], [{"id": "q", "text": "anchor?"}]), "is not of this form"),
        (everyday("m", [ITEM, ITEM], [after("a")]), '"items" is'),
        (everyday("m", [ITEM], [after("a"), after("a")]), '"questions" is'),
        (everyday("m", [ITEM], [after("b")]), '"evidence" is'),
        (everyday("m", [ITEM, {**ITEM, "id": "b"}], [after("a", evidence=["a", "b"])]), "the id of one item"),
        (everyday("m", [ITEM], [after("a", text=" ")]), '"text" is " "'),
        (everyday("m", [{**ITEM, "text": " "}], [after("a")]), r"items\[0\]: "),
        (everyday("m", [{**ITEM, "arousal": 2}], [after("a")]), r"items\[0\]: "),
        (everyday("m", [{**ITEM, "arousal": "high"}], [after("a")]), '"arousal" is "high"'),
        (everyday("m", [{**ITEM, "occurred_at": "2026-03-02T09:00:00"}], [after("a")]), "a time with its zone"),
        (everyday("m", [{**ITEM, "occurred_at": "soon"}], [after("a")]), '"occurred_at" is "soon"'),
        (times(first="soon"), '"first" is "soon": give a date'),
        (times(first="2026-07-01", last="2026-07-02"), "a time in which an item lies"),
        ({**times(), "as_of": "now"}, '"as_of" is "now"'),
        (seed("q", better="z"), '"better" is "z"'),
        (seed("q", worse=["a"]), '"better" is "a"'),
        (seed("q", worse=[]), '"worse" is'),
        ({"id": "s", "items": [ITEM], "questions": [{"id": "q", "text": "a?", "sense": "z"}]}, '"sense" is "z"'),
    ],
)
def test_a_record_of_another_form_is_refused(tmp_path: Path, record: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        evaluate_life([write_set(tmp_path, record)], embedder=HashingEmbedder(64))


def test_a_later_record_of_another_form_is_refused_too(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match='line 2: "questions" is'):
        read_life_questions(write_set(tmp_path, seed("q"), everyday("m", [ITEM], [])))
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        read_life_questions(write_set(tmp_path, seed("q"), seed("q")))


@pytest.mark.parametrize(
    ("form", "records", "questions"), [("everyday", 4, 160), ("times", 8, 72), ("senses", 20, 40), ("seed", 2, 8)]
)
@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_projects_records_are_those_of_the_brief(form: str, language: str, records: int, questions: int) -> None:
    asked = read_life_questions(DATA / form / f"{language}.jsonl")
    assert {one.life.form for one in asked} == {Form(form)}
    assert len({one.life.id for one in asked}) == records
    assert len(asked) == questions
    assert form == "seed" or 0.4 < sum(one.is_held_back for one in asked) / len(asked) < 0.6


def test_the_script_prints_a_table_json_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    item = {"id": "f1", "text": "The key hangs by the door.", **TIMED}
    question = {"id": "q1", "text": "Where does the key hang?", "evidence": ["f1"], "words": "same"}
    path = write_set(tmp_path / "days", everyday("m", [item], [question]))
    asked = tmp_path / "asked.jsonl"

    def run(*arguments: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["life.py", *map(str, arguments)])
        SCRIPT.main()
        return capsys.readouterr().out

    head, row, *_ = run(path, "--blind").splitlines()
    assert head.split()[:6] == ["set", "asked", "first@5", "first@10", "first@20", "first@40"]
    assert row.split()[:6] == ["days_en", "1", "100.0%", "100.0%", "100.0%", "100.0%"]
    found = json.loads(run(path, "--blind", "--limit", "1", "--predictions", asked, "--json"))["sets"][0]
    assert found["set"] == "days_en"
    assert found["metrics"]["first_right_40"] == 1.0
    assert json.loads(asked.read_text("utf-8").splitlines()[0])["ranking"] == ["f1"]
    with pytest.raises(SystemExit, match="gone"):
        run(tmp_path / "gone")
