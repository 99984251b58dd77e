"""Other written forms: what is the same thing in another spelling shares a token, and to the letter one more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.forms import asked_forms, form_weights, forms
from evolore.text.tokens import analyse, query_tokens

SAME = [
    ("PPR-6874", "PPR6874"),
    ("ppr 6874", "PPR6874"),
    ("8,754,519", "8754519"),
    ("875万4519円", "8,754,519円"),
    ("九百六十万元", "9600000元"),
    ("090-1234-5678", "09012345678"),
    ("+81 90 1234 5678", "090 1234 5678"),
    ("(020) 7946 0958", "+44 20 7946 0958"),
    ("café Zoë", "cafe zoe"),
    ("mailTimeout", "MAIL_TIMEOUT"),
    ("check-in", "checkin"),
    ("bar.conf", "/etc/foo/bar.conf"),
    ("東京", "东京"),
    ("渡邊", "渡辺"),
    ("ﾌﾟﾘﾝﾀｰ", "プリンター"),
]


def indexed(text: str) -> frozenset[str]:
    return frozenset((*analyse(text), *forms(text)))


def asked(text: str) -> frozenset[str]:
    return frozenset((*query_tokens(text), *asked_forms(text)))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_is_written_otherwise_shares_a_token(one: str, other: str) -> None:
    assert asked(one) & indexed(other)
    assert asked(other) & indexed(one)


@pytest.mark.parametrize(
    ("asked_as", "written_as"),
    [
        ("ぷりんたー", "プリンター"),
        ("プリンター", "ぷりんたー"),
        ("サーバ", "サーバー"),
        ("打ち合わせ", "打合せ"),
        ("wi fi", "wifi"),
    ],
)
def test_a_question_is_read_in_more_forms_than_a_text(asked_as: str, written_as: str) -> None:
    assert frozenset(asked_forms(asked_as)) & frozenset(analyse(written_as))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2.10.1", "2.1.10"),
        ("2.10.1", "2.10.11"),
        ("10.2.4.17", "10.24.1.7"),
        ("v3.4", "v3.4.1"),
        ("--dry", "--dry-run"),
        ("MAIL_TIMEOUT", "MAIL_TIMEOUT_MS"),
        ("a.berg@mail.example", "a_berg@mail.example"),
        ("loadGuest", "loadGuests"),
    ],
)
def test_an_identifier_has_a_token_that_no_look_alike_has(one: str, other: str) -> None:
    whole = [token for token in asked_forms(one) if token.startswith("=")]
    assert whole
    assert not frozenset(whole) & indexed(other)


def test_an_identifier_outweighs_its_pieces_and_a_hyphen_does_not() -> None:
    assert form_weights(["=2.10.1", "#8754519", "=a.berg@mail.example"]).tolist() == [3.0] * 3
    assert max(form_weights(["=check-in", "#2026", "=he/she", "=iphone()"]).tolist()) < 1.0


@pytest.mark.parametrize(
    "text", ["", "We moved to Leeds.", "妈妈在家。", "きょうははれ。", "It is 5 pm, 20 people came."]
)
def test_plain_prose_has_no_other_form(text: str) -> None:
    assert [token for token in forms(text) if token not in analyse(text)] == []


@given(st.text(max_size=200))
def test_forms_are_tokens_without_spaces_each_once(text: str) -> None:
    for found in (forms(text), [*asked_forms(text)]):
        assert len(set(found)) == len(found)
        assert all(token and not any(sign.isspace() for sign in token) for token in found)
    assert not frozenset(asked_forms(text)) & frozenset(analyse(text))
