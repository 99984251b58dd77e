"""Adapters of models: embedders, and offline substitutes that ship with the library."""
