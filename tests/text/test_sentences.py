from __future__ import annotations

import pytest
import sentencex
from hypothesis import example, given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.sentences import points_back, sentence_spans

# What makes sentence splitters lose their place: quotes, stops, line ends, marks, joined emoji, lone surrogates.
ODD_PIECES = st.sampled_from(
    [
        *(
            "「",
            "」",
            "『",
            "』",
            "“",
            "”",
            '"',
            "'",
            "（",
            "）",
            "(",
            ")",
            "。",
            "！",
            "？",
            "!",
            "?",
            ".",
            "...",
            "…",
        ),
        *(" ", "\u3000", "\t", "\n", "\r\n", "\r", "\n\n", "\u2028", "\x00", "\x85", "\u200b", "\ufeff"),
        *("e\u0301", "が\u3099", "👩\u200d👩\u200d👧", "🇯🇵", "👍🏽", "\ud800", "\udc00", "🂡"),
        *(
            "Mr. ",
            "e.g. ",
            "3.5",
            "No. 4",
            "https://a.b/c?d=1.",
            "U.S. ",
            "行く",
            "と言った",
            "走吧",
            "他说",
            "hello",
            "A",
        ),
    ]
)
ODD_TEXT = st.lists(ODD_PIECES, max_size=40).map("".join) | st.text(alphabet=st.characters(exclude_categories=[]))
LANGUAGES = st.sampled_from([None, *Language])


def sentences(text: str, language: Language | None = None) -> list[str]:
    return [span.of(text) for span in sentence_spans(text, language=language)]


@given(ODD_TEXT, LANGUAGES)
@example("\n" * 50, Language.EN)
@example("a\r\nb", None)
@example("\ud800。\udc00", Language.JA)
def test_the_sentences_joined_are_the_text(text: str, language: Language | None) -> None:
    spans = sentence_spans(text, language=language)
    assert "".join(span.of(text) for span in spans) == text
    assert all(len(span) for span in spans)
    end = 0
    for span in spans:
        assert span.start == end
        end = span.end
    assert end == len(text)


@given(ODD_TEXT, LANGUAGES)
def test_no_cut_falls_into_a_line_end(text: str, language: Language | None) -> None:
    for span in sentence_spans(text, language=language)[1:]:
        assert text[span.start - 1 : span.start + 1] != "\r\n"


@given(ODD_TEXT, LANGUAGES)
def test_no_sentence_is_white_space_alone_beside_others(text: str, language: Language | None) -> None:
    found = sentences(text, language)
    assert len(found) <= 1 or not any(sentence.isspace() for sentence in found)


def test_an_empty_text_has_no_sentences() -> None:
    assert sentence_spans("") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Smith paid $3.5 million. He left.", ["Mr. Smith paid $3.5 million. ", "He left."]),
        ("See Fig. 3 for it. It is No. 4 of them.", ["See Fig. 3 for it. ", "It is No. 4 of them."]),
        ("He is world no. 4 now. Fine.", ["He is world no. 4 now. ", "Fine."]),
        ("Read https://a.b/c?d=1. Then go.", ["Read https://a.b/c?d=1. ", "Then go."]),
        (
            "Call props.ref here. Then setScore(score + 1) there.",
            ["Call props.ref here. ", "Then setScore(score + 1) there."],
        ),
        ("One.\r\nTwo.\r\n\r\nThree.", ["One.\r\n", "Two.\r\n\r\n", "Three."]),
        ("  \n One.", ["  \n One."]),
    ],
)
def test_english_full_stops_that_end_nothing_do_not_cut(text: str, expected: list[str]) -> None:
    assert sentences(text, Language.EN) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("「行くよ。待って。」と言った。彼は帰った。", ["「行くよ。待って。」と言った。", "彼は帰った。"]),
        ("『嘘だ！』彼は叫んだ。そう。", ["『嘘だ！』彼は叫んだ。", "そう。"]),
        ("本当！？うん。価格は3.5円。", ["本当！？", "うん。", "価格は3.5円。"]),
        ("これは（笑。）面白い。次。", ["これは（笑。）面白い。", "次。"]),
        ("一行目\n二行目\n", ["一行目\n", "二行目\n"]),
        ("か\u3099。か\u3099。", ["か\u3099。", "か\u3099。"]),
    ],
)
def test_japanese_quotes_stay_with_their_sentence(text: str, expected: list[str]) -> None:
    assert sentences(text, Language.JA) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "他说：“走吧。等等。”然后离开了。真的吗？！是的。",
            ["他说：“走吧。等等。”", "然后离开了。", "真的吗？！", "是的。"],
        ),
        ("“好！”他喊道。走了。", ["“好！”他喊道。", "走了。"]),
        ("价格3.5元。好。", ["价格3.5元。", "好。"]),
    ],
)
def test_chinese_quotes_stay_with_who_speaks(text: str, expected: list[str]) -> None:
    assert sentences(text, Language.ZH) == expected


