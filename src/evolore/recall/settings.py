"""What the ranking of recall can be told."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from evolore.domain.checks import check_count, check_share
from evolore.errors import InvalidValue

_LEAST_SIBLINGS = 2
_SHARES = (
    *(
        "neighbour_share",
        "window_share",
        "passage_share",
        "dense_neighbour_share",
        "dense_passage_share",
        "expand_share",
        "echo_share",
    ),
    *("vague_below", "vague_centre", "reply_share"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """How much each kind of evidence counts; one set of defaults for conversations, feelings and passages.

    Args:
        neighbour_gap_days: How far apart in time two turns of a session may lie and still be neighbours, at least 0;
            applied by ``neighbours.near_neighbours`` when evidence is gathered.
        neighbour_share: Part of its neighbours' words that a short turn takes, from each of four, 0–1.
        passage_share: The same part between the passages of a document, 0–1.
        window_share: Weight of the reading "each word counts once in an item and its neighbours, where it is
            strongest", 0–1; the rest goes to the plain sum over them.
        group_share: Weight of the words found elsewhere in the item's session or document, at least 0.
        dense_neighbour_share: Part of the similarity of the one before and the one after that a short turn takes, 0–1.
        dense_passage_share: The same part between the passages of a document, 0–1.
        dense_weight: What a cosine of 1 counts for beside holding all of the question's words, at least 0.
        short_words: Up to how many words an item is short; a longer one takes the less of its neighbours the longer it is,
            above 0.
        sharpness: To which power the share of the question's words is raised, at least 1: what holds a word or two of many
            by chance counts for the less the higher it is.
        vague_below: A question is vague, and meaning is trusted more, where the best item holds less than this share of
            its words, 0–1; wholly vague 0.1 below.
        vague_weight: How much more meaning counts in a wholly vague question, as a part of its weight, at least 0.
        vague_centre: How far what all vectors have in common is taken out of them in a wholly vague question, 0–1.
        likeness_weight: What likeness to the best items counts for in a wholly vague question, as a part of the weight
            of meaning, at least 0.
        likeness_count: How many of the best items that are, at least 1.
        subject_bonus: What an item gains in a wholly vague question when it names whom the question names, as a part of
            the weight of meaning, at least 0.
        speaker_bonus: What an item gains when the question names its speaker, in the unit of scores, at least 0.
        question_cost: What a short turn loses that ends by asking, in the same unit, at least 0.
        reply_share: Part of such a turn's score that the short turn behind it gains, 0–1.
        depth_weight: What a passage gains when it stands at the depth that was asked for, in the same unit, at least 0;
            half of it one level off, a third two off.
        expand: Whether several hits that are siblings come back as the chunk above them.
        expand_siblings: How many siblings, at least 2.
        expand_share: How much of the chunk above them the hits must make up, 0–1.
        expand_max_characters: How long that chunk may be, in characters, at least 0.
        fold_echoes: Whether hits that only repeat a better one are folded into it.
        echo_share: How much of the better one's words they repeat, 0–1.
        whole_max_characters: How long the text of a session or document may be, in characters, at least 0; of a longer
            one, what was found in it is given.
        whole_statement_tokens: How long a statement may be, in estimated tokens, to be given whole, at least 0; of a longer
            one, the passages that say what is asked are given.
    """

    neighbour_gap_days: float = 1.0
    neighbour_share: float = 0.4
    passage_share: float = 0.25
    window_share: float = 0.8
    group_share: float = 0.2
    dense_neighbour_share: float = 0.5
    dense_passage_share: float = 0.1
    dense_weight: float = 0.4
    short_words: float = 100.0
    sharpness: float = 1.25
    vague_below: float = 0.22
    vague_weight: float = 1.0
    vague_centre: float = 1.0
    likeness_weight: float = 0.4
    likeness_count: int = 10
    subject_bonus: float = 0.15
    speaker_bonus: float = 0.056
    question_cost: float = 0.042
    reply_share: float = 0.12
    depth_weight: float = 0.07
    expand: bool = False
    expand_siblings: int = 2
    expand_share: float = 0.5
    expand_max_characters: int = 2000
    fold_echoes: bool = True
    echo_share: float = 0.8
    whole_max_characters: int = 4000
    whole_statement_tokens: int = 200

    def __post_init__(self) -> None:
        for field in fields(self):
            value: float = getattr(self, field.name)
            if field.name in _SHARES:
                check_share(value, field.name)
            elif not (math.isfinite(value) and value >= 0.0):
                raise InvalidValue(f"{field.name} is {value}: give a finite number of at least 0.")
        check_count(self.likeness_count, "likeness_count")
        if not self.short_words > 0.0 or self.sharpness < 1.0:
            raise InvalidValue(
                f"short_words is {self.short_words} and sharpness {self.sharpness}: give more than 0, and at least 1."
            )
        if self.expand_siblings < _LEAST_SIBLINGS:
            raise InvalidValue(
                f"expand_siblings is {self.expand_siblings}: one hit alone has no siblings; give 2 or more."
            )
