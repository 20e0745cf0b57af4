"""Games to be asked about: played one after the other with one memory, which is copied as it is after each."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from agent.app import Interrupt, Settings, play_run
from agent.app.passing import Nobody
from agent.capabilities import Story
from agent.errors import RunError
from agent.exam.truth import Truth, truth_of
from agent.replay import moments
from agent.report import Stop
from emulator import Cartridge, Dex, PyBoyConsole
from memory import read_knowledge_store, read_run

FINISHED = frozenset({Stop.GOAL, Stop.TICKS})


@dataclass(frozen=True, slots=True)
class Recorded:
    """One game: the folder of its run, memory as it was when it had ended, and what really happened."""

    run: Path
    memory: Path
    truth: Truth


def record(
    cartridge: Cartridge,
    seeds: Sequence[int],
    home: Path,
    *,
    until: str | None = None,
) -> Iterator[Recorded]:
    """Yield the game of each seed, which was taught by those before it; all is kept in the folder `home`."""
    memory = home / "memory.sqlite"
    for seed in seeds:
        run, after = home / f"run-{seed}", home / f"memory-{seed}.sqlite"
        settings = Settings(rom=cartridge.path, until=until, seed=seed, run=run, memory=memory)
        summary = play_run(settings, Nobody(), Interrupt())
        if summary.stop not in FINISHED:
            message = f"the game of seed {seed} did not end well: {summary.stop.value}"
            raise RunError(message)
        with closing(read_knowledge_store(memory)) as knowledge:
            knowledge.backup(after)
        yield Recorded(run, after, _truth(cartridge, run, seed))


def _truth(cartridge: Cartridge, run: Path, seed: int) -> Truth:
    with closing(read_run(run)) as folder, closing(PyBoyConsole(cartridge)) as console:
        story, dex = Story.of(cartridge.kind), Dex.of(cartridge)
        driven = moments(folder.store, console)
        return truth_of(driven, story, dex, run=folder.store.run_id, seed=seed)
