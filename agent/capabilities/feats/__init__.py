"""What tasks of a story take: one feat for each file of this folder that has a `KEY` of the story file and a `read`."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, TypeAlias

from agent.capabilities.feats.feat import LISTENING, Feat, Tools
from agent.capabilities.feats.talking import Talking

Reader: TypeAlias = Callable[[Any], Feat]


@cache
def readers() -> Mapping[str, Reader]:
    """Return how each feat is read, by its key."""
    names = sorted(each.name for each in iter_modules([str(Path(__file__).parent)]))
    modules = [import_module(f"{__name__}.{name}") for name in names]
    return {module.KEY: module.read for module in modules if hasattr(module, "KEY")}


__all__ = ["LISTENING", "Feat", "Reader", "Talking", "Tools", "readers"]
