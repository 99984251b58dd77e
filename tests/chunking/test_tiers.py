from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.chunking.chunker import Chunker
from evolore.chunking.requests import LogProbs, LogProbsRequest, RewriteRequest, Rewritten, Unanswered
from evolore.chunking.settings import ChunkSettings
from evolore.chunking.tiers import normalise, normalised_starts
from evolore.domain.document import AttemptOutcome, BoundaryReason, Chunk, ChunkTree, MediaType, Tier
from evolore.domain.language import Language
from laws import tried as examples

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.chunking.requests import ChunkAnswer, ChunkRequest

SMALL = ChunkSettings(target_size=60, max_size=120, min_size=10)
BOATS = ["so we went down to the harbour and looked at the boats", "the boats were blue and the water was cold"]
BREAD = ["bakers knead flour with yeast and salt before dawn", "the dough must rise before it goes into the oven"]
THOUGHTS = [*BOATS * 2, *BREAD * 2]
RUN_ON = " ".join(THOUGHTS)
RESTORED = " ".join(f"{thought.capitalize()}." for thought in THOUGHTS)


def cut(text: str, answer: Callable[[ChunkRequest], ChunkAnswer]) -> ChunkTree:
    steps = Chunker(SMALL).steps(text, source="t")
    try:
        requests = next(steps)
        while True:
            requests = steps.send(tuple(map(answer, requests)))
    except StopIteration as ended:
        tree: ChunkTree = ended.value
        return tree


def unanswered(outcome: AttemptOutcome) -> Callable[[ChunkRequest], ChunkAnswer]:
    return lambda _: Unanswered(outcome=outcome)


def tried(leaf: Chunk) -> list[tuple[int, str]]:
    return [(attempt.tier.value, attempt.outcome.value) for attempt in leaf.attempts]


def outcomes(tree: ChunkTree, place: int = -1) -> list[tuple[int, str]]:
    return tried(tree.leaves[place])


def joined(tree: ChunkTree, text: str) -> str:
    return "".join(leaf.span.of(text) for leaf in tree.leaves)


def test_a_chunk_that_tier_one_cut_needs_no_attempts() -> None:
    text = "The boats are blue. " * 12
    tree = cut(text, unanswered(AttemptOutcome.FAILED))
    assert {leaf.tier for leaf in tree.leaves} == {Tier.CODE_LENGTH}
    assert all(not leaf.attempts for leaf in tree.leaves)
    assert tree.leaves[0].reason is BoundaryReason.START
    assert {leaf.reason for leaf in tree.leaves[1:]} <= {BoundaryReason.GAIN, BoundaryReason.LENGTH}


def test_what_separates_without_a_full_stop_is_found_without_a_call() -> None:
    asked: list[ChunkRequest] = []
    text = "; ".join(THOUGHTS)
    tree = cut(text, lambda request: asked.append(request) or Unanswered(outcome=AttemptOutcome.FAILED))
    assert not asked
    assert not tree.review_items
    assert {leaf.reason for leaf in tree.leaves[1:]} == {BoundaryReason.NORMALISED}
    assert {leaf.tier for leaf in tree.leaves[1:]} == {Tier.REWRITE}
    assert joined(tree, text) == text


def test_a_rewrite_gives_the_boundaries_and_the_original_the_text() -> None:
    tree = cut(RUN_ON, lambda _: Rewritten(text=RESTORED))
    assert joined(tree, RUN_ON) == RUN_ON
    assert {leaf.reason for leaf in tree.leaves[1:]} == {BoundaryReason.REWRITTEN}
    assert all(leaf.span.of(RUN_ON).startswith(tuple(THOUGHTS)) for leaf in tree.leaves)
    assert outcomes(tree) == [(1, "no_boundary"), (2, "found")]
    assert not tree.review_items


def test_one_stretch_is_rewritten_in_one_call_and_several_are_asked_together() -> None:
    asked: list[int] = []
    text = "\n\n".join([RUN_ON, "A short one.", RUN_ON + " and more"])
    steps = Chunker(SMALL).steps(text)
    try:
        requests = next(steps)
        while True:
            asked.append(len([request for request in requests if isinstance(request, RewriteRequest)]))
            requests = steps.send(tuple(Unanswered(outcome=AttemptOutcome.REFUSED) for _ in requests))
    except StopIteration:
        pass
    assert asked[0] == 2
    assert sum(asked) == 2


def test_without_an_answer_perplexity_decides_and_says_so() -> None:
    text = (BOATS[0] + ", ") * 20 + (BREAD[0] + ", ") * 20
    tree = Chunker(ChunkSettings(max_size=1500)).chunk(text)
    assert joined(tree, text) == text
    found = [leaf for leaf in tree.leaves if leaf.reason is BoundaryReason.NGRAMS]
    assert found
    assert abs(found[0].span.start - 20 * (len(BOATS[0]) + 2)) < 40
    assert found[0].gain_bits is not None
    assert found[0].gain_bits > 0
    assert (2, "no_model") in outcomes(tree)


