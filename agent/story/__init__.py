"""The story of a cartridge, read from TOML: places, gates, tasks, milestones."""
