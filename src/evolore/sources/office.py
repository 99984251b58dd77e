"""Read documents of Word, presentations of PowerPoint and workbooks of Excel; macros are neither read nor run."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.archives import open_package
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.markdown import escaped, heading, joined, one_line, pipe_table
from evolore.sources.records import rows_as_items

if TYPE_CHECKING:
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide


_STYLES: Final = "p[style-name='Title'] => h1:fresh"
_MACROS: Final = "vbaProject.bin"
_MACROS_LEFT_OUT: Final = "Its macros were left out; nothing of them was run."
_DEEPEST_GROUP: Final = 20
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_TITLES_OF_NONE: Final = frozenset({"PowerPoint Presentation", "Word Document"})
_MODIFIED: Final = "{http://purl.org/dc/terms/}modified"
_DATES_OF_TEMPLATES: Final = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z"})
"""What python-docx and python-pptx leave in every file they write."""
_NO_VALUE: Final = "Formulas without a stored value were left out: {count:,}. Open the workbook in Excel or LibreOffice and save it once."


def read_word(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a Word document: headings by style, lists, tables, footnotes, text boxes; deleted text and comments are not.

    Raises:
        UnreadableSource: It is none, or too large unpacked.
    """
    import mammoth  # noqa: PLC0415 - one of three packages, each as heavy

    from evolore.sources.html import to_markdown  # noqa: PLC0415 - a workbook needs none

    package = open_package(data, name=name)
    without_images = mammoth.images.img_element(_no_image)
    html = mammoth.convert_to_html(BytesIO(data), style_map=_STYLES, convert_image=without_images).value
    if not html.strip():
        return Converted(text="", notes=_notes(package))
    page = to_markdown(html, name=name)
    return Converted(text=page.text, **_stated(package), notes=(*page.notes, *_notes(package)))


def _no_image(image: object) -> dict[str, str]:  # noqa: ARG001 - mammoth asks; its description is added without us
    return {"src": ""}


