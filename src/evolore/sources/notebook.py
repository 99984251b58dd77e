"""Read a notebook: its words as they are, its code and what that printed between fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.markdown import fenced, joined

_TERMINAL_CODES: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_LONGEST_OUTPUT: Final = 10_000
_CUT: Final = "\n[…]"


def read_notebook(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a notebook of any version; pictures are left out, and of a long output all but its beginning.

    Raises:
        UnreadableSource: It is none.
    """
    try:
        value: Any = json.loads(decode(data, name=name).text)
        sheets = value.get("worksheets") or [value]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        about: Any = value.get("metadata") or {}
        language = str(about.get("kernelspec", {}).get("language", "python"))
        text = joined(block for cell in cells for block in _cell(cell, language))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableSource(
            f"{name} is no notebook ({type(error).__name__}): it is damaged, or something else."
        ) from error
    has_cut = _CUT in text
    notes = (f"Of outputs longer than {_LONGEST_OUTPUT:,} characters only the beginning was kept.",) if has_cut else ()
    return Converted(text=text, notes=notes)


def _cell(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    source = _whole(cell.get("source", cell.get("input", "")))
    match cell.get("cell_type"):
        case "markdown":
            yield source
        case "heading":
            yield f"{'#' * int(cell.get('level', 1))} {source}"
        case "code":
            yield fenced(source, language)
            for output in cell.get("outputs") or ():
                yield fenced(_output(output), "text")
        case _:
            yield fenced(source, "text")


def _output(output: Mapping[str, Any]) -> str:
    if output.get("output_type") in {"error", "pyerr"}:
        text = f"{output.get('ename', '')}: {output.get('evalue', '')}"
    else:
        shown = cast("Mapping[str, Any]", output.get("data") or output)
        text = _whole(output.get("text") or shown.get("text/plain") or shown.get("text/markdown") or "")
    text = _TERMINAL_CODES.sub("", text)
    return text if len(text) <= _LONGEST_OUTPUT else text[:_LONGEST_OUTPUT] + _CUT


def _whole(lines: object) -> str:
    return "".join(map(str, cast("list[object]", lines))) if isinstance(lines, list) else str(lines)
