"""What can be wrong with the rows of a file, and how each fault is repaired."""
