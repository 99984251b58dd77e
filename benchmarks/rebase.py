"""What becomes of promoted sections while their source changes: kept, asked about, or lost.

A document of sections is promoted in three places (one section replaced, one put in, one taken out). Then its source is
edited at random, seeded: sections elsewhere are put in, taken out, changed, renamed and moved, promoted ones moved too, and
``add`` runs after every edit. Told is where the promoted sections stand after each. Then, each time from the start, the source
is edited inside the replaced section: a person must be asked every time. Last, the source comes to say what was promoted.

    python benchmarks/rebase.py
"""

from __future__ import annotations

import random
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.domain.document import MediaType
from evolore.domain.evolution import Base, NewJob, Operator, Promotion, ProposedText, Standing
from evolore.evolution.rebase import source_text
from evolore.flows.document_version import next_version
from evolore.flows.evolve.promote import put_text
from evolore.flows.rebase import standings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from harness import command_line, new_memory

if TYPE_CHECKING:
    from collections.abc import Generator


@dataclass(frozen=True, slots=True)
class Block:
    """A section of the source: the rank of its heading, its title and what it says."""

    level: int
    title: str
    body: str

    def __str__(self) -> str:
        return f"{'#' * self.level} {self.title}\n\n{self.body}\n\n"


def written(blocks: list[Block]) -> str:
    """Give the source's text."""
    return "".join(map(str, blocks)).rstrip("\n") + "\n"


def first_blocks(count: int) -> list[Block]:
    """Give the source as it is promoted."""
    made = [Block(1, "Handbook", "What everybody should know.")]
    made += [
        Block(2 + number % 2, f"Matter {number}", f"Matter {number} takes {number} days.") for number in range(count)
    ]
    return made


def edited(blocks: list[Block], draw: random.Random, number: int, *, fixed: frozenset[str]) -> list[Block]:
    """Edit a source at one place; blocks whose titles are fixed are moved at most, and stay below their heading."""
    blocks = list(blocks)
    free = [at for at, one in enumerate(blocks) if at and one.title not in fixed]
    what = draw.choice(("insert", "delete", "change", "rename", "move"))
    at = draw.choice(free)
    if what == "insert":
        blocks.insert(at, Block(draw.choice((2, 3)), f"New {number}", f"Said in edit {number}."))
    elif what == "delete" and len(free) > len(blocks) // 2:
        del blocks[at]
    elif what == "rename":
        blocks[at] = replace(blocks[at], title=f"Renamed {number}")
    elif what == "move":
        moved = blocks.pop(draw.randrange(1, len(blocks)))
        blocks.insert(draw.randrange(1, len(blocks) + 1), moved)
    else:
        blocks[at] = replace(blocks[at], body=f"Changed in edit {number}.")
    return blocks


@contextmanager
def promoted(sections: int) -> Generator[tuple[Memory, list[Block]]]:
    """Open a memory whose document is promoted in three places."""
    blocks = first_blocks(sections)
    with new_memory(embedder=HashingEmbedder()) as memory:
        add(memory, written(blocks))
        new = list(blocks)
        new[sections // 2] = replace(new[sections // 2], body="This takes ten days now, and the desk says so.")
        new.insert(sections // 4, Block(2, "Answers", "Ask the desk at noon."))
        del new[-2]
        promote(memory, written(new))
        yield memory, blocks


def add(memory: Memory, text: str) -> None:
    """Say what the source says now."""
    memory.add_text(text, source="handbook.md", media_type=MediaType.MARKDOWN)


def promote(memory: Memory, text: str) -> None:
    """Take a text over as a job would, without trying it."""
    context = memory._context  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - what a job has
    (document,) = memory.list().documents
    proposed = ProposedText(text=text, document_id=document.id, base_version=document.version)
    ready, at = next_version(context, proposed), context.clock.now()
    with context.store.write(memory.namespace) as writer:
        bases = (Base(document_id=document.id, version=document.version),)
        job_id = writer.begin_job(NewJob(bases=bases, seed="0"), at=at)
        assert job_id is not None
        done = put_text(writer, proposed, ready, at=at)
        made = Promotion(
            id=writer.new_id(),
            job_id=job_id,
            candidate_id="1",
            operator=Operator.MUTATION_DETAIL,
            documents=(done,),
            win_rate=1.0,
            promoted_at=at,
        )
        writer.put_promotion(made, at=at)


def standing(memory: Memory, source: str) -> list[Standing]:
    """Give where the three changes stand, in the order of the document, and check that no word of the source is lost."""
    with memory._context.store.read(memory.namespace) as reader:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - likewise
        (document,) = reader.documents()
        text = reader.document_text(document.id) or ""
        kept = reader.kept_stretches(document.id, document.version)
        assert source_text(text, kept or ()) == source, "the source's text is not whole"
        return [one.standing for one in standings(reader, document)]


def elsewhere(sections: int, edits: int, seed: int) -> Counter[str]:
    """Edit the source everywhere but in the promoted sections."""
    draw = random.Random(seed)
    found: Counter[str] = Counter()
    with promoted(sections) as (memory, first):
        blocks = first
        fixed = frozenset({blocks[sections // 2].title, blocks[-2].title})
        for number in range(edits):
            blocks = edited(blocks, draw, number, fixed=fixed)
            add(memory, written(blocks))
            kinds = set(standing(memory, written(blocks)))
            found["lost" if Standing.GONE in kinds else "asked" if Standing.WAITING in kinds else "kept"] += 1
    return found


def inside(sections: int, edits: int) -> Counter[str]:
    """Edit the source in the section that was replaced; a person keeps the promoted text each time."""
    found: Counter[str] = Counter()
    with promoted(sections) as (memory, blocks):
        at = sections // 2
        for number in range(edits):
            blocks[at] = replace(blocks[at], body=f"Matter {at} takes {number + 100} days.")
            add(memory, written(blocks))
            (one,) = (kind for kind in standing(memory, written(blocks)) if kind is not Standing.HELD)
            found[{Standing.WAITING: "asked", Standing.IN_SOURCE: "kept"}.get(one, "lost")] += 1
            (item,) = memory.review.list(category="promotion")
            assert item.id is not None
            memory.review.settle_promotion(item.id, keep="promoted")
            assert set(standing(memory, written(blocks))) == {Standing.HELD}
    return found


def in_source(sections: int) -> bool:
    """Tell whether a source that says what was promoted is seen to."""
    with promoted(sections) as (memory, _):
        with memory._context.store.read(memory.namespace) as reader:  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - likewise
            text = reader.document_text(reader.documents()[0].id) or ""
        add(memory, text)
        return set(standing(memory, text)) == {Standing.IN_SOURCE}


def main() -> None:
    """Print the figures."""
    parser = command_line(__doc__)
    parser.add_argument("--edits", type=int, default=100, help="edits of each kind")
    parser.add_argument("--sections", type=int, default=40, help="sections of the document")
    parser.add_argument("--seeds", type=int, default=3, help="documents, each edited in another way")
    given = parser.parse_args()
    for seed in range(given.seeds):
        found = elsewhere(given.sections, given.edits, seed)
        print(f"edits elsewhere, seed {seed}: kept {found['kept']}, asked {found['asked']}, lost {found['lost']}")
    found = inside(given.sections, given.edits)
    print(f"edits inside:            kept {found['kept']}, asked {found['asked']}, lost {found['lost']}")
    print(f"the source says it all:  {'in source' if in_source(given.sections) else 'not seen'}")


if __name__ == "__main__":
    main()
