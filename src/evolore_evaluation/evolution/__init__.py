"""The demo of evolution."""
