"""Answers: what of the passages that were found answers a question, quoted or written, and how likely it does."""
