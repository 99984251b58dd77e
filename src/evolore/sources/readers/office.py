"""Read documents of Word, presentations of PowerPoint and workbooks of Excel; macros are neither read nor run."""

from __future__ import annotations

import posixpath
import re
import warnings
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lxml import etree

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.archives import open_package, part_of
from evolore.sources.readers.cell_formats import plain, shown
from evolore.sources.readers.markdown import escaped, heading, joined, one_line, pipe_table, some
from evolore.sources.readers.table_rows import Strong, Tables
from evolore.sources.readers.word import LABEL, as_shown

if TYPE_CHECKING:
    from openpyxl import Cell, Worksheet
    from pptx.shapes.base import BaseShape
    from pptx.slide import Slide
    from pptx.text.text import _Paragraph  # pyright: ignore[reportPrivateUsage] - it has no public name


_NUMBERED_ITEM: Final = re.compile("<li>" + LABEL.format("([^\ue000-\ue001]*)"))
_MACROS: Final = "vbaProject.bin"
_MACROS_LEFT_OUT: Final = "Its macros were left out; nothing of them was run."
_DEEPEST_GROUP: Final = 20
_MOST_PARTED: Final = 200
_SLACK: Final = 0.05
_LEAST_COLUMN: Final = 0.2  # narrower ones are numbers and labels of what lies beside them
_TITLE: Final = "{http://purl.org/dc/elements/1.1/}title"
_TITLES_OF_NONE: Final = frozenset({"PowerPoint Presentation", "Word Document"})
_MODIFIED: Final = "{http://purl.org/dc/terms/}modified"
_DATES_OF_TEMPLATES: Final = frozenset({"2013-12-23T23:15:00Z", "2013-01-27T09:15:58Z"})
"""What python-docx and python-pptx leave in every file they write."""
_NO_VALUE: Final = "Formulas without a stored value"
_COMPUTE: Final = " Open the workbook in Excel or LibreOffice and save it once."
_MOST_COLUMNS: Final = 16_384
_TRUE: Final = frozenset({"1", "true"})


def read_word(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a Word document: headings and numbers as Word shows them, lists, tables, footnotes, text boxes."""
    import mammoth  # noqa: PLC0415 - one of three packages, each as heavy

    from evolore.sources.readers.html import to_markdown  # noqa: PLC0415 - a workbook needs none

    package = open_package(data, name=name)
    without_images = mammoth.images.img_element(_no_image)
    shown, left_out = as_shown(data, package)
    html = mammoth.convert_to_html(BytesIO(shown), convert_image=without_images).value
    if not html.strip():
        return Converted(text="", notes=(*left_out, *_notes(package)))
    html = _NUMBERED_ITEM.sub(r'<li data-mark="\1">', html).translate({0xE000: "", 0xE001: " "})
    page = to_markdown(html, name=name)
    return Converted(text=page.text, **_stated(package), notes=(*page.notes, *left_out, *_notes(package)))


def _no_image(image: object) -> dict[str, str]:  # noqa: ARG001 - mammoth asks; its description is added without us
    return {"src": ""}


def read_slides(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a presentation: a section a slide, with its number, its tables and what the speaker noted."""
    from pptx import Presentation  # noqa: PLC0415 - one of three packages, each as heavy

    package = open_package(data, name=name)
    slides = Presentation(BytesIO(data)).slides
    sections = [list(_slide(slide, number)) for number, slide in enumerate(slides, start=1)]
    hidden = [number for number, slide in enumerate(slides, start=1) if slide._element.get("show") == "0"]  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportUnknownMemberType] - it has no public name
    empty = [number for number, section in enumerate(sections, start=1) if not section]
    comments = sum(1 for member in package.namelist() if member.startswith("ppt/comments/"))
    relations = (one for slide in slides for one in slide.part.rels.values())
    links = [one.target_ref for one in relations if one.is_external and one.reltype.endswith("/hyperlink")]
    told = (
        (links, f"Addresses of links were left out: {some(dict.fromkeys(links))}."),
        (hidden, f"Hidden slides were read, too: {some(hidden)}."),
        (empty, f"Slides without text, such as pictures, were left out: {some(empty)}."),
        (comments, f"Comments on slides were left out: those of {comments:,} slides."),
    )
    notes = (*_notes(package), *(note for count, note in told if count))
    return Converted(text=joined(block for one in sections for block in one), **_stated(package), notes=notes)


