"""Every capability there is: one for each file of this folder that offers a `capability(kit)`."""

from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Final, TypeAlias

from agent.capabilities.capability import Capability
from agent.capabilities.kit import Kit

FOLDER: Final = __name__.rpartition(".")[0]

Topic: TypeAlias = Callable[[Kit], Capability]


def capabilities_for(kit: Kit, *more: Topic) -> tuple[Capability, ...]:
    """Return what the agent can do with `kit`, in the order of the files' names; of `more`, what has a topic's name replaces it."""
    found: dict[str, Capability] = {}
    for topic in (*(module.capability for module in topics()), *more):
        capability = topic(kit)
        found[capability.name] = capability
    capabilities = tuple(found.values())
    kit.terrain.beware([hazard for each in capabilities for hazard in each.hazards])
    kit.terrain.open([passage for each in capabilities for passage in each.passages])
    kit.terrain.carry(kit.story.carries, kit.story.lifts)
    return capabilities


def topics() -> Iterator[ModuleType]:
    """Yield the files that are about a topic of play."""
    for name in sorted(each.name for each in iter_modules([str(Path(__file__).parent)])):
        module = import_module(f"{FOLDER}.{name}")
        if callable(getattr(module, "capability", None)):
            yield module
