import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from evolore.errors import InvalidValue
from evolore_evaluation.retrieval_sets import Collection, read_collections

ITEM: dict[str, object] = {"id": "i", "text": "x"}
QUESTION: dict[str, object] = {"text": "x", "evidence": ["i"]}


def memory(**fields: object) -> dict[str, object]:
    empty: dict[str, object] = {"id": "m", "items": [], "questions": []}
    return empty | fields


def read(folder: Path, *lines: Mapping[str, object]) -> tuple[Collection, ...]:
    path = folder / "tiny.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return read_collections(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (memory(items=[{"id": "i"}]), r'line 1, items\[0\]: "text" is missing: give a string'),
        (memory(items={}), 'line 1: "items" is {}: give a list of objects'),
        (memory(id=None), 'line 1: "id" is null'),
        (memory(items=[ITEM, ITEM]), r'items\[1\]: "id" is "i": give an id that no other has'),
        (memory(items=[ITEM | {"text": "x\0"}]), r"items\[0\]: .* a NUL character"),
        (
            memory(items=[ITEM | {"speaker": ["x"]}]),
            r'items\[0\]: "speaker" is \["x"\]: give a string, or leave it out',
        ),
        (memory(questions=[QUESTION | {"text": " "}]), r"questions\[0\]: .* is blank"),
        (memory(questions=[QUESTION | {"evidence": None}]), '"evidence" is null: give a list'),
        ({"type": "doc", "id": "d", "text": "\ud800"}, "line 1: .* surrogate pair"),
        ({"type": "q", "text": "x"}, 'line 1: "gold" is missing'),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, line: Mapping[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        read(tmp_path, line)


def test_twins_and_strangers_are_named(tmp_path: Path) -> None:
    document = {"type": "doc", "id": "d", "text": "x"}
    with pytest.raises(InvalidValue, match='line 2: "id" is "m": give an id that no other has'):
        read(tmp_path, memory(), memory())
    with pytest.raises(InvalidValue, match='line 2: "id" is "d": give an id that no other has'):
        read(tmp_path, document, document)
    with pytest.raises(InvalidValue, match='line 2: "type" is missing: give "doc" or "q"'):
        read(tmp_path, document, memory())
    with pytest.raises(InvalidValue, match='line 2: "items" is missing'):
        read(tmp_path, memory(), document)


def test_a_question_keeps_its_place_as_its_name_when_others_have_no_evidence(tmp_path: Path) -> None:
    idle: dict[str, object] = {"text": "x", "evidence": []}
    (found,) = read(tmp_path, memory(items=[ITEM], questions=[idle, QUESTION]))
    assert [question.id for question in found.questions] == ["1"]
