"""The seed's scenario: failed questions about one context of an episode must not split it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.episode import Episode, Statement
from evolore.domain.outcome import Outcome
from evolore.episodes.settings import EpisodeSettings
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.memory import Memory
from evolore.queries.contexts import CountedQueries
from evolore.queries.settings import QuerySettings
from laws import tried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


FRUIT = {
    "en": (
        "The orchard behind the farm is full of apple trees, and in October we climb the ladders and fill our baskets.",
        "Peel and slice six of them, rub butter into the flour, add cinnamon and sugar, and bake the pie until it is golden.",
        "Doctors advise eating fresh fruit and vegetables every day, because vitamins and fibre keep you healthy.",
        "Pears, plums and cherries ripen in the garden, and the wasps come for what has fallen into the grass.",
        "Keep the harvest in a cool, dark cellar on straw, so that nothing rots before spring.",
        "Grandmother cooks jam and presses juice from whatever the trees in the garden bear.",
        "Caterpillars bore into the ripening fruit, and the gardener sprays the trees after blossom.",
    ),
    "ja": (
        "農家の裏の果樹園にはりんごの木がたくさんあり、十月にははしごに登ってかごいっぱいに摘みます。",
        "皮をむいて薄く切り、小麦粉とバターをまぜ、シナモンと砂糖を加えて、きつね色になるまでパイを焼きます。",
        "医者は、ビタミンと食物繊維が健康を保つので、毎日新鮮な果物と野菜を食べるようにすすめています。",
        "庭では梨やすももやさくらんぼが熟し、草に落ちた実に蜂が集まります。",
        "収穫したものは涼しく暗い地下室でわらの上に置くと、春まで腐りません。",
        "祖母は庭の木になった実でジャムを煮て、ジュースをしぼります。",
        "毛虫が熟しかけた果実に穴をあけるので、庭師は花のあとに木を消毒します。",
    ),
    "zh": (
        "农场后面的果园里种满了苹果树，十月我们爬上梯子，把篮子装满。",
        "削皮切片，把黄油揉进面粉，加入肉桂和糖，把馅饼烤到金黄。",
        "医生建议每天吃新鲜的水果和蔬菜，因为维生素和膳食纤维有益健康。",
        "花园里的梨、李子和樱桃熟了，黄蜂飞来吃掉在草地上的果子。",
        "把收获的果子放在阴凉的地窖里，铺上稻草，到春天也不会烂。",
        "奶奶用院子里树上结的果子熬果酱、榨果汁。",
        "毛虫钻进快要成熟的果实，园丁在开花之后给果树喷药。",
    ),
}
COMPANY = {
    "en": (
        "Apple reported record quarterly earnings, and its share price rose sharply on the New York stock exchange.",
        "Investors sold technology shares after the central bank raised interest rates, and the stock index fell.",
        "The board of directors approved a dividend and a new programme to buy back shares worth ten billion dollars.",
        "Revenue from smartphones and laptops grew, while sales of tablets to business customers declined.",
        "Analysts raised their forecasts for the company's profit after the launch of its new phone.",
        "The chief executive told shareholders that the firm will open new stores and invest in chips and software.",
    ),
    "ja": (
        "アップルは過去最高の四半期決算を発表し、株価はニューヨーク証券取引所で大きく上昇しました。",
        "中央銀行が金利を引き上げると、投資家はハイテク株を売り、株価指数は下落しました。",
        "取締役会は配当と、百億ドル規模の新しい自社株買いを承認しました。",
        "スマートフォンとノートパソコンの売上は伸びましたが、法人向けタブレットの販売は減りました。",
        "新しい電話の発売後、アナリストは会社の利益予想を引き上げました。",
        "最高経営責任者は株主に、新しい店舗を開き、半導体とソフトウェアに投資すると語りました。",
    ),
    "zh": (
        "苹果公司公布了创纪录的季度财报，股价在纽约证券交易所大幅上涨。",
        "央行加息之后，投资者抛售科技股，股票指数下跌。",
        "董事会批准了股息和一项价值一百亿美元的股票回购计划。",
        "智能手机和笔记本电脑的营收增长，而面向企业客户的平板电脑销量下降。",
        "新手机发布后，分析师上调了对该公司利润的预测。",
        "首席执行官告诉股东，公司将开设新的门店，并投资芯片和软件。",
    ),
}
ASKED = {
    "en": ("What is Apple's stock price?", "How much did the company Apple earn?", "Will Apple's shares fall?"),
    "ja": ("アップル社の株価はいくらですか？", "アップル社の決算はどうでしたか？", "アップル社の株は下がりますか？"),
    "zh": ("苹果公司的股价是多少？", "苹果公司上季度赚了多少钱？", "苹果公司的股票会跌吗？"),
}
LANGUAGES = sorted(FRUIT)


def apple(language: str, *, fruit: int = 1, company: int = 1) -> str:
    """An episode that speaks of both."""
    between = " " if language == "en" else ""
    return between.join((*FRUIT[language][:fruit], *COMPANY[language][:company]))


def opened(store: Path, *statements: str, queries: QuerySettings | None = None) -> tuple[Memory, str]:
    """A memory of statements, and the id of the first."""
    memory = Memory.open(store, settings=Settings(queries=queries or QuerySettings()))
    episodes = memory.remember_many([Statement(text=text) for text in statements]).episodes
    return memory, episodes[0].id


def ask(memory: Memory, language: str, episode_id: str, count: int) -> None:
    """Ask about the company so often, each time handed the episode, and fail each time."""
    for number in range(count):
        found = memory.recall(ASKED[language][number % len(ASKED[language])], limit=20)
        assert episode_id in {hit.episode.id for hit in found.hits}
        memory.questions.record(found, cited=[episode_id], outcome=Outcome.RETRIEVAL)


def text_of(memory: Memory, episode_id: str) -> str:
    episode = memory.show(episode_id)
    assert isinstance(episode, Episode)
    return episode.text


@pytest.fixture(scope="module", params=LANGUAGES)
def lopsided(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, str]]:
    """An episode about both, that six neighbours know as a fruit and one as a company; edges wait and never enter."""
    language: str = request.param
    memory, id_ = opened(
        tmp_path_factory.mktemp("apple") / "store",
        apple(language),
        *FRUIT[language][1:],
        COMPANY[language][1],
        queries=QuerySettings(phase="insight_only"),  # pyright: ignore[reportArgumentType] - the word is read
    )
    with memory:
        ask(memory, language, id_, 10)
        yield memory, id_


def test_failed_questions_about_the_company_split_nothing_and_would_where_they_counted(
    lopsided: tuple[Memory, str],
) -> None:
    memory, id_ = lopsided
    without = memory.questions.contexts(id_)
    assert not without.would_split
    assert [one.query_ids for one in without.contexts] == [()] * len(without.contexts)
    counted = memory.questions.contexts(id_, queries=CountedQueries.WITH_PENDING)
    assert counted.would_split
    assert sum(len(one.query_ids) for one in counted.contexts) == 10
    assert memory.questions.contexts(id_, queries=CountedQueries.CONFIRMED) == without


def test_maintenance_splits_nothing_because_of_failed_questions(lopsided: tuple[Memory, str]) -> None:
    memory, id_ = lopsided
    memory.maintain()
    assert memory.outline.standing_for(id_) == (id_,)


def test_looking_at_waiting_edges_writes_nothing(lopsided: tuple[Memory, str]) -> None:
    memory, id_ = lopsided
    before = memory.stats(), memory.history(id_), memory.questions.list(limit=100)
    memory.questions.contexts(id_, queries=CountedQueries.WITH_PENDING)
    assert (memory.stats(), memory.history(id_), memory.questions.list(limit=100)) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_episode_of_two_contexts_splits_without_any_question(language: str, tmp_path: Path) -> None:
    memory, id_ = opened(tmp_path / "store", apple(language), *FRUIT[language][1:], *COMPANY[language][1:])
    with memory:
        found = memory.questions.contexts(id_)
        assert found.would_split
        texts = [{text_of(memory, one) for one in side.episode_ids} for side in found.contexts]
        assert sorted(map(len, texts), reverse=True) == [len(one) for one in texts]
        assert any(one <= set(FRUIT[language]) for one in texts)
        assert any(one <= set(COMPANY[language]) for one in texts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_episode_of_two_contexts_is_split_by_maintenance_without_any_question(
    language: str, tmp_path: Path
) -> None:
    memory, _ = opened(tmp_path / "store", *FRUIT[language][3:], *COMPANY[language][3:])
    with memory:
        both = memory.remember(apple(language, fruit=3, company=3))
        memory.maintain()
        assert len(memory.outline.standing_for(both.id)) == 2


@given(counts=st.lists(st.integers(1, 9), max_size=3))
@settings(max_examples=tried(2, long=5))
def test_however_many_questions_fail_the_decision_is_as_without_any(
    tmp_path_factory: pytest.TempPathFactory, counts: list[int]
) -> None:
    texts = (apple("en"), *FRUIT["en"][1:], *COMPANY["en"][1:2])
    memory, id_ = opened(tmp_path_factory.mktemp("many") / "store", *texts)
    with memory:
        before = memory.questions.contexts(id_)
        for count in counts:
            ask(memory, "en", id_, count)
            assert memory.questions.contexts(id_) == before
        memory.maintain()
        assert memory.outline.standing_for(id_) == (id_,)


def test_an_unknown_episode_a_document_and_another_word_are_refused(tmp_path: Path) -> None:
    memory, id_ = opened(tmp_path / "store", *FRUIT["en"])
    with memory:
        document = memory.add_text("Some text about orchards.", source="orchard")
        with pytest.raises(NotFound, match="evolore list"):
            memory.questions.contexts("nothing")
        with pytest.raises(NotFound, match="is no statement or passage"):
            memory.questions.contexts(document.id)
        with pytest.raises(AmbiguousId):
            memory.questions.contexts(id_[:2])
        with pytest.raises(InvalidValue, match="queries is 'some': use 'none' or 'confirmed' or 'with_pending'"):
            memory.questions.contexts(id_, queries="some")


@pytest.mark.parametrize("phase", ["statistical", "with_branching"])
def test_entropy_splits_only_in_the_last_phase_and_where_questions_are_let_in_and_asked(
    phase: str, tmp_path: Path
) -> None:
    never_by_conflict = EpisodeSettings(conflict_threshold=1.0)
    texts = (apple("en", fruit=4, company=4), *FRUIT["en"][4:], *COMPANY["en"][4:])

    def stands_after(store: Path, *, counts: bool) -> bool:
        queries = QuerySettings(phase=phase, include_query_edges=counts)  # pyright: ignore[reportArgumentType] - read
        with Memory.open(store, settings=Settings(queries=queries, episodes=never_by_conflict)) as memory:
            id_ = memory.remember_many([Statement(text=text) for text in texts]).episodes[0].id
            memory.maintain()
            assert memory.outline.standing_for(id_) == (id_,)
            found = memory.recall(ASKED["en"][0], limit=20)
            memory.questions.record(found, cited=[id_], outcome=Outcome.INSIGHT)
            told = memory.questions.contexts(id_)
            memory.maintain()
            assert told.would_split is (len(memory.outline.standing_for(id_)) > 1)
            return memory.outline.standing_for(id_) == (id_,)

    assert stands_after(tmp_path / "without", counts=False)
    assert stands_after(tmp_path / "with", counts=True) is (phase == "statistical")
