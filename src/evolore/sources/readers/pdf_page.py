"""Read the lines of a page of a PDF: where each is, its cells, what was filled in, and what is hidden on it."""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from evolore.sources.readers.markdown import one_line

_CELL_GAP: Final = 1.0
"""A gap within a line, in sizes of its type, that parts two cells; a space between justified words stays below .7."""

_LABELLED: Final = 2  # cells: a label, and what it labels
_LABEL: Final = re.compile(r"\(?(?:[^\w\s]|\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]?")
HYPHENS: Final = "\ufffe\u00ad\x02"
"""What a line's end that parted a word leaves behind."""

_FEWEST_COLUMN_LINES: Final = 5
_FULL_LINE: Final = 0.8
_FULL_SHARE: Final = 0.6
_LEAST_COLUMN: Final = 8.0  # sizes of type
_TINY: Final = 2.0  # points
_PALE: Final = 240  # of 255
_CONTRAST: Final = 24
_MOST_PIXELS: Final = 4_000_000
_ANGLES_LOOKED_AT: Final = 50
_ASKEW: Final = math.pi / 36


_Box: TypeAlias = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A stretch of a line with wide gaps around it."""

    left: float
    right: float
    text: str


@dataclass(slots=True, kw_only=True)
class PageLine:
    """A line of a page: its text, where it is in points from the left and the bottom, and the size of its type."""

    text: str
    size: float
    left: float
    right: float
    bottom: float
    top: float
    cells: tuple[Cell, ...] = ()
    level: int = 0
    is_askew: bool = False


@dataclass(slots=True, kw_only=True)
class ReadPage:
    """A page as it was read."""

    number: int
    lines: list[PageLine] = field(default_factory=list[PageLine])
    running: list[PageLine] = field(default_factory=list[PageLine])  #: What is here for all pages it runs along.
    has_picture: bool = False
    hidden: int = 0  #: How many invisible lines were left out.
    comments: int = 0
    links: list[str] = field(default_factory=list[str])


def read_page(document: pdfium.PdfDocument, index: int) -> ReadPage:
    """Read one page; a broken one among good ones is empty."""
    read = ReadPage(number=index + 1)
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return read
    with closing(page), closing(page.get_textpage()) as text:
        read.has_picture = _has_picture(page)
        seen = _Sight(page, text, has_picture=read.has_picture)
        read.lines = list(_read_columns(_lines(text, seen)))
        read.hidden = seen.hidden
        _read_annotations(document, page, read)
    return read


def _has_picture(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3))


# What is hidden


class _Sight:
    """Whether characters can be seen: drawn, of some size, and of another colour than what is behind them."""

    def __init__(self, page: pdfium.PdfPage, text: pdfium.PdfTextPage, *, has_picture: bool) -> None:
        self._page, self._text, self._has_picture = page, text, has_picture
        self.hidden = 0

    def hides(self, index: int, size: float, boxes: Sequence[_Box]) -> bool:
        """Return whether a line, by one of its characters, is invisible; words recognised in a picture stay."""
        if self._has_picture:
            return False
        drawn = pdfium_c.FPDFText_GetTextObject(self._text, index)
        is_drawn = not drawn or pdfium_c.FPDFTextObj_GetTextRenderMode(drawn) != pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE
        is_hidden = not is_drawn or size < _TINY or (self._is_pale(index) and all(map(self._is_plain, boxes)))
        self.hidden += is_hidden
        return is_hidden

    def _is_pale(self, index: int) -> bool:
        red, green, blue, opaque = (ctypes.c_uint() for _ in range(4))
        if not pdfium_c.FPDFText_GetFillColor(self._text, index, red, green, blue, opaque):
            return False
        return min(red.value, green.value, blue.value) > _PALE or opaque.value < 255 - _PALE

    def _is_plain(self, box: _Box) -> bool:
        """Return whether all is of one colour where something is written; False for a page that is turned."""
        if self._page.get_rotation():
            return False
        begun, foot, *_ = self._page.get_cropbox()
        high, wide = self._pixels.shape
        scale = wide / max(self._page.get_width(), 1)
        left, bottom, right, top = (
            int((one - at) * scale) for one, at in zip(box, (begun, foot, begun, foot), strict=True)
        )
        part = self._pixels[max(high - top - 1, 0) : high - bottom, max(left, 0) : right + 1]
        return bool(part.size) and int(part.max()) - int(part.min()) < _CONTRAST

    @cached_property
    def _pixels(self) -> npt.NDArray[np.uint8]:
        area = max(self._page.get_width() * self._page.get_height(), 1)
        bitmap = self._page.render(scale=min(2.0, (_MOST_PIXELS / area) ** 0.5), grayscale=True)
        return bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width]


# Lines


def _lines(page: pdfium.PdfTextPage, seen: _Sight) -> list[PageLine]:
    """Return the lines of a page that say something, in reading order; what is on one height is one line."""
    found: list[PageLine] = []
    turns = _turns(page)
    start = 0
    for stretch in _text_of(page).split("\r\n"):
        index = pdfium_c.FPDFText_GetCharIndexFromTextIndex(page, start)
        line = _line(page, stretch, index, seen, turns) if stretch.strip() and index >= 0 else None
        start += len(stretch) + len("\r\n")
        if line is not None and found and _continues(found[-1], line):
            found[-1] = _beside(found[-1], line)
        elif line is not None:
            found.append(line)
    return found


def _text_of(page: pdfium.PdfTextPage) -> str:
    """Return a page's text in UTF-16 units, one character each, as its indexes count."""
    return page.get_text_range(errors="surrogatepass") if page.count_chars() else ""


