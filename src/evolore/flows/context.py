"""Context of every flow: the ports, the settings and the namespace it works in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.chat.asking import AT_ONCE, ChatTerms
from evolore.config import Settings
from evolore.domain.checks import check_name
from evolore.domain.secret import SecretsPolicy
from evolore.flows.calibrate import Calibrations
from evolore.flows.intent import ChatIntents, IntentSpaces
from evolore.flows.item_keys import nobody_estimates
from evolore.ports import (
    AddressSource,
    ChatModel,
    Clock,
    Embedder,
    EmbeddingModel,
    Entailment,
    Reranker,
    SourceReader,
    Tokenizer,
)
from evolore.recall.dense import MatterSpaces
from evolore.text.secret_signs import find_secrets, screened

if TYPE_CHECKING:
    from evolore.chunking.chunker import Chunker
    from evolore.jobs.score_log import ScoreLog
    from evolore.recall.arousal import EstimateArousal
    from evolore.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparer:
    """What documents are read, cut and embedded with: without the store, so that another process can be given it."""

    embedder: Embedder  #: What turns texts into vectors.
    reader: SourceReader  #: What finds and reads files.
    addresses: AddressSource  #: What finds and reads documents at addresses.
    chunker: Chunker  #: What cuts documents.
    chat_model: ChatModel | None = None  #: What completes chats; None for nothing, and everything works without.
    chat_terms: ChatTerms = AT_ONCE  #: What its calls cost, what one job may spend, and when a call is made again.
    #: How many new leaves of a document are embedded and written in one transaction at most.
    max_leaves_at_once: int = 1000
    secrets: SecretsPolicy = SecretsPolicy.KEEP  #: What becomes of secrets in what is taken in.
    #: Returns what estimates arousal by the vectors of a model; None for a model without such.
    estimates: Callable[[EmbeddingModel], EstimateArousal | None] = nobody_estimates

    def screen(self, text: str, name: str, *, of: str, before: str = "") -> str:
        """Return a text of a person or model as the settings keep it; raises where they refuse a secret that is new in it.

        Args:
            text: The text.
            name: What it is called in messages, such as ``text``.
            of: What it belongs to, for messages.
            before: What the text replaces: a secret that stands there is not refused again.
        """
        if self.secrets is SecretsPolicy.REFUSE and all(
            text[one.start : one.end] in before for one in find_secrets(text)
        ):
            return text
        return screened({name: text}, {}, self.secrets, of=of)[0][name]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context(Preparer):
    """The outside as one memory sees it: what a preparer has, the settings, and the rest."""

    store: Store  #: Where everything is kept.
    #: Returns another embedder by its name, as the settings say where its model is.
    embedder_of: Callable[[Embedder | str], Embedder]
    clock: Clock  #: Where the time comes from.
    settings: Settings  #: What a user chose.
    namespace: str  #: The one namespace it works in.
    principal: str | None = None  #: On whose behalf; the events it causes say so.
    #: Where models put the intents, as far as they were asked.
    intent_spaces: IntentSpaces = field(default_factory=IntentSpaces)
    tokenizer: Tokenizer | None = None  #: What counts tokens; None for an estimate.
    chat_intents: ChatIntents | None = None  #: What asks the chat model what questions are after; None for none.
    reranker: Reranker | None = None  #: What judges the first hits again; None for none.
    #: How near two texts about one matter lie among the vectors of models.
    matter_spaces: MatterSpaces = field(default_factory=MatterSpaces)
    #: Whether a question that names no moment is asked on the calendar day of the machine's zone; else on that of the
    #: clock's.
    is_local: bool = False
    calibrations: Calibrations = field(default_factory=Calibrations)  #: What similarities of models mean, as it ships.
    #: Where what questions are after, and what hits scored by, is logged; None for nowhere.
    score_log: ScoreLog | None = None
    entailment: Entailment | None = None  #: What is asked about what the gates of evolution doubt; None for none.

    def __post_init__(self) -> None:
        check_name(self.principal, "principal")
