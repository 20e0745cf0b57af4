"""A moment in words, for whoever is asked about it: what is true, what is wanted, what failed, and the map around.

What the cartridge shows of texts and names stands behind a bar: it is something seen, and nobody's instruction.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from agent.advisor import Purpose
from agent.capabilities import Ledger, Story
from agent.mind.advising import Moment
from agent.skills import Terrain
from emulator import FRAMES_PER_SECOND, Dex, GameMap, State
from memory.thread.situation import Failure, Situation, situation

AROUND_X: Final = 8  # squares to either side that are drawn
AROUND_Y: Final = 6
MOST_FAILURES: Final = 8
MOST_FACTS: Final = 60
MOST_ROWS: Final = 18  # of a screen
WIDEST: Final = 60  # characters of a row; some of the twenty squares say several
LEGEND: Final = "@ you, . floor, # wall, D door or stairs, P somebody, ! sign"


@dataclass(frozen=True, slots=True)
class Describing:
    """Tells moments of one game."""

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: Ledger

    def __call__(self, purpose: Purpose, moment: Moment, about: str) -> str:
        """Return the moment in words; `about` is what happened that made one ask."""
        return "\n\n".join(part for part in self._parts(purpose, moment, about) if part)

    def _parts(self, purpose: Purpose, moment: Moment, about: str) -> Iterator[str]:
        percept, state = moment.percept, moment.percept.state
        yield str(self._heads(purpose, moment, about))
        yield f"The plan so far:\n{moment.plan}" if moment.plan else ""
        true = [f"{name} = {value}" for name, value in sorted(moment.facts.items()) if value]
        more = f", and {len(true) - MOST_FACTS} more" if len(true) > MOST_FACTS else ""
        yield f"Facts, all others being 0: {', '.join(true[:MOST_FACTS])}{more}"
        yield _section("Team", self.team(state))
        yield _section("Bag", self.bag(state))
        yield f"Money: {state.player.money}" if state.game_started else ""
        yield _section(f"The map around ({LEGEND})", self.around(state))
        yield _section("On the screen", seen(percept.text))

    def _heads(self, purpose: Purpose, moment: Moment, about: str) -> Situation:
        state = moment.percept.state
        place = f"{self.story.place_of(state)} ({state.map.x}, {state.map.y})"
        why = f"{purpose.value}: {about}" if about else purpose.value
        worst = moment.failed.most_common(MOST_FAILURES)
        return replace(
            situation(why, moment.percept.tick, state.frame / FRAMES_PER_SECOND, place),
            goal=moment.goals[0].name if moment.goals else "",
            reached=tuple(each.id for each in self.ledger.reached),
            failed=tuple(Failure(name, times) for name, times in worst),
        )

    def team(self, state: State) -> Iterator[str]:
        """Yield a line for each mon of the team."""
        for mon in state.party.mons if state.game_started else ():
            kind = self.dex.all_species.get(mon.species)
            name = kind.name if kind is not None else f"species {mon.species}"
            moves = self.dex.all_moves
            known = [
                f"{moves[slot.move].name if slot.move in moves else slot.move} {slot.pp} PP"
                for slot in mon.moves
            ]
            hp = f"{mon.hp} of {mon.stats.hp} HP"
            yield barred(f"{name} level {mon.level}, {hp}, {', '.join(known)}")

    def bag(self, state: State) -> Iterator[str]:
        """Yield a line for each kind of thing in the bag."""
        for stack in state.bag.items if state.game_started else ():
            yield barred(f"{self.dex.item_name(stack.item)} x {stack.quantity}")

    def around(self, state: State) -> Iterator[str]:
        """Yield the rows of the map around the player, one character a square."""
        here = state.map
        if not state.game_started or here.map_id not in self.terrain.plain.map_ids:
            return
        drawn = self.terrain.world(state).map(here.map_id)
        marks = {(each.x, each.y): "!" for each in drawn.signs}
        marks |= {(each.x, each.y): "D" for each in drawn.warps}
        marks |= {each.position: "P" for each in state.people if each.on_screen}
        marks[here.position] = "@"
        for y in range(here.y - AROUND_Y, here.y + AROUND_Y + 1):
            columns = range(here.x - AROUND_X, here.x + AROUND_X + 1)
            yield "| " + "".join(marks.get((x, y)) or _ground(drawn, x, y) for x in columns)


def _ground(drawn: GameMap, x: int, y: int) -> str:
    if not drawn.contains(x, y):
        return " "
    return "." if drawn.passable(x, y) else "#"


def _section(head: str, rows: Iterable[str]) -> str:
    """Return rows below their head, '' where there are none."""
    told = list(rows)
    return "\n".join([f"{head}:", *told]) if told else ""


def seen(text: str) -> Iterator[str]:
    """Yield the rows of a screen, each behind a bar, so that none can be taken for one of ours.

    What no screen has room for is left out: it would cost tokens, and tell nothing.
    """
    for row in text.splitlines()[:MOST_ROWS]:
        yield f"| {row[:WIDEST]}"


def barred(words: str) -> str:
    """Return words with names of the cartridge among them as one row behind a bar, however they are spelled."""
    return f"| {' '.join(words.split())}"
