"""How figures of labelled texts are parted."""

from __future__ import annotations

from benchmarks.scripts import load_script
from evolore_evaluation.measure import Case

SCRIPT = load_script("labelled")
LabelledText, group_by_label = SCRIPT.LabelledText, SCRIPT.group_by_label
CASES = [Case(id=str(number)) for number in range(20)]
TEXTS = [
    LabelledText(id=case.id, language="en" if place % 3 else "zh", text="What now?", is_tricky=place % 4 == 0)
    for place, case in enumerate(CASES)
]


def itself(text: object) -> object:
    return text


def test_with_both_halves_each_text_counts_in_its_language_its_half_and_its_kind_of_half() -> None:
    groups = group_by_label(TEXTS, itself, blind=True)
    assert list(groups) == sorted(groups)
    assert set(groups) == {"en", "zh", "blind", "visible"} | {
        f"{half}_{kind}" for half in ("blind", "visible") for kind in ("plain", "tricky")
    }
    for first, second in (("en", "zh"), ("blind", "visible"), ("blind_plain", "blind_tricky")):
        whole = groups["blind"] if first == "blind_plain" else TEXTS
        assert len(groups[first]) + len(groups[second]) == len(whole)


def test_of_one_language_and_one_kind_nothing_is_parted() -> None:
    alike = [LabelledText(id=case.id, language="en", text="What now?") for case in CASES]
    assert group_by_label(alike, itself, blind=False) == {}
    assert set(group_by_label(alike, itself, blind=True)) == {"blind", "visible"}
