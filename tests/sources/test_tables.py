from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment

from evolore.sources.cell_formats import shown
from evolore.sources.files import text_of
from evolore.sources.table_rows import rows_as_items

if TYPE_CHECKING:
    from collections.abc import Sequence

NOON = datetime(2024, 7, 8, 14, 30, 5, tzinfo=UTC).replace(tzinfo=None)

NAMED = {
    "years": ("Crop,2022,2023\nRye,4.4,2.9\nOats,5.1,6", "- Crop: Rye; 2022: 4.4; 2023: 2.9"),
    "years in Japanese": ("品目,2022年,2023年\n羊羹,480,612", "- 品目: 羊羹; 2022年: 480; 2023年: 612"),
    "months": ("Shop,2024-01,2024-02\nQuay,14,15", "- Shop: Quay; 2024-01: 14; 2024-02: 15"),
    "repeated names": ("Team,Score,Score\nReds,3,1", "- Team: Reds; Score: 3; Score: 1"),
    "an index": (",city,rain\n0,Leeds,61.5\n1,Bath,88", "- 0; city: Leeds; rain: 61.5"),
    "words alone": ("Room,Guest\nBlue,Petrov\nGreen,Lund", "- Room: Blue; Guest: Petrov"),
    "a title": ("Prices of May\ntea,price\nSencha,12", "Prices of May\n\n- tea: Sencha; price: 12"),
    "a remark": ("# by hand\ntea,price\nSencha,12", "# by hand\n\n- tea: Sencha; price: 12"),
    "two heads": (
        ",Spring,,Autumn,\nHall,Adults,Pupils,Adults,Pupils\nQuay,3,4,5,6",
        "- Hall: Quay; Spring Adults: 3; Spring Pupils: 4",
    ),
}
NAMELESS = ("2024-03-04T06:00,17.2,ok\n2024-03-04T06:10,17.4,ok", "Ann Lee,32,Leeds\nBo Ek,41,Bath", "1,2\n3,4")


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
    assert notes == ("No row names the columns of a table: its values have no names.",)


def test_tables_below_and_beside_each_other_keep_their_names_apart() -> None:
    below = rows_as_items([["plot", "rent"], ["A1", "32"], [], [], ["tool", "state"], ["scythe", "blunt"]])
    assert below.text == "- plot: A1; rent: 32\n\n- tool: scythe; state: blunt"
    beside = rows_as_items([["plot", "rent", "", "tool", "count"], ["A1", "32", "", "scythe", "2"]])
    assert beside.text == "- plot: A1; rent: 32\n- tool: scythe; count: 2"
    spaced = rows_as_items([["plot", "rent"], ["A1", "32"], [], ["A2", "40"]])
    assert spaced.text == "- plot: A1; rent: 32\n- plot: A2; rent: 40"


def test_the_sign_that_excel_states_parts_the_values() -> None:
    assert read("sep=;\nArticle;Weight\nFlour;1,5\n")[0] == "- Article: Flour; Weight: 1,5\n"


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
        (5_551_234, "###-####", "5551234"),
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


def test_what_a_workbook_holds_beside_its_screen_is_told() -> None:
    book = workbook([("Paint", "Tins"), ("Ochre", 14)])
    book.active["A2"].comment = Comment("ask Mika", "Okada")
    book.active["B2"].hyperlink = "https://example.org/ochre"
    hidden = book.create_sheet("Margins")
    hidden.append(("secret", 47))
    hidden.sheet_state = "hidden"
    stream = io.BytesIO()
    book.save(stream)
    found = text_of(stream.getvalue(), source="a.xlsx", name="a.xlsx", suffix=".xlsx")
    assert "secret" not in found.text
    assert found.notes == (
        "Hidden sheets were left out: Margins.",
        "Comments on cells were left out: 1.",
        "Addresses of links were left out: https://example.org/ochre.",
    )
