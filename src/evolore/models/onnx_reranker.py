"""The reranker of the extra ``rerank``: a cross-encoder of the user's own, from a folder, without torch."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from evolore.models.onnx_pairs import OnnxPairs
from evolore.ports import Reranked, RerankFailure

_LABELS = 2


class OnnxReranker:
    """Judges with a cross-encoder in ONNX form: ``model.onnx``, or ``onnx/model.onnx``, beside its ``tokenizer.json``.

    Such a model reads question and text together, and returns one logit, as those trained on MS MARCO and the BGE rerankers
    do; of a model that returns two, the second less the first counts. The model loads on the first call. Calls from
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
        self._pairs = OnnxPairs(folder, setting="reranker", max_tokens=max_tokens, batch=batch, threads=threads)

    @property
    def name(self) -> str:
        """The folder's name: such a file states no version of itself."""
        return self._pairs.name

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's logit, in their order; or say that the model returns something else.

        Raises:
            InvalidSetting: A file of the model cannot be read.
        """
        columns = self._pairs.logits([(question, text) for text in texts])
        if isinstance(columns, str):
            return RerankFailure(reason="not_offered", detail=columns)
        if columns.shape[1] > _LABELS:
            return RerankFailure(
                reason="not_offered", detail=f"The model returns {columns.shape[1]} numbers a pair, not one."
            )
        if not len(columns):
            return columns.reshape(0)
        return columns[:, -1] - columns[:, 0] if columns.shape[1] == _LABELS else columns[:, 0]
