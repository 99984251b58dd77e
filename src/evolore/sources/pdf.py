"""Read a PDF: its headings from bookmarks or sizes of type, its tables as rows, the number of each page in the headings.

A passage is cited by the headings above it, so they carry the page: ``## Results (p. 3)``. Where a page begins inside a
section, a heading ``p. 4`` below the section's says so, behind the paragraph that runs over the break.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile
from statistics import median
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.markdown import escaped, heading, joined, one_line, pipe_table

_HEADING_SIZE: Final = 1.12
"""Type at least so many times as large as the body's is a heading's; LaTeX's ``\\large`` is 1.2, Word's Heading 3 1.09–1.2."""

_HEADING_LEVELS: Final = 4
_LONGEST_HEADING: Final = 200
_CELL_GAP: Final = 1.0
"""A gap within a line, in sizes of its type, that parts two cells; a space between justified words stays below .7."""

_PARAGRAPH_PITCH: Final = 1.35
"""Lines further apart than so many times the usual pitch begin a paragraph."""

_SHORT_LINE: Final = 0.8
_LEAST_RUNNING_PAGES: Final = 4
_RUNNING_SHARE: Final = 0.6
_EDGE_LINES: Final = 2
_LEAST_BOOKMARKS_FOUND: Final = 0.5
_LABELLED: Final = 2  # cells: a label, and what it labels
_MOST_BOOKMARKS: Final = 5_000
_MOST_PAGES_NAMED: Final = 20
_DIGITS: Final = re.compile(r"\d+")
_DATE: Final = re.compile(r"(?:D:)?(\d{8})(\d{6}(?:[+-]\d\d(?:'?\d\d)?)?)?")
_PAGE_NUMBER: Final = re.compile(
    r"\W*+(?:page|p\.|seite|第)?\s*+(?:\d{1,5}|[ivxl]{1,7})(?:\s*+(?:/|of|von|\||-)\s*+\d{1,5}|\s*+[页頁ページ]+)?\W*",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"(?:[•‣◦▪●○■–·\uf0b7\uf0a7]|[-*](?=\s))\s*(?=\S)")
_NUMBERED: Final = re.compile(r"(?:\d{1,3}|[a-zA-Z])[.)]\s+\S")
_LABEL: Final = re.compile(r"\(?(?:[^\w\s]|\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)]?")
_ENDS_SENTENCE: Final = re.compile(r"[.!?:;。！？：；」』）)\]]\s*\Z")
_EAST_ASIAN: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_HYPHENS: Final = "\ufffe\u00ad\x02"
_WORD: Final = re.compile(r"\w")


@dataclass(slots=True, kw_only=True)
class _PageLine:
    """A line of a page: its text, where it stands in points from the left and the bottom, and the size of its type."""

    text: str
    size: float
    left: float
    right: float
    bottom: float
    top: float
    cells: tuple[tuple[float, str], ...] = ()
    level: int = 0


@dataclass(slots=True, kw_only=True)
class _Page:
    number: int
    lines: list[_PageLine] = field(default_factory=list[_PageLine])
    has_picture: bool = False


def read_pdf(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a PDF.

    Raises:
        UnreadableSource: It is damaged or protected, has too many pages, or holds pictures of text alone.
    """
    document = _opened(data, name=name)
    if len(document) > limits.pages:
        raise UnreadableSource(f"{name} has {len(document):,} pages, more than {limits.pages:,}: split it.")
    pages = [_read_page(document, index) for index in range(len(document))]
    scanned = [page.number for page in pages if not page.lines and page.has_picture]
    if not any(page.lines for page in pages):
        what = "are pictures without text: recognise it first, for example with ocrmypdf" if scanned else "hold no text"
        raise UnreadableSource(f"{name} cannot be read: its {len(pages):,} pages {what}.")
    _drop_running_lines(pages)
    if not _mark_by_bookmarks(document, pages):
        _mark_by_size(pages)
    title = _title_of(document) or next((one.text for page in pages[:1] for one in page.lines if one.level == 1), "")
    notes = (_told(scanned),) if scanned else ()
    return Converted(text=joined(_blocks(pages)), title=one_line(title), notes=notes, date=_date_of(document))


