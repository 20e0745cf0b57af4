"""A conversation with a model that never runs out: what was said is observed, and what was observed is reflected upon."""
