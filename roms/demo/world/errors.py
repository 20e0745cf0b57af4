"""The exception of the world compiler.

WorldError: a source cannot be compiled; the message names the source.
"""


class WorldError(Exception):
    """A source file of the world is invalid."""