def _slide(slide: Slide, number: int) -> Iterator[str]:
    title = slide.shapes.title
    stated = one_line(title.text_frame.text) if title is not None else ""
    others = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
    texts = _by_place(others)
    spoken = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if spoken is not None and spoken.text.strip():
        texts.append(escaped(spoken.text.strip()))
    if stated or texts:
        yield heading(2, f"{stated} (slide {number})" if stated else f"Slide {number}")
        yield from texts


def _by_place(shapes: Iterable[BaseShape], depth: int = 0) -> list[str]:
    """Return what shapes say in the order of reading: from the top, and of one height from the left."""
    said = [(shape, list(_texts(shape, depth))) for shape in shapes]
    blocks = [
        _Block(one.left or 0, one.top or 0, one.width or 0, one.height or 0, texts) for one, texts in said if texts
    ]
    return [text for block in _in_order(sorted(blocks, key=lambda one: (one.top, one.left))) for text in block.texts]


class _Block(NamedTuple):
    """What a shape says, and where it lies."""

    left: int
    top: int
    width: int
    height: int
    texts: list[str]

    def extent(self, *, is_down: bool) -> tuple[float, float]:
        """Return where it begins and ends; boxes overlap a little without their texts doing so."""
        start, size = (self.top, self.height) if is_down else (self.left, self.width)
        return start + _SLACK * size, start + (1 - _SLACK) * size


def _in_order(blocks: list[_Block]) -> list[_Block]:
    """Part blocks at the widest gap, again and again; those that overlap stay from the top and the left."""
    if not 1 < len(blocks) <= _MOST_PARTED:
        return blocks
    down, across = (_widest_gap([one.extent(is_down=is_down) for one in blocks]) for is_down in (True, False))
    is_down = down.width >= across.width or (down.width > 0 and across.smaller_side < _LEAST_COLUMN)
    gap = down if is_down else across
    if gap.width <= 0:
        return blocks
    first, second = (
        [one for one in blocks if (one.extent(is_down=is_down)[0] < gap.end) is side] for side in (True, False)
    )
    return [*_in_order(first), *_in_order(second)]


class _Gap(NamedTuple):
    """Where nothing lies: how wide, up to where, and the smaller share of all on either side."""

    width: float
    end: float
    smaller_side: float


def _widest_gap(extents: list[tuple[float, float]]) -> _Gap:
    begin, last = min(start for start, _ in extents), max(end for _, end in extents)
    widest, reached = _Gap(0, 0, 0), begin
    for start, end in sorted(extents):
        share = min(reached - begin, last - start) / max(last - begin, 1)
        widest, reached = max(widest, _Gap(start - reached, start, share)), max(reached, end)
    return widest


def _texts(shape: BaseShape, depth: int = 0) -> Iterator[str]:
    """Yield what a shape says: its paragraphs, the cells of a table, the names and values of a chart, the shapes of a group."""
    from pptx.enum.shapes import PP_PLACEHOLDER  # noqa: PLC0415 - as in read_slides
    from pptx.shapes.autoshape import Shape  # noqa: PLC0415 - likewise
    from pptx.shapes.graphfrm import GraphicFrame  # noqa: PLC0415 - likewise
    from pptx.shapes.group import GroupShape  # noqa: PLC0415 - likewise

    if isinstance(shape, GroupShape):
        yield from _by_place(shape.shapes, depth + 1) if depth < _DEEPEST_GROUP else ()
    elif isinstance(shape, GraphicFrame):
        yield from _drawn(shape)
    elif isinstance(shape, Shape):
        is_number = shape.is_placeholder and shape.placeholder_format.type == PP_PLACEHOLDER.SLIDE_NUMBER
        lines = [
            (one.level, one_line(one.text)) for one in shape.text_frame.paragraphs if one.runs or not _is_field(one)
        ]
        said = [(level, text) for level, text in lines if text and not is_number]
        if len(said) == 1:
            yield escaped(said[0][1])
        elif said:
            yield "\n".join(f"{'  ' * level}- {text}" for level, text in said)


