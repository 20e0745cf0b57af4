"""Whole games with a service that fails, beside the same games by rules alone, and what must hold of each.

A *call* is one request and what came of it; an *asked* question is all of its calls and how it ended.
"""
