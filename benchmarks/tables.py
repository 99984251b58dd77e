"""Print how well a row of a table is found and handed over: ``python benchmarks/tables.py [FOLDER] [--blind] [--show]``.

A folder holds documents with questions for one cell of a table, a file a language, as ``tests/data/tables/README.md`` describes.
Half of the documents is blind: the visible half's questions are asked, or with ``--blind`` the other's. All documents of a
language lie in one store.

- ``first``: share of questions whose first hit shows the row; ``among five``: whose first five hits do.
- ``context``: share of questions for which one of five hits, as it is written for a prompt, holds the row and the column's name.
- ``quoted``, ``with column``: share of questions whose answer without a chat model holds the row; and the column's name too.
- ``characters``: of a passage that lies in a table, the median.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.citation import Citing, ranks_of
from evolore.domain.document import Span
from evolore.memory import Memory
from evolore.models.embedders import embedder_named
from evolore_evaluation.measure import RememberingEmbedder
from harness import command_line, is_blind, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.query import Hit
    from evolore.ports import Embedder

Record: TypeAlias = "dict[str, Any]"
SETS = Path(__file__).parent.parent / "tests" / "data" / "tables"
LANGUAGES = ("en", "ja", "zh")
HITS = 5
BARS = 3
"""A passage with more holds rows."""
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[\s|:-]*-[\s|:-]*")
_PLACE = re.compile(r" \([^()]*(?:\([^()]*\)[^()]*)*, [\d.]+(?:, characters [^()]*)?\)$|^\[\d+\] ", re.MULTILINE)


def records(path: Path) -> list[Record]:
    """Read the documents of a language."""
    return read_lines(path)


def cells(line: str) -> list[str]:
    """Return the cells of a row of a table."""
    return [" ".join(cell.split()) for cell in _BAR.split(line.strip().strip("|"))]


def row_of(text: str, question: Record) -> Span:
    """Return where the row stands that a question asks for."""
    head: list[str] = []
    above, start = "", 0
    for line in text.splitlines(keepends=True):
        if _RULE.fullmatch(line.strip()) and "|" in line:
            head = cells(above)
        own = cells(line)
        if "|" not in line:
            head = []
        elif question["row"] in own and (question["column"], " ".join(question["value"].split())) in zip(
            head, own, strict=False
        ):
            return Span(start, start + len(line.rstrip()))
        above, start = line, start + len(line)
    raise SystemExit(f"No row of the document holds {question}.")


def shown(hit: Hit) -> Span:
    """Return which part of its document a hit shows."""
    span = hit.expansion.span if hit.expansion else hit.episode.span
    return span or Span(0, 0)


def holds(hit: Hit, document_id: str, row: Span) -> bool:
    """Tell whether a hit shows a row whole."""
    span = shown(hit)
    return hit.episode.document_id == document_id and span.start <= row.start and row.end <= span.end


def names_column(written: str, column: str) -> bool:
    """Tell whether a column's name is a cell of what is written, of the line that says where it stands or below."""
    plain = _PLACE.sub("", written)
    return any(column in cells(part) for line in plain.splitlines() for part in line.split(" › "))


def judged(memory: Memory, question: Record, document_id: str, row: Span, text: str) -> dict[str, bool]:
    """Ask one question and judge what is found, handed over and answered."""
    found = memory.recall(question["text"], record=False, limit=HITS)
    hits, ranks = found.hits, ranks_of(found.hits)
    right = [hit for hit in hits if holds(hit, document_id, row)]
    answer = memory.answer(question["text"], record=False).text
    line = row.of(text)
    return {
        "first": bool(hits) and holds(hits[0], document_id, row),
        "among five": bool(right),
        "context": any(names_column(Citing().one(hit, ranks), question["column"]) for hit in right),
        "quoted": line in answer,
        "with column": line in answer and names_column(answer, question["column"]),
    }


def language_figures(path: Path, embedder: Embedder, *, blind: bool, show: bool) -> Iterator[str]:
    """Ask the questions of a language and return lines of figures."""
    tally: defaultdict[str, list[bool]] = defaultdict(list)
    sizes: list[int] = []
    with (
        tempfile.TemporaryDirectory(prefix="evolore-tables-") as folder,
        closing(Memory.open(Path(folder, "store"), embedder=embedder)) as memory,
    ):
        for one in records(path):
            file = Path(folder, f"{one['id']}.{'html' if one['format'] == 'html' else 'md'}")
            file.write_text(one["document"], encoding="utf-8")
            memory.add(file)
        documents = {Path(one.source).stem: one.id for one in memory.list().documents}
        for one in records(path):
            tree = memory.outline.tree(documents[one["id"]], with_text=True)
            text = tree.text or ""
            leaves = [node.chunk.span for node in tree.nodes if node.chunk.is_leaf]
            sizes += [len(span) for span in leaves if span.of(text).count("|") > BARS]
            if is_blind(one["id"]) is not blind:
                continue
            for question in one["questions"]:
                held = judged(memory, question, tree.document.id, row_of(text, question), text)
                if show and not (held["first"] and held["context"]):
                    yield f"  {one['id']}  {question['text']}  {held}"
                for name, value in held.items():
                    tally[name].append(value)
    shares = (f"{name} {sum(held) / len(held):.3f}" for name, held in tally.items())
    yield f"{path.stem}  {len(tally['first'])} questions  {'  '.join(shares)}  characters {median(sizes):.0f}"


def main() -> None:
    """Print a line a language."""
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=SETS, help="where the files lie, one a language")
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument("--show", action="store_true", help="the questions that fail, too")
    parser.add_argument("--language", default=",".join(LANGUAGES))
    parser.add_argument("--embedder", default="use", help="the embedder's name, as in the setting")
    given = parser.parse_args()
    embedder = RememberingEmbedder(embedder_named(given.embedder))
    for language in given.language.split(","):
        path = given.folder / f"{language}.jsonl"
        for line in language_figures(path, embedder, blind=given.blind, show=given.show):
            print(line, flush=True)


if __name__ == "__main__":
    main()
