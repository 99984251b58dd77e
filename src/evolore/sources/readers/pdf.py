"""Read a PDF: its headings from bookmarks or sizes of type, its tables as rows, the number of each page in the headings.

A passage is cited by the headings above it, so they carry the page: ``## Results (p. 3)``. Where a page begins inside a
section, a heading ``p. 4`` below the section's says so, behind the paragraph that runs over the break.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, takewhile
from statistics import median
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.markdown import escaped, heading, joined, one_line, pipe_table, some
from evolore.sources.readers.pdf_page import HYPHENS, PageLine, ReadPage, read_page

_HEADING_SIZE: Final = 1.12
"""Type at least so many times as large as the body's is a heading's; LaTeX's ``\\large`` is 1.2, Word's Heading 3 1.09–1.2."""

_HEADING_LEVELS: Final = 4
_LONGEST_HEADING: Final = 200
_COLUMN_STEP: Final = 30.0  # points
_PARAGRAPH_PITCH: Final = 1.35
"""Lines further apart than so many times the usual pitch begin a paragraph."""

_SHORT_LINE: Final = 0.2
"""A line that ends further from the right edge, in widths of its column, was ended by its author."""

_PROSE_SHARE: Final = 0.5
_LEAST_PROSE_WIDTH: Final = 10.0  # sizes of type
_LEAST_RUNNING_PAGES: Final = 3
_RUNNING_SHARE: Final = 0.4
_EDGE_LINES: Final = 2
_LABELLED: Final = 2  # cells: a label, and what it labels
_MOST_BOOKMARKS: Final = 5_000
_LONGEST_NUMBER: Final = 12  # of a heading, which its bookmark may lack
_DIGITS: Final = re.compile(r"\d+")
_DATE: Final = re.compile(r"(?:D:)?(\d{8})(\d{6}(?:[+-]\d\d(?:'?\d\d)?)?)?")
_PAGE_NUMBER: Final = re.compile(
    r"\W*+(?:page|p\.|pg\.?|seite|第)?\s*+(?:\d{1,5}|[ivxl]{1,7})(?:\s*+[页頁ページ]+)?"
    r"(?:[^\w\n]*+(?:of|von|共|全)?[^\w\n]*+\d{1,5}(?:\s*+[页頁ページ]+)?)?\W*",
    re.IGNORECASE,
)
_OF_PAGE: Final = re.compile(r"(?:\bpage|\bp\.|\bpg\.?|\bseite|(?:^|\s)[|·•–—-])\s*\Z", re.IGNORECASE)
_PAGE_BEHIND: Final = re.compile(r"\s*(?:[页頁ページ]|[|·•–—]|-\s*\Z|(?:/|of|von)\s*\d)", re.IGNORECASE)
_COUNTS: Final = re.compile(
    r"(?:#|№|[^\W\d]-|第|\b(?:n[or]|number|receipt|invoice|ticket|serial|lesson|unit|sheet|week|day|order|lot|batch|item|question|"
    r"exercise|chapter|part))\W{0,3}\Z",
    re.IGNORECASE,
)
_ROMAN: Final = re.compile(r"(?i)^\W*[ivxl]{1,7}\W*$")
_RECORD: Final = re.compile(r"\W?\d{1,4}[-:/.]\d")
_LONGEST_PAGE_NUMBER: Final = 5
_LARGEST_OFFSET: Final = 30
_FEW_LINES: Final = 8
_SMALL: Final = 0.95
_WATERMARK_SIZE: Final = 2.0
_BULLET: Final = re.compile(r"(?:[•‣◦▪●○■–·\uf0b7\uf0a7]|[-*](?=\s))\s*(?=\S)")
_NUMBERED: Final = re.compile(r"(?:\d{1,3}|[a-zA-Z])[.)]\s+\S")
_ENDS_SENTENCE: Final = re.compile(r"[.!?:;。！？：；」』）)\]]\s*\Z")
_EAST_ASIAN: Final = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")
_PARTED: Final = re.compile(
    rf"(?<=[^\W\d])[{HYPHENS}](?=[^\W\d_])"
)  # PDFium writes a word that a line's end parted in one line
_HYPHEN_AT_END: Final = re.compile(r"[^\W\d_][-‐]\Z")
_WORD: Final = re.compile(r"\w")


def read_pdf(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a PDF."""
    document = _opened(data, name=name)
    if len(document) > limits.pages:
        raise UnreadableSource(f"{name} has {len(document):,} pages, more than {limits.pages:,}: split it.")
    if document.get_formtype() != pdfium_c.FORMTYPE_NONE:
        document.init_forms()
    pages = [read_page(document, index) for index in range(len(document))]
    notes = [*_drop_watermarks(pages), *_left_out(document, pages)]
    _drop_running_lines(pages)
    scanned = [page.number for page in pages if not page.lines and page.has_picture]
    if not any(page.lines for page in pages):
        what = "are pictures without text: recognise it first, for example with ocrmypdf" if scanned else "hold no text"
        raise UnreadableSource(f"{name} cannot be read: its {len(pages):,} pages {what}.")
    if not _mark_by_bookmarks(document, pages):
        _mark_by_size(pages)
    title = _title_of(document) or next((one.text for page in pages[:1] for one in page.lines if one.level == 1), "")
    if scanned:
        named = f"Pages that are pictures without text were left out: {some(scanned)}."
        notes.append(f"{named} Recognise it first, for example with ocrmypdf.")
    return Converted(text=joined(_blocks(pages)), title=one_line(title), notes=tuple(notes), date=_date_of(document))


