"""Make the same calls to mem0 and to ``evolore.integrations.mem0``, and print where their replies differ.

    pip install mem0ai qdrant-client          (in a virtual environment of its own, with Evolore)
    python benchmarks/mem0_calls.py

mem0 runs with ``infer=False`` and without a language model, on Qdrant's local mode; both have the stand-in for an embedder.
Ids, times and scores are told apart by whether they are the same ones again, not by what they are. Where replies differ,
both are printed; ``docs/connections.md`` says why.
"""

# pyright: basic, reportUnknownVariableType=false, reportUnknownArgumentType=false, reportUnknownMemberType=false

from __future__ import annotations

import json
import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import evolore
from evolore.integrations.mem0 import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole

if TYPE_CHECKING:
    from collections.abc import Callable

ANN = {"user_id": "ann"}
CALLS: tuple[tuple[str, Callable[[Any, list[str]], Any]], ...] = (
    ("add a text", lambda m, _: m.add("I love hiking in the Alps.", user_id="ann", infer=False)),
    (
        "add messages",
        lambda m, _: m.add(
            [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "I have a dog called Rex."}],
            user_id="ann",
            run_id="monday",
            infer=False,
        ),
    ),
    (
        "add with metadata",
        lambda m, _: m.add("The desk is oak.", user_id="ann", metadata={"room": "office", "n": 2}, infer=False),
    ),
    ("add for an agent", lambda m, _: m.add("Answer in French.", agent_id="helper", infer=False)),
    ("add the same again", lambda m, _: m.add("I love hiking in the Alps.", user_id="ann", infer=False)),
    ("add without a scope", lambda m, _: m.add("Words.", infer=False)),
    ("get", lambda m, ids: m.get(ids[0])),
    ("get what is not there", lambda m, _: m.get("00000000-0000-0000-0000-000000000000")),
    ("get_all", lambda m, _: m.get_all(filters=ANN)),
    ("get_all of a run", lambda m, _: m.get_all(filters={"run_id": "monday"})),
    ("get_all by metadata", lambda m, _: m.get_all(filters={**ANN, "room": "office"})),
    ("get_all without a scope", lambda m, _: m.get_all()),
    ("search", lambda m, _: m.search("Where is my desk of oak?", filters=ANN, top_k=1)),
    ("search by operators", lambda m, _: m.search("desk", filters={**ANN, "n": {"gte": 2}}, top_k=3)),
    ("search with a scope beside", lambda m, _: m.search("desk", user_id="ann")),
    ("update", lambda m, ids: m.update(ids[2], text="The desk is walnut.")),
    ("get what was updated", lambda m, ids: m.get(ids[2])),
    ("history", lambda m, ids: m.history(ids[2])),
    ("delete", lambda m, ids: m.delete(ids[0])),
    ("get what was deleted", lambda m, ids: m.get(ids[0])),
    ("history of what was deleted", lambda m, ids: m.history(ids[0])),
    ("delete what is not there", lambda m, ids: m.delete(ids[0])),
    ("delete_all", lambda m, _: m.delete_all(user_id="ann")),
    ("get_all after that", lambda m, _: m.get_all(filters=ANN)),
)


class Embedder:
    """The stand-in, as mem0 asks for vectors."""

    def embed(self, text: str, action: str | None = None) -> list[float]:
        """Give the vector of a text."""
        role = TextRole.QUERY if action == "search" else TextRole.PASSAGE
        return HashingEmbedder().embed([text], role=role)[0].tolist()

    def embed_batch(self, texts: list[str], action: str | None = None) -> list[list[float]]:
        """Give the vectors of texts."""
        return [self.embed(one, action) for one in texts]


def open_mem0(folder: Path) -> Any:  # noqa: ANN401 - it has no types
    """Open mem0 in a folder."""
    os.environ |= {"MEM0_DIR": str(folder / "home"), "MEM0_TELEMETRY": "False"}
    unused = {"provider": "openai", "config": {"api_key": "never asked"}}
    size = HashingEmbedder().model.dimension
    store = {"collection_name": "calls", "path": str(folder / "qdrant"), "on_disk": True, "embedding_model_dims": size}
    memory = import_module("mem0").Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": unused,
            "llm": unused,
            "history_db_path": str(folder / "history.db"),
        }
    )
    memory.embedding_model = Embedder()
    return memory


def replies(memory: Any) -> list[str]:  # noqa: ANN401 - either of both
    """Make every call, and give what came of each, written so that both can be compared."""
    ids: list[str] = []
    found: list[str] = []
    for _, call in CALLS:
        try:
            reply = call(memory, ids)
        except Exception as error:  # noqa: BLE001 - mem0 has errors of its own beside ValueError
            found.append("refused: not found" if "not found" in str(error) else "refused")
            continue
        ids += (
            [one["id"] for one in reply["results"] if one.get("event")]
            if isinstance(reply, dict) and "results" in reply
            else []
        )
        found.append(json.dumps(plain(reply, ids), sort_keys=True, ensure_ascii=False))
    return found


def plain(value: Any, ids: list[str]) -> Any:  # noqa: ANN401 - what JSON holds
    """Give a reply with ids as their places, and times and scores as marks."""
    if isinstance(value, list):
        every = [plain(one, ids) for one in value]
        return sorted(every, key=lambda one: json.dumps(one, sort_keys=True))
    if not isinstance(value, dict):
        return value
    shown = {}
    for name, one in value.items():
        if name in {"id", "memory_id"}:
            shown[name] = ids.index(one) if one in ids else "another"
        elif name in {"created_at", "updated_at", "score", "hash"}:
            shown[name] = one is not None
        elif not (name in {"actor_id", "attributed_to", "score", "role"} and one is None):
            shown[name] = plain(one, ids)
    return shown


def main() -> None:
    """Print which replies are the same."""
    with tempfile.TemporaryDirectory() as folder:
        theirs = replies(open_mem0(Path(folder)))
        with evolore.Memory.open(Path(folder) / "store", embedder=HashingEmbedder()) as kept:
            ours = replies(Memory(kept))
    same = sum(one == other for one, other in zip(theirs, ours, strict=True))
    print(f"{same} of {len(CALLS)} replies are the same")
    for (name, _), one, other in zip(CALLS, theirs, ours, strict=True):
        if one != other:
            print(f"\n{name}\n  mem0     {one}\n  evolore  {other}")


if __name__ == "__main__":
    main()
