"""System 3: what questions teach. Outcomes, when their edges enter the graph, and what a later question inherits."""
