"""Tokenizers of language models, from their files."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from evolore.errors import InvalidSetting, MissingExtra

_SURROGATES = dict.fromkeys(range(55296, 57344), 65533)


class TokenizerFile:
    """Counts tokens as the model does whose ``tokenizer.json`` it is given; special tokens are not counted.

    Args:
        path: A file of the ``tokenizers`` library, as models are published with.

    Raises:
        MissingExtra: The library is not installed.
        InvalidSetting: The file is not there, or not such a file.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtra('Counting tokens needs an extra: run pip install "evolore[tokens]".') from error
        if not Path(path).is_file():
            raise InvalidSetting(f"tokenizer is {str(path)!r}, which is no file: name a tokenizer.json.")
        try:
            self._tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises nothing narrower
            raise InvalidSetting(f"tokenizer is {str(path)!r}, which is no tokenizer.json: {error}.") from error
        self._tokenizer.no_truncation()
        self._path = path

    def __reduce__(self) -> tuple[type[TokenizerFile], tuple[str | PathLike[str]]]:
        """Be read again by the process that it is handed to."""
        return TokenizerFile, (self._path,)

    def token_starts(self, text: str) -> Sequence[int]:
        """Return the character each token starts at, ascending."""
        readable = text if text.isascii() else text.translate(_SURROGATES)
        return sorted(start for start, _ in self._tokenizer.encode(readable, add_special_tokens=False).offsets)
