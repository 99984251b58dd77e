"""Read reStructuredText; of what only Sphinx knows, the words are kept."""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false, reportAttributeAccessIssue=false

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, cast

from docutils import nodes
from docutils.core import Publisher, publish_parts
from docutils.io import StringInput
from docutils.parsers.rst import Directive, Parser, directives, roles
from docutils.readers.standalone import Reader
from docutils.writers.html5_polyglot import Writer

from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.html import to_markdown

_SETTINGS: Final = {
    "_disable_config": True,
    "doctitle_xform": False,
    "embed_stylesheet": False,
    "file_insertion_enabled": False,  # a document names no files of this machine
    "halt_level": 6,
    "initial_header_level": 1,
    "line_length_limit": 1_000_000,
    "math_output": "LaTeX",
    "raw_enabled": False,
    "report_level": 5,
    "smart_quotes": False,
    "stylesheet_path": None,
    "syntax_highlight": "none",
}
_SAMPLE: Final = b"A\n=\n\n- *b*\n\n.. note:: c\n\n.. code:: d\n\n   e\n"
_CODE: Final = frozenset(
    {"code", "code-block", "sourcecode", "doctest", "testcode", "testoutput", "testsetup", "prompt", "productionlist"}
)
_NOTHING: Final = frozenset({"contents", "highlight", "include", "index", "literalinclude", "raw", "toctree"})
_DATE: Final = re.compile(r"^:[dD]ate:[ \t]+(\S[^\n]*)", re.MULTILINE)
_TARGET: Final = re.compile(r"\A(.*\S)\s*<[^<>]*>\Z", re.DOTALL)


class _AnyOptions(dict[str, "Callable[[str], str]"]):
    """Takes every option of a directive."""

    def __missing__(self, key: str) -> Callable[[str], str]:
        return str


class _DirectiveText(Directive):
    """Shows the words of an unknown directive: what it is about, and its content."""

    optional_arguments = 1_000
    final_argument_whitespace = True
    has_content = True
    option_spec = _AnyOptions(name=str)

    def run(self) -> Sequence[nodes.Node]:
        about = " ".join(self.arguments)
        found: list[nodes.Node] = []
        if about:
            inline, messages = self.state.inline_text(about, self.lineno)
            found += [nodes.paragraph("", "", nodes.strong("", "", *inline)), *messages]
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        return [*found, content]


class _Code(_DirectiveText):
    """Shows code as it is."""

    def run(self) -> Sequence[nodes.Node]:
        code = "\n".join(self.content)
        classes = [
            "code",
            *(f"highlight-source-{one}" for one in self.arguments[:1]),
        ]  # docutils takes `language-` away
        return [nodes.literal_block(code, code, classes=classes)]


class _Nothing(_DirectiveText):
    """Shows nothing: its words are elsewhere."""

    def run(self) -> Sequence[nodes.Node]:
        return []


def _role(_: str, rawtext: str, text: str, *__: object) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Return the words of a reference that is not known, without what it refers to."""
    match = _TARGET.match(text)
    words = (match[1] if match else text).lstrip("~!").replace("\x00", "")
    return [nodes.inline(rawtext, words) if " " in words else nodes.literal(rawtext, words)], []


def _take_unknown_words() -> None:
    """Make docutils read directives and roles it does not know; only done in a process of its own."""
    known_directive, known_role = directives.directive, roles.role

    def directive(name: str, *rest: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as docutils has it
        bare = name.lower()
        if bare in _CODE:
            return _Code, []
        if bare in _NOTHING:
            return _Nothing, []
        found, messages = known_directive(name, *rest)
        return (found, messages) if found else (_DirectiveText, [])

    def role(name: str, *rest: Any) -> tuple[Any, Any]:  # noqa: ANN401 - likewise
        found, messages = known_role(name, *rest)
        return (found, messages) if found else (_role, [])

    directives.directive, roles.role = directive, role


@cache
def _settings() -> Any:  # noqa: ANN401 - docutils has no type for them
    """Return docutils' settings, whose making takes a tenth of the time of a small file."""
    publisher = Publisher(Reader(), Parser(), Writer(), source_class=StringInput)
    publisher.process_programmatic_settings(None, _SETTINGS, None)
    return publisher.settings


def warm_up() -> None:
    """Load what docutils imports when it first meets it."""
    read_rst(_SAMPLE, name="a sample", suffix=".rst", limits=ReaderLimits())


def read_rst(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read reStructuredText; files that it would include are not read."""
    decoded = decode(data, name=name)
    _take_unknown_words()
    parts = cast("dict[str, str]", publish_parts(decoded.text, writer="html5", settings=_settings().copy()))
    page = to_markdown(parts["html_body"], name=name)
    stated = _DATE.search(decoded.text)
    text = page.text.replace(":\n:   ", ": ")  # a field and its value
    return Converted(text=text, notes=page.notes, encoding=decoded.encoding, date=stated[1].strip() if stated else "")
