"""Recorded model calls in the format of Tapes: reader, recorder, and the observer that needs no model."""
