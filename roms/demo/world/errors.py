"""What the world compiler raises.

WorldError: a source says something that cannot be compiled; the message names the source.
"""


class WorldError(Exception):
    """A source file of the world is wrong."""
