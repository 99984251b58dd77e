"""Coding agents: hooks that recall and remember, and the warm process behind them."""