def test_log_probabilities_are_asked_in_few_calls_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    text = BOATS[0] + " " + " ".join(BOATS * 10) + " " + " ".join(BREAD * 10)
    middle = text.index(BREAD[0])
    asked: list[str] = []

    def answer(request: ChunkRequest) -> ChunkAnswer:
        if isinstance(request, RewriteRequest):
            return Unanswered(outcome=AttemptOutcome.REFUSED)
        offset = sum(map(len, asked))
        asked.append(request.text)
        is_new = [middle <= offset + place < middle + 150 for place in range(len(request.text))]
        return LogProbs(tokens=tuple((place, -9.0 if new else -0.1) for place, new in enumerate(is_new)))

    steps = Chunker(ChunkSettings(max_size=1500)).steps(text)
    monkeypatch.setattr("evolore.chunking.tiers.MODEL_CHARACTERS", 1200)
    monkeypatch.setattr("evolore.chunking.perplexity.MODEL_CHARACTERS", 1200)
    try:
        requests = next(steps)
        while True:
            requests = steps.send(tuple(map(answer, requests)))
    except StopIteration as ended:
        tree = ended.value
    assert len(asked) == 2
    assert "".join(asked) == text
    (cut_at,) = [leaf for leaf in tree.leaves if leaf.reason is BoundaryReason.LOG_PROBS]
    assert abs(cut_at.span.start - middle) < 40


def test_a_stretch_over_the_cap_of_calls_is_not_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[ChunkRequest] = []
    monkeypatch.setattr("evolore.chunking.tiers.MODEL_CHARACTERS", 100)
    tree = cut(RUN_ON, lambda request: asked.append(request) or Unanswered(outcome=AttemptOutcome.FAILED))
    assert not asked
    assert (2, "too_long") in outcomes(tree)
    assert joined(tree, RUN_ON) == RUN_ON


def test_a_stretch_that_falls_into_two_long_pieces_is_still_rewritten_once() -> None:
    asked: list[ChunkRequest] = []
    text = f"{RUN_ON}; {RUN_ON}"
    tree = cut(text, lambda request: asked.append(request) or Unanswered(outcome=AttemptOutcome.NOT_OFFERED))
    assert [request.text for request in asked if isinstance(request, RewriteRequest)] == [f"{RUN_ON}; "]
    assert (2, "not_offered") in tried(tree.leaves[0])
    assert (2, "not_offered") in tried(tree.leaves[-1]), "what was refused once is the reason for the others too"
    same = cut(text, lambda request: Rewritten(text=request.text))
    assert (2, "out_of_budget") in tried(same.leaves[-1])
    assert joined(tree, text) == text


def test_a_document_counts_no_more_ngrams_than_it_may() -> None:
    text = "\n\n".join([BOATS[0] * 4, BREAD[0] * 4])
    for characters, expected in ((0, 2), (len(BOATS[0]) * 4 + 2, 1), (10_000, 0)):
        tree = Chunker(SMALL, ngram_characters=characters).chunk(text)
        refused = {leaf.outline.parent for leaf in tree.leaves if (3, "out_of_budget") in tried(leaf)}
        assert len(refused) == expected
        assert joined(tree, text) == text


def test_code_is_cut_at_its_lines_and_never_rewritten() -> None:
    asked: list[ChunkRequest] = []
    text = "```py\n" + "".join(f"value_{number} = compute_it({number})\n" for number in range(40)) + "```\n"
    steps = Chunker(SMALL).steps(text, media_type=MediaType.MARKDOWN)
    try:
        requests = next(steps)
        while True:
            asked += [request for request in requests if isinstance(request, RewriteRequest)]
            requests = steps.send(tuple(Unanswered(outcome=AttemptOutcome.FAILED) for _ in requests))
    except StopIteration as ended:
        tree = ended.value
    assert not asked
    assert all(leaf.span.of(text).startswith(("value", "```")) for leaf in tree.leaves)
    assert not tree.review_items


def test_the_hard_split_comes_last_and_files_what_was_tried() -> None:
    text = "x" * 500
    tree = cut(text, unanswered(AttemptOutcome.TIMED_OUT))
    assert outcomes(tree) == [(1, "no_boundary"), (2, "timed_out"), (3, "timed_out"), (3, "no_boundary"), (4, "found")]
    assert tree.leaves[-1].reason is BoundaryReason.INSIDE_WORD
    (item,) = tree.review_items
    assert item.attempts == tree.leaves[-1].attempts
    assert item.cause == Chunker(SMALL).chunk("Before it. " * 30 + "\n\n" + text, source="t").review_items[0].cause
    assert item.cause != Chunker(SMALL).chunk(text, source="u").review_items[0].cause


