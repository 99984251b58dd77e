from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from evolore.domain.filters import Filter, Target, breadcrumb, lies_below, read_path
from evolore.errors import InvalidValue

MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)


def test_a_filter_that_names_nothing_is_empty() -> None:
    assert Filter().is_empty
    assert not Filter().asks_for_names
    for parts in ({"where": {"a": 1}}, {"tags": ("a",)}, {"session": "s"}, {"speaker": "s"}, {"source": "s"}):
        assert Filter(**parts).asks_for_names  # pyright: ignore[reportArgumentType]
        assert not Filter(**parts).is_empty  # pyright: ignore[reportArgumentType]
    assert not Filter(since=MARCH).asks_for_names
    assert not Filter(since=MARCH).is_empty


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"where": {"a": None}}, "use a text, a number or a bool"),
        ({"tags": "urgent"}, "use several"),
        ({"session": " "}, "session is blank"),
        ({"speaker": ""}, "speaker is blank"),
        ({"source": ""}, "source is blank"),
        ({"since": datetime(2026, 3, 1)}, "since is 2026-03-01T00:00:00: use a time with a zone"),  # noqa: DTZ001
        ({"since": APRIL, "until": MARCH}, "use an until that is later"),
        ({"since": MARCH, "until": MARCH}, "use an until that is later"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        Filter(**parts)


@pytest.mark.parametrize(
    ("parts", "by"),
    [
        ({"item_id": "a"}, "id"),
        ({"document": "a"}, "document"),
        ({"session": "a"}, "session"),
        ({"speaker": "a"}, "speaker"),
        ({"filter": Filter(tags=("a",))}, "filter"),
        ({"everything": True}, "everything"),
    ],
)
def test_a_target_says_by_what_it_was_named(parts: dict[str, Any], by: str) -> None:
    assert Target(**parts).by == by
    other: dict[str, Any] = {"everything": True} if by != "everything" else {"item_id": "a"}
    with pytest.raises(InvalidValue, match="were named to forget: name exactly one of an id, a document"):
        Target(**parts, **other)


def test_a_target_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidValue, match="Nothing was named to forget"):
        Target()
    with pytest.raises(InvalidValue, match="session is blank"):
        Target(session=" ")


@pytest.mark.parametrize(
    ("title", "headings", "shown"),
    [
        (
            "Larkfield Instruments: staff handbook",
            ("Staff handbook", "Money"),
            "Larkfield Instruments: staff handbook › Money",
        ),
        ("Handbook", ("Handbook", "Money"), "Handbook › Money"),
        ("出張旅費規程", ("出張旅費規程", "第2章　交通費"), "出張旅費規程 › 第2章 交通費"),
        ("Ｎｏｔｅｓ 2024", ("notes  2024", "A"), "Ｎｏｔｅｓ 2024 › A"),
        ("Handbook", ("Hand", "Money"), "Handbook › Hand › Money"),
        ("The art of tea", ("Art", "Money"), "The art of tea › Art › Money"),
        ("東京都の規程", ("京都", "交通費"), "東京都の規程 › 京都 › 交通費"),
        ("", ("Top", "Money"), "Top › Money"),
        ("Page", (), "Page"),
        ("Overview", ("Overview", "Parts", "Overview"), "Overview › Parts › Overview"),
    ],
)
def test_a_breadcrumb_says_a_title_once(title: str, headings: tuple[str, ...], shown: str) -> None:
    assert " › ".join(breadcrumb(title, headings)) == shown


@pytest.mark.parametrize(
    ("title", "headings"),
    [
        ("Larkfield Instruments: staff handbook", ("Staff handbook", "Money")),
        ("出張旅費規程", ("出張旅費規程", "第2章　交通費")),
        ("Overview", ("Overview", "Parts", "Overview")),
        ("A", ("ﾃｽﾄ　１", "B")),
        ("", ("Top", "Money")),
    ],
)
def test_what_a_breadcrumb_says_is_a_path_to_it(title: str, headings: tuple[str, ...]) -> None:
    shown = " › ".join(breadcrumb(title, headings))
    path = read_path(shown)
    assert isinstance(path, tuple)
    assert lies_below(path, title, headings)
    assert lies_below(read_path(shown.split(" › ")[-1]), title, headings)  # type: ignore[arg-type]


@pytest.mark.parametrize("written", ["第2章 交通費", "第２章　交通費", "第2章  交通費"])
def test_width_and_spaces_of_a_heading_do_not_matter(written: str) -> None:
    assert lies_below((written,), "規程", ("規程", "第2章　交通費"))
    assert not lies_below(("第3章 交通費",), "規程", ("規程", "第2章　交通費"))


def test_case_and_parts_of_a_heading_matter() -> None:
    for path in (("going live",), ("Going",), ("Handbook", "Deep"), ("Deep", "Going live")):
        assert not lies_below(path, "Handbook", ("Handbook", "Going live", "Deep"))
