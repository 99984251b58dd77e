"""Keys: what of an item is indexed, and that questions in three languages meet it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.recall.indexed_texts import ROLE_NAMES, date_text, dense_key, lexical_key
from evolore.text.tokens import analyse, query_tokens

MAY_8 = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "question", "shared"),
    [
        (Language.EN, "What happened on 8 May 2023?", {"8", "may", "2023"}),
        (Language.EN, "What did we do that Monday?", {"monday"}),
        (Language.EN, "2023-05-08", {"2023", "05", "08"}),
        (Language.EN, "2023年5月8日", {"2023", "5", "8"}),
        (Language.JA, "2023年5月8日に何をした？", {"2023", "5", "8"}),
        (Language.JA, "月曜日に会った人", {"月曜", "曜日"}),
        (Language.JA, "May 8, 2023", {"2023", "8"}),
        (Language.ZH, "2023年5月8日发生了什么？", {"2023", "5", "8"}),
        (Language.ZH, "星期一做了什么", {"星期", "期一"}),
    ],
)
def test_a_question_for_a_date_shares_tokens_with_it(language: Language, question: str, shared: set[str]) -> None:
    assert shared <= set(query_tokens(question)) & set(analyse(date_text(MAY_8, language=language)))


@given(moment=st.datetimes(timezones=st.just(UTC)), language=st.sampled_from(Language))
def test_a_date_begins_with_its_iso_form(moment: datetime, language: Language) -> None:
    assert date.fromisoformat(date_text(moment, language=language)[:10]) == moment.date()


def test_a_date_is_that_of_its_own_zone() -> None:
    tokyo = datetime(2023, 5, 9, 1, 0, tzinfo=timezone(timedelta(hours=9)))
    assert date_text(tokyo, language=Language.EN) == "2023-05-09 Tuesday 9 May 5"


def test_a_lexical_key_holds_every_part() -> None:
    key = lexical_key(
        "Run make.",
        language=Language.EN,
        speaker="Ann",
        heading_path=("Install", "Linux"),
        title="Handbook",
        occurred_at=MAY_8,
    )
    assert key == "Handbook\nInstall\nLinux\nAnn\nRun make.\n2023-05-08 Monday 8 May 5"


def test_a_dense_key_holds_every_part_but_the_date() -> None:
    key = dense_key("Run make.", speaker="Ann", heading_path=("Install", "Linux"), title="Handbook")
    assert key == "Handbook\nInstall\nLinux\nAnn: Run make."


def test_a_title_that_begins_the_headings_stands_once() -> None:
    assert (
        dense_key("Run make.", heading_path=("Handbook", "Install"), title="Handbook") == "Handbook\nInstall\nRun make."
    )


@pytest.mark.parametrize("speaker", [None, "User", " assistant ", *sorted(ROLE_NAMES)])
def test_a_part_in_a_chat_is_no_name(speaker: str | None) -> None:
    assert lexical_key("Hello.", language=Language.EN, speaker=speaker) == "Hello."
    assert dense_key("Hello.", speaker=speaker) == "Hello."


@given(text=st.text(min_size=1))
def test_a_bare_item_is_its_own_key(text: str) -> None:
    assert lexical_key(text, language=Language.UND) == text == dense_key(text)
