"""Exact odds of battle, and the policy that plays them."""