def read_slides(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a presentation: a section a slide, with its number, its tables and what the speaker noted.

    Raises:
        UnreadableSource: It is none, or too large unpacked.
    """
    from pptx import Presentation  # noqa: PLC0415 - one of three packages, each as heavy

    package = open_package(data, name=name)
    slides = Presentation(BytesIO(data)).slides
    hidden = [number for number, slide in enumerate(slides, start=1) if slide._element.get("show") == "0"]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportUnknownMemberType] - it has no public name
    blocks = [block for number, slide in enumerate(slides, start=1) for block in _slide(slide, number)]
    notes = _notes(package)
    if hidden:
        notes = (*notes, f"Hidden slides were read, too: {', '.join(map(str, hidden))}.")
    return Converted(text=joined(blocks), **_stated(package), notes=notes)


def _slide(slide: Slide, number: int) -> Iterator[str]:
    title = slide.shapes.title
    stated = one_line(title.text_frame.text) if title is not None else ""
    texts = [
        text for shape in slide.shapes if title is None or shape.shape_id != title.shape_id for text in _texts(shape)
    ]
    spoken = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if spoken is not None and spoken.text.strip():
        texts.append(escaped(spoken.text.strip()))
    if stated or texts:
        yield heading(2, f"{stated} (slide {number})" if stated else f"Slide {number}")
        yield from texts


def _texts(shape: BaseShape, depth: int = 0) -> Iterator[str]:
    """Yield what a shape says: its paragraphs, the cells of a table, the names and values of a chart, the shapes of a group."""
    from pptx.shapes.autoshape import Shape  # noqa: PLC0415 - as in read_slides
    from pptx.shapes.graphfrm import GraphicFrame  # noqa: PLC0415 - likewise
    from pptx.shapes.group import GroupShape  # noqa: PLC0415 - likewise

    if isinstance(shape, GroupShape):
        if depth < _DEEPEST_GROUP:
            for one in shape.shapes:
                yield from _texts(one, depth + 1)
    elif isinstance(shape, GraphicFrame):
        yield from _drawn(shape)
    elif isinstance(shape, Shape):
        lines = [(paragraph.level, one_line(paragraph.text)) for paragraph in shape.text_frame.paragraphs]
        said = [(level, text) for level, text in lines if text]
        if len(said) == 1:
            yield escaped(said[0][1])
        elif said:
            yield "\n".join(f"{'  ' * level}- {text}" for level, text in said)


def _drawn(frame: BaseShape) -> Iterator[str]:
    from pptx.shapes.graphfrm import GraphicFrame  # noqa: PLC0415 - as in read_slides

    if isinstance(frame, GraphicFrame) and frame.has_table:
        yield pipe_table([[cell.text for cell in row.cells] for row in frame.table.rows])
    elif isinstance(frame, GraphicFrame) and frame.has_chart:
        chart: Any = frame.chart
        if chart.has_title and chart.chart_title.has_text_frame:
            yield escaped(one_line(chart.chart_title.text_frame.text))
        for plot in chart.plots:
            head = ["", *(str(one.name) for one in plot.series)]
            columns = [[_value(value) for value in one.values] for one in plot.series]
            yield pipe_table(
                [head, *([str(name), *row] for name, *row in zip(plot.categories, *columns, strict=False))]
            )


def read_workbook(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a workbook: a section a sheet, an item a row, each value under the name of its column.

    Raises:
        UnreadableSource: It is none, or too large unpacked or read.
    """
    from openpyxl import load_workbook  # noqa: PLC0415 - one of three packages, each as heavy

    package = open_package(data, name=name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about extensions it leaves alone
        book = load_workbook(BytesIO(data), read_only=True, data_only=True)
        blocks: list[str] = []
        characters = 0
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # what a sheet states of its size may be wrong, or larger than any memory
            rows = ([_value(value) for value in row] for row in sheet.iter_rows(values_only=True))
            items = rows_as_items(_bounded(rows, limits.characters - characters, name=name))
            characters += len(items)
            if items:
                blocks += [heading(2, sheet.title), items]
    formulas = _formulas_without_value(package)
    notes = (_NO_VALUE.format(count=formulas),) if formulas else ()
    return Converted(text=joined(blocks), **_stated(package), notes=(*notes, *_notes(package)))


def _bounded(rows: Iterable[list[str]], characters: int, *, name: str) -> Iterator[list[str]]:
    for row in rows:
        characters -= sum(map(len, row))
        if characters < 0:
            raise UnreadableSource(f"{name} holds more text than a document may: split it.")
        yield row


def _value(value: object) -> str:  # noqa: PLR0911 - a line a type
    """Write a cell's value as a person would read it."""
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float() if value.is_integer():
            return str(int(value))
        case float():
            return f"{value:.15g}"
        case datetime() if value.time() == time():
            return value.date().isoformat()
        case datetime() | date() | time():
            return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
        case _:
            return one_line(str(value))


def _formulas_without_value(package: zipfile.ZipFile) -> int:
    """Count formulas that no program has computed yet."""
    count = 0
    for member in package.namelist():
        if member.startswith("xl/worksheets/") and member.endswith(".xml"):
            with package.open(member) as sheet:
                for _, cell in etree.iterparse(sheet, tag="{*}c", resolve_entities=False):
                    count += cell.find("{*}f") is not None and not cell.findtext("{*}v")
                    cell.clear()
                    while cell.getprevious() is not None:
                        del cell.getparent()[0]
    return count


def _stated(package: zipfile.ZipFile) -> dict[str, str]:
    """Return the title and the date that a document's properties state."""
    if "docProps/core.xml" not in package.namelist():
        return {}
    try:
        core = etree.fromstring(
            package.read("docProps/core.xml"), etree.XMLParser(resolve_entities=False, no_network=True)
        )
    except etree.XMLSyntaxError:
        return {}
    title, date = (one_line(core.findtext(tag) or "") for tag in (_TITLE, _MODIFIED))
    return {"title": "" if title in _TITLES_OF_NONE else title, "date": "" if date in _DATES_OF_TEMPLATES else date}


def _notes(package: zipfile.ZipFile) -> tuple[str, ...]:
    has_macros = any(member.endswith(_MACROS) for member in package.namelist())
    return (_MACROS_LEFT_OUT,) if has_macros else ()
