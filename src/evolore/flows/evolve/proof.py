"""The proof of a correction or restatement: what states it is newer, or the document itself; readers must be answered by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure
from evolore.domain.contest import DocumentText, EvidenceText, Scores, Side, Verdict
from evolore.domain.document import Document
from evolore.domain.evolution import Operator
from evolore.evolution import fact_proof
from evolore.evolution.corrections import NewValue, corrected, corrections_of
from evolore.evolution.edits import EditKind, find_section
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.job_steps import JobCandidate, Proved, StepKind
from evolore.evolution.matches import Pair, mean_scores
from evolore.evolution.novelty import adds_nothing
from evolore.evolution.policy import is_from_source
from evolore.evolution.requests import Unusable
from evolore.flows.evolve.contest import TextQuestion, judge_pairs, usable_answers
from evolore.flows.evolve.documents import joined
from evolore.flows.evolve.log import Desk, Done, Stopped, pause_after_failures
from evolore.flows.evolve.planning import all_writers
from evolore.store.reading import StoreReader
from evolore.text.sections import read_sections

_ONCE_MORE, _TWICE_MORE = 1, 2


def proved(desk: Desk) -> Done:
    """Try the first candidate that may be proved by its fact alone."""
    candidate = desk.job.correcting[0]
    basis = _basis(desk, candidate)
    proof = (
        fact_proof.FactProof(is_proved=False, reason=basis)
        if isinstance(basis, str)
        else _tried(desk, candidate, basis)
    )
    return Done(kind=StepKind.PROVED, body=Proved(candidate=candidate.id, proof=proof))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What a correction rests on: the document, and the evidence that is independent of who complained."""

    document: DocumentText  #: As the job found it.
    evidence: tuple[EvidenceText, ...]  #: What states the correction.
    decides_between: bool = False  #: Whether the document itself says elsewhere what the evidence says.
    is_own: bool = False  #: Whether the evidence is the document itself.
    is_reworded: bool = False  #: Whether the candidate says in other words what the document says.


def _basis(desk: Desk, candidate: JobCandidate) -> _Basis | str:
    """Return what a candidate rests on, or why it is no correction that can be proved by a fact."""
    (document,), (edits,) = desk.documents(), candidate.edits
    adds = fact_proof.only_adds(document.text, candidate.texts[0].text, document.language)
    may_reword = fact_proof.is_rewording(candidate.doubts)
    still_open = fact_proof.open_doubts(candidate.doubts, only_adds=adds)
    if still_open and not may_reword:
        return f"it leaves a doubt that a fact does not answer: {still_open[0]}"
    named = {id_ for edit in edits for id_ in edit.evidence}
    cited = [one for one in desk.job.plan.evidence if one.id in named]
    if not named and candidate.operator is not Operator.MUTATION_DETAIL:
        return _restated(document, candidate, may_reword=may_reword)
    is_cited = bool(cited) and all(edit.evidence for edit in edits)
    if not is_cited or adds_nothing(document.text, candidate.texts[0].text):
        return "it says nothing that the document did not" if is_cited else "an edit names no evidence"
    corrections = corrections_of(
        document.text, edits, evidence=cited, language=document.language, media_type=document.media_type
    )
    own = corrections_of(document.text, edits, evidence=(), language=document.language, media_type=document.media_type)
    stated = {(one.start, one.after) for one in own}  # where a document says two things, evidence decides at any age
    outdated = [one for one in corrections if (one.start, one.after) not in stated]
    evidence = _admissible(desk, document, cited, outdated)
    if isinstance(evidence, str):
        return evidence
    before, after, language = corrected(document.text, corrections), candidate.texts[0].text, document.language
    why = fact_proof.unfit_change(before, after, language=language, evidence=[one.text for one in evidence])
    why = why or "".join(still_open[:1])
    dropped = fact_proof.dropped_sentence(before, after, language)
    if why and (dropped or not may_reword):
        return dropped or why
    return _Basis(document=document, evidence=evidence, decides_between=bool(own), is_reworded=bool(why))


