"""Adapters of models: embedders, and offline stand-ins that ship with the library."""