def _opened(data: bytes, *, name: str) -> pdfium.PdfDocument:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        if "password" in str(error).lower():
            raise UnreadableSource(f"{name} is protected by a password: save it without.") from error
        raise UnreadableSource(
            f"{name} is damaged, or no PDF ({error}): print it again as PDF, or repair it, for example with qpdf."
        ) from error


def _left_out(document: pdfium.PdfDocument, pages: Sequence[ReadPage]) -> Iterator[str]:
    """Yield what was left out, in sentences."""
    if hidden := sum(page.hidden for page in pages):
        yield f"Invisible lines (hidden, tiny, or of the colour behind them) were left out: {hidden:,}."
    if comments := sum(page.comments for page in pages):
        yield f"Comments were left out: {comments:,}."
    if links := list(dict.fromkeys(link for page in pages for link in page.links)):
        yield f"Addresses of links were left out: {some(links)}."
    if attached := [document.get_attachment(index).get_name() for index in range(document.count_attachments())]:
        yield f"Attached files were left out: {some(attached)}."


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


# Kinds of lines


def _drop_watermarks(pages: Sequence[ReadPage]) -> Iterator[str]:
    """Drop what is written askew over pages, and yield what it was; askew words of one page that are no larger stay."""
    body = median([line.size for page in pages for line in page.lines] or [0.0])
    askew = Counter(line.text for page in pages for line in page.lines if line.is_askew)
    marks = {
        line.text
        for page in pages
        for line in page.lines
        if line.is_askew and (askew[line.text] > 1 or line.size > _WATERMARK_SIZE * body)
    }
    for page in pages:
        page.lines = [line for line in page.lines if not (line.is_askew and line.text in marks)]
    if marks:
        yield f"A watermark was left out: {some(sorted(marks))}."


