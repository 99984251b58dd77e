"""What can be asked of a memory, a file for each group of verbs; each hands its verb to a flow."""
