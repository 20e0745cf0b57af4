"""Pure search over integer facts: which actions reach a goal, at what cost, and why."""
