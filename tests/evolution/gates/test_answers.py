"""Questions and answers beside a text that stays: an answer may restate it, and states no value of its own."""

from __future__ import annotations

import pytest

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.gates.screen import run_gates

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
TEXTS = {
    EN: "We check each claim by hand. The refund is paid within 7 days.",
    JA: "申請は一件ずつ確認します。返金は7日以内に支払われます。",
    ZH: "每份申请都由人工审核。退款在7天内支付。",
}


def refusals(language: Language, question: str, answer: str) -> list[str]:
    before = f"# Page\n\n{TEXTS[language]}\n"
    after = f"{before}\n**{question}**\n{answer}\n"
    verdicts = run_gates(before, after, language=language, operator=Operator.MUTATION_QA_FORMAT)
    return [one.reason for verdict in verdicts for one in verdict.refusals]


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        (EN, "How long do refunds take?", "Refunds take 7 days."),
        (EN, "When do I get my money?", "The refund is paid after a week."),
        (JA, "お金はいつ戻りますか。", "返金には7日かかります。"),
        (ZH, "多久能拿到钱?", "退款需要7天。"),
    ],
)
def test_an_answer_that_restates_a_sentence_is_not_refused(language: Language, question: str, answer: str) -> None:
    assert refusals(language, question, answer) == []


@pytest.mark.parametrize(
    ("language", "question", "answer"),
    [
        (EN, "How long do refunds take?", "Refunds take 17 days."),
        (EN, "How long do refunds take?", "The refund is paid within 7 days, and 5 euros are kept."),
        (EN, "When do I get my money?", "The refund is never paid within 7 days."),
        (EN, "Can I get a voucher?", "Yes, vouchers are handed out at the front desk."),
        (JA, "お金はいつ戻りますか。", "返金には17日かかります。"),
        (JA, "商品券でもらえますか。", "はい、受付で商品券を配っています。"),
        (ZH, "多久能拿到钱?", "退款需要7周。"),
        (ZH, "可以换成代金券吗?", "可以,前台会发放代金券。"),
    ],
)
def test_an_answer_with_an_invented_value_or_claim_is_refused(language: Language, question: str, answer: str) -> None:
    assert refusals(language, question, answer)


def test_a_sentence_that_answers_no_question_has_more_than_half_of_its_words_from_what_it_restates() -> None:
    assert refusals(EN, "Note", "The refund of each claim is paid within 7 days.") == []
    assert refusals(EN, "Note", "Vouchers are handed out at the front desk.")
    assert refusals(EN, "Note", "Vouchers are handed out at the front desk.")
