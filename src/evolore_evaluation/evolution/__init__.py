"""How evolution is measured: planted knowledge bases, a scripted model, and what came of each document."""
