"""Give a LlamaIndex agent a memory: pass it as ``memory=`` to ``agent.run``."""

import tempfile

from llama_index.core.base.llms.types import ChatMessage

from evolore import Memory
from evolore.integrations.llamaindex import EvoloreMemory, EvoloreRetriever

with Memory.open(tempfile.mkdtemp()) as memory:
    memory.remember("Mika lives in Berlin.", speaker="Ann")
    chat = EvoloreMemory.from_defaults(memory=memory, session="second", tokens=1000)
    chat.put(ChatMessage(role="user", content="Hello, it is me again."))
    for message in chat.get("Where does Mika live?"):
        print(message.role.value, "|", (message.content or "").splitlines()[-2:][0])
    print(EvoloreRetriever(memory, similarity_top_k=1).retrieve("Where does Mika live?")[0].text)
