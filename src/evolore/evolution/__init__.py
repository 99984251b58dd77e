"""System 5: how a document's candidates are tried, and which of them takes its place (seed 003)."""
