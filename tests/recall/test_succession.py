"""Succession: which newer account takes an older one's place, with the model that ships."""

from __future__ import annotations

import numpy as np
import pytest

from evolore.domain.language import Language
from evolore.flows.embedding import embed
from evolore.models.embedders import shipped_matter
from evolore.models.use import UseEmbedder
from evolore.ports import TextRole
from evolore.recall.dense import MatterSpace
from evolore.recall.succession import MARKS, PairMarker, Succession

EN, JA, ZH = Language.EN, Language.JA, Language.ZH

CASES = [
    (EN, "Which port does the API use?", "The API uses port 8080.", "The API now uses port 9000.", True),
    (EN, "Which CRM do we use?", "Our CRM is HubSpot.", "We thought about Salesforce and decided against it.", False),
    (EN, "Which CRM do we use?", "Our CRM is HubSpot.", "The printer is out of paper.", False),
    (JA, "家賃はいくら？", "家賃は八万円。", "家賃は九万円になった。", True),
    (JA, "家賃はいくら？", "家賃は八万円。", "家賃の値上げを打診されたが断った。", False),
    (ZH, "健身卡多少钱？", "健身卡一年两千。", "健身卡今年涨到两千六了。", True),
    (ZH, "我们用什么数据库？", "我们用Oracle。", "有人提议换MySQL，领导没批。", False),
]


@pytest.mark.parametrize(("language", "question", "older", "newer", "takes"), CASES)
def test_what_took_anothers_place_is_told_from_what_only_looks_newer(
    language: Language,
    question: str,
    older: str,
    newer: str,
    takes: bool,  # noqa: FBT001 - a table's column
) -> None:
    embedder = UseEmbedder()
    space = MatterSpace.from_arrays(shipped_matter(embedder.model))
    texts = embed(embedder, [older, newer], role=TextRole.PASSAGE)
    asked = embed(embedder, [question], role=TextRole.QUERY)
    old, new, query = space.centred(np.vstack([texts, asked]), [language] * 3)
    marks = PairMarker(question).marks(
        older,
        newer,
        language,
        speakers=(None, None),
        nearness=(float(old @ query), float(new @ query), float(old @ new)),
    )
    says = space.succession.says(np.array([marks], dtype=np.float32), new.reshape(1, -1), old.reshape(1, -1))
    assert (says[0] > 0.0) == takes


def test_without_what_was_fitted_words_alone_count() -> None:
    assert Succession.from_arrays({}).newer.size == 0
    wrong = {"marks": np.zeros(len(MARKS) + 1, dtype=np.float32)}
    assert len(Succession.from_arrays(wrong).marks) == len(MARKS)


def test_no_pair_gives_no_answer() -> None:
    none = np.zeros((0, 4), dtype=np.float32)
    assert Succession().says(np.zeros((0, len(MARKS)), dtype=np.float32), none, none).size == 0
