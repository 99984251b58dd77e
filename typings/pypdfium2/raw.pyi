from ctypes import c_double
from typing import Final

from pypdfium2 import PdfTextPage

FPDF_PAGEOBJ_IMAGE: Final[int]

class FS_MATRIX:
    a: float
    b: float
    c: float
    d: float

def FPDFText_GetCharIndexFromTextIndex(page: PdfTextPage, index: int) -> int: ...
def FPDFText_GetFontSize(page: PdfTextPage, index: int) -> float: ...
def FPDFText_GetMatrix(page: PdfTextPage, index: int, matrix: FS_MATRIX) -> int: ...
def FPDFText_CountRects(page: PdfTextPage, index: int, count: int) -> int: ...
def FPDFText_GetRect(
    page: PdfTextPage, index: int, left: c_double, top: c_double, right: c_double, bottom: c_double
) -> int: ...
