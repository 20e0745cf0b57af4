"""Readers of work RAM: pure functions from bytes to frozen records, one file a record."""