def _is_field(paragraph: _Paragraph) -> bool:
    """Return whether a paragraph without runs is the number of its slide."""
    return bool(paragraph._p.xpath("a:fld[@type='slidenum']"))  # noqa: SLF001 # pyright: ignore - it has no public name


def _drawn(frame: BaseShape) -> Iterator[str]:
    from pptx.shapes.graphfrm import GraphicFrame  # noqa: PLC0415 - as in read_slides

    if isinstance(frame, GraphicFrame) and frame.has_table:
        yield pipe_table(_cells(frame.table))
    elif isinstance(frame, GraphicFrame) and frame.has_chart:
        chart: Any = frame.chart
        if chart.has_title and chart.chart_title.has_text_frame:
            yield escaped(one_line(chart.chart_title.text_frame.text))
        for plot in chart.plots:
            head = ["", *(str(one.name) for one in plot.series)]
            columns = [[plain(value) if value is not None else "" for value in one.values] for one in plot.series]
            names = list(plot.categories) or plot._element.xpath(".//c:ser[1]/c:xVal//c:v/text()")  # noqa: SLF001 - points have no categories
            yield pipe_table([head, *([str(name), *row] for name, *row in zip(names, *columns, strict=False))])
    else:
        yield from _diagram(frame)


def _cells(table: Any) -> list[list[str]]:  # noqa: ANN401 - python-pptx has no types for it
    """Return the rows of a table, a cell that spans rows in each of them."""
    rows = [[cell.text for cell in row.cells] for row in table.rows]
    for number, row in enumerate(table.rows):
        for column, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                for below in rows[number + 1 : number + cell.span_height]:
                    below[column] = cell.text
    return rows


def _diagram(frame: BaseShape) -> Iterator[str]:
    """Yield the words of a diagram, which are in a part of their own."""
    element: Any = frame._element  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - it has no public name
    for relation in element.xpath(".//*[local-name()='relIds']/@*[local-name()='dm']"):
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        diagram = etree.fromstring(frame.part.related_part(relation).blob, parser)
        said = ("".join(one.itertext()) for one in diagram.iter("{*}p"))
        yield "\n".join(f"- {one_line(text)}" for text in said if text.strip())


