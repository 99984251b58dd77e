from __future__ import annotations

import pytest

from evolore.domain.filters import breadcrumb, lies_below, read_path


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