def test_review_items_speak_the_language_of_the_document() -> None:
    japanese = Chunker(SMALL).chunk("これは日本語の文です。" * 5 + "あ" * 500).review_items[0]
    chinese = Chunker(SMALL).chunk("这是中文句子。" * 5 + "我" * 500).review_items[0]
    assert "単語の途中" in japanese.reason
    assert "max_size" in japanese.suggestion
    assert "词语" in chinese.reason
    assert "words" in Chunker(SMALL).chunk("This is what the English say. " * 5 + "x" * 500).review_items[0].reason


ANSWERS = st.one_of(
    st.sampled_from(AttemptOutcome).map(lambda outcome: Unanswered(outcome=outcome)),
    st.text(max_size=300).map(lambda text: Rewritten(text=text)),
    st.permutations(THOUGHTS).map(lambda thoughts: Rewritten(text=". ".join(thoughts))),
    st.lists(st.tuples(st.integers(-3, 600), st.floats(-20, 1)), max_size=30).map(
        lambda tokens: LogProbs(tokens=tuple(tokens))
    ),
)
STRETCHES = st.lists(
    st.sampled_from(
        [*THOUGHTS, "x" * 130, "面粉和酵母，", "窯に火を入れて", "one\n\n", "; ", "<br>", "\ud800", "👩\u200d👧" * 20]
    ),
    max_size=14,
).map(" ".join)


@settings(max_examples=examples(20, long=60))
@given(text=STRETCHES, answers=st.lists(ANSWERS, min_size=1, max_size=5), media_type=st.sampled_from(MediaType))
def test_whatever_is_answered_the_leaves_joined_are_the_document_and_fit(
    text: str, answers: list[ChunkAnswer], media_type: MediaType
) -> None:
    steps = Chunker(SMALL).steps(text, media_type=media_type)
    number = 0
    tree = ChunkTree(chunks=())
    try:
        requests = next(steps)
        while True:
            sent = [answers[(number + place) % len(answers)] for place in range(len(requests))]
            number += len(sent)
            requests = steps.send(tuple(sent))
    except StopIteration as ended:
        tree = ended.value
    assert joined(tree, text) == text
    assert all(0 < len(leaf.span) <= SMALL.max_size for leaf in tree.leaves)
    hard = any(attempt.tier is Tier.HARD_SPLIT for leaf in tree.leaves for attempt in leaf.attempts)
    assert hard == bool(tree.review_items)


def test_the_requests_say_what_they_are_about() -> None:
    asked: list[ChunkRequest] = []
    cut(RUN_ON, lambda request: asked.append(request) or Unanswered(outcome=AttemptOutcome.REFUSED))
    first, second = asked
    assert isinstance(first, RewriteRequest)
    assert isinstance(second, LogProbsRequest)
    assert first.text == second.text == RUN_ON


@pytest.mark.parametrize("reply", ["Nothing of the sort was ever said.", "."])
def test_a_rewrite_that_is_another_text_is_not_followed(reply: str) -> None:
    tree = cut(RUN_ON, lambda _: Rewritten(text=reply * 9))
    assert joined(tree, RUN_ON) == RUN_ON
    assert (2, "other_text") in outcomes(tree)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("flour; yeast; salt", ["flour; ", "yeast; ", "salt"]),
        ("flour<br>yeast<br/>salt", ["flour<br>", "yeast<br/>", "salt"]),
        (r"one thing\ntwo things", [r"one thing\n", "two things"]),
        ("• flour • yeast", ["• ", "flour • ", "yeast"]),
        ("09:30 opened 10:15 closed", ["09:30 opened ", "10:15 closed"]),
        ("we went home.Then it rained", ["we went home.", "Then it rained"]),
        ("面粉；酵母；盐", ["面粉；", "酵母；", "盐"]),
        ("an ordinary run of words, with a comma", ["an ordinary run of words, with a comma"]),
        ("see example.com or 3.5 or e.g. this", ["see example.com or 3.5 or e.g. this"]),
    ],
)
def test_what_separates_starts_a_unit(text: str, pieces: list[str]) -> None:
    starts = normalised_starts(text, Language.EN, is_prose=True)
    assert [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)] == pieces


def test_lines_of_code_are_units_and_sentences_in_them_are_not() -> None:
    text = "a = 1  # One. Two.\nb = 2\n"
    assert normalised_starts(text, Language.EN, is_prose=False) == [0, text.index("b")]
    assert len(normalised_starts(text, Language.EN, is_prose=True)) > 2


@given(st.text(min_size=1, max_size=200), st.booleans())
def test_every_character_stays_at_its_place(text: str, is_prose: bool) -> None:  # noqa: FBT001 - drawn
    assert len(normalise(text)) == len(text)
    starts = normalised_starts(text, Language.EN, is_prose=is_prose)
    assert starts[0] == 0
    assert starts == sorted(set(starts))
    assert starts[-1] < len(text)
