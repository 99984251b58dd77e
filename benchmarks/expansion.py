"""Print what it brings that hits which are siblings come back as the chunk above them.

    python benchmarks/expansion.py CORPORA QUESTIONS
    python benchmarks/expansion.py DOCUMENTS

The files are gzip JSON lines as ``evolore evaluate chunks`` reads them: ``{corpus_id, text}``, and ``{question, corpus_id,
references}`` with the spans that answer. Each line of the table is one way to ask; what comes back is compared with the
spans, character by character. A larger ``limit`` without expansion stands beside it, because more text always finds
more: look at the same mean of characters.

DOCUMENTS is a folder as ``benchmarks/answer_documents.py`` takes it; its questions outside the blind half are asked. Printed for
each language: the share with an accepted answer in what comes back, and the mean of characters.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from evolore import MediaType, Memory
from harness import is_blind, new_memory, read_lines, store_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore import Hit
    from evolore.domain.query import RecallOptions

LIMITS = (5, 6, 7, 8)
EXPANSIONS = tuple((share, most) for share in (0.0, 0.5, 0.75) for most in (1000, 2000, 4000))


ANSWERS = Path(__file__).parent.parent / "tests" / "data" / "answers" / "questions.jsonl"
WAYS: dict[str, RecallOptions] = {
    **{f"limit {limit}": {"limit": limit} for limit in LIMITS},
    **{f"tokens {tokens}": {"tokens": tokens} for tokens in (600, 1000, 1500)},
}


@dataclass(frozen=True)
class Found:
    """What came back for one question: shares of characters, and how many."""

    recall: float
    iou: float
    characters: int


def compare(hits: Sequence[Hit], references: Sequence[tuple[int, int]]) -> Found:
    """Compare what came back with the spans that answer."""
    spans = [hit.expansion.span if hit.expansion else hit.episode.span for hit in hits]
    back = {place for span in spans if span for place in range(span.start, span.end)}
    wanted = {place for start, end in references for place in range(start, end)}
    both = len(back & wanted)
    return Found(recall=both / len(wanted), iou=both / len(back | wanted), characters=len(back))


def ask(store: Path, questions: Sequence[dict[str, Any]], *, limit: int, expand: bool = False) -> list[Found]:
    """Ask every question of its corpus."""
    found: list[Found] = []
    for corpus in sorted({question["corpus_id"] for question in questions}):
        with Memory.open(store, namespace=corpus) as memory:
            for question in questions:
                if question["corpus_id"] == corpus:
                    spans = [(one["start_index"], one["end_index"]) for one in question["references"]]
                    found.append(compare(memory.recall(question["question"], limit=limit, expand=expand).hits, spans))
    return found


def print_line(name: str, found: Sequence[Found]) -> None:
    """Print the means of one way to ask."""
    count = len(found)
    recall, iou = sum(one.recall for one in found) / count, sum(one.iou for one in found) / count
    print(f"{name:34} {100 * recall:7.1f} {100 * iou:6.2f} {sum(one.characters for one in found) / count:11.0f}")


def ask_documents(folder: Path) -> None:
    """Ask the questions to documents of each language with and without expansion, and print a line a way."""
    print(f"{'way':34} {'language':>8} {'answer':>7} {'characters':>11}")
    for language in ("en", "ja", "zh"):
        questions = [one for one in read_lines(ANSWERS) if one["lang"] == language and not is_blind(one["id"])]
        questions = [one for one in questions if one.get("answer")]
        with new_memory() as memory:
            memory.add(folder / language)
            for name, options in WAYS.items():
                for expand in (False, True):
                    asked: RecallOptions = {**options, "expand": expand}
                    back = [memory.recall(one["question"], **asked).hits for one in questions]
                    texts = ["\n".join(hit.text for hit in hits) for hits in back]
                    held = [
                        any(plain(text) in plain(said) for text in one["answer"])
                        for one, said in zip(questions, texts, strict=True)
                    ]
                    mean = sum(map(len, texts)) / len(texts)
                    print(
                        f"{name + ', expand' * expand:34} {language:>8} {100 * sum(held) / len(held):7.1f} {mean:11.0f}"
                    )


def plain(text: str) -> str:
    """Return a text without spaces and capitals."""
    return re.sub(r"\s+", "", text).lower()


def main(paths: list[str]) -> int:
    """Add the corpora, then ask every question in every way."""
    if len(paths) == 1 and Path(paths[0]).is_dir():
        ask_documents(Path(paths[0]))
        return 0
    if len(paths) != 2:
        print(__doc__)
        return 2
    corpora, questions = (read_lines(Path(path)) for path in paths)
    with store_folder() as folder:
        for corpus in corpora:
            with Memory.open(folder, namespace=corpus["corpus_id"]) as memory:
                memory.add_text(corpus["text"], source=corpus["corpus_id"], media_type=MediaType.MARKDOWN)
        print(f"{'way':34} {'recall':>7} {'IoU':>6} {'characters':>11}")
        for limit in LIMITS:
            print_line(f"limit {limit}", ask(folder, questions, limit=limit))
        for share, most in EXPANSIONS:
            with patch.multiple("evolore.recall.expansion", _LEAST_SHARE=share, _MOST_CHARACTERS=most):
                print_line(f"limit 5, share {share}, up to {most}", ask(folder, questions, limit=5, expand=True))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
