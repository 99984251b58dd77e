"""Whether two texts say the same words with two of them changed over."""

from __future__ import annotations

import pytest

from evolore.text.contrasts.reading import changes_places


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The deposit is due on the 3rd and the keys on the 9th.",
            "The deposit is due on the 9th and the keys on the 3rd.",
        ),
        ("Mara owes Tom forty pounds.", "Tom owes Mara forty pounds."),
        ("鍵は兄が、車は妹が預かる。", "鍵は妹が、車は兄が預かる。"),
        ("左边的抽屉放剪刀，右边的放胶带。", "右边的抽屉放剪刀，左边的放胶带。"),
    ],
)
def test_two_that_changed_over_are_seen(one: str, other: str) -> None:
    assert changes_places(one, other)
    assert changes_places(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In March we fly to Oslo.", "We fly to Oslo in March."),
        ("Tea and cake are in the tin.", "Cake and tea are in the tin!"),
        ("明日は歯医者に行く。", "歯医者に明日は行く。"),
        ("我和她去了海边。", "她和我去了海边。"),
        ("The gate code is 4410.", "The gate's code is 4410"),
        ("", "x"),
    ],
)
def test_a_phrase_that_moved_and_what_is_listed_may_stand_elsewhere(one: str, other: str) -> None:
    assert not changes_places(one, other)
