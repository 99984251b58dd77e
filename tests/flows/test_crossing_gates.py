"""What a crossover makes passes the free gates where nothing is lost, in each language, references and all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest

from evolore.domain.evolution import Operator, ProposedText
from evolore.domain.language import Language
from evolore.evolution.edits import compared_texts
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.proposals import Proposal
from evolore.flows.evolve.candidates import propose
from flows.evolving_words import GUIDE, GUIDE_JA, GUIDE_ZH, asking, document, plan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.contest import DocumentText

MERGE, EXTRACT = Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT


class Words(NamedTuple):
    """A case in one language: two documents, and what a good writer makes of them."""

    language: Language
    guide: str
    faq: str
    limits: str
    hours: str
    title: str
    common: str
    rests: tuple[str, str]


CASES = (
    Words(
        language=Language.EN,
        guide=GUIDE,
        faq="# Money back\n\nRefunds take 7 days. The limit is 8,000 JPY per order.\n\n# Hours\n\nWe answer from 9:00.\n",
        limits="## Limits\n\nThe limit is 5,000 JPY per order. According to “Faq”, the limit is 8,000 JPY per order.",
        hours="# Hours\n\nWe answer from 9:00.",
        title="Refund times",
        common="Refunds take 7 days.",
        rests=("It is done by the shop.", "The limit is 8,000 JPY per order."),
    ),
    Words(
        language=Language.JA,
        guide=GUIDE_JA,
        faq="# 返金について\n\n返金には7日かかります。上限は注文ごとに8,000円です。\n\n# 受付時間\n\n受付は9時からです。\n",
        limits="## 上限\n\n上限は注文ごとに5,000円です。「Faq」によると、上限は注文ごとに8,000円です。",
        hours="# 受付時間\n\n受付は9時からです。",
        title="返金の日数",
        common="返金には7日かかります。",
        rests=("手続きは店舗が行います。", "上限は注文ごとに8,000円です。"),
    ),
    Words(
        language=Language.ZH,
        guide=GUIDE_ZH,
        faq="# 关于退款\n\n退款需要7天。每个订单的限额为8,000日元。\n\n# 服务时间\n\n我们从9点开始服务。\n",
        limits="## 限额\n\n每个订单的限额为5,000日元。根据“Faq”,每个订单的限额为8,000日元。",
        hours="# 服务时间\n\n我们从9点开始服务。",
        title="退款天数",
        common="退款需要7天。",
        rests=("由商店办理。", "每个订单的限额为8,000日元。"),
    ),
)


def documents(case: Words) -> tuple[DocumentText, DocumentText]:
    return document(case.guide, language=case.language), document(case.faq, name="faq", language=case.language)


def merged(case: Words) -> str:
    edits = [
        {"kind": "replace", "place": "1.1", "text": case.limits, "reason": "x", "evidence": ["2:1"]},
        {"kind": "insert", "place": "2", "text": case.hours, "reason": "x", "evidence": ["2:2"]},
    ]
    return json.dumps({"edits": edits, "conflicts": []}, ensure_ascii=False)


def extracted(case: Words) -> str:
    taken = [
        {"document": number, "place": "1", "rest": rest, "reason": "x"}
        for number, rest in enumerate(case.rests, start=1)
    ]
    said = {"title": case.title, "text": case.common, "taken": taken, "conflicts": []}
    return json.dumps(said, ensure_ascii=False)


def refused(case: Words, texts: Sequence[ProposedText], operator: Operator) -> list[str]:
    before, after = compared_texts(documents(case), texts)
    verdicts = run_gates(before, after, language=case.language, operator=operator)
    return [str(verdict) for verdict in verdicts if not verdict.passes]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language.value)
@pytest.mark.parametrize("operator", [MERGE, EXTRACT])
def test_a_crossover_that_loses_nothing_passes_and_one_that_does_is_refused(case: Words, operator: Operator) -> None:
    asker, _ = asking(merged(case) if operator is MERGE else extracted(case))
    found = propose(asker, plan(operator, *documents(case)))
    assert isinstance(found, Proposal)
    assert len(found.conflicts) == (operator is MERGE)
    assert refused(case, found.texts, operator) == []
    first = found.texts[0]
    less = ProposedText(
        text=first.text.replace("7", "83"),
        document_id=first.document_id,
        base_version=first.base_version,
        source=first.source,
        title=first.title,
    )
    assert refused(case, (less, *found.texts[1:]), operator)


def test_a_mutation_is_compared_as_it_is() -> None:
    text = ProposedText(text=GUIDE.replace("7", "9"), document_id="doc-guide", base_version=3)
    assert compared_texts([document()], [text]) == (GUIDE, text.text)
