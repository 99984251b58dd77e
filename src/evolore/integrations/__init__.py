"""Evolore's parts in the clothes of other frameworks; each needs its extra."""
