"""``evolve`` and what follows: jobs that rewrite documents, approval, promotion, rollback; one file a verb."""
