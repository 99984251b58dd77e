"""Long statements are cited by their passages."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from evolore.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path

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
