"""Adapters that keep everything: the SQLite store and the indexes derived from it."""
