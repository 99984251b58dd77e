"""Evolore: a long-term memory and knowledge base for LLM applications that keeps itself in order."""
