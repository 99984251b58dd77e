"""Print how much of what a person sees in labelled files a reading of them holds, by kind of file.

Run it as ``.venv/bin/python benchmarks/documents.py tests/data/documents`` (``--blind`` for the other half, ``--show KIND``
for the labels that fail, ``--show all`` for every one). A folder holds ``visible`` and ``blind``, each with files and their
``labels.jsonl``: what must be present, absent, in order, beside each other (on one line, or under a head of its column),
a heading, on a page, told as left out, or the date of the document. *labels* is the share of a file's labels that hold,
the mean over its files; *whole* the share of the files all of whose labels hold.

``--real FOLDER`` reads the files of a folder that nobody labelled and prints what was not read, and why.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from evolore.chunking.units import UnitKind, markdown_blocks, plain_blocks
from evolore.domain.document import MediaType
from evolore.errors import EvoloreError
from evolore.ports import PathFilter
from evolore.sources.files import FileReader
from evolore.text.sections import front_matter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.ports import SourceText

_MARKS = re.compile(r"\\(?=[^\w\s])|[*`]+|(?<!\w)_+|_+(?!\w)")
_HEADING = re.compile(r"(?m)^#{1,6} +(.*)$")
_PAGE = re.compile(r"\(?(?:p\.|slide|Slide) (\d+)\)?(?::|$)|^(?:Slide|p\.) (\d+)")
_TOLD = {
    "link": "link address",
    "attachment": "attach file",
    "comment": "comment annotation note",
    "header": "header footer",
    "footer": "header footer",
    "watermark": "watermark",
    "hidden": "hidden",
    "sheet": "hidden sheet",
    "page": "page number",
    "image": "picture image",
    "no": "text picture empty",
    "form": "form",
    "markup": "markup markdown",
}


@dataclass
class Labelled:
    """A file and what a stranger says of it."""

    path: Path
    kind: str
    labels: dict[str, Any]
    failed: list[str] = field(default_factory=list[str])
    share: float = 0.0


def plain(text: str) -> str:
    """Return a text without marks of Markdown, its white space and written forms made alike."""
    return " ".join(_MARKS.sub("", unicodedata.normalize("NFKC", text)).split())


def tight(text: str) -> str:
    """Return a text without white space: how much stands between words and lines is taste."""
    return "".join(plain(text).split())


def rows(text: str) -> Iterator[str]:
    """Yield each line, a row of a pipe table once more with every cell behind the heads of its column."""
    heads: list[str] = []
    for line in text.splitlines():
        yield line
        if not line.startswith("|"):
            heads = []
            continue
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if heads and not set("".join(cells)) <= set("-: "):
            yield from (f"{head} {cell}" for head, cell in zip(heads, cells, strict=False))
            yield f"{cells[0]} {line}"
        heads = heads or cells


def outline(found: SourceText | None) -> list[str]:
    """Return the headings that the chunker finds: a line of code that begins with # is none, an underlined title is one."""
    if found is None:
        return []
    blocks = markdown_blocks(found.text) if found.media_type is MediaType.MARKDOWN else plain_blocks(found.text)
    return [block.title for block in blocks if block.kind is UnitKind.HEADING]


def page_of(text: str, wanted: str) -> int | None:
    """Return the page that the headings above a text name."""
    page = None
    for line in text.splitlines():
        if (head := _HEADING.match(line)) and (found := _PAGE.search(head[1])):
            page = int(found[1] or found[2])
        if tight(wanted) in tight(line):
            return page
    return None


def dated(found: SourceText) -> str:
    """Return the date a document states."""
    stated = front_matter(found.text)
    return next((str(stated[name]) for name in ("updated", "date") if name in stated), found.file_date)


def check(one: Labelled, found: SourceText | None, refused: str) -> None:
    """Compare what was read with the labels."""
    text = found.text if found else ""
    notes = " ".join((*found.notes, refused) if found else (refused,)).lower()
    held = [
        *words(one.labels, text),
        *neighbours(one.labels, [tight(line) for line in rows(text)]),
        *headings(one.labels, [tight(head) for head in outline(found)]),
        *((page_of(text, each) == page, f"page {each!r} {page}") for each, page in one.labels.get("pages", ())),
        *((is_told(each, notes), f"told {each!r} in {notes!r}") for each in one.labels.get("told", ())),
    ]
    if date := one.labels.get("metadata", {}).get("occurred_at"):
        stated = dated(found) if found else ""
        held.append((stated.replace("-", "").startswith(date.replace("-", "")), f"date {date}, not {stated!r}"))
    one.failed = [what for holds, what in held if not holds]
    one.share = 1 - len(one.failed) / max(len(held), 1)


