"""What is drawn of outlines and neighbourhoods: charts, words, and pages that a browser opens without a network."""
