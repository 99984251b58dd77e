"""Short forms that a glossary explains may be spelled out, and a person is told of each."""

from __future__ import annotations

import pytest

from evolore.domain.contest import EvidenceText
from evolore.domain.document import MediaType
from evolore.evolution.corrections import NewValue, corrected, expansions_of, glossary_of
from evolore.evolution.edits import EditKind, SectionEdit

TEXT = "# Relay\n\n## Night\nChk the BH. Then call PDL.\n\n## Day\nPDL is at lunch.\n"
GLOSSARY = EvidenceText(id="e1", text="For the record: BH is the backlog, PDL the platform duty lead.", source="Review")


def spelled(after: str, *, cited: tuple[str, ...] = ("e1",), text: str = TEXT) -> list[str]:
    edit = SectionEdit(kind=EditKind.REPLACE, place="1.1", text=after, reason="plain words", evidence=cited, digest="")
    found = expansions_of(text, [edit], evidence=[GLOSSARY], media_type=MediaType.MARKDOWN)
    return [str(one) for one in found]


def test_what_a_glossary_explains_may_be_spelled_out() -> None:
    assert spelled("## Night\nLook at the backlog. Then call the platform duty lead.") == [
        "'PDL' is spelled out as 'platform duty lead', as Review says",
        "'BH' is spelled out as 'backlog', as Review says",
    ]


def test_a_short_form_that_stays_is_not_spelled_out() -> None:
    assert spelled("## Night\nLook at the BH, the backlog. Then call PDL.") == []


def test_what_the_glossary_says_must_stand_there() -> None:
    assert spelled("## Night\nLook at the weather. Then call somebody.") == []


def test_a_glossary_that_is_not_cited_explains_nothing() -> None:
    assert spelled("## Night\nLook at the backlog. Then call the platform duty lead.", cited=()) == []


@pytest.mark.parametrize(
    ("said", "pairs"),
    [
        ("S2 means severity two.", [("S2", "severity two")]),
        ("It is late, and they are tired.", []),
        ("KLは監視記録、N1は第一責任者のこと。", [("KL", "監視記録"), ("N1", "第一責任者")]),
        ("費用は会社が持ちます。", []),
        (
            "リランはやり直し、コケるは失敗する、殺すは処理を止めるという意味である。",
            [("リラン", "やり直し"), ("コケる", "失敗する"), ("殺す", "処理を止める")],
        ),
        ("记在这里：DB是待发消息，JF是计费服务。", [("DB", "待发消息"), ("JF", "计费服务")]),
        ("押金是两百元。", []),
        ("The fee is 12 pounds.", []),
    ],
)
def test_a_glossary_explains_short_forms_and_nothing_else(said: str, pairs: list[tuple[str, str]]) -> None:
    assert list(glossary_of(said)) == pairs


def test_letters_of_any_width_are_one_short_form_and_parts_of_longer_ones_are_none() -> None:
    text = "# 夜\n\nまずＢＨ見て、BHX。\n"
    edit = SectionEdit(
        kind=EditKind.REPLACE,
        place="1",
        text="# 夜\n\nまずbacklog見て、BHX。",
        reason="平易に",
        evidence=("e1",),
        digest="",
    )
    found = expansions_of(text, [edit], evidence=[GLOSSARY], media_type=MediaType.MARKDOWN)
    assert corrected(text, found) == "# 夜\n\nまずbacklog見て、BHX。\n"


def test_of_changes_that_overlap_the_first_counts() -> None:
    correction = NewValue(before="T-14", after="T-21", evidence_id="e", source="s", start=3)
    expansion = NewValue(before="T", after="due date", source="s", start=3)
    assert corrected("by T-14.", [correction, expansion]) == "by T-21."
