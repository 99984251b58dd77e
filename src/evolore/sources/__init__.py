"""Where documents come from, and how their bytes become text."""
