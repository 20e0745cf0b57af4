"""The whole measurement of memory, in one process, at full capacity."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from agent.bench.memory import fill
from agent.bench.memory.figures import Bound, MemoryFigure, MemoryFigures
from agent.bench.memory.overhead import asking, disabled_hook, watching
from agent.bench.memory.queries import budgets, queries
from agent.bench.memory.recalling import recalling
from agent.bench.memory.saving import consolidations, saving
from agent.bench.memory.writing import TICKS, stretch_of_play
from emulator import Cartridge, Dex
from memory import AgentMemory, open_run_store, scope_name

Say: TypeAlias = Callable[[str], object]

TAPED: Final = (
    Bound("recorder, a node", 1.0, 1.0),
    Bound("observer without a model, a turn", 2.0, 2.0),
)


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: observations, quick questions of each kind, long deeds of each kind, games, and ticks of each."""

    observations: int = fill.OBSERVATIONS
    often: int = 2_000
    seldom: int = 40
    games: int = 4
    ticks: int = TICKS


def measure_memory(cartridge: Cartridge, say: Say, effort: Effort | None = None) -> MemoryFigures:
    """Return every figure; `say` is told what is being done."""
    effort = effort or Effort()
    with ExitStack() as stack:
        home = Path(stack.enter_context(TemporaryDirectory(prefix="bench-memory-")))
        say("playing, for what is written meanwhile")
        stretch = stretch_of_play(cartridge, 0, effort.ticks)
        names = fill.Names.of(Dex.of(cartridge), stretch)
        known = fill.full_knowledge(names)
        store = open_run_store(home / "full.sqlite", run_id="full")
        stack.enter_context(closing(store))
        memory = fill.full_memory(store, known, names, stretch)
        held = {**_held(memory), "observations": effort.observations}
        say("asking the three tiers")
        figures = [*queries(memory, names, effort.often), *budgets(memory), asking(memory)]
        say("consolidating, saving and loading")
        figures += consolidations(memory, store, stretch, effort.seldom)
        figures += saving(home, known, effort.seldom)
        say(f"remembering {effort.observations:,} observations, and asking for some")
        observed = fill.observed(home / "observed.sqlite", stretch, names, effort.observations)
        stack.enter_context(closing(observed))
        aside = open_run_store(home / "aside.sqlite", run_id="aside")
        stack.enter_context(closing(aside))
        figures += recalling(observed, aside, names, effort.observations, effort.often)
        say("playing, with memory's share timed")
        figures += [watching(cartridge, effort.games, effort.ticks), disabled_hook()]
    taped = (MemoryFigure(each, None) for each in TAPED)
    return MemoryFigures(cartridge.name, held, [*figures, *taped])


def _held(memory: AgentMemory) -> dict[str, int]:
    stm = scope_name(memory.agent_id, "stm")
    return {
        "patterns": len(memory.tactician.patterns),
        "strategies": len(memory.tactician.strategies),
        "mistakes": len(memory.tactician.mistakes),
        "events of the session": len(memory.blackboard.entries(stm)),
    }
