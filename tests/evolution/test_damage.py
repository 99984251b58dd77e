from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.evolution.claim_changes import claim_changes
from evolore.evolution.damage import Damage, anchors_of, count_damage
from evolore.evolution.edits import EditKind, SectionEdit, apply_edits, place_of
from evolore.text.sections import read_sections

EN = Language.EN
BASE = """# Refunds

See [the form](https://desk.example/form) and [Time](#time).

## Time

Refunds take 7 business days, from 3 May 2026.

## Run

```
refund --all
```
"""


def damage_of(before: str, after: str, *edits: SectionEdit, evidence: tuple[str, ...] = ()) -> Damage:
    claims = claim_changes(before, after, language=EN)
    return count_damage(before, after, edits=edits, claims=claims, language=EN, evidence=evidence)


def edit_of(text: str, index: int, new: str, kind: EditKind = EditKind.REPLACE) -> SectionEdit:
    section = read_sections(text)[index]
    return SectionEdit(kind=kind, place=place_of(section), digest=section.digest, reason="Why.", text=new)


def test_a_text_that_stays_has_no_damage() -> None:
    assert damage_of(BASE, BASE) == Damage(
        stray_bytes=0,
        values_lost=(),
        unproved=(),
        links_lost=(),
        code_changed=0,
        anchors_lost=(),
        length_before=len(BASE),
        length_after=len(BASE),
    )


def test_each_counter_counts_its_damage() -> None:
    after = BASE.replace("7 business days", "9 business days").replace("## Time", "## Duration")
    after = after.replace("https://desk.example/form", "https://desk.example/other").replace("--all", "--some")
    found = damage_of(BASE, after)
    assert found.values_lost == ("7 business days",)
    assert found.unproved == ("9 business days",)
    assert found.links_lost == ("https://desk.example/form", "#time")
    assert (found.code_changed, found.anchors_lost) == (1, ("time",))


def test_a_link_that_is_broken_counts_as_lost() -> None:
    assert damage_of("See [the form](a.md) now.", "See [the form]( now.").links_lost[-1] == "[the form]( now."


def test_a_sentence_and_a_value_without_evidence_are_named_once() -> None:
    after = BASE.replace("2026.", "2026. Gift cards expire after 12 months.")
    assert damage_of(BASE, after).unproved == ("Gift cards expire after 12 months.",)


def test_a_value_of_the_evidence_is_proved() -> None:
    after = BASE.replace("7 business days", "9 business days")
    assert damage_of(BASE, after, evidence=("From May, refunds take 9 business days.",)).unproved == ()


def test_a_changed_section_that_no_edit_names_is_counted_in_bytes() -> None:
    after = BASE.replace("Refunds take", "They take")
    assert damage_of(BASE, after).stray_bytes == len(read_sections(BASE)[1].text.encode())
    assert damage_of(BASE, after, edit_of(BASE, 1, "## Time\n\nThey take …")).stray_bytes == 0


def test_anchors_are_those_that_github_makes() -> None:
    text = "# What's **new** in v1.2?\n\n## 返金 の手順!\n\n## `run_all` – now\n\n## Time\n\n## Time\n"
    assert list(anchors_of(read_sections(text))) == [
        "whats-new-in-v12", "返金-の手順", "run_all--now", "time", "time-1"
    ]  # fmt: skip


SECTIONS = st.lists(st.text("ab 1\n#`é返", min_size=1, max_size=20), min_size=1, max_size=5)


@given(bodies=SECTIONS, new=st.text("xy 2", min_size=1).filter(str.strip), place=st.integers(0), data=st.data())
def test_edits_never_change_a_byte_elsewhere(bodies: list[str], new: str, place: int, data: st.DataObject) -> None:
    text = "".join(f"# H{number}\n\n{body}\n\n" for number, body in enumerate(bodies))
    index = place % len(read_sections(text))
    kind = data.draw(st.sampled_from((EditKind.REPLACE, EditKind.INSERT)))
    edit = edit_of(text, index, f"# N\n\n{new}", kind)
    assert damage_of(text, apply_edits(text, [edit]), edit).stray_bytes == 0
