"""Let a chat model use a memory by tool calls.

``tools.openai()`` and ``tools.anthropic()`` are what the SDKs take as ``tools=``; what the model calls goes to
``tools.call``. The call below is what an SDK hands over.
"""

import json
import tempfile

from evolore import Memory
from evolore.integrations.tools import MemoryTools

with Memory.open(tempfile.mkdtemp()) as memory:
    memory.remember("The gate code is 4711.", speaker="Mika")
    tools = MemoryTools(memory, principal="Mika")
    print(json.dumps(tools.openai()[0], indent=2))
    asked = {"name": "recall", "arguments": '{"question": "What is the gate code?"}'}
    print(tools.call(asked["name"], asked["arguments"]))
