"""Print how often a question to real documents is answered rightly, beside the point, or not at all.

Run it as ``.venv/bin/python benchmarks/answer_documents.py DOCUMENTS [--blind] [--show] [--language en,…]``. The questions are those of
``tests/data/answers``; DOCUMENTS is a folder that holds the files of its ``sources.json``, which says in which package of Debian or PyPI each
is and how it was rendered. All documents of a language are in one store. A question is blind where the CRC-32 of its id is odd.

- ``right``: the answer holds one of the accepted strings; ``beside``: it quotes something else; ``refused``: nothing is quoted.
- ``refused_found``: of all questions, those refused although one of the first five hits holds the accepted string.
- ``found``: one of the first five hits holds it. ``foreign``: of questions that no document answers, those refused.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.memory import Memory

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Record: TypeAlias = "dict[str, Any]"
SET = Path(__file__).parent.parent / "tests" / "data" / "answers"
READ_BY_NAME = {".html", ".md", ".rst"}
FIRST = 5


def main() -> None:
    """Print the figures of each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, help="where the documents lie")
    parser.add_argument("--blind", action="store_true", help="the half that nothing is tuned on")
    parser.add_argument("--show", action="store_true", help="each question that is not answered rightly")
    parser.add_argument("--language", default="en,ja,zh")
    given = parser.parse_args()
    sources = json.loads((SET / "sources.json").read_text(encoding="utf-8"))
    lines = (SET / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [one for one in map(json.loads, lines) if bool(zlib.crc32(one["id"].encode()) % 2) is given.blind]
    for language in given.language.split(","):
        files = [given.documents / one["file"] for one in sources if one["lang"] == language]
        counts = try_all(files, [one for one in asked if one["lang"] == language], show=given.show)
        answerable, foreign = counts["answerable"], counts["foreign_asked"]
        shares = {name: counts[name] / answerable for name in ("right", "beside", "refused", "refused_found", "found")}
        told = "  ".join(f"{name} {share:.2f}" for name, share in shares.items())
        print(
            f"{language}  {told}  of {answerable}  foreign {counts['foreign'] / foreign:.2f} of {foreign}", flush=True
        )


def try_all(files: Iterable[Path], asked: Sequence[Record], *, show: bool) -> Counter[str]:
    """Ask a store of documents all questions; count what comes."""
    counts: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="evolore-benchmark-") as folder,
        closing(Memory.open(Path(folder, "store"))) as memory,
    ):
        for path in files:
            if path.suffix in READ_BY_NAME:
                memory.add(path)
            else:
                memory.add_text(path.read_text(encoding="utf-8", errors="replace"), source=path.name)
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
