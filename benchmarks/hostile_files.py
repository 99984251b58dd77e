"""Files that are made to make a reader crash, wait or hold too much: what ``readers.py --hostile`` measures on."""


# pyright: basic, reportMissingTypeStubs=false, reportUnknownMemberType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import csv
import io
import json
import warnings
import zipfile
import zlib
from typing import TYPE_CHECKING

from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY l0 "lol">'
    + "".join(f'<!ENTITY l{one} "{f"&l{one - 1};" * 10}">' for one in range(1, 12))
    + "]>"
)
_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MEGABYTE = 1_000_000


def _saved(document: object) -> bytes:
    stream = io.BytesIO()
    document.save(stream)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - each library's documents have it
    return stream.getvalue()


def _docx() -> bytes:
    document = Document()
    document.add_paragraph("Words.")
    return _saved(document)


def _xlsx() -> bytes:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["words"])
    return _saved(book)


def _pptx() -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    assert slide.shapes.title is not None
    slide.shapes.title.text = "Words"
    return _saved(deck)


def _with(data: bytes, members: Mapping[str, bytes]) -> bytes:
    """Give a zip file with some of its members in place of others."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.namelist():
            if member not in members:
                new.writestr(member, old.read(member))
        for name, content in members.items():
            new.writestr(name, content)
    return stream.getvalue()


def _zip_bombs() -> Iterator[tuple[str, bytes]]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as bomb:
        for number in range(10):
            with bomb.open(f"word/{number}.xml", "w") as member:
                for _ in range(200):
                    member.write(bytes(_MEGABYTE))
    for ending in ("docx", "xlsx", "pptx", "epub"):
        yield f"zip-bomb.{ending}", stream.getvalue()
    body = f"<w:document {_WORD}><w:body>{'<w:p><w:r><w:t>a</w:t></w:r></w:p>' * 10_000_000}</w:body></w:document>"
    yield "340-mb-of-paragraphs.docx", _with(_docx(), {"word/document.xml": body.encode()})
    body = f'<worksheet xmlns="{_SPREADSHEET}"><sheetData>{"<row><c><v>1</v></c></row>" * 12_000_000}</sheetData></worksheet>'
    yield "300-mb-of-rows.xlsx", _with(_xlsx(), {"xl/worksheets/sheet1.xml": body.encode()})
    strings = f'<sst xmlns="{_SPREADSHEET}">{"<si><t>a</t></si>" * 20_000_000}</sst>'
    sheet = f'<worksheet xmlns="{_SPREADSHEET}"><sheetData><row><c t="s"><v>1</v></c></row></sheetData></worksheet>'
    yield (
        "strings.xlsx",
        _with(_xlsx(), {"xl/sharedStrings.xml": strings.encode(), "xl/worksheets/sheet1.xml": sheet.encode()}),
    )


def _xml_bombs() -> Iterator[tuple[str, bytes]]:
    laughs = f"{_LAUGHS}<w:document {_WORD}><w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>"
    yield "laughs.docx", _with(_docx(), {"word/document.xml": laughs.encode()})
    laughs = f'{_LAUGHS}<worksheet xmlns="{_SPREADSHEET}"><sheetData><row><c t="inlineStr"><is><t>&l11;</t></is></c></row></sheetData></worksheet>'
    yield "laughs.xlsx", _with(_xlsx(), {"xl/worksheets/sheet1.xml": laughs.encode()})
    with zipfile.ZipFile(io.BytesIO(_pptx())) as deck:
        slide = deck.read("ppt/slides/slide1.xml").decode().split("?>", 1)[1]
    yield "laughs.pptx", _with(_pptx(), {"ppt/slides/slide1.xml": (_LAUGHS + slide.replace("Words", "&l11;")).encode()})
    outside = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document {_WORD}><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>'
    yield "outside-entity.docx", _with(_docx(), {"word/document.xml": outside.encode()})
    container = '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>'
    opf = f'{_LAUGHS}<package><metadata><title>&l11;</title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>'
    page = _LAUGHS + "<html><body><p>Words &l11;</p></body></html>"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        for name, text in (("META-INF/container.xml", container), ("p.opf", opf), ("a.xhtml", page)):
            book.writestr(name, text)
    yield "laughs.epub", stream.getvalue()


def _nested() -> Iterator[tuple[str, bytes]]:
    deep = "<w:tbl><w:tr><w:tc>" * 3000 + "<w:p><w:r><w:t>a</w:t></w:r></w:p>" + "</w:tc></w:tr></w:tbl>" * 3000
    yield (
        "nested-tables.docx",
        _with(_docx(), {"word/document.xml": f"<w:document {_WORD}><w:body>{deep}</w:body></w:document>".encode()}),
    )
    page = "<html><body>" + "<table><tr><td>" * 20_000 + "words" + "</body></html>"
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr(
            "META-INF/container.xml", '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>'
        )
        book.writestr(
            "p.opf",
            '<package><manifest><item id="a" href="a.xhtml" media-type="text/html"/></manifest><spine><itemref idref="a"/></spine></package>',
        )
        book.writestr("a.xhtml", page)
    yield "nested-tables.epub", stream.getvalue()
    yield "nested.json", b'{"a":[' * 200_000 + b"1" + b"]}" * 200_000
    yield "nested-below-the-limit.json", b'{"a":[' * 450 + b"1" + b"]}" * 450
    yield "wide.json", json.dumps([{f"k{n}": n for n in range(1000)}] * 20_000).encode()
    yield "nested.rst", b"".join(b"  " * n + b"* a\n\n" for n in range(2000))
    yield (
        "substitutions.rst",
        b".. |a| replace:: |b| |b|\n.. |b| replace:: |c| |c|\n.. |c| replace:: |a| |a|\n\n|a|\n" * 2000,
    )
    yield (
        "include.rst",
        b".. include:: /etc/passwd\n\n.. raw:: html\n   :file: /etc/passwd\n\n.. csv-table::\n   :file: /etc/passwd\n\nWords\n",
    )
    yield "inline.rst", b"*a " * 300_000
    yield "nested.ipynb", b'{"cells":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    yield "brackets.py", b"x = " + b"(" * 100_000 + b")" * 100_000
    yield "long-line.py", b"def a" + b"(" * 5_000_000
    yield "spaces.java", b"public static " * 400_000
    yield (
        "parts.eml",
        b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n"
        + b"--b\nContent-Type: multipart/mixed; boundary=b\n\n" * 20_000,
    )
    yield "forwarded.eml", b"Subject: a\nContent-Type: message/rfc822\n\n" * 20_000
    yield "headers.eml", b"Subject: a\nTo: " + b"a@b.example, " * 400_000 + b"\n\nwords"
    yield "encoded-words.eml", b"Subject: " + b"=?utf-8?q?a?= " * 100_000 + b"\n\nwords"
    yield "quotes.csv", b'"' * 5_000_001 + b"\na,b\n"
    yield "columns.csv", b"a," * 5_000_000 + b"\n" + b"1," * 5_000_000


def _pdf_pages(pages: int, lines: int, *, compressed: bool = True) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, pageCompression=int(compressed))
    for page in range(pages):
        text = canvas.beginText(50, 800)
        for line in range(lines):
            text.textLine(f"Page {page} line {line}: what stands here is of no use to anybody, but it fills the line.")
        canvas.drawText(text)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def _pdf_of(objects: Mapping[int, bytes]) -> bytes:
    """Write a PDF of some objects, without a table of where they are."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, content) for number, content in objects.items())
    return b"%PDF-1.7\n" + body + b"trailer <</Root 1 0 R>>\nstartxref\n0\n%%EOF"


