"""Which promotions a version of a document rests on."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.evolution import Operator, PromotedDocument, Promotion
from evolore.evolution.policy import is_from_source, rests_on

AT = datetime(2026, 3, 2, tzinfo=UTC)


class Line:
    """A document whose versions are promoted, taken back and changed at their source; each text lists what made it."""

    def __init__(self) -> None:
        self.texts: list[frozenset[str]] = [frozenset()]
        self.sources = {1}
        self.done: dict[str, PromotedDocument] = {}

    def promote(self) -> None:
        name = f"p{len(self.done)}"
        before = len(self.texts)
        self.texts.append(self.texts[-1] | {name})
        self.done[name] = PromotedDocument(document_id="d", before=before, after=before + 1)

    def take_back(self, name: str) -> None:
        one = self.done[name]
        if one.restored is not None or name not in self.texts[-1]:
            return
        self.texts.append(self.texts[one.before - 1])
        self.done[name] = PromotedDocument(
            document_id="d", before=one.before, after=one.after, restored=len(self.texts)
        )

    def change(self) -> None:
        self.texts.append(frozenset())
        self.sources.add(len(self.texts))

    @property
    def promotions(self) -> list[Promotion]:
        return [
            Promotion(
                id=name,
                job_id="j",
                candidate_id="1",
                operator=Operator.MUTATION_CLARITY,
                documents=(PromotedDocument(document_id="other", before=1, after=2), one),
                win_rate=1.0,
                promoted_at=AT,
            )
            for name, one in self.done.items()
        ]


@given(st.lists(st.one_of(st.just("promote"), st.just("change"), st.integers(0, 5)), max_size=14))
def test_a_version_rests_on_what_made_its_text_whatever_was_taken_back(moves: list[str | int]) -> None:
    line = Line()
    for move in moves:
        if move == "promote":
            line.promote()
        elif move == "change":
            line.change()
        elif f"p{move}" in line.done:
            line.take_back(f"p{move}")
    for number, made_by in enumerate(line.texts, start=1):
        assert rests_on(line.promotions, "d", number) == made_by
        assert is_from_source(line.promotions, "d", number) is (number in line.sources)
