"""Scenarios: a start derived from power-on or saved by a user, actions from there, and conditions."""