def _pdfs() -> Iterator[tuple[str, bytes]]:
    yield "10000-pages.pdf", _pdf_pages(10_000, 1)
    full = _pdf_pages(3000, 50)
    yield "3000-full-pages.pdf", full
    yield "cut.pdf", full[: len(full) // 2]
    small = _pdf_pages(3, 10, compressed=False)
    yield "broken-xref.pdf", small.replace(b"xref\n0", b"xref\n9", 1).replace(b"0000000", b"9999999")
    yield "no-xref.pdf", small[: small.rindex(b"xref\n0 ")]
    yield "zeros.pdf", b"%PDF-1.7\n" + bytes(5 * _MEGABYTE)
    page = {1: b"<</Type/Catalog/Pages 2 0 R>>", 2: b"<</Type/Pages/Kids[3 0 R]/Count 1>>"}
    yield "kids-in-a-ring.pdf", _pdf_of({1: page[1], 2: b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000000>>"})
    content = zlib.compress(zlib.compress(bytes(900 * _MEGABYTE), 9), 9)
    stated = b"<</Length %d/Filter[/FlateDecode/FlateDecode]>>\nstream\n%s\nendstream" % (len(content), content)
    yield (
        "stream-bomb.pdf",
        _pdf_of({**page, 3: b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>", 4: stated}),
    )
    words = zlib.compress(b"BT /F 1 Tf (a) Tj " * 10_000_000, 9)
    stated = b"<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(words), words)
    fonts = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>"
    yield "ten-million-words.pdf", _pdf_of({**page, 3: fonts, 4: stated})
    forms = {
        10
        + n: b"<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F %d 0 R>>>>/Length 24>>\nstream\n%s\nendstream"
        % (11 + n, b"/F Do " * 4)
        for n in range(30)
    }
    first = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</F 10 0 R>>>>>>"
    yield "forms-in-forms.pdf", _pdf_of({**page, 3: first, 4: b"<</Length 6>>\nstream\n/F Do \nendstream", **forms})
    outline = {
        1: b"<</Type/Catalog/Pages 2 0 R/Outlines 5 0 R>>",
        5: b"<</First 6 0 R/Last 6 0 R/Count 1>>",
        6: b"<</Title(a)/Parent 5 0 R/Next 6 0 R/First 6 0 R/Dest[3 0 R/Fit]>>",
    }
    yield (
        "bookmarks-in-a-ring.pdf",
        _pdf_of({**page, 3: fonts, 4: b"<</Length 20>>\nstream\nBT /F 9 Tf (a) Tj ET\nendstream", **outline}),
    )
    yield (
        "script.pdf",
        small.replace(b"/Type /Catalog", b"/Type /Catalog /OpenAction <</S /JavaScript /JS (while(1){})>>", 1),
    )


def _odd() -> Iterator[tuple[str, bytes]]:
    yield "macro.docm", _with(_docx(), {"word/vbaProject.bin": b"\xd0\xcf\x11\xe0 Shell(1)"})
    yield "macro.xlsm", _with(_xlsx(), {"xl/vbaProject.bin": b"\xd0\xcf\x11\xe0 Shell(1)"})
    far = f'<worksheet xmlns="{_SPREADSHEET}"><dimension ref="A1:XFD1048576"/><sheetData><row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData></worksheet>'
    yield "far-cell.xlsx", _with(_xlsx(), {"xl/worksheets/sheet1.xml": far.encode()})
    rows = "".join(f'<row r="{n}"><c r="XFD{n}"><v>2</v></c></row>' for n in range(1, 20_000))
    wide = f'<worksheet xmlns="{_SPREADSHEET}"><sheetData>{rows}</sheetData></worksheet>'
    yield "far-column.xlsx", _with(_xlsx(), {"xl/worksheets/sheet1.xml": wide.encode()})
    huge = f'<worksheet xmlns="{_SPREADSHEET}"><sheetData><row r="999999999999"><c r="A999999999999"><v>1</v></c></row></sheetData></worksheet>'
    yield "no-such-row.xlsx", _with(_xlsx(), {"xl/worksheets/sheet1.xml": huge.encode()})
    yield "cut.docx", _docx()[:-200]
    yield "pdf-named.docx", b"%PDF-1.7"
    yield "random.pptx", bytes(range(256)) * 1000
    yield "old.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(4096)
    yield "archive.zip", _docx()
    yield "archive.tar", b"a.txt" + bytes(2000)
    yield "archive.txt", zlib.compress(b"a") + b"\x1f\x8b\x08"
    stream = io.StringIO()
    csv.writer(stream).writerows([["a" * 100] * 20] * 40_000)
    yield "80-mb.csv", stream.getvalue().encode()


def hostile_files() -> Iterator[tuple[str, bytes]]:
    """Give each file's name and bytes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for some in (_odd, _nested, _xml_bombs, _pdfs, _zip_bombs):
            yield from some()
