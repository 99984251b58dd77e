"""Gates: what a candidate must pass before anything is asked of a model, cheapest first."""