def read_workbook(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a workbook as its screen shows it: a section a sheet, an item a row, each value under the name of its column."""
    from openpyxl import load_workbook  # noqa: PLC0415 - one of three packages, each as heavy

    package = open_package(data, name=name)
    tables = Tables()
    blocks: list[str] = []
    left_out: defaultdict[str, list[str]] = defaultdict(list)
    characters = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about extensions it leaves alone
        for sheet in load_workbook(BytesIO(data), read_only=True, data_only=True).worksheets:
            if sheet.sheet_state != "visible":
                left_out["Hidden sheets"].append(sheet.title)
                continue
            seen = _seen(package, sheet)
            for what, places in seen.left_out.items():
                left_out[what] += places if "links" in what else [f"{sheet.title} {place}" for place in places]
            sheet.reset_dimensions()  # what a sheet states of its size may be wrong, or larger than any memory
            items = tables.read(_bounded(_rows(sheet, seen), limits.characters - characters, name=name))
            characters += len(items)
            blocks += [heading(2, sheet.title), items] * bool(items)
    return Converted(text=joined(blocks), **_stated(package), notes=(*_told(left_out), *tables.notes, *_notes(package)))


def _told(left_out: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what was left out of a workbook, in sentences."""
    for what, places in left_out.items():
        yield f"{what} were left out: {some(places)}.{_COMPUTE * (what == _NO_VALUE)}"


def _rows(sheet: Worksheet, seen: _Seen) -> Iterator[list[str]]:
    """Yield the visible cells of each visible row; a cell merged downwards says its value in each of its rows."""
    merged: dict[int, tuple[int, str]] = {}
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        row = [_cell(cell) for cell in cells]
        for column, (last, text) in merged.items():
            if number <= last and column <= len(row):
                row[column - 1] = row[column - 1] or text
        for column, last in seen.merged.get(number, ()):
            merged[column] = (last, row[column - 1] if column <= len(row) else "")
        if number not in seen.hidden_rows:
            yield [text for column, text in enumerate(row, start=1) if column not in seen.hidden_columns]


def _cell(cell: Cell) -> str:
    if cell.value is None:
        return ""
    text = shown(cell.value, cell.number_format)
    return Strong(text) if cell.has_style and cell.font.b else text


def _bounded(rows: Iterable[list[str]], characters: int, *, name: str) -> Iterator[list[str]]:
    for row in rows:
        characters -= sum(map(len, row))
        if characters < 0:
            raise UnreadableSource(f"{name} holds more text than a document may: split it.")
        yield row


@dataclass(slots=True, kw_only=True)
class _Seen:
    """What a sheet holds besides the values of its cells."""

    hidden_rows: set[int] = field(default_factory=set[int])
    hidden_columns: set[int] = field(default_factory=set[int])
    merged: defaultdict[int, list[tuple[int, int]]]  #: Column and last row of cells merged downwards, by first row.
    left_out: defaultdict[str, list[str]]  #: Where unread content is, by its kind.


def _seen(package: zipfile.ZipFile, sheet: Worksheet) -> _Seen:
    """Find what the cells of a sheet do not say, before they are read."""
    from openpyxl.utils import get_column_letter, range_boundaries  # noqa: PLC0415 - as in read_workbook

    seen = _Seen(merged=defaultdict(list), left_out=defaultdict(list))
    path: str = sheet._worksheet_path  # noqa: SLF001 - it has no public name
    for tag, one in _elements(package, path, ("c", "row", "col", "mergeCell")):
        if tag == "c" and one.find("{*}f") is not None and not one.findtext("{*}v"):
            seen.left_out[_NO_VALUE].append(one.get("r", ""))
        elif tag == "mergeCell":
            left, top, right, bottom = range_boundaries(one.get("ref", "A1"))
            if left == right:
                seen.merged[top or 1].append((left or 1, bottom or 1))
        elif tag == "row" and one.get("hidden") in _TRUE:
            seen.hidden_rows.add(int(one.get("r", "0")))
            seen.left_out["Hidden rows"].append(one.get("r", ""))
        elif tag == "col" and one.get("hidden") in _TRUE:
            first, last = int(one.get("min", "1")), min(int(one.get("max", "1")), _MOST_COLUMNS)
            seen.hidden_columns.update(range(first, last + 1))
            seen.left_out["Hidden columns"].append(get_column_letter(first))
    for what, place in _attached(package, path):
        seen.left_out[what].append(place)
    return seen


def _attached(package: zipfile.ZipFile, path: str) -> Iterator[tuple[str, str]]:
    """Yield what hangs on the cells of a sheet: where comments are, and the addresses of links."""
    folder, _, file = path.rpartition("/")
    for _, one in _elements(package, f"{folder}/_rels/{file}.rels", ("Relationship",)):
        kind, target = one.get("Type", "").rpartition("/")[2], one.get("Target", "")
        if kind == "hyperlink" and not target.startswith("#"):
            yield "Addresses behind links", target
        elif kind == "comments":
            member = target[1:] if target.startswith("/") else posixpath.normpath(f"{folder}/{target}")
            for _, comment in _elements(package, member, ("comment",)):
                yield "Comments on cells", comment.get("ref", "")


def _elements(package: zipfile.ZipFile, member: str, tags: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield the elements of a part of a package, each with its name, and forget them."""
    if member not in package.namelist():
        return
    with package.open(member) as part:
        for _, one in etree.iterparse(part, tag=[f"{{*}}{tag}" for tag in tags], resolve_entities=False):
            yield etree.QName(one).localname, one
            one.clear()
            while one.getprevious() is not None:
                del one.getparent()[0]


def _stated(package: zipfile.ZipFile) -> dict[str, str]:
    """Return the title and the date that a document's properties state."""
    core = part_of(package, "docProps/core.xml", is_vital=False)
    title, date = (one_line(core.findtext(tag) or "") for tag in (_TITLE, _MODIFIED))
    return {"title": "" if title in _TITLES_OF_NONE else title, "date": "" if date in _DATES_OF_TEMPLATES else date}


def _notes(package: zipfile.ZipFile) -> tuple[str, ...]:
    has_macros = any(member.endswith(_MACROS) for member in package.namelist())
    return (_MACROS_LEFT_OUT,) if has_macros else ()
