"""The plan of the agent at one moment, without playing: at a checkpoint, at power-on, or for a RAM image."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from agent.app.build import DecisionParts, GameParts
from agent.app.settings import RunSettings, cartridge_for
from agent.capabilities.story_tasks import with_passed
from agent.errors import RunError, UsageError
from agent.experience.memory_use import EVERY_USE, MemoryUse
from agent.mind.mind import Mind
from agent.perception.percept import Percept, percept_of
from agent.planning.domain import Facts, Goal
from agent.planning.search import explain
from agent.record.game_names import AGENT
from agent.story.story import Story
from emulator import (
    CartridgeKind,
    Dex,
    PyBoyConsole,
    Ram,
    State,
    StateError,
    World,
    load_cartridge,
    read_state,
)
from emulator.ram import HIGH_RAM, WORK_RAM
from memory import Checkpoint, Entry, Hooks, RunReader, open_memory, open_run_store, read_run
from memory.file_access import read_bytes

WORK: Final = ".wram"
HIGH: Final = ".hram"


def read_images(path: Path) -> Iterator[tuple[str, Ram]]:
    """Yield the name and RAM of the image in `path`, or of all images in a folder, sorted by name.

    An image is NAME.wram, the 8,192 bytes from 0xC000, with NAME.hram beside it, the 127 bytes from 0xFF80. Raises
    UsageError if there is no image or a file has the wrong size.
    """
    if path.is_dir():
        found = sorted(path.glob(f"*{WORK}"))
        if not found:
            raise UsageError(f"{str(path)!r} holds no RAM image: no file in it ends in {WORK}")
    elif path.suffix == WORK:
        found = [path]
    else:
        raise UsageError(
            f"{str(path)!r} is no RAM image: name a file that ends in {WORK}, or a folder of them"
        )
    for work in found:
        high = work.with_suffix(HIGH)
        yield work.stem, Ram.of_image(_read(work, WORK_RAM[1]), _read(high, HIGH_RAM[1]))


def _read(path: Path, size: int) -> bytes:
    try:
        data = read_bytes(path)
    except OSError as error:
        raise UsageError(
            f"cannot read {str(path)!r} ({error.strerror}); an image needs a {WORK} and a {HIGH}"
        ) from error
    if len(data) != size:
        raise UsageError(f"{str(path)!r} has {len(data)} bytes but must have {size}")
    return data


@dataclass(frozen=True, slots=True)
class Outlook:
    """The facts, open goals and plan of one moment, in words.

    `now` describes the next step, of a reflex or of the plan, or says that there is no plan; `plan` is what follows
    after a reflex, with costs and effects, and None if there is no plan; `steps` are its labels. `remembered` lists the decisions that memory changes.
    """

    name: str
    moment: str
    team: str
    facts: Facts
    goals: tuple[Goal, ...]
    goal: Goal | None
    plan: str | None
    now: str
    steps: tuple[str, ...] = ()
    remembered: tuple[str, ...] = ()


def outlook(rom: Path | None, run: Path | None) -> Outlook:
    """Return the outlook at the last checkpoint of `run`, or at power-on of the cartridge."""
    with ExitStack() as stack:
        reader, settings, checkpoint = None, None, None
        if run is not None:
            folder = stack.enter_context(closing(read_run(run)))
            reader, settings = folder.store, RunSettings.of(folder.settings)
        cartridge = cartridge_for(rom, settings)
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        if reader is not None:
            checkpoint = _load(reader, console)
        state = read_state(console.ram(), console.frame)
        uses = settings.uses if settings is not None else EVERY_USE
        game = GameParts.of(cartridge, Story.of(cartridge.kind), settings.seed if settings else 0)
        if reader is not None and checkpoint is not None:
            parts, mind = stack.enter_context(deciding_at(checkpoint.id, reader, game, uses))
        else:
            parts = stack.enter_context(_decision_parts(game))
            mind = parts.mind()
        tick = 0 if checkpoint is None else checkpoint.tick
        name = "power-on" if checkpoint is None else f"tick {tick}"
        changes = parts.experience.influences
        changes.clear()  # the plan itself describes the choices made before
        seen = _look(game.story, mind, percept_of(state, tick), name)
        return replace(seen, remembered=tuple(f"{about}: {why}" for about, why in changes.items()))


def outlooks_of_ram(path: Path, rom: Path | None) -> Iterator[Outlook]:
    """Yield the outlook at each RAM image in `path`, a folder or a file.

    Without `rom` they count as images of Pokemon Red. RAM is the only witness: a milestone
    counts as reached if RAM shows that it was passed.
    """
    if rom is not None:
        cartridge = load_cartridge(rom)
        game = GameParts.of(cartridge, Story.of(cartridge.kind), 0)
    else:
        game = GameParts(Story.of(CartridgeKind.RED), World.empty(), Dex(), 0, {})
    for name, ram in read_images(path):
        with _decision_parts(game) as parts:
            percept = percept_of(read_state(ram, 0), 0)
            yield _look(game.story, parts.mind(), percept, name, presume=True)


@contextmanager
def deciding_at(
    checkpoint: int, run: RunReader, game: GameParts, uses: frozenset[MemoryUse]
) -> Iterator[tuple[DecisionParts, Mind]]:
    """Yield the deciding parts and the mind of a run as a checkpoint has them, with the run's memory of now."""
    with _decision_parts(game, run.live_entries(), uses) as parts:
        mind = parts.mind()
        for name in ("ledger", "terrain", "choices"):
            run.checkpoints.restore(name, getattr(parts, name), checkpoint)
        run.checkpoints.restore("mind", mind, checkpoint)
        yield parts, mind


