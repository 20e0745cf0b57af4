"""RAM as immutable records: pure functions that decode bytes, one topic per file."""
