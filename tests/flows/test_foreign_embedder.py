"""A store whose embedder is served at an address, and which nobody calibrated: from the first text to the way back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from evolore.config import EmbedderName, Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.language import Language
from evolore.domain.model_server import EmbeddingServer
from evolore.episodes.calibration import TYPICAL
from evolore.errors import EmbedderMismatch, InvalidSetting, ServerUnreachable
from evolore.flows.calibrate import Scales
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText, TextRole
from offline_server import OfflineChatServer, ServerFault, embedded_by

pytest.importorskip("openai", reason="openai is not installed")

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from evolore.episodes.calibration import Calibration
    from evolore.flows.remember.plan import Integrated

TEAMS = ("Ana", "Ben", "Chie", "Dora", "Emil", "Fumi", "Gina", "Hugo", "Ida", "Jun")
PLACES = ("the harbour", "the archive", "the kitchen", "the roof garden", "the server room")


def served(server: OfflineChatServer, **more: object) -> Settings:
    given: dict[str, object] = {"model": "m", "base_url": server.url, "query_prefix": "Q: ", **more}
    embedding = EmbeddingServer(**given)  # pyright: ignore[reportArgumentType] - as from a file
    return Settings(embedder=EmbedderName.OPENAI, embedding=embedding)


def crowded(body: Mapping[str, object]) -> str:
    """Answer with vectors of which most is common to all, as E5's: unrelated texts have a cosine around 0.8."""
    texts = cast("list[str]", body["input"])
    vectors = HashingEmbedder(256).embed(texts, role=TextRole.PASSAGE)
    vectors = np.concatenate([vectors, np.full((len(texts), 1), 2.0)], axis=1)
    rows = [{"index": place, "embedding": row} for place, row in enumerate(vectors.tolist())]
    return json.dumps({"data": rows})


def scale_of(memory: Memory) -> Calibration:
    context = memory._context
    with context.store.read(context.namespace) as reader:
        stored = reader.calibrations(context.embedder.model.id)
    return Scales(context.calibrations, context.embedder.model, stored).of(Language.EN)


def became(memory: Memory, text: str) -> Integrated:
    (one,) = memory.remember_many([Statement(text=text)]).integrated
    return one


def statement(number: int) -> str:
    verbs = ("paints", "repairs", "orders", "cleans", "measures", "photographs", "insures")
    things = (
        "the blue boat",
        "two wheels",
        "a lamp",
        "every window",
        "old maps",
        "the piano",
        "her tools",
        "six chairs",
        "tiles",
    )
    return f"{TEAMS[number % 10]} {verbs[number % 7]} {things[number % 9]} for {PLACES[number % 5]}."


