"""Every model turn as Tapes v0.4.0 keeps it: reading, recording, and what an observer without a model makes of it."""
