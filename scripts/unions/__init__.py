"""Random histories of memories, merged in every order, and an oracle that counts the lessons by itself."""
