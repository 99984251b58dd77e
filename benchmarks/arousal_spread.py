"""Print how estimates of arousal spread over texts: ``python benchmarks/arousal_spread.py PATH…``.

Takes the sets of ``evolore evaluate segmentation`` (sentences joined to passages of some 450 characters, 900 in
English) and ``retrieval`` (items of memory sets, documents of corpus sets), at most 250 texts of each by a seed.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolore.models.embedders import embedder_named, shipped_arousal
from evolore.ports import TextRole
from evolore.recall.arousal import ArousalSpaces
from evolore.text.scripts import detect_language
from evolore_evaluation.records import set_name

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST = 250
PASSAGE = 450


def passages(sentences: list[str], *, is_english: bool) -> Iterator[str]:
    """Join sentences to passages; what is left at the end is dropped."""
    passage = ""
    for sentence in sentences:
        passage += sentence + " " * is_english
        if len(passage) > PASSAGE * (1 + is_english):
            yield passage
            passage = ""


def texts_of(line: dict[str, Any]) -> Iterator[str]:
    """Give the texts of one line of a set."""
    if "sentences" in line:
        yield from passages(line["sentences"], is_english=line.get("lang") == "en")
    yield from (item["text"] for item in line.get("items", ()))
    if line.get("type") == "doc":
        yield line["text"]


def read(path: Path) -> list[str]:
    """Give some texts of a set."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [text for line in lines for text in texts_of(json.loads(line))]
    return random.Random(5).sample(texts, min(MOST, len(texts)))


def main(paths: list[str]) -> None:
    """Print a line a set."""
    if not paths:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    embedder = embedder_named("use")
    estimate = ArousalSpaces(shipped_arousal).estimates(embedder.model)
    print(f"{'set':20} texts  mean   p50   p90  below .25  above .5")
    for path in map(Path, paths):
        texts = read(path)
        vectors = [embedder.embed([text], role=TextRole.PASSAGE)[0] for text in texts]
        pairs = zip(texts, vectors, strict=True)
        found = np.array([estimate(text, vector, language=detect_language(text)) for text, vector in pairs])
        shares = f"{(found < 0.25).mean():10.2f} {(found > 0.5).mean():9.2f}"
        half, most = np.quantile(found, [0.5, 0.9])
        print(f"{set_name(path):20} {len(found):5} {found.mean():5.2f} {half:5.2f} {most:5.2f} {shares}")


if __name__ == "__main__":
    main(sys.argv[1:])
