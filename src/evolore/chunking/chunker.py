"""The chunker: a document in, its tree of chunks out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evolore.chunking.code_length import UnitVectors
from evolore.chunking.division import Run, Wish, cut
from evolore.chunking.headings import HeadingPaths, Section, read_sections
from evolore.chunking.parts import PartPlace, open_fence, parts_of
from evolore.chunking.requests import unanswered
from evolore.chunking.settings import ChunkSettings, SegmentationSettings, TierSettings, measure
from evolore.chunking.tiers import Allowance, Tiers, side_by_side
from evolore.chunking.tree import About, Cuts, Node, Nodes, lay_out, too_long, undivided
from evolore.chunking.units import Gap, UnitKind, markdown_blocks, plain_blocks, read_units, reads_as_code, with_turns
from evolore.domain.checks import checked_word
from evolore.domain.document import ChunkTree, MediaType, Span, TreePart
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from evolore.chunking.requests import Steps
    from evolore.chunking.settings import Sizes
    from evolore.chunking.tiers import Piece
    from evolore.chunking.units import Block, Units
    from evolore.ports.models import Embedder, Tokenizer

_PROSE = (UnitKind.SENTENCE, UnitKind.LIST_ITEM, UnitKind.HEADING)
_GAP_NATS = {
    Gap.START: 0.0,
    Gap.INSIDE_PARAGRAPH: 8.0,
    Gap.NEWLINE: -4.0,
    Gap.BLANK_LINE: -8.0,
    Gap.INSIDE_TABLE: 4.0,
    Gap.BEFORE_HEADING: -10.0,
    Gap.AFTER_HEADING: 30.0,
    Gap.AFTER_COLON: 5.0,
    Gap.AFTER_TITLE: 15.0,
    Gap.BEFORE_TURN: -4.0,
    Gap.BEFORE_INDENTED: 4.0,
}
"""What a cut costs beside its price: paragraphs are better edges than sentences, and a heading or the line that
announces a list stays with what follows it."""

_BACK_REFERENCE_NATS = 3.0
"""What a cut costs more before a sentence that points back to the one before; ``_GAP_NATS`` is its scale."""

TreeSteps: TypeAlias = "Steps[tuple[ChunkTree, HeadingPaths]]"
SettledSteps: TypeAlias = "Steps[list[list[Piece]]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredUnits:
    """A text, its units, and how long they are.

    Args:
        text: The document.
        units: Its units.
        sizes: Lengths of its stretches, in the unit of the settings.
    """

    text: str
    units: Units
    sizes: Sizes

    def size(self, start: int, end: int) -> int:
        """Give the size of the units from ``start`` to ``end``."""
        return self.sizes.between(self.units.edge(start), self.units.edge(end))

    def span(self, start: int, end: int) -> Span:
        """Give the characters of the units from ``start`` to ``end``."""
        return Span(self.units.edge(start), self.units.edge(end))

    def is_prose(self, start: int, end: int) -> bool:
        """Tell whether the units from ``start`` to ``end`` are sentences, list items and headings alone."""
        return all(kind in _PROSE for kind in self.units.kinds[start:end])

    def texts(self, start: int, end: int) -> list[str]:
        """Give the text of each unit from ``start`` to ``end``."""
        return [self.text[self.units.edge(index) : self.units.edge(index + 1)] for index in range(start, end)]

    def texts_up_to(self, most: int) -> Iterator[str]:
        """Give the text of each unit in turn, an empty one for a unit that is longer than ``most``."""
        for index, start in enumerate(self.units.starts):
            yield self.text[start : self.units.edge(index + 1)] if self.size(index, index + 1) <= most else ""


def gap_costs(gaps: Sequence[Gap], points_back: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Give what a cut before each unit costs beside its price, in nats, shape (units,); below 0 it is a good edge.

    Args:
        gaps: What stands before each unit.
        points_back: Which units begin with a sentence that points back to the one before, shape (units,).
    """
    gap_nats = np.array([_GAP_NATS[gap] for gap in Gap])[np.array(gaps, np.int64)]
    return gap_nats + _BACK_REFERENCE_NATS * points_back.astype(np.float64)


NGRAM_CHARACTERS = 100_000
"""Characters of one document whose n-grams are counted, which takes about 20 seconds a million."""

_OUTER_FACTOR = 6.0
"""A stretch without headings gets an outer level of chunks this many times the target long, once it is twice as long as that."""

