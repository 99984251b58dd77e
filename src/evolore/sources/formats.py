"""The kinds of files that can be read: by which endings, with what installed, and whether folders list them unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from functools import cache
from importlib.util import find_spec
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """What a reader made of a file."""

    text: str  #: Its content as Markdown, ended by a newline; empty where it holds none.
    title: str = ""  #: What it states as its title, '' where it states none.
    notes: tuple[str, ...] = ()  #: What was left out, in sentences.
    encoding: str = "utf-8"  #: What its text was decoded from.
    date: str = ""  #: When it was last changed, else made, as its properties state; '' where they state nothing.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How much one file may cost."""

    #: How long its reader may compute, in whole seconds, at least 1; it is waited for six times as long.
    seconds: float = 20.0
    #: Most address space of a reader's own process; where the system cannot limit it, time alone does.
    memory_bytes: int = 700_000_000
    pages: int = 3_000  #: Most pages of a PDF; a page of 50 full lines takes 3.4 ms on one core.
    characters: int = 50_000_000  #: Longest text that is made of a file.
    #: Up to this size, files that Python's own modules read are read without a process of their own.
    in_process_bytes: int = 1_000_000


_PROGRAMS: Final = {
    "bash": ".sh .bash",
    "c": ".c .h",
    "cpp": ".cc .cpp .cxx .hh .hpp",
    "csharp": ".cs",
    "go": ".go",
    "java": ".java",
    "javascript": ".js .mjs .cjs .jsx",
    "kotlin": ".kt .kts",
    "lua": ".lua",
    "php": ".php",
    "python": ".py .pyi",
    "ruby": ".rb",
    "rust": ".rs",
    "scala": ".scala",
    "sql": ".sql",
    "swift": ".swift",
    "typescript": ".ts .mts .tsx",
}
PROGRAM_ENDINGS: Final = {ending: language for language, endings in _PROGRAMS.items() for ending in endings.split()}
"""Programs, and what Markdown calls their language."""


@dataclass(frozen=True, slots=True)
class _About:
    """What there is to know of a format."""

    name: str  #: What messages call it, with its article.
    endings: str  #: Those that are taken from folders.
    reader: str = ""  #: Module and function that read it; '' for text that is stored as it is, and for HTML.
    _: KW_ONLY
    on_request: str = ""  #: Those that a folder lists only where a pattern of ``include`` ends with them.
    package: str = ""  #: What has to be installed.
    is_linear: bool = False  #: Whether Python's own modules read it, in a time and memory that grow with the file.


class Format(Enum):
    """How a file is marked up before it is read: a row a format, which with the module that reads it is all of it."""

    PLAIN = _About("text", ".txt .text", on_request=".log .yaml .yml")
    MARKDOWN = _About("Markdown", ".md .markdown")
    HTML = _About("HTML", ".html .htm .xhtml")
    PDF = _About("a PDF", ".pdf", "pdf:read_pdf", package="pypdfium2")
    WORD = _About("a Word document", ".docx .docm", "office:read_word", package="mammoth")
    SLIDES = _About("a PowerPoint presentation", ".pptx .pptm .ppsx", "office:read_slides", package="pptx")
    WORKBOOK = _About("an Excel workbook", ".xlsx .xlsm", "office:read_workbook", package="openpyxl")
    BOOK = _About("an EPUB book", ".epub", "book:read_book")
    MAIL = _About("an e-mail", ".eml", "mail:read_mail")
    NOTEBOOK = _About("a notebook", ".ipynb", "notebook:read_notebook", is_linear=True)
    RST = _About("reStructuredText", ".rst", "rst:read_rst", package="docutils")
    TABLE = _About("a table", "", "records:read_table", on_request=".csv .tsv", is_linear=True)
    RECORDS = _About("JSON", "", "records:read_records", on_request=".json", is_linear=True)
    RECORD_LINES = _About(
        "JSON, one value a line", "", "records:read_record_lines", on_request=".jsonl .ndjson", is_linear=True
    )
    PROGRAM = _About("a program", "", "program:read_program", on_request=" ".join(PROGRAM_ENDINGS), is_linear=True)
    OPEN_DOCUMENT = _About("an OpenDocument text", ".odt", "opendocument:read_odt")
    MAILBOX = _About("a mailbox", ".mbox", "mailbox:read_mailbox")
    CALENDAR = _About("a calendar", ".ics", "mailbox:read_calendar")
    SUBTITLES = _About("subtitles", ".srt .vtt", "markup:read_subtitles", is_linear=True)
    ASCIIDOC = _About("AsciiDoc", ".adoc .asciidoc", "markup:read_asciidoc", is_linear=True)
    LATEX = _About("LaTeX", ".tex", "markup:read_latex")