def _restated(document: DocumentText, candidate: JobCandidate, *, may_reword: bool) -> _Basis | str:
    """Return a document, whose words a candidate says again in another section; or why it does more, or nothing."""
    before, after = _edited_sections(document, candidate)
    if adds_nothing(before.text, after.text) or find_injections(document.text):
        return "it says nothing that its section did not"
    why = fact_proof.unfit_change(document.text, candidate.texts[0].text, language=document.language, evidence=())
    evidence = EvidenceText(id=document.document_id, text=document.text, source=document.title)
    dropped = fact_proof.dropped_sentence(document.text, candidate.texts[0].text, document.language)
    if why and (dropped or not may_reword):
        return dropped or why
    return _Basis(document=document, evidence=(evidence,), is_own=True, is_reworded=bool(why))


def _admissible(
    desk: Desk, document: DocumentText, cited: Sequence[EvidenceText], outdated: Sequence[NewValue]
) -> tuple[EvidenceText, ...] | str:
    """Return the evidence not written by a complainant, not rewritten and new enough; or why there is none."""
    today = desk.context.clock.now().date()
    with desk.context.store.read(desk.context.namespace) as reader:
        feedback = reader.feedback(document_id=document.document_id)
        raters = {one.principal for one in feedback if one.principal}
        comments = {one.id: one.rated_at for one in feedback}  # what of them may be cited was confirmed
        own = reader.document(document.document_id)
        episodes = {one.id: one for one in reader.episodes([one.id for one in cited])}
        found: list[tuple[EvidenceText, Document]] = []
        why = "the evidence is in no document"
        for one in cited:
            episode = episodes.get(one.id)
            of = None if episode is None or episode.document_id is None else reader.document(episode.document_id)
            if of is None:
                continue
            if raters.intersection(all_writers(reader, of.id)):
                why = f"{of.source} was written by somebody who complained"
            elif not is_from_source(reader.promotions(document_id=of.id), of.id, of.version):
                why = f"{of.source} was rewritten from feedback itself"
            else:
                found.append((one, of))
        said = [one for one in cited if one.id in comments]
        if own is None or not (found or said):
            return why
        dated = _dated(reader, own, today)
        ages = {of.id: _dated(reader, of, today) for _, of in found}
    fresh = [one for one, of in found if not _is_older(ages[of.id], dated)]
    fresh += said
    newer = {one.id for one, of in found if fact_proof.is_newer(ages[of.id], dated)}
    newer |= {one.id for one in said if comments[one.id] > dated.recorded_at}
    for one in outdated:
        if one.evidence_id not in newer:
            return f"{one}, and that is not newer than the document by its own words or by when it was taken in"
    return tuple(fresh) or "the evidence is older than the document"


def _is_older(evidence: fact_proof.Dated, document: fact_proof.Dated) -> bool:
    return evidence.day is not None and document.day is not None and evidence.day < document.day


@dataclass(frozen=True, slots=True, kw_only=True)
class Authorship:
    """Who wrote what a correction is about, and what it rests on."""

    first: str | None = None  #: Who wrote the first version of the document; None if unnamed.
    #: The sources of the documents it rests on, each with one who wrote it.
    evidence: tuple[tuple[str, str | None], ...] = ()


def written_by(desk: Desk) -> Authorship:
    """Return who wrote what the proved correction of a job is about and what it rests on; nothing where none is proved."""
    candidate = desk.job.corrected
    if candidate is None:
        return Authorship()
    (document,), (edits,) = desk.documents(), candidate.edits
    named = sorted({id_ for edit in edits for id_ in edit.evidence})
    with desk.context.store.read(desk.context.namespace) as reader:
        cited = {one.document_id: one.source or "" for one in reader.episodes(named) if one.document_id is not None}
        by = [(source, who) for id_, source in cited.items() for who in all_writers(reader, id_)]
        comments = reader.feedback(document_id=document.document_id)
        by += [(f"comment {one.id}", one.principal) for one in comments if one.id in named]
        first = all_writers(reader, document.document_id)
    return Authorship(first=first[0] if first else None, evidence=tuple(dict.fromkeys(by)))


def _dated(reader: StoreReader, document: Document, today: date) -> fact_proof.Dated:
    text = reader.document_text(document.id) or ""
    return fact_proof.Dated(
        day=fact_proof.newest_day(f"{document.title}\n{text}", document.language, today=today),
        recorded_at=document.recorded_at,
    )


