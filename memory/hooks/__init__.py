"""Methods opened to handlers, pointcuts that choose among them, and producers that write what they see."""

from memory.hooks.hooks import Handler

__all__ = ["Handler"]
