from collections.abc import Iterator, Sequence
from typing import IO

class Font:
    b: bool | None

class Cell:
    value: object
    has_style: bool
    font: Font
    number_format: str
    comment: object
    hyperlink: str

class Dimension:
    hidden: bool

class Worksheet:
    row_dimensions: dict[int, Dimension]
    column_dimensions: dict[str, Dimension]
    title: str
    sheet_state: str
    _worksheet_path: str
    def reset_dimensions(self) -> None: ...
    def iter_rows(self) -> Iterator[Sequence[Cell]]: ...
    def append(self, row: Sequence[object]) -> None: ...
    def __getitem__(self, cell: str) -> Cell: ...
    def merge_cells(self, cells: str) -> None: ...
    def __setitem__(self, cell: str, value: object) -> None: ...

class Workbook:
    active: Worksheet
    worksheets: list[Worksheet]
    def create_sheet(self, title: str | None = None) -> Worksheet: ...
    def save(self, file: IO[bytes] | str) -> None: ...

def load_workbook(file: IO[bytes], *, read_only: bool = ..., data_only: bool = ...) -> Workbook: ...
