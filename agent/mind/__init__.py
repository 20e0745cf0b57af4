"""Decisions: reflexes, the plan, recovery, advice."""
