"""System 1: cuts documents where their logic turns."""
