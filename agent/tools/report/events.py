"""Report data read from the events of a run: milestones, battles, stuck episodes, actions."""

from base64 import b64decode
from binascii import Error
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agent.events import ActionEvent, BattleEvent, BlackoutEvent, MilestoneEvent, StuckEvent, events
from agent.story.milestones import Witness
from agent.story.story import Story
from agent.tools.report.timeline import TickTime, Times
from agent.tools.report.words import plain
from memory import BATTLE, RunReader

PNG: Final = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class MilestoneEntry:
    """One milestone; `picture` is a PNG in base64, or '' when none was stored."""

    id: str
    says: str
    when: TickTime
    witnesses: Mapping[str, str]
    picture: str = field(repr=False)


def milestones(run: RunReader, story: Story | None, times: Times) -> Iterator[MilestoneEntry]:
    """Yield the milestones of the live branch in order."""
    # A list of the team proves a milestone, and as a picture tells nothing of it.
    known = story.milestones if story is not None else ()
    lists = {each.id for each in known if each.witness is Witness.TEAM}
    for event in events(run, MilestoneEvent):
        yield MilestoneEntry(
            id=event.id,
            says=milestone_label(story, event.id),
            when=times.when(event.tick),
            witnesses=event.witnesses,
            picture="" if event.id in lists else _picture(event.picture),
        )


def pending(story: Story | None, reached: Sequence[MilestoneEntry], until: str) -> Sequence[str]:
    """Return the labels of the milestones not reached yet, up to the goal of the run."""
    done = {each.id for each in reached}
    if story is None:
        return () if until in done else (plain(until),)
    found = []
    for each in story.milestones:
        if each.id not in done:
            found.append(each.label)
        if each.id == until:
            break
    return found


def milestone_label(story: Story | None, name: str) -> str:
    """Return the label of a milestone."""
    known = story.milestones if story is not None else ()
    return next((each.label for each in known if each.id == name), plain(name))


def _picture(text: str) -> str:
    """Return a PNG picture unchanged, and '' for anything else, so that an edited file cannot inject other data."""
    try:
        return text if b64decode(text, validate=True).startswith(PNG) else ""
    except (Error, ValueError):
        return ""


MOST_OPPONENTS: Final = 30  # groups of each sort
OUTCOMES: Final = {"victory": "won", "defeat": "lost", "runaway": "fled", "catch": "caught"}


class OpponentStats(NamedTuple):
    """All battles against one trainer, or against one wild species in a place."""

    name: str
    opponent_team: str  # the Pokemon of a trainer; '' for wild ones
    place: str
    met: int
    ends: Mapping[str, int]
    turns: int
    levels: tuple[int, int]
    by: str  # the own Pokemon that fought most of them
    first_tick: int

    @property
    def lost(self) -> int:
        """The number of battles lost."""
        return self.ends.get("lost", 0)


class Battles(NamedTuple):
    """Battle groups, the count of groups left out, the sums, and the count of battles on abandoned branches.

    `ticks` are those of all battles of the live branch, `defeats` those of lost ones, `blackouts` those of defeats that
    cost money.
    """

    trainers: Sequence[OpponentStats]
    wild: Sequence[OpponentStats]
    left_out: int
    ends: Mapping[str, int]
    turns: int
    died: int
    ticks: Sequence[int]
    defeats: Sequence[int]
    blackouts: Sequence[int]

    @property
    def fought(self) -> int:
        """All battles of the live branch."""
        return sum(self.ends.values())


def battles(run: RunReader) -> Battles:
    """Return all battles of a run; fields that an older file lacks have their defaults."""
    fought = list(events(run, BattleEvent))
    groups: dict[tuple[str, str, str], list[BattleEvent]] = {}
    for each in fought:
        # A trainer with another team is still the same trainer.
        wild = "" if each.opponent else each.enemy_pokemon
        groups.setdefault((each.opponent, wild, each.location), []).append(each)
    opponents = [_opponent(key, each) for key, each in groups.items()]
    trainers = [each for each in opponents if each.opponent_team]
    wilds = [each for each in opponents if not each.opponent_team]
    trainers.sort(key=lambda each: (-each.lost, each.first_tick))
    wilds.sort(key=lambda each: -each.met)
    return Battles(
        trainers=trainers[:MOST_OPPONENTS],
        wild=wilds[:MOST_OPPONENTS],
        left_out=len(trainers[MOST_OPPONENTS:]) + len(wilds[MOST_OPPONENTS:]),
        ends=_ends(fought),
        turns=sum(each.turns_taken for each in fought),
        died=sum(1 for _ in run.record.events(BATTLE, live=False)),
        ticks=[each.tick for each in fought],
        defeats=[each.tick for each in fought if each.outcome == "defeat"],
        blackouts=[each.tick for each in events(run, BlackoutEvent)],
    )


