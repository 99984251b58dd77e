"""Adapters that keep everything: the store and the indexes derived from it."""
