"""Find where a shipped embedder puts arousal: ``python benchmarks/fit_arousal.py use e5 use+e5``.

Writes ``src/evolore/models/arousal/MODEL.npz``: for each language what the words and the vector of a text say about how
strongly it is felt, and a digest of the rated sentences and their signs. Run it when one of these or an embedder
changes; a test fails while it is due.
"""

from __future__ import annotations

import sys
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, file_name
from evolore.ports import TextRole
from evolore.recall.arousal import LANGUAGES, fit_arousal, rated_texts, read_signs

if TYPE_CHECKING:
    from evolore.ports import Embedder, Vectors
    from evolore.recall.arousal import ArousalSpace

FOLDER = Path(__file__).resolve().parents[1] / "src" / "evolore" / "models" / "arousal"
NAMES = (
    *("Lisa", "Bart", "Anna", "Tom", "Maria", "John", "Andrew", "Nate", "Kim", "Wei", "Priya", "Yuki", "Ahmed", "Olga"),
    *("Sam", "Julia", "Mohammed", "Fatima", "Carlos", "Ivan", "Chloe", "Leo"),
    *("佐藤", "田中", "さくら", "健太", "美咲", "翔", "鈴木", "王伟", "小明", "李娜", "张强", "陈静", "刘洋"),
)
CONTENTS = {
    Language.EN: ("{} felt very happy.", "{} went to the shop.", "{}: I lost my job and I am scared.", "{}: See you."),
    Language.JA: ("{}はうれしかった。", "{}は店へ行った。", "{}: 仕事を失って不安だ。", "{}: また明日。"),
    Language.ZH: ("{}非常开心。", "{}去了商店。", "{}: 我失业了，很害怕。", "{}: 明天见。"),
}


def rated_digest() -> str:
    """Give a fingerprint of all rated sentences and signs, to tell whether what was fitted to them is still theirs."""
    read = [
        (text, rating, [round(sign, 6) for sign in read_signs(text, one)])
        for one in LANGUAGES
        for text, rating in rated_texts(one)
    ]
    return blake2b(repr(read).encode()).hexdigest()[:16]


def fit_spaces(embedder: Embedder) -> dict[Language, ArousalSpace]:
    """Embed the rated sentences of all languages, and find where a model puts arousal."""
    rated = {one: embed(embedder, [text for text, _ in rated_texts(one)], role=TextRole.PASSAGE) for one in LANGUAGES}
    return {one: fit_arousal(rated, name_differences(embedder, one), one) for one in LANGUAGES}


def name_differences(embedder: Embedder, language: Language) -> Vectors:
    """Give how vectors differ by a name alone: who is spoken of must make no difference."""
    texts = [content.format(name) for content in CONTENTS[language] for name in NAMES]
    vectors = embed(embedder, texts, role=TextRole.PASSAGE).reshape(len(CONTENTS[language]), len(NAMES), -1)
    return (vectors - vectors.mean(axis=1, keepdims=True)).reshape(len(texts), -1)


def main(names: list[str]) -> None:
    """Fit and write one file a model."""
    for name in names:
        embedder = embedder_named(name)
        en, ja, zh = fit_spaces(embedder).values()
        path = FOLDER / file_name(embedder.model)
        FOLDER.mkdir(exist_ok=True)
        np.savez(path, digest=np.array(rated_digest()), en=en, ja=ja, zh=zh)
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
