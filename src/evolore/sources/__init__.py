"""Sources of documents, and the conversion of their bytes to text."""
