"""Tools around play: overnight runs, replays, reports, scenarios, and the cartridge check."""

from agent.tools.doctor import OwnerFact, ReaderCheck, owner_facts, reader_checks

__all__ = ["OwnerFact", "ReaderCheck", "owner_facts", "reader_checks"]
