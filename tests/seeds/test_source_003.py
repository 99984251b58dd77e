"""Documents that evolve, as their source asks for it, over its routes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.config import Settings
from evolore.domain.evolution import Operator
from evolore.evolution.settings import EvolutionSettings, SelectionMode
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolving.complaints import NEWS, PEOPLE, TEXT, complained
from evolving.scripted import Data, ScriptedEditor
from server.serving import ADDRESS

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.ports import ChatModel


class Reworder(ScriptedEditor):
    """Rewrites the first sentence as its aim asks, without another value."""

    def _evolution_write(self, data: Data) -> Data:
        self.new = {
            "clarity": "Refunds take 7 business days, counted from the day of your request.",
            "simplify": "Refunds: 7 business days.",
            "qa_format": "### How long do refunds take?\n\nRefunds take 7 business days.",
        }[data["aim"]]
        return super()._evolution_write(data)


@contextmanager
def serving(folder: Path, model: ChatModel, evolution: EvolutionSettings | None = None) -> Generator[TestClient]:
    settings = Settings(evolution=evolution or EvolutionSettings())
    memories = Memories(folder / "store", embedder=HashingEmbedder(), chat_model=model, settings=settings)
    with TestClient(create_app(memories), base_url=ADDRESS) as http:
        yield http


def complain(http: TestClient) -> None:
    for source, text in (("refunds.md", TEXT), ("news.md", NEWS)):
        assert http.put("/api/documents", json={"source": source, "text": text}).status_code == 200
    for who in PEOPLE:
        headers = {"Evolore-Principal": who}
        asked = {"question": f"how long do refunds take in case {who}?"}
        answer = http.post("/api/answers", json=asked, headers=headers).json()
        assert http.post(f"/api/ratings/{answer['id']}", json={"rating": "bad"}, headers=headers).status_code == 201


def test_a_run_over_the_api_has_the_fields_of_the_source(tmp_path: Path) -> None:
    with serving(tmp_path, ScriptedEditor(), EvolutionSettings(mode=SelectionMode.SEED)) as http:
        complain(http)
        eligible = http.get("/api/evolution/stats").json()["stats"]["evolution"]["eligibleDocumentIds"]
        run = http.post("/api/evolution/run", json={}).json()
        assert (run["success"], run["message"]) == (True, "Evolution completed. Processed 1 documents")
        (job,) = run["jobs"]
        fields = {"id", "documentId", "status", "candidates", "evaluationResults", "winnerCandidateId"}
        assert fields <= job.keys()
        assert (job["status"], [job["documentId"]]) == ("completed", eligible)
        assert job["winnerCandidateId"] == job["candidates"][0]["id"]
        (result,) = job["evaluationResults"]
        assert result["winRate"] >= 0.6
        assert set(result["metrics"]) == {"helpfulness", "correctness", "coherence"}


def test_one_document_may_be_named(tmp_path: Path) -> None:
    with serving(tmp_path, ScriptedEditor()) as http:
        complain(http)
        run = http.post("/api/evolution/run", json={"documentId": "news.md"}).json()
        assert [one["documentId"] for one in run["jobs"]] == [http.get("/api/documents/news.md").json()["id"]]


def test_a_document_takes_its_type_from_its_name(tmp_path: Path) -> None:
    with serving(tmp_path, ScriptedEditor()) as http:
        added = http.put("/api/documents", json={"source": "returns.md", "text": TEXT}).json()
        assert (added["media_type"], added["title"]) == ("text/markdown", "Refunds")


@pytest.mark.parametrize("aim", ["MUTATION_CLARITY", "MUTATION_SIMPLIFY", "MUTATION_QA_FORMAT"])
def test_each_mutation_makes_a_candidate_that_passes_the_gates(aim: str, tmp_path: Path) -> None:
    alone = EvolutionSettings(operators=(Operator(aim),), mode=SelectionMode.SEED)
    with complained(tmp_path, model=Reworder(), evolution=alone) as memory:
        (job,) = memory.evolve()
        (candidate,) = job.candidates
        assert (candidate.operator, candidate.refusals) == (Operator(aim), ())


def test_three_mutations_are_made_from_what_people_complained_of(tmp_path: Path) -> None:
    aims = (Operator.MUTATION_CLARITY, Operator.MUTATION_SIMPLIFY, Operator.MUTATION_QA_FORMAT)
    model = Reworder()
    evolution = EvolutionSettings(operators=aims, mode=SelectionMode.SEED)
    with complained(tmp_path, model=model, evolution=evolution) as memory:
        (job,) = memory.evolve()
        assert tuple(one.operator for one in job.candidates) == aims
        asked = [one.messages[-1].text for one in model.asked if one.purpose == "evolution.write"]
        assert len(asked) == 3
        assert all("I was told otherwise." in one for one in asked)