def _opened(data: bytes, *, name: str) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableSource(f"{name} is protected by a password: save it without.") from error
        raise UnreadableSource(
            f"{name} is damaged, or no PDF ({error}): print it anew as PDF, or repair it, for example with qpdf."
        ) from error


def _told(scanned: Sequence[int]) -> str:
    named = ", ".join(map(str, scanned[:_MOST_PAGES_NAMED]))
    more = f" and {len(scanned) - _MOST_PAGES_NAMED:,} more" if len(scanned) > _MOST_PAGES_NAMED else ""
    return f"Pages that are pictures without text were left out: {named}{more}. Recognise it first, for example with ocrmypdf."


def _title_of(document: pdfium.PdfDocument) -> str:
    title = document.get_metadata_value("Title").strip()
    is_made_up = not title or re.search(
        r"\.(?:docx?|dvi|tex|indd|pptx?|xlsx?|qxd)\b|^untitled|^microsoft|^\(?anonymous", title, re.IGNORECASE
    )
    return "" if is_made_up else title


def _date_of(document: pdfium.PdfDocument) -> str:
    """Return when it was last changed in ISO 8601; as it is written where it has another form."""
    written = document.get_metadata_value("ModDate").strip()
    found = _DATE.match(written)
    return "T".join(filter(None, found.groups())).replace("'", "") if found else one_line(written)


# Reading lines


def _read_page(document: pdfium.PdfDocument, index: int) -> _Page:
    read = _Page(number=index + 1)
    try:
        page = document[index]
    except pdfium.PdfiumError:  # one broken page among good ones
        return read
    try:
        text = page.get_textpage()
        try:
            read.lines = list(_lines(text))
        finally:
            text.close()
        read.has_picture = not read.lines and _has_picture(page)
    finally:
        page.close()
    return read


def _has_picture(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3))


def _lines(page: pdfium.PdfTextPage) -> Iterator[_PageLine]:
    """Yield the lines of a page that say something, in reading order; what stands on one height is one line."""
    before: _PageLine | None = None
    start = 0
    for stretch in _text_of(page).split("\r\n"):
        line = (
            _line(page, stretch, pdfium_c.FPDFText_GetCharIndexFromTextIndex(page, start)) if stretch.strip() else None
        )
        start += len(stretch) + len("\r\n")
        if line is None:
            continue
        if before is not None and _continues(before, line):
            before = _beside(before, line)
            continue
        if before is not None:
            yield before
        before = line
    if before is not None:
        yield before


def _text_of(page: pdfium.PdfTextPage) -> str:
    """Return a page's text in UTF-16 units, one character each, as its indexes count."""
    return page.get_text_range(errors="surrogatepass") if page.count_chars() else ""


