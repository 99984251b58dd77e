"""The file that keeps what was predicted, so that anyone can score it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore_evaluation.reports import Json

    WritePrediction = Callable[[Mapping[str, Json]], None]


@contextmanager
def writing_predictions(path: Path | None) -> Generator[WritePrediction]:
    """Open the file and return what writes one prediction as one JSON line; without a path nothing is kept.

    The file is opened before anything is measured, so that a bad path costs no time.

    Raises:
        InvalidValue: The file cannot be written.
    """
    if path is None:
        yield lambda _prediction: None
        return
    try:
        file = path.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidValue(f"Predictions cannot be written to {path}: {error.strerror}. Name another file.") from error
    with file:
        yield lambda prediction: _write_line(file.write, prediction)


def _write_line(write: Callable[[str], int], prediction: Mapping[str, Json]) -> None:
    write(json.dumps(prediction) + "\n")
