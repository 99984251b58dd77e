"""Print how often the outer parts of long texts without headings begin where a real part begins.

    python benchmarks/nesting.py [--alone] SET…

A set is JSON lines ``{id, lang, sentences, boundaries}`` as ``evolore evaluate segmentation`` reads them. Its documents
are put together to 20 texts of 40 to 200 kB: parts of one topic (the beginning of the id), made of documents, made of
sections. Where all ids begin alike, a part is one document. A set may also be ``{id, lang, text, parts, chapters}``, with
the characters at which each begins but the first, such as a book whose headings were taken out. ``--alone`` takes each
document of a set by itself, with its sections for parts: such a text may have no nested matters at all.

Columns: texts with three levels; parts found and real; of the parts found, those that begin within 1200 characters of a
real one, and of a real part or chapter; by chance: as many beginnings drawn from the chunks of the middle level; of the real
parts, those found; texts whose sentences were shuffled and that got three levels all the same.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from evolore import Chunker
from harness import read_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.document import ChunkTree

TEXTS, KILOBYTES = 20, (40, 200)
NEAR = 1200
DRAWS = 20


@dataclass(frozen=True)
class Nested:
    """A text and the characters at which its parts and chapters begin, the first of each left out."""

    lang: str
    text: str
    parts: tuple[int, ...]
    chapters: tuple[int, ...]


def read_set(path: Path, *, alone: bool) -> list[Nested]:
    """Read nested texts, or put them together from the documents of a set."""
    rows = read_lines(path)
    if alone:
        cut = [(row["lang"], sections(row)) for row in rows]
        return [Nested(lang, "".join(texts), tuple(accumulate(map(len, texts[:-1]))), ()) for lang, texts in cut]
    if "text" in rows[0]:
        return [Nested(row["lang"], row["text"], tuple(row["parts"]), tuple(row["chapters"])) for row in rows]
    topics: defaultdict[str, list[list[str]]] = defaultdict(list)
    for row in rows:
        found = re.match(r"[^/]*/[^/\d]*", row["id"])
        topics[found[0] if found else ""].append(["".join(sections(row))])
    if len(topics) == 1:
        topics = defaultdict(list, {row["id"]: [sections(row)] for row in rows})
    return [put_together(rows[0]["lang"], topics, Random(seed)) for seed in range(TEXTS)]


def sections(row: dict[str, Any]) -> list[str]:
    """Return the texts between the boundaries of a document."""
    space = "" if row["lang"] in {"ja", "zh"} else " "
    edges = [0, *row["boundaries"], len(row["sentences"])]
    return ["".join(one + space for one in row["sentences"][start:end]) for start, end in pairwise(edges)]


def put_together(lang: str, topics: dict[str, list[list[str]]], random: Random) -> Nested:
    """Put together a text of parts on topics, each of up to six documents, none of them twice."""
    wanted = random.uniform(*KILOBYTES) * 1000
    text = ""
    parts, chapters = list[int](), list[int]()
    for topic in random.sample(sorted(topics), len(topics)):
        if len(text.encode()) >= wanted and len(parts) > 1:
            break
        parts.append(len(text))
        for document in random.sample(topics[topic], min(len(topics[topic]), random.randint(2, 6))):
            for chapter in document:
                chapters.append(len(text))
                text += chapter
    return Nested(lang, text, tuple(parts[1:]), tuple(chapters[1:]))


def shuffled(text: str) -> str:
    """Return a text with its sentences, or lines, in another order."""
    sentences = re.findall(r"[^。！？.!?\n]*[。！？.!?\n]+\s*|[^。！？.!?\n]+$", text)
    Random(0).shuffle(sentences)
    return "".join(sentences)


def beginnings(tree: ChunkTree, deepest: int) -> list[int]:
    """Return where chunks of the upper levels begin, but the first."""
    return sorted({chunk.span.start for chunk in tree.chunks if chunk.outline.depth <= deepest} - {0})


def is_nested(tree: ChunkTree) -> bool:
    """Return whether the second level is above the leaves; with two levels, few of it are inner: those of too long sentences."""
    second = [chunk.is_leaf for chunk in tree.chunks if chunk.outline.depth == 2]
    return sum(second) < 0.8 * len(second)


def near(found: Iterable[int], real: Sequence[int]) -> int:
    """Return how many of these places are near a real one."""
    return sum(any(abs(one - other) <= NEAR for other in real) for one in found)


def percent(part: float, whole: float) -> str:
    """Return a share, or a dash of nothing."""
    return f"{100 * part / whole:.0f}" if whole else "–"


def measure(texts: Sequence[Nested]) -> list[str]:
    """Return the figures of a set."""
    random = Random(0)
    nested = shuffled_nested = found = on_part = on_any = drawn = by_part = by_any = real = held = 0
    for one in texts:
        tree = Chunker().chunk(one.text)
        every = sorted({*one.parts, *one.chapters})
        tops = beginnings(tree, 1) if is_nested(tree) else []
        nested += bool(tops)
        found, real, held = found + len(tops), real + len(one.parts), held + near(one.parts, tops)
        on_part, on_any = on_part + near(tops, one.parts), on_any + near(tops, every)
        for _ in range(DRAWS if tops else 0):
            some = random.sample(beginnings(tree, 2), len(tops))
            drawn, by_part, by_any = drawn + len(some), by_part + near(some, one.parts), by_any + near(some, every)
        shuffled_nested += is_nested(Chunker().chunk(shuffled(one.text)))
    count = len(texts)
    return [
        f"{nested}/{count}",
        f"{found / count + 1:.1f}",
        f"{real / count + 1:.1f}",
        *(percent(on_part, found), percent(by_part, drawn), percent(on_any, found), percent(by_any, drawn)),
        percent(held, real),
        f"{shuffled_nested}/{count}",
    ]


def main(paths: list[str]) -> int:
    """Print a line for each set."""
    alone = "--alone" in paths
    if not paths[alone:]:
        print(__doc__)
        return 2
    names = ("nested", "parts", "real", "on part", "chance", "or chapter", "chance", "found", "shuffled")
    print(f"{'set':22}" + "".join(f"{name:>11}" for name in names))
    for path in map(Path, paths[alone:]):
        print(
            f"{path.name.split('.')[0]:22}"
            + "".join(f"{figure:>11}" for figure in measure(read_set(path, alone=alone))),
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
