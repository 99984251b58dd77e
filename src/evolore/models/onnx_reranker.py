"""The reranker of the extra ``rerank``: a cross-encoder of the user's own, from a folder, without torch."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.errors import InvalidSetting, InvalidValue, MissingExtra
from evolore.models.turns import Turns
from evolore.ports import RerankFailure

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    import numpy.typing as npt
    from onnxruntime import InferenceSession
    from tokenizers import Encoding, Tokenizer

    from evolore.ports import Reranked

_MODELS = ("model.onnx", "onnx/model.onnx")
_TOKENIZER = "tokenizer.json"
_LEAST_TOKENS = 8
_LABELS = 2


class OnnxReranker:
    """Judges with a cross-encoder in ONNX form: ``model.onnx``, or ``onnx/model.onnx``, beside its ``tokenizer.json``.

    Such a model reads question and text together and gives one logit, as those trained on MS MARCO and the BGE rerankers
    do; of a model that gives two, the second less the first counts. The model loads on the first call. Calls from
    several threads take turns.

    Args:
        folder: Where the files lie; nothing is downloaded.
        max_tokens: How much of question and text together the model reads, in its tokens, at least 8; of the longer of
            the two the end is left out.
        batch: How many texts are judged at a time, at least 1.
        threads: How many threads a call may take; 0 for what the runtime chooses.

    Raises:
        MissingExtra: What runs the model is not installed.
        InvalidSetting: The folder does not hold both files.
        InvalidValue: A number is out of range.
    """

    def __init__(
        self, folder: str | PathLike[str], *, max_tokens: int = 512, batch: int = 16, threads: int = 0
    ) -> None:
        if max_tokens < _LEAST_TOKENS or batch < 1 or threads < 0:
            raise InvalidValue(
                f"max_tokens, batch and threads are {max_tokens}, {batch} and {threads}: give at least "
                f"{_LEAST_TOKENS}, 1 and 0."
            )
        self._folder = Path(folder)
        self._model = _model_file(self._folder)
        self._max_tokens = max_tokens
        self._batch = batch
        self._threads = threads
        self._turns = Turns()
        self._loaded: tuple[Tokenizer, InferenceSession] | None = None
        _refuse_missing_extra()

    @property
    def name(self) -> str:
        """The folder's name: such a file tells no version of itself."""
        return f"{self._folder.name}/onnx"

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Give each text's logit, in their order; or say that the model gives something else.

        Raises:
            InvalidSetting: A file of the model cannot be read.
        """
        scores = np.empty(len(texts), dtype=np.float32)
        with self._turns:
            tokenizer, session = self._load()
            pairs = tokenizer.encode_batch([(question, text) for text in texts])
            by_length = sorted(range(len(texts)), key=lambda place: len(pairs[place].ids))  # little to fill up with
            for start in range(0, len(texts), self._batch):
                places = by_length[start : start + self._batch]
                logits = _run(session, [pairs[place] for place in places])
                if isinstance(logits, RerankFailure):
                    return logits
                scores[places] = logits
        return scores

    def _load(self) -> tuple[Tokenizer, InferenceSession]:
        if self._loaded is None:
            from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - an extra, and slow to import
            from tokenizers import Tokenizer  # noqa: PLC0415 - likewise

            options = SessionOptions()
            options.intra_op_num_threads = self._threads
            options.log_severity_level = 3  # errors; what is odd about a model's graph is not for its user
            try:
                tokenizer = Tokenizer.from_file(str(self._folder / _TOKENIZER))
                session = InferenceSession(str(self._model), options, providers=["CPUExecutionProvider"])
            except Exception as error:  # the libraries raise nothing narrower
                raise InvalidSetting(f"The reranker in {str(self._folder)!r} cannot be read: {error}.") from error
            tokenizer.no_padding()
            tokenizer.enable_truncation(self._max_tokens)  # pyright: ignore[reportUnknownMemberType] - half typed
            self._loaded = tokenizer, session
        return self._loaded


def _model_file(folder: Path) -> Path:
    found = [folder / name for name in _MODELS if (folder / name).is_file()]
    if not found or not (folder / _TOKENIZER).is_file():
        raise InvalidSetting(
            f"reranker is {str(folder)!r}, which does not hold {_TOKENIZER} and {' or '.join(_MODELS)}: name the folder "
            "of a cross-encoder in ONNX form."
        )
    return found[0]


def _refuse_missing_extra() -> None:
    if not all(find_spec(package) for package in ("onnxruntime", "tokenizers")):
        raise MissingExtra('A cross-encoder needs an extra: run pip install "evolore[rerank]".')


def _run(session: InferenceSession, pairs: Sequence[Encoding]) -> npt.NDArray[np.float32] | RerankFailure:
    """Give the logit of each pair; what the model does not take is not handed to it."""
    held = {
        "input_ids": _filled([pair.ids for pair in pairs]),
        "attention_mask": _filled([pair.attention_mask for pair in pairs]),
        "token_type_ids": _filled([pair.type_ids for pair in pairs]),
    }
    wanted = [one.name for one in session.get_inputs()]
    if unknown := [name for name in wanted if name not in held]:
        return RerankFailure(
            reason="not_offered", detail=f"The model wants {unknown[0]!r}, which a pair does not have."
        )
    logits = session.run(None, {name: held[name] for name in wanted})[0]
    columns = logits.reshape(len(pairs), -1)
    if columns.shape[1] > _LABELS:
        return RerankFailure(
            reason="not_offered", detail=f"The model gives {columns.shape[1]} numbers a pair, not one."
        )
    return columns[:, -1] - columns[:, 0] if columns.shape[1] == _LABELS else columns[:, 0]


def _filled(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int64]:
    """Put rows under one another, zeros behind the shorter ones; the mask says that these are not read."""
    filled = np.zeros((len(rows), max(map(len, rows))), dtype=np.int64)
    for place, row in enumerate(rows):
        filled[place, : len(row)] = row
    return filled
