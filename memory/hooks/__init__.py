"""Methods opened to handlers, pointcuts that choose among them, and producers that write what they see."""

from memory.hooks.hooks import Handler, Proceed, Registration
from memory.hooks.pointcut import Pointcut
from memory.hooks.producers import Extractor

__all__ = [
    "Extractor",
    "Handler",
    "Pointcut",
    "Proceed",
    "Registration",
]
