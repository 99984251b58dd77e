"""Pin what Evolore does while its inside is rebuilt: predictions, the ways of verbs, the size of the house.

Run it as ``.venv/bin/python benchmarks/pins.py predictions FOLDER [--against OTHER]``, ``… traces [--json]`` or
``… house [--json]``. All three know the public surface alone, so that they outlive what they measure.

- ``predictions`` runs ``evolore evaluate`` of every system on a fixed part of ``tests/data`` and writes one file a
  system: its predictions, then its figures, without those of time. The visible halves alone are asked for. With
  ``--against`` files are compared byte by byte; the exit code is 1 where one differs.
- ``traces`` runs verbs in a store of 200 statements and 3 documents with the default embedder. Each was called once
  before. Of a verb are printed the files and functions of ``evolore`` that it enters, how deep they are nested, how
  often a function calls one of another file, and the SQL statements. A statement is a SELECT or a change of rows, not
  BEGIN or PRAGMA; one that is given with many rows at once (``executemany``) counts once, and under `runs` for each row.
  ``recall_cold`` opens the store too; the others are warm. SQLite itself tells the statements of every connection,
  whoever opened it, and all threads are looked at.
- ``house`` counts ``src/``. Lines of code are those with more than a comment, a docstring or an import. Cycles count
  what is imported inside functions too, but not what type checkers alone import.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import io
import json
import os
import re
import sqlite3
import sqlite3.dbapi2
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from graphlib import CycleError, TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
    from types import CodeType, FrameType

    from evolore import Memory

    Row: TypeAlias = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
LANGUAGES = ("en", "ja", "zh")

# --- predictions ------------------------------------------------------------------------------------------------------

SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?]) ")
TIMES = re.compile(r"(^|_)(ms|seconds?)(_|$)")
"""In names of figures that are never twice the same."""
OPTIONS: Mapping[str, tuple[str, ...]] = {"evolution": ("--alone",)}
FOLDERS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "intents": (("intents", 90),),
    "arousal": (("arousal", 90),),
    "pairs": (("pairs", 300),),
    "sentences": (("hard_sentences", 200), ("hard_sentences_second", 200)),
    "staleness": (("staleness", 24),),
    "edits": (("edits", 60), ("edits_second", 60), ("edits_third", 60), ("edits_fourth", 60)),
}
"""The folders of the project's own sets that are taken as they are, and how many lines of each file."""
SYSTEMS = (
    "evolution",  # those that take longest begin first
    "learning",
    "retrieval",
    "answers",
    "life",
    "edits",
    "staleness",
    "graph",
    "segmentation",
    "sentences",
    "chunks",
    "intents",
    "arousal",
    "pairs",
)


def read(path: str) -> list[Row]:
    """Give the lines of a set of the project's own."""
    return [json.loads(line) for line in (DATA / path).read_text("utf-8").splitlines()]


