"""What the agent would do at one moment, and why, without doing it."""

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from agent.app.restoring import mind_of
from agent.app.settings import Frozen
from agent.app.slot import cartridge_for
from agent.app.wiring import capabilities_for
from agent.capabilities import Ledger, Story
from agent.errors import RunError, UsageError
from agent.mind import Mind, Progress, Source
from agent.perception import Due, Eyes
from agent.planning import Facts, Goal
from agent.skills import Terrain
from emulator import Cartridge, Dex, Font, PyBoyConsole, StateError, World, read_state
from memory import (
    Blackboard,
    BlackboardRecall,
    Checkpoint,
    Hooks,
    RunReader,
    StrategistMemory,
    TacticianMemory,
    open_run_store,
    read_run,
)


@dataclass(frozen=True, slots=True)
class Outlook:
    """One moment: what is true, what is wanted, and the way there in words (None when there is none).

    `now` says why the next step is taken, be it a plan's, a reflex's or none.
    """

    moment: str
    facts: Facts
    goals: tuple[Goal, ...]
    goal: Goal | None
    plan: str | None
    now: str


def outlook(rom: Path | None, run: Path | None) -> Outlook:
    """Return the outlook at the last checkpoint of `run`, or at power-on of the cartridge."""
    with ExitStack() as stack:
        reader, frozen = None, None
        if run is not None:
            folder = stack.enter_context(closing(read_run(run)))
            reader, frozen = folder.store, Frozen.of(folder.settings)
        cartridge = cartridge_for(rom, frozen)
        console = stack.enter_context(closing(PyBoyConsole(cartridge)))
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        seed = frozen.seed if frozen else 0
        return _look(console, cartridge, reader, scratch, seed)


def _look(
    console: PyBoyConsole,
    cartridge: Cartridge,
    reader: RunReader | None,
    scratch: Path,
    seed: int,
) -> Outlook:
    story, hooks = Story.of(cartridge.kind), Hooks()
    ledger = Ledger(story.milestones, hooks)
    strategist = StrategistMemory("plan", session_start_tick=0)
    world = World.of(cartridge)
    terrain, checkpoint = Terrain(world), None
    if reader is not None:
        checkpoint = _load(reader, console)
        reader.restore_part("ledger", ledger)
        reader.restore_part("terrain", terrain)
        reader.restore_part(type(strategist).__name__, strategist)
    with closing(open_run_store(scratch / "plan.sqlite", run_id="plan")) as store:
        blackboard = Blackboard(store)
        blackboard.adopt(reader.live_entries() if reader is not None else ())
        recall = BlackboardRecall(blackboard, strategist, TacticianMemory())
        capabilities = capabilities_for(story, terrain, Dex.of(cartridge), ledger, seed)
        mind = Mind(capabilities, recall, hooks, Progress())
        if checkpoint is not None:
            with mind_of(checkpoint) as kept:
                mind.restore(kept["mind"])
        eyes = Eyes(console, Font.of(cartridge), world, lambda _state: Due.NOTHING)
        state = read_state(console.ram(), console.frame)
        tick = checkpoint.tick if checkpoint else 0
        percept = eyes.perceive(state, tick)
        facts = mind.sense(percept)
        intent = mind.decide(percept, facts)
        planned = intent.source is Source.PLAN
        return Outlook(
            moment=f"tick {tick}, {story.place_of(state)}",
            facts=facts,
            goals=tuple(mind.open_goals(facts)),
            goal=intent.pursuit.goal if intent.pursuit and planned else None,
            plan=intent.plan if planned else None,
            now=intent.why,
        )


def _load(reader: RunReader, console: PyBoyConsole) -> Checkpoint:
    checkpoint = reader.latest_checkpoint()
    if checkpoint is None:
        message = "this run holds no checkpoint to look at; let it play on, or leave out --run"
        raise UsageError(message)
    try:
        console.load(checkpoint.state)
    except StateError as error:
        message = (
            f"its last checkpoint cannot be looked at: {error}; play --resume goes on without it"
        )
        raise RunError(message) from error
    return checkpoint
