from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from evolore.sources.files import text_of
from evolore.sources.readers.cell_formats import shown
from evolore.sources.readers.table_rows import Strong, Tables
from growth import assert_in_proportion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports import SourceText

NOON = datetime(2024, 7, 8, 14, 30, 5, tzinfo=UTC).replace(tzinfo=None)

NAMED = {
    "years": ("Crop,2022,2023\nRye,4.4,2.9\nOats,5.1,6", "- Crop: Rye; 2022: 4.4; 2023: 2.9"),
    "years in Japanese": ("品目,2022年,2023年\n羊羹,480,612", "- 品目: 羊羹; 2022年: 480; 2023年: 612"),
    "months": ("Shop,2024-01,2024-02\nQuay,14,15", "- Shop: Quay; 2024-01: 14; 2024-02: 15"),
    "days above words": (
        "Name,2024-05-01,2024-05-02\nAnn,early,late",
        "- Name: Ann; 2024-05-01: early; 2024-05-02: late",
    ),
    "hours": ("Day,0,1,2\nMon,14,15,9\nTue,13,11,8", "- Day: Mon; 0: 14; 1: 15; 2: 9"),
    "sizes": ("Shoe,36,37,38\nAlpha,2,0,1\nBeta,4,3,3", "- Shoe: Alpha; 36: 2; 37: 0; 38: 1"),
    "repeated names": ("Team,Score,Score\nReds,3,1", "- Team: Reds; Score: 3; Score: 1"),
    "an index": (",city,rain\n0,Leeds,61.5\n1,Bath,88", "- 0; city: Leeds; rain: 61.5"),
    "an index of R": ("city,rain\n1,Leeds,61.5\n2,Bath,88", "- 1; city: Leeds; rain: 61.5"),
    "a title": ("Prices of May\ntea,price\nSencha,12", "Prices of May\n\n- tea: Sencha; price: 12"),
    "a title with a comma": ("Counts, north\nDay,AM,PM\nMon,2,3", "Counts; north\n\n- Day: Mon; AM: 2; PM: 3"),
    "a remark": ("# by hand\ntea,price\nSencha,12", "# by hand\n\n- tea: Sencha; price: 12"),
    "a remark with commas": ("# a, b, c\nDay,AM\nMon,2", "# a, b, c\n\n- Day: Mon; AM: 2"),
    "a name that begins as a remark": ("#id,name\n1,Tea\n2,Oil", "- #id: 1; name: Tea"),
    "two heads": (
        ",Spring,,Autumn,\nHall,Adults,Pupils,Adults,Pupils\nQuay,3,4,5,6",
        "- Hall: Quay; Spring Adults: 3; Spring Pupils: 4",
    ),
    "two heads of pandas": (
        ",Spring,Spring,Autumn,Autumn\n,Adults,Pupils,Adults,Pupils\nQuay,3,4,5,6",
        "- Quay; Spring Adults: 3; Spring Pupils: 4; Autumn Adults: 5",
    ),
    "a line unlike others": ("tea\u2028leaf,price\nSencha,12", "- tea leaf: Sencha; price: 12"),
    "a note below": ("Crop,2022,2023\nRye,4.4,2.9\n* wet,,", "- Crop: Rye; 2022: 4.4; 2023: 2.9\n- * wet"),
}
NAMELESS = (
    "2024-03-04T06:00,17.2,ok\n2024-03-04T06:10,17.4,ok",
    "Ann Lee,32,Leeds\nBo Ek,41,Bath",
    "1,2\n3,4",
    "A1,Ann,north\nA2,Bo,south\nB4,Cy,east",
    "Ann,Leeds,nurse\nBo,Bath,nurse",
    "古城路,1830\n人民广场,942\n东门,1204",
    "Napoleon,1804,1815\nCharles,1824,1830\nLouis,1830,1848",
    "Customer:,Okada\nCity:,Bonn",
)
UNNAMED = "Tables without a row that names their columns: 1; their values are without names."


def read(text: str) -> tuple[str, tuple[str, ...]]:
    found = text_of(text.encode(), source="a.csv", name="a.csv", suffix=".csv")
    return found.text, found.notes


