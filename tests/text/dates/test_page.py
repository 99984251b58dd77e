from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from evolore.domain.language import Language
from evolore.text.dates import asked_period, mentioned_periods

NOW = datetime(2023, 6, 14, 12, tzinfo=UTC)
PAGE = (Path(__file__).parents[3] / "docs" / "dates.md").read_text(encoding="utf-8")
COLUMNS = (Language.EN, Language.JA, Language.ZH)


def _examples(section: str) -> list[tuple[Language, str]]:
    table = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.split("|")[2:5]] for line in table if line.startswith("| ")][2:]
    return [
        (language, example.strip())
        for row in rows
        for language, cell in zip(COLUMNS, row, strict=True)
        for example in cell.split("; ")
    ]


@pytest.mark.parametrize(("language", "text"), _examples("What is understood"))
def test_what_the_page_says_is_understood_in_a_text_is(language: Language, text: str) -> None:
    assert mentioned_periods(text, language=language, said_at=NOW), text


@pytest.mark.parametrize(("language", "text"), _examples("What a question asks"))
def test_what_the_page_says_a_question_asks_is_found(language: Language, text: str) -> None:
    assert asked_period(text, language=language, as_of=NOW), text


def test_the_page_has_examples_of_both() -> None:
    assert len(_examples("What is understood")) > 100
    assert len(_examples("What a question asks")) > 15
