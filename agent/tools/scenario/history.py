"""What a run had behind it at a moment and RAM does not show: milestones, errands, stuck episodes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from agent.app.checkpoints import append
from agent.app.memory_producers import AGENT
from agent.app.settings import RunSettings
from agent.errors import ScenarioError
from agent.events import MilestoneEvent, ObjectiveEvent, StuckEvent, events
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from memory import Hooks, RunReader, SessionObjective, open_memory, open_run
from memory.codec import as_json, from_json

REACHED: Final = "reached:"
ERRAND: Final = "errand:"
PRESUMED: Final = "known when the moment was saved"


def known_at(run: RunReader, tick: int, fork: int) -> tuple[str, ...]:
    """Return the facts that a run had come to know by `tick`, of a branch that left the live one at tick `fork`.

    Where several branches died after the same fork, what any of them reached by then counts.
    """
    shared = _learnt(run, -1, min(tick, fork), live=True)
    own = _learnt(run, fork, tick, live=False)
    with run.understood("milestones and errands"):
        return tuple(dict.fromkeys((*shared, *own)))


def presume(run: Path, known: Sequence[str], story: Story) -> None:
    """Record facts as known in a run that has just begun, as of its start."""
    milestones = {REACHED + each.id: each for each in story.milestones}
    errands = {ERRAND + each.id: each for each in story.errands}
    there = sorted({*milestones, *errands})
    for fact in known:
        if fact not in there:
            message = f"the cartridge's story has no {fact!r} to know; it has {', '.join(there)}"
            raise ScenarioError(message)
    with closing(open_run(run)) as folder:
        store = folder.store
        ledger = MilestoneLedger(story.milestones, Hooks())
        store.attach("ledger", ledger)
        witnesses = {"ram": PRESUMED, "frame": PRESUMED}
        reached = [
            ReachedMilestone(each.id, 0, witnesses)
            for fact, each in milestones.items()
            if fact in known
        ]
        ledger.restore({"reached": [asdict(each) for each in reached]})
        for each in reached:
            append(store, MilestoneEvent(each.id, each.tick, each.witnesses))
        started = RunSettings.of(folder.settings).started.timestamp()
        memory = open_memory(store, AGENT, session_id=store.run_id, started_at=started)
        for fact, errand in errands.items():
            if fact in known:
                completed = SessionObjective(
                    objective_id=fact,
                    name=errand.says,
                    description=PRESUMED,
                    objective_type="errand",
                    priority=0,
                    status="completed",
                    progress_percent=100.0,
                    created_tick=0,
                    completed_tick=0,
                )
                memory.strategist.set_objective(completed)
        store.commit(checkpoint=store.latest_checkpoint())


def _learnt(run: RunReader, after: int, until: int, *, live: bool) -> Iterator[str]:
    """Yield what was reached and run behind tick `after` and up to `until`."""
    for reached in events(run, MilestoneEvent, live=live, strict=True):
        if after < reached.tick <= until:
            yield f"{REACHED}{reached.id}"
    for goal in events(run, ObjectiveEvent, live=live, strict=True):
        name, is_done = goal.objective_id, goal.status == "completed"
        if is_done and name.startswith(ERRAND) and after < goal.tick <= until:
            yield name


def episodes_begun(run: RunReader) -> int:
    """Return how many there were up to the last checkpoint."""
    return int(_ladder(run).get("episodes", 0))


def told_of_episodes(run: RunReader, after: int) -> Iterator[str]:
    """Yield in words each that came behind the first `after`, as it was told last."""
    told = {each.number: each for each in events(run, StuckEvent)}
    under_way = _ladder(run).get("episode")
    if under_way is not None:
        known = as_json(told.get(under_way["number"], StuckEvent()))
        told[under_way["number"]] = from_json(StuckEvent, {**known, **under_way})
    yield from (in_words(each) for number, each in told.items() if number > after)


def in_words(stuck: StuckEvent) -> str:
    """Return what an episode came to: why, where, when, what was tried, and what helped."""
    tried = ", ".join(stuck.tried) or "nothing"
    rungs = ", ".join(each.replace("_", " ") for each in stuck.rungs)
    return (
        f"{stuck.reason.replace('_', ' ')} in {stuck.place or f'map {stuck.map_id}'}"
        f" ({stuck.x},{stuck.y}), ticks {stuck.since} to {stuck.lasted}; tried {tried};"
        f" then {rungs}; {stuck.solved_by or 'nothing'} helped"
    )


def _ladder(run: RunReader) -> Mapping[str, Any]:
    """Return the state of the recovery ladder in the last checkpoint; empty without one."""
    mind = run.part("mind")
    with run.understood("part mind"):
        return mind["ladder"] if mind else {}