@contextmanager
def _decision_parts(
    game: GameParts, entries: Iterable[Entry] = (), uses: frozenset[MemoryUse] = EVERY_USE
) -> Iterator[DecisionParts]:
    """Yield the deciding parts with a memory of `entries`, in a temporary store."""
    with (
        TemporaryDirectory() as scratch,
        closing(open_run_store(Path(scratch) / "plan.sqlite", run_id="plan")) as store,
    ):
        memory = open_memory(store, AGENT, session_id="plan", started_at=0.0)
        memory.inherit(entries)
        yield DecisionParts(game, memory, store, Hooks(), uses)


def _look(
    story: Story, mind: Mind, percept: Percept, name: str, *, presume: bool = False
) -> Outlook:
    """Return the outlook of `mind` at a percept; `presume` counts milestones that RAM alone shows."""
    facts = mind.sense(percept)
    if presume:
        facts = with_passed(story, facts)
    reflex = mind.firing(percept)
    # Plan for the state after the reflex.
    then = facts if reflex is None else {**facts, "in_control": 1}
    goals = mind.open_goals(facts)
    plan = mind.plan_for(goals, then)
    planned = plan.actions[0].label if plan is not None else mind.no_plan(goals)
    return Outlook(
        name=name,
        moment=_moment(story, percept.state),
        team=_team(percept.state),
        facts=facts,
        goals=tuple(goals),
        goal=plan.goal if plan is not None else None,
        plan=explain(plan, then) if plan is not None else None,
        now=reflex.label if reflex is not None else planned,
        steps=tuple(each.label for each in plan.actions) if plan is not None else (),
    )


def _moment(story: Story, state: State) -> str:
    place = story.place_of(state)
    return f"{place} ({state.map.x},{state.map.y})" if state.game_started else place


def _team(state: State) -> str:
    if not state.game_started or not state.party.mons:
        return "no Pokemon yet"
    return ", ".join(
        f"{mon.nickname} L{mon.level} {mon.hp}/{mon.stats.hp}" for mon in state.party.mons
    )


def _load(reader: RunReader, console: PyBoyConsole) -> Checkpoint:
    checkpoint = reader.checkpoints.latest()
    if checkpoint is None:
        raise UsageError("this run has no checkpoint yet; resume it first, or leave out --run")
    try:
        console.load(checkpoint.state)
    except StateError as error:
        message = f"the last checkpoint cannot be loaded: {error}; play --resume goes on without it"
        raise RunError(message) from error
    return checkpoint
