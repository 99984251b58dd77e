"""A candidate is made of a reply as a whole or not at all, and what is wrong with the reply is told.

A chat model says what a rewrite lost and invented, in quotes that stand where it says they do.
"""

from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chat.asking import Asker
from evolore.domain.chat import UNLIMITED, ChatBudget, ChatFailureKind
from evolore.domain.contest import NoVerdict
from evolore.domain.document import MediaType
from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.edits import EditKind, apply_edits
from evolore.evolution.gates.claim_judge import ReadClaims
from evolore.evolution.mutation import AIMS, MADE_BEFORE
from evolore.evolution.proposals import Proposal, ProposalPlan
from evolore.evolution.requests import Unusable, read_data
from evolore.flows.evolve.candidates import (
    judge_claims,
    propose,
)
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.text.sections import read_sections
from flows.evolving_words import EVIDENCE, GUIDE, GUIDE_JA, GUIDE_ZH, asking, clearer, document, edits, plan

LONGEST = "evolore.evolution.requests.LONGEST_DOCUMENT"
MUTATIONS = list(AIMS)
DETAIL = Operator.MUTATION_DETAIL


def proposed(reply: str, made: ProposalPlan | None = None) -> Proposal | Unusable:
    asker, _ = asking(reply)
    return propose(asker, made or plan())


def reason(reply: str, made: ProposalPlan | None = None) -> str:
    found = proposed(reply, made)
    assert isinstance(found, Unusable)
    return found.reason


def test_a_section_is_rewritten_and_everything_else_stays() -> None:
    found = proposed(clearer())
    assert isinstance(found, Proposal)
    (text,), (made,) = found.texts, found.edits
    assert text.text == GUIDE.replace("It is done by the shop.", "The shop makes them.")
    assert (text.document_id, text.base_version) == ("doc-guide", 3)
    assert [(one.place, one.digest) for one in made] == [("1", read_sections(GUIDE)[0].digest)]
    assert apply_edits(GUIDE, made) == text.text
    assert (found.prompt, found.conflicts) == ("write_edits_1", ())


def test_a_section_may_be_named_by_its_headings_and_a_new_one_put_behind_it() -> None:
    found = proposed(edits({"kind": "insert", "place": "Refunds > Limits", "text": "## Who\n\nThe shop."}))
    assert isinstance(found, Proposal)
    assert "## Who\n\nThe shop.\n\n# Contact" in found.texts[0].text
    assert found.edits[0][0].place == "1.1"


