"""Recall: what is indexed of an item, and how evidence about a question becomes a ranking."""
