"""Hookable methods and their handlers, pointcuts that select calls, and producers that write entries."""