@pytest.mark.parametrize(("table", "wanted"), NAMED.values(), ids=NAMED)
def test_a_row_that_names_the_columns_is_found(table: str, wanted: str) -> None:
    text, notes = read(table)
    assert text.replace("\\", "").startswith(wanted)
    assert notes == ()


@pytest.mark.parametrize("table", NAMELESS)
def test_a_table_without_names_gets_none_and_that_is_told(table: str) -> None:
    text, notes = read(table)
    assert text.startswith("- " + table.split("\n", maxsplit=1)[0].replace(",", "; "))
    assert notes == (UNNAMED,)


@pytest.mark.parametrize(
    "table", ["Room,Guest\nBlue,Petrov\nGreen,Lund", "書名,著者\n草枕,漱石", "tea,leaf\nhoji,dark"]
)
def test_words_above_words_name_columns_and_the_doubt_is_told(table: str) -> None:
    text, notes = read(table)
    names = table.split("\n", maxsplit=1)[0].split(",")
    assert text.startswith(f"- {names[0]}: ")
    assert notes == (
        f"Whether these rows name the columns below them is not sure, they were taken so: {', '.join(names)}.",
    )


@pytest.mark.parametrize(
    ("rows", "wanted"),
    [
        (
            [["plot", "rent"], ["A1", "32"], [], [], ["tool", "state"], ["scythe", "blunt"]],
            "- plot: A1; rent: 32\n\n- tool: scythe; state: blunt",
        ),
        (
            [["plot", "rent", "", "tool", "count"], ["A1", "32", "", "scythe", "2"], ["A2", "40"]],
            "- plot: A1; rent: 32\n- plot: A2; rent: 40\n\n- tool: scythe; count: 2",
        ),
        ([["plot", "rent"], ["A1", "32"], [], ["A2", "40"]], "- plot: A1; rent: 32\n- plot: A2; rent: 40"),
        ([["plot", "rent"], ["A1", "32"], [], ["Sum", "32"]], "- plot: A1; rent: 32\n- plot: Sum; rent: 32"),
        (
            [["fruit", "colour"], ["plum", "blue"], [], ["tool", "state"], ["saw", "blunt"]],
            "- fruit: plum; colour: blue\n\n- tool; state\n- saw; blunt",
        ),
        (
            [["name", "", "price"], ["tea", "", "3"], ["oil", "", "4"]],
            "- name: tea; price: 3\n- name: oil; price: 4",
        ),
    ],
    ids=["below", "beside", "spaced", "a sum", "in doubt", "a narrow gap"],
)
def test_tables_below_and_beside_each_other_keep_their_names_apart(rows: list[list[str]], wanted: str) -> None:
    assert Tables().read(rows) == wanted


def test_names_of_columns_without_a_value_are_told() -> None:
    text, notes = read("tea,origin,price\nSencha,,12\nHojicha,,9")
    assert text == "- tea: Sencha; price: 12\n- tea: Hojicha; price: 9\n"
    assert notes == ("Columns without a value were left out: origin.",)


def test_a_form_with_gaps_keeps_its_lines() -> None:
    form = [["1.1", "voltage", "", "kV", "130"], ["1.2", "frequency", "", "Hz", "50"]]
    assert Tables().read(form) == "- 1.1; voltage; kV; 130\n- 1.2; frequency; Hz; 50"


def test_bold_names_are_told_from_bold_first_columns() -> None:
    def bold(*words: str) -> list[str]:
        return [Strong(word) for word in words]

    stacked = [bold("fruit", "colour"), ["plum", "blue"], [], bold("tool", "state"), ["saw", "blunt"]]
    assert Tables().read(stacked) == "- fruit: plum; colour: blue\n\n- tool: saw; state: blunt"
    keyed = [[*bold("Customer"), "Okada"], [*bold("City"), "Bonn"]]
    assert Tables().read(keyed) == "- Customer; Okada\n- City; Bonn"