def _drop_running_lines(pages: Sequence[ReadPage]) -> None:
    """Drop numbers of pages, and what is in the same words at the edge of many pages, but for its first time.

    Another number makes it another line ("Total 8.00", "Receipt 10232", "Lesson 3"), unless it counts up with the pages
    and says that it is a page's, is alone, or is set apart: in smaller type than the text or well below it.
    """
    small = _SMALL * _body_size(pages)
    edges = {page.number: list(_edge(page, small)) for page in pages}
    often = Counter(key for found in edges.values() for key in {key for _, keys in found for key in keys})
    filled = sum(bool(page.lines) for page in pages)
    first = next((page.lines[0] for page in pages if page.lines), None)
    least = max(_LEAST_RUNNING_PAGES, _RUNNING_SHARE * filled)
    told: set[str] = set()
    for page in pages:
        dropped: set[int] = set()
        for line, keys in edges[page.number]:
            is_number = bool(_PAGE_NUMBER.fullmatch(line.text))
            if len(pages) > 1 and any(often[key] >= (min(filled, 2) if is_number else least) for key in keys):
                if is_number or line is not first:
                    dropped.add(id(line))
                if line is not first and not is_number and told.isdisjoint(keys):
                    page.running.append(line)
                told |= keys
        page.lines = [line for line in page.lines if id(line) not in dropped]


def _edge(page: ReadPage, small: float) -> Iterator[tuple[PageLine, set[str]]]:
    """Yield the lines at the top and the bottom of a page, and what would make each the same on other pages."""
    by_height = sorted(page.lines, key=lambda line: line.bottom)
    for place, line in enumerate(by_height):
        is_few = len(by_height) < _FEW_LINES and not _PAGE_NUMBER.fullmatch(line.text)
        if min(place, len(by_height) - 1 - place) < (1 if is_few else _EDGE_LINES):
            above = by_height[place + 1].bottom if place + 1 < len(by_height) else line.top
            is_apart = line.size <= small or (place == 0 and above - line.top > 2 * line.size)
            yield line, _running(line, page, is_apart=is_apart)


def _running(line: PageLine, page: ReadPage, *, is_apart: bool) -> set[str]:
    """Return what makes a line the same on other pages: its words, or these and how far its number is from the page's."""
    is_number = bool(_PAGE_NUMBER.fullmatch(line.text))
    keys = {_ROMAN.sub("i", line.text)} if not is_number or _ROMAN.search(line.text) else set[str]()
    for number in _DIGITS.finditer(line.text):
        before, behind = line.text[: number.start()], line.text[number.end() :]
        is_page = is_number or _OF_PAGE.search(before) or _PAGE_BEHIND.match(behind)
        offset = int(number.group()[:_LONGEST_PAGE_NUMBER]) - page.number
        is_counted = number.group()[0] == "0" or _COUNTS.search(before) or behind[:1].isalnum()
        if is_page or (is_apart and not is_counted and abs(offset) <= _LARGEST_OFFSET):
            keys.add(f"{before}{offset:+}{behind}")
    return keys


def _mark_by_bookmarks(document: pdfium.PdfDocument, pages: Sequence[ReadPage]) -> bool:
    """Mark the lines that bookmarks name as headings; return whether there are some."""
    is_marked = False
    for bookmark in islice(document.get_toc(), _MOST_BOOKMARKS):
        target, title = bookmark.get_dest(), _bare(bookmark.get_title())
        index = target.get_index() if target else None
        near = () if index is None else pages[index : index + 2]  # a heading may no longer have fitted on the page
        lines = (line for page in near for line in page.lines if title and not line.level)
        for line in lines:
            text = _bare(line.text)
            if text.endswith(title) and len(text) < len(title) + _LONGEST_NUMBER:
                line.level = min(bookmark.level + 1, _HEADING_LEVELS)
                is_marked = True
                break
    if is_marked:
        _mark_title(pages)
    return is_marked


def _mark_title(pages: Sequence[ReadPage]) -> None:
    """Mark what is above the first heading, in larger type than any, as the heading of all."""
    marked = [line for page in pages for line in page.lines if line.level]
    above = list(takewhile(lambda line: not line.level, pages[0].lines))
    largest = max((line.size for line in above), default=0.0)
    if largest <= max(line.size for line in marked):
        return
    for line in marked:
        line.level = min(line.level + 1, _HEADING_LEVELS)
    for line in above:
        line.level = int(line.size == largest and len(line.text) <= _LONGEST_HEADING)


