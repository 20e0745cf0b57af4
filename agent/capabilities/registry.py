"""Every capability there is: one for each file of this folder that offers a `capability(kit)`."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Final

from agent.capabilities.capability import Capability
from agent.capabilities.kit import Kit

FOLDER: Final = __name__.rpartition(".")[0]


def capabilities_for(kit: Kit) -> tuple[Capability, ...]:
    """Return what the agent can do with `kit`, in the order of the files' names."""
    capabilities = tuple(module.capability(kit) for module in topics())
    kit.terrain.beware([hazard for each in capabilities for hazard in each.hazards])
    return capabilities


def topics() -> Iterator[ModuleType]:
    """Yield the files that are about a topic of play."""
    for name in sorted(each.name for each in iter_modules([str(Path(__file__).parent)])):
        module = import_module(f"{FOLDER}.{name}")
        if callable(getattr(module, "capability", None)):
            yield module
