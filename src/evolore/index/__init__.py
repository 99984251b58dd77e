"""The indexes of a namespace: arrays in memory that are derived from the store, and know nothing of it."""