def fill(memory: Memory, *, count: int = 50) -> None:
    for number in range(count):
        memory.remember(statement(number))


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_a_store_goes_from_a_server_to_the_built_in_embedder_and_back(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with OfflineChatServer([embedded_by(HashingEmbedder(96))]) as server:
        settings = served(server)
        with Memory.open(store, settings=settings) as memory:
            memory.remember("The alarm code is under the flower pot.")
            memory.add_text(
                "# Boats\n\nThe boat lies in the harbour.\n\n# Bread\n\nFlour, yeast and salt.", source="notes.md"
            )
            assert memory.recall("flower pot").hits[0].text == "The alarm code is under the flower pot."
            model = memory._context.embedder.model
            assert model.id.startswith("m/96/")
            assert any(
                text.startswith("Q: flower pot") for body in server.bodies for text in cast("list[str]", body["input"])
            )

        with Memory.open(store, settings=settings) as memory:
            done = memory.store.reembed("use")
            assert (done.old_model, done.new_model.dimension, done.remaining) == (model, 512, 0)
            calls = server.calls
            assert memory.recall("Where is the ship?").hits[0].text.startswith("# Boats")
            assert server.calls == calls
        with pytest.raises(EmbedderMismatch, match="m/96"):
            Memory.open(store, settings=settings).recall("boat")

        with Memory.open(store, embedder="use", settings=settings) as memory:
            back = memory.store.reembed("openai")
            assert (back.new_model, back.embedded, back.texts) == (model, done.texts, done.texts)
            assert memory.recall("flower pot").hits[0].text == "The alarm code is under the flower pot."
            assert memory.store.verify().is_whole


def test_a_server_that_fails_half_way_leaves_the_store_as_it_was_and_the_same_call_goes_on(tmp_path: Path) -> None:
    with OfflineChatServer([embedded_by(HashingEmbedder(96))]) as server:
        script = server._replies
        settings = served(server, dimension=96, tries=1)
        with Memory.open(tmp_path / "store", embedder="use", settings=settings) as memory:
            fill(memory, count=8)
            script[:] = [script[0], script[0], script[0], ServerFault.BROKEN, script[0]]
            with pytest.raises(ServerUnreachable, match="what was embedded before is kept"):
                memory.store.reembed("openai")
            assert memory.recall("old maps").hits
            done = memory.store.reembed("openai")
            assert (done.texts, done.remaining) == (8, 0)
            assert done.embedded <= 8


def test_a_store_refuses_the_same_model_with_other_prefixes_or_of_another_name(tmp_path: Path) -> None:
    with OfflineChatServer([embedded_by(HashingEmbedder(96))]) as server:
        with Memory.open(tmp_path / "store", settings=served(server)) as memory:
            memory.remember("The alarm code is under the flower pot.")
        for other in ({"query_prefix": ""}, {"passage_prefix": "P: "}, {"model": "n"}):
            with (
                pytest.raises(EmbedderMismatch, match="reembed"),
                Memory.open(tmp_path / "store", settings=served(server, **other)) as memory,
            ):
                memory.recall("flower pot")


def test_what_similarities_mean_with_a_foreign_embedder_is_found_from_the_users_own_statements(tmp_path: Path) -> None:
    with (
        OfflineChatServer([crowded]) as server,
        Memory.open(tmp_path / "store", settings=served(server, dimension=257)) as memory,
    ):
        fill(memory)
        assert scale_of(memory).texts == 0
        assert (
            became(memory, statement(0).replace("boat", "boat now")).merged_with is None
        )  # nobody knows yet what a copy is
        (found,) = memory.maintain().calibrated
        assert (found.language, found.version) == (Language.EN, 1)
        assert (found.slope, found.offset) == TYPICAL  # nothing tells which statements are of one matter
        scale = scale_of(memory)
        one, other, copy = memory._context.embedder.embed(
            [statement(0), statement(23), statement(0).replace("for", "again for")], role=TextRole.PASSAGE
        )
        assert one @ other > 0.75
        near, far = scale.probability(scale.cosines(one[None], np.stack([copy, other])))[0].tolist()
        assert near > 0.9
        assert far < 0.5
        assert became(memory, statement(1).replace("wheels", "wheels now")).merged_with is not None


def test_a_change_to_a_foreign_embedder_calibrates_it_at_once(tmp_path: Path) -> None:
    with (
        OfflineChatServer([crowded]) as server,
        Memory.open(tmp_path / "store", embedder="use", settings=served(server, dimension=257)) as memory,
    ):
        pages = [
            SourceText(
                source=f"{place}.txt",
                text="\n\n".join(f"{who} looks after {place} on day {day}. " * 12 for day, who in enumerate(TEAMS)),
                media_type=MediaType.PLAIN,
            )
            for place in PLACES
        ]
        memory.add(*pages)
        memory.store.reembed("openai")
        assert scale_of(memory).texts >= 40


def test_the_settings_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InvalidSetting, match=r"embedding\.model is empty"):
        Memory.open(tmp_path / "store", embedder="openai", settings=Settings())
    openai = Settings(embedding=EmbeddingServer(model="text-embedding-3-small", dimension=1536))
    with pytest.raises(InvalidSetting, match=r"OPENAI_API_KEY is not set: .*embedding\.api_key_env"):
        Memory.open(tmp_path / "store", embedder="openai", settings=openai)