def _tried(desk: Desk, candidate: JobCandidate, basis: _Basis) -> fact_proof.FactProof:
    """Ask from both texts what people complained of, and hold the answers against the evidence; what fails once more."""
    ids = () if basis.is_own else tuple(one.id for one in basis.evidence)
    questions = _questions(desk, basis)
    if isinstance(questions, str):
        return fact_proof.FactProof(is_proved=False, reason=questions, evidence=ids)
    judge = f"{desk.asker.model_id}/{fact_proof.FACTS_PROMPT}"
    before, after = basis.document, replace(basis.document, text=candidate.texts[0].text)
    if (
        basis.decides_between or basis.is_own
    ):  # elsewhere the document says it already: readers of the section are asked
        before, after = _edited_sections(before, candidate)
    basis = replace(basis, document=before)
    matches = _matches(desk, basis, after, questions, attempt=0)
    again = [one.question for one in matches if one.is_related and not (one.is_won or one.is_even)]
    if again and len(again) < len(matches):
        second = {one.question: one for one in _matches(desk, basis, after, again, attempt=_ONCE_MORE)}
        matches = [second.get(one.question, one) for one in matches]
    split = [one for one in matches if one.is_split]
    third = _held(desk, split, basis, attempt=_TWICE_MORE)
    matches = [third.get(one.question, one) for one in matches]
    proof = fact_proof.proof_of(matches, evidence=ids, judge=judge, decides_between=basis.decides_between)
    if proof.is_proved and basis.is_own:
        proof = replace(proof, reason="as the document itself says")
    if proof.is_proved and basis.is_reworded:
        is_preferred = _is_preferred(desk, proof, basis)
        reason = f"{proof.reason}, in other words" if is_preferred else "a second judge does not prefer its answers"
        proof = replace(proof, is_proved=is_preferred, is_reworded=True, reason=reason)
    return replace(proof, metrics=_scores(desk, proof, basis)) if proof.is_proved else proof


def _is_preferred(desk: Desk, proof: fact_proof.FactProof, basis: _Basis) -> bool:
    """Return whether the judge of answers prefers three in four that a candidate won in both orders, and no answer of the original."""
    won = [one for one in proof.matches if one.is_won]
    told = _preferred(desk, won, basis, attempt=0)
    told |= _preferred(
        desk, [one for one, both in told.items() if both[0] is both[1] is not Side.TIE], basis, attempt=1
    )
    sides = list(told.values())
    return 4 * sides.count((Side.SECOND, Side.FIRST)) >= 3 * len(sides) and (Side.FIRST, Side.SECOND) not in sides


def _preferred(
    desk: Desk, matches: Sequence[fact_proof.FactMatch], basis: _Basis, *, attempt: int
) -> dict[fact_proof.FactMatch, tuple[Side | None, ...]]:
    """Return which answer the judge prefers, with the original's first and then last."""
    both = [
        judge_pairs(desk.asker, [_pair(one, one.answers[::step], basis, attempt=attempt) for one in matches])
        for step in (1, -1)
    ]
    pause_after_failures(desk)
    told = (tuple(getattr(one, "preferred", None) for one in sides) for sides in zip(*both, strict=True))
    return dict(zip(matches, told, strict=True))


def _pair(match: fact_proof.FactMatch, answers: Sequence[str], basis: _Basis, *, attempt: int = 0) -> Pair:
    first, second = answers
    reference = "\n\n".join(one.text for one in basis.evidence)
    language, text = basis.document.language, match.question.text
    return Pair(question=text, first=first, second=second, language=language, reference=reference, attempt=attempt)


def _scores(desk: Desk, proof: fact_proof.FactProof, basis: _Basis) -> Scores | None:
    """Return the judge's mean scores of the answers to what was won, as people asked it, in one call, the orders in turn.

    The fact is proved already: where no reply can be had, there are no scores, and the job goes on.
    """
    won = [one for one in proof.matches if one.is_won]
    shown = [one for one in won if not one.question.is_reworded] or won[:1]
    pairs = [_pair(one, one.answers[:: -1 if place % 2 else 1], basis) for place, one in enumerate(shown)]
    replies = judge_pairs(desk.asker, pairs)
    desk.asker.failures = []
    told = [(place, one) for place, one in enumerate(replies) if isinstance(one, Verdict)]
    return mean_scores(one.first if place % 2 else one.second for place, one in told)


