"""The two files: one for a run, one for what outlives runs."""
