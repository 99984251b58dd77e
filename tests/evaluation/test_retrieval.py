import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest

from evolore.domain.document import Document, MediaType
from evolore.domain.episode import Episode, EpisodeKind, Statement
from evolore.domain.language import Language
from evolore.domain.query import Hit, Intent, Query, Recall
from evolore.errors import InvalidValue, UnreadableSource
from evolore.flows.add import Added, AddedDocument, AddOutcome
from evolore.flows.remember.remember import RememberedMany
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from evolore_evaluation.measure import Run
from evolore_evaluation.retrieval import evaluate_retrieval
from evolore_evaluation.retrieval_sets import score_ranking, score_sessions

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LONGMEMEVAL = Path(__file__).parents[1] / "data" / "longmemeval"
SECRET = "SECRET-LABEL"  # stands in every field that no memory may see


class OverlapMemory:
    """Ranks by shared words, first taken in first; a document is one hit for every sentence."""

    def __init__(self, book: "MemoryBook") -> None:
        self._book = book
        self._episodes: list[Episode] = []

    def remember_many(self, statements: Iterable[Statement]) -> RememberedMany:
        given = tuple(statements)
        self._book.given.extend(given)
        kept = tuple(self._keep(EpisodeKind.STATEMENT, statement.text) for statement in given)
        return RememberedMany(episodes=kept)

    def add(self, *sources: SourceText) -> Added:
        given = sources
        self._book.given.extend(given)
        return Added(documents=tuple(map(self._add, given)))

    def recall(self, text: str, *, limit: int, as_of: datetime | None) -> Recall:
        self._book.asked.append((text, limit, as_of))
        words = set(re.findall(r"\w+", text))
        scores = [len(words & set(re.findall(r"\w+", episode.text))) for episode in self._episodes]
        order = sorted(range(len(scores)), key=lambda place: -scores[place])[:limit]
        hits = (
            Hit(episode=self._episodes[place], rank=rank, score=scores[place]) for rank, place in enumerate(order, 1)
        )
        return Recall(
            query=Query(text=text, limit=limit, as_of=as_of),
            hits=tuple(hits),
            searched=len(scores),
            intent=Intent.FACTUAL,
            intent_confidence=0.5,
        )

    def close(self) -> None:
        self._book.closed += 1

    def _keep(self, kind: EpisodeKind, text: str, document_id: str | None = None) -> Episode:
        episode_id = f"e{len(self._episodes)}"
        self._episodes.append(
            Episode(
                id=episode_id, kind=kind, text=text, language=Language.UND, recorded_at=NOW, document_id=document_id
            )
        )
        return self._episodes[-1]

    def _add(self, text: SourceText) -> AddedDocument:
        document_id = f"document-{text.source}"
        sentences = text.text.split(". ")
        for sentence in sentences:
            self._keep(EpisodeKind.CHUNK, sentence, document_id)
        document = Document(
            id=document_id,
            source=text.source,
            title=text.title,
            media_type=text.media_type,
            language=Language.UND,
            characters=len(text.text),
            content_sha256="",
            version=1,
            recorded_at=NOW,
            chunk_count=len(sentences),
            episode_count=len(sentences),
        )
        return AddedDocument(document=document, outcome=AddOutcome.ADDED)


