"""Everything a page tells of one run, as values; read once, also while somebody plays it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from agent.capabilities import Story
from agent.report.gather.advised import Advice, advice
from agent.report.gather.crew import Crew, crew
from agent.report.gather.deeds import Deeds, deeds
from agent.report.gather.fought import Battles, battles
from agent.report.gather.learnt import Learnt, learnt
from agent.report.gather.night import Night
from agent.report.gather.process import Process, process
from agent.report.gather.reached import Milestone, milestones, pending, said
from agent.report.gather.stuck import Episode, episodes
from agent.report.gather.times import Times, When
from agent.report.gather.troubles import Troubles, troubles
from agent.report.gather.verdict import Evidence, Verdict, summary_of, verdict
from emulator import Cartridge, Dex
from memory import BranchedBy, Branching, RunFolder, RunReader, TrailRow


class Return(NamedTuple):
    """One time that play went back: to `to`, from tick `left` of a branch that died, and why."""

    to: When
    left: int
    why: BranchedBy


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a run has to tell; the parts that it lacks are empty."""

    run: str
    path: Path
    settings: Mapping[str, Any]
    until: str  # the milestone to reach, in words
    verdict: Verdict
    last: When
    milestones: Sequence[Milestone]
    pending: Sequence[str]
    badges: int
    returns: Sequence[Return]
    crew: Crew
    process: Process
    battles: Battles
    stuck: Sequence[Episode]
    learnt: Learnt
    advice: Advice
    troubles: Troubles
    deeds: Deeds
    night: Night
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
    times, night = Times.of(run), Night.read(folder.path)
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


def _returns(branchings: Sequence[Branching], times: Times) -> Iterator[Return]:
    for each in branchings:
        yield Return(times.when(each.tick), each.left, each.why)


def _species(cartridge: Cartridge | None) -> Callable[[int], str]:
    """Return what names a species."""
    known = Dex.of(cartridge).all_species if cartridge is not None else {}
    return lambda number: known[number].name if number in known else f"species {number}"
