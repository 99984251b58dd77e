"""``remember``: plan and write what becomes of statements."""
