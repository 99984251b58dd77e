"""Settings of evolution: when a document is rewritten, how candidates are tried, how a change is rolled out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from evolore.domain.checks import check_count, checked_word
from evolore.domain.evolution import Operator
from evolore.errors import InvalidValue
from evolore.evolution.policy import ApprovalPolicy

WHOLE_PERCENT = 100
_PERSON = re.compile(r"[^<>\n]+ <[^<>\s]+>")


class SelectionMode(StrEnum):
    """What makes a winner: the seed's rule and then proof on fresh questions, or the seed's rule alone."""

    CONFIRMED = "confirmed"
    SEED = "seed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanarySettings:
    """How a promoted text comes before people."""

    stages: tuple[int, ...] = (5, 25, 50, 100)  #: Percent of principals that see it, growing, the last 100.
    least_questions: int = 50  #: How many questions the canary must have answered before a stage may grow, at least 1.
    is_default: bool = False  #: Whether an approved candidate begins as a canary by default.
    grows_by_itself: bool = False  #: Whether a stage that may grow does, without a person.

    def __post_init__(self) -> None:
        grows = all(less < more for less, more in pairwise((0, *self.stages)))
        if not self.stages or not grows or self.stages[-1] != WHOLE_PERCENT:
            raise InvalidValue(f"stages is {self.stages}: use growing whole percents above 0, the last of them 100.")
        check_count(self.least_questions, "least_questions")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSettings:
    """Who commits, where a change is written to a branch."""

    author: str = ""  #: Author and committer, as in `Mika <mika@example.org>`; by default as git is set up.
    co_author: str = ""  #: Who is named by a line `Co-authored-by`, written alike; by default it is left out.

    def __post_init__(self) -> None:
        for name in ("author", "co_author"):
            person = getattr(self, name)
            if person and not _PERSON.fullmatch(person):
                raise InvalidValue(f"{name} is {person!r}: write it as in 'Mika <mika@example.org>'.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionSettings:
    """When a document is rewritten and what a rewrite has to prove."""

    #: From how many BAD ratings of different people on a document is rewritten, at least 1.
    bad_feedback_threshold: int = 3
    #: How many candidates are made, at least 1; a proved correction is the only one if nothing else is complained of.
    candidate_count: int = 3
    evaluation_sample_size: int = 5  #: On how many questions each is screened, at least 1.
    min_win_margin: float = 0.1  #: By how much the win rate must pass one half, 0–0.5.
    auto_update: bool = False  #: Whether a policy may approve without a person.
    #: What makes a winner: `confirmed`, the rule of the seed and then proof on fresh questions, or `seed`, that rule
    #: alone.
    mode: SelectionMode = SelectionMode.CONFIRMED
    #: How candidates are made, in the order in which they are tried; those that need evidence are left out where there
    #: is none. Crossovers are tried on two documents that answer the same rated questions.
    operators: tuple[Operator, ...] = (
        Operator.MUTATION_DETAIL,
        Operator.MUTATION_CLARITY,
        Operator.MUTATION_SIMPLIFY,
        Operator.MUTATION_QA_FORMAT,
        Operator.CROSSOVER_MERGE,
        Operator.CROSSOVER_EXTRACT,
    )
    #: What may be approved without a person, where ``auto_update`` is set.
    policy: ApprovalPolicy = field(default_factory=ApprovalPolicy)
    canary: CanarySettings = field(default_factory=CanarySettings)  #: How a promoted text comes before people.
    #: Whether the chat model is asked, in one call a candidate, about what the gates doubt, and by ``maintain``
    #: where documents contradict each other, where no model of the setting ``entailment`` is.
    entailment_by_chat: bool = False
    #: Whether what is approved is written back to the file that its document was read from, once it is before
    #: everybody.
    write_back: bool = False
    git: GitSettings = field(default_factory=GitSettings)  #: Who commits, where a change is written to a branch.

    def __post_init__(self) -> None:
        object.__setattr__(self, "mode", checked_word(SelectionMode, self.mode, "mode"))
        for name in ("bad_feedback_threshold", "candidate_count", "evaluation_sample_size"):
            check_count(getattr(self, name), name)
        if not 0 <= self.min_win_margin <= _HALF:
            raise InvalidValue(f"min_win_margin is {self.min_win_margin}: use a number from 0 to 0.5.")
        if not self.operators or len(set(self.operators)) < len(self.operators):
            raise InvalidValue(f"operators is {self.operators}: name at least one, each once.")


_HALF = 0.5