@pytest.mark.parametrize("operator", MUTATIONS)
def test_what_is_asked_names_aim_language_sections_complaints_and_evidence(operator: Operator) -> None:
    asker, model = asking(clearer())
    propose(asker, plan(operator, evidence=(EVIDENCE,), earlier=(GUIDE.replace("7 days", "seven days"),)))
    (request,) = model.requests
    data = read_data(request)
    assert request.purpose == "evolution.write"
    assert (request.seed, request.temperature, request.prompt_version) == (7, 0, 1)
    assert data["aim"] == operator.value.removeprefix("MUTATION_").lower()
    assert data["language"] == "English"
    assert data["document"] == {
        "title": "Guide",
        "sections": [
            {"place": "1", "path": "Refunds", "text": "# Refunds\n\nRefunds take 7 days. It is done by the shop."},
            {"place": "1.1", "path": "Refunds > Limits", "text": "## Limits\n\nThe limit is 5,000 JPY per order."},
            {"place": "2", "path": "Contact", "text": "# Contact\n\nWrite to help@shop.example."},
        ],
        "elsewhere": [],
    }
    assert data["complaints"] == [{"question": "How long do refunds take?", "comment": "Too vague."}]
    assert data["evidence"] == [{"id": "e1", "source": "rules.md", "text": EVIDENCE.text}]
    assert data["earlier"] == [["# Refunds\n\nRefunds take seven days. It is done by the shop."]]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("{}", "edits: Field required"),
        ('{"edits": [{"kind": "rewrite", "place": "1", "text": "x", "reason": "y"}]}', "edits.0.kind"),
        (edits({"place": "7", "text": "# X\n\nText."}), "names no section"),
        (edits({"text": "# Refunds\n\nFine.", "evidence": ["e9"]}), "which was not given"),
        (edits({"text": "# Refunds\n\nFine.", "reason": " "}), "has no reason"),
        (edits({"text": " "}), "blank"),
        (edits({"text": "# Refunds\n\nA\u0000b."}), "NUL"),
        (edits({"text": "Refunds take 7 days."}), "begin with a heading"),
        (edits({"text": "## Refunds\n\nRefunds take 7 days."}), "begin with a heading of rank 1"),
        (edits({"text": "# Refunds\n\nFine.\n\n# More\n\nFine."}), "more than one section"),
        (edits({"text": "# Refunds\n\nFine.\n\n## Limits\n\nNone."}), "written twice"),
        (edits({"text": "# Refunds\n\n返金には7日かかります。"}), "language"),
        (edits({"text": "# Refunds\n\nОплата возвращается за семь дней."}), "language"),
        (edits({"text": "# Refunds\n\nA."}, {"text": "# Refunds\n\nB."}), "overlap"),
        (edits({"kind": "insert", "place": "1.1", "text": "# Who\n\nThe shop."}), "above rank 2"),
        (edits({"kind": "delete"}), "without the heading above"),
        (edits({"kind": "delete", "text": "Gone."}), "writes a text"),
        (edits({"text": "# Refunds\n\n" + "Wait a day. " * 900}), "characters"),
        (
            edits(
                *(
                    {"place": place, "text": f"{mark} A\n\nB."}
                    for place, mark in (("1", "#"), ("1.1", "##"), ("2", "#"))
                )
            ),
            "no edit any more",
        ),
        (clearer(GUIDE), "more than one section"),
    ],
)
def test_a_reply_that_cannot_all_be_used_is_not_used_at_all(reply: str, said: str) -> None:
    assert said in reason(reply)


@pytest.mark.parametrize(
    "reply", ['{"edits": []}', clearer("# Refunds\n\nRefunds take 7 days. It is done by the shop.\n")]
)
def test_an_honest_nothing_is_no_proposal(reply: str) -> None:
    assert reason(reply) == "nothing_to_improve"


def test_detail_adds_only_with_evidence_and_deletes_nothing() -> None:
    added = {"kind": "insert", "place": "1.1", "text": "## Receipts\n\nRefunds over 3,000 JPY need a receipt."}
    made = plan(DETAIL, evidence=(EVIDENCE,))
    assert "names no evidence" in reason(edits(added), made)
    assert "only adds" in reason(edits({"kind": "delete", "place": "2", "evidence": ["e1"]}), made)
    found = proposed(edits(added | {"evidence": ["e1", "e1"]}), made)
    assert isinstance(found, Proposal)
    assert found.edits[0][0].evidence == ("e1",)


def test_detail_without_evidence_asks_nobody() -> None:
    asker, model = asking(clearer())
    assert propose(asker, plan(DETAIL)) == Unusable(reason="no_evidence")
    assert model.calls == 0


def test_of_a_long_document_what_people_complain_of_is_shown_and_may_be_touched() -> None:
    asker, model = asking(clearer(), edits({"place": "2", "text": "# Contact\n\nWrite to the shop."}))
    with patch(LONGEST, 100):
        assert isinstance(propose(asker, plan()), Proposal)
    shown = read_data(model.requests[0])["document"]
    assert isinstance(shown, dict)
    assert [one["place"] for one in shown["sections"] if isinstance(one, dict)] == ["1", "2"]  # pyright: ignore[reportGeneralTypeIssues, reportOptionalIterable, reportUnknownVariableType] - the data is read as JSON
    assert shown["elsewhere"] == ["Refunds > Limits"]
    with patch(LONGEST, 70):
        found = propose(asker, plan())
    assert isinstance(found, Unusable)
    assert "was not shown" in found.reason


def test_a_document_of_which_nothing_can_be_shown_is_not_asked_about() -> None:
    asker, model = asking(clearer())
    with patch(LONGEST, 20):
        assert propose(asker, plan()) == Unusable(reason="too_long")
    assert model.calls == 0


