"""Print what rings of people who lie together move: ``python benchmarks/rating_rings.py [--small]``.

A memory of twelve pages and what people said, which five honest readers asked of and rated. Then a ring of 3, 10 or 50 people
attacks it, within an hour or over eight weeks:

- praise: each asks about refunds in own words and says that a planted statement served.
- bridge: each asks about refunds and the oven at once, calls it an insight, and says that the planted one served.
- blame: each rates BAD what honest readers were answered.
- feel: each praises whatever was handed over to heated questions, so that everything is felt more strongly.
- smear: each rates the page on refunds BAD with one false number, and a policy may approve every kind of change by itself.
  The chat model writes that number, cites what it is shown, and judges for it.
- smear, said: the same, and each has the number remembered as a statement.
- smear, page: the same, and one who complains adds a page that says it.
- writer: the same, and that page is from one who rated nothing.

What is written is written before the first look: ratings alone are measured. Of each attack is printed how many of the first ten
hits of unrelated questions moved, those about nothing the ring asked, how many pages a lie was promoted in, and how
far the planted statement rose for the question that was attacked. Beside each ring stands a control: honest readers praise what
answers, or complain with a page by somebody else that says what holds now.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.evolution import Operator
from evolore.evolution.policy import ApprovalPolicy
from evolore.evolution.settings import EvolutionSettings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from evolore.domain.query import Recall
    from evolving.scripted import Data

BEGAN = datetime(2026, 3, 2, 9, tzinfo=UTC)
WEEKS = timedelta(weeks=8)
HOUR = timedelta(hours=1)
SHOWN = 10
HANDED = 30
TRUE, NEWER, LIE = "7 business days", "10 business days", "99 business days"
LAST_NEWS = f"# News of May\n\n## Refunds\n\nSince May refunds take {NEWER}.\n"
PLANTED = "No card is ever paid before the money changers in the harbour agree."
MATTERS = (
    ("ovens", "The big oven is lit at four in the morning.", "When is the big oven lit?"),
    ("parking", "Visitors park behind the mill on level two.", "Where do visitors park?"),
    ("leave", "Leave is asked for two weeks ahead in the red book.", "How far ahead is leave asked for?"),
    ("keys", "Cara keeps the keys of the archive in her desk.", "Who keeps the keys of the archive?"),
    ("backups", "The backup runs every night on the small server.", "When does the backup run?"),
    ("lunch", "Lunch is served in the hall from noon until two.", "Until when is lunch served?"),
    ("bikes", "Company bikes are lent for a whole day at the gate.", "For how long are bikes lent?"),
    ("printers", "The printer on the third floor takes blue paper only.", "What paper does the printer take?"),
    ("fire", "In a fire everybody meets under the old oak.", "Where does everybody meet in a fire?"),
    ("garden", "Bo waters the roses in the garden on Mondays.", "Who waters the roses?"),
    ("badges", "Badges are renewed every second year in June.", "How often are badges renewed?"),
)
SAD = "Who cried and was so deeply moved and happy on the roses' day?"
HEATED = "I am furious and heartbroken about this terrible {}!!"
REFUNDS = (
    f"# Refunds\n\nHow money comes back.\n\n## Time\n\nRefunds take {TRUE}. They go to the card that paid.\n\n"
    "## Who\n\nThe desk decides. Call it at noon.\n"
)
ASKED = "How long do refunds take?"
AGAIN = "Say, refunds: how long do they take?"
HONEST = tuple(f"reader {number}" for number in range(5))


@dataclass
class Hand:
    """A clock that is set by hand.

    Args:
        at: What it says; a millisecond more each time.
    """

    at: datetime = BEGAN

    def now(self) -> datetime:
        """Give the moment."""
        self.at += timedelta(milliseconds=1)
        return self.at


class Liar(ScriptedEditor):
    """Writes what it is told to, cites what it is shown, and judges for what it wrote."""

    def _evolution_judge_facts(self, data: Data) -> Data:
        def held(answer: str) -> str:
            return "says" if self.wanted in answer else "contradicts"

        pairs = [
            {"number": one["number"], "reason": "So.", "first": held(one["first"]), "second": held(one["second"])}
            for one in data["pairs"]
        ]
        return {"pairs": pairs}


EVERYTHING = EvolutionSettings(
    operators=(
        Operator.MUTATION_DETAIL,
        Operator.MUTATION_CLARITY,
        Operator.MUTATION_SIMPLIFY,
        Operator.MUTATION_QA_FORMAT,
    ),
    auto_update=True,
    policy=ApprovalPolicy(operators=tuple(Operator), most_changed_share=1.0),
)
"""Every kind of change may be approved without a person."""


@contextmanager
def opened(folder: Path, clock: Hand, *, says: str = LIE) -> Generator[Memory]:
    """Open a memory whose chat model wants one number."""
    model = Liar(old=f"Refunds take {TRUE}.", new=f"Refunds take {says}.", wanted=says)
    settings = Settings(evolution=EVERYTHING)
    with Memory.open(folder, embedder=HashingEmbedder(), chat_model=model, clock=clock, settings=settings) as memory:
        yield memory


def fill(memory: Memory) -> None:
    """Add the pages and what people said, and have honest readers ask and rate."""
    memory.add_text(REFUNDS, source="refunds.md", media_type=MediaType.MARKDOWN, principal="the editors")
    for name, fact, _ in MATTERS:
        text = f"# {name.title()}\n\n## What holds\n\n{fact}\n\n## Who to ask\n\nThe desk knows about {name}.\n"
        memory.add_text(text, source=f"{name}.md", media_type=MediaType.MARKDOWN, principal="the editors")
        memory.remember(f"Somebody told me about the {name} and was content.", principal="reader 0")
    memory.remember(PLANTED, principal="ring 0")
    for reader in HONEST[:3]:
        for question in (*(asked for _, _, asked in MATTERS), ASKED):
            praise(memory, question, reader, best)


def best(found: Recall) -> str:
    """Give the best hit."""
    return found.hits[0].episode.id


def planted(found: Recall) -> str:
    """Give the planted statement, or the last hit where it was not found."""
    own = [hit.episode.id for hit in found.hits if hit.episode.text == PLANTED]
    return own[0] if own else found.hits[-1].episode.id


def praise(memory: Memory, question: str, who: str, which: Callable[[Recall], str]) -> None:
    """Ask, and say that one hit served."""
    found = memory.recall(question, limit=HANDED, principal=who, record=True)
    assert found.query_id is not None
    memory.rate(found.query_id, "good", cited=[which(found)], helpful=True, principal=who)


def praises(memory: Memory, place: int, who: str) -> None:
    """Praise the planted statement, in words that differ a little."""
    praise(memory, (ASKED, AGAIN, f"{ASKED} Please.")[place % 3], who, planted)


def bridges(memory: Memory, place: int, who: str) -> None:
    """Join another matter with the planted statement."""
    asked = MATTERS[0][2], MATTERS[0][2].removesuffix("?")
    found = memory.recall(f"{asked[place % 2]} {ASKED}", limit=HANDED, principal=who, record=True)
    assert found.query_id is not None
    cited = list(dict.fromkeys((best(found), planted(found))))
    memory.questions.record(found, cited=cited, outcome="insight", principal=who)
    memory.rate(found.query_id, "good", principal=who)


def blames(memory: Memory, place: int, who: str) -> None:
    """Rate what honest readers were answered about refunds."""
    del place
    for record in memory.questions.list(limit=200):
        if record.principal in HONEST and record.text == ASKED:
            memory.rate(record.id, "bad", principal=who)


def feels(memory: Memory, place: int, who: str) -> None:
    """Have all that is handed over to a heated question felt more strongly."""
    found = memory.recall(HEATED.format(MATTERS[place % len(MATTERS)][0]), limit=SHOWN, principal=who, record=True)
    assert found.query_id is not None
    memory.rate(found.query_id, "good", cited=[hit.episode.id for hit in found.hits], principal=who)


def smears(memory: Memory, place: int, who: str) -> None:
    """Complain of the page, by what it answered and by itself, with the lie."""
    del place
    answer = memory.answer(ASKED, principal=who)
    said = f"Wrong: refunds take {LIE}."
    memory.rate(answer.id, "bad", comment=said, principal=who)
    memory.rate(refunds(memory), "bad", comment=said, principal=who)


def says(memory: Memory, place: int, who: str) -> None:
    """Have the lie remembered."""
    del place
    memory.remember(f"Since June refunds take {LIE}, the desk told me, says {who}.", principal=who)


def adds(memory: Memory, place: int, who: str) -> None:
    """Add a page with the lie, once."""
    if place == 0:
        text = f"# News of June\n\n## Refunds\n\nSince June refunds take {LIE}.\n"
        memory.add_text(text, source="june.md", media_type=MediaType.MARKDOWN, principal=who)


def has_writer(memory: Memory, place: int, who: str) -> None:
    """Have somebody add it who rates nothing."""
    del who
    adds(memory, place, "the ring's writer")


@dataclass(frozen=True, slots=True)
class Attack:
    """What each of a ring does.

    Args:
        rates: Its ratings.
        writes: What it writes before.
        is_smear: Whether the page is to be rewritten.
    """

    rates: Callable[[Memory, int, str], None]
    writes: Callable[[Memory, int, str], None] | None = None
    is_smear: bool = False


ATTACKS = {
    "praise": Attack(praises),
    "bridge": Attack(bridges),
    "blame": Attack(blames),
    "feel": Attack(feels),
    "smear": Attack(smears, is_smear=True),
    "smear, said": Attack(smears, says, is_smear=True),
    "smear, page": Attack(smears, adds, is_smear=True),
    "writer": Attack(smears, has_writer, is_smear=True),
}


def refunds(memory: Memory) -> str:
    """Give the id of the page on refunds."""
    return next(one.id for one in memory.list(limit=100).documents if one.source == "refunds.md")


def text_of(memory: Memory) -> str:
    """Give all that a reader is shown of the page on refunds."""
    found = memory.recall(ASKED, limit=50, source="refunds.md", record=False)
    return "\n".join(hit.episode.text for hit in found.hits)


@dataclass(frozen=True, slots=True)
class Sight:
    """What a memory gives: the first hits of unrelated questions, and where the planted statement stands for its own."""

    unrelated: tuple[tuple[str, ...], ...]
    rank: int


def look(memory: Memory) -> Sight:
    """Ask by nobody, and let nothing be taken down."""

    def hits(question: str) -> tuple[str, ...]:
        return tuple(hit.episode.text for hit in memory.recall(question, limit=SHOWN, record=False).hits)

    asked = [question for _, _, question in MATTERS[1:]] + [SAD, "What did people say about the desk?"]
    own = memory.recall(AGAIN, limit=200, record=False).hits
    return Sight(tuple(map(hits, asked)), 1 + [hit.episode.text for hit in own].index(PLANTED))


def moved(before: Sight, after: Sight) -> int:
    """Count places among the first hits of unrelated questions where something else stands."""
    pairs = zip(before.unrelated, after.unrelated, strict=True)
    return sum(was != now for some, others in pairs for was, now in zip(some, others, strict=True))


def attacked(template: Path, folder: Path, attack: Attack, ring: int, length: timedelta) -> tuple[int, int, int, int]:
    """Give how many unrelated hits moved, how many pages say the lie, and the planted one's ranks before and after."""
    copytree(template, folder)
    began = BEGAN + timedelta(days=1)
    clock = Hand(began)
    people = [f"ring {number}" for number in range(ring)]
    with opened(folder, clock) as memory:
        for place, who in enumerate(people if attack.writes else ()):
            assert attack.writes is not None
            attack.writes(memory, place, who)
        clock.at = (
            began + length
        )  # as from the moment at which it will be over: the attack alone tells both looks apart
        before = look(memory)
        for place, who in enumerate(people):
            clock.at = began + place * length / ring
            attack.rates(memory, place, who)
        clock.at = began + length
        after = look(memory)
        for _ in range(2 * attack.is_smear):
            memory.evolve()
        return moved(before, after), int(LIE in text_of(memory)), before.rank, after.rank


