from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.gates.markup import markup_gate
from evolore.evolution.gates.screen import novelty_gate, parse_gate, run_gates, size_gate, span_gate
from evolore.evolution.gates.verdicts import Gate
from laws import tried

EN, JA, ZH = Language.EN, Language.JA, Language.ZH
DOCUMENTS = {
    EN: "Refunds take 7 business days. The limit is 5,000 JPY per order. Do not call `POST /refund` twice. "
    "Contact support@example.com or https://ex.com/help. Tanaka approves requests.",
    JA: "返金には7営業日かかります。上限は1件あたり5,000円です。`POST /refund` を二重に呼び出さないでください。担当は田中です。",
    ZH: "退款需要7个工作日。每单上限为5000元。不得重复调用 `POST /refund`。负责人是王伟。超时为30秒。",
}
HARMFUL = [
    (EN, "7 business", "17 business"),
    (EN, "JPY", "USD"),
    (EN, "business days", "weeks"),
    (EN, "Do not call", "Call"),
    (EN, "Tanaka", "Suzuki"),
    (EN, "/help", "/faq"),
    (EN, "POST /refund", "PUT /refund"),
    (EN, "The limit is 5,000 JPY per order. ", ""),
    (EN, "per order", "per customer"),
    (EN, "Contact", "Refunds are free of charge. Contact"),
    (JA, "7営業日", "17営業日"),
    (JA, "円", "ドル"),
    (JA, "呼び出さないで", "呼び出して"),
    (JA, "田中", "鈴木"),
    (JA, "1件あたり", "1人あたり"),
    (JA, "担当は", "返金は無料です。担当は"),
    (ZH, "元", "美元"),
    (ZH, "不得重复", "可以重复"),
    (ZH, "王伟", "李娜"),
    (ZH, "30秒", "30分"),
    (ZH, "负责人", "退款免费。负责人"),
]
HARMLESS = [
    (EN, "Refunds take 7 business days", "It takes 7 business days to be refunded"),
    (EN, "5,000 JPY", "5000 JPY"),
    (EN, "7 business days", "seven working days"),
    (JA, "返金には7営業日かかります", "返金完了まで7営業日を要します"),
    (JA, "5,000円", "５０００円"),
    (ZH, "退款需要7个工作日", "退款要花七个工作日"),
]


def refusals(before: str, after: str, language: Language) -> list[Gate]:
    return [verdict.gate for verdict in run_gates(before, after, language=language) if not verdict.passes]


@pytest.mark.parametrize(("language", "old", "new"), HARMFUL)
def test_a_harmful_change_is_refused(language: Language, old: str, new: str) -> None:
    document = DOCUMENTS[language]
    assert refusals(document, document.replace(old, new, 1), language)


@pytest.mark.parametrize(("language", "old", "new"), HARMLESS)
def test_a_harmless_change_passes(language: Language, old: str, new: str) -> None:
    document = DOCUMENTS[language]
    assert refusals(document, document.replace(old, new, 1), language) == []


def test_gates_are_asked_cheapest_first() -> None:
    assert [verdict.gate for verdict in run_gates("a", "b")] == list(Gate)


def test_what_evidence_says_may_be_added_by_operators_that_cite_alone() -> None:
    before = "Refunds take 7 days."
    after = "Refunds take 7 days. Refunds over 500 EUR need the approval of a manager."
    said = ["Our policy: refunds over 500 EUR need the approval of a manager."]
    passes = [
        all(one.passes for one in run_gates(before, after, operator=operator, evidence=said)) for operator in Operator
    ]
    allowed = {operator for operator, is_through in zip(Operator, passes, strict=True) if is_through}
    assert allowed == {
        Operator.MUTATION_DETAIL,
        Operator.CROSSOVER_MERGE,
        Operator.CROSSOVER_EXTRACT,
    }


def test_a_verdict_says_what_became_of_what_and_where() -> None:
    told = str(span_gate("Wait 30 seconds.", "Wait 60 seconds.", EN))
    assert told == "spans: The number 30 seconds became 60 seconds (candidate, character 5)"
    assert str(span_gate("Wait.", "Wait.", EN)) == "spans: passes"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "a\x00b",
        "Here is the revised document:\n\nText.",
        "```markdown\n# A\n```",
        '{"text": "a"}',
        "Te\ufffdt",
    ],
)
def test_what_is_no_document_of_its_own_does_not_parse(text: str) -> None:
    assert not parse_gate("Text.", text).passes
    assert parse_gate("Text.", "Other text.").passes


def test_a_candidate_may_not_shrink_or_swell() -> None:
    before = "word " * 200
    assert size_gate(before, before[: len(before) // 2]).passes
    assert not size_gate(before, before[:100]).passes
    assert not size_gate(before, before * 3).passes
    assert size_gate(before, before * 3, evidence=1000).passes


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        ("# A\n\n```\nx = 1\n", "A code block is not closed"),
        ("# A\n\n| a | b |\n|---|---|\n| 1 |\n", "A row of a table has 1 columns instead of 2"),
        ("# A\n\n[help](https://a.example", "A link has no whole target"),
        ("# A\n\n[help][there]\n", "A link names a target that is not defined"),
        ("# A\n\n##B\n", "A heading has no space behind its marks"),
        ("# A\n\n#### B\n", "A heading of rank 4 is below one of rank 1"),
        ("Text alone.", "All headings of the original are gone"),
        ("# A\n\n<details>\n\nx\n", "An HTML element is not closed"),
    ],
)
def test_broken_markup_is_refused(after: str, reason: str) -> None:
    findings = markup_gate("# A\n\nText.\n", after).findings
    assert [finding.reason for finding in findings if finding.reason.startswith(reason[:20])] == [reason]


def test_a_broken_table_is_shown_where_it_is() -> None:
    after = "# A\n\n| a | b |\n|---|---|\n| 1 |\n\n| c |\n|---|---|\n"
    places = [finding.after for finding in markup_gate("# A\n\nText.\n", after).findings]
    assert [place and place.of(after) for place in places] == ["| 1 |", "|---|---|"]


def test_whole_markup_passes_and_what_was_broken_before_is_not_held_against_it() -> None:
    whole = "# A\n\n```py\n# x | y\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[help][x]\n\n[x]: https://a.example\n"
    assert markup_gate(whole, whole).passes
    assert markup_gate("# A\n\n```\nx\n", "# B\n\n```\nx\n").passes


def test_a_candidate_must_be_new() -> None:
    before = "Refunds take seven days."
    assert not novelty_gate(before, "Refunds  take\nseven days.").passes
    assert not novelty_gate(before, "A refund takes a week.", earlier=["A refund takes a week. "]).passes
    assert novelty_gate(before, "A refund takes a week.", earlier=["Paying back is slow."]).passes


@settings(max_examples=tried(25, long=60))
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(list(Language)))
def test_gates_answer_whatever_they_are_given(before: str, after: str, language: Language) -> None:
    for verdict in run_gates(before, after, language=language, evidence=[before]):
        assert str(verdict)


@settings(max_examples=tried(15, long=40))
@given(st.lists(st.sampled_from([*DOCUMENTS.values(), "# A\n\nText.", "Wait 5 min."]), max_size=3).map("\n\n".join))
def test_only_novelty_refuses_an_unchanged_document(document: str) -> None:
    refused = {verdict.gate for verdict in run_gates(document, document) if not verdict.passes}
    assert refused <= {Gate.NOVELTY, Gate.PARSE}
