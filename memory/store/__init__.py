"""The two files: what a run keeps of itself, and the knowledge that outlives runs."""
