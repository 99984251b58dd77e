"""System 5: try a document's candidates and choose which of them replaces it."""