LOSSES: Final[Mapping[Format, str]] = {
    Format.HTML: "scripts, images but for their words, navigation around the main part",
    Format.PDF: "invisible lines, addresses of links, attached files, comments, watermarks; reported",
    Format.WORD: "page headers and footers, comments, hidden text; reported",
    Format.SLIDES: "pictures; macros are reported",
    Format.WORKBOOK: "charts, colours; hidden sheets, rows and columns, comments, addresses of links and formulas without a stored value are reported",
    Format.BOOK: "pictures; pages that cannot be read are reported",
    Format.MAIL: "attachments, sentences of the version that is not read; reported",
    Format.NOTEBOOK: "images, widgets, all but the beginning of long outputs; reported",
    Format.RST: "remarks, contents, files it would include",
    Format.OPEN_DOCUMENT: "pictures, comments, deleted and hidden text, headers, footers; reported",
    Format.MAILBOX: "attachments, sentences of versions that are not read, messages that cannot be read; reported",
    Format.CALENDAR: "guests, alarms, identifiers, time zone rules",
    Format.SUBTITLES: "numbers, times, styles",
    Format.ASCIIDOC: "marks that Markdown has not stay as they are written; files it would include are reported",
    Format.LATEX: "remarks, commands without words, references; files it would include are reported",
}
"""What is lost of a file when it is read, as docs/files.md says."""

ENDINGS: Final = {ending: one for one in Format for ending in one.value.endings.split()}
"""The endings that are taken from folders, in lower case. A file named itself may have any; others are plain text."""

ON_REQUEST: Final = {ending: one for one in Format for ending in one.value.on_request.split()}
"""Data and programs: a folder lists them only where a pattern of ``include`` ends with the ending; it holds too many
that are not worth recalling."""

ARCHIVES: Final = frozenset(
    {
        *(".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz"),
        *(".zst", ".7z", ".rar", ".jar", ".whl", ".cab", ".iso"),
    }
)
"""Archives are never opened: what is in them is to be chosen by a person."""

_OFFICE: Final = "soffice --headless --convert-to {} FILE"
CONVERTED_BY: Final[Mapping[str, str]] = {
    **dict.fromkeys((".doc", ".rtf", ".wps", ".wpd"), _OFFICE.format("docx")),
    **dict.fromkeys((".xls", ".ods"), _OFFICE.format("xlsx")),
    **dict.fromkeys((".ppt", ".odp"), _OFFICE.format("pptx")),
    ".msg": "saving it as .eml in the mail program",
}
"""What makes a file that can be read of one that cannot: LibreOffice's command, or else words."""

INSTALL: Final = 'pip install "evolore[files]"'
"""What brings the packages that read other files than text."""


def format_of(suffix: str) -> Format:
    """Return the format of a file by the ending of its name; what is not known is plain text.

    reStructuredText is plain text, too, where what reads its structure is not installed.
    """
    ending = suffix.lower()
    found = ENDINGS.get(ending) or ON_REQUEST.get(ending, Format.PLAIN)
    return Format.PLAIN if found is Format.RST and not is_installed(found) else found


def name_of(read_as: Format) -> str:
    """Name a format in a message, with its article."""
    return read_as.value.name


@cache
def _is_there(package: str) -> bool:
    return find_spec(package) is not None


def is_installed(read_as: Format) -> bool:
    """Return whether what reads a format is installed."""
    package = read_as.value.package
    return not package or _is_there(package)


def is_wanted(suffix: str, include: Sequence[str]) -> bool:
    """Return whether a folder lists files with this ending.

    >>> is_wanted(".csv", ()), is_wanted(".csv", ("data/*.csv",)), is_wanted(".md", ())
    (False, True, True)
    """
    ending = suffix.lower()
    if ending in ENDINGS:
        return ENDINGS[ending] is Format.RST or is_installed(ENDINGS[ending])
    return ending in ON_REQUEST and any(pattern.lower().endswith(ending) for pattern in include)
