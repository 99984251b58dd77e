from __future__ import annotations

import json
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_type_hints

import pytest
import typer
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.commands import GROUPS, MEANT
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer.core import TyperGroup
    from typer.testing import Result

    from evolore.ports import TextRole, Vectors

RUNNER = CliRunner()


def is_terminal(_: object) -> bool:
    return True


@pytest.fixture(autouse=True)
def _light_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands on the shipped stand-in: what they show does not depend on the model."""
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "team.evolore"
    monkeypatch.setenv("EVOLORE_STORE", str(path))
    return path


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(3):
        (folder / f"page{number}.md").write_text(
            f"# Page {number}\n\n## First\n\nThe wheel number {number} is red.\n\n## Second\n\n"
            + "More is said about wheels here. " * 40,
            encoding="utf-8",
        )
    return folder


def evolore(*arguments: str | Path, code: int = 0) -> Result:
    result = RUNNER.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def as_json(*arguments: str | Path, code: int = 0) -> Any:  # noqa: ANN401 - JSON is what these tests look into
    return json.loads(evolore(*arguments, "--json", code=code).stdout)


def test_documents_are_added_and_summed_up(store: Path, documents: Path) -> None:
    assert "Documents: 3 added. New passages: " in evolore("add", documents).stdout
    assert "Documents: 0 added, 3 unchanged. New passages: 0." in evolore("add", documents).stdout
    (documents / "page1.md").write_text("# Page 1\n\nAll new.\n", encoding="utf-8")
    assert "0 added, 1 changed, 2 unchanged" in evolore("add", documents).stdout


def test_what_a_folder_holds_and_is_not_read_is_told(store: Path, documents: Path) -> None:
    assert "Left out" not in evolore("add", documents).stdout
    for name in ("a.png", "b.png", "c.doc", "LICENSE", ".env", "other.md", "d.csv", "e.csv", "f.py", "g.zip"):
        (documents / name).write_text("Words.", encoding="utf-8")
    (documents / ".git").mkdir()
    assert evolore("add", documents, "--exclude", "other*").stdout.splitlines()[-1] == (
        "Left out: 3 files of data or programs (2 .csv, 1 .py), to be taken in with --include '*.csv' --include '*.py'; "
        "1 archive to unpack first (1 .zip); "
        "4 files of a kind that is not read (2 .png, 1 without an ending, 1 .doc), but .doc after "
        "soffice --headless --convert-to docx FILE; 1 hidden file; "
        "1 hidden folder (.git); 1 file by --include or --exclude."
    )
    assert {"reason": "kind", "name": ".png", "count": 2} in as_json("add", documents)["left_out"]


def test_a_machine_without_memory_is_no_fault_of_ours(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Vectors:
        raise MemoryError

    monkeypatch.setattr(HashingEmbedder, "embed", fail)
    told = evolore("remember", "The wheel is red.", code=4)
    assert "not enough memory" in told.stderr
    assert "Traceback" not in told.stderr
    assert as_json("remember", "The wheel is red.", code=4)["error"]["kind"] == "MemoryError"


def test_vanished_files_are_reported_or_forgotten(store: Path, documents: Path) -> None:
    evolore("add", documents)
    (documents / "page1.md").unlink()
    reported = evolore("add", documents, "--sync", "report")
    assert f"vanished: {documents.resolve() / 'page1.md'}" in reported.stderr
    assert "0 added, 2 unchanged, 1 vanished." in reported.stdout
    forgotten = as_json("add", documents, "--sync", "forget", "--exclude", "page0*")
    assert [Path(one["source"]).name for one in forgotten["vanished"]] == ["page1.md"]
    assert forgotten["receipt"]["documents"] == 1
    assert len(forgotten["documents"]) == 1
    again = as_json("add", documents, "--sync", "forget")
    assert (again["vanished"], again["receipt"]) == ([], None)
    assert "use 'report' or 'forget'" in evolore("add", documents, "--sync", "delete", code=1).stderr


def test_patterns_choose_files(store: Path, documents: Path) -> None:
    assert "1 added" in evolore("add", documents, "--include", "page[01].md", "--exclude", "page1*").stdout
    assert "2 added" in evolore("add", documents, "--include", "page1.md", "--include", "page2.md").stdout
    assert "use at least one" in evolore("add", documents, "--include", " ", code=1).stderr


def test_a_bad_file_is_listed_and_the_exit_code_says_so(store: Path, documents: Path) -> None:
    (documents / "bad.md").write_bytes(b"%PDF-1.7 \x00\x01")
    result = evolore("add", documents, code=1)
    assert "3 added, 1 failed" in result.stdout
    assert "not added:" in result.stderr
    assert "bad.md" in result.stderr
    added = as_json("add", documents, code=1)
    assert [document["outcome"] for document in added["documents"]] == ["unchanged"] * 3
    assert "bad.md" in added["failures"][0]["reason"]


def test_a_statement_is_remembered_recalled_shown_and_forgotten(store: Path) -> None:
    id_ = evolore("remember", "We moved the office to Osaka.", "--at", "2026-03-02", "--speaker", "Mika").stdout.strip()
    shown = evolore("recall", "where is the office?", "--limit", "5", "--explain").stdout
    assert "We moved the office to Osaka." in shown
    assert "Mika · 2026-03-02" in shown
    assert "lexical" in shown
    assert re.search(r"^intent +factual *$", shown, re.MULTILINE)
    assert re.search(r"^score +[+]\d", shown, re.MULTILINE)
    assert as_json("recall", "when did we move?")["intent"] == "temporal"
    assert "Mika: We moved" in evolore("list").stdout
    assert "2026-03-02T00:00:00+00:00" in evolore("show", id_).stdout
    assert (
        "Erased 0 documents, 1 episode, 1 text, 1 vector, 1 fact; 2 questions about it kept."
        in evolore("forget", id_, "--yes").stdout
    )
    assert "Nothing here." in evolore("list").stdout
    assert "Nothing found." in evolore("recall", "office").stdout


def test_items_are_filed_under_metadata_and_tags_and_found_by_them(store: Path, documents: Path) -> None:
    evolore("add", documents, "--meta", "team=ops", "--meta", "year=2024", "--tag", "wheels")
    id_ = evolore("remember", "A wheel fell off.", "--meta", "year=2025", "--tag", "wheels", "--tag", "urgent").stdout
    shown = evolore("show", id_.strip()).stdout
    assert "year=2025" in shown
    assert "urgent, wheels" in shown
    assert as_json("show", id_.strip())["metadata"] == {"year": 2025}
    (document_id, *_) = [document["id"] for document in as_json("list")["documents"]]
    assert as_json("show", document_id)["tags"] == ["wheels"]
    assert "team=ops, year=2024" in evolore("show", document_id).stdout

    def texts(*options: str | Path) -> int:
        return as_json("recall", "wheel", *options)["searched"]

    everything = texts()
    assert texts("--tag", "wheels") == everything
    assert texts("--tag", "urgent") == texts("--where", "year=2025") == 1
    assert texts("--where", "year=2024", "--where", "team=ops") == texts("--source", documents) == everything - 1
    assert texts("--where", 'year="2024"') == texts("--speaker", "nobody") == texts("--session", "none") == 0
    assert texts("--until", "2001-01-01") == 0
    assert texts("--since", "2001-01-01") == everything
    assert as_json("recall", "wheel", "--tag", "urgent")["query"]["filter"]["tags"] == ["urgent"]
    assert "3 relabelled" in evolore("add", documents, "--tag", "round").stdout
    assert texts("--tag", "round", "--where", "team=ops") == everything - 1


def test_what_documents_were_filed_under_can_be_taken_away(store: Path, documents: Path) -> None:
    evolore("add", documents, "--meta", "team=ops", "--tag", "round")
    page = str(documents / "page0.md")

    def filed() -> tuple[Any, Any]:
        document = as_json("outline", "tree", page)["document"]
        return document["metadata"], document["tags"]

    assert filed() == ({"team": "ops"}, ["round"])
    assert "3 relabelled" in evolore("add", documents, "--no-tags").stdout
    assert filed() == ({"team": "ops"}, [])
    assert "3 relabelled" in evolore("add", documents, "--no-meta", "--tag", "new").stdout
    assert filed() == ({}, ["new"])
    evolore("add", documents, "--no-meta", "--no-tags")
    assert "3 unchanged" in evolore("add", documents, "--no-meta", "--no-tags").stdout
    for options in (("--tag", "a", "--no-tags"), ("--meta", "a=1", "--no-meta")):
        assert "exclude each other" in evolore("add", documents, *options, code=1).stderr


def test_sets_are_forgotten_at_once_after_a_dry_run(store: Path, documents: Path) -> None:
    evolore("add", documents, "--tag", "wheels")
    for speaker in ("Mika", "Mika", "Jonas"):
        evolore("remember", "Said.", "--speaker", speaker, "--session", "call")
    dry = evolore("forget", "--speaker", "Mika", "--dry-run").stdout
    assert dry.strip() == "Would erase 0 documents, 2 episodes, 2 texts, 2 vectors. Nothing was changed."
    assert as_json("stats")["statements"] == 3
    assert as_json("forget", "--speaker", "Mika", "--dry-run")["is_dry_run"] is True
    assert "Erased 0 documents, 2 episodes" in evolore("forget", "--speaker", "Mika", "--yes").stdout
    assert as_json("forget", "--source", documents / "page0.md", "--yes")["documents"] == 1
    assert as_json("forget", "--tag", "wheels", "--yes")["documents"] == 2
    assert as_json("forget", "--session", "call", "--yes")["episodes"] == 1
    evolore("remember", "Said.")
    assert as_json("forget", "--everything", "--yes")["episodes"] == 1
    assert "Nothing was named to forget" in evolore("forget", code=1).stderr
    assert "id and session were named" in evolore("forget", "x", "--session", "y", code=1).stderr


def test_a_document_that_was_stopped_half_way_can_be_forgotten_or_added(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopping(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            embedded.append(len(texts))
            if len(embedded) == 3:
                raise KeyboardInterrupt
            return super().embed(texts, role=role)

    embedded: list[int] = []
    monkeypatch.setattr("evolore.models.use.UseEmbedder", Stopping)
    monkeypatch.setenv("EVOLORE_MAX_LEAVES_AT_ONCE", "64")
    monkeypatch.setattr("typer.testing._NamedTextIOWrapper.isatty", is_terminal, raising=False)
    large = tmp_path / "large.md"
    large.write_text(
        "\n\n".join(f"## Part {n}\n\n" + f"Matter {n} is here. " * 15 for n in range(200)), encoding="utf-8"
    )
    for answer, code in (("y\n", 0), ("n\n", 1)):
        embedded.clear()
        stopped = RUNNER.invoke(app, ["add", str(large)])
        assert stopped.exit_code == 130
        assert "0 of 1 documents are in the store, whole; the same command goes on" in stopped.stderr
        asked = RUNNER.invoke(app, ["forget", str(large)], input=answer)
        assert "Erase 1 document, 64 episodes, 64 texts, 64 vectors for good?" in asked.output
        assert asked.exit_code == code
    embedded[:] = [0] * 3
    assert "Documents: 1 added. New passages: 200." in evolore("add", large).stdout
    assert sum(embedded) == 200 - 64


@pytest.mark.parametrize(("answer", "left"), [("n\n", 2), ("y\n", 0)])
def test_a_terminal_is_asked_before_a_set_goes(
    store: Path, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    for _ in "ab":
        evolore("remember", "Said.", "--session", "call")
    monkeypatch.setattr("typer.testing._NamedTextIOWrapper.isatty", is_terminal, raising=False)
    result = RUNNER.invoke(app, ["forget", "--session", "call"], input=answer)
    assert "Erase 0 documents, 2 episodes, 2 texts, 2 vectors for good?" in result.output
    assert result.exit_code == (1 if left else 0)
    assert as_json("stats")["statements"] == left
    evolore("forget", "--session", "call", "--dry-run", code=0 if left else 1)
    if left:
        evolore("forget", "--session", "call", "--yes")


def test_nothing_is_erased_where_nobody_can_be_asked(store: Path) -> None:
    id_ = as_json("remember", "The code is 4711.")["id"]
    assert "there is no terminal to ask in; add --yes" in evolore("forget", id_, code=1).stderr
    assert as_json("stats")["statements"] == 1
    evolore("forget", id_, "--yes")
    assert as_json("stats")["statements"] == 0


def test_json_carries_everything(store: Path, documents: Path) -> None:
    evolore("add", documents)
    id_ = as_json("remember", "A red train.", "--at", "2026-03-02T10:00+09:00", "--session", "s", "--arousal", "0.5")[
        "id"
    ]
    found = as_json("recall", "which wheel is red?", "--limit", "3")
    assert len(found["hits"]) == 3
    episode = next(hit for hit in found["hits"] if hit["episode"]["outline"])["episode"]
    assert {"outline", "span", "heading_path", "document_id", "text"} <= episode.keys()
    tree = as_json("outline", "tree", documents / "page0.md")
    assert tree["nodes"][0]["chunk"]["outline"] == "1"
    assert as_json("outline", "tree", tree["document"]["id"]) == tree
    assert len(as_json("list")["documents"]) == 3
    assert as_json("show", id_)["occurred_at"] == "2026-03-02T10:00:00+09:00"
    assert as_json("show", tree["document"]["id"])["title"] == "Page 0"
    assert as_json("stats")["documents"] == 3
    assert as_json("forget", tree["document"]["id"], "--yes")["documents"] == 1


def test_the_outline_is_drawn_with_sizes_tiers_and_bits(store: Path, documents: Path) -> None:
    evolore("add", documents)
    drawn = evolore("outline", "tree", documents / "page0.md").stdout
    assert "Page 0" in drawn
    assert "characters, version 1" in drawn
    assert "tier 1: " in drawn


def test_only_what_is_filed_so_is_listed(store: Path, documents: Path) -> None:
    evolore("add", documents, "--tag", "shop", "--meta", "year=2026")
    evolore("remember", "Ann likes tea.", "--tag", "shop")
    evolore("remember", "Bob likes tea.")
    listed = evolore("list", "--tag", "shop").stdout
    assert ("Page 2" in listed, "Ann" in listed, "Bob" in listed) == (True, True, False)
    assert "Ann" not in evolore("list", "--tag", "shop", "--where", "year=2026").stdout
    assert evolore("list", "--where", "year=2025").stdout == "Nothing here.\n"


def test_documents_and_stats_are_listed(store: Path, documents: Path) -> None:
    evolore("add", documents)
    assert "document   Page 2" in evolore("list").stdout
    assert "hashing-trigrams-64 (64 dimensions)" in evolore("stats").stdout
    document_id = as_json("list")["documents"][0]["id"]
    assert "Page 0" in evolore("show", document_id).stdout


def test_store_and_namespace_can_be_named(tmp_path: Path) -> None:
    where = ("--store", tmp_path / "other", "--namespace", "n")
    evolore("remember", "Here.", *where)
    assert "Here." in evolore("recall", "here", *where).stdout
    elsewhere = evolore("recall", "here", "--store", tmp_path / "other", "--namespace", "m").stdout
    assert "Nothing is here yet" in " ".join(elsewhere.split())
    assert "'http://host/store' is an address" in evolore("list", "--store", "http://host/store", code=3).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recall", ""), "The question is blank"),
        (("recall", "x" * 100_000), "at most 10,000"),
        (("recall", "x", "--limit", "0"), "limit is 0"),
        (("recall", "x", "--as-of", "soon"), "--as-of 'soon' is not a date or time"),
        (("remember", "x", "--at", "2026-13-01"), "--at '2026-13-01' is not a date or time"),
        (("remember", "x", "--arousal", "7"), "arousal is 7.0"),
        (("remember", " "), "text is blank"),
        (("add", "no-such-file.md"), "does not exist"),
        (("show", "zzzz"), "Nothing here has the id 'zzzz'"),
        (("forget", "zzzz"), "Nothing here has the id 'zzzz'"),
        (("outline", "tree", "zzzz"), "Nothing here has the id 'zzzz'"),
        (("list", "--limit", "0"), "limit is 0"),
        (("recall", "x", "--where", "year"), "--where 'year' has no value"),
        (("recall", "x", "--since", "soon"), "--since 'soon' is not a date or time"),
        (("recall", "x", "--since", "2026-03-02", "--until", "2026-03-01"), "use an until that is later"),
        (("remember", "x", "--meta", "a=1", "--meta", "a=2"), "--meta names 'a' twice"),
        (("remember", "x", "--tag", " "), "A tag is blank"),
        (("forget", "--session", "none"), "No statement has the session 'none'"),
        (("evaluate", "segmentation", "no-such-set.jsonl"), "no-such-set.jsonl"),
        (("evaluate", "retrieval", "no-such-set.jsonl"), "no-such-set.jsonl"),
        (("evaluate", "chunks", "no-such-set.jsonl"), "no-such-set.jsonl"),
    ],
)
def test_bad_input_ends_with_a_message_and_code_1(store: Path, arguments: tuple[str, ...], message: str) -> None:
    evolore("remember", "Something.")
    result = evolore(*arguments, code=1)
    assert message in result.stderr
    assert result.stdout == ""
    error = as_json(*arguments, code=1)["error"]
    assert message in error["message"]
    assert error["kind"]


def test_a_wrong_set_up_ends_with_code_3(store: Path) -> None:
    with Memory.open(store, embedder=HashingEmbedder(8)) as memory:
        memory.remember("x")
    assert "hashing-trigrams-8" in evolore("recall", "x", code=3).stderr


def test_text_may_come_from_standard_input(store: Path) -> None:
    result = RUNNER.invoke(app, ["remember", "-"], input="From a pipe.\n")
    assert result.exit_code == 0
    assert "From a pipe." in RUNNER.invoke(app, ["recall", "-"], input="pipe?").stdout


def test_the_version_is_printed() -> None:
    assert evolore("--version").stdout.startswith("evolore 0.")


def test_every_command_explains_itself() -> None:
    for command in ("add", "remember", "recall", "outline tree", "list", "show", "stats", "forget"):
        page = evolore(*command.split(), "--help").stdout
        for option in ("--json", "--store", "--namespace"):
            assert option in page


def test_evaluations_print_tables_json_and_predictions(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    sentences = [*(["Cats purr and cats sleep."] * 6), *(["Trains run on rails."] * 6)]
    texts.write_text(json.dumps({"id": "a", "lang": "en", "sentences": sentences, "boundaries": [6]}) + "\n", "utf-8")
    report = as_json("evaluate", "segmentation", texts, "--predictions", tmp_path / "cuts.jsonl")
    assert report["sets"][0]["metrics"]["pk_at_segments"] == 0.0
    assert json.loads((tmp_path / "cuts.jsonl").read_text("utf-8").splitlines()[0])["id"] == "a"
    assert "texts" in evolore("evaluate", "segmentation", texts).stdout
    items = [
        {"id": str(number), "text": f"note {number}", "speaker": "Ann", "timestamp": None, "session": "s"}
        for number in range(3)
    ]
    question = {"text": "note 2", "evidence": ["2"], "category": "plain"}
    memories = tmp_path / "memories.jsonl"
    memories.write_text(json.dumps({"id": "m", "lang": "en", "items": items, "questions": [question]}) + "\n", "utf-8")
    assert as_json("evaluate", "retrieval", memories)["sets"][0]["metrics"]["recall_at_1"] == 1.0
    assert "memories" in evolore("evaluate", "retrieval", memories).stdout


def test_chunks_are_evaluated_with_either_retriever(tmp_path: Path) -> None:
    corpora, asked = tmp_path / "corpora.jsonl", tmp_path / "asked.jsonl"
    corpora.write_text(
        json.dumps({"corpus_id": "c", "text": "Cats purr. " * 80 + "Trains run on rails."}) + "\n", "utf-8"
    )
    passage = {"start_index": 880, "end_index": 900}
    question = {"id": "q", "question": "Where do trains run?", "references": [passage], "corpus_id": "c"}
    asked.write_text(json.dumps(question) + "\n", "utf-8")
    for retriever in ("bm25", "embedder"):
        report = as_json("evaluate", "chunks", corpora, asked, "--top", "1", "--retriever", retriever)
        assert report["sets"][0]["metrics"]["recall"] == 1.0
    assert "asked" in evolore("evaluate", "chunks", corpora, asked, "--target", "300").stdout


@pytest.mark.parametrize("interrupted_call", [1, 3, 4])
def test_ctrl_c_leaves_whole_documents_only(
    tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch, interrupted_call: int
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(4):
        words = "".join(f"Sentence {place} of wheel {number} has its own words. " for place in range(900))
        (folder / f"{number}.md").write_text(f"# Page {number}\n\n{words}\n", encoding="utf-8")
    calls = iter(range(1, 1000))

    class Interrupted(HashingEmbedder):
        def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
            if next(calls) == interrupted_call:
                raise KeyboardInterrupt
            return super().embed(texts, role=role)

    monkeypatch.setattr("evolore.models.use.UseEmbedder", Interrupted)
    said = evolore("add", folder, code=130).stderr
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    documents: list[dict[str, str]] = [] if "0 of 4 documents" in said else as_json("list")["documents"]
    assert f"{len(documents)} of 4 documents are in the store, whole" in said
    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        for document in documents:
            nodes = memory.outline.tree(document["id"]).nodes
            leaves = [
                memory.outline.chunk_text(document["id"], node.chunk.outline) for node in nodes if node.episode_id
            ]
            assert "".join(leaves) == Path(document["source"]).read_text(encoding="utf-8")
    assert f"{4 - len(documents)} added" in evolore("add", folder).stdout


def test_options_of_one_name_mean_one_thing_and_every_command_names_its_store() -> None:
    forms: dict[str, set[str]] = {}
    groups = [one.typer_instance for one in app.registered_groups if one.name in GROUPS]
    for command in chain(*(one.registered_commands for one in (app, *filter(None, groups)))):
        assert command.callback is not None
        options: dict[str, str] = {}
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            for given in getattr(hint, "__metadata__", ()):
                if type(given).__name__ == "OptionInfo":
                    words = (given.default, *(given.param_decls or ()))  # the first stands where a default could
                    declared = [word for word in words if isinstance(word, str) and word.startswith("--")]
                    option = declared[0] if declared else f"--{name.replace('_', '-')}"
                    options[option] = re.sub(
                        r"(int|bool) \| None", r"<class '\1'>", f"{hint.__origin__} {given.envvar}"
                    )
        assert {"--store", "--namespace", "--json"} <= set(options), command.callback
        for option, form in options.items() if command in app.registered_commands else ():
            forms.setdefault(option, set()).add(form)
    assert {option: found for option, found in forms.items() if len(found) > 1} == {}
    assert {"--where", "--tag", "--since", "--until", "--session", "--speaker", "--source"} <= set(forms)


@pytest.mark.parametrize(
    ("word", "command"),
    [
        ("ask", "answer"),
        ("query", "answer"),
        ("Search", "recall"),
        ("find", "recall"),
        ("serach", "recall"),
        ("rcall", "recall"),
        ("doctor", "store doctor"),
        ("queries", "questions list"),
        ("jobs", "evolution jobs"),
        ("aprove", "evolution approve"),
    ],
)
def test_an_unknown_command_names_the_one_that_is_meant(word: str, command: str) -> None:
    said = " ".join(evolore(word, "x", code=2).stderr.replace("│", " ").split())
    assert f"No such command '{word}'. Did you mean '{command}'" in said


def test_a_word_that_means_no_command_names_none_and_those_that_do_name_one_there_is() -> None:
    assert "Did you mean" not in evolore("xyzzy", code=2).stderr
    commands = cast("TyperGroup", typer.main.get_command(app)).commands
    below = {f"{name} {one}" for name, group in commands.items() for one in getattr(group, "commands", ())}
    assert set(MEANT.values()) <= {*commands, *below}
    assert not set(MEANT) & set(commands)
