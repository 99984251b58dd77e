import gzip
import json
from pathlib import Path

import pytest

from evolore.errors import InvalidValue, UnreadableSource
from evolore_evaluation.records import Record, read_records


def test_plain_and_gzipped_lines_are_read_alike(tmp_path: Path) -> None:
    lines = '\ufeff{"a": "è"}\n\n{"a": "é"}\n'.encode()
    (tmp_path / "plain.jsonl").write_bytes(lines)
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(lines))
    for name in ("plain.jsonl", "packed.jsonl"):
        assert [record.fields for record in read_records(tmp_path / name)] == [{"a": "è"}, {"a": "é"}]


def test_a_line_is_counted_as_an_editor_counts_it(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"a": 1}\n\n{"a": 2}\n', encoding="utf-8")
    assert [record.where for record in read_records(file)] == [f"{file}, line 1", f"{file}, line 3"]


@pytest.mark.parametrize("line", [b"{", b"\xff\xfe", b"[" * 100_000])
def test_a_line_that_is_not_json_is_named(tmp_path: Path, line: bytes) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"{}\n" + line + b"\n")
    with pytest.raises(UnreadableSource, match=r"a\.jsonl, line 2 is not JSON"):
        list(read_records(file))


def test_a_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("[1]\n", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r"line 1 is \[1\]: give a JSON object"):
        list(read_records(file))


def test_a_broken_archive_is_unreadable(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"a": 1}\n' * 1000)[:-12])
    with pytest.raises(UnreadableSource, match="cannot be read"):
        list(read_records(file))


def test_errors_show_the_value_and_what_to_give() -> None:
    record = Record(fields=json.loads('{"id": [1], "s": ["a", 2], "b": [1, true], "r": {}, "n": [null]}'), where="f")
    with pytest.raises(InvalidValue, match=r'f: "id" is \[1\]: give a string'):
        record.name("id")
    with pytest.raises(InvalidValue, match='f: "text" is missing: give a string'):
        record.text("text")
    with pytest.raises(InvalidValue, match="list of strings"):
        record.texts("s")
    with pytest.raises(InvalidValue, match="list of strings"):
        record.texts("r")
    with pytest.raises(InvalidValue, match="list of whole numbers"):
        record.whole_numbers("b")
    with pytest.raises(InvalidValue, match="list of whole numbers"):
        record.whole_numbers("r")
    with pytest.raises(InvalidValue, match="list of objects"):
        record.records("r")
    with pytest.raises(InvalidValue, match=r"f, n\[0\] is null: give a JSON object"):
        record.records("n")
    with pytest.raises(InvalidValue, match="list of ids"):
        record.names("n")
    with pytest.raises(InvalidValue, match="list of ids"):
        record.names("gone")


def test_ids_may_be_numbers_and_names_may_be_left_out() -> None:
    record = Record(fields={"id": 7, "blank": " ", "none": None, "ids": [1, "b"]}, where="f")
    assert record.name("id") == "7"
    assert record.names("ids") == ("1", "b")
    assert record.optional_name("blank") is None
    assert record.optional_name("none") is None
    with pytest.raises(InvalidValue, match="not blank"):
        record.name("blank")


def test_a_long_value_is_shown_cut() -> None:
    with pytest.raises(InvalidValue, match="…: give a list"):
        Record(fields={"sentences": "x" * 500}, where="f").texts("sentences")
