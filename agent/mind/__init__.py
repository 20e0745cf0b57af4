"""Decisions: reflexes, plans, recovery, advice."""
