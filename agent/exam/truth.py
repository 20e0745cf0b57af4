"""What happened in a recorded game, by RAM alone: its steps are driven again, and every state is looked at once."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from agent.capabilities import Story
from agent.exam.fights import Fight, FightWatch
from emulator import Dex, State

PATIENCE: Final = 30  # ticks that a milestone may wait for the frame that shows it


class Held(NamedTuple):
    """A value, and the tick from which it held."""

    tick: int
    value: int


class Visit(NamedTuple):
    """A place, and the tick at which the player was first free to walk there this time."""

    tick: int
    place: str


@dataclass(frozen=True, slots=True)
class Truth:
    """One recorded game; histories are of changes, oldest first."""

    run: str
    seed: int
    ticks: int
    starter: str
    fights: tuple[Fight, ...]
    visits: tuple[Visit, ...]
    money: tuple[Held, ...]
    items: Mapping[str, tuple[Held, ...]]
    levels: Mapping[str, tuple[Held, ...]]
    team: tuple[tuple[str, int], ...]  # in the end
    found_in: Mapping[str, str]  # where one stood when a thing was first had
    milestones: Mapping[str, int]  # the tick at which RAM first showed each
    last: State

    @property
    def met(self) -> dict[str, None]:
        """Everybody who was fought with, species and trainers, in the order of meeting them."""
        return dict.fromkeys(name for fight in self.fights for name in fight.names)

    @property
    def places(self) -> dict[str, None]:
        """Every place that was entered, in the order of coming there."""
        return dict.fromkeys(visit.place for visit in self.visits)

    def against(self, name: str) -> list[Fight]:
        """Return the fights in which `name` was on the other side, oldest first."""
        return [fight for fight in self.fights if name in fight.names]

    def money_at(self, tick: int) -> int:
        """Return how much money there was after `tick`."""
        return [held.value for held in self.money if held.tick <= tick][-1]

    def level_at(self, tick: int) -> int:
        """Return the highest level that anybody had reached by `tick`; 0 before there was anybody."""
        reached = (held for history in self.levels.values() for held in history)
        return max((held.value for held in reached if held.tick <= tick), default=0)

    def turns_to(self, tick: int) -> int:
        """Return how many turns the fights took that were over by `tick`."""
        return sum(fight.turns for fight in self.fights if fight.last_tick <= tick)


@dataclass(slots=True)
class _Histories:
    """What is owned and where one is, as it changes."""

    money: list[Held] = field(default_factory=list)
    items: dict[str, list[Held]] = field(default_factory=dict)
    levels: dict[str, list[Held]] = field(default_factory=dict)
    visits: list[Visit] = field(default_factory=list)
    found_in: dict[str, str] = field(default_factory=dict)
    here: int | None = None
    starter: str = ""


def truth_of(
    moments: Iterable[tuple[int, State]], story: Story, dex: Dex, *, run: str, seed: int
) -> Truth:
    """Return what `moments`, the ticks of one game from power-on with their states, show."""
    fights, seen = FightWatch(story, dex), _Histories()
    milestones: dict[str, int] = {}
    tick, last = 0, None
    for tick, state in moments:
        last = state
        if not state.game_started:
            continue
        fights.saw(tick, state)
        _note(seen, tick, state, story, dex)
        for each in story.milestones:
            if each.id not in milestones and each.shown_by_ram(state):
                milestones[each.id] = tick
    if last is None:
        message = "a recording without steps shows nothing"
        raise ValueError(message)
    fights.finish(last)
    return Truth(
        run=run,
        seed=seed,
        ticks=tick,
        starter=seen.starter,
        fights=tuple(fights.fights),
        visits=tuple(seen.visits),
        money=tuple(seen.money),
        items={name: tuple(held) for name, held in seen.items.items()},
        levels={name: tuple(held) for name, held in seen.levels.items()},
        team=_team(last, dex),
        found_in=seen.found_in,
        milestones=milestones,
        last=last,
    )


def _note(seen: _Histories, tick: int, state: State, story: Story, dex: Dex) -> None:
    _change(seen.money, tick, state.player.money)
    carried: Counter[str] = Counter()
    for stack in state.bag.items:
        carried[dex.item(stack.item).name] += stack.quantity
    for name in carried:
        seen.found_in.setdefault(name, story.place_of(state))
    for name in (*seen.items, *carried):
        _change(seen.items.setdefault(name, []), tick, carried[name])
    for name, level in _team(state, dex):
        seen.starter = seen.starter or name
        _change(seen.levels.setdefault(name, []), tick, level)
    if state.in_control and state.map.map_id != seen.here:
        seen.here = state.map.map_id
        seen.visits.append(Visit(tick, story.place_of(state)))


def _change(history: list[Held], tick: int, value: int) -> None:
    if not history or history[-1].value != value:
        history.append(Held(tick, value))


def _team(state: State, dex: Dex) -> tuple[tuple[str, int], ...]:
    return tuple((dex.species(mon.species).name, mon.level) for mon in state.party.mons)
