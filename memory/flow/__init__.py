"""How the levels of memory feed each other, how they are maintained, and the map of their content."""
