"""The kinds of files that can be read: by which endings, with what installed, and whether folders give them unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum, auto
from functools import cache
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final


class Format(Enum):
    """How a file is marked up before it is read."""

    PLAIN = auto()
    MARKDOWN = auto()
    HTML = auto()
    PDF = auto()
    WORD = auto()
    SLIDES = auto()
    WORKBOOK = auto()
    BOOK = auto()
    MAIL = auto()
    NOTEBOOK = auto()
    RST = auto()
    TABLE = auto()
    RECORDS = auto()
    RECORD_LINES = auto()
    PROGRAM = auto()
    OPEN_DOCUMENT = auto()
    MAILBOX = auto()
    CALENDAR = auto()
    SUBTITLES = auto()
    ASCIIDOC = auto()
    LATEX = auto()


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


PROGRAM_ENDINGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys((".py", ".pyi"), "python"),
        **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx"), "javascript"),
        **dict.fromkeys((".ts", ".mts", ".tsx"), "typescript"),
        **dict.fromkeys((".c", ".h"), "c"),
        **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp"), "cpp"),
        **dict.fromkeys((".sh", ".bash"), "bash"),
        **dict.fromkeys((".kt", ".kts"), "kotlin"),
        ".cs": "csharp",
        ".go": "go",
        ".java": "java",
        ".lua": "lua",
        ".php": "php",
        ".rb": "ruby",
        ".rs": "rust",
        ".scala": "scala",
        ".sql": "sql",
        ".swift": "swift",
    }
)
"""Programs, and what Markdown calls their language."""


@dataclass(frozen=True, slots=True)
class _About:
    """What there is to know of a format."""

    name: str  #: What messages call it, with its article.
    _: KW_ONLY
    endings: str = ""  #: Those that are taken from folders.
    on_request: str = ""  #: Those that a folder gives only where a pattern of ``include`` ends with them.
    reader: str = ""  #: Module and function that read it; '' for text that is stored as it is, and for HTML.
    package: str = ""  #: What has to be installed.
    is_linear: bool = False  #: Whether Python's own modules read it, in a time and memory that grow with the file.
    losses: str = ""  #: What is lost of a file when it is read, as docs/files.md says.


ABOUT: Final[Mapping[Format, _About]] = MappingProxyType(
    {
        Format.PLAIN: _About("text", endings=".txt .text", on_request=".log .yaml .yml"),
        Format.MARKDOWN: _About("Markdown", endings=".md .markdown"),
        Format.HTML: _About(
            "HTML",
            endings=".html .htm .xhtml",
            losses="scripts, images except their words, navigation around the main part",
        ),
        Format.PDF: _About(
            "a PDF",
            endings=".pdf",
            reader="pdf:read_pdf",
            package="pypdfium2",
            losses="invisible lines, addresses of links, attached files, comments, watermarks; reported",
        ),
        Format.WORD: _About(
            "a Word document",
            endings=".docx .docm",
            reader="office:read_word",
            package="mammoth",
            losses="page headers and footers, comments, hidden text; reported",
        ),
        Format.SLIDES: _About(
            "a PowerPoint presentation",
            endings=".pptx .pptm .ppsx",
            reader="office:read_slides",
            package="pptx",
            losses="pictures; macros are reported",
        ),
        Format.WORKBOOK: _About(
            "an Excel workbook",
            endings=".xlsx .xlsm",
            reader="office:read_workbook",
            package="openpyxl",
            losses="charts, colours; hidden sheets, rows and columns, comments, addresses of links and formulas without a stored value are reported",
        ),
        Format.BOOK: _About(
            "an EPUB book",
            endings=".epub",
            reader="book:read_book",
            losses="pictures; pages that cannot be read are reported",
        ),
        Format.MAIL: _About("an e-mail", endings=".eml", reader="mail:read_mail", losses="attachments; reported"),
        Format.NOTEBOOK: _About(
            "a notebook",
            endings=".ipynb",
            reader="notebook:read_notebook",
            is_linear=True,
            losses="images, widgets, all but the beginning of long outputs; reported",
        ),
        Format.RST: _About(
            "reStructuredText",
            endings=".rst",
            reader="rst:read_rst",
            package="docutils",
            losses="remarks, contents, files it would include",
        ),
        Format.TABLE: _About("a table", on_request=".csv .tsv", reader="records:read_table", is_linear=True),
        Format.RECORDS: _About("JSON", on_request=".json", reader="records:read_records", is_linear=True),
        Format.RECORD_LINES: _About(
            "JSON, one value a line", on_request=".jsonl .ndjson", reader="records:read_record_lines", is_linear=True
        ),
        Format.PROGRAM: _About(
            "a program", on_request=" ".join(PROGRAM_ENDINGS), reader="program:read_program", is_linear=True
        ),
        Format.OPEN_DOCUMENT: _About(
            "an OpenDocument text",
            endings=".odt",
            reader="opendocument:read_odt",
            losses="pictures, comments, deleted text, headers, footers; reported",
        ),
        Format.MAILBOX: _About(
            "a mailbox",
            endings=".mbox",
            reader="mailbox:read_mailbox",
            losses="attachments, messages that cannot be read; reported",
        ),
        Format.CALENDAR: _About(
            "a calendar",
            endings=".ics",
            reader="mailbox:read_calendar",
            losses="guests, alarms, identifiers, time zone rules",
        ),
        Format.SUBTITLES: _About(
            "subtitles",
            endings=".srt .vtt",
            reader="markup:read_subtitles",
            is_linear=True,
            losses="numbers, times, styles",
        ),
        Format.ASCIIDOC: _About(
            "AsciiDoc",
            endings=".adoc .asciidoc",
            reader="asciidoc:read_asciidoc",
            is_linear=True,
            losses="remarks, attributes; files it would include are reported",
        ),
        Format.LATEX: _About(
            "LaTeX",
            endings=".tex",
            reader="markup:read_latex",
            losses="remarks, commands without words, references; files it would include are reported",
        ),
    }
)
"""A row a format: a new one is this and the module that reads it."""

ENDINGS: Final = {ending: one for one, about in ABOUT.items() for ending in about.endings.split()}
"""The endings that are taken from folders, in lower case. A file named itself may have any; others are plain text."""

ON_REQUEST: Final = {ending: one for one, about in ABOUT.items() for ending in about.on_request.split()}
"""Data and programs: a folder gives them only where a pattern of ``include`` ends with the ending; it holds too many that
nobody wants to recall."""

ARCHIVES: Final = frozenset(
    {
        ".zip",
        ".tar",
        ".gz",
        ".tgz",
        ".bz2",
        ".tbz2",
        ".xz",
        ".txz",
        ".zst",
        ".7z",
        ".rar",
        ".jar",
        ".whl",
        ".cab",
        ".iso",
    }
)
"""Archives are never opened: what is in them is to be chosen by a person."""

_OFFICE: Final = "soffice --headless --convert-to {} FILE"
CONVERTED_BY: Final[Mapping[str, str]] = MappingProxyType(
    {
        **dict.fromkeys((".doc", ".rtf", ".wps", ".wpd"), _OFFICE.format("docx")),
        **dict.fromkeys((".xls", ".ods"), _OFFICE.format("xlsx")),
        **dict.fromkeys((".ppt", ".odp"), _OFFICE.format("pptx")),
        ".msg": "saving it as .eml in the mail program",
    }
)
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
    return ABOUT[read_as].name


@cache
def _is_there(package: str) -> bool:
    return find_spec(package) is not None


def is_installed(read_as: Format) -> bool:
    """Return whether what reads a format is installed."""
    package = ABOUT[read_as].package
    return not package or _is_there(package)


def is_wanted(suffix: str, include: Sequence[str]) -> bool:
    """Return whether a folder gives files with this ending.

    >>> is_wanted(".csv", ()), is_wanted(".csv", ("data/*.csv",)), is_wanted(".md", ())
    (False, True, True)
    """
    ending = suffix.lower()
    if ending in ENDINGS:
        return ENDINGS[ending] is Format.RST or is_installed(ENDINGS[ending])
    return ending in ON_REQUEST and any(pattern.lower().endswith(ending) for pattern in include)
