"""What words and vectors say about arousal, found on rated sentences: for what ships, and for words alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.language import Language
from evolore.recall import arousal_prototypes
from evolore.recall.arousal import ArousalSpace
from evolore.recall.arousal_signs import SIGNS, read_signs

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

LANGUAGES = (Language.EN, Language.JA, Language.ZH)
"""Those with cues and prototypes of their own."""

_NAMES = (
    *("Lisa", "Bart", "Anna", "Tom", "Maria", "John", "Andrew", "Nate", "Kim", "Wei", "Priya", "Yuki", "Ahmed", "Olga"),
    *("Sam", "Julia", "Mohammed", "Fatima", "Carlos", "Ivan", "Chloe", "Leo"),
    *("佐藤", "田中", "さくら", "健太", "美咲", "翔", "鈴木", "王伟", "小明", "李娜", "张强", "陈静", "刘洋"),
)
_CONTENTS = {
    Language.EN: ("{} felt very happy.", "{} went to the shop.", "{}: I lost my job and I am scared.", "{}: See you."),
    Language.JA: ("{}はうれしかった。", "{}は店へ行った。", "{}: 仕事を失って不安だ。", "{}: また明日。"),
    Language.ZH: ("{}非常开心。", "{}去了商店。", "{}: 我失业了，很害怕。", "{}: 明天见。"),
}
_RIDGE = 4.0
_VECTOR_SCALE = 3.0
"""Against signs, which are 0 or about 1, vectors are weighed three times."""

_NAME_SCALE = 10.0
"""So heavily, names move an estimate by 0.02 rather than 0.06."""

_OTHERS = 0.3


def rated_texts(language: Language) -> tuple[tuple[str, float], ...]:
    """List sentences and how strongly felt they are, 0-1."""
    return arousal_prototypes.of(language)


def named_texts(language: Language) -> tuple[tuple[str, ...], ...]:
    """List texts that differ in the name alone: one tuple a content, each with the same names in the same order."""
    return tuple(tuple(content.format(name) for name in _NAMES) for content in _CONTENTS[language])


def rated_digest() -> str:
    """Give a fingerprint of all rated sentences and cues, to tell whether what was fitted to them is still theirs."""
    read = [
        (text, rating, [round(sign, 6) for sign in read_signs(text, one)])
        for one in LANGUAGES
        for text, rating in rated_texts(one)
    ]
    return blake2b(repr(read).encode()).hexdigest()[:16]


def fit_arousal(
    vectors: Mapping[Language, npt.NDArray[np.float32]], named: npt.NDArray[np.float32], language: Language
) -> ArousalSpace:
    """Find what signs and vectors say about the ratings of a language's sentences, by ridge regression.

    The other languages' sentences count too, by 0.3: their signs are of the same kinds, and models of several
    languages put them near.

    Args:
        vectors: By language, the sentences of ``rated_texts`` as unit vectors, shape (sentences, dimension).
        named: The texts of ``named_texts`` as unit vectors, shape (contents, names, dimension): who is spoken of must
            make no difference.
        language: The one it is for.
    """
    contents, names, dimension = named.shape
    differences = (named - named.mean(axis=1, keepdims=True)).reshape(contents * names, dimension)
    alike = np.hstack([np.zeros((len(differences), SIGNS)), _NAME_SCALE * differences])
    others = [_around(one, vectors[one]) for one in vectors if one is not language]
    own = _around(language, vectors[language])
    rows = np.vstack([own.rows, alike, *(math.sqrt(_OTHERS) * other.rows for other in others)])
    wanted = np.concatenate([own.wanted, np.zeros(len(alike)), *(math.sqrt(_OTHERS) * one.wanted for one in others)])
    solved = np.linalg.solve(rows.T @ rows + _RIDGE * np.eye(rows.shape[1]), rows.T @ wanted)
    return ArousalSpace(
        constant=float(own.mean_rating - own.centre @ solved),
        signs=tuple(float(one) for one in solved[:SIGNS]),
        direction=(solved[SIGNS:] * _VECTOR_SCALE).astype(np.float32),
    )


@cache
def cues_alone(language: Language) -> ArousalSpace:
    """Find what signs alone say about the ratings of a language's sentences; on first use, in some 30 ms."""
    known = language if language in LANGUAGES else Language.EN
    none = {one: np.zeros((len(rated_texts(one)), 0), dtype=np.float32) for one in LANGUAGES}
    return fit_arousal(none, np.zeros((1, 1, 0), dtype=np.float32), known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """What is known of a language's sentences, as differences from the mean; and the mean."""

    rows: npt.NDArray[np.float64]
    wanted: npt.NDArray[np.float64]
    centre: npt.NDArray[np.float64]
    mean_rating: float


def _around(language: Language, vectors: npt.NDArray[np.float32]) -> _Around:
    rated = rated_texts(language)
    ratings = np.array([rating for _, rating in rated])
    known = np.hstack([np.array([read_signs(text, language) for text, _ in rated]), _VECTOR_SCALE * vectors])
    centre = known.mean(axis=0)
    mean = float(ratings.mean())
    return _Around(rows=known - centre, wanted=ratings - mean, centre=centre, mean_rating=mean)
