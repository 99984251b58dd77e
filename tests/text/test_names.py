"""Names: what a text speaks of, in three languages, beside what it merely says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.names import TITLE_MARK, find_names, fold_name, longest_known, name_of_title, possible_names

EN, JA, ZH = Language.EN, Language.JA, Language.ZH

CASES = [
    (EN, "He met Ludwig van Beethoven there.", ("ludwig van beethoven",)),
    (EN, "It lies in the Province of the Orange River.", ("province of the orange river",)),
    (EN, "In Paris, the Louvre opened.", ("paris", "louvre")),
    (EN, "Hudson's Bay Company's post was small.", ("hudson's bay company",)),
    (EN, "The UN and NASA agreed.", ("un", "nasa")),
    (EN, "Dr. Alice Munro met Mr. Grey.", ("alice munro", "grey")),
    (EN, "J. R. R. Tolkien wrote it in St. Andrews.", ("j. r. r. tolkien", "st. andrews")),
    (EN, "He lived in Rome. Marie Curie did not.", ("rome", "marie curie")),
    (EN, "Operating costs fell, said Compaq. Compaq grew.", ("compaq",)),
    (EN, 'They played on "Katy Lied," an album.', ("katy lied",)),
    (EN, 'She said "never again" and left.', ()),
    (EN, "The bridge is 1,850 feet long and cost $12 million.", ("1850 feet", "12 million")),
    (EN, "On Monday, in July 1996, it rained.", ()),
    (EN, "World War 2 ended; Apollo 11 flew.", ("world war 2", "apollo 11")),
    (EN, "the iPhone and eBay", ("iphone", "ebay")),
    (EN, "nothing here is a name", ()),
    (JA, "アンディ・ウォーホルは画家である。", ("アンディ・ウォーホル", "画家")),
    (JA, "織田信長の『信長公記』を読む。", ("信長公記", "織田信長")),
    (JA, "「行くぞ、今すぐ。」と言った。", ()),
    (JA, "githubで公開し、OPECに加盟した。", ("公開", "加盟", "github", "opec")),
    (JA, "全長は175キロメートルです。", ("175 キロメートル",)),
    (JA, "それはすぐにわかる。", ()),
    (ZH, "他翻译了《大智度论》。", ("大智度论", "翻译")),
    (ZH, "格奥尔基·伊万诺夫在北约工作。", ("格奥尔基·伊万诺夫", "格奥尔基", "伊万诺夫", "北约工作")),
    (ZH, "全长175公里。", ("全长", "公里", "175 公里")),
    (ZH, "他是的,我在。", ()),
]


@pytest.mark.parametrize(("language", "text", "names"), CASES)
def test_names_are_found_and_words_are_not(language: Language, text: str, names: tuple[str, ...]) -> None:
    found = find_names(text, language=language)
    assert set(names) <= set(found)
    if not names:
        assert found == ()


@pytest.mark.parametrize(
    ("language", "text", "no_names"),
    [
        (EN, "Operating costs fell, said Compaq.", ("operating", "operating costs")),
        (EN, "He lived in Rome. Marie Curie did not.", ("rome. marie curie", "he")),
        (JA, "1996年の東京。", ("1996", "1996年")),
        (ZH, "1996年在北京。", ("1996",)),
    ],
)
def test_what_only_looks_like_a_name_is_none(language: Language, text: str, no_names: tuple[str, ...]) -> None:
    assert not set(no_names) & set(find_names(text, language=language))


@pytest.mark.parametrize(
    ("title", "name"),
    [("Pulse (1988 film)", "pulse"), ("The Hateful Eight", "hateful eight"), ("銀河（小説）", "銀河"), ("(?)", "(?)")],
)
def test_a_title_stands_for_its_name(title: str, name: str) -> None:
    assert name_of_title(title) == name
    assert find_names("", language=EN, title=title) == (TITLE_MARK + name,)


def test_a_title_comes_once_and_first() -> None:
    assert find_names("Kris Benson met Ann.", language=EN, title="Kris Benson") == ("=kris benson", "ann")


def test_full_width_letters_and_curly_apostrophes_make_no_difference() -> None:
    assert find_names("ＯＰＥＣに", language=JA) == find_names("OPECに", language=JA) == ("opec",)
    assert fold_name("Anna’s".replace("’", "'")) == "anna"
    assert find_names("at Mach’s house", language=EN) == find_names("at Mach's house", language=EN) == ("mach",)


@given(text=st.text(max_size=300), language=st.sampled_from(list(Language)), title=st.none() | st.text(max_size=40))
def test_names_are_short_and_single_and_on_one_line(text: str, language: Language, title: str | None) -> None:
    found = find_names(text, language=language, title=title)
    assert len(set(found)) == len(found)
    for place, name in enumerate(found):
        bare = name.removeprefix(TITLE_MARK) if place == 0 else name
        assert "\n" not in bare
        assert len(bare) >= 1
        assert not bare.startswith(TITLE_MARK)
        assert bare == fold_name(bare)


def test_the_longest_known_name_is_meant() -> None:
    mentions = possible_names("Who starred in the Lego Batman Movie of Batman?")
    picked = longest_known(mentions, {"batman", "lego batman movie", "movie"})
    assert [mention.name for mention in picked] == ["lego batman movie", "batman"]
    assert longest_known(mentions, ()) == ()


def test_a_known_name_is_found_without_spaces_around_it() -> None:
    picked = longest_known(possible_names("織田信長は何年に生まれたか"), {"織田信長", "信長"})
    assert [mention.name for mention in picked] == ["織田信長"]


@pytest.mark.parametrize(
    ("question", "is_plain"),
    [("what is deployment?", True), ("Deployment: how?", True), ("is Deployment hard?", False), ("部署はどこ", False)],
)
def test_a_lone_word_without_a_capital_of_its_own_is_plain(question: str, is_plain: bool) -> None:  # noqa: FBT001
    picked = longest_known(possible_names(question), {"deployment", "部署"})
    assert [mention.is_plain for mention in picked] == [is_plain]


def test_digits_of_other_scripts_are_no_amounts_and_take_no_longer() -> None:
    assert find_names("٣" * 5000 + " km", language=Language.EN) == ()
    assert find_names("１２ km", language=Language.EN) == ("12 km",)
