"""A program written for mem0, moved by its import: its README's chat, and what it remembers of one turn."""

from evolore.integrations.mem0 import Memory  # was: from mem0 import Memory

memory = Memory()


def chat_with_memories(message: str, user_id: str = "default_user") -> str:
    """Answer a message with what is remembered of its user, and remember the turn."""
    relevant = memory.search(query=message, filters={"user_id": user_id}, top_k=3)
    remembered = "\n".join(f"- {entry['memory']}" for entry in relevant["results"])
    reply = f"I remember:\n{remembered or '- nothing yet'}"  # here a chat model would write
    messages = [{"role": "user", "content": message}, {"role": "assistant", "content": "Noted."}]
    memory.add(messages, user_id=user_id)
    return reply


for said in ("I live in Munich.", "I live in Berlin now.", "Where do I live?"):
    print(f"> {said}\n{chat_with_memories(said)}")
memory.close()