def test_an_earlier_candidate_is_not_made_again() -> None:
    first = proposed(clearer())
    assert isinstance(first, Proposal)
    assert reason(clearer(), plan(earlier=(first.texts[0].text.strip(),))) == MADE_BEFORE


@pytest.mark.parametrize(
    ("text", "language", "edit"),
    [
        (GUIDE_JA, Language.JA, "# 返金\n\n返金には7日かかります。店舗が手続きをします。"),
        (GUIDE_ZH, Language.ZH, "# 退款\n\n退款需要7天。商店负责办理。"),
    ],
)
def test_documents_in_japanese_and_chinese_are_edited_in_their_language(
    text: str, language: Language, edit: str
) -> None:
    made = plan(Operator.MUTATION_CLARITY, document(text, language=language))
    found = proposed(clearer(edit), made)
    assert isinstance(found, Proposal)
    assert found.texts[0].text.startswith(edit)
    title = edit.partition("\n")[0]
    assert "language" in reason(clearer(f"{title}\n\nRefunds take 7 days, and the shop makes them."), made)


def test_plain_text_is_edited_by_its_paragraphs() -> None:
    text = "Refunds take 7 days.\n\n# no heading here\n\nWrite to us.\n"
    made = plan(Operator.MUTATION_CLARITY, document(text, media_type=MediaType.PLAIN))
    found = proposed(edits({"place": "3", "text": "Write to the shop."}), made)
    assert isinstance(found, Proposal)
    assert found.texts[0].text == text.replace("to us", "to the shop")


@pytest.mark.parametrize("fault", [*ScriptedFault])
def test_a_fault_is_told_and_makes_no_candidate(fault: ScriptedFault) -> None:
    asker, _ = asking(fault)
    found = propose(asker, plan())
    assert isinstance(found, Unusable)
    assert found.reason


def test_without_a_model_or_a_budget_the_reason_says_so() -> None:
    found = propose(Asker(None, UNLIMITED), plan())
    assert isinstance(found, Unusable)
    assert found.reason == ChatFailureKind.NO_MODEL.value
    model = ScriptedChatModel([clearer()])
    found = propose(Asker(model, ChatBudget(calls=0)), plan())
    assert isinstance(found, Unusable)
    assert (found.reason, model.calls) == (ChatFailureKind.OUT_OF_BUDGET.value, 0)


def test_a_plan_has_as_many_documents_as_its_operator_takes() -> None:
    with pytest.raises(InvalidValue, match="name one"):
        plan(Operator.MUTATION_CLARITY, document(), document(name="other"))
    with pytest.raises(InvalidValue, match="at least 2"):
        plan(Operator.CROSSOVER_MERGE)
    with pytest.raises(InvalidValue, match="each once"):
        plan(Operator.CROSSOVER_MERGE, document(), document())


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "kind": st.sampled_from([one.value for one in EditKind]),
                "place": st.sampled_from(["1", "1.1", "2", "3", ""]),
                "text": st.sampled_from(
                    ["", "# Refunds\n\nThe shop pays.", "## Limits\n\nNone.", "Text.", "# Contact\n\nCall."]
                ),
            }
        ),
        max_size=4,
    )
)
def test_whatever_is_replied_the_candidate_is_its_edits_applied_or_there_is_none(
    given_edits: list[dict[str, object]],
) -> None:
    found = proposed(edits(*given_edits))
    if isinstance(found, Proposal):
        assert found.texts[0].text == apply_edits(GUIDE, found.edits[0]) != GUIDE
        assert len({one.place for one in found.edits[0]}) <= 2
    else:
        assert found.reason


AFTER = GUIDE.replace("It is done by the shop.", "You need a receipt for\nmore than 3,000 JPY.")


def reply(*, lost: tuple[str, ...] = (), invented: tuple[str, ...] = ()) -> str:
    said = {"lost": lost, "invented": invented}
    return json.dumps({name: [{"quote": one, "reason": "It is."} for one in quotes] for name, quotes in said.items()})


def judged(said: str, before: str = GUIDE, after: str = AFTER) -> ReadClaims | NoVerdict:
    asker, _ = asking(said)
    return judge_claims(asker, before, after, language=Language.EN)


