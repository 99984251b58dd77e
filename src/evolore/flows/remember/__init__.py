"""``remember``: what becomes of statements is planned and written."""
