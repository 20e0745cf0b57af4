"""Milestones, and the ledger of those reached: each needs two witnesses, RAM and a frame."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from agent.perception.percept import Due, Percept, ScreenReading
from agent.story.facts import FactKind, RamFact
from emulator import MenuKind, State
from memory import Hooks, Json, as_json, hookable

HP: Final = re.compile(r"(\d+)/ *(\d+)")
FRAMES: Final = " ┌─┐│└┘▶▼"  # box borders, the cursor, and the arrow for more text


class Witness(Enum):
    """What a rendered frame must show, read from its pixels alone."""

    SCENE = "scene"  # the square of the map on which the player stands in control
    TEXT = "text"  # given words in a message box
    TEAM = "team"  # the party list with every name in it
    HEALTHY_TEAM = "healthy_team"  # the party list with full HP
    BAG = "bag"  # the item list with given words in it
    START_MENU = "start_menu"  # the START menu with given words in it


@dataclass(frozen=True, slots=True)
class Milestone:
    """A story milestone that the cartridge must show.

    Work RAM must show all values given: the current map `map_id`, the story fact `mark`, and `home`, the town to which
    a defeat leads. `words` must all be in the frame if the witness needs words; `{player}` and `{rival}` in
    them stand for names. `sign` is the square of the map that shows them when examined. `fact` is the planner's
    name of the mark; if one of the facts `behind` is true, the milestone was passed earlier, whatever the order.
    """

    id: str
    label: str
    witness: Witness
    place: str | None = None
    map_id: int | None = None
    home: int | None = None
    words: tuple[str, ...] = ()
    sign: tuple[int, int] | None = None
    fact: str | None = None
    mark: RamFact | None = None
    behind: tuple[str, ...] = ()

    def shown_by_ram(self, state: State) -> bool:
        """Return whether work RAM shows it in a state whose frame can show it too."""
        if not state.game_started or not self._fits(state):
            return False
        match self.witness:
            case Witness.SCENE:
                return state.in_control
            case Witness.TEXT:
                return state.dialogue.is_open
            case Witness.TEAM:
                return _shows_team(state)
            case Witness.HEALTHY_TEAM:
                mons = state.party.mons
                return _shows_team(state) and all(mon.hp == mon.stats.hp for mon in mons)
            case Witness.BAG:
                return _shows(state, MenuKind.ITEMS)
            case Witness.START_MENU:
                return _shows(state, MenuKind.START)

    def passed(self, state: State) -> bool:
        """Return whether RAM shows it in a state of control, for games of which nothing is drawn."""
        return state.game_started and state.in_control and self._fits(state)

    def shown_by_frame(self, state: State, reading: ScreenReading) -> bool:
        """Return whether the frame of this state shows it."""
        here, mons = state.map, state.party.mons
        match self.witness:
            case Witness.SCENE:
                scene = reading.scene
                return scene is not None and scene.shows(here.map_id, here.x, here.y)
            case Witness.TEAM:
                return all(mon.nickname in reading.text for mon in mons)
            case Witness.HEALTHY_TEAM:
                counts = HP.findall(reading.text)
                return len(counts) == len(mons) and all(left == whole for left, whole in counts)
            case Witness.TEXT | Witness.BAG | Witness.START_MENU:
                names = {"player": state.player.name, "rival": state.player.rival_name}
                words = [each.format(**names) for each in self.words]
                return all(word and word in reading.text for word in words)

    @property
    def wants_place(self) -> bool:
        """Whether the position of its frame on the map must be found."""
        return self.witness is Witness.SCENE

    def _fits(self, state: State) -> bool:
        flags = state.flags
        return (
            (self.map_id is None or state.map.map_id == self.map_id)
            and (self.mark is None or self.mark.shown_by(state))
            and (self.home is None or (flags.used_center and flags.blackout_map == self.home))
        )


@dataclass(frozen=True, slots=True)
class ReachedMilestone:
    """A milestone reached: its id, tick, frame and witnesses."""

    id: str
    tick: int
    frame: int
    witnesses: Mapping[str, str]


class MilestoneLedger:
    """The milestones reached; one is recorded only when both witnesses show it in the same tick.

    Of a game of which nothing is drawn, RAM is the only one.
    """

    def __init__(
        self, milestones: Sequence[Milestone], hooks: Hooks, *, is_drawn: bool = True
    ) -> None:
        self._is_drawn = is_drawn
        self.hooks = hooks
        self._milestones = tuple(milestones)
        self._open = list(milestones)
        self._reached: dict[str, ReachedMilestone] = {}
        self.reached: tuple[ReachedMilestone, ...] = ()  # in order

    def has(self, milestone_id: str) -> bool:
        """Return whether a milestone has been reached."""
        return milestone_id in self._reached

    def due(self, state: State) -> Due:
        """Return what the second witness needs of the next frame, if RAM shows an open milestone."""
        if not self._is_drawn:
            return Due.NOTHING
        needed = [each.wants_place for each in self._open if each.shown_by_ram(state)]
        if not needed:
            return Due.NOTHING
        return Due.PLACE if any(needed) else Due.FRAME

    @hookable
    def observe(self, percept: Percept) -> tuple[ReachedMilestone, ...]:
        """Record and return the milestones that both witnesses of this tick prove."""
        state, reading = percept.state, percept.reading
        if reading is None and self._is_drawn:
            return ()
        fresh = tuple(
            ReachedMilestone(each.id, percept.tick, state.frame, _testimony(each, percept))
            for each in self._open
            if _is_proven(each, state, reading)
        )
        if fresh:  # `reached` is another object only then, which others look at
            self._take(fresh)
        return fresh

    def to_json(self) -> dict[str, Json]:
        """Return the milestones reached, as `restore` reads them."""
        return {"reached": [as_json(each) for each in self._reached.values()]}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        self._reached = {}
        self._take([ReachedMilestone(**each) for each in data["reached"]])

    def _take(self, reached: Sequence[ReachedMilestone]) -> None:
        self._reached.update({each.id: each for each in reached})
        self.reached = tuple(self._reached.values())
        self._open = [each for each in self._milestones if not self.has(each.id)]


def _is_proven(milestone: Milestone, state: State, reading: ScreenReading | None) -> bool:
    if reading is None:
        return milestone.passed(state)
    return milestone.shown_by_ram(state) and milestone.shown_by_frame(state, reading)


def _shows_team(state: State) -> bool:
    return _shows(state, MenuKind.PARTY) and len(state.party) > 0


def _shows(state: State, kind: MenuKind) -> bool:
    return state.menu is not None and state.menu.kind is kind


def _testimony(milestone: Milestone, percept: Percept) -> dict[str, str]:
    state, reading = percept.state, percept.reading
    here = state.map
    ram = [f"wCurMap {here.map_id} at ({here.x},{here.y})"]
    match milestone.mark:
        case RamFact(FactKind.EVENT, event):
            ram.append(f"event {event:#x} is set")
        case RamFact(FactKind.BADGE, badge):
            ram.append(f"wObtainedBadges has bit {badge}")
        case _:
            pass
    if milestone.home is not None:
        ram.append(f"wLastBlackoutMap {milestone.home}, a centre was used")
    if reading is None or milestone.wants_place:
        frame = reading.label if reading is not None else ""
    else:
        rows = (row.strip(FRAMES) for row in reading.text.splitlines())
        words = " | ".join(row for row in rows if row)
        frame = f"the frame reads: {words}"
    return {"ram": "; ".join(ram), "frame": frame}
