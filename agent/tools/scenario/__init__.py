"""Scenarios: a start derived from power-on or saved by a user, actions from there, and the conditions to check.

Play itself is in `agent.app`, and the machine in `emulator`.
"""
