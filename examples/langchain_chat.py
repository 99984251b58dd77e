"""Give a LangChain chat a history that lasts, and a retriever over everything the memory holds."""

import tempfile

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda

from evolore import Memory
from evolore.integrations.langchain import EvoloreChatMessageHistory, EvoloreRetriever

with Memory.open(tempfile.mkdtemp()) as memory:
    model = RunnableLambda(lambda messages: AIMessage(f"I was told {len(messages)} messages."))  # your chat model
    for text in ("My name is Mika, and I live in Berlin.", "What do you know of me?"):
        history = EvoloreChatMessageHistory(memory, "first")
        asked = HumanMessage(text)
        reply = model.invoke([*history.messages, asked])
        history.add_messages([asked, reply])
        print(reply.content)
    print(EvoloreRetriever(memory=memory, k=1).invoke("Where does Mika live?")[0].page_content)
