"""Costs of calls to a model, and the limits that hold in every case."""