def test_what_is_lost_and_invented_is_told_with_its_place() -> None:
    found = judged(reply(lost=("It is done by the shop.",), invented=("a receipt for more",)))
    assert isinstance(found, ReadClaims)
    ((lost,), (invented,)) = found.lost, found.invented
    assert lost.before is not None
    assert lost.before.of(GUIDE) == lost.quote == "It is done by the shop."
    assert invented.after is not None
    assert invented.after.of(AFTER) == invented.quote == "a receipt for\nmore"


def test_nothing_to_object_to_passes() -> None:
    found = judged(reply())
    assert isinstance(found, ReadClaims)
    assert found == ReadClaims()


@pytest.mark.parametrize("said", [reply(lost=("It was done.",)), reply(invented=("It is done by the shop.",))])
def test_a_quote_that_stands_nowhere_makes_the_reply_unusable(said: str) -> None:
    found = judged(said)
    assert isinstance(found, NoVerdict)
    assert "quotes what is not in" in found.reason


def test_a_sentence_that_stands_in_the_other_text_word_for_word_is_not_lost() -> None:
    found = judged(reply(lost=("Refunds take 7 days.", "5,000"), invented=("Refunds",)))
    assert isinstance(found, ReadClaims)
    assert found == ReadClaims()
    changed = GUIDE.replace("The limit is 5,000 JPY per order.", "Ask us. The fee is 5,000 JPY.")
    found = judged(reply(lost=("5,000 JPY",)), after=changed)  # the control: the number stands there, its sentence not
    assert isinstance(found, ReadClaims)
    assert [one.quote for one in found.lost] == ["5,000 JPY"]


def test_what_the_evidence_says_is_not_invented() -> None:
    after = f"{GUIDE}\n{EVIDENCE.text}\n"
    asker, model = asking(reply(invented=(EVIDENCE.text,)))
    found = judge_claims(asker, GUIDE, after, language=Language.EN, evidence=[EVIDENCE], doubts=["spans: 3,000 JPY"])
    assert isinstance(found, ReadClaims)
    assert found == ReadClaims()
    data = read_data(model.requests[0])
    assert data["evidence"] == [{"id": "e1", "source": "rules.md", "text": EVIDENCE.text}]
    assert data["doubts"] == ["spans: 3,000 JPY"]
    found = judged(reply(invented=(EVIDENCE.text,)), after=after)  # the control: without evidence it is
    assert isinstance(found, ReadClaims)
    assert found != ReadClaims()


def test_only_what_differs_is_shown_beside_what_stays() -> None:
    asker, model = asking(reply())
    judge_claims(asker, GUIDE, AFTER, language=Language.JA)
    data = read_data(model.requests[0])
    assert data["language"] == "Japanese"
    assert data["before"] == [{"path": "Refunds", "text": "# Refunds\n\nRefunds take 7 days. It is done by the shop."}]
    assert data["unchanged"] == [
        {"path": "Refunds > Limits", "text": "## Limits\n\nThe limit is 5,000 JPY per order."},
        {"path": "Contact", "text": "# Contact\n\nWrite to help@shop.example."},
    ]


def test_nobody_is_asked_where_nothing_differs_or_too_much_does() -> None:
    asker, model = asking(reply())
    assert judge_claims(asker, GUIDE, GUIDE, language=Language.EN) == ReadClaims()
    long = "# A\n\n" + "Wait a day. " * 4_000
    assert judge_claims(asker, GUIDE, long, language=Language.EN) == NoVerdict(reason="too_long")
    assert model.calls == 0


@pytest.mark.parametrize("fault", [*ScriptedFault])
def test_a_fault_is_told_and_is_no_verdict(fault: ScriptedFault) -> None:
    asker, _ = asking(fault)
    found = judge_claims(asker, GUIDE, AFTER, language=Language.EN)
    assert isinstance(found, NoVerdict)
    assert found.reason


@pytest.mark.parametrize("said", ["{}", '{"lost": []}', '{"lost": [], "invented": [{"quote": "", "reason": "x"}]}'])
def test_half_a_reply_is_none(said: str) -> None:
    assert isinstance(judged(said), NoVerdict)
    assert judge_claims(Asker(None, UNLIMITED), GUIDE, AFTER, language=Language.EN) == NoVerdict(reason="no_model")