def words(labels: dict[str, Any], text: str) -> Iterator[tuple[bool, str]]:
    """Yield whether what must be there is, in its order, and what must not is not."""
    whole = tight(text)
    for each in labels.get("present", ()):
        yield tight(each) in whole, f"present {each!r}"
    for each in labels.get("absent", ()):
        is_escape = "\\" in each  # which `plain` would take from both
        yield (each not in text if is_escape else plain(each) not in plain(text)), f"absent {each!r}"
    for first, second in labels.get("order", ()):
        yield -1 < whole.find(tight(first)) < whole.find(tight(second)), f"order {first!r} {second!r}"


def neighbours(labels: dict[str, Any], lines: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield whether pairs are on one line where they must, and nowhere where they must not."""
    for name, wanted in (("beside", True), ("not_beside", False)):
        for one, other in labels.get(name, ()):
            is_found = any(tight(one) in line and tight(other) in line for line in lines)
            yield is_found is wanted, f"{name} {one!r} {other!r}"


def headings(labels: dict[str, Any], found: list[str]) -> Iterator[tuple[bool, str]]:
    """Yield whether headings are headings and other lines are none."""
    for name, wanted in (("headings", True), ("not_headings", False)):
        for each in labels.get(name, ()):
            yield any(tight(each) in head for head in found) is wanted, f"{name} {each!r}"


def is_told(what: str, notes: str) -> bool:
    """Return whether notes tell of what was left out."""
    kind = what.split(maxsplit=1)[0].lower().rstrip("s")
    return any(word in notes for word in _TOLD.get(kind, kind).split())


def labelled(folder: Path) -> Iterator[Labelled]:
    """Yield the files of a half."""
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        labels = json.loads(line)
        yield Labelled(path=folder / labels["file"], kind=labels["kind"], labels=labels)


def read(path: Path) -> tuple[SourceText | None, str]:
    """Read a file; return why it was refused else."""
    try:
        return FileReader().read(path), ""
    except EvoloreError as error:
        return None, str(error)


def measure(folder: Path, show: str, write: Path | None) -> None:
    """Read one half and print its table."""
    by_kind: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in labelled(folder):
        found, refused = read(one.path)
        check(one, found, refused)
        by_kind[one.kind].append(one)
        if write:
            write.mkdir(parents=True, exist_ok=True)
            (write / f"{one.path.name}.md").write_text(found.text if found else refused, "utf-8")
        if one.failed and show in {one.kind, one.path.name, "all"}:
            print(f"{one.kind} {one.path.name} {refused}", *one.failed, sep="\n    ")
    print(f"{'kind':24} files labels  whole")
    for kind, files in sorted(by_kind.items()):
        print(f"{kind:24} {len(files):5} {mean(one.share for one in files):6.2f} {whole(files):6.2f}")
    every = [one for files in by_kind.values() for one in files]
    kinds = mean(mean(one.share for one in files) for files in by_kind.values())
    print(f"{'mean of kinds':24} {len(every):5} {kinds:6.2f} {whole(every):6.2f}")


def whole(files: list[Labelled]) -> float:
    """Return the share of files all of whose labels hold."""
    return mean(not one.failed for one in files)


def real(folder: Path) -> None:
    """Read every file below a folder and print what was not read."""
    everything = PathFilter(include=tuple(f"*{path.suffix}" for path in folder.rglob("*") if path.is_file()))
    paths = FileReader().find([folder], where=everything)
    characters, odd = 0, 0
    for path in paths:
        found, refused = read(path)
        if found is None:
            print(f"{path.name}: {refused.partition(' ')[2]}")
            continue
        characters += len(found.text)
        strange = sum(one in "\ufffd\ufffe\xad" or "\x7f" <= one < "\xa0" for one in found.text)
        odd += strange
        if strange > len(found.text) / 200:
            print(f"{path.name}: {strange} of {len(found.text)} characters are no text")
    print(f"{len(paths)} files, {characters:,} characters, of them no text {odd}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--blind", action="store_true", help="measure the blind half")
    parser.add_argument("--real", action="store_true", help="read files without labels")
    parser.add_argument("--show", default="", help="a kind, a file, or all: print the labels that fail")
    parser.add_argument("--write", type=Path, help="write what was read into this folder")
    options = parser.parse_args()
    if options.real:
        real(options.folder)
    elif options.blind and (options.show or options.write):
        sys.exit("The blind half is measured and not looked at.")
    else:
        measure(options.folder / ("blind" if options.blind else "visible"), options.show, options.write)


if __name__ == "__main__":
    main()
