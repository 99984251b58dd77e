from pathlib import Path

import pytest

from evolore.errors import InvalidValue, UnreadableSource
from evolore_evaluation.records import Record, check_count, find_sets, set_name


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
