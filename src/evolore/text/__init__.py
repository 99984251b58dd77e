"""Language-aware primitives: which language a text is in, its sentences with offsets, its tokens."""
