"""What evidence for an answer counts for; written by ``benchmarks/fit_answering.py``."""

BY_MEANING = {"best": 5.488, "found": 1.257, "unnamed": -0.660, "size": -1.572, "constant": 0.447}

BY_WORDS = {"best": 6.033, "found": 1.519, "unnamed": -0.920, "size": -1.313, "constant": 0.031}
