"""Read a notebook: its words as they are, its code and what that printed between fences, its tables as tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.html import to_markdown
from evolore.sources.readers.markdown import fenced, joined

_TERMINAL_CODES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_OUTPUT: Final = 10_000
_CUT: Final = "\n[…]"
_PICTURE: Final = re.compile(r"\(data:image/[^()\s]*\)")
_REMARK: Final = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_BLANK_LINE: Final = re.compile(r"\n[ \t]*\n")
_HTML: Final = re.compile(
    r"\s*</?(?:h[1-6]|table|p|div|center|details|img|br|ul|ol|dl|blockquote|b|i|font|hr)\b", re.IGNORECASE
)
_OBJECT: Final = re.compile(r"\s*<[\w.]+[ :][^<>\n]*>\s*\Z")
"""How Python shows what it has no words for, such as a figure."""


def read_notebook(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a notebook of any version; of a long output all but its beginning is left out."""
    left_out: Counter[str] = Counter()
    try:
        value: Any = json.loads(decode(data, name=name).text)
        sheets = value.get("worksheets") or [value]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        about: Any = value.get("metadata") or {}
        language = str(about.get("kernelspec", {}).get("language", "python"))
        text = joined(block for cell in cells for block in _cell(cell, language, left_out))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableSource(
            f"{name} is no notebook ({type(error).__name__}): it is damaged, or something else."
        ) from error
    notes = [f"Left out: {what} ({count})." for what, count in sorted(left_out.items()) if count]
    if _CUT in text:
        notes.append(f"Of outputs longer than {_LONGEST_OUTPUT:,} characters only the beginning was kept.")
    return Converted(text=text, notes=tuple(notes))


def _cell(cell: Mapping[str, Any], language: str, left_out: Counter[str]) -> Iterator[str]:
    source = _whole(cell.get("source", cell.get("input", "")))
    left_out["images"] += len(cell.get("attachments") or ())
    match cell.get("cell_type"):
        case "markdown":
            source, pictures = _PICTURE.subn("()", source)
            left_out["images"] += pictures
            yield _shown(source)
        case "heading":
            yield f"{'#' * int(cell.get('level', 1))} {source}"
        case "code":
            yield fenced(source, language)
            for output in cell.get("outputs") or ():
                yield _output(output, left_out)
        case _:
            yield fenced(source, "text")


def _output(output: Mapping[str, Any], left_out: Counter[str]) -> str:
    """Return what code printed or showed as Markdown; pictures and what only a browser can run are counted."""
    if output.get("output_type") in {"error", "pyerr"}:
        message = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        trace = _TERMINAL_CODES.sub("", "\n".join(map(str, output.get("traceback") or ())))
        return _printed(trace if message in trace else f"{trace}\n{message}")
    if "text" in output and "data" not in output:
        return _printed(_whole(output["text"]))
    shown = cast("Mapping[str, Any]", output.get("data") or output)
    kinds = {kind: _whole(value) for kind, value in shown.items() if kind.startswith("text/")}
    has_image = any("image" in kind or kind in {"png", "jpeg", "svg"} for kind in shown)
    left_out["images"] += has_image
    plain, html = kinds.get("text/plain", ""), kinds.get("text/html", _whole(shown.get("html", "")))
    if "text/markdown" in kinds:
        return _shown(kinds["text/markdown"])
    if html and ("<table" in html or not plain.strip() or _OBJECT.match(plain)):
        page = to_markdown(html, name="its HTML").text
        left_out["outputs without words"] += not page
        return page or _printed(plain)
    left_out["outputs without words"] += not (kinds or has_image)
    return _printed(plain or kinds.get("text/latex", ""))


def _shown(text: str) -> str:
    """Return Markdown as it is shown: without remarks, its blocks of HTML as Markdown, and code unchanged."""
    if "```" in text or "<" not in text:
        return text
    blocks = _BLANK_LINE.split(_REMARK.sub("", text))
    return joined(to_markdown(one, name="its HTML").text if _HTML.match(one) else one for one in blocks)


def _printed(text: str) -> str:
    text = _TERMINAL_CODES.sub("", text)
    return fenced(text if len(text) <= _LONGEST_OUTPUT else text[:_LONGEST_OUTPUT] + _CUT, "text")


def _whole(lines: object) -> str:
    return "".join(map(str, cast("list[object]", lines))) if isinstance(lines, list) else str(lines)
