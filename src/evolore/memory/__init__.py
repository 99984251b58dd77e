"""The facade: ``Memory``, a noun a file, and ``AsyncMemory``."""

from evolore.memory.memory import Memory

__all__ = ["Memory"]
