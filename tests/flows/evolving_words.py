"""Documents, plans and replies that the tests of candidates and judges share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evolore.chat.asking import Asker
from evolore.domain.chat import UNLIMITED
from evolore.domain.contest import Complaint, DocumentText, EvidenceText
from evolore.domain.document import MediaType
from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.evolution.proposals import ProposalPlan
from evolore.models.offline_chat import ScriptedChatModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evolore.domain.chat import ChatRequest
    from evolore.models.offline_chat import ScriptedFault

GUIDE = (
    "# Refunds\n\nRefunds take 7 days. It is done by the shop.\n\n"
    "## Limits\n\nThe limit is 5,000 JPY per order.\n\n"
    "# Contact\n\nWrite to help@shop.example.\n"
)
GUIDE_JA = (
    "# 返金\n\n返金には7日かかります。手続きは店舗が行います。\n\n"
    "## 上限\n\n上限は注文ごとに5,000円です。\n\n"
    "# 連絡先\n\nhelp@shop.example までご連絡ください。\n"
)
GUIDE_ZH = "# 退款\n\n退款需要7天。由商店办理。\n\n## 限额\n\n每个订单的限额为5,000日元。\n\n# 联系\n\n请写信至 help@shop.example。\n"
EVIDENCE = EvidenceText(id="e1", text="Refunds over 3,000 JPY need a receipt.", source="rules.md")


def document(
    text: str = GUIDE,
    *,
    name: str = "guide",
    language: Language = Language.EN,
    media_type: MediaType = MediaType.MARKDOWN,
) -> DocumentText:
    return DocumentText(
        document_id=f"doc-{name}",
        version=3,
        source=f"{name}.md",
        title=name.capitalize(),
        text=text,
        media_type=media_type,
        language=language,
    )


def plan(
    operator: Operator = Operator.MUTATION_CLARITY,
    *documents: DocumentText,
    evidence: tuple[EvidenceText, ...] = (),
    earlier: tuple[str, ...] = (),
) -> ProposalPlan:
    return ProposalPlan(
        operator=operator,
        documents=documents or (document(),),
        complaints=(Complaint(feedback_id="f1", question="How long do refunds take?", comment="Too vague."),),
        evidence=evidence,
        seed=7,
        earlier=earlier,
    )


def asking(*replies: str | ScriptedFault | Callable[[ChatRequest], str]) -> tuple[Asker, ScriptedChatModel]:
    model = ScriptedChatModel(replies)
    return Asker(model, UNLIMITED), model


def edits(*given: Mapping[str, object]) -> str:
    """Give a writer's reply."""
    standard: dict[str, object] = {
        "kind": "replace",
        "place": "1",
        "text": "",
        "reason": "It is clearer.",
        "evidence": [],
    }
    return json.dumps({"edits": [standard | dict(one) for one in given]}, ensure_ascii=False)


def clearer(text: str = "# Refunds\n\nRefunds take 7 days. The shop makes them.") -> str:
    return edits({"text": text})
