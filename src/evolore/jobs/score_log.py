"""A log of questions' intents and the terms of hits' scores, without a word of text."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

from evolore.domain.query import Recall
from evolore.errors import StoreUnwritable


class ScoreLog:
    """A file of JSON lines, one a question; several processes may write one.

    Args:
        path: The file; it is made with the first line, in a folder that is there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, found: Recall, *, at: datetime) -> None:
        """Write what a question was taken to be after, and rank, score and terms of each hit.

        Args:
            found: What it brought back; neither its text nor that of a hit is written.
            at: When it was asked.

        Raises:
            StoreUnwritable: The file cannot be written.
        """
        line = {
            "at": at.isoformat(),
            "query_id": found.query_id,
            "intent": found.intent.value,
            "intent_confidence": found.intent_confidence,
            "is_intent_by_chat_model": found.is_intent_by_chat_model,
            "hits": [
                {"rank": hit.rank, "score": hit.score, "terms": {term.name: term.value for term in hit.terms}}
                for hit in found.hits
            ],
        }
        try:
            with self._path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
        except OSError as error:
            raise StoreUnwritable(
                f"The log of scores {self._path} cannot be written ({error.strerror}): name another file in the setting "
                "score_log, or take the setting out."
            ) from error
