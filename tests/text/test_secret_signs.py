"""Keys, passwords, tokens and card numbers are found in everyday texts; what only looks alike is left alone."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.secret import SecretKind, SecretsPolicy
from evolore.errors import InvalidValue
from evolore.text.secret_signs import find_secrets, screened, without_secrets
from growth import assert_in_proportion

if TYPE_CHECKING:
    from collections.abc import Callable

BENCHMARK = run_path(str(Path(__file__).resolve().parents[2] / "benchmarks" / "secret_texts.py"))
HOSTILE: dict[str, str] = BENCHMARK["HOSTILE"]
count: Callable[..., tuple[dict[str, int], dict[str, int]]] = BENCHMARK["count"]
AWS = "AK" + "IA" + "QZ7JX3LMN5PRTV2W"
CARD = "4539 1488" + " 0343 6467"


@pytest.mark.parametrize("blind", [False, True])
def test_nineteen_in_twenty_planted_secrets_are_found_and_one_ordinary_text_in_two_hundred(blind: bool) -> None:  # noqa: FBT001
    seen, told = count(blind=blind)
    assert seen["planted"] >= 100
    assert seen["ordinary"] >= 300
    assert told["planted"] >= 0.95 * seen["planted"]
    assert told["ordinary"] <= 0.005 * seen["ordinary"]


@pytest.mark.parametrize("blind", [False, True])
def test_the_same_holds_of_the_set_of_another_hand_but_for_an_ordinary_text(blind: bool) -> None:  # noqa: FBT001
    seen, told = count(blind=blind, of="second")
    assert told["planted"] >= 0.95 * seen["planted"]
    assert told["ordinary"] <= 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"The deploy key is {AWS}.", SecretKind.KEY),
        ("The wifi password is Otter42!x.", SecretKind.PASSWORD),
        ("Wi-Fiのパスワードは「kaede-77!」です。", SecretKind.PASSWORD),
        ("キャッシュカードの暗証番号は4827です。", SecretKind.PASSWORD),
        ("登录密码改成了Otter42!x，别忘了。", SecretKind.PASSWORD),
        ("后台口令：haitang.8817", SecretKind.PASSWORD),
        ("postgresql://shop:zu6WCgyOK9@db/orders", SecretKind.PASSWORD),
        (f"Pay with {CARD}, please.", SecretKind.CARD),
        ("The gate code is 4711.", SecretKind.PASSWORD),
        ("Wifi: BlueHouse / heron-5512", SecretKind.PASSWORD),
        ("I use heron-5512 as my password.", SecretKind.PASSWORD),
        ("バックアップコード: 4f2a9-77c1e", SecretKind.PASSWORD),
        ("取款密码还是602931", SecretKind.PASSWORD),
        ("redis-cli -a heron5512 ping", SecretKind.PASSWORD),
    ],
)
def test_a_secret_is_found_in_each_language(text: str, kind: SecretKind) -> None:
    (found,) = find_secrets(text)
    assert found.kind is kind
    assert not find_secrets(without_secrets(text, (found,)))


@pytest.mark.parametrize(
    "text",
    [
        "I forgot my password.",
        "The password policy says at least 12 characters.",
        "password = os.environ['DB_PASSWORD']",
        "パスワードは8文字以上です。",
        "密码是六位数字。",
        f"Order number {CARD} is late.",
        f"注文番号は{CARD}です。",
        f"订单号{CARD}",
        "4539 1488 0343 6468",
        "IBAN DE89 3704 0044 0532 0130 00",
        "connect(password=self.key_password)",
        "Pass `stream=False` as input.",
        "docker run -u 1000:1000 image",
        "The passphrase is stored somewhere safe now.",
        "The safe takes 120 kilos.",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    ],
)
def test_what_only_looks_alike_is_no_secret(text: str) -> None:
    assert find_secrets(text) == ()


def test_a_place_is_a_line_and_characters_and_never_the_secret() -> None:
    text = "# Notes\n\nDB_PASSWORD=zu6WC!gyOK9\n"
    (found,) = find_secrets(text)
    assert (found.line, text[found.start : found.end]) == (3, "zu6WC!gyOK9")
    assert "zu6" not in repr(found)


def test_metadata_is_read_with_its_name() -> None:
    texts, metadata = {"text": "Notes"}, {"password": "Otter42!x", "floor": 3}
    kept, filed, (found,) = screened(texts, metadata, SecretsPolicy.REDACT, of="It")
    assert (kept, filed) == (texts, {"password": "[redacted: password]", "floor": 3})
    assert (found.where, found.start, found.end) == ("metadata.password", 0, 9)


def test_a_refusal_names_kind_and_place_and_not_the_secret() -> None:
    with pytest.raises(InvalidValue, match="PIN in text, line 1") as refused:
        screened({"text": "The PIN is 4711."}, {}, SecretsPolicy.REFUSE, of="Statement 1")
    assert "4711" not in str(refused.value)


@given(st.text(), st.text())
def test_what_is_redacted_holds_no_secret_and_keeps_the_rest(before: str, after: str) -> None:
    text = f"{before} {AWS} {after}"
    found = find_secrets(text)
    assert any(text[one.start : one.end].startswith(AWS[:4]) or AWS in text[one.start : one.end] for one in found)
    assert AWS not in without_secrets(text, found)
    assert all(0 <= one.start < one.end <= len(text) for one in found)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_time_grows_with_the_length_of_a_hostile_text(name: str) -> None:
    text = HOSTILE[name]
    assert_in_proportion(lambda size: find_secrets(text[:size]), 50_000)
