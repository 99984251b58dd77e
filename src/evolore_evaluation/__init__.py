"""Measures Evolore's systems on data: a user's command, and where every figure in the documents comes from."""
