"""What is taught: games played one after the other with one memory, and what that file holds then."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from agent.bench.experience.games import Asked, Order, play_on
from agent.bench.game import GOAL
from emulator import Cartridge
from memory import read_knowledge_store

SEED: Final = re.compile(r"-seed(\d+)-")  # in the name that `play` gives a run

Progress: TypeAlias = Callable[[int], object]


class Lessons(NamedTuple):
    """What a memory file holds: rows by kind, and the seeds of the runs that its rows name."""

    rows: Mapping[str, int]
    seeds: frozenset[int]


def teach(
    cartridge: Cartridge,
    seeds: Sequence[int],
    memory: Path,
    *,
    limit: int,
    asked: Asked,
    done: Progress,
) -> None:
    """Play one game after the other to the first badge, all with the same memory."""
    for seed in seeds:
        play_on(Order(cartridge.path, GOAL, seed, limit), memory, asked)
        if asked():
            raise KeyboardInterrupt
        done(1)


def lessons_of(memory: Path) -> Lessons:
    """Return what a memory file holds."""
    with closing(read_knowledge_store(memory)) as store:
        known, entries, origins = store.load_knowledge(), store.entries(), store.origins()
    kinds = Counter(f"{each.kind} entries" for each in entries)
    rows = {
        "patterns": len(known.patterns),
        "strategies": len(known.strategies),
        "mistakes": len(known.mistakes),
        "preferences": len(known.preferences),
        **dict(sorted(kinds.items())),
        "sessions told of": known.total_sessions,
        "battles told of": known.total_battles,
    }
    names = " ".join(
        [*(run for runs in origins.values() for run in runs), *(each.key for each in entries)]
    )
    return Lessons(rows, frozenset(int(each) for each in SEED.findall(names)))
