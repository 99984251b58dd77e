# ruff: noqa: ANN401 - python-pptx has no types

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from evolore.sources.files import text_of

pptx: Any = pytest.importorskip("pptx")
pytest.importorskip("pptx.chart.data")

if TYPE_CHECKING:
    from evolore.ports import SourceText

Box = tuple[str, float, float, float, float]


def slide_of(deck: Any, *boxes: Box) -> Any:
    """Add a slide with boxes: text, left, top, width and height in inches."""
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    add(slide.shapes, *boxes)
    return slide


def add(shapes: Any, *boxes: Box) -> None:
    for text, *place in boxes:
        shapes.add_textbox(*map(pptx.util.Inches, place)).text_frame.text = text


def read(deck: Any) -> SourceText:
    stream = io.BytesIO()
    deck.save(stream)
    return text_of(stream.getvalue(), source="a.pptx", name="'a.pptx'", suffix=".pptx")


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ([("three", 1, 5, 8, 1), ("one", 1, 1, 8, 1), ("two", 1, 3, 8, 1)], "one two three"),
        ([("three", 1, 2.8, 8, 1), ("one", 1, 1, 8, 1), ("two", 1, 1.95, 8, 1)], "one two three"),  # overlapping a little
        ([("right", 5.5, 2, 4, 4), ("left low", 0.5, 4.5, 4, 1), ("left", 0.5, 1.5, 4, 2), ("top", 0.5, 0.2, 9, 1)], "top left left low right"),
        ([("b body", 5.5, 2.1, 4, 3), ("a body", 0.5, 2.1, 4, 3), ("b", 5.5, 1, 4, 1), ("a", 0.5, 1, 4, 1)], "a a body b b body"),
        ([("two", 2, 3, 6, 1), ("02", 0.5, 3, 0.6, 1), ("one", 2, 1, 6, 1), ("01", 0.5, 1, 0.6, 1)], "01 one 02 two"),
        ([("third", 7, 3, 2, 1), ("first", 1, 3, 2, 1), ("second", 4, 3, 2, 1)], "first second third"),
        ([("low", 1, 5, 3, 1), ("", 0, 0, 10, 7.5), ("high", 5, 1, 3, 1)], "high low"),
    ],
)  # fmt: skip
def test_boxes_are_read_by_place_and_not_in_the_order_they_were_drawn(boxes: list[Box], order: str) -> None:
    deck = pptx.Presentation()
    slide_of(deck, *boxes)
    assert " ".join(read(deck).text.split("\n\n")[1:]).strip() == order


def test_shapes_of_a_group_are_read_by_place_and_together() -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck, ("last", 1, 6, 8, 1))
    add(slide.shapes.add_group_shape().shapes, ("two", 4, 2, 2, 1), ("one", 1, 2, 2, 1))
    inner = slide.shapes.add_group_shape().shapes.add_group_shape().shapes
    add(inner, ("four", 4, 4, 2, 1), ("three", 1, 4, 2, 1))
    assert read(deck).text == "## Slide 1\n\none\n\ntwo\n\nthree\n\nfour\n\nlast\n"


def test_the_title_is_first_wherever_it_stands_and_numbers_of_slides_go() -> None:
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text, slide.shapes.title.top = "Tea", pptx.util.Inches(6)
    add(slide.shapes, ("Boil water.", 1, 1, 8, 1), ("7", 1, 7, 1, 0.4))
    number = slide.shapes[-1]._element.find(".//{*}nvPr")
    number.append(
        pptx.oxml.parse_xml(
            '<p:ph xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" type="sldNum" idx="12"/>'
        )
    )
    assert read(deck).text == "## Tea (slide 1)\n\nBoil water.\n"


def test_a_number_of_a_slide_in_a_box_of_its_own_is_no_words() -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck, ("Boil water.", 1, 1, 8, 1), ("", 8, 6, 1, 1), ("Step ", 1, 3, 8, 1))
    for box in list(slide.shapes)[1:]:
        box.text_frame.paragraphs[0]._p.append(
            pptx.oxml.parse_xml(
                '<a:fld xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" id="{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}" type="slidenum"><a:t>7</a:t></a:fld>'
            )
        )
    assert read(deck).text == "## Slide 1\n\nBoil water.\n\nStep 7\n"


def test_hidden_slides_and_those_without_text_are_told_and_keep_their_numbers() -> None:
    deck = pptx.Presentation()
    slide_of(deck, ("One.", 1, 1, 8, 1))
    slide_of(deck, ("Two.", 1, 1, 8, 1))._element.set("show", "0")
    slide_of(deck)
    slide_of(deck, ("Four.", 1, 1, 8, 1))
    found = read(deck)
    assert found.text == "## Slide 1\n\nOne.\n\n## Slide 2\n\nTwo.\n\n## Slide 4\n\nFour.\n"
    assert found.notes == (
        "Hidden slides were read, too: 2.",
        "Slides without text, such as pictures, were left out: 3.",
    )


def test_a_cell_of_a_table_that_spans_rows_stands_in_each() -> None:
    deck = pptx.Presentation()
    table = slide_of(deck).shapes.add_table(3, 2, 0, 0, 9, 9).table
    for row, texts in enumerate((("Day", "What"), ("Monday", "Drill"), ("", "Talk"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(1, 0).merge(table.cell(2, 0))
    assert "| Monday | Drill |\n| Monday | Talk |" in read(deck).text


def test_addresses_of_links_and_points_of_charts_are_not_lost() -> None:
    deck = pptx.Presentation()
    slide = slide_of(deck, ("See the plan", 1, 1, 8, 1))
    slide.shapes[0].text_frame.paragraphs[0].runs[0].hyperlink.address = "https://example.org/plan"
    points = pptx.chart.data.XyChartData()
    points.add_series("Flow").add_data_point(3, 2.5)
    slide.shapes.add_chart(pptx.enum.chart.XL_CHART_TYPE.XY_SCATTER, 0, pptx.util.Inches(3), 9, 9, points)
    found = read(deck)
    assert "See the plan\n\n|  | Flow |\n| --- | --- |\n| 3 | 2.5 |\n" in found.text
    assert found.notes == ("Addresses of links were left out: https://example.org/plan.",)
