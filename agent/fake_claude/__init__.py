"""A server that speaks the Messages API on loopback and is no model: for tests, and for trying without a key."""