def test_a_bracket_that_never_closes_does_not_swallow_the_text() -> None:
    text = "「始まり。" + "次の文です。" * 300
    assert len(sentences(text, Language.JA)) > 200


def test_wrapped_lines_make_one_sentence() -> None:
    text = "The quick brown fox jumped over the lazy dog while the\nsun was setting behind the hills of the old town where\nPeter lived. Then it slept."
    assert len(sentences(text, Language.EN)) == 2


def test_lines_that_never_end_a_sentence_stand_alone() -> None:
    log = "".join(
        f"2026-03-02 10:00:{second} INFO the service has answered a request of a user\n" for second in range(10, 60)
    )
    assert len(sentences(log, Language.EN)) == 50
    entries = "".join(f"entry {number}\n" for number in range(100))
    assert len(sentences(entries, Language.EN)) == 100


def test_short_lines_are_sentences_of_their_own() -> None:
    assert sentences("Shopping list\nMilk\n- Bread\n", Language.EN) == ["Shopping list\n", "Milk\n", "- Bread\n"]


def test_a_new_item_ends_a_long_line() -> None:
    line = "A line of a list that is long enough to look like a wrapped one here\n"
    assert sentences(line + "- the next\n", Language.EN) == [line, "- the next\n"]


def test_the_language_is_judged_where_it_is_not_given() -> None:
    assert sentences("「あ。い。」と言う。次。") == ["「あ。い。」と言う。", "次。"]
    assert sentences("Hola. ¿Qué tal? Bien.") == ["Hola. ", "¿Qué tal? ", "Bien."]


@pytest.mark.parametrize("piece", ["。」", "“あ。", "「", "a\n", "x", ". ", "\r\n", "Mr. ", "👩\u200d"])
def test_odd_input_by_the_hundred_thousand_is_cut_in_windows(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert "".join(sentences(text)) == text


def test_pieces_the_segmenter_loses_are_found_by_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(_language: str, text: str) -> list[str]:
        return [text.replace(" ", "")]

    monkeypatch.setattr(sentencex, "segment", lossy)
    assert sentences("Eins. Zwei! Drei.", Language.EN) == ["Eins. ", "Zwei! ", "Drei."]


@pytest.mark.parametrize("space", ["\x85", "\xa0", "\u2003", "\u2028", "\u3000"])
@pytest.mark.parametrize("form", ["{0}\n{0}", "A.{0}\n{0}\nB. c", "終わり。{0}\n{0}次。", "a{0}\n\n{0}b", "{0}a. b"])
def test_white_space_of_several_bytes_is_white_space(space: str, form: str) -> None:
    text = form.format(space)
    for language in Language:
        assert "".join(span.of(text) for span in sentence_spans(text, language=language)) == text


@pytest.mark.parametrize(
    "sentence",
    [
        "しかし、違う。",
        "その結果。",
        "　また来る。",
        "「これは本だ。」",
        "但是不行。",
        "因此如此。",
        "这是书。",
        "（注）",
        "However, no.",
        "“She left.",
        "this follows",
    ],
)
def test_a_sentence_that_refers_to_the_one_before_points_back(sentence: str) -> None:
    assert points_back(sentence)


@pytest.mark.parametrize(
    "sentence", ["サーバーを設定する。", "东京是首都。", "It is hot.", "Thistles grow.", "The office moved.", ""]
)
def test_a_sentence_that_names_its_matter_does_not(sentence: str) -> None:
    assert not points_back(sentence)
