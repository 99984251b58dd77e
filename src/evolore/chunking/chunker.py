"""The chunker: a document in, its tree of chunks out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from evolore.chunking.settings import ChunkSettings, TierSettings, measure
from evolore.domain.checks import checked_word
from evolore.domain.document import ChunkTree, MediaType, TreePart
from evolore.domain.language import Language
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.chunking.requests import Steps
    from evolore.chunking.tree_maker import TreeMaker
    from evolore.ports.models import Embedder, Tokenizer

NGRAM_CHARACTERS = 100_000
"""Characters of one document whose n-grams are counted, which takes about 20 seconds a million."""


class Chunker:
    """Cuts documents where their logic turns, without a model; usable alone, without a store.

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
                f"embedding_weight is {self.settings.embedding_weight} and the chunker has no embedder: pass one, "
                "such as Chunker(settings, embedder=UseEmbedder()), or set the weight to 0."
            )
        self._maker: TreeMaker | None = None

    def chunk(
        self, text: str, *, media_type: MediaType = MediaType.PLAIN, language: Language | None = None, source: str = ""
    ) -> ChunkTree:
        """Cut a document.

        Headings form the outer levels; inside them, the code length of the words decides. A unit that is longer than
        a chunk may be goes through tiers 2 to 4: cut at what separates without being a sentence's end, else where it
        becomes hard to predict, else hard and filed for review. No model is asked.

        Args:
            text: The document; any text, even with lone surrogates.
            media_type: How it is marked up.
            language: Whose sentence rules apply; judged from the text when None.
            source: Where it came from, for the review items.

        Returns:
            The tree; without chunks for an empty text. The same input always makes the same tree.

        Raises:
            InvalidValue: The media type or the language is none that is known.
        """
        return self._trees.whole(text, *_checked(media_type, language), source)

    def steps(
        self, text: str, *, media_type: MediaType = MediaType.PLAIN, language: Language | None = None, source: str = ""
    ) -> Steps[ChunkTree]:
        """Cut a document as ``chunk`` does, asking a chat model where tier 1 finds nothing.

        Yields:
            What to ask at one time; as many answers are to be sent, in their order. For any answers, the leaves
            joined are the document.
        """
        return self._trees.steps(text, *_checked(media_type, language), source)

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
        yield from self._trees.parts(texts, *_checked(media_type, language), source)

    @property
    def _trees(self) -> TreeMaker:
        """What makes trees: loaded for the first document, since who only asks questions cuts none."""
        if self._maker is None:
            from evolore.chunking.tree_maker import TreeMaker  # noqa: PLC0415 - said above

            self._maker = TreeMaker(
                settings=self.settings,
                tiers=self.tiers,
                ngram_characters=self._ngram_characters,
                tokenizer=self._tokenizer,
                embedder=self._embedder,
            )
        return self._maker


def _checked(media_type: MediaType, language: Language | None) -> tuple[MediaType, Language | None]:
    chosen = checked_word(Language, language, "language") if language else None
    return checked_word(MediaType, media_type, "media_type"), chosen
