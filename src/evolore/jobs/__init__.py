"""Adapters of time: the clock."""
