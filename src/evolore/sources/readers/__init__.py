"""Readers of files: each makes Markdown of the formats that ``formats`` names for it."""
