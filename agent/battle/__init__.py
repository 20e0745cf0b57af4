"""Exact battle odds, and the policy that chooses orders by them."""
