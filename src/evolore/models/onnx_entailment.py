"""The entailment model of the setting ``entailment``: a sequence-pair classifier of the user's own, from a folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import cast

import numpy as np

from evolore.errors import InvalidSetting
from evolore.models.onnx_pairs import OnnxPairs
from evolore.ports import Entailed, EntailmentFailure, EntailmentLabel

_CONFIG = "config.json"
_SETTING = "entailment"
_BEGINS = {
    EntailmentLabel.ENTAILMENT: ("entail",),
    EntailmentLabel.NEUTRAL: ("neutral",),
    EntailmentLabel.CONTRADICTION: ("contradict",),
}
_NOT_ENTAILED = ("not", "non", "un")


class OnnxEntailment:
    """Judges with a classifier in ONNX form: ``model.onnx``, or ``onnx/model.onnx``, ``tokenizer.json`` and ``config.json``.

    Which column is which label is read from ``id2label`` of its config, in any order and spelling. A model of two labels,
    entailed or not, finds no contradictions. The model loads on the first call. Calls from several threads take turns.

    Args:
        folder: Where the files lie; nothing is downloaded.
        max_tokens: How much of a pair the model reads, in its tokens, at least 8.
        batch: How many pairs are judged at a time, at least 1.
        threads: How many threads a call may take; 0 for what the runtime chooses.

    Raises:
        MissingExtra: What runs the model is not installed.
        InvalidSetting: The folder does not hold the files, or the config does not name the labels.
        InvalidValue: A number is out of range.
    """

    def __init__(
        self, folder: str | PathLike[str], *, max_tokens: int = 512, batch: int = 16, threads: int = 0
    ) -> None:
        self._pairs = OnnxPairs(folder, setting=_SETTING, max_tokens=max_tokens, batch=batch, threads=threads)
        self._columns = _columns(Path(folder) / _CONFIG)

    @property
    def name(self) -> str:
        """The folder's name: such a file states no version of itself."""
        return self._pairs.name

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        """Return the probabilities of each pair; or say that the model returns something else.

        Raises:
            InvalidSetting: A file of the model cannot be read.
        """
        if not pairs:
            return np.zeros((0, len(EntailmentLabel)), dtype=np.float32)
        logits = self._pairs.logits(pairs)
        if isinstance(logits, str):
            return EntailmentFailure(reason="not_offered", detail=logits)
        if logits.shape[1] != len(self._columns):
            detail = (
                f"The model returns {logits.shape[1]} numbers a pair, and its config names {len(self._columns)} labels."
            )
            return EntailmentFailure(reason="not_offered", detail=detail)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        found = np.zeros((len(pairs), len(EntailmentLabel)), dtype=np.float32)
        for column, label in self._columns.items():
            found[:, list(EntailmentLabel).index(label)] = shares[:, column]
        return found


def _columns(path: Path) -> dict[int, EntailmentLabel]:
    """Read which column of the model is which label."""
    try:
        config = cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))
        named = cast("Mapping[str, str]", config["id2label"])
        read = {int(column): _label(name) for column, name in named.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidSetting(
            f"{_SETTING}: {str(path)!r} does not name its labels under 'id2label': {error}."
        ) from error
    labels = {column: label for column, label in read.items() if label}
    is_whole = len(labels) == len(read) == len(set(labels.values())) and sorted(read) == list(range(len(read)))
    if not is_whole or EntailmentLabel.ENTAILMENT not in labels.values():
        raise InvalidSetting(
            f"{_SETTING}: {str(path)!r} names the labels {', '.join(map(str, named.values()))}: it needs entailment, neutral and "
            "contradiction, or entailment and not entailment."
        )
    return labels


def _label(name: str) -> EntailmentLabel | None:
    plain = "".join(sign for sign in name.casefold() if sign.isalpha())
    if plain.startswith(_NOT_ENTAILED) and "entail" in plain:
        return EntailmentLabel.NEUTRAL
    return next((label for label, begins in _BEGINS.items() if plain.startswith(begins)), None)
