"""Calibrating: from a namespace's own texts, versioned, for what comes later alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.language import Language
from evolore.episodes.calibration import Calibration
from evolore.flows.calibrate import FEWEST_TEXTS, from_parameters, to_parameters
from evolore.ports import SourceText
from flows.memories import opened
from flows.test_maintain import SCALE, TOPICS, TopicEmbedder, about, topical
from store.structures import dump_of

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory


def filled(folder: Path, *, each: int) -> Memory:
    memory = opened(folder, TopicEmbedder(), Settings())
    memory.add(
        *(
            SourceText(
                source=topic,
                text="\n\n".join(about(topic, number) * 6 for number in range(each)),
                media_type=MediaType.PLAIN,
            )
            for topic in TOPICS
        )
    )
    return memory


def stored(memory: Memory) -> Calibration:
    with memory._context.store.read("n") as reader:
        return Calibration.from_arrays(from_parameters(reader.calibrations("topics")[Language.EN].parameters))


def test_a_calibration_tells_one_matter_from_another_in_texts_of_ones_own(store_path: Path) -> None:
    with filled(store_path, each=20) as memory:
        (found,) = memory.store.calibrate()
        assert (found.language, found.version, found.reason) == (Language.EN, 1, "")
        scale = stored(memory)
        near, far = scale.probability([0.9, -0.3]).tolist()
        assert near > 0.9
        assert far < 0.5
        assert memory.store.verify().is_whole


def test_too_few_texts_change_nothing_and_a_trial_neither(store_path: Path) -> None:
    with filled(store_path, each=2) as memory:
        before = dump_of(store_path)
        (found,) = memory.store.calibrate()
        assert (found.version, found.texts < FEWEST_TEXTS) == (None, True)
        assert str(FEWEST_TEXTS) in found.reason
        assert dump_of(store_path) == before
    with filled(store_path.with_name("other"), each=20) as memory:
        before = dump_of(store_path.with_name("other"))
        (found,) = memory.store.calibrate(dry_run=True)
        assert (found.version, found.reason) == (None, "only tried")
        assert dump_of(store_path.with_name("other")) == before


def test_versions_count_and_decisions_of_before_stay(store_path: Path) -> None:
    with topical(store_path) as memory:
        merged = memory.remember_many([])
        assert merged.episodes == ()
        memory.add(
            *(
                SourceText(
                    source=topic,
                    text="\n\n".join(about(topic, number) * 6 for number in range(20)),
                    media_type=MediaType.PLAIN,
                )
                for topic in TOPICS
            )
        )
        edges = dump_of(store_path)
        (found,) = memory.store.calibrate()
        assert found.version == 2
        after = dump_of(store_path)
        assert {name: rows for name, rows in after.items() if name in {"edges", "episodes"}} == {
            name: rows for name, rows in edges.items() if name in {"edges", "episodes"}
        }


def test_maintenance_calibrates_once_until_the_texts_have_grown_by_half(store_path: Path) -> None:
    with filled(store_path, each=20) as memory:
        assert [one.version for one in memory.maintain().calibrated] == [1]
        assert [one.version for one in memory.maintain().calibrated] == [None]


def test_a_calibration_comes_back_to_the_last_bit() -> None:
    again = Calibration.from_arrays(from_parameters(to_parameters(SCALE)))
    assert (again.slope, again.offset, again.texts) == (SCALE.slope, SCALE.offset, SCALE.texts)
    assert again.centre.tolist() == SCALE.centre.tolist()
    assert again.copies.tolist() == SCALE.copies.tolist()
