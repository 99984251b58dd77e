"""Signs of change: what wording tells in each language, class by class."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from evolore.domain.language import Language
from evolore.text.changes import read_signs

EN, JA, ZH = Language.EN, Language.JA, Language.ZH

TOLD = [
    (EN, "changes", "We moved to Leeds."),
    (EN, "changes", "The pool has switched to winter hours."),
    (EN, "unchanged", "The rule was confirmed again."),
    (EN, "dropped", "The lease fell through."),
    (EN, "dropped", "They voted on it and it was outvoted."),
    (EN, "doubtful", "We might take the train."),
    (EN, "doubtful", "Marketing would like twelve dollars."),
    (EN, "doubtful", "She asked whether Thursday would suit."),
    (EN, "quoted", 'The poster said "one glass is fine".'),
    (EN, "mentions", "Walked past the old office."),
    (JA, "changes", "四月から大阪に引っ越した。"),
    (JA, "unchanged", "手順はこれまでどおりです。"),
    (JA, "dropped", "移行の提案は却下された。"),
    (JA, "dropped", "内覧したが契約には至らなかった。"),
    (JA, "doubtful", "いつか北海道に行きたい。"),
    (JA, "doubtful", "来年は変えるかもしれない。"),
    (JA, "doubtful", "次は大塚さんらしい。"),
    (JA, "quoted", "「うちは昼からになった」と言っていた。"),
    (JA, "mentions", "看板の写真を撮った。"),
    (ZH, "changes", "数据库换成了MySQL。"),
    (ZH, "unchanged", "流程照旧。"),
    (ZH, "dropped", "迁移的提案被否决了。"),
    (ZH, "dropped", "房子看了，合同没签。"),
    (ZH, "doubtful", "他打算明年去冰岛。"),
    (ZH, "doubtful", "听说要换组长。"),
    (ZH, "quoted", "老板说：“我们改中午开门啦。”"),
    (ZH, "mentions", "看到一张海报。"),
]

PLAIN = [(EN, "The port is 8080."), (JA, "ポートは8080番。"), (ZH, "端口是8080。")]


@pytest.mark.parametrize(("language", "sign", "text"), TOLD)
def test_each_class_of_wording_is_read(language: Language, sign: str, text: str) -> None:
    assert getattr(read_signs(text, language), sign)


@pytest.mark.parametrize(("language", "text"), PLAIN)
def test_a_plain_statement_has_no_sign(language: Language, text: str) -> None:
    signs = asdict(read_signs(text, language))
    assert not any(signs.values())


@pytest.mark.parametrize(
    ("language", "text", "other"),
    [(EN, "My aunt moved to Exeter.", "aunt"), (JA, "父の薬が増えた。", "父"), (ZH, "邻居换了药。", "邻居")],
)
def test_whom_it_is_about_is_read_where_it_begins(language: Language, text: str, other: str) -> None:
    assert other in read_signs(text, language).others