def _opponent(key: tuple[str, str, str], fought: Sequence[BattleEvent]) -> OpponentStats:
    trainer, wild, place = key
    levels = [each.enemy_level for each in fought]
    teams = [name for each in fought for name in each.enemy_pokemon.split(", ")]
    fighters = Counter(each.player_pokemon for each in fought)
    return OpponentStats(
        name=trainer or wild,
        opponent_team=", ".join(dict.fromkeys(teams)) if trainer else "",
        place=place,
        met=len(fought),
        ends=_ends(fought),
        turns=sum(each.turns_taken for each in fought),
        levels=(min(levels), max(levels)),
        by=fighters.most_common(1)[0][0],
        first_tick=fought[0].tick,
    )


def _ends(fought: Iterable[BattleEvent]) -> Mapping[str, int]:
    counts = Counter(OUTCOMES.get(each.outcome, "otherwise") for each in fought)
    return {end: counts[end] for end in (*OUTCOMES.values(), "otherwise") if counts[end]}


class StuckEntry(NamedTuple):
    """One stuck episode, numbered from 1; `died` when its branch was abandoned."""

    number: int
    reason: str
    place: str
    goal: str
    began: TickTime
    since: int
    lasted: int
    tried: Sequence[str]
    recovery_steps: Sequence[str]
    solved_by: str
    over: bool
    died: bool

    @property
    def ticks(self) -> int:
        """The length in ticks."""
        return self.lasted - self.since


def episodes(run: RunReader, times: Times) -> Iterator[StuckEntry]:
    """Yield the stuck episodes of a run, in the order of their numbers."""
    for number, event in enumerate(events(run, StuckEvent), start=1):
        yield StuckEntry(
            number=number,
            reason=event.reason,
            place=event.place,
            goal=event.goal or "",
            began=times.when(event.since),
            since=event.since,
            lasted=event.lasted,
            tried=event.tried,
            recovery_steps=event.recovery_steps,
            solved_by=event.solved_by or "",
            over=event.over,
            died=event.last_step is not None,
        )


MOST_ACTIONS: Final = 40  # kinds of actions with a row
LATEST_ACTIONS: Final = 60  # listed one by one


class ActionStats(NamedTuple):
    """All executions of one action."""

    name: str
    times: int
    ends: Mapping[str, int]
    game_s: float


class ActionTaken(NamedTuple):
    """One completed action."""

    when: TickTime
    name: str
    why: str
    ended: str
    place: str


class ActionsTaken(NamedTuple):
    """The actions with the most game time, the count of kinds left out, and the last ones in full."""

    sorts: Sequence[ActionStats]
    left_out: int
    times: int
    latest: Sequence[ActionTaken]


def actions_taken(run: RunReader, times: Times) -> ActionsTaken:
    """Return the actions of the live branch."""
    done = list(events(run, ActionEvent))
    groups: dict[str, list[ActionEvent]] = {}
    for each in done:
        groups.setdefault(each.action_value, []).append(each)
    sorts = [
        ActionStats(
            name=name,
            times=len(group),
            ends=Counter(each.outcome_summary for each in group),
            game_s=sum(each.duration_ms for each in group) / 1_000,
        )
        for name, group in groups.items()
    ]
    sorts.sort(key=lambda each: -each.game_s)
    return ActionsTaken(
        sorts=sorts[:MOST_ACTIONS],
        left_out=len(sorts[MOST_ACTIONS:]),
        times=len(done),
        latest=[
            ActionTaken(
                when=times.when(each.tick),
                name=each.action_value,
                why=each.reasoning,
                ended=each.outcome_summary,
                place=each.location,
            )
            for each in done[-LATEST_ACTIONS:]
        ],
    )