def test_many_rows_and_columns_are_read_in_time_that_grows_with_them() -> None:
    assert_in_proportion(lambda count: Tables().read([["", "x"] * 40, []] * count), 100)


def test_the_sign_that_excel_states_parts_the_values() -> None:
    for line in ("sep=;", '"sep=;"', "SEP=;\r"):
        assert read(f"{line}\nArticle;Weight\nFlour;1,5\n")[0] == "- Article: Flour; Weight: 1,5\n"


@pytest.mark.parametrize(
    ("value", "number_format", "wanted"),
    [
        (0.125, "0.0%", "12.5%"),
        (123, "000000", "000123"),
        (-1250, "#,##0.00_);(#,##0.00)", "(1,250.00)"),
        (1204.5, "[$€-407] #,##0.00", "€ 1,204.50"),
        (1_500_000, '0.0,,"M"', "1.5M"),
        (1.75, "# ?/?", "1 3/4"),
        (timedelta(hours=26, minutes=30), "[h]:mm", "26:30"),
        (NOON, 'yyyy"年"m"月"d"日"', "2024年7月8日"),
        (NOON, "d mmm yyyy h:mm AM/PM", "8 Jul 2024 2:30 PM"),
        (NOON, "mm:ss", "30:05"),
        (5_551_234, "###-####", "555-1234"),
        (1_000_025, "000-0000", "100-0025"),
        (7, 'General"円"', "7円"),
        (-1980, '"¥"#,##0;"¥"\\-#,##0', "¥-1,980"),
        (12_345, "0.00E+00", "1.23E+04"),
        (1234.5, "_-* #,##0.00\\ [$€-407]_-", "1,234.50 €"),
        (NOON, "mm-dd-yy", "2024-07-08 14:30:05"),
        (NOON, "[]", "2024-07-08 14:30:05"),
        (timedelta(seconds=90), "[mm]:ss", "01:30"),
        (float("inf"), "0.0", "inf"),
        (True, "General", "TRUE"),
        (12.0, "General", "12"),
        (None, "0", ""),
    ],
)
def test_a_cell_is_written_as_its_screen_shows_it(value: object, number_format: str, wanted: str) -> None:
    assert shown(value, number_format) == wanted


def workbook(rows: Sequence[Sequence[object]]) -> Workbook:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    return book


def saved(book: Workbook) -> SourceText:
    stream = io.BytesIO()
    book.save(stream)
    return text_of(stream.getvalue(), source="a.xlsx", name="a.xlsx", suffix=".xlsx")


def test_what_a_workbook_holds_beside_its_screen_is_told() -> None:
    book = workbook([("Paint", "Tins"), ("Ochre", 14)])
    book.active["A2"].comment = Comment("ask Mika", "Okada")
    book.active["B2"].hyperlink = "https://example.org/ochre"
    hidden = book.create_sheet("Margins")
    hidden.append(("secret", 47))
    hidden.sheet_state = "hidden"
    found = saved(book)
    assert "secret" not in found.text
    assert found.notes == (
        "Addresses behind links were left out: https://example.org/ochre.",
        "Comments on cells were left out: Sheet A2.",
        "Hidden sheets were left out: Margins.",
    )


def test_hidden_rows_and_columns_are_left_out_and_told() -> None:
    book = workbook([("Shop", "Net", "Margin"), ("Quay", 3, 0.4), ("Pier", 4, 0.5), ("Dock", 5, 0.6)])
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["C"].hidden = True
    found = saved(book)
    assert found.text == "## Sheet\n\n- Shop: Quay; Net: 3\n- Shop: Dock; Net: 5\n"
    assert found.notes == ("Hidden columns were left out: Sheet C.", "Hidden rows were left out: Sheet 3.")


def test_a_cell_merged_downwards_says_its_value_in_every_row() -> None:
    book = workbook([("Region", "Shop", "Net"), ("North", "Quay", 3), (None, "Pier", 4), ("South", "Dock", 5)])
    book.active.merge_cells("A2:A3")
    assert "- Region: North; Shop: Pier; Net: 4\n- Region: South; Shop: Dock" in saved(book).text
