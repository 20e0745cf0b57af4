"""What people use around play: runs overnight, replays, reports, scenarios, and the check of a cartridge."""

from agent.tools.doctor import OwnerFact, ReaderCheck, owner_facts, reader_checks

__all__ = ["OwnerFact", "ReaderCheck", "owner_facts", "reader_checks"]
