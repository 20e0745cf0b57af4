"""What a scenario starts from: saved states of a user, changes made on a console, and facts that RAM does not show.

A saved state names the emulator that made it and its cartridge; both are checked before play begins from it.
Setup changes are not recorded as play. The facts are milestones, errands and stuck episodes of a run.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from agent.app.checkpoints import append
from agent.app.settings import RunSettings
from agent.errors import ScenarioError
from agent.events import MilestoneEvent, ObjectiveEvent, StuckEvent, events
from agent.record.game_names import AGENT
from agent.skills import Destination, Outcome, SkillRun, Terrain, travel
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import (
    EMULATOR,
    RED,
    Cartridge,
    PyBoyConsole,
    State,
    StateError,
    StateOrigin,
    Step,
    World,
    demo_cartridge_path,
    load_cartridge,
    read_state,
    state_origin,
    symbol,
)
from memory import Hooks, RunReader, SessionObjective, as_json, open_memory, open_run
from memory.codec import from_json
from memory.file_access import read_bytes

ENDING: Final = ".redstate"


def state_path(folder: Path, name: str) -> Path:
    """Return the path of a saved state."""
    return folder / f"{name}{ENDING}"


def read_moment(path: Path, cartridge: Cartridge) -> bytes:
    """Return a saved state from which this emulator can play `cartridge`.

    Raises ScenarioError when it cannot, in a line that names the file and says what to do.
    """
    data = _read(path)
    made_by, sha1, _ = _origin(path, data)
    if sha1 != cartridge.sha1:
        message = (
            f"{path} is for {cartridge_name(sha1)}, SHA-1 {sha1}, but the cartridge is {cartridge.name},"
            f" SHA-1 {cartridge.sha1}; pass the --rom that it was recorded on"
        )
        raise ScenarioError(message)
    if made_by != EMULATOR:
        message = f"{path} was made by {made_by}, and this is {EMULATOR}; record it again, or install {made_by}"
        raise ScenarioError(message)
    return data


def origin_of(path: Path) -> StateOrigin:
    """Return the origin of a saved state; raises ScenarioError when it is another kind of file, or damaged."""
    return _origin(path, _read(path))


def cartridge_name(sha1: str) -> str:
    """Return the display name of the cartridge with this SHA-1."""
    demo = load_cartridge(demo_cartridge_path())
    names = {demo.sha1: demo.name, RED.sha1: "Pokemon Red (US)"}
    return names.get(sha1, "another cartridge")


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        message = (
            f"{path} cannot be read ({error.strerror}); put it there, record it with"
            " `scenario record`, or name its folder by --states"
        )
        raise ScenarioError(message) from error


def _origin(path: Path, data: bytes) -> StateOrigin:
    try:
        return state_origin(data)
    except StateError as error:
        fault = str(error).partition(";")[0]  # the rest is advice about checkpoints
        message = f"{path}: {fault}; restore a backup of it, or record it again"
        raise ScenarioError(message) from error


LONGEST_WALK: Final = 3_000  # steps of input
RAM_ENABLE, RAM_BANK, BANK = 0x0000, 0x4000, 0xA000  # of the cartridge RAM
BANK_SIZE: Final = 0x2000
BANKS: Final = 4
LIST_END: Final = 0xFF
COPIED: Final = (("wPartyMons", 44), ("wPartyMonOT", 11), ("wPartyMonNicks", 11))


def current_state(console: PyBoyConsole) -> State:
    """Return the current state of a console."""
    return read_state(console.ram(), console.frame)


def copy_battery(old: PyBoyConsole, new: PyBoyConsole) -> None:
    """Copy the battery RAM of one console into another that was just switched on."""
    for bank in range(BANKS):
        for console in (old, new):
            console.poke(RAM_ENABLE, b"\x0a")
            console.poke(RAM_BANK, bytes([bank]))
        new.poke(BANK, old.read(BANK, BANK_SIZE))
    new.poke(RAM_BANK, b"\x00")
    new.poke(RAM_ENABLE, b"\x00")


def change_ram(
    console: PyBoyConsole, data: Sequence[tuple[int, bytes]], bits: Sequence[tuple[int, int, bool]]
) -> None:
    """Write bytes at their addresses, and set or clear bits by address and number."""
    for address, values in data:
        console.poke(address, values)
    for address, bit, is_set in bits:
        byte = console.read(address, 1)[0]
        console.poke(address, bytes([byte | 1 << bit if is_set else byte & ~(1 << bit)]))


def fill_team(console: PyBoyConsole, size: int) -> None:
    """Fill the team with copies of its first member, up to this size."""
    species = console.read(symbol("wPartySpecies"), 1)
    console.poke(symbol("wPartyCount"), bytes([size, *(species * size), LIST_END]))
    for label, each in COPIED:
        start = symbol(label)
        console.poke(start, console.read(start, each) * size)


def press(console: PyBoyConsole, steps: Iterable[Step]) -> None:
    """Perform input steps one after the other."""
    for step in steps:
        console.perform(step)


def walk_to(console: PyBoyConsole, map_id: int, square: tuple[int, int]) -> None:
    """Walk to a square of a map; raises ScenarioError when the walk does not arrive."""
    destination = Destination(map_id, frozenset({square}))
    terrain = Terrain(World.of(console.cartridge))
    skill_run = SkillRun(travel(terrain, destination, current_state(console)))
    for _ in range(LONGEST_WALK):
        if skill_run.outcome is not Outcome.RUNNING:
            break
        console.perform(skill_run.step)
        skill_run.resume(current_state(console))
    state = current_state(console)
    if skill_run.outcome is not Outcome.DONE or state.position != square:
        here = state.map
        where = f"map {map_id} at ({square[0]},{square[1]})"
        message = f"the walk to {where} ended on map {here.map_id} at ({here.x},{here.y})"
        raise ScenarioError(message)


REACHED: Final = "reached:"
ERRAND: Final = "errand:"
KNOWN_BEFORE: Final = "known when the state was saved"


def known_at(run: RunReader, tick: int, fork: int) -> tuple[str, ...]:
    """Return the facts reached by `tick` on a branch that left the live one at tick `fork`.

    When several branches were abandoned after the same fork, the facts of all of them count.
    """
    shared = _reached_between(run, -1, min(tick, fork), live=True)
    own = _reached_between(run, fork, tick, live=False)
    with run.decoding("milestones and errands"):
        return tuple(dict.fromkeys((*shared, *own)))


def record_known(run: Path, known: Sequence[str], story: Story) -> None:
    """Record facts as reached at the start of a run that has just begun."""
    milestones = {REACHED + each.id: each for each in story.milestones}
    errands = {ERRAND + each.id: each for each in story.errands}
    there = sorted({*milestones, *errands})
    for fact in known:
        if fact not in there:
            message = f"the story of the cartridge has no {fact!r}; it has {', '.join(there)}"
            raise ScenarioError(message)
    with closing(open_run(run)) as folder:
        store = folder.store
        ledger = MilestoneLedger(story.milestones, Hooks())
        store.attach("ledger", ledger)
        witnesses = {"ram": KNOWN_BEFORE, "frame": KNOWN_BEFORE}
        new = [each.id for fact, each in milestones.items() if fact in known]
        reached = [ReachedMilestone(each, 0, 0, witnesses) for each in new]
        ledger.restore({"reached": [asdict(each) for each in reached]})
        for each in reached:
            append(store, MilestoneEvent(each.id, each.tick, each.witnesses))
        started = RunSettings.of(folder.settings).started.timestamp()
        memory = open_memory(store, AGENT, session_id=store.run_id, started_at=started)
        for fact, errand in errands.items():
            if fact in known:
                completed = SessionObjective(
                    objective_id=fact,
                    name=errand.label,
                    description=KNOWN_BEFORE,
                    objective_type="errand",
                    priority=0,
                    status="completed",
                    progress_percent=100.0,
                    created_tick=0,
                    completed_tick=0,
                )
                memory.strategist.set_objective(completed)
        store.commit(checkpoint=store.checkpoints.latest())


def _reached_between(run: RunReader, after: int, until: int, *, live: bool) -> Iterator[str]:
    """Yield the milestones and errands completed after tick `after`, up to `until`."""
    for reached in events(run, MilestoneEvent, live=live, strict=True):
        if after < reached.tick <= until:
            yield f"{REACHED}{reached.id}"
    for goal in events(run, ObjectiveEvent, live=live, strict=True):
        name, is_done = goal.objective_id, goal.status == "completed"
        if is_done and name.startswith(ERRAND) and after < goal.tick <= until:
            yield name


def episode_count(run: RunReader) -> int:
    """Return the number of stuck episodes up to the last checkpoint."""
    return int(_recovery_state(run).get("episodes", 0))


def describe_episodes(run: RunReader, after: int) -> Iterator[str]:
    """Yield a description of each episode with a number above `after`, in its latest state."""
    episodes = {each.number: each for each in events(run, StuckEvent)}
    current = _recovery_state(run).get("episode")
    if current is not None:
        known = as_json(episodes.get(current["number"], StuckEvent()))
        episodes[current["number"]] = from_json(StuckEvent, {**known, **current})
    yield from (describe_episode(each) for number, each in episodes.items() if number > after)


def describe_episode(stuck: StuckEvent) -> str:
    """Return the description of an episode: reason, place, ticks, attempts, and what solved it."""
    tried = ", ".join(stuck.tried) or "nothing"
    recovery_steps = ", ".join(each.replace("_", " ") for each in stuck.recovery_steps)
    return (
        f"{stuck.reason.replace('_', ' ')} in {stuck.place or f'map {stuck.map_id}'}"
        f" ({stuck.x},{stuck.y}), ticks {stuck.since} to {stuck.lasted}; tried {tried};"
        f" then {recovery_steps}; {stuck.solved_by or 'nothing'} helped"
    )


def _recovery_state(run: RunReader) -> Mapping[str, Any]:
    """Return the state of stuck recovery in the last checkpoint, empty without one."""
    mind = run.checkpoints.part("mind")
    with run.decoding("part mind"):
        return mind["recovery"] if mind else {}
