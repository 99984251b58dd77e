"""The verbs: each loads through ports, calls the pure systems and writes in one transaction."""
