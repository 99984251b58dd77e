"""Evaluation of evolution: planted knowledge bases, a scripted model, and what came of each document."""
