"""What every flow is given: the ports, the settings and the namespace it works in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.flows.decay import MatterSpaces
from evolore.flows.intent import IntentSpaces
from evolore.recall.decay_settings import DecaySettings
from evolore.recall.intent_settings import IntentSettings

if TYPE_CHECKING:
    from evolore.chunking.chunker import Chunker
    from evolore.ports import ChatModel, Clock, Embedder, SourceReader, Store
    from evolore.recall.settings import RecallSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The outside as one memory sees it.

    Args:
        store: Where everything is kept.
        embedder: What turns texts into vectors.
        reader: What finds and reads files.
        clock: Where the time comes from.
        chunker: What cuts documents.
        recall_settings: How hits are ranked.
        namespace: The one namespace it works in.
        principal: On whose behalf; the events it causes say so.
        chat_model: What completes chats; None for nothing, and everything works without.
        max_leaves_at_once: How many new leaves of a document are embedded and written in one transaction at the most.
        intent_spaces: Where the embedder puts the intents, as far as it was asked.
        intent_settings: What similarity, arousal and time weigh, by what a question is after.
        decay_settings: What time does to the order of hits.
        matter_spaces: How near two texts about one matter lie among the embedder's vectors.
    """

    store: Store
    embedder: Embedder
    reader: SourceReader
    clock: Clock
    chunker: Chunker
    recall_settings: RecallSettings
    namespace: str
    principal: str | None = None
    chat_model: ChatModel | None = None
    max_leaves_at_once: int = 1000
    intent_spaces: IntentSpaces = field(default_factory=IntentSpaces)
    intent_settings: IntentSettings = field(default_factory=IntentSettings)
    decay_settings: DecaySettings = field(default_factory=DecaySettings)
    matter_spaces: MatterSpaces = field(default_factory=MatterSpaces)

    def __post_init__(self) -> None:
        check_name(self.principal, "principal")
