"""Approving needs what was seen; what it leads to is shown as the seed has it, and as the client reads it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from fastapi.testclient import TestClient

from evolore.config import Settings
from evolore.domain.result import from_json
from evolore.flows.evolve.show import EvolutionJob
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolving.canaries import QUICK, waiting, with_canary
from evolving.corrections import outdated
from evolving.scripted import ScriptedEditor
from server.serving import ADDRESS

if TYPE_CHECKING:
    from pathlib import Path


def test_a_job_is_approved_as_it_was_seen_and_rolled_back(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        namespace = {"Evolore-Namespace": memory.namespace}
        seen = memory.evolution.show(job_id)
        assert from_json(EvolutionJob, seen.to_dict()) == seen
    settings = Settings(evolution=with_canary(QUICK))
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=settings))
    with TestClient(app, base_url=ADDRESS, headers=namespace) as http:
        where = f"/api/evolution/jobs/{job_id}"
        shown = http.get(where)
        assert shown.json()["state"] == "waiting"
        candidates = http.get("/api/evolution/candidates").json()
        assert candidates["candidates"][0]["mutationType"] == "MUTATION_DETAIL"
        assert http.get(f"{where}/diff").json()["diffs"][0]["lines"]
        assert http.post(f"{where}/approve").status_code == 428
        assert http.post(f"{where}/approve", headers={"If-Match": '"another"'}).status_code == 412
        body = {"reason": "Right.", "canary": False}
        done = http.post(f"{where}/approve", json=body, headers={"If-Match": shown.headers["etag"]})
        assert done.json()["job"]["state"] == "promoted"
        again = http.post(f"{where}/approve", json=body, headers={"If-Match": shown.headers["etag"]})
        assert again.status_code == 412
        (change,) = http.get("/api/evolution/history").json()["history"]
        assert change["rollbackAvailable"]
        promotion = done.json()["promotion"]["id"]
        assert http.post(f"/api/evolution/promotions/{promotion}/rollback", json={"reason": "No."}).status_code == 200
        assert http.get(where).json()["state"] == "rolled_back"


def test_of_many_who_approve_what_they_saw_one_does(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        namespace = {"Evolore-Namespace": memory.namespace}
    settings = Settings(evolution=with_canary(QUICK))
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=settings))
    with TestClient(app, base_url=ADDRESS, headers=namespace) as http, ThreadPoolExecutor(12) as many:
        where = f"/api/evolution/jobs/{job_id}"
        seen = {"If-Match": http.get(where).headers["etag"]}
        body = {"reason": "Right.", "canary": False}
        asked = [many.submit(http.post, f"{where}/approve", json=body, headers=seen) for _ in range(12)]
        statuses = sorted(one.result().status_code for one in asked)
        assert statuses[0] == 200
        assert set(statuses[1:]) <= {409, 412, 422, 503}, "refused, or to be tried again"
        assert len(http.get("/api/evolution/history").json()["history"]) == 1


def test_a_write_that_has_no_etag_is_not_done_under_one(tmp_path: Path) -> None:
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder()))
    with TestClient(app, base_url=ADDRESS) as http:
        put = {"source": "a.md", "text": "Nine boxes."}
        reply = http.put("/api/documents", json=put, headers={"If-Match": '"seen"'})
        assert (reply.status_code, http.get("/api/stats").json()["documents"]) == (412, 0)


def test_the_route_objects_to_nothing_that_was_proved_in_an_edited_text(tmp_path: Path) -> None:
    with outdated(tmp_path, model=ScriptedEditor()) as memory:
        (job,) = memory.evolve()
    text = job.candidates[0].texts[0].text.replace("The desk decides.", "It is the desk that decides.")
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder()))
    with TestClient(app, base_url=ADDRESS) as http:
        where = f"/api/evolution/jobs/{job.id}"
        seen = {"If-Match": http.get(where).headers["etag"]}
        done = http.post(f"{where}/approve", json={"text": text}, headers=seen).json()
        assert (done["warnings"], done["promotion"]["is_edited"]) == ([], True)
        assert done["job"]["candidates"][0]["proof"]["is_proved"]
