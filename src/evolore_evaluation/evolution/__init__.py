"""Evaluation of evolution: planted knowledge bases, a scripted model, and the result of each document."""
