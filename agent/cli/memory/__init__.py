"""`memory`: its commands by their flags, and what they print."""