def _line(page: pdfium.PdfTextPage, text: str, index: int) -> _PageLine | None:
    if index < 0:
        return None
    boxes = _boxes(page, index, len(text))
    if not boxes:
        return None
    end = len(text.rstrip()) - 1
    # A bullet, an initial or a raised number is of another size than the line.
    size = sorted(_size_at(page, index + place) for place in (0, max(end // 2, 0), max(end, 0)))[1]
    height = max(top - bottom for _, bottom, _, top in boxes)
    return _PageLine(
        text=_cleaned(text),
        size=size or height,
        left=min(box[0] for box in boxes),
        right=max(box[2] for box in boxes),
        bottom=min(box[1] for box in boxes),
        top=max(box[3] for box in boxes),
        cells=_cells(page, boxes, size or height),
    )


def _cleaned(text: str) -> str:
    # Characters beyond the basic plane come as two halves.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return "".join(one for one in whole if one.isprintable() or one in _HYPHENS or one == "\t").strip()


def _size_at(page: pdfium.PdfTextPage, index: int) -> float:
    """Return the size of a character's type on the page, in half points: as stated, times what its matrix stretches it."""
    matrix = pdfium_c.FS_MATRIX()
    size = float(pdfium_c.FPDFText_GetFontSize(page, index))
    if pdfium_c.FPDFText_GetMatrix(page, index, matrix):
        size *= (matrix.b**2 + matrix.d**2) ** 0.5 or 1.0
    return round(size * 2) / 2


def _boxes(page: pdfium.PdfTextPage, index: int, count: int) -> list[tuple[float, float, float, float]]:
    left, bottom, right, top = (ctypes.c_double() for _ in range(4))
    return [
        (left.value, bottom.value, right.value, top.value)
        for one in range(pdfium_c.FPDFText_CountRects(page, index, count))
        if pdfium_c.FPDFText_GetRect(page, one, left, top, right, bottom)
    ]


def _cells(
    page: pdfium.PdfTextPage, boxes: Sequence[tuple[float, float, float, float]], size: float
) -> tuple[tuple[float, str], ...]:
    """Return the cells of a line with wide gaps, each with its left edge; nothing for a line without."""
    grouped: list[list[float]] = []
    for left, bottom, right, top in sorted(boxes):
        if grouped and left - grouped[-1][2] < _CELL_GAP * size:
            last = grouped[-1]
            grouped[-1] = [last[0], min(last[1], bottom), max(last[2], right), max(last[3], top)]
        else:
            grouped.append([left, bottom, right, top])
    if len(grouped) == 1:
        return ()
    texts = [(box[0], page.get_text_bounded(box[0] - 1, box[1], box[2] + 1, box[3])) for box in grouped]
    return (
        ()
        if len(texts) == _LABELLED and _is_label(one_line(texts[0][1]))
        else tuple((left, one_line(text)) for left, text in texts)
    )


def _continues(before: _PageLine, line: _PageLine) -> bool:
    """Return whether a line stands to the right of the one before, on its height: they are one row."""
    height = min(before.top - before.bottom, line.top - line.bottom)
    overlap = min(before.top, line.top) - max(before.bottom, line.bottom)
    return line.left >= before.right and height > 0 and overlap > height / 2


def _beside(before: _PageLine, line: _PageLine) -> _PageLine:
    is_apart = line.left - before.right >= _CELL_GAP * line.size and not _is_label(before.text)
    cells = (*_as_cells(before), *_as_cells(line)) if is_apart else ()
    return _PageLine(
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


def _as_cells(line: _PageLine) -> tuple[tuple[float, str], ...]:
    return line.cells or ((line.left, line.text),)


# Telling what a line is


def _drop_running_lines(pages: Sequence[_Page]) -> None:
    """Drop numbers of pages, and what stands at the top or bottom of most pages, but for its first time."""
    edges = Counter(key for page in pages for key in {_running(line) for line in _edge(page)})
    least = max(_LEAST_RUNNING_PAGES, _RUNNING_SHARE * sum(bool(page.lines) for page in pages))
    told: set[str] = set()
    for page in pages:
        at_edge = _edge(page)
        dropped: set[int] = set()
        for line in at_edge:
            key = _running(line)
            if _PAGE_NUMBER.fullmatch(line.text) and len(pages) > 1:
                dropped.add(id(line))
            elif edges[key] >= least:
                dropped.update([id(line)] if key in told else [])
                told.add(key)
        page.lines = [line for line in page.lines if id(line) not in dropped]


def _edge(page: _Page) -> list[_PageLine]:
    by_height = sorted(page.lines, key=lambda line: line.bottom)
    return by_height if len(by_height) < 2 * _EDGE_LINES else by_height[:_EDGE_LINES] + by_height[-_EDGE_LINES:]


def _running(line: _PageLine) -> str:
    return _DIGITS.sub("#", line.text)


def _mark_by_bookmarks(document: pdfium.PdfDocument, pages: Sequence[_Page]) -> bool:
    """Mark the lines that bookmarks name as headings; return whether at least half of the bookmarks were found."""
    count, marked = 0, 0
    for bookmark in document.get_toc():
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        if count >= _MOST_BOOKMARKS:
            break
        if index is None or not 0 <= index < len(pages):
            continue
        count += 1
        near = pages[index : index + 2]  # a heading that no longer fitted on the page stands on the next
        marked += any(_mark(page, bookmark.get_title(), level=bookmark.level + 1) for page in near)
    if marked and marked >= _LEAST_BOOKMARKS_FOUND * count:
        _mark_title(pages)
        return True
    for page in pages:
        for line in page.lines:
            line.level = 0
    return False


def _mark_title(pages: Sequence[_Page]) -> None:
    """Mark what stands above the first heading, in larger type than any, as the heading of all."""
    marked = [line for page in pages for line in page.lines if line.level]
    above = list(takewhile(lambda line: not line.level, pages[0].lines))
    largest = max((line.size for line in above), default=0.0)
    if largest <= max(line.size for line in marked):
        return
    for line in marked:
        line.level = min(line.level + 1, _HEADING_LEVELS)
    for line in above:
        line.level = int(line.size == largest and len(line.text) <= _LONGEST_HEADING)


def _mark(page: _Page, title: str, *, level: int) -> bool:
    wanted = _bare(title)
    for line in page.lines:
        found = _bare(line.text)
        if (
            wanted
            and not line.level
            and (found == wanted or (len(found) < len(wanted) + 12 and found.endswith(wanted)))
        ):
            line.level = min(level, _HEADING_LEVELS)
            return True
    return False


def _bare(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def _mark_by_size(pages: Sequence[_Page]) -> None:
    """Mark lines of larger type than the body's as headings: the largest are of level 1."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            weights[line.size] += len(line.text)
    body = max(weights, key=lambda size: (weights[size], -size))
    lines = [line for page in pages for line in page.lines if _may_be_heading(line, body)]
    sizes = _steps(sorted({line.size for line in lines}, reverse=True))
    for line in lines:
        line.level = sizes[line.size]


def _may_be_heading(line: _PageLine, body: float) -> bool:
    is_large = line.size >= _HEADING_SIZE * body and len(line.text) <= _LONGEST_HEADING
    return (
        is_large and any(map(str.isalpha, line.text)) and len(line.cells) <= _LABELLED and not _BULLET.match(line.text)
    )


def _steps(sizes: Sequence[float]) -> dict[float, int]:
    """Number sizes from the largest, those within a twentieth of each other alike."""
    levels: dict[float, int] = {}
    level, first = 0, 0.0
    for size in sizes:
        if not level or size < 0.95 * first:
            level, first = level + 1, size
        levels[size] = min(level, _HEADING_LEVELS)
    return levels


# Writing


@dataclass(slots=True, kw_only=True)
class _Part:
    """Lines that are one heading, one paragraph, or one table."""

    lines: list[_PageLine]
    is_table: bool = False

    @property
    def level(self) -> int:
        return self.lines[0].level

    @property
    def is_text(self) -> bool:
        return not self.level and not self.is_table


def _blocks(pages: Sequence[_Page]) -> Iterator[str]:
    """Yield headings, paragraphs and tables in order, each page begun by a heading that tells its number."""
    level = 0
    for number, parts in _joined_over_breaks(pages):
        if parts and not parts[0].level:
            yield heading(level + 1, f"p. {number}")
        for part in parts:
            if part.level:
                level = part.level
                yield heading(level, f"{_prose(part.lines)} (p. {number})")
            else:
                yield _table(part.lines) if part.is_table else _paragraph(part.lines)


def _joined_over_breaks(pages: Sequence[_Page]) -> Iterator[tuple[int, list[_Part]]]:
    """Yield the parts of each page; a paragraph that runs over a break is the earlier page's."""
    before: tuple[int, list[_Part]] | None = None
    pitch = _pitch(pages)
    for page in pages:
        parts = list(_parts(page, pitch))
        if before and before[1] and parts and _runs_on(before[1][-1], parts[0]):
            before[1][-1].lines += parts.pop(0).lines
        if parts or not before:
            if before:
                yield before
            before = page.number, parts
    if before:
        yield before


def _runs_on(last: _Part, first: _Part) -> bool:
    is_same_type = last.is_text and first.is_text and last.lines[-1].size == first.lines[0].size
    return is_same_type and not _ENDS_SENTENCE.search(last.lines[-1].text) and not _is_item(first.lines[0])


def _parts(page: _Page, pitch: float) -> Iterator[_Part]:
    """Yield the headings, tables and paragraphs of a page."""
    right = max((line.right for line in page.lines), default=0.0)
    part: _Part | None = None
    for line, is_row in zip(page.lines, _rows(page.lines), strict=True):
        if part is not None and part.is_table == is_row and (is_row or not _begins(part.lines[-1], line, pitch, right)):
            part.lines.append(line)
            continue
        if part is not None:
            yield part
        part = _Part(lines=[line], is_table=is_row)
    if part is not None:
        yield part


def _rows(lines: Sequence[_PageLine]) -> list[bool]:
    """Return which lines are rows of a table: they have cells, and so has a neighbour."""
    has_cells = [len(line.cells) > 1 and not line.level for line in lines]
    return [
        one and ((index > 0 and has_cells[index - 1]) or (index + 1 < len(lines) and has_cells[index + 1]))
        for index, one in enumerate(has_cells)
    ]


def _pitch(pages: Sequence[_Page]) -> float:
    """Return the usual distance from one line's foot to the next one's, as a multiple of the size of type."""
    pairs = (pair for page in pages for pair in pairwise(page.lines))
    steps = [(one.bottom - two.bottom) / two.size for one, two in pairs if one.bottom > two.bottom and two.size]
    return median(steps) if steps else 1.2


def _begins(before: _PageLine, line: _PageLine, pitch: float, right: float) -> bool:
    """Return whether a line begins a paragraph, or another heading, behind the line before it."""
    if before.level != line.level or before.size != line.size or _is_item(line):
        return True
    step = before.bottom - line.bottom
    is_apart = step > _PARAGRAPH_PITCH * max(pitch, 1.0) * line.size or step < -line.size
    is_ended = before.right < _SHORT_LINE * right and bool(_ENDS_SENTENCE.search(before.text))
    return is_apart or (is_ended and not line.level)


def _is_item(line: _PageLine) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBERED.match(line.text))


def _paragraph(lines: Sequence[_PageLine]) -> str:
    text = _prose(lines)
    bullet = _BULLET.match(text)
    return f"- {text[bullet.end() :]}" if bullet else escaped(text)


def _prose(lines: Sequence[_PageLine]) -> str:
    """Join lines into running text: without a space among Chinese and Japanese, and words that a line's end parted."""
    text = ""
    for line in lines:
        if text and text[-1] in _HYPHENS:
            text = text[:-1] + line.text
        elif text and (_EAST_ASIAN.match(text[-1]) or _EAST_ASIAN.match(line.text[:1])):
            text += line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    return one_line(text.translate(dict.fromkeys(map(ord, _HYPHENS), "-")))


def _table(lines: Sequence[_PageLine]) -> str:
    """Write rows as a table; a cell stands in the column whose left edge, in the row with the most cells, is nearest."""
    edges = [left for left, _ in max((line.cells for line in lines), key=len)]
    return pipe_table([_row(line, edges) for line in lines])


def _row(line: _PageLine, edges: Sequence[float]) -> list[str]:
    row = [""] * len(edges)
    for left, text in line.cells:
        column = min(range(len(edges)), key=lambda one: abs(edges[one] - left))
        row[column] = f"{row[column]} {text}".strip()
    return row
