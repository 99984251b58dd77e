"""Knowledge bases with planted defects, a scripted model, and what becomes of each document."""
