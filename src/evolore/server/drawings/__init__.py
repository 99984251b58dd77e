"""Drawings of outlines and graphs, for the pages and for files that the command line writes; they need no server."""
