"""Everything a report says of one run, as values. Read once, also while the run is being played."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from agent.story import Story
from agent.tools.report.advice import AdviceSummary, advice
from agent.tools.report.events import (
    ActionsTaken,
    Battles,
    ReachedMilestone,
    StuckEpisode,
    battles,
    deeds,
    episodes,
    milestones,
    pending,
    said,
)
from agent.tools.report.learned import Learnt, learnt
from agent.tools.report.outcome import (
    Evidence,
    NightLog,
    RunVerdict,
    Troubles,
    summary_of,
    troubles,
    verdict,
)
from agent.tools.report.timeline import Crew, Process, TickTime, Times, crew, process
from emulator import Cartridge, Dex
from memory import Branching, RunFolder, RunReader, TrailRow
from memory.store import BranchedBy


class Rollback(NamedTuple):
    """One time that play went back: to `to`, from tick `left` of a branch that died, and why."""

    to: TickTime
    left: int
    why: BranchedBy


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a run has to tell; the parts that it lacks are empty."""

    run: str
    path: Path
    settings: Mapping[str, Any]
    until: str  # the milestone to reach, in words
    verdict: RunVerdict
    last: TickTime
    milestones: Sequence[ReachedMilestone]
    pending: Sequence[str]
    badges: int
    returns: Sequence[Rollback]
    crew: Crew
    process: Process
    battles: Battles
    stuck: Sequence[StuckEpisode]
    learnt: Learnt
    advice: AdviceSummary
    troubles: Troubles
    deeds: ActionsTaken
    night: NightLog
    trail: Sequence[TrailRow] = field(repr=False)

    @property
    def wall_s(self) -> float:
        """Seconds of the wall's clock that sessions played, without the pauses between them."""
        return self.process.wall_s

    @property
    def restarts(self) -> int:
        """How often play was begun again in another process."""
        return max(len(self.process.sessions) - 1, self.night.restarts, 0)


def gather(folder: RunFolder[RunReader], cartridge: Cartridge | None) -> Gathered:
    """Return what the run in `folder` has to tell; without its cartridge some names are only numbers."""
    run, settings = folder.store, folder.settings
    story = Story.of(cartridge.kind) if cartridge is not None else None
    times, night = Times.of(run), NightLog.read(folder.path)
    reached = list(milestones(run, story, times))
    goal = str(settings.get("limits", {}).get("until", ""))
    summary = summary_of(folder.path, times.last.tick)
    branchings, trail = run.branchings(), run.trail()
    ids = frozenset(each.id for each in reached)
    evidence = Evidence(night, summary, settings, ids, times.last.tick)
    moved = summary.get("moved")
    return Gathered(
        run=run.run_id,
        path=folder.path,
        settings=settings,
        until=said(story, goal),
        verdict=verdict(run, evidence, branchings),
        last=times.last,
        milestones=reached,
        pending=pending(story, reached, goal),
        badges=max((row.badges for row in trail), default=0),
        returns=list(_returns(branchings, times)),
        crew=crew(trail, _species(cartridge), times.last.game_s),
        process=process(run.vitals(), night.samples),
        battles=battles(run),
        stuck=list(episodes(run, times)),
        learnt=learnt(run, moved if isinstance(moved, Mapping) else {}),
        advice=advice(run, times),
        troubles=troubles(run, night.faults, summary),
        deeds=deeds(run, times),
        night=night,
        trail=trail,
    )


def _returns(branchings: Sequence[Branching], times: Times) -> Iterator[Rollback]:
    for each in branchings:
        yield Rollback(times.when(each.tick), each.left, each.why)


def _species(cartridge: Cartridge | None) -> Callable[[int], str]:
    """Return what names a species."""
    known = Dex.of(cartridge).all_species if cartridge is not None else {}
    return lambda number: known[number].name if number in known else f"species {number}"
