"""Asking chat models: within budgets, with prompts that are versioned files, and with failures reported."""
