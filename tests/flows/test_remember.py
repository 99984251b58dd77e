"""What becomes of statements, as one sees it who remembers and asks.

What becomes of statements does not depend on how many are told at once.

Long statements are cited by their passages.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evolore.config import Settings
from evolore.domain.episode import EpisodeState, Statement
from evolore.domain.review import ReviewCategory
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import InvalidValue
from evolore.flows.remember.plan import Became
from evolore.memory import Memory
from flows.memories import (
    START,
    day,
    described,
    everything,
    found_in,
    is_taken_back,
    opened,
    say,
    standing,
    texts_of,
    told,
)
from laws import tried
from store.structures import dump_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.flows.remember.plan import Integrated

KOBE, OSAKA = "The office is in Kobe.", "The office is in Osaka."
GARDEN = "It has a garden on the roof."
CITY = ("office", "city")
PENDING, ACTIVE, SUPERSEDED = EpisodeState.CONFLICT_PENDING, EpisodeState.ACTIVE, EpisodeState.SUPERSEDED


@pytest.fixture(params=[None, "use"], ids=["hashing", "use"])
def memory(request: pytest.FixtureRequest, store_path: Path) -> Iterator[Memory]:
    with opened(store_path, request.param) as one:
        yield one


@pytest.mark.parametrize(
    ("text", "again"),
    [
        (KOBE, KOBE),
        (KOBE, "the office is in KOBE"),
        ("私は菜食主義者です。", "私は菜食主義者です"),
        ("我们的办公室在上海。", "我们的办公室在上海"),
    ],
)
def test_what_is_said_again_strengthens_what_is_known(memory: Memory, text: str, again: str) -> None:
    first = say(memory, text, on=1).episodes[0]
    done = say(memory, again, on=2)
    assert done.integrated[0].became is Became.DUPLICATE
    assert done.integrated[0].merged_with == done.integrated[0].episode_id == first.id
    (one,) = standing(memory)
    assert (one.text, one.merge_count, one.confidence) == (text, 1, 0.55)
    assert texts_of(memory.outline.members(first.id)) == [again]
    assert done.episodes[0].text == again
    assert done.episodes[0].stands_until == day(2)
    assert len(done.event_ids) == 1


def test_what_stands_in_a_known_statement_goes_into_it(memory: Memory) -> None:
    say(memory, f"{KOBE} {GARDEN}", on=1)
    done = say(memory, GARDEN, on=2)
    assert done.integrated[0].became is Became.DUPLICATE
    assert texts_of(standing(memory)) == [f"{KOBE} {GARDEN}"]


def test_a_merge_keeps_what_is_new_and_every_statement_with_its_time_and_speaker(memory: Memory) -> None:
    said = [
        Statement(text=KOBE, occurred_at=day(1), speaker="Mika", session="a", metadata={"x": 1}, tags=("t", "u")),
        Statement(text=f"{KOBE} {GARDEN}", occurred_at=day(2), speaker="Mika", session="b", tags=("t",)),
    ]
    done = memory.remember_many(said)
    assert [one.became for one in done.integrated] == [Became.NEW, Became.MERGED]
    (made,) = standing(memory)
    assert made.id == done.integrated[1].episode_id
    assert made.text == f"{KOBE}\n{GARDEN}"
    assert (made.merge_count, made.confidence, made.speaker, made.occurred_at) == (1, 0.55, "Mika", day(2))
    assert (made.session, made.tags, dict(made.metadata)) == (None, ("t",), {})
    assert made.is_made
    sources = memory.outline.members(made.id)
    assert [(one.text, one.occurred_at, one.speaker, one.session) for one in sources] == [
        (one.text, one.occurred_at, one.speaker, one.session) for one in said
    ]
    assert [one.id for one in sources] == [one.id for one in done.episodes]
    hit = memory.recall("Where is the office?").hits[0]
    assert hit.episode.id == made.id
    assert sorted(one.id for one in hit.members) == sorted(one.id for one in sources)


def test_what_came_earlier_and_was_told_later_begins_the_text(memory: Memory) -> None:
    say(memory, f"{KOBE} {GARDEN}", on=5)
    say(memory, KOBE, on=2)
    (made,) = standing(memory)
    assert made.text == f"{KOBE}\n{GARDEN}"
    assert made.occurred_at == day(5)


@pytest.mark.parametrize(("speaker", "count"), [("Ben", 2), (None, 2), ("Mika", 1)])
def test_statements_of_two_speakers_never_merge(memory: Memory, speaker: str | None, count: int) -> None:
    memory.remember(KOBE, speaker="Mika")
    memory.remember(KOBE, speaker=speaker)
    memory.maintain()
    assert len(standing(memory)) == count


@pytest.mark.parametrize("text", ["Thanks!", "うん", "好的"])
def test_small_talk_never_merges(memory: Memory, text: str) -> None:
    say(memory, text, text, text)
    memory.maintain()
    assert texts_of(standing(memory)) == [text] * 3


def test_passages_of_documents_never_merge(memory: Memory) -> None:
    memory.add_text(KOBE, source="a.md")
    memory.add_text(KOBE, source="b.md")
    say(memory, KOBE, KOBE)
    memory.maintain()
    assert len(memory.recall("Where is the office?", limit=20, fold_echoes=False).hits) == 3
    assert [one.merge_count for one in standing(memory)] == [1]


def test_nothing_merges_where_integration_is_off(store_path: Path) -> None:
    settings = Settings(integration=IntegrationSettings(enabled=False))
    with opened(store_path, settings=settings) as memory:
        done = say(memory, KOBE, KOBE, OSAKA)
        assert [one.became for one in done.integrated] == [Became.NEW] * 3
        assert texts_of(standing(memory)) == [KOBE, KOBE, OSAKA]


def test_before_a_merge_just_the_earlier_texts_are_found(memory: Memory) -> None:
    say(memory, KOBE, on=1)
    say(memory, f"{KOBE} {GARDEN}", on=3)
    say(memory, "the office is in kobe", on=5)
    asked = "Where is the office?"
    assert found_in(memory.recall(asked, as_of=day(1))) == [KOBE]
    assert found_in(memory.recall(asked, as_of=day(2))) == [KOBE]
    for moment in (day(3), day(4), day(5), day(9), None):
        assert found_in(memory.recall(asked, as_of=moment)) == [f"{KOBE}\n{GARDEN}"]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
def test_of_a_key_the_latest_holds_whatever_the_order_of_arrival(store_path: Path, order: tuple[int, ...]) -> None:
    said = [
        Statement(text=f"The office is in {city}.", occurred_at=day(number), about=CITY)
        for number, city in enumerate(("Kobe", "Osaka", "Nara"), start=1)
    ]
    with opened(store_path) as memory:
        memory.remember_many(said[place] for place in order)
        line = sorted(everything(memory), key=lambda one: str(one.occurred_at))
        assert [(one.text, one.state, one.valid_from, one.valid_to) for one in line] == [
            (said[0].text, SUPERSEDED, day(1), day(2)),
            (said[1].text, SUPERSEDED, day(2), day(3)),
            (said[2].text, ACTIVE, day(3), None),
        ]
        before = described(memory)
        memory.maintain()
        assert described(memory)[0] == before[0]


def test_without_a_time_what_is_said_later_holds(store_path: Path) -> None:
    with opened(store_path) as memory:
        say(memory, KOBE, OSAKA, about=CITY)
        say(memory, "The office is in Nara.", about=CITY)
        assert [one.state for one in standing(memory)] == [SUPERSEDED, SUPERSEDED, ACTIVE]
        assert memory.review.list() == ()


def test_two_statements_of_one_key_and_moment_are_in_conflict(memory: Memory) -> None:
    done = say(memory, KOBE, OSAKA, on=1, about=CITY)
    assert [one.state for one in standing(memory)] == [PENDING, PENDING]
    assert len(done.review_ids) == 1
    say(memory, "The office is in Nara.", on=2, about=CITY)
    assert [one.state for one in standing(memory)] == [SUPERSEDED, SUPERSEDED, ACTIVE]


def test_what_is_true_again_stands_anew(memory: Memory) -> None:
    for number, text in enumerate((KOBE, OSAKA, KOBE), start=1):
        say(memory, text, on=number, about=CITY)
    memory.maintain()
    memory.maintain()
    assert [(one.text, one.state, one.valid_to) for one in standing(memory)] == [
        (KOBE, SUPERSEDED, day(2)),
        (OSAKA, SUPERSEDED, day(3)),
        (KOBE, ACTIVE, None),
    ]


def test_what_was_superseded_counts_so_only_from_then_on(memory: Memory) -> None:
    for number, text in enumerate((KOBE, OSAKA), start=1):
        say(memory, text, on=3 * number, about=CITY)
    asked = "Which city is the office in?"
    earlier, later = memory.recall(asked, as_of=day(5)), memory.recall(asked, as_of=day(6))
    assert found_in(earlier) == [KOBE]
    assert not [one for one in earlier.suppressed if "supersed" in one.reason]
    assert later.hits[0].text == OSAKA
    assert found_in(later) == sorted([KOBE, OSAKA])


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The shop is open on Sunday.", "The shop isn't open on Sunday."),
        ("我们的办公室在上海。", "我们的办公室不在上海。"),
        ("その店は日曜日に営業しています。", "その店は日曜日に営業していません。"),
    ],
)
def test_a_contradiction_is_kept_on_both_sides_and_asked_about(memory: Memory, older: str, newer: str) -> None:
    first = say(memory, older, on=1)
    second = say(memory, newer, on=2)
    assert [one.episode_ids[0] for one in second.only.conflicts] == [first.episodes[0].id]
    assert [one.state for one in standing(memory)] == [PENDING, PENDING]
    (item,) = memory.review.list()
    assert item.id == second.review_ids[0]
    assert item.category is ReviewCategory.CONTRADICTION
    assert older in item.reason
    assert newer in item.reason
    assert {item.episode_id, item.other_episode_id} == {first.episodes[0].id, second.episodes[0].id}
    assert set(found_in(memory.recall(newer))) == {older, newer}
    memory.maintain()
    assert len(memory.review.list()) == 1


@pytest.mark.parametrize(
    ("keep", "states", "found"),
    [
        ("newer", [SUPERSEDED, ACTIVE], [KOBE, OSAKA]),
        ("older", [ACTIVE], [KOBE]),
        ("both", [ACTIVE, ACTIVE], [KOBE, OSAKA]),
    ],
)
def test_a_person_settles_a_contradiction_and_may_take_that_back(
    memory: Memory, store_path: Path, keep: str, states: list[EpisodeState], found: list[str]
) -> None:
    say(memory, KOBE, on=1)
    (item_id,) = say(memory, OSAKA, on=2).review_ids
    before = dump_of(store_path)
    done = memory.review.settle(item_id, keep=keep)
    assert [one.state for one in standing(memory)] == states
    assert found_in(memory.recall("Where is the office?")) == found
    assert done.older.valid_to == (day(2) if keep == "newer" else None)
    assert memory.review.list() == ()
    memory.maintain()
    assert [one.state for one in standing(memory)] == states
    assert memory.review.list() == ()
    undone = memory.undo(done.event_id)
    assert [one.state for one in standing(memory)] == [PENDING, PENDING]
    assert dump_of(store_path)["episodes"] == before["episodes"]
    assert {row for row in dump_of(store_path)["edges"] if "contradicts" in row} == {
        row for row in before["edges"] if "contradicts" in row
    }
    memory.undo(undone.event_ids[0])
    assert [one.state for one in standing(memory)] == states


@pytest.mark.parametrize("again", [OSAKA, "The office is in osaka!"])
def test_the_older_is_kept_where_the_newer_was_said_more_than_once(
    memory: Memory, store_path: Path, again: str
) -> None:
    newer = [say(memory, text, on=on).episodes[0].id for text, on in ((OSAKA, 2), (again, 3))]
    (item_id,) = say(memory, KOBE, on=1).review_ids
    assert memory.outline.standing_for(newer[1]) == (newer[0],)
    before = dump_of(store_path)["episodes"]
    done = memory.review.settle(item_id, keep="older")
    assert texts_of(standing(memory)) == [KOBE]
    assert found_in(memory.recall("Where is the office?")) == [KOBE]
    assert memory.outline.standing_for(newer[0]) == memory.outline.standing_for(newer[1]) == ()
    assert memory.store.doctor().is_whole
    memory.undo(done.event_id)
    assert dump_of(store_path)["episodes"] == before


@pytest.mark.parametrize(
    ("text", "again"), [(KOBE, KOBE), (KOBE, f"{KOBE} {GARDEN}"), (KOBE, OSAKA)], ids=["same", "more", "conflict"]
)
def test_what_a_person_took_back_is_not_done_again(memory: Memory, text: str, again: str) -> None:
    say(memory, text, on=1)
    (event_id,) = say(memory, again, on=2).event_ids
    memory.undo(event_id)
    assert texts_of(standing(memory)) == [text, again]
    assert {one.state for one in standing(memory)} == {ACTIVE}
    for _ in range(2):
        assert memory.maintain().actions == ()
    assert texts_of(standing(memory)) == [text, again]


def test_undoing_needs_what_was_done_later_undone_first(memory: Memory, store_path: Path) -> None:
    say(memory, KOBE, on=1)
    before = dump_of(store_path)
    first = say(memory, f"{KOBE} {GARDEN}", on=2)
    second = say(memory, f"{KOBE} {GARDEN} The rent is low.", on=3)
    with pytest.raises(InvalidValue, match=second.event_ids[0]):
        memory.undo(first.event_ids[0])
    undone = memory.undo(first.event_ids[0], cascade=True)
    assert undone.undone_ids == (second.event_ids[0], first.event_ids[0])
    assert len(standing(memory)) == 3
    assert [one.text for one in everything(memory) if is_taken_back(one)] == [
        f"{KOBE}\n{GARDEN}",
        f"{KOBE}\n{GARDEN}\nThe rent is low.",
    ]
    old = {row[1]: row for row in before["episodes"]}
    assert all(old.get(row[1], row) == row for row in dump_of(store_path)["episodes"])
    assert [one.kind for one in memory.history(first.episodes[0].id)][-1] == "undone"


def test_what_has_no_time_merges_with_what_has_none(memory: Memory) -> None:
    say(memory, KOBE)
    say(memory, KOBE, on=1)
    say(memory, KOBE)
    assert sorted((one.merge_count, one.occurred_at is None) for one in standing(memory)) == [(0, False), (1, True)]
    assert all(one.recorded_at >= START for one in standing(memory))


def test_what_was_said_over_and_over_in_other_words_is_found_behind_all_that_it_took_in(memory: Memory) -> None:
    said = f"{KOBE} {GARDEN} The rent is low and nobody complains about the noise of the trains."
    say(memory, said, on=1)
    short = ["the office is in kobe" + "!" * (1 + number % 3) for number in range(70)]
    done = say(memory, *short, KOBE, on=2)
    assert {one.became for one in done.integrated} == {Became.DUPLICATE}
    again = [say(memory, text, on=3).integrated[0].became for text in (KOBE, "the office is in kobe!!!")]
    assert again == [Became.DUPLICATE] * 2
    assert texts_of(standing(memory)) == [said]
    assert standing(memory)[0].merge_count == 73


TEXTS = (
    "The office is in Kobe.",
    "The office is in Osaka.",
    "the office is in Kobe",
    "The office is in Kobe. It has a garden on the roof.",
    "It has a garden on the roof.",
    "The office isn't in Kobe.",
    "My rent is 500 euros.",
    "My rent is 600 euros.",
    "My rent is now 600 euros.",
    "My rent is 500 euros. Mika pays half of it.",
    "Thanks!",
    "オフィスは神戸にあります。",
    "オフィスは神戸にあります。屋上に庭があります。",
    "オフィスは大阪に変わった。",
    "屋上に庭があります。",
    "うん",
    "我们的办公室在上海。",
    "我们的办公室不在上海。",
    "我们的办公室在上海。楼顶有花园。",
    "我们的办公室改成在北京。",
    "好的",
)
SAID = st.builds(
    Statement,
    text=st.sampled_from(TEXTS),
    occurred_at=st.sampled_from([None, None, day(1), day(2), day(3)]),
    speaker=st.sampled_from([None, None, "Mika"]),
    session=st.sampled_from([None, "a"]),
    about=st.sampled_from([None, None, None, ("office", "city"), ("rent", "sum")]),
)


def outcome(said: Sequence[Statement], slices: Sequence[int], embedder: str | None = None) -> tuple[object, object]:
    """Remember statements in slices of these lengths, the rest one by one, and say what became of them."""
    with TemporaryDirectory() as place, opened(Path(place) / "store", embedder) as memory:
        integrated: list[Integrated] = []
        rest, lengths = list(said), list(slices)
        while rest:
            length = lengths.pop(0) if lengths else 1
            integrated += memory.remember_many(rest[:length]).integrated
            rest = rest[length:]
        return told(memory, integrated), described(memory)


KEYED = [Statement(text=f"The office is in {city}.", about=("office", "city")) for city in ("Kobe", "Osaka", "Nara")]


@settings(max_examples=tried(5, long=15))
@given(st.lists(SAID, min_size=2, max_size=9), st.lists(st.integers(1, 4), max_size=5))
@example(KEYED, [2])
def test_statements_become_the_same_in_any_slices(said: list[Statement], slices: list[int]) -> None:
    one_by_one = outcome(said, [])
    assert outcome(said, [len(said)]) == one_by_one
    assert outcome(said, slices) == one_by_one


@settings(max_examples=3)
@given(st.lists(SAID, min_size=3, max_size=8), st.lists(st.integers(1, 4), max_size=4))
def test_statements_become_the_same_in_any_slices_with_the_embedder_that_ships(
    said: list[Statement], slices: list[int]
) -> None:
    one_by_one = outcome(said, [], "use")
    assert outcome(said, [len(said)], "use") == one_by_one
    assert outcome(said, slices, "use") == one_by_one


def test_the_description_tells_memories_apart() -> None:
    first = outcome([Statement(text=TEXTS[0]), Statement(text=TEXTS[2])], [])
    assert first != outcome([Statement(text=TEXTS[0]), Statement(text=TEXTS[1])], [])
    assert first != outcome([Statement(text=TEXTS[0], speaker="Mika"), Statement(text=TEXTS[2])], [])


@pytest.mark.parametrize("length", [1, 7, 100])
def test_a_hundred_statements_become_the_same(length: int) -> None:
    said = [
        Statement(text=TEXTS[(number * 7) % len(TEXTS)], speaker=("Mika", "Ben")[number % 2], occurred_at=day(number))
        for number in range(100)
    ]
    assert outcome(said, [length] * 100) == outcome(said, [33, 33, 34])


ENGLISH = (
    "You asked for a plan of the week. On Monday you run five kilometres at an easy pace and stretch for ten minutes. "
    "Note how your knee feels afterwards, and skip the hill if it aches. On Tuesday there is strength training with "
    "light weights: squats, rows and presses, three sets each with a minute of rest. Thursday is for swimming.\n\n"
    "As for the router in the cellar, the guest network is called Heron and its password is plover-44. Change it in "
    "spring. To restart the router, hold the button at the back for ten seconds until the lamp blinks.\n\n"
    "For dinner I suggest lentil soup with carrots, celery and a bay leaf. Simmer it for half an hour and add lemon at "
    "the end. It keeps for three days in the fridge. On Friday you could bake bread: mix flour, water, salt and yeast, "
    "let the dough rest overnight, fold it twice in the morning and bake it for forty minutes in a hot pot. A crust "
    "that sounds hollow is done. Serve it with butter, and freeze what is left over in slices."
)
JAPANESE = (
    "ご依頼の一週間の計画です。月曜日はゆっくり五キロ走り、十分間ストレッチをしてください。膝が痛むときは坂道を避けます。"
    "火曜日は軽い重りで筋力トレーニングを行い、スクワットとローイングを三セットずつ行います。間に一分休みます。"
    "木曜日は水泳で、クロールと平泳ぎを交互に泳ぎ、最後に五分ほど歩いて体を冷まします。\n\n"
    "地下室のルーターについてですが、ゲスト用ネットワークの名前は「あおさぎ」、パスワードはchidori-44です。春に変更してください。"
    "背面のボタンを十秒間押し続けると再起動します。\n\n"
    "夕食には人参とセロリを入れたレンズ豆のスープをおすすめします。半時間煮込み、最後にレモンを加えます。冷蔵庫で三日もちます。"
    "金曜日にはパンを焼いてもよいでしょう。小麦粉と水と塩と酵母を混ぜ、生地を一晩休ませ、朝に二回折りたたみ、熱い鍋で四十分焼きます。"
)
CHINESE = (
    "这是您要的一周计划。周一慢跑五公里,然后拉伸十分钟,记录膝盖的感觉,疼的话就不要跑坡道。周二用轻重量做力量训练,"
    "深蹲、划船、推举各三组,中间休息一分钟。周四游泳,自由泳和蛙泳交替,最后慢走五分钟放松。\n\n"
    "关于地下室的路由器:访客网络的名字叫苍鹭,密码是heng-44,春天要换。按住背面的按钮十秒钟可以重新启动。\n\n"
    "晚饭建议做扁豆汤,放胡萝卜和芹菜,炖半个小时,最后加柠檬,放冰箱能保存三天。周五可以烤面包:把面粉、水、盐和酵母混合,"
    "面团静置一夜,早上折叠两次,放进热锅里烤四十分钟,敲起来声音发空就好了。剩下的切片冷冻。"
)


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (ENGLISH, "What is the password of the guest network?", "plover-44"),
        (JAPANESE, "ゲスト用ネットワークのパスワードは何ですか？", "chidori-44"),
        (CHINESE, "访客网络的密码是什么？", "heng-44"),
    ],
)
def test_a_long_statement_is_cited_by_the_passage_that_answers(
    tmp_path: Path, text: str, question: str, answer: str
) -> None:
    with closing(Memory.open(tmp_path / "store", namespace="a")) as memory:
        memory.remember(text, speaker="assistant")
        (hit,) = memory.recall(question).hits
    assert answer in hit.text
    assert hit.passages
    assert len(hit.text) < 0.7 * len(text)


def test_a_message_without_any_sentence_is_cut_too(tmp_path: Path) -> None:
    spoken = "and then we went on along the river until the lamp at the lock " * 120
    with closing(Memory.open(tmp_path / "store", namespace="a")) as memory:
        memory.remember(spoken + "the heron key is under the third pot " + spoken)
        (hit,) = memory.recall("Where is the heron key?").hits
    assert "third pot" in hit.text
    assert len(hit.text) < 3000


def test_what_is_asked_in_another_language_is_answered_by_the_whole(tmp_path: Path) -> None:
    with closing(Memory.open(tmp_path / "store", namespace="a")) as memory:
        memory.remember(JAPANESE)
        (hit,) = memory.recall("Where is the router?").hits
    assert hit.passages == ()
    assert hit.text == JAPANESE


@pytest.mark.parametrize(("between", "state"), [((), SUPERSEDED), (("Bob mows the lawn.",), ACTIVE)])
@pytest.mark.parametrize("is_at_once", [True, False])
def test_what_was_said_last_before_is_surely_corrected_however_long_ago(
    memory: Memory, between: Sequence[str], state: EpisodeState, *, is_at_once: bool
) -> None:
    texts = ("The total is 3,480.", *between, "Typo on my part, the total should read 3,840.")
    said = [Statement(text=text, occurred_at=day(1 + 30 * number)) for number, text in enumerate(texts)]
    for some in [said] if is_at_once else [[one] for one in said]:
        memory.remember_many(some)
    assert standing(memory)[0].state is state


@pytest.mark.parametrize(
    "texts",
    [
        ("I live in Leeds.", "I have moved to York."),
        ("The talk is at 3 pm.", "The talk is at 4 pm, not 3 pm."),
        ("会議は三階です。", "会議は三階ではなく四階です。"),
        ("门牌号是12号。", "门牌号不是12号，是21号。"),
    ],
)
def test_what_replaces_what_is_the_same_in_whatever_order_it_arrives(store_path: Path, texts: tuple[str, str]) -> None:
    said = [Statement(text=text, occurred_at=day(1 + 30 * number)) for number, text in enumerate(texts)]
    assert replacements(store_path / "a", said) == replacements(store_path / "b", said[::-1]) != set()


def replacements(place: Path, said: Sequence[Statement]) -> set[tuple[str, str, str]]:
    """Remember statements one by one; return what replaces what, and how surely."""
    with opened(place, "use") as memory:
        texts = {memory.remember(one.text, occurred_at=one.occurred_at).id: one.text for one in said}
        edges = {edge for id_ in texts for edge in memory.outline.graph(id_).edges if "supersedes" in edge.kind.value}
        return {(texts[edge.source_id], texts[edge.target_id], edge.kind.value) for edge in edges}
