from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue, UnreadableSource
from evolore_evaluation.records import (
    Record,
    check_count,
    find_sets,
    parse_asked_time,
    parse_time,
    read_records,
    set_name,
)


def test_plain_and_gzipped_lines_are_read_alike(tmp_path: Path) -> None:
    lines = '\ufeff{"a": "è"}\n\n{"a": "é"}\n'.encode()
    (tmp_path / "plain.jsonl").write_bytes(lines)
    (tmp_path / "packed.jsonl").write_bytes(gzip.compress(lines))
    for name in ("plain.jsonl", "packed.jsonl"):
        assert [record.fields for record in read_records(tmp_path / name)] == [{"a": "è"}, {"a": "é"}]


def test_an_array_in_a_json_file_is_read_entry_by_entry(tmp_path: Path) -> None:
    array = b'\xef\xbb\xbf [\n {"a": 1},\n {"a": 2}\n]\n'
    for name, content in (("set.json", array), ("packed.json.gz", gzip.compress(array))):
        file = tmp_path / name
        file.write_bytes(content)
        read = [(record.fields, record.where) for record in read_records(file)]
        assert read == [({"a": 1}, f"{file}, entry 1"), ({"a": 2}, f"{file}, entry 2")]
    assert set_name(tmp_path / "packed.json.gz") == "packed"


@pytest.mark.parametrize("content", ["[", '[{"a": 1}', "[" * 100_000])
def test_an_array_that_is_cut_off_is_unreadable(tmp_path: Path, content: str) -> None:
    file = tmp_path / "set.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(UnreadableSource, match=r"set\.json is not JSON"):
        list(read_records(file))


def test_an_entry_that_is_no_object_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    file.write_text("[{}, 7]", encoding="utf-8")
    with pytest.raises(InvalidValue, match="entry 2 is 7: give a JSON object"):
        list(read_records(file))


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


def has_a(first: Record) -> bool:
    return "a" in first.fields


def find(*paths: Path) -> list[str]:
    return [path.name for path in find_sets(paths, fits=has_a, form='{"a"}')]


def test_a_folder_gives_its_fitting_files_in_order(tmp_path: Path) -> None:
    for name, line in {
        "b.jsonl": '{"a": 1}',
        "a.jsonl": '{"a": 1}',
        "c.jsonl": "{}",
        "d.txt": "x",
        "e.jsonl": "",
    }.items():
        (tmp_path / name).write_text(line, encoding="utf-8")
    assert find(tmp_path) == ["a.jsonl", "b.jsonl"]
    assert find(tmp_path / "b.jsonl", tmp_path) == ["b.jsonl", "a.jsonl"]


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="gone does not exist"):
        find(tmp_path / "gone")


def test_a_folder_without_a_set_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r'holds no .jsonl or .jsonl.gz file of \{"a"\}'):
        find(tmp_path)


def test_a_file_of_another_form_is_named(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidValue, match=r'c.jsonl, line 1 is not of this form: give lines of \{"a"\}'):
        find(tmp_path / "c.jsonl")


def test_two_sets_of_one_name_cannot_be_told_apart(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jsonl").write_text('{"a": 1}', encoding="utf-8")
    with pytest.raises(InvalidValue, match="both called 'a'"):
        find(tmp_path / "x", tmp_path / "y")


def test_endings_are_not_part_of_a_name() -> None:
    assert set_name(Path("x/locomo_en.jsonl.gz")) == "locomo_en"
    assert set_name(Path("choi.dev.jsonl")) == "choi.dev"


def test_a_limit_counts_from_one() -> None:
    check_count(None, "limit")
    check_count(1, "limit")
    with pytest.raises(InvalidValue, match="limit is 0"):
        check_count(0, "limit")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("12:09 am on 13 September, 2023", datetime(2023, 9, 13, 0, 9, tzinfo=UTC)),
        ("29.12.2023, 18:08:05", datetime(2023, 12, 29, 18, 8, 5, tzinfo=UTC)),
        ("2023-12-25", datetime(2023, 12, 25, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("20240115_09:30", datetime(2024, 1, 15, 9, 30, tzinfo=UTC)),
        ("2023/05/20 (Sat) 02:21", datetime(2023, 5, 20, 2, 21, tzinfo=UTC)),
        ("2023-05-20T10:00:00+09:00", datetime(2023, 5, 20, 1, tzinfo=UTC)),
        ("2023-05-20T10:00:00Z", datetime(2023, 5, 20, 10, tzinfo=UTC)),
    ],
)
def test_times_of_every_form_are_read(written: str, read: datetime) -> None:
    assert parse_time(written) == read


@pytest.mark.parametrize("written", ["", "once upon a time", "32 May, 2023", "2023-13-01"])
def test_what_is_no_time_is_none(written: str) -> None:
    assert parse_time(written) is None
    assert parse_asked_time(written) is None


def test_a_question_asked_on_a_day_may_be_about_that_day() -> None:
    assert parse_asked_time("2023-12-25") == datetime(2023, 12, 25, 23, 59, 59, 999_999, tzinfo=UTC)
    assert parse_asked_time("2023-12-25 00:00") == datetime(2023, 12, 25, tzinfo=UTC)
    assert parse_asked_time("1:56 pm on 8 May, 2023") == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_times_survive(moment: datetime) -> None:
    assert parse_time(moment.isoformat()) == moment


@given(st.text())
def test_no_text_breaks_the_reader(written: str) -> None:
    found = parse_time(written)
    assert found is None or found.tzinfo is UTC
