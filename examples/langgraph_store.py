"""Keep a LangGraph agent's long-term memory in Evolore: pass the store to ``graph.compile(store=...)``."""

import tempfile

from evolore import Memory
from evolore.integrations.langgraph import EvoloreStore

with Memory.open(tempfile.mkdtemp()) as memory:
    store = EvoloreStore(memory, fields=["text"])
    store.put(("users", "mika"), "food", {"text": "Mika likes ramen, and no mushrooms.", "kind": "taste"})
    store.put(("users", "mika"), "home", {"text": "美香さんは大阪に住んでいます。", "kind": "place"})
    for item in store.search(("users", "mika"), query="どこに住んでいますか", limit=1):
        print(item.key, item.value["text"])
