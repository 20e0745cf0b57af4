"""Recorded model calls in the Tapes format: reader, recorder, and an observer that needs no model."""
