"""Pokemon Red's world as far as a plan goes, and games of the planner in it, without a cartridge."""
