"""``evolve`` and what follows: jobs that rewrite documents, approval, promotion, canaries, rollback."""
