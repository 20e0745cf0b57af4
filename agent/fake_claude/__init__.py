"""A server on loopback that speaks the Messages API and is no model: to try play with a model without a key."""
