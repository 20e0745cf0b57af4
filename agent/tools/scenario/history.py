"""Facts of a run at a tick that RAM does not show: milestones, errands, stuck episodes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from agent.app.checkpoints import append
from agent.app.settings import RunSettings
from agent.errors import ScenarioError
from agent.events import MilestoneEvent, ObjectiveEvent, StuckEvent, events
from agent.record.game_names import AGENT
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from memory import Hooks, RunReader, SessionObjective, as_json, open_memory, open_run
from memory.codec import from_json

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
        reached = [
            ReachedMilestone(each.id, 0, 0, witnesses)
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
