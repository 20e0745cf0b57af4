"""Ten hours of play in one process: what keeps it busy, what is measured meanwhile, and what may grow how far."""
