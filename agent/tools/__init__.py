"""Tools around play: overnight runs, replays, reports, scenarios, and the cartridge check."""