class MemoryBook:
    """Opens memories and keeps all they were given and asked."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.given: list[Statement | SourceText] = []
        self.asked: list[tuple[str, int, datetime | None]] = []
        self.closed = 0
        self.began_at: list[datetime | None] = []

    def __call__(self, store: Path, namespace: str, began_at: datetime | None) -> OverlapMemory:
        assert not store.exists()
        self.opened.append(namespace)
        self.began_at.append(began_at)
        return OverlapMemory(self)


def item(name: str, text: str, session: str | None = None, **others: object) -> dict[str, object]:
    given = {"id": name, "text": text, "speaker": "user", "timestamp": None, "session": session, "emotion": SECRET}
    return given | others


def question(text: str, *evidence: str, **others: object) -> dict[str, object]:
    return {"text": text, "evidence": evidence, "category": "single-hop", "answer": SECRET, "context": SECRET} | others


MEMORIES: list[dict[str, object]] = [
    {
        "id": "m1",
        "lang": "en",
        "items": [
            item("i1", "the cat sleeps", "s1", timestamp="1:56 pm on 8 May, 2023"),
            item("i2", "the dog barks", "s1", timestamp="2023-05-09", speaker="Mika"),
            item("i3", "the dog barks", "s2", timestamp="one day"),
            item("i4", " ", "s2"),
        ],
        "questions": [
            question("cat", "i1", id="q-cat"),
            question("nothing to find"),
            question("dog", "i3", "i9", category="Adversarial", asked_at="2023-05-10"),
        ],
    },
    {"id": "m2", "lang": "ja", "items": [item("i1", "rain falls")], "questions": [question("rain", "i1")]},
]

CORPUS: list[dict[str, object]] = [
    {"type": "doc", "id": "d1", "title": "One", "text": "apple pie. apple tart. apple juice"},
    {"type": "doc", "id": "d2", "title": "", "text": "apple. pear"},
    {"type": "doc", "id": "d3", "text": "plum"},
    {"type": "q", "id": "q1", "text": "apple", "gold": ["d2"], "category": "fruit", "answer": SECRET, "split": SECRET},
    {"type": "q", "text": "plum", "gold": ["d3"], "decomposition": [SECRET]},
]


def write_set(folder: Path, lines: Sequence[Mapping[str, object]], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read_rankings(path: Path) -> list[dict[str, object]]:
    return [cast("dict[str, object]", json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def test_figures_of_a_memory_set_are_averages_over_the_questions_with_evidence(tmp_path: Path) -> None:
    (result,) = evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=MemoryBook()).sets
    metrics = result.metrics
    # "cat" and "rain" find theirs first; "dog" finds i2, then i3, and never i9, which no item is.
    assert metrics["questions"] == 3
    assert metrics["recall_at_1"] == pytest.approx(2 / 3)
    assert metrics["recall_at_5"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert metrics["any_at_5"] == 1
    assert metrics["all_at_5"] == pytest.approx(2 / 3)
    assert metrics["mrr"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert metrics["session_any_at_1"] == 0.5  # m2 has no sessions
    assert metrics["session_recall_at_10"] == 1
    assert result.categories["adversarial"]["recall_at_10"] == 0.5
    assert result.categories["single_hop"]["questions"] == 2


def test_what_could_not_be_used_is_counted(tmp_path: Path) -> None:
    metrics = evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=MemoryBook()).sets[0].metrics
    assert {name: metrics[name] for name in ("items", "blank_items", "unread_times", "unknown_evidence")} == {
        "items": 5,
        "blank_items": 1,
        "unread_times": 1,
        "unknown_evidence": 1,
    }


def test_a_memory_is_given_what_a_user_would_give_and_no_label(tmp_path: Path) -> None:
    book = MemoryBook()
    evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=book)
    assert book.given == [
        Statement(
            text="the cat sleeps", occurred_at=datetime(2023, 5, 8, 13, 56, tzinfo=UTC), speaker="user", session="s1"
        ),
        Statement(text="the dog barks", occurred_at=datetime(2023, 5, 9, tzinfo=UTC), speaker="Mika", session="s1"),
        Statement(text="the dog barks", speaker="user", session="s2"),
        Statement(text="rain falls", speaker="user"),
    ]


def test_a_corpus_is_given_as_documents_and_no_label(tmp_path: Path) -> None:
    book = MemoryBook()
    evaluate_retrieval([write_set(tmp_path, CORPUS)], open_memory=book)
    assert book.given == [
        SourceText(source="d1", text="apple pie. apple tart. apple juice", media_type=MediaType.PLAIN, title="One"),
        SourceText(source="d2", text="apple. pear", media_type=MediaType.PLAIN),
        SourceText(source="d3", text="plum", media_type=MediaType.PLAIN),
    ]


def test_no_label_reaches_what_is_measured(tmp_path: Path) -> None:
    for name, lines in (("memories.jsonl", MEMORIES), ("corpus.jsonl", CORPUS)):
        book = MemoryBook()
        path = write_set(tmp_path, lines, name)
        assert SECRET in path.read_text(encoding="utf-8")
        evaluate_retrieval([path], open_memory=book)
        seen = repr((book.opened, book.given, book.asked))
        assert not [label for label in (SECRET, "single-hop", "Adversarial", "fruit") if label in seen]


def test_a_question_without_a_time_is_asked_from_the_latest_item(tmp_path: Path) -> None:
    book = MemoryBook()
    evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=book)
    assert [as_of for _, _, as_of in book.asked] == [
        datetime(2023, 5, 9, tzinfo=UTC),
        datetime(2023, 5, 10, 23, 59, 59, 999_999, tzinfo=UTC),
        None,
    ]


def test_every_memory_has_a_namespace_of_its_own_and_is_closed(tmp_path: Path) -> None:
    book = MemoryBook()
    evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=book)
    assert book.opened == ["memory-1", "memory-2"]
    assert book.closed == 2


def test_a_document_ranks_where_its_first_hit_does(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    report = evaluate_retrieval([write_set(tmp_path, CORPUS)], open_memory=MemoryBook(), run=Run(predictions=file))
    assert read_rankings(file) == [
        {"set": "tiny", "memory": None, "question": "q1", "ranking": ["d1", "d2", "d3"]},
        {"set": "tiny", "memory": None, "question": "1", "ranking": ["d3", "d1", "d2"]},
    ]
    assert report.sets[0].metrics["mrr"] == 0.75
    assert list(report.sets[0].categories) == ["fruit"]


def test_more_hits_are_asked_for_until_there_are_enough_documents(tmp_path: Path) -> None:
    book, file = MemoryBook(), tmp_path / "out.jsonl"
    long = {"type": "doc", "id": "long", "text": ". ".join(["apple"] * 120)}
    others = [{"type": "doc", "id": f"d{number}", "text": "plum"} for number in range(60)]
    asked = {"type": "q", "id": "q", "text": "apple", "gold": ["d0"]}
    evaluate_retrieval([write_set(tmp_path, [long, *others, asked])], open_memory=book, run=Run(predictions=file))
    assert [limit for _, limit, _ in book.asked] == [50, 100, 200]
    assert read_rankings(file)[0]["ranking"] == ["long", *(f"d{number}" for number in range(49))]


def test_rankings_hold_fifty_items(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    items = [item(f"i{number}", "same words") for number in range(80)]
    memory = {"id": "m", "lang": "en", "items": items, "questions": [question("same", "i70", "i3")]}
    metrics = (
        evaluate_retrieval([write_set(tmp_path, [memory])], open_memory=MemoryBook(), run=Run(predictions=file))
        .sets[0]
        .metrics
    )
    assert read_rankings(file)[0]["ranking"] == [f"i{number}" for number in range(50)]
    assert metrics["recall_at_5"] == 0.5


def test_predictions_scored_again_give_the_same_figures(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    (result,) = evaluate_retrieval(
        [write_set(tmp_path, MEMORIES)], open_memory=MemoryBook(), run=Run(predictions=file)
    ).sets
    gold = {("m1", "q-cat"): ["i1"], ("m1", "2"): ["i3", "i9"], ("m2", "0"): ["i1"]}
    sessions = {"m1": {"i1": "s1", "i2": "s1", "i3": "s2", "i4": "s2"}, "m2": dict[str, str]()}
    lines = read_rankings(file)
    assert [(line["memory"], line["question"]) for line in lines] == list(gold)
    scores = [
        score_ranking(cast("list[str]", line["ranking"]), evidence)
        | score_sessions(cast("list[str]", line["ranking"]), evidence, sessions[memory])
        for line, ((memory, _), evidence) in zip(lines, gold.items(), strict=True)
    ]
    for name in scores[0]:
        values = [score[name] for score in scores if name in score]
        assert result.metrics[name] == pytest.approx(sum(values) / len(values))


def test_a_term_that_is_taken_out_counts_for_nothing(tmp_path: Path) -> None:
    words, alike = "Zebra quartz.", "The cat sleeps on the warm sofa."
    asked = question("Where is the kitten napping, says Zebra?", "b")
    lines = [{"id": "m", "items": [item("a", words), item("b", alike)], "questions": [asked]}]
    path = write_set(tmp_path, lines)
    firsts: list[float] = []
    for without in ((), ("lexical",), ("dense",)):
        (result,) = evaluate_retrieval([path], without=without).sets
        firsts.append(result.metrics["recall_at_1"])
    assert firsts[1] == 1.0, "by meaning alone"
    assert firsts[2] == 0.0, "by words alone"
    with pytest.raises(InvalidValue, match="'nonsense' is no term of a score"):
        evaluate_retrieval([path], without=("nonsense",))


def test_a_limit_is_on_the_questions_of_a_set(tmp_path: Path) -> None:
    book = MemoryBook()
    report = evaluate_retrieval([write_set(tmp_path, MEMORIES)], open_memory=book, run=Run(limit=1))
    assert report.sets[0].metrics["questions"] == 1
    assert book.opened == ["memory-1"]
    assert len(book.given) == 3
    assert report.settings == {
        "ranking_length": 50,
        "limit": 1,
        "maintain": False,
        "without": [],
        "corrections": None,
    }


def test_figures_of_longmemeval_are_those_computed_by_hand() -> None:
    book = MemoryBook()
    (result,) = evaluate_retrieval([LONGMEMEVAL / "small.json"], open_memory=book).sets
    # By shared words the sessions come as: lamp, fish; then one, a, b, c, d, two, of which one and two answer; then
    # bread, tea, of which tea answers. The question about the dog is one of abstention.
    metrics = result.metrics
    assert result.name == "small"
    assert metrics["questions"] == 3
    assert metrics["session_any_at_1"] == pytest.approx(2 / 3)
    assert metrics["session_any_at_5"] == 1
    assert metrics["session_all_at_5"] == pytest.approx(2 / 3)
    assert metrics["session_all_at_10"] == 1
    by_type = {
        name: [figures[f"session_{figure}"] for figure in ("any_at_1", "any_at_5", "all_at_5")]
        for name, figures in result.categories.items()
    }
    assert by_type == {
        "single_session_user": [1, 1, 1],
        "multi_session": [1, 1, 0],
        "single_session_assistant": [0, 1, 1],
    }
    # Evidence: the marked turn of lamp; of one, and the two turns of two, one of them blank; both turns of tea.
    assert metrics["recall_at_5"] == pytest.approx((1 + 0 + 1) / 3)
    assert (metrics["blank_items"], metrics["unknown_evidence"], metrics["corrected_questions"]) == (1, 0, 0)


def test_each_question_of_longmemeval_has_a_memory_of_its_own_that_sees_turns_and_no_label() -> None:
    book = MemoryBook()
    evaluate_retrieval([LONGMEMEVAL / "small.json"], open_memory=book)
    assert book.opened == ["memory-1", "memory-2", "memory-3"]
    assert [as_of for _, _, as_of in book.asked][:1] == [datetime(2024, 3, 10, 9, tzinfo=UTC)]
    first, second = book.given[2:4]
    at = datetime(2024, 3, 2, 18, 40, tzinfo=UTC)
    assert first == Statement(text="I bought the green lamp today", occurred_at=at, speaker="user", session="s_lamp")
    assert second == Statement(text="A fine choice", occurred_at=at, speaker="assistant", session="s_lamp")
    seen = repr((book.opened, book.given, book.asked))
    assert not [label for label in ("The green one", "single-session", "has_answer") if label in seen]


def test_longmemeval_is_read_by_the_real_memory() -> None:
    (result,) = evaluate_retrieval([LONGMEMEVAL / "small.json"], embedder=HashingEmbedder()).sets
    assert result.metrics["questions"] == 3
    assert result.categories["single_session_user"]["session_any_at_1"] == 1


def test_an_audit_of_labels_replaces_evidence(tmp_path: Path) -> None:
    audit = tmp_path / "errors.json"
    wrong = [
        {"question": "dog", "cited_evidence": ["i3", "i9"], "correct_evidence": ["i2"], "error_type": "X"},
        {"question": "cat", "cited_evidence": ["i1"], "correct_evidence": []},
        {"question": "of another conversation", "cited_evidence": [], "correct_evidence": ["D1:3"]},
    ]
    audit.write_text(json.dumps(wrong, indent=2), encoding="utf-8")
    paths = [write_set(tmp_path, MEMORIES)]
    report = evaluate_retrieval(paths, open_memory=MemoryBook(), corrections=audit)
    metrics = report.sets[0].metrics
    assert report.settings["corrections"] == "errors.json"
    assert (metrics["questions"], metrics["corrected_questions"], metrics["recall_at_1"]) == (2, 1, 1)
    audit.write_text(json.dumps([wrong[0], wrong[0]]), encoding="utf-8")
    with pytest.raises(InvalidValue, match=r'errors.json, entry 2: "question" is "dog": give each question once'):
        evaluate_retrieval(paths, open_memory=MemoryBook(), corrections=audit)


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    for lines, total in ((MEMORIES, 8), (CORPUS, 5)):
        told: list[tuple[str, int, int]] = []

        def progress(set_name: str, done: int, steps: int, /, told: list[tuple[str, int, int]] = told) -> None:
            told.append((set_name, done, steps))

        evaluate_retrieval([write_set(tmp_path, lines)], open_memory=MemoryBook(), run=Run(progress=progress))
        assert told[-1] == ("tiny", total, total)
        assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})


def test_a_set_without_questions_or_items_has_no_fractions(tmp_path: Path) -> None:
    empty = {"id": "m", "items": [], "questions": [question("what?", "gone")]}
    metrics = evaluate_retrieval([write_set(tmp_path, [empty])], open_memory=MemoryBook()).sets[0].metrics
    assert metrics["recall_at_10"] == 0
    silent = {"id": "m", "items": [item("i", "x")], "questions": []}
    metrics = evaluate_retrieval([write_set(tmp_path, [silent])], open_memory=MemoryBook()).sets[0].metrics
    assert metrics["questions"] == 0
    assert "recall_at_10" not in metrics


def test_what_cannot_be_measured_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="limit is -1"):
        evaluate_retrieval([write_set(tmp_path, CORPUS)], open_memory=MemoryBook(), run=Run(limit=-1))
    with pytest.raises(InvalidValue, match="line 1 is not of this form"):
        evaluate_retrieval([write_set(tmp_path, [{"type": "other"}])], open_memory=MemoryBook())
    with pytest.raises(UnreadableSource, match="does not exist"):
        evaluate_retrieval([tmp_path / "gone"], open_memory=MemoryBook())


def test_a_blank_document_is_counted(tmp_path: Path) -> None:
    blank = {"type": "doc", "id": "d9", "text": "\n"}
    metrics = evaluate_retrieval([write_set(tmp_path, [blank, *CORPUS])], open_memory=MemoryBook()).sets[0].metrics
    assert metrics["blank_items"] == 1
    assert metrics["items"] == 4


def test_the_real_memory_is_measured_by_default(tmp_path: Path) -> None:
    paths = [write_set(tmp_path, MEMORIES, "memories.jsonl"), write_set(tmp_path, CORPUS, "corpus.jsonl")]
    report = evaluate_retrieval(paths, embedder=HashingEmbedder())
    assert [result.name for result in report.sets] == ["memories", "corpus"]
    assert all(0 <= result.metrics["recall_at_10"] <= 1 for result in report.sets)
    assert report.settings["embedder"] == HashingEmbedder().model.id
    json.dumps(report.to_json())


def test_items_without_a_time_are_seen_by_every_question(tmp_path: Path) -> None:
    dated = item("1", "red wheel", timestamp="2020-01-01")
    undated = item("2", "blue wheel")
    asked = {"text": "blue wheel", "evidence": ["2"], "category": "plain", "asked_at": "2020-06-01"}
    memory = {"id": "m", "lang": "en", "items": [dated, undated], "questions": [asked]}
    report = evaluate_retrieval([write_set(tmp_path, [memory])], embedder=HashingEmbedder())
    assert report.sets[0].metrics["recall_at_1"] == 1.0
