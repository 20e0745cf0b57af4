"""What can be wrong with what a file holds, and how each is put right."""
