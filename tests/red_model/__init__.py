"""A model of Pokemon Red's world for planning, and games of the planner in it, without a cartridge."""
