"""What happened in a run, read from its events: milestones, battles, stuck episodes, actions."""

from base64 import b64decode
from binascii import Error
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent.story import Story
from agent.tools.report.timeline import TickTime, Times
from agent.tools.report.words import plain
from memory import ACTION, BATTLE, EventRow, RunReader

PNG: Final = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class ReachedMilestone:
    """One milestone; `picture` is a PNG in base64, or '' where none was kept."""

    id: str
    says: str
    when: TickTime
    witnesses: Mapping[str, str]
    picture: str = field(repr=False)


def milestones(run: RunReader, story: Story | None, times: Times) -> Iterator[ReachedMilestone]:
    """Yield the milestones of the live lineage, the first first."""
    says = _says(story)
    for event in run.events("milestone"):
        yield _milestone(event, says, times)


def pending(story: Story | None, reached: Sequence[ReachedMilestone], until: str) -> Sequence[str]:
    """Return in words what is still to come, up to the goal of the run."""
    done = {each.id for each in reached}
    if story is None:
        return () if until in done else (plain(until),)
    found = []
    for each in story.milestones:
        if each.id not in done:
            found.append(each.says)
        if each.id == until:
            break
    return found


def said(story: Story | None, name: str) -> str:
    """Return in words what a milestone is about."""
    return _says(story).get(name, plain(name))


def _says(story: Story | None) -> Mapping[str, str]:
    return {each.id: each.says for each in story.milestones} if story is not None else {}


def _milestone(event: EventRow, says: Mapping[str, str], times: Times) -> ReachedMilestone:
    payload: Mapping[str, Any] = event.payload
    name = str(payload.get("id", "?"))
    witnesses = payload.get("witnesses")
    return ReachedMilestone(
        id=name,
        says=says.get(name, plain(name)),
        when=times.when(event.tick),
        witnesses=(
            {str(kind): str(words) for kind, words in witnesses.items()}
            if isinstance(witnesses, Mapping)
            else {}
        ),
        picture=_picture(payload.get("picture")),
    )


def _picture(text: object) -> str:
    """Return a picture that is one; a file that somebody edited brings nothing else onto the page."""
    try:
        is_picture = isinstance(text, str) and b64decode(text, validate=True).startswith(PNG)
    except (Error, ValueError):
        return ""
    return str(text) if is_picture else ""


MOST_OPPONENTS: Final = 30  # groups of each sort
OUTCOMES: Final = {"victory": "won", "defeat": "lost", "runaway": "fled", "catch": "caught"}


@dataclass(frozen=True, slots=True)
class OpponentStats:
    """All battles against one trainer, or against one sort of wild ones in a place."""

    name: str
    whom: str  # the creatures of a trainer; '' of wild ones
    place: str
    met: int
    ends: Mapping[str, int]
    turns: int
    levels: tuple[int, int]
    by: str  # who fought most of them
    first_tick: int

    @property
    def lost(self) -> int:
        """How many were lost."""
        return self.ends.get("lost", 0)


@dataclass(frozen=True, slots=True)
class Battles:
    """The groups worth a row, those left out, the sums, and how many were fought on branches that died.

    `defeats` are the ticks at which one was lost.
    """

    trainers: Sequence[OpponentStats]
    wild: Sequence[OpponentStats]
    left_out: int
    ends: Mapping[str, int]
    turns: int
    died: int
    defeats: Sequence[int]

    @property
    def fought(self) -> int:
        """All battles of the live lineage."""
        return sum(self.ends.values())


def battles(run: RunReader) -> Battles:
    """Return all battles of a run."""
    told = [_told(each) for each in run.events(BATTLE)]
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for each in told:
        groups.setdefault(_group(each), []).append(each)
    opponents = [_opponent(key, each) for key, each in groups.items()]
    trainers = [each for each in opponents if each.whom]
    wild = sorted((each for each in opponents if not each.whom), key=lambda each: -each.met)
    trainers.sort(key=lambda each: (-each.lost, each.first_tick))
    return Battles(
        trainers=trainers[:MOST_OPPONENTS],
        wild=wild[:MOST_OPPONENTS],
        left_out=len(trainers[MOST_OPPONENTS:]) + len(wild[MOST_OPPONENTS:]),
        ends=_ends(told),
        turns=sum(each["turns_taken"] for each in told),
        died=sum(1 for _ in run.events(BATTLE, live=False)),
        defeats=[each["tick"] for each in told if each["outcome"] == "defeat"],
    )


def _told(event: EventRow) -> Mapping[str, Any]:
    """Return a battle with all its fields, also where a file of another version lacks some."""
    absent = {"opponent": "", "enemy_pokemon": "?", "location": "", "outcome": "", "turns_taken": 0}
    return {**absent, "enemy_level": 0, "player_pokemon": "", **event.payload, "tick": event.tick}


