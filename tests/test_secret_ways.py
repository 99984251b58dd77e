"""A secret is screened on every way by which a text comes in: by a verb, a model, a page, a route, a tool, an adapter, a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest
from fastapi.testclient import TestClient

from evolore.domain.episode import Statement
from evolore.domain.evolution import Operator
from evolore.domain.secret import SecretsPolicy
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve.approve import objections
from evolore.integrations.langgraph import EvoloreStore
from evolore.integrations.mem0 import Memory as Mem0
from evolore.integrations.tools import MemoryTools
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from evolving.complaints import NEWS, TEXT
from evolving.corrections import add, ask_and_complain, opened, outdated
from evolving.scripted import NEW, ScriptedEditor
from server.serving import ADDRESS
from server.test_pages import sent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evolore.flows.evolve.show import EvolutionJob

SECRET = "zu6WC!gyOK9"
SAID = f"The wifi password is {SECRET}."
JAPANESE = f"パスワードは{SECRET}です。"
KEEP, REDACT, REFUSE = SecretsPolicy
DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
POLICIES = (KEEP, REDACT, pytest.param(REFUSE, marks=pytest.mark.long))
Way: TypeAlias = "Callable[[Memory, Path], object]"


def remember_filed(memory: Memory, _folder: Path) -> object:
    return memory.remember("We met.", metadata={"password": SECRET})


def remember_many(memory: Memory, _folder: Path) -> object:
    return memory.remember_many([Statement(text="We met.", tags=(f"pw={SECRET}",))])


def correct(memory: Memory, _folder: Path) -> object:
    return memory.correct(memory.remember("The wifi is slow.").id, SAID)


def add_file(memory: Memory, folder: Path) -> object:
    (folder / "a.md").write_text(f"# Router\n\n{JAPANESE}\n", encoding="utf-8")
    done = memory.add(folder / "a.md")
    if done.failures:
        raise InvalidValue(done.failures[0].reason)
    return done


def add_filed(memory: Memory, _folder: Path) -> object:
    return memory.add_text("# A\n\nIt rains.\n", source="a.md", title=SAID, metadata={"pw": SECRET})


def ask(memory: Memory, _folder: Path) -> object:
    return memory.recall(SAID, record=True)


def comment(memory: Memory, _folder: Path) -> object:
    return memory.rate(memory.answer("how long do refunds take?").id, "bad", comment=SAID)


def comment_on_a_document(memory: Memory, _folder: Path) -> object:
    return memory.rate("refunds.md", "bad", comment=SAID)


def record_an_answer(memory: Memory, _folder: Path) -> object:
    return memory.questions.record_answer("What is it?", SAID, cited=["refunds.md"])


def note(memory: Memory, _folder: Path) -> object:
    return memory.review.note(SAID)


def standing_page(memory: Memory, _folder: Path) -> object:
    return memory.pages.add(SAID)


def procedure(memory: Memory, _folder: Path) -> object:
    return memory.remember(f"{SAID}: then log in.", kind="procedure", outcome="worked")


def model_writes_a_page(memory: Memory, _folder: Path) -> object:
    return memory.pages.add("How long do refunds take?")


def resolve(memory: Memory, _folder: Path) -> object:
    return memory.review.resolve(memory.review.note("Look.").id or "", note=SAID)


def settle(memory: Memory, _folder: Path) -> object:
    for text in ("The office is in Kobe.", "The office isn't in Kobe."):
        memory.remember(text)
    (item,) = memory.review.list(category="contradiction")
    return memory.review.settle(item.id or "", keep="both", note=SAID)


def close_a_gap(memory: Memory, _folder: Path) -> object:
    (first, *_) = memory.evolution.gaps(least=1)
    return memory.evolution.close_gap(first.id, reason=SAID)


def _job(memory: Memory) -> EvolutionJob:
    (job,) = memory.evolve()
    return job


def approve_an_edit(memory: Memory, _folder: Path) -> object:
    job = _job(memory)
    edited = job.candidates[0].texts[0].text.replace("Call it at noon.", f"Call it at noon.\n\n{SAID}")
    assert SECRET in edited
    return memory.evolution.approve(job.id, text=edited)


def approve_as_a_canary(memory: Memory, _folder: Path) -> object:
    job = _job(memory)
    edited = job.candidates[0].texts[0].text.replace("Call it at noon.", f"Call it at noon.\n\n{SAID}")
    return memory.evolution.approve(job.id, text=edited, canary=True)


def approve_for_a_reason(memory: Memory, _folder: Path) -> object:
    return memory.evolution.approve(_job(memory).id, reason=SAID)


def reject(memory: Memory, _folder: Path) -> object:
    return memory.evolution.reject(_job(memory).id, reason=SAID)


def roll_back(memory: Memory, _folder: Path) -> object:
    job = _job(memory)
    memory.evolution.approve(job.id)
    return memory.evolution.rollback(job.id, reason=SAID)


def import_statements(memory: Memory, folder: Path) -> object:
    return _imported(memory, folder, SAID, {})


def import_metadata(memory: Memory, folder: Path) -> object:
    return _imported(memory, folder, "We met.", {"password": SECRET})


def import_a_reason(memory: Memory, folder: Path) -> object:
    return _imported(memory, folder, "We met.", {}, reason=JAPANESE)


def _imported(memory: Memory, folder: Path, text: str, metadata: dict[str, str], *, reason: str = "") -> object:
    with outdated(folder / "other", model=ScriptedEditor(), evolution=DETAIL) as other:
        other.remember(text, metadata=metadata)
        if reason:
            other.evolution.reject(_job(other).id, reason=reason)
        other.store.export(folder / "all.jsonl")
    settings = memory._context.settings
    with Memory.open(folder / "store", namespace="new", embedder=HashingEmbedder(), settings=settings) as new:
        return new.store.import_(folder / "all.jsonl")


def move_in(memory: Memory, folder: Path) -> object:
    (folder / "chat.jsonl").write_text(json.dumps({"text": JAPANESE}), encoding="utf-8")
    return memory.store.move_in(folder / "chat.jsonl", "jsonl")


def tool(memory: Memory, _folder: Path) -> object:
    return MemoryTools(memory).call("remember", {"text": SAID})


def mem0(memory: Memory, _folder: Path) -> object:
    return Mem0(memory).add("I like tea.", user_id="ann", metadata={"note": JAPANESE})


def mem0_update(memory: Memory, _folder: Path) -> object:
    kept = Mem0(memory)
    return kept.update(kept.add("I like tea.", user_id="ann")["results"][0]["id"], SAID)


def langgraph(memory: Memory, _folder: Path) -> object:
    store = EvoloreStore(memory)
    store.put(("users",), "mika", {"deep": [{"note": JAPANESE}], "password": SECRET, "long": "x" * 3000})
    kept = store.get(("users",), "mika")
    assert kept is not None
    assert kept.value["long"] == "x" * 3000
    return kept


def model_answers(memory: Memory, _folder: Path) -> object:
    memory.add_text("# Hours\n\nThe bakery opens at seven.\n", source="hours.md")
    return memory.answer("when does the bakery open?")


def model_writes(memory: Memory, _folder: Path) -> object:
    return _job(memory)


WAYS: tuple[Way, ...] = (
    *(remember_filed, remember_many, correct, add_file, add_filed, ask, comment, comment_on_a_document),
    *(record_an_answer, note, resolve, settle, close_a_gap, approve_an_edit, approve_as_a_canary, approve_for_a_reason),
    *(
        reject,
        roll_back,
        import_statements,
        import_metadata,
        import_a_reason,
        move_in,
        tool,
        mem0,
        mem0_update,
        langgraph,
    ),
    *(model_answers, model_writes, model_writes_a_page, standing_page, procedure),
)


def test_an_approval_is_not_refused_for_a_secret_that_the_document_held_before(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        add(memory, f"{TEXT}\n\n{SAID}\n", "refunds.md")
        ask_and_complain(memory)
        add(memory, NEWS, "news.md")
    with opened(tmp_path, model=ScriptedEditor(), evolution=DETAIL, hours=1, secrets=REFUSE) as memory:
        job = _job(memory)
        text = job.candidates[0].texts[0].text
        assert SECRET in text, "it repeats what it does not change"
        with pytest.raises(InvalidValue, match="seems to hold a secret"):
            memory.evolution.approve(job.id, text=f"{text}\n\nThe door code: password is {SECRET[::-1]}.")
        assert memory.evolution.approve(job.id).promotion is not None


class Telling(ScriptedEditor):
    """A model that puts a secret into what it answers and writes."""

    def __init__(self) -> None:
        super().__init__(new=f"{NEW} {SAID}")

    def _recall_answer(self, data: object) -> object:
        del data
        return {"in_sources": True, "sentences": [{"text": f"It opens at seven. {SAID}", "passages": [1]}]}


def is_held(folder: Path) -> bool:
    """Return whether a secret is in any file of the store."""
    files = [one.read_bytes() for one in (folder / "store").rglob("*") if one.is_file()]
    return any(SECRET.encode() in one for one in files)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_secret_is_screened_whichever_way_it_comes_in(tmp_path: Path, way: Way, policy: SecretsPolicy) -> None:
    model = Telling() if way in {model_answers, model_writes, model_writes_a_page} else ScriptedEditor()
    with outdated(tmp_path, model=model, evolution=DETAIL, secrets=policy) as memory:
        try:
            way(memory, tmp_path)
        except InvalidValue as refused:
            told = str(refused)
            assert policy is not KEEP
            assert "seems to hold a secret" in told
            assert SECRET not in told
    assert is_held(tmp_path) is (policy is KEEP), "the control: it is held where it is kept"


REQUESTS = {
    "statement": ("POST", "/api/statements", {"json": {"statements": [{"text": SAID}]}}),
    "upload": ("POST", "/api/documents", {"files": {"file": ("a.html", f"<h1>A</h1><p>{JAPANESE}</p>".encode())}}),
    "text": ("PUT", "/api/documents", {"json": {"source": "b.md", "text": f"# B\n\n{SAID}\n"}}),
    "note": ("POST", "/api/review", {"json": {"text": SAID}}),
    "recorded answer": ("POST", "/api/answers/recorded", {"json": {"question": "What is it?", "text": SAID}}),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", [*REQUESTS, "ask", "edit"])
def test_a_secret_is_screened_on_every_route_and_page(tmp_path: Path, name: str, policy: SecretsPolicy) -> None:
    with outdated(tmp_path, model=ScriptedEditor(), evolution=DETAIL, secrets=policy) as memory:
        edited = warned = where = ""
        if name == "edit":
            job = _job(memory)
            where = f"/evolution/jobs/{job.id}"
            edited = job.candidates[0].texts[0].text.replace("Call it at noon.", f"Call it at noon. {SAID}")
            warned = "\n".join(objections(memory._context, job.id, edited))
        settings, namespace = memory._context.settings, memory.namespace
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=settings), address=ADDRESS)
    with TestClient(app, base_url=ADDRESS, headers={"Evolore-Namespace": namespace}, follow_redirects=False) as http:
        if name == "ask":
            came = sent(http, "/ask", "/ask", question=SAID)
        elif where:
            came = sent(http, where, f"{where}/edit", text=edited, sure=warned)
        else:
            method, path, body = REQUESTS[name]
            came = http.request(method, path, headers={"Idempotency-Key": "one"}, **body)  # pyright: ignore[reportArgumentType]
        assert came.status_code < 500
        if policy is REFUSE:
            assert SECRET not in came.text or name in {"ask", "edit"}
    assert is_held(tmp_path) is (policy is KEEP), "the control: it is held where it is kept"