def spread(rows: Sequence[Row], count: int) -> list[Row]:
    """Take so many of the rows, evenly from the first to the last."""
    return list(rows) if len(rows) <= count else [rows[at * len(rows) // count] for at in range(count)]


def pages(language: str) -> list[Row]:
    """Give the documents of a knowledge base, as they should read."""
    rows = [row for row in read(f"evolution/{language}.jsonl") if row["kind"] == "document"]
    return [{**row, "text": row.get("good", row["text"])} for row in rows]


def asked(language: str) -> list[Row]:
    """Give the questions to a knowledge base."""
    return [row for row in read(f"evolution/{language}.jsonl") if row["kind"] == "question"]


def segmented(page: Row) -> Row:
    """Give a page in sentences; its sections are the segments, their headings are left out."""
    sentences: list[str] = []
    boundaries: list[int] = []
    for line in page["text"].splitlines():
        if line.startswith("#"):
            boundaries.append(len(sentences))
        else:
            sentences += [one.strip() for one in SENTENCE_END.split(line) if one.strip()]
    inside = sorted({at for at in boundaries if 0 < at < len(sentences)})
    return {"id": page["id"], "lang": page["lang"], "sentences": sentences, "boundaries": inside}


def book(some: Sequence[Row]) -> Row:
    """Give pages one after the other as one text, whose segments they are."""
    sentences: list[str] = []
    boundaries: list[int] = []
    for page in map(segmented, some):
        boundaries.append(len(sentences))
        sentences += page["sentences"]
    return {"id": some[0]["id"], "lang": some[0]["lang"], "sentences": sentences, "boundaries": boundaries[1:]}


def books(language: str) -> list[Row]:
    """Give a knowledge base in books of some pages each."""
    of = pages(language)
    return [book(of[at : at + 5]) for at in range(0, len(of), 5)]


def marked(question: Row, text: str) -> Row | None:
    """Give a question with the places of its answer in the text; None where it does not stand there."""
    found = [next((one for one in wordings if one in text), None) for wordings in question["answer"]["all_of"]]
    places = [(text.index(one), len(one)) for one in found if one is not None]
    references = [{"start_index": at, "end_index": at + length} for at, length in places]
    whole = {"question": question["text"], "references": references, "corpus_id": question["document"]}
    return {"id": question["id"], **whole} if references else None


def chunk_sets(language: str) -> Iterator[tuple[str, list[Row]]]:
    """Give pages as corpora, and questions whose answers stand in them word for word."""
    texts: dict[str, str] = {page["id"]: page["text"] for page in pages(language)}
    yield f"corpora_{language}", [{"corpus_id": name, "text": text} for name, text in texts.items()]
    questions = (marked(one, texts[one["document"]]) for one in asked(language))
    yield f"questions_{language}", spread([one for one in questions if one], 50)


def retrieval_sets(language: str) -> Iterator[tuple[str, list[Row]]]:
    """Give a memory of everyday facts, and pages as a corpus."""
    yield f"memory_{language}", read(f"life/everyday/{language}.jsonl")[:1]
    corpus = [{"type": "doc", "id": one["id"], "title": one["title"], "text": one["text"]} for one in pages(language)]
    questions = [{"type": "q", "text": one["text"], "gold": [one["document"]]} for one in spread(asked(language), 30)]
    yield f"pages_{language}", corpus + questions


def knowledge(language: str, count: int) -> list[Row]:
    """Give the first documents of a knowledge base as they stand, with all that is asked and said of them."""
    rows = read(f"evolution/{language}.jsonl")
    few = {row["id"] for row in rows if row["kind"] == "document"}
    few = set(sorted(few)[:count])
    return [row for row in rows if row.get("document", row["id"]) in few]


def answer_set(language: str) -> list[Row]:
    """Give the first documents with every seventh question to them."""
    rows = knowledge(language, 10)
    return [row for row in rows if row["kind"] == "document"] + [row for row in rows if row["kind"] == "question"][::7]


def life_sets(language: str) -> Iterator[tuple[str, list[Row]]]:
    """Give a memory or two of every kind."""
    for kind, count in (("everyday", 1), ("times", 2), ("senses", 3), ("seed", 2)):
        yield f"{kind}_{language}", read(f"life/{kind}/{language}.jsonl")[:count]


def own_sets(folder: str, count: int) -> Iterator[tuple[str, list[Row]]]:
    """Give a part of each file of a folder."""
    for path in sorted((DATA / folder).glob("*.jsonl")):
        yield f"{folder}_{path.stem}", spread(read(f"{folder}/{path.name}"), count)


def sets_of(system: str) -> Iterator[tuple[str, list[Row]]]:
    """Give the names and lines of the sets that a system is pinned on."""
    for folder, count in FOLDERS.get(system, ()):
        yield from own_sets(folder, count)
    for language in LANGUAGES:
        yield from made_sets(system, language)


def made_sets(system: str, language: str) -> Iterator[tuple[str, list[Row]]]:
    """Give the sets of a system that are made of other data, in one language."""
    match system:
        case "segmentation" | "graph":
            if system == "segmentation":
                yield f"pages_{language}", [segmented(page) for page in pages(language)]
            yield f"books_{language}", books(language)
        case "chunks":
            yield from chunk_sets(language)
        case "retrieval":
            yield from retrieval_sets(language)
        case "learning":
            yield f"memory_{language}", read(f"life/everyday/{language}.jsonl")[:1]
        case "life":
            yield from life_sets(language)
        case "answers" | "evolution":
            yield f"pages_{language}", answer_set(language) if system == "answers" else knowledge(language, 2)
        case _:
            return


def bare_environment(folder: Path) -> dict[str, str]:
    """Give the environment without the settings of who runs this, with one thread for arithmetic and fixed hashes."""
    empty = folder / "no_settings.toml"
    empty.touch()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVOLORE_")}
    source = os.pathsep.join(filter(None, (str(ROOT / "src"), kept.get("PYTHONPATH"))))
    same = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}  # reasons follow the hashes
    return {**kept, **same, "EVOLORE_CONFIG": str(empty), "PYTHONPATH": source}


def without_times(figures: object) -> object:
    """Leave out of figures what is never twice the same."""
    if not isinstance(figures, dict):
        return figures
    named = cast("dict[str, object]", figures)
    return {name: without_times(one) for name, one in named.items() if not is_of_time(name)}


def is_of_time(name: str) -> bool:
    """Tell whether a figure is one of time.

    >>> [name for name in ("p50_ms", "ms_per_item", "megabytes_per_second", "mean_items") if is_of_time(name)]
    ['p50_ms', 'ms_per_item', 'megabytes_per_second']
    """
    return TIMES.search(name) is not None


def evaluate(system: str, scratch: Path) -> tuple[str, float]:
    """Run ``evolore evaluate`` of a system; give its predictions, then its figures, a JSON object a line, and seconds."""
    began = perf_counter()
    folder, told = scratch / system, scratch / f"{system}.predictions"
    folder.mkdir()
    for name, rows in sets_of(system):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")
    command = [sys.executable, "-m", "evolore", "evaluate", system, str(folder), "--json", "--predictions", str(told)]
    done = subprocess.run(
        [*command, *OPTIONS.get(system, ())],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=bare_environment(scratch),
    )
    if done.returncode:
        raise SystemExit(f"evolore evaluate {system} ended with {done.returncode}: {done.stderr[-2000:]}")
    figures = [json.dumps(without_times(one), ensure_ascii=False) for one in json.loads(done.stdout)["sets"]]
    return told.read_text("utf-8") + "".join(f"{line}\n" for line in figures), perf_counter() - began


def first_difference(ours: str, theirs: str) -> str:
    """Say where two texts part: line and column from 1, and what stands there."""
    mine, other = ours.splitlines(), theirs.splitlines()
    for number, (one, two) in enumerate(zip(mine, other, strict=False), start=1):
        if one != two:
            at = next((place for place, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), 0)
            begin = max(0, at - 40)
            return f"line {number}, column {at + 1}:\n    {two[begin : at + 60]}\n    {one[begin : at + 60]}"
    return f"{len(other)} lines became {len(mine)}"


def compare(folder: Path, other: Path, systems: Sequence[str]) -> bool:
    """Print which files differ, and where first; tell whether all are the same."""
    are_same = True
    for system in systems:
        ours, theirs = ((one / f"{system}.jsonl") for one in (folder, other))
        if not theirs.is_file():
            print(f"{system} is missing in {other}")
        elif ours.read_bytes() != theirs.read_bytes():
            where = first_difference(ours.read_text("utf-8"), theirs.read_text("utf-8"))
            print(f"{system} differs from {other} at {where}")
        else:
            continue
        are_same = False
    if are_same:
        print(f"All are the same as in {other}.")
    return are_same


def predict(folder: Path, against: Path | None, systems: Sequence[str]) -> int:
    """Write the predictions of every system and compare them; give the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        done = pool.map(partial(evaluate, scratch=Path(scratch)), systems)
        for system, (text, seconds) in zip(systems, done, strict=True):
            (folder / f"{system}.jsonl").write_text(text, encoding="utf-8", newline="\n")
            print(f"{system:<14} {text.count(chr(10)):>5} lines {seconds:>7.1f} s", flush=True)
    return 0 if against is None or compare(folder, against, systems) else 1


# --- traces -----------------------------------------------------------------------------------------------------------

STATEMENTS = 200
BEGAN = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
ROWS = re.compile(r"(SELECT|INSERT|UPDATE|DELETE|REPLACE|WITH|VALUES)\b", re.IGNORECASE)
WHO = ("Mira", "Tomas", "Aiko", "Jonas", "Lin", "Sofia", "Omar", "Hana")
WHAT = (
    "repaired the {thing} in the shed",
    "lent the {thing} to a neighbour",
    "painted the {thing} green",
    "sold the {thing} at the market",
    "found a {thing} behind the station",
    "wants a new {thing} for the summer",
    "dropped the {thing} and was upset",
)
THINGS = ("bicycle", "lantern", "kettle", "boat", "ladder", "telescope", "drum", "printer", "tent", "sewing machine")
WHERE = ("before breakfast", "on a rainy Sunday", "with her brother", "after work", "for the third time", "near Bergen")
PAGES = {
    "handbook.md": "# Workshop handbook\n\n## Opening hours\n\nThe workshop opens at nine and closes at six. On Sundays it "
    "stays closed.\n\n## Borrowing tools\n\nMembers borrow a tool for two weeks. A tool that is late costs one euro a "
    "day.\n\n## Safety\n\nWear goggles at the lathe. Never leave the forge alone while it burns.\n",
    "boats.md": "# Boats\n\n## Mooring\n\nBoats moor at the north pier. A place costs 40 euros a month.\n\n## Winter\n\n"
    "From November the crane lifts boats out of the water. Tell the harbour master a week before.\n",
    "kitchen.md": "# Kitchen\n\n## Bread\n\nThe oven is lit at four. Dough rests for twelve hours in the cellar.\n\n"
    "## Coffee\n\nThe machine is cleaned every evening by whoever leaves last.\n",
}
SMALL_PAGE = "# Garden\n\n## Water\n\nThe pump runs from May. Beds are watered at six in the morning.\n"


class Clock:
    """Moves on by a second each time it is read."""

    def __init__(self) -> None:
        self._present = BEGAN

    def now(self) -> datetime:
        """Give the present."""
        self._present += timedelta(seconds=1)
        return self._present


@dataclass(slots=True)
class Trace:
    """What one call passed."""

    functions: set[tuple[str, str, int]] = field(default_factory=set[tuple[str, str, int]])
    depth: int = 0
    switches: int = 0
    statements: list[str] = field(default_factory=list[str])
    runs: int = 0

    def figures(self) -> dict[str, int]:
        """Count it."""
        return {
            "files": len({file for file, _, _ in self.functions}),
            "functions": len(self.functions),
            "depth": self.depth,
            "switches": self.switches,
            "sql": len(self.statements),
            "runs": self.runs,
        }


class Own(threading.local):
    """What a thread is in: the files of the functions, and whether the driver is handed many rows."""

    def __init__(self) -> None:
        self.files: list[str] = []
        self.many = 0  # how many statements of `executemany` ran; 0 outside of one
        self.is_many = False


class Watch:
    """Notes which functions of Evolore are entered and what SQLite is told, in every thread."""

    def __init__(self) -> None:
        found = find_spec("evolore")
        assert found is not None
        assert found.origin is not None
        self._inside = f"{Path(found.origin).parent}{os.sep}"
        self._places: dict[CodeType, str | None] = {}
        self._own = Own()
        self._trace: Trace | None = None
        self._connect = sqlite3.connect
        # Before SQLAlchemy or Evolore are imported: whoever takes `connect` from here on takes this one.
        sqlite3.connect = sqlite3.dbapi2.connect = self._connected

    @contextmanager
    def watching(self) -> Generator[Trace]:
        """Watch what is done inside."""
        self._trace = trace = Trace()
        self._own.files.clear()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)
        try:
            yield trace
        finally:
            sys.setprofile(None)
            threading.setprofile(cast("Any", None))
            self._trace = None

    def _connected(self, *arguments: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - passed on as they are
        connection = self._connect(*arguments, **options)
        connection.set_trace_callback(self._told)
        return connection

    def _told(self, statement: str) -> None:
        trace, own = self._trace, self._own
        if trace is None or not ROWS.match(statement.lstrip("( \n\t")):
            return
        trace.runs += 1
        if not (own.is_many and own.many):
            trace.statements.append(statement)
        own.many += own.is_many

    def _profile(self, frame: FrameType, event: str, argument: object) -> None:
        match event:
            case "call":
                self._enter(frame.f_code)
            case "return" if self._place(frame.f_code) is not None and self._own.files:
                self._own.files.pop()
            case "c_call" | "c_return" | "c_exception" if getattr(argument, "__name__", "") == "executemany":
                self._own.is_many, self._own.many = event == "c_call", 0
            case _:
                pass

    def _enter(self, code: CodeType) -> None:
        place = self._place(code)
        trace = self._trace
        if place is None or trace is None:
            return
        files = self._own.files
        trace.switches += bool(files) and files[-1] != place
        files.append(place)
        trace.functions.add((place, code.co_qualname, code.co_firstlineno))
        trace.depth = max(trace.depth, len(files))

    def _place(self, code: CodeType) -> str | None:
        """Give the file of a function of the package; None for others, and for what runs while a file is imported."""
        if code not in self._places:
            is_function = code.co_flags & inspect.CO_OPTIMIZED and (
                code.co_name[0] != "<" or code.co_name == "<lambda>"
            )
            is_inside = code.co_filename.startswith(self._inside)
            self._places[code] = code.co_filename.removeprefix(self._inside) if is_function and is_inside else None
        return self._places[code]


def said(number: int) -> str:
    """Give a statement; those of different numbers differ."""
    who, thing = WHO[number % len(WHO)], THINGS[number // 3 % len(THINGS)]
    return f"{who} {WHAT[number % len(WHAT)].format(thing=thing)} {WHERE[number // 7 % len(WHERE)]}, on day {number}."


def fill(memory: Memory, folder: Path) -> None:
    """Add what the store holds when it is watched, and call every verb once."""
    from evolore import Statement  # noqa: PLC0415 - only after `Watch` stands

    for name, text in PAGES.items():
        (folder / name).write_text(text, encoding="utf-8")
    memory.add(*(folder / name for name in PAGES))
    moments = (BEGAN - timedelta(hours=5 * at) for at in range(STATEMENTS))
    memory.remember_many(
        Statement(text=said(at), session=f"session {at // 10}", speaker=WHO[at % len(WHO)], occurred_at=moment)
        for at, moment in enumerate(moments)
    )
    memory.maintain()
    for _, call in verbs(memory, folder / "first"):
        call()


def verbs(memory: Memory, folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Give the verbs that are watched, each with a call that does it anew on what those before it did."""
    is_first = folder.name == "first"
    folder.mkdir()
    page = folder / "garden.md"
    page.write_text(SMALL_PAGE.replace("May", "April" if is_first else "June"), encoding="utf-8")
    number = STATEMENTS + (0 if is_first else 1)
    question = "Who lent the lantern to a neighbour?" if is_first else "Who painted the ladder green on a rainy Sunday?"
    wanted = "How long may a tool be borrowed?" if is_first else "What does a place for a boat cost?"
    made: list[str] = []
    yield "remember", lambda: made.append(memory.remember(said(number), speaker=WHO[0], session="session 9").id)
    yield "recall", lambda: memory.recall(question)
    memory.questions.list(
        limit=1
    )  # writes what was asked, which waits for a moment and must not fall into the next verb
    yield "recall_recorded", lambda: memory.recall(f"{question} And when?", record=True)
    yield "answer", lambda: made.append(memory.answer(wanted).id or "")
    yield "rate", lambda: memory.rate(made[1], "good")
    yield "add", lambda: memory.add(page)
    yield "forget", lambda: memory.forget(made[0])
    yield "maintain", memory.maintain


def trace_verbs() -> dict[str, dict[str, int]]:
    """Watch every verb once, and give its figures."""
    watch = Watch()
    import evolore  # noqa: PLC0415 - `Watch` has to stand before it

    found: dict[str, Trace] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        bare = bare_environment(folder)
        os.environ.clear()
        os.environ.update(bare)
        store, clock = folder / "store", Clock()
        with evolore.Memory.open(store, clock=clock) as memory:
            fill(memory, folder)
        with watch.watching() as found["recall_cold"]:
            memory = evolore.Memory.open(store, clock=clock)
            memory.recall("Who sold the boat at the market?")
        with memory:
            memory.questions.list(limit=1)
            for verb, call in verbs(memory, folder / "second"):
                with watch.watching() as found[verb]:
                    call()
    return {verb: trace.figures() for verb, trace in found.items()}


# --- house ------------------------------------------------------------------------------------------------------------

LARGE_FOLDER = 20
SMALL_FILE = 20
OF_SEEDS = (
    *("episodes.conflict_threshold", "episodes.min_connections", "episodes.max_splits", "episodes.split_decay"),  # 000
    *("episodes.auto_split_enabled", "episodes.candidate_characters", "episodes.merges_first"),
    *("intent.emotional", "intent.factual", "intent.technical", "intent.temporal", "intent.relational"),  # 001
    *("decay.rate", "decay.decay"),
    *("chunking.max_size", "chunking.target_size", "chunking.min_size", "chunking.size_unit"),  # 002
    *("tiers.window_characters", "tiers.ngram_order"),
    *("evolution.bad_feedback_threshold", "evolution.candidate_count", "evolution.evaluation_sample_size"),  # 003
    *("evolution.min_win_margin", "evolution.auto_update", "evolution.mode", "evolution.operators"),
    *("queries.phase", "queries.gather", "queries.least_share", "queries.include_query_edges"),  # 004
)
"""The settings that stand for a parameter which one of the five source documents names."""


def files_of(source: Path) -> list[Path]:
    """List the files that a distribution would hold."""
    return sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def line_count(path: Path) -> int:
    """Count the lines of a text; other files have none."""
    try:
        return len(path.read_text("utf-8").splitlines())
    except UnicodeDecodeError:
        return 0


def code_lines(text: str) -> int:
    r"""Count lines with more than a comment, a docstring or an import.

    >>> code_lines("import os  # why\n\nx = [\n    1,\n]\n")
    3
    """
    beside: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                beside |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
            case _:
                pass
    blank = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = [one for one in tokenize.generate_tokens(io.StringIO(text).readline) if one.type not in blank]
    return len({at for one in tokens for at in range(one.start[0], one.end[0] + 1)} - beside)


def imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Give the modules, and the names in them, that are imported when the code runs, also inside functions."""
    match node:
        case ast.If() if "TYPE_CHECKING" in ast.unparse(node.test):
            inner: Iterable[ast.AST] = node.orelse
        case ast.Import():
            yield from ((one.name, "") for one in node.names)
            return
        case ast.ImportFrom():
            yield from ((node.module or "", one.name) for one in node.names)
            return
        case _:
            inner = ast.iter_child_nodes(node)
    for one in inner:
        yield from imports(one)


def import_graph(source: Path) -> dict[str, set[str]]:
    """Give what each file imports of the others, by module; what a package lets through counts as the package."""
    modules = {
        ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files_of(source)
        if path.suffix == ".py"
    }
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        found = imports(ast.parse(path.read_text("utf-8")))
        wanted = {f"{module}.{one}" if f"{module}.{one}" in modules else module for module, one in found}
        graph[name] = (wanted & modules.keys()) - {name}
    return graph


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """Give a cycle of every group of files that reach each other, one after the other."""
    left = {name: set(wanted) for name, wanted in graph.items()}
    found: list[list[str]] = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            first = cast("str", error.args[1][0])
            group = {one for one in reached(left, first) if first in reached(left, one)}
            found.append(sorted(group))
            left = {name: wanted - group for name, wanted in left.items() if name not in group}
        else:
            return found


def reached(graph: Mapping[str, set[str]], start: str) -> set[str]:
    """Give all that a file imports, at any distance."""
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = graph[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


def setting_names(table: object, before: str = "") -> Iterator[str]:
    """Give the dotted name of every setting in a table of them."""
    of_model = cast("Mapping[str, object]", getattr(type(table), "model_fields", {}))
    names = list(of_model) or [one.name for one in fields(cast("Any", table))]
    for name in names:
        value: object = getattr(table, name)
        if is_dataclass(value) or hasattr(type(value), "model_fields"):
            yield from setting_names(value, f"{before}{name}.")
        else:
            yield before + name


def measure_house(source: Path) -> dict[str, object]:
    """Count what the source folder and the public surface hold."""
    import evolore  # noqa: PLC0415 - `predictions` needs none of it

    found = files_of(source)
    folders = Counter(str(path.parent.relative_to(source)) for path in found)
    large = {folder: count for folder, count in folders.most_common() if count > LARGE_FOLDER}
    code = {path: code_lines(path.read_text("utf-8")) for path in found if path.suffix == ".py"}
    settings = list(setting_names(evolore.Settings()))
    return {
        "files": len(found),
        "python_files": len(code),
        "lines": sum(map(line_count, found)),
        "lines_of_code": sum(code.values()),
        "folders": len(folders),
        "largest_folder": max(folders.values()),
        "folders_above_20": large,
        "files_up_to_20_lines_of_code": sum(count <= SMALL_FILE for count in code.values()),
        "import_cycles": cycles(import_graph(source)),
        "public_names": len(evolore.__all__),
        "memory_attributes": sum(not name.startswith("_") for name in dir(evolore.Memory)),
        "settings": len(settings),
        "settings_of_seeds": len(set(OF_SEEDS) & set(settings)),
        "settings_of_seeds_missing": sorted(set(OF_SEEDS) - set(settings)),
    }


# --- what is printed --------------------------------------------------------------------------------------------------


def print_traces(found: Mapping[str, Mapping[str, int]]) -> None:
    """Print a line a verb."""
    columns = list(next(iter(found.values())))
    print(f"{'verb':<16}" + "".join(f"{name:>11}" for name in columns))
    for verb, figures in found.items():
        print(f"{verb:<16}" + "".join(f"{figures[name]:>11}" for name in columns))


def print_house(found: Mapping[str, object]) -> None:
    """Print a line a count; what is counted below it."""
    for name, value in found.items():
        shown = len(cast("Sequence[object]", value)) if isinstance(value, list | dict) else value
        print(f"{name.replace('_', ' '):<32} {shown:>7}")
        if isinstance(value, dict):
            for folder, count in cast("dict[str, int]", value).items():
                print(f"    {folder:<28} {count:>7}")
        elif isinstance(value, list):
            for one in cast("list[object]", value):
                print(f"    {' '.join(cast('list[str]', one)) if isinstance(one, list) else one}")


def command_line() -> argparse.ArgumentParser:
    """Describe the three commands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    predictions = commands.add_parser("predictions", help="write what every system predicts")
    predictions.add_argument("folder", type=Path)
    predictions.add_argument("--against", type=Path, help="a folder written earlier, to compare with")
    predictions.add_argument("--only", nargs="+", choices=SYSTEMS, default=SYSTEMS, help="these systems alone")
    for name, what in (("traces", "watch the verbs"), ("house", "count files, names and settings")):
        commands.add_parser(name, help=what).add_argument("--json", action="store_true", help="print JSON")
    return parser


def main() -> int:
    """Run a command, and give the exit code."""
    chosen = command_line().parse_args()
    match chosen.command:
        case "predictions":
            return predict(chosen.folder, chosen.against, chosen.only)
        case "traces":
            traces = trace_verbs()
            print(json.dumps(traces, indent=2)) if chosen.json else print_traces(traces)
        case _:
            house = measure_house(ROOT / "src")
            print(json.dumps(house, indent=2)) if chosen.json else print_house(house)
    return 0


if __name__ == "__main__":
    sys.exit(main())