def _bare(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def _body_size(pages: Sequence[ReadPage]) -> float:
    """Return the size of type that most of the text has; 0 where there is none."""
    weights: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            weights[line.size] += len(line.text)
    return max(weights, key=lambda size: (weights[size], -size), default=0.0)


def _mark_by_size(pages: Sequence[ReadPage]) -> None:
    """Mark lines of larger type than the body's as headings: the largest are of level 1."""
    body = _body_size(pages)
    lines = [line for page in pages for line in page.lines if _may_be_heading(line, body)]
    sizes = _steps(sorted({line.size for line in lines}, reverse=True))
    for line in lines:
        line.level = sizes[line.size]


def _may_be_heading(line: PageLine, body: float) -> bool:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edge:
    """The right edge of the lines that begin where a line does, and whether most of them reach it, as in running text."""

    right: float
    is_prose: bool

    def is_reached(self, line: PageLine) -> bool:
        """Return whether a line ends so near the edge that its sentence may go on in the next."""
        gap = 2 * line.size if _EAST_ASIAN.match(line.text[-1:]) else _SHORT_LINE * (self.right - line.left)
        return line.right >= self.right - gap


@dataclass(slots=True, kw_only=True)
class _Part:
    """Lines that are one heading, one paragraph, or one table."""

    lines: list[PageLine]
    edge: _Edge
    is_table: bool = False

    @property
    def level(self) -> int:
        return self.lines[0].level

    @property
    def is_text(self) -> bool:
        return not self.level and not self.is_table


def _blocks(pages: Sequence[ReadPage]) -> Iterator[str]:
    """Yield headings, paragraphs and tables in order, each page begun by a heading with its number."""
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


def _joined_over_breaks(pages: Sequence[ReadPage]) -> list[tuple[int, list[_Part]]]:
    """Return the parts of each page; a paragraph that runs over a break is the earlier page's, before what runs along it."""
    pitch = _pitch(pages)
    found: list[tuple[ReadPage, list[_Part]]] = []
    for page in pages:
        parts = _parts(page.lines, pitch)
        before = found[-1][1] if found else []
        if before and parts and _runs_on(before[-1], parts[0]):
            before[-1].lines += parts.pop(0).lines
        if parts or page.running or not found:
            found.append((page, parts))
    return [(page.number, [*parts, *_parts(page.running, pitch)]) for page, parts in found]


def _runs_on(last: _Part, first: _Part) -> bool:
    """Return whether a paragraph runs over a break: its last line is full, and the next goes on as none begins."""
    before, line = last.lines[-1], first.lines[0]
    is_same_type = last.is_text and first.is_text and before.size == line.size
    if not is_same_type or _ENDS_SENTENCE.search(before.text) or _is_item(line):
        return False
    is_prose = last.edge.is_prose and first.edge.is_prose and len(last.lines) > 1
    return (is_prose or _goes_on(before, line)) and last.edge.is_reached(before)


def _goes_on(before: PageLine, line: PageLine) -> bool:
    """Return whether a line begins as the middle of a sentence may: with a small letter, or in running East Asian text."""
    return line.text[:1].islower() or bool(_EAST_ASIAN.match(line.text[:1]) and _EAST_ASIAN.match(before.text[-1:]))


def _parts(lines: Sequence[PageLine], pitch: float) -> list[_Part]:
    """Return the headings, tables and paragraphs of a page."""
    parts: list[_Part] = []
    for line, is_row, edge in zip(lines, _rows(lines), _edges(lines), strict=True):
        if parts and parts[-1].is_table == is_row and (is_row or not _begins(parts[-1], line, pitch)):
            parts[-1].lines.append(line)
            parts[-1].edge = edge
        else:
            parts.append(_Part(lines=[line], edge=edge, is_table=is_row))
    return parts


def _edges(lines: Sequence[PageLine]) -> Iterator[_Edge]:
    """Yield the edge of each line's column: of the lines that begin within some letters of where it does."""
    columns: defaultdict[int, list[PageLine]] = defaultdict(list)
    for line in lines:
        columns[_place(line)].append(line)
    for line in lines:
        near = [one for at in (-1, 0, 1) for one in columns[_place(line) + at]]
        edge = _Edge(right=max(one.right for one in near), is_prose=True)
        full = sum(edge.is_reached(one) or bool(_ENDS_SENTENCE.search(one.text)) for one in near)
        is_wide = edge.right - line.left >= _LEAST_PROSE_WIDTH * line.size
        yield replace(edge, is_prose=is_wide and full >= _PROSE_SHARE * len(near))


def _place(line: PageLine) -> int:
    return int(line.left // _COLUMN_STEP)


def _rows(lines: Sequence[PageLine]) -> list[bool]:
    """Return which lines are rows of a table: they have cells, and so has a neighbour."""
    has_cells = [len(line.cells) > 1 and not line.level for line in lines]
    return [
        one and ((index > 0 and has_cells[index - 1]) or (index + 1 < len(lines) and has_cells[index + 1]))
        for index, one in enumerate(has_cells)
    ]


def _pitch(pages: Sequence[ReadPage]) -> float:
    """Return the usual distance from one line's foot to the next one's, as a multiple of the size of type."""
    pairs = (pair for page in pages for pair in pairwise(page.lines))
    steps = [(one.bottom - two.bottom) / two.size for one, two in pairs if one.bottom > two.bottom and two.size]
    return median(steps) if steps else 1.2


def _begins(part: _Part, line: PageLine, pitch: float) -> bool:
    """Return whether a line begins a paragraph, or another heading, behind the lines before it."""
    before = part.lines[-1]
    if before.level != line.level or before.size != line.size or _is_item(line):
        return True
    step = before.bottom - line.bottom
    if step > _PARAGRAPH_PITCH * max(pitch, 1.0) * line.size or step < -line.size:
        return True
    if line.level:
        return False
    if part.edge.is_reached(before) and (part.edge.is_prose or _goes_on(before, line)):
        return False
    return bool(_ENDS_SENTENCE.search(before.text)) or not line.text[:1].islower()


def _is_item(line: PageLine) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBERED.match(line.text) or _RECORD.match(line.text))


def _paragraph(lines: Sequence[PageLine]) -> str:
    text = _prose(lines)
    bullet = _BULLET.match(text)
    return f"- {text[bullet.end() :]}" if bullet else escaped(text)


def _prose(lines: Sequence[PageLine]) -> str:
    """Join lines into running text: without a space among Chinese and Japanese, and words that a line's end parted."""
    text = ""
    for line in lines:
        if (text and text[-1] in HYPHENS) or (_HYPHEN_AT_END.search(text) and line.text[:1].islower()):
            text = text[:-1] + line.text
        elif text and (_EAST_ASIAN.match(text[-1]) or _EAST_ASIAN.match(line.text[:1])):
            text += line.text
        else:
            text = f"{text} {line.text}" if text else line.text
    return one_line(_PARTED.sub("", text).translate(dict.fromkeys(map(ord, HYPHENS), "-")))


def _table(lines: Sequence[PageLine]) -> str:
    """Write rows as a table; a cell is in the column whose left edge, in the row with the most cells, is nearest."""
    edges = [cell.left for cell in max((line.cells for line in lines), key=len)]
    return pipe_table([_row(line, edges) for line in lines])


def _row(line: PageLine, edges: Sequence[float]) -> list[str]:
    row = [""] * len(edges)
    for cell in line.cells:
        column = min(range(len(edges)), key=lambda one: abs(edges[one] - cell.left))
        row[column] = f"{row[column]} {cell.text}".strip()
    return row