# Chosen with the sizes, for questions of the Chroma corpora: docs/decisions/0010-leaf-size-and-vectors.md has the figures.
_ALPHA = 0.5
"""Pseudo-count of every token of the vocabulary in the code length."""

_BOUNDARY_PRICE = 0.1
"""Price of a boundary as a multiple of log N nats, N the number of content tokens of the document or of a block of it."""

_LENGTH_WEIGHT = 50.0
"""Nats for being off the target by a factor of e, growing with the square of the logarithm."""


class Chunker:
    """Cuts documents where their logic turns (seed 002), without a model; usable alone, without a store.

    Args:
        settings: Sizes and weights.
        tiers: How stretches that are too long and hold no boundary are cut.
        ngram_characters: How many characters of one document have their n-grams counted, at least 0; what is over it
            goes to tier 4.
        tokenizer: What counts tokens; needed where sizes are in tokens.
        embedder: What makes the vectors of sentences; used where ``settings.embedding_weight`` is above 0, and needed
            then.

    Raises:
        InvalidValue: Sizes are in tokens and there is no tokenizer, or ``embedding_weight`` is above 0 and there is
            no embedder.
    """

    def __init__(
        self,
        settings: ChunkSettings | None = None,
        *,
        tiers: TierSettings | None = None,
        ngram_characters: int = NGRAM_CHARACTERS,
        tokenizer: Tokenizer | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        self.settings = settings or ChunkSettings()
        self.tiers = tiers or TierSettings()
        self._ngram_characters = ngram_characters
        self._tokenizer = tokenizer
        measure("", self.settings.size_unit, tokenizer)
        self._embedder = embedder if self.settings.embedding_weight else None
        if self.settings.embedding_weight and embedder is None:
            raise InvalidValue(
                f"embedding_weight is {self.settings.embedding_weight} and the chunker has no embedder: give one, "
                "such as Chunker(settings, embedder=UseEmbedder()), or set the weight to 0."
            )
        self._segmentation = SegmentationSettings(
            alpha=_ALPHA,
            boundary_price=_BOUNDARY_PRICE,
            length_weight=_LENGTH_WEIGHT,
            # What follows finds sections. Leaves are too short for a second view to pay for its time, and mostly their
            # length decides where they end.
            pair_weight=0.0,
            once_weight=1.0,
            tokens_per_price=50.0,
            price_growth=1.0,
            back_reference_surcharge=0.0,
            overview_discount=0.0,
            embedding_weight=self.settings.embedding_weight,
        )

    def chunk(
        self,
        text: str,
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> ChunkTree:
        """Cut a document.

        Headings give the outer levels; inside them, the code length of the words decides. A unit that is longer than
        a chunk may be goes through tiers 2 to 4: cut at what separates without being a sentence's end, else where it
        becomes hard to predict, else hard and filed for review. No model is asked.

        Args:
            text: The document; any text, even with lone surrogates.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the text when None.
            source: Where it came from, for the review items.

        Returns:
            The tree; without chunks for an empty text. The same input always gives the same tree.

        Raises:
            InvalidValue: The media type or the language is none that is known.
        """
        return unanswered(self.steps(text, media_type=media_type, language=language, source=source))

    def steps(
        self,
        text: str,
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> Steps[ChunkTree]:
        """Cut a document as ``chunk`` does, asking a chat model where tier 1 finds nothing.

        Yields:
            What to ask at one time; as many answers are to be sent, in their order. Whatever they are, the leaves
            joined are the document.
        """
        media_type = checked_word(MediaType, media_type, "media_type")
        if not text:
            return ChunkTree(chunks=())
        place = PartPlace(language=_language(text, language), source=source)
        tree, _ = yield from self._tree(text, media_type, place)
        return tree

    def stream(
        self,
        texts: Iterable[str],
        *,
        media_type: MediaType = MediaType.PLAIN,
        language: Language | None = None,
        source: str = "",
    ) -> Iterator[TreePart]:
        """Cut a document that is too long to be held, part by part.

        A part ends before a high heading or at a wide gap, at the latest after a million characters; a section that
        two parts share becomes two. A shorter document is one part, cut as ``chunk`` cuts it.

        Args:
            texts: The document in pieces of any length, such as the lines of an open file.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the first part when None.
            source: Where it came from, for the review items; their spans are in their part.

        Returns:
            Parts in order, each made when it is asked for; their texts, joined, are the document.

        Raises:
            InvalidValue: The media type or the language is none that is known; when the first part is asked for.
        """
        media_type = checked_word(MediaType, media_type, "media_type")
        place: PartPlace | None = None
        for text in parts_of(texts, media_type):
            place = place or PartPlace(language=_language(text, language), source=source)
            tree, paths = unanswered(self._tree(text, media_type, place))
            yield TreePart(text=text, start=place.start, tree=tree)
            place = replace(
                place,
                start=place.start + len(text),
                number=tree.chunks[-1].outline.parts[0] + 1,
                above=paths.open_at_end,
                fence=open_fence(text, place.fence) if media_type is MediaType.MARKDOWN else "",
            )

    def _tree(self, text: str, media_type: MediaType, place: PartPlace) -> TreeSteps:
        is_markdown = media_type is MediaType.MARKDOWN
        blocks = _markdown(text, place) if is_markdown else plain_blocks()
        sizes = measure(text, self.settings.size_unit, self._tokenizer)
        units = read_units(
            text,
            with_turns(text, blocks),
            place.language,
            most=self.settings.max_size,
            sizes=sizes,
            is_code=reads_as_code(text),
        )
        paths = HeadingPaths(units.headings, place.above)
        section = read_sections(
            units, paths, divided_from=self.settings.target_size, least=self.settings.min_size, sizes=sizes
        )
        document = MeasuredUnits(text=text, units=units, sizes=sizes)
        outer, inner = self._cuts(document, section)
        nodes = list(Nodes(outer, inner, paths).of(section))
        long = too_long(units, nodes, most=self.settings.max_size, sizes=sizes)
        settled = yield from self._settled(document, long, place.language)
        pieces = {node.start: found for node, found in zip(long, settled, strict=True)}
        about = About(
            text=text,
            source=place.source,
            language=place.language,
            most=self.settings.max_size,
            sizes=sizes,
            first=place.number,
        )
        return lay_out(units, nodes, pieces, about), paths

    def _settled(self, document: MeasuredUnits, long: list[Node], language: Language) -> SettledSteps:
        """Cut the nodes that are too long, by what tiers 2 to 4 find."""
        tiers = Tiers(
            text=document.text,
            language=language,
            sizes=document.sizes,
            wish=self._leaf_wish,
            least=self.settings.min_size,
            settings=self.tiers,
            allowance=Allowance(self._ngram_characters),
        )
        return side_by_side(
            [
                tiers.settle(document.span(node.start, node.end), is_prose=document.is_prose(node.start, node.end))
                for node in long
            ]
        )

    @property
    def _leaf_wish(self) -> Wish:
        return Wish(
            settings=self._segmentation,
            target_characters=self.settings.target_size,
            most_characters=self.settings.max_size,
        )

    def _cuts(self, document: MeasuredUnits, section: Section) -> tuple[Cuts, Cuts]:
        """Cut the outer and then the inner level."""
        run = self._run(document, section)
        reach = _OUTER_FACTOR * self.settings.target_size
        outer = Cuts([], {})
        if any(document.size(leaf.start, leaf.end) > 2 * reach for leaf in undivided(section)):
            wish = Wish(settings=self._segmentation, target_characters=reach, most_characters=int(3 * reach))
            outer = Cuts.outside_fences(run, cut(run, wish))
            run.is_fence[outer.units] = True
        return outer, Cuts.outside_fences(run, cut(run, self._leaf_wish))

    def _run(self, document: MeasuredUnits, section: Section) -> Run:
        units = document.units
        steps = document.sizes.steps(np.array([*units.starts, units.end], np.int64))
        is_fence = np.zeros(len(units.starts), np.bool_)
        is_fence[[leaf.start for leaf in undivided(section)]] = True
        # A unit over the limit stands alone whatever it says.
        run = Run.read(lambda: document.texts_up_to(self.settings.max_size), steps, self._segmentation)
        run = replace(run, gap_nats=gap_costs(units.gaps, run.points_back), is_fence=is_fence)
        if self._embedder is None:
            return run
        return replace(run, vectors=UnitVectors(self._embedder, document.texts))


def _language(text: str, given: Language | None) -> Language:
    return checked_word(Language, given, "language") if given else detect_language(text)


def _markdown(text: str, place: PartPlace) -> list[Block]:
    return markdown_blocks(text, is_beginning=not place.start, fence=place.fence)