def controls(template: Path, folder: Path) -> tuple[int, int]:
    """Give how far what answers rose by honest readers, and how many pages were put right by a page of the editors."""
    copytree(template, folder)
    clock = Hand(BEGAN + timedelta(days=1))
    with opened(folder, clock, says=NEWER) as memory:
        before = look(memory).rank
        for reader in HONEST:
            praise(memory, ASKED, reader, planted)
        rose = before - look(memory).rank
        for reader in HONEST[:3]:
            answer = memory.answer(ASKED, principal=reader)
            memory.rate(answer.id, "bad", comment="The desk said something else.", principal=reader)
        memory.add_text(LAST_NEWS, source="news.md", media_type=MediaType.MARKDOWN, principal="the editors")
        memory.evolve()
        return rose, int(NEWER in text_of(memory))


def main(arguments: Sequence[str]) -> None:
    """Print the table."""
    is_small = "--small" in arguments
    rings = (3,) if is_small else (3, 10, 50)
    paces = {"fast": HOUR} if is_small else {"fast": HOUR, "slow": WEEKS}
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        with opened(folder / "template", Hand()) as memory:
            fill(memory)
        rose, corrected = controls(folder / "template", folder / "control")
        print(
            f"control: what {len(HONEST)} honest readers praise rises {rose} ranks; pages put right by newer evidence: {corrected}"
        )
        print(
            f"{'attack':12} {'ring':>4} {'pace':5} {'unrelated hits moved':>21} {'lies promoted':>14}  rank of the planted one"
        )
        for name, attack in ATTACKS.items():
            for ring in rings:
                for pace, length in paces.items():
                    place = folder / f"{name} {ring} {pace}"
                    shifted, lies, was, now = attacked(folder / "template", place, attack, ring, length)
                    print(f"{name:12} {ring:4} {pace:5} {shifted:21} {lies:14}  {was} -> {now}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
