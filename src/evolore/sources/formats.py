"""The kinds of files that can be read: by which endings, with what installed, and whether folders give them unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
    """What a reader made of a file.

    Args:
        text: Its content as Markdown, ended by a newline; empty where it holds none.
        title: What it states as its title, '' where it states none.
        notes: What was left out, in sentences.
        encoding: What its text was decoded from.
        date: When it was last changed, else made, as its properties state; '' where they state nothing.
    """

    text: str
    title: str = ""
    notes: tuple[str, ...] = ()
    encoding: str = "utf-8"
    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderLimits:
    """How much one file may cost.

    Args:
        seconds: How long its reader may compute, in whole seconds, at least 1; it is waited for six times as long.
        memory_bytes: Most address space of a reader's own process; where the system cannot limit it, time alone does.
        pages: Most pages of a PDF; a page of 50 full lines takes 3.4 ms on one core.
        characters: Longest text that is made of a file.
        in_process_bytes: Up to this size, files that Python's own modules read are read without a process of their own.
    """

    seconds: float = 20.0
    memory_bytes: int = 700_000_000
    pages: int = 3_000
    characters: int = 50_000_000
    in_process_bytes: int = 1_000_000


ENDINGS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        ".md": Format.MARKDOWN,
        ".markdown": Format.MARKDOWN,
        ".txt": Format.PLAIN,
        ".text": Format.PLAIN,
        ".rst": Format.RST,
        ".html": Format.HTML,
        ".htm": Format.HTML,
        ".xhtml": Format.HTML,
        ".pdf": Format.PDF,
        ".docx": Format.WORD,
        ".docm": Format.WORD,
        ".pptx": Format.SLIDES,
        ".pptm": Format.SLIDES,
        ".ppsx": Format.SLIDES,
        ".xlsx": Format.WORKBOOK,
        ".xlsm": Format.WORKBOOK,
        ".epub": Format.BOOK,
        ".eml": Format.MAIL,
        ".ipynb": Format.NOTEBOOK,
        ".odt": Format.OPEN_DOCUMENT,
        ".mbox": Format.MAILBOX,
        ".ics": Format.CALENDAR,
        ".srt": Format.SUBTITLES,
        ".vtt": Format.SUBTITLES,
        ".adoc": Format.ASCIIDOC,
        ".asciidoc": Format.ASCIIDOC,
        ".tex": Format.LATEX,
    }
)
"""The endings that are taken from folders, in lower case. A file named itself may have any; others are plain text."""

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

ON_REQUEST: Final[Mapping[str, Format]] = MappingProxyType(
    {
        ".csv": Format.TABLE,
        ".tsv": Format.TABLE,
        ".json": Format.RECORDS,
        ".jsonl": Format.RECORD_LINES,
        ".ndjson": Format.RECORD_LINES,
        ".log": Format.PLAIN,
        ".yaml": Format.PLAIN,
        ".yml": Format.PLAIN,
        **dict.fromkeys(PROGRAM_ENDINGS, Format.PROGRAM),
    }
)
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

LOSSES: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.HTML: "scripts, images but for their words, navigation around the main part",
        Format.PDF: "lines that nobody sees, addresses of links, attached files, comments, watermarks; told",
        Format.WORD: "page headers and footers, comments, hidden text; told",
        Format.SLIDES: "pictures; macros are told",
        Format.WORKBOOK: "charts, formats; formulas without a stored value are told",
        Format.BOOK: "pictures; pages that cannot be read are told",
        Format.MAIL: "attachments; told",
        Format.NOTEBOOK: "images, widgets, all but the beginning of long outputs; told",
        Format.RST: "remarks, contents, files it would include",
        Format.OPEN_DOCUMENT: "pictures, comments, deleted text, headers, footers; told",
        Format.MAILBOX: "attachments, messages that cannot be read; told",
        Format.CALENDAR: "guests, alarms, identifiers, time zone rules",
        Format.SUBTITLES: "numbers, times, styles",
        Format.ASCIIDOC: "remarks, attributes; files it would include are told",
        Format.LATEX: "remarks, commands without words, references; files it would include are told",
    }
)
"""What is lost of a file when it is read, as docs/files.md says."""

_PACKAGES: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.PDF: "pypdfium2",
        Format.WORD: "mammoth",
        Format.SLIDES: "pptx",
        Format.WORKBOOK: "openpyxl",
        Format.RST: "docutils",
    }
)
INSTALL: Final = 'pip install "evolore[files]"'
"""What brings the packages that read other files than text."""

_NAMES: Final[Mapping[Format, str]] = MappingProxyType(
    {
        Format.PDF: "a PDF",
        Format.WORD: "a Word document",
        Format.SLIDES: "a PowerPoint presentation",
        Format.WORKBOOK: "an Excel workbook",
        Format.BOOK: "an EPUB book",
        Format.MAIL: "an e-mail",
        Format.NOTEBOOK: "a notebook",
        Format.RST: "reStructuredText",
        Format.TABLE: "a table",
        Format.RECORDS: "JSON",
        Format.RECORD_LINES: "JSON, one value a line",
        Format.PROGRAM: "a program",
        Format.HTML: "HTML",
        Format.MARKDOWN: "Markdown",
        Format.OPEN_DOCUMENT: "an OpenDocument text",
        Format.MAILBOX: "a mailbox",
        Format.CALENDAR: "a calendar",
        Format.SUBTITLES: "subtitles",
        Format.ASCIIDOC: "AsciiDoc",
        Format.LATEX: "LaTeX",
    }
)


def format_of(suffix: str) -> Format:
    """Return the format of a file by the ending of its name; what is not known is plain text.

    reStructuredText is plain text, too, where what reads its structure is not installed.
    """
    ending = suffix.lower()
    found = ENDINGS.get(ending) or ON_REQUEST.get(ending, Format.PLAIN)
    return Format.PLAIN if found is Format.RST and not is_installed(found) else found


def name_of(read_as: Format) -> str:
    """Name a format in a message, with its article."""
    return _NAMES.get(read_as, "text")


@cache
def _is_there(package: str) -> bool:
    return find_spec(package) is not None


def is_installed(read_as: Format) -> bool:
    """Return whether what reads a format is installed."""
    package = _PACKAGES.get(read_as)
    return package is None or _is_there(package)


def is_wanted(suffix: str, include: Sequence[str]) -> bool:
    """Return whether a folder gives files with this ending.

    >>> is_wanted(".csv", ()), is_wanted(".csv", ("data/*.csv",)), is_wanted(".md", ())
    (False, True, True)
    """
    ending = suffix.lower()
    if ending in ENDINGS:
        return ENDINGS[ending] is Format.RST or is_installed(ENDINGS[ending])
    return ending in ON_REQUEST and any(pattern.lower().endswith(ending) for pattern in include)