def _edited_sections(document: DocumentText, candidate: JobCandidate) -> tuple[DocumentText, DocumentText]:
    """Return the sections that a candidate edits as texts of their own, as they are and as they are to be."""
    sections = read_sections(document.text, media_type=document.media_type)
    edits = [one for one in candidate.edits[0] if one.kind is not EditKind.DELETE]
    found = (find_section(sections, one.place) for one in edits if one.kind is EditKind.REPLACE)
    old = joined(one.text for one in found if one is not None)
    return replace(document, text=old), replace(document, text=joined(one.text for one in edits))


def _questions(desk: Desk, basis: _Basis) -> tuple[fact_proof.FactQuestion, ...] | str:
    """Return what people complained of, and rewordings of it; or why there is nothing to ask."""
    complaints = fact_proof.tried_complaints(desk.job.plan.complaints)
    if not complaints:
        return "no rating says what the document failed to answer"
    language = basis.document.language
    words = prompt_words(fact_proof.REWORD_PROMPT.name, fact_proof.REWORD_PROMPT.version)
    for attempt in (0, _ONCE_MORE):
        request = fact_proof.rewordings_request(
            words, basis.document.title, complaints, language, seed=desk.seed + attempt
        )
        (outcome,) = desk.asker.complete([request])
        pause_after_failures(desk)
        if isinstance(outcome, ChatFailure):
            return f"no questions could be written: {outcome.kind.value}"
        read = fact_proof.read_rewordings(outcome.text, complaints, language)
        if not isinstance(read, Unusable):
            return read
    return "no other wordings of what people asked could be had"


def _matches(
    desk: Desk, basis: _Basis, after: DocumentText, questions: Sequence[fact_proof.FactQuestion], *, attempt: int
) -> list[fact_proof.FactMatch]:
    """Answer questions from both texts, and judge both answers in both orders."""
    asked = [
        TextQuestion(question=one.text, document=text, attempt=desk.seed + attempt)
        for text in (basis.document, after)
        for one in questions
    ]
    texts = usable_answers(desk, asked)
    before, new = texts[: len(questions)], texts[len(questions) :]
    if not attempt and not (any(before) and any(new)):
        raise Stopped("No question could be answered from both texts: the replies cannot be used.", is_unusable=True)
    answered = [
        fact_proof.FactMatch(question=one, answers=(old, now))
        for one, old, now in zip(questions, before, new, strict=True)
        if old and now  # an unreadable answer is not silent, and has no winner
    ]
    read = _held(desk, answered, basis, attempt=attempt)
    return [read.get(one, fact_proof.FactMatch(question=one)) for one in questions]


def _held(
    desk: Desk, answered: Sequence[fact_proof.FactMatch], basis: _Basis, *, attempt: int
) -> dict[fact_proof.FactQuestion, fact_proof.FactMatch]:
    """Hold answers against the evidence in both orders; return what was read, by question."""
    texts = [(one.question.text, *one.answers) for one in answered]
    first = [fact_proof.FactPair(question=text, first=old, second=now) for text, old, now in texts]
    second = [fact_proof.FactPair(question=text, first=now, second=old) for text, old, now in texts]
    forward, backward = _judged(desk, first, basis, attempt), _judged(desk, second, basis, attempt)
    return {
        one.question: replace(
            one,
            original=(forward[place][0], backward[place][1]),
            candidate=(forward[place][1], backward[place][0]),
        )
        for place, one in enumerate(answered)
        if place in forward and place in backward
    }


def _judged(
    desk: Desk, pairs: Sequence[fact_proof.FactPair], basis: _Basis, attempt: int
) -> Mapping[int, tuple[fact_proof.Holding, fact_proof.Holding]]:
    """Check pairs against the evidence; a reply that cannot be used is asked for once more, and then counts for nothing."""
    words = prompt_words(fact_proof.FACTS_PROMPT.name, fact_proof.FACTS_PROMPT.version)
    if not pairs:
        return {}
    for once_more in (0, 100):
        seed = desk.seed + attempt + once_more
        request = fact_proof.facts_request(words, pairs, basis.evidence, basis.document.language, seed=seed)
        (outcome,) = desk.asker.complete([request])
        pause_after_failures(desk)
        read = Unusable(reason="") if isinstance(outcome, ChatFailure) else fact_proof.read_facts(outcome.text, pairs)
        if not isinstance(read, Unusable):
            return read
    return {}
