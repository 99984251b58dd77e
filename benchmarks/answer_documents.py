"""Print how often a question to real documents is answered rightly, beside the point, or not at all.

Run it as ``.venv/bin/python benchmarks/answer_documents.py DOCUMENTS [--blind] [--show] [--language en,…] [--across]``. The questions are those of
``tests/data/answers``; DOCUMENTS is a folder that holds the files of its ``sources.json``, which says in which package of Debian or PyPI each
is and how it was rendered. All documents of a language are in one store. A question is blind where the CRC-32 of its id is odd.

- ``right``: the answer holds one of the accepted strings; ``beside``: it quotes something else; ``refused``: nothing is quoted.
- ``refused_found``: of all questions, those refused although one of the first five hits holds the accepted string.
- ``found``: one of the first five hits holds it. ``foreign``: of questions that no document answers, those refused.

``--across`` asks ``across.jsonl`` instead: questions in one language that a document in another alone answers, all documents in one store.
``ten`` and ``first``: share with an accepted string among the first ten hits, and in the first; behind it, those of the same question
filtered to the language of the answer. ``own``: the questions of ``questions.jsonl``, each answered in its own language, in that store.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.memory import Memory
from harness import command_line, is_blind, new_memory, read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record: TypeAlias = "dict[str, Any]"
SET = Path(__file__).parent.parent / "tests" / "data" / "answers"
READ_BY_NAME = {".html", ".md", ".rst"}
FIRST, TEN = 5, 10


def main() -> None:
    """Print the figures of each language."""
    parser = command_line(__doc__)
    parser.add_argument("documents", type=Path, help="where the documents lie")
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument("--show", action="store_true", help="each question that is not answered rightly")
    parser.add_argument("--language", default="en,ja,zh")
    parser.add_argument("--across", action="store_true", help="ask in one language what is answered in another")
    given = parser.parse_args()
    sources = json.loads((SET / "sources.json").read_text(encoding="utf-8"))
    if given.across:
        show_across(given.documents, sources, blind=given.blind)
        return
    lines = (SET / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if is_blind(one["id"]) is given.blind]
    for language in given.language.split(","):
        files = [given.documents / one["file"] for one in sources if one["lang"] == language]
        counts = try_all(files, [one for one in asked if one["lang"] == language], show=given.show)
        answerable, foreign = counts["answerable"], counts["foreign_asked"]
        shares = {name: counts[name] / answerable for name in ("right", "beside", "refused", "refused_found", "found")}
        told = "  ".join(f"{name} {share:.2f}" for name, share in shares.items())
        print(
            f"{language}  {told}  of {answerable}  foreign {counts['foreign'] / foreign:.2f} of {foreign}", flush=True
        )


def show_across(documents: Path, sources: Sequence[Record], *, blind: bool) -> None:
    """Ask a store of all documents in another language than that of the answer, and print what is found."""
    asked = read_lines(SET / "across.jsonl")
    for line in (SET / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        own = json.loads(line)
        if own["answer"]:
            asked.append(own | {"answer_lang": own["lang"], "text": own["question"], "accept": own["answer"]})
    found: dict[str, list[tuple[bool, ...]]] = {}
    with new_memory() as memory:
        for one in sources:
            take_in(memory, documents / one["file"], {"lang": one["lang"]})
        print(f"{memory.stats().leaves:,} passages of {len(sources)} documents", flush=True)
        for one in (one for one in asked if is_blind(one["id"]) is blind):
            outcome: list[bool] = []
            for where in ({}, {"lang": one["answer_lang"]}):
                hits = memory.recall(one["text"], limit=TEN, where=where, record=False).hits
                is_right = [holds(hit.text, one["accept"]) for hit in hits]
                outcome += [any(is_right), any(is_right[:1])]
            is_own = one["lang"] == one["answer_lang"]
            for kind in ("own",) if is_own else (f"{one['lang']} asks {one['answer_lang']}", "all"):
                found.setdefault(kind, []).append(tuple(outcome))
    for kind, outcomes in sorted(found.items()):
        ten, first, ten_filtered, first_filtered = (
            sum(column) / len(outcomes) for column in zip(*outcomes, strict=True)
        )
        print(
            f"{kind:<12} ten {ten:.2f} ({ten_filtered:.2f})  first {first:.2f} ({first_filtered:.2f})  of {len(outcomes)}"
        )


def take_in(memory: Memory, path: Path, where: Record | None = None) -> None:
    """Add a document; one of a kind that is not read by its name as plain text."""
    if path.suffix in READ_BY_NAME:
        memory.add(path, metadata=where)
    else:
        memory.add_text(path.read_text(encoding="utf-8", errors="replace"), source=path.name, metadata=where)


def try_all(files: Iterable[Path], asked: Sequence[Record], *, show: bool) -> Counter[str]:
    """Ask a store of documents all questions; count what comes."""
    counts: Counter[str] = Counter()
    with new_memory() as memory:
        for path in files:
            take_in(memory, path)
        for one in asked:
            said = memory.answer(one["question"], record=False)
            if not one["answer"]:
                counts.update(foreign_asked=1, foreign=not said.citations)
                tell(one, "foreign", said.text, show=show and bool(said.citations))
                continue
            hits = memory.recall(one["question"], limit=FIRST, record=False).hits
            found = any(holds(hit.text, one["answer"]) for hit in hits)
            outcome = "refused" if not said.citations else "right" if holds(said.text, one["answer"]) else "beside"
            counts.update(answerable=1, found=found, refused_found=found and outcome == "refused", **{outcome: 1})
            tell(one, f"{outcome}{' found' if found else ''}", said.text, show=show and outcome != "right")
    return counts


def tell(asked: Record, outcome: str, text: str, *, show: bool) -> None:
    """Print a question and what came."""
    if show:
        print(f"{asked['id']} {outcome}: {asked['question']}\n    wanted {asked['answer']}\n    {text[:300]!r}")


def holds(text: str, answers: Iterable[str]) -> bool:
    """Tell whether a text holds one of some strings, white space aside."""
    bare = re.sub(r"\s+", "", text)
    return any(re.sub(r"\s+", "", one) in bare for one in answers)


if __name__ == "__main__":
    main()