def _turns(page: pdfium.PdfTextPage) -> int:
    """Return by how many quarters most of a page's text is turned clockwise."""
    count = page.count_chars()
    places = range(0, count, max(count // _ANGLES_LOOKED_AT, 1))
    angles = Counter(round(pdfium_c.FPDFText_GetCharAngle(page, place) / (math.pi / 2)) % 4 for place in places)
    return angles.most_common(1)[0][0] if angles else 0


def _turned(box: _Box, turns: int) -> _Box:
    """Return where a box is once its text runs from left to right."""
    left, bottom, right, top = box
    return (box, (-top, left, -bottom, right), (-right, -top, -left, -bottom), (bottom, -right, top, -left))[turns]


def _line(page: pdfium.PdfTextPage, text: str, index: int, seen: _Sight, turns: int) -> PageLine | None:
    boxes = _boxes(page, index, len(text))
    if not boxes:
        return None
    end = len(text.rstrip()) - 1
    middle = index + max(end // 2, 0)
    # A bullet, an initial or a raised number is of another size than the line.
    size = sorted(_size_at(page, place) for place in (index, middle, index + max(end, 0)))[1]
    upright = [_turned(box, turns) for box in boxes]
    size = size or max(top - bottom for _, bottom, _, top in upright)
    if seen.hides(middle, size, boxes):
        return None
    angle = pdfium_c.FPDFText_GetCharAngle(page, middle) % (math.pi / 2)
    return PageLine(
        text=_cleaned(text),
        size=size,
        left=min(box[0] for box in upright),
        right=max(box[2] for box in upright),
        bottom=min(box[1] for box in upright),
        top=max(box[3] for box in upright),
        cells=_cells(page, upright, size, turns),
        is_askew=_ASKEW < angle < math.pi / 2 - _ASKEW,
    )


def _cleaned(text: str) -> str:
    # Characters beyond the basic plane come as two halves.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(one for one in whole if one.isprintable() or one in HYPHENS or one == "\t").strip()


def _size_at(page: pdfium.PdfTextPage, index: int) -> float:
    """Return the size of a character's type on the page, in half points: as stated, times what its matrix stretches it."""
    matrix = pdfium_c.FS_MATRIX()
    size = float(pdfium_c.FPDFText_GetFontSize(page, index))
    if pdfium_c.FPDFText_GetMatrix(page, index, matrix):
        size *= (matrix.b**2 + matrix.d**2) ** 0.5 or 1.0
    return round(size * 2) / 2


def _boxes(page: pdfium.PdfTextPage, index: int, count: int) -> list[_Box]:
    left, bottom, right, top = (ctypes.c_double() for _ in range(4))
    return [
        (left.value, bottom.value, right.value, top.value)
        for one in range(pdfium_c.FPDFText_CountRects(page, index, count))
        if pdfium_c.FPDFText_GetRect(page, one, left, top, right, bottom)
    ]


def _cells(page: pdfium.PdfTextPage, boxes: Sequence[_Box], size: float, turns: int) -> tuple[Cell, ...]:
    """Return the cells of a line with wide gaps; nothing for a line without."""
    grouped: list[list[float]] = []
    for left, bottom, right, top in sorted(boxes):
        if grouped and left - grouped[-1][2] < _CELL_GAP * size:
            last = grouped[-1]
            grouped[-1] = [last[0], min(last[1], bottom), max(last[2], right), max(last[3], top)]
        else:
            grouped.append([left, bottom, right, top])
    if len(grouped) == 1:
        return ()
    cells = tuple(
        Cell(
            left=left,
            right=right,
            text=one_line(page.get_text_bounded(*_turned((left - 1, bottom, right + 1, top), -turns % 4))),
        )
        for left, bottom, right, top in grouped
    )
    return () if len(cells) == _LABELLED and _is_label(cells[0].text) else cells


def _continues(before: PageLine, line: PageLine) -> bool:
    """Return whether a line is to the right of the one before, on its height: they are one row."""
    height = min(before.top - before.bottom, line.top - line.bottom)
    overlap = min(before.top, line.top) - max(before.bottom, line.bottom)
    return line.left >= before.right and height > 0 and overlap > height / 2 and not before.is_askew


def _beside(before: PageLine, line: PageLine) -> PageLine:
    is_apart = line.left - before.right >= _CELL_GAP * line.size and not _is_label(before.text)
    cells = (*_as_cells(before), *_as_cells(line)) if is_apart else ()
    return PageLine(
        text=f"{before.text} {line.text}",
        size=max(before.size, line.size),
        left=before.left,
        right=line.right,
        bottom=min(before.bottom, line.bottom),
        top=max(before.top, line.top),
        cells=cells or before.cells,
    )


def _is_label(text: str) -> bool:
    """Return whether a cell is only the bullet or number of an item."""
    return bool(_LABEL.fullmatch(text))


def _as_cells(line: PageLine) -> tuple[Cell, ...]:
    return line.cells or (Cell(left=line.left, right=line.right, text=line.text),)


# Columns


def _read_columns(lines: Sequence[PageLine]) -> Iterator[PageLine]:
    """Yield lines, of two columns of running text all of the left one first; a table stays as it is."""
    start = 0
    while start < len(lines):
        gutter = _gutter(lines[start])
        end = start
        while gutter and end < len(lines) and _keeps_to(gutter, lines[end]):
            end += 1
        halves = [_of_column(line, gutter) for line in lines[start:end]] if gutter else []
        columns = [[one for pair in halves if (one := pair[side])] for side in (0, 1)]
        if gutter and all(map(_is_running_text, columns)):
            yield from (*columns[0], *columns[1])
            start = end
        else:
            yield lines[start]
            start += 1


def _gutter(line: PageLine) -> tuple[float, float] | None:
    return (line.cells[0].right, line.cells[1].left) if len(line.cells) == _LABELLED else None


def _keeps_to(gutter: tuple[float, float], line: PageLine) -> bool:
    """Return whether nothing of a line is between two columns."""
    right = gutter[1] - line.size / 2
    return all(cell.left >= right or cell.right < right for cell in _as_cells(line)) and len(line.cells) <= _LABELLED


def _of_column(line: PageLine, gutter: tuple[float, float]) -> tuple[PageLine | None, PageLine | None]:
    """Return the parts of a line in the left and in the right column."""
    sides: list[PageLine | None] = [None, None]
    for cell in _as_cells(line):
        side = int(cell.left >= gutter[1] - line.size / 2)
        sides[side] = replace(line, text=cell.text, left=cell.left, right=cell.right, cells=())
    return sides[0], sides[1]


def _is_running_text(lines: Sequence[PageLine]) -> bool:
    """Return whether most lines of a column reach its right edge, which cells of a table do not."""
    if len(lines) < _FEWEST_COLUMN_LINES:
        return False
    left, right = min(line.left for line in lines), max(line.right for line in lines)
    full = sum(line.right - left >= _FULL_LINE * (right - left) for line in lines)
    return right - left >= _LEAST_COLUMN * lines[0].size and full >= _FULL_SHARE * len(lines)


# What was filled in, links and comments


def _read_annotations(document: pdfium.PdfDocument, page: pdfium.PdfPage, read: ReadPage) -> None:
    for index in range(pdfium_c.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium_c.FPDFPage_GetAnnot(page, index)
        try:
            kind = pdfium_c.FPDFAnnot_GetSubtype(annotation)
            if kind == pdfium_c.FPDF_ANNOT_WIDGET and document.formenv:
                _fill_in(document.formenv, annotation, read)
            elif kind == pdfium_c.FPDF_ANNOT_LINK:
                read.links += filter(None, [_address(document, annotation)])
            elif kind != pdfium_c.FPDF_ANNOT_POPUP and _text_from(
                partial(pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
            ):
                read.comments += 1
        finally:
            pdfium_c.FPDFPage_CloseAnnot(annotation)


def _address(document: pdfium.PdfDocument, annotation: object) -> str:
    action = pdfium_c.FPDFLink_GetAction(pdfium_c.FPDFAnnot_GetLink(annotation))
    if not action:
        return ""
    size = pdfium_c.FPDFAction_GetURIPath(document, action, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium_c.FPDFAction_GetURIPath(document, action, buffer, size)
    return one_line(buffer.value.decode("utf-8", "replace"))


def _text_from(get: Callable[[object, int], int]) -> str:
    """Read a text in UTF-16 that PDFium returns in two calls: how long it is, and what it is."""
    size = get(None, 0)
    buffer = ctypes.create_string_buffer(max(size, 2))
    get(ctypes.cast(buffer, ctypes.POINTER(pdfium_c.FPDF_WCHAR)), size)
    return one_line(buffer.raw[: max(size - 2, 0)].decode("utf-16-le", "replace"))


def _fill_in(form: pdfium.PdfFormEnv, annotation: object, read: ReadPage) -> None:
    """Put what was filled in behind the label on its height, or, where there is none, behind the field's own name."""
    kind = pdfium_c.FPDFAnnot_GetFormFieldType(form, annotation)
    is_box = kind in {pdfium_c.FPDF_FORMFIELD_CHECKBOX, pdfium_c.FPDF_FORMFIELD_RADIOBUTTON}
    if is_box:
        value = "[x]" if pdfium_c.FPDFAnnot_IsChecked(form, annotation) else "[ ]"
    else:
        value = _text_from(partial(pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation))
    place = pdfium_c.FS_RECTF()
    if not value or kind == pdfium_c.FPDF_FORMFIELD_PUSHBUTTON or not pdfium_c.FPDFAnnot_GetRect(annotation, place):
        return
    bottom, top = sorted((place.bottom, place.top))
    level = [line for line in read.lines if bottom - 2 <= (line.bottom + line.top) / 2 <= top + 2]
    before = max((one for one in level if one.right <= place.left + 2), key=lambda one: one.right, default=None)
    behind = min((one for one in level if one.left >= place.right - 2), key=lambda one: one.left, default=None)
    if before is not None:
        before.text = f"{before.text.rstrip(' :：_.')}: {value}"
        before.right, before.cells = place.right, ()
    elif behind is not None and is_box:
        behind.text = f"{value} {behind.text}"
    else:
        name = _text_from(partial(pdfium_c.FPDFAnnot_GetFormFieldName, form, annotation))
        at = next((index for index, line in enumerate(read.lines) if line.top < bottom), len(read.lines))
        line = PageLine(text=f"{name}: {value}", size=10.0, left=place.left, right=place.right, bottom=bottom, top=top)
        read.lines.insert(at, line)
