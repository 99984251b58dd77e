"""A cross-encoder in a folder, in ONNX form, without torch: what the reranker and the entailment model have in common."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from evolore.errors import InvalidSetting, InvalidValue, MissingExtra
from evolore.models.turns import Turns
from evolore.ports import Entailed, EntailmentFailure, EntailmentLabel
from evolore.text.vectors import Float32s, Int64s

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

_MODELS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_LEAST_TOKENS = 8


class OnnxPairs:
    """Reads pairs of texts with ``model.onnx``, or ``onnx/model.onnx``, beside its ``tokenizer.json``.

    The model loads on the first call. Calls from several threads take turns.

    Args:
        folder: Where the files lie; nothing is downloaded.
        setting: The name of the setting that names it, for messages.
        max_tokens: How much of a pair the model reads, in its tokens, at least 8; of the longer of the two the end is
            left out.
        batch: How many pairs are read at a time, at least 1.
        threads: How many threads a call may take; 0 for what the runtime chooses.

    Raises:
        MissingExtra: What runs the model is not installed.
        InvalidSetting: The folder does not hold both files.
        InvalidValue: A number is out of range.
    """

    def __init__(self, folder: str | PathLike[str], *, setting: str, max_tokens: int, batch: int, threads: int) -> None:
        if max_tokens < _LEAST_TOKENS or batch < 1 or threads < 0:
            raise InvalidValue(
                f"max_tokens, batch and threads are {max_tokens}, {batch} and {threads}: use at least "
                f"{_LEAST_TOKENS}, 1 and 0."
            )
        self.folder = Path(folder)
        self._setting = setting
        self._model = _model_file(self.folder, setting)
        self._max_tokens, self._batch, self._threads = max_tokens, batch, threads
        self._turns = Turns()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        if not all(find_spec(package) for package in ("onnxruntime", "tokenizers")):
            raise MissingExtra('A cross-encoder needs an extra: run pip install "evolore[rerank]".')

    @property
    def name(self) -> str:
        """The folder's name: such a file states no version of itself."""
        return f"{self.folder.name}/onnx"

    def logits(self, pairs: Sequence[tuple[str, str]]) -> Float32s | str:
        """Return the model's output, shape (pairs, labels), in their order; or what input of it we do not have.

        Raises:
            InvalidSetting: A file of the model cannot be read.
        """
        if not pairs:
            return np.zeros((0, 0), dtype=np.float32)
        found: Float32s | None = None
        with self._turns:
            tokenizer, session = self._load()
            wanted = [one.name for one in session.get_inputs()]
            if unknown := [name for name in wanted if name not in _INPUTS]:
                return f"The model wants {unknown[0]!r}, which a pair does not have."
            read = tokenizer.encode_batch(list(pairs))
            by_length = sorted(range(len(read)), key=lambda place: len(read[place].ids))  # little to fill up with
            for start in range(0, len(read), self._batch):
                places = by_length[start : start + self._batch]
                rows = _run(session, [read[place] for place in places], wanted)
                if found is None:
                    found = np.empty((len(pairs), rows.shape[1]), dtype=np.float32)
                found[places] = rows
        assert found is not None
        return found

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        if self._loaded is None:
            from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - an extra, and slow to import
            from tokenizers import Tokenizer  # noqa: PLC0415 - likewise

            options = SessionOptions()
            options.intra_op_num_threads = self._threads
            options.log_severity_level = 3  # errors; what is odd about a model's graph is not for its user
            try:
                tokenizer = Tokenizer.from_file(str(self.folder / _TOKENIZER))
                session = InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
            except Exception as error:  # the libraries raise nothing narrower
                what = self._setting.rpartition(".")[2]
                raise InvalidSetting(f"The {what} in {str(self.folder)!r} cannot be read: {error}.") from error
            tokenizer.no_padding()
            tokenizer.enable_truncation(self._max_tokens)  # pyright: ignore[reportUnknownMemberType] - half typed
            self._loaded = tokenizer, session
        return self._loaded


def _model_file(folder: Path, setting: str) -> Path:
    found = [folder / name for name in _MODELS if (folder / name).is_file()]
    if not found or not (folder / _TOKENIZER).is_file():
        raise InvalidSetting(
            f"{setting} is {str(folder)!r}, which does not hold {_TOKENIZER} and {' or '.join(_MODELS)}: name the folder "
            "of a cross-encoder in ONNX form."
        )
    return found[0]


_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def _run(session: InferenceSession, pairs: Sequence[Encoding], wanted: Sequence[str]) -> Float32s:
    """Return the logits of each pair; what the model does not take is not handed to it."""
    rows = ([pair.ids for pair in pairs], [pair.attention_mask for pair in pairs], [pair.type_ids for pair in pairs])
    held = {name: _filled(some) for name, some in zip(_INPUTS, rows, strict=True)}
    logits = session.run(None, {name: held[name] for name in wanted})[0]
    return np.asarray(logits, dtype=np.float32).reshape(len(pairs), -1)


def _filled(rows: Sequence[Sequence[int]]) -> Int64s:
    """Put rows under one another, zeros behind the shorter ones; the mask says that these are not read."""
    filled = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return filled


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
        named = cast("Mapping[str, str]", cast("Mapping[str, object]", json.loads(path.read_text("utf-8")))["id2label"])
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
