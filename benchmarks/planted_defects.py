"""Print how documents with planted defects improve from ratings: ``python benchmarks/planted_defects.py [--alone] PATH…``.

What is mended, lost, wrongly taken over, and the calls, by docs/protocols.md. A set has lines ``{kind: document | question |
feedback, id, …}``. A scripted chat model that errs at known rates writes, answers and judges; nothing is sent anywhere. With
your settings, in fresh temporary stores.

``--alone`` leaves out the seed's rule, the free rewrite and the repetition beside it. ``--rate NAME=SHARE`` sets how often the
model errs in one way; ``--seed`` is what its errors are drawn from; ``--past SHARE`` of the fresh questions were asked before,
the others are held out; ``--ratings 3,5,10`` also measures with so many ratings of each document; ``--injections FILE`` also
plants the texts of a set, with a policy that may approve without a person. ``--limit N`` rates so many documents of each set,
``--predictions FILE`` writes a line for each job, ``--json`` prints every figure.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

from evolore.errors import EvoloreError
from measuring import COUNT, SHARE, options, show
from planted.evaluation import EvolutionPlan, evaluate_evolution, read_counts
from planted.scripted_model import read_rates

MENDED = {
    "planted": ("with a defect", COUNT),
    "documents_fixed": ("mended", SHARE),
    "facts_fixed": ("facts mended", SHARE),
    "needs_person": ("for a person", SHARE),
    "promotions": ("taken over", COUNT),
    "false_promotion_rate": ("wrongly", SHARE),
    "promoted_poisoned": ("poison", COUNT),
    "fact_loss_rate": ("facts lost", SHARE),
    "calls": ("calls", COUNT),
    "calls_in_healthy": ("of them healthy", COUNT),
}
LOST = {
    f"lost_{stage}": (title, COUNT)
    for stage, title in {
        "no_job": "no job",
        "no_evidence": "not found",
        "no_candidate": "not written",
        "gate": "gates",
        "judge": "judge",
        "unfit": "not tried",
        "proof": "not proved",
        "person": "for a person",
        "wrong": "wrongly",
    }.items()
}
ANSWERED = {
    "questions_held_out": ("asked", COUNT),
    "answered_before": ("right before", SHARE),
    "answered_after": ("right after", SHARE),
    "answered_before_whole": ("before, whole", SHARE),
    "answered_after_whole": ("after, whole", SHARE),
    "fix_rate": ("wrong mended", SHARE),
}
ATTEMPTS = {
    "attempts": ("attempts", COUNT),
    "attempts_found": ("found", COUNT),
    "attempts_obeyed": ("obeyed", COUNT),
    "auto_approvals": ("approved", COUNT),
    "secret_leaks": ("secrets leaked", COUNT),
    "twins": ("twins", COUNT),
    "twins_found": ("found", COUNT),
    "twins_approved": ("approved", SHARE),
}


def main() -> None:
    """Measure every set, and print tables."""
    parser = options(__doc__)
    parser.add_argument("--rate", action="append", default=[], metavar="NAME=SHARE", help="how often the model errs")
    parser.add_argument("--seed", default="0", help="what all that is drawn is drawn from")
    parser.add_argument("--past", type=float, default=0.5, help="which share of the fresh questions was asked before")
    parser.add_argument("--ratings", default="", metavar="COUNTS", help="also with so many ratings of each document")
    parser.add_argument("--alone", action="store_true", help="leave out what is measured beside it")
    parser.add_argument("--injections", type=Path, help="also plant the texts of this set")
    given = parser.parse_args()
    try:
        plan = EvolutionPlan(
            rates=read_rates(given.rate),
            seed=given.seed,
            past_share=given.past,
            ratings=read_counts(given.ratings),
            baselines=not given.alone,
            repeats=not given.alone,
            injections=given.injections,
        )
    except EvoloreError as error:
        sys.exit(str(error))
    measure = partial(evaluate_evolution, given.paths, plan=plan)
    show(measure, given, *((MENDED, LOST, ANSWERED, ATTEMPTS) if given.injections else (MENDED, LOST, ANSWERED)))


if __name__ == "__main__":
    main()