def _group(told: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return what a battle is counted under; a trainer is met with a new team, but stays who they are."""
    opponent = str(told["opponent"])
    return opponent, "" if opponent else str(told["enemy_pokemon"]), str(told["location"])


def _opponent(key: tuple[str, str, str], told: Sequence[Mapping[str, Any]]) -> OpponentStats:
    trainer, wild, place = key
    levels = [each["enemy_level"] for each in told]
    return OpponentStats(
        name=trainer or wild,
        whom=", ".join(_once(_creatures(told))) if trainer else "",
        place=place,
        met=len(told),
        ends=_ends(told),
        turns=sum(each["turns_taken"] for each in told),
        levels=(min(levels), max(levels)),
        by=_commonest(str(each["player_pokemon"]) for each in told),
        first_tick=told[0]["tick"],
    )


def _creatures(told: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for each in told:
        yield from str(each["enemy_pokemon"]).split(", ")


def _once(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _ends(told: Iterable[Mapping[str, Any]]) -> Mapping[str, int]:
    counts = Counter(OUTCOMES.get(str(each["outcome"]), "otherwise") for each in told)
    return {end: counts[end] for end in (*OUTCOMES.values(), "otherwise") if counts[end]}


def _commonest(names: Iterable[str]) -> str:
    ((name, _),) = Counter(names).most_common(1)
    return name


@dataclass(frozen=True, slots=True)
class StuckEpisode:
    """One episode by its number from 1 on; on a branch that died where `died`."""

    number: int
    reason: str
    place: str
    goal: str
    began: TickTime
    since: int
    lasted: int
    tried: Sequence[str]
    rungs: Sequence[str]
    solved_by: str
    over: bool
    died: bool

    @property
    def ticks(self) -> int:
        """How many ticks it took."""
        return self.lasted - self.since


def episodes(run: RunReader, times: Times) -> Iterator[StuckEpisode]:
    """Yield what a run tells of, in the order in which it is numbered."""
    for number, event in enumerate(run.events("stuck"), start=1):
        yield _episode(number, event, times)


def _episode(number: int, event: EventRow, times: Times) -> StuckEpisode:
    told: dict[str, Any] = {
        "reason": "", "place": "", "goal": None, "since": event.tick, "lasted": event.tick,
        "tried": (), "rungs": (), "solved_by": None, "over": False, "last_step": None,
    } | dict(event.payload)  # fmt: skip
    return StuckEpisode(
        number=number,
        reason=str(told["reason"]),
        place=str(told["place"]),
        goal=str(told["goal"] or ""),
        began=times.when(told["since"]),
        since=told["since"],
        lasted=told["lasted"],
        tried=[str(each) for each in told["tried"]],
        rungs=[str(each) for each in told["rungs"]],
        solved_by=str(told["solved_by"] or ""),
        over=bool(told["over"]),
        died=told["last_step"] is not None,
    )


MOST_ACTIONS: Final = 40  # deeds with a row of their own
LATEST_ACTIONS: Final = 60  # told one by one


@dataclass(frozen=True, slots=True)
class ActionStats:
    """All times that one thing was done."""

    name: str
    times: int
    ends: Mapping[str, int]
    game_s: float


@dataclass(frozen=True, slots=True)
class Done:
    """One deed that ended."""

    when: TickTime
    name: str
    why: str
    ended: str
    place: str


@dataclass(frozen=True, slots=True)
class ActionsTaken:
    """Those that took most of the time, how many sorts are left out, and the last ones in full."""

    sorts: Sequence[ActionStats]
    left_out: int
    times: int
    latest: Sequence[Done]


def deeds(run: RunReader, times: Times) -> ActionsTaken:
    """Return what was done on the live lineage."""
    events = list(run.events(ACTION))
    groups: dict[str, list[EventRow]] = {}
    for each in events:
        groups.setdefault(str(each.payload.get("action_value", "?")), []).append(each)
    sorts = sorted((_deed(*each) for each in groups.items()), key=lambda each: -each.game_s)
    return ActionsTaken(
        sorts=sorts[:MOST_ACTIONS],
        left_out=len(sorts[MOST_ACTIONS:]),
        times=len(events),
        latest=[_done(each, times) for each in events[-LATEST_ACTIONS:]],
    )


def _deed(name: str, events: Sequence[EventRow]) -> ActionStats:
    return ActionStats(
        name=name,
        times=len(events),
        ends=Counter(str(each.payload.get("outcome_summary", "?")) for each in events),
        game_s=sum(float(each.payload.get("duration_ms", 0.0)) for each in events) / 1_000,
    )


def _done(event: EventRow, times: Times) -> Done:
    told = event.payload
    return Done(
        when=times.when(event.tick),
        name=str(told.get("action_value", "?")),
        why=str(told.get("reasoning", "")),
        ended=str(told.get("outcome_summary", "?")),
        place=str(told.get("location", "")),
    )
