"""Facts about encounters: where wild Pokemon appear and which, and from where trainers see the player."""

from collections.abc import Iterator
from typing import Final

from agent.tools.verify.fact import (
    COUNTER,
    IN_BATTLE,
    JOY_IGNORE,
    MAP,
    MOVEMENT,
    FactWatcher,
    menu_with_cursor,
)
from emulator import Button, Facing, MenuKind, Person, Ram, State, read_state, symbol
from emulator.ram import COLUMNS, TILE_MAP, is_in_sight
from emulator.world import FIRST_INDOOR_MAP

OPPONENT: Final = symbol("wCurOpponent")
LEVEL: Final = symbol("wCurEnemyLevel")
CORNER: Final = TILE_MAP + 9 * COLUMNS + 9
FONT: Final = symbol("wFontLoaded")
TILESET: Final = symbol("wCurMapTileset")
GRASS: Final = symbol("wGrassTile")
GRASS_RATE: Final = symbol("wGrassRate")
WATER_RATE: Final = symbol("wWaterRate")
STEPS: Final = symbol("wNumberOfNoRandomBattleStepsLeft")
BATTLE_TYPE: Final = symbol("wBattleType")
FOREST: Final = 3
WATER_TILE: Final = 0x14
WILD: Final = 1
FIRST_TRAINER: Final = 200


class EncounterWatcher(FactWatcher):
    """Checks the map as it was just before each wild battle."""

    _map_before: Ram | None = None  # the map as it was before the encounter

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Store the map outside of encounters, and check it when one begins."""
        opponent = now.byte(OPPONENT)
        if not opponent and not now.byte(IN_BATTLE):
            talks = now.byte(FONT) & 1 or now.byte(JOY_IGNORE)
            # A battle begun by a talk is not a wild encounter: only a step after the talk counts again.
            walks = self._map_before is not None or now.byte(COUNTER)
            self._map_before = now if walks and not talks else None
        elif self._map_before is not None and now.byte(IN_BATTLE):
            if now.byte(IN_BATTLE) == WILD and 0 < opponent < FIRST_TRAINER:
                self._check_encounter(self._map_before, now, number)
            self._map_before = None

    def _check_encounter(self, map_before: Ram, now: Ram, number: int) -> None:
        if now.byte(BATTLE_TYPE):
            return  # a demonstration or the Safari Zone
        tile, left = map_before.byte(CORNER), map_before.byte(STEPS)
        where = f"tile {tile:#04x} at (9,9), where no rate counts"
        wild = self.dex.wild.get(map_before.byte(MAP))
        slots = [slot for each in wild or () if each is not None for slot in each.slots]
        level, species = now.byte(LEVEL), now.byte(OPPONENT)
        is_known = (level, species) in {(slot.level, slot.species) for slot in slots}
        checks = {
            "encounters.where": None if _rate(map_before, tile) else where,
            "encounters.peace": f"{left} steps were left" if left > 1 else None,
            "encounters.who": None if is_known else f"species {species} at level {level}",
        }
        self.log.record_all(checks, map_before, number)


def _rate(ram: Ram, tile: int) -> int:
    if tile == ram.byte(GRASS):
        return ram.byte(GRASS_RATE)
    if tile == WATER_TILE:
        return ram.byte(WATER_RATE)
    if ram.byte(MAP) < FIRST_INDOOR_MAP or ram.byte(TILESET) & 0x7F == FOREST:
        return 0
    return ram.byte(GRASS_RATE)


ESCAPED: Final = symbol("wEscapedFromBattle")
RESULT: Final = symbol("wBattleResult")
ENEMY_HP: Final = symbol("wEnemyMonHP")


class DepartureWatcher(FactWatcher):
    """Checks battles that a move of the wild Pokemon or of the player's ends at once."""

    _result: int | None = None  # what was noted when the move was used

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect the move, and check what is noted when the battle is over."""
        if now.byte(IN_BATTLE) == WILD and now.byte(ESCAPED) and not before.byte(ESCAPED):
            self._result = before.byte(RESULT)
        elif self._result is not None and not now.byte(IN_BATTLE):
            noted, hp = now.byte(RESULT), any(now.span(ENEMY_HP, 2))
            wrong = f"it is {noted} after {self._result}" if noted != self._result else None
            seen = wrong if hp else "no HP are left"
            self.log.record("battles.departure", seen, now, number)
            self._result = None
        elif self._result is not None and _is_back(now):
            self.log.fails("battles.departure", "the battle goes on", now, number)
            self._result = None


def _is_back(now: Ram) -> bool:
    menu = menu_with_cursor(now)
    return menu is not None and menu.kind in (MenuKind.BATTLE_LEFT, MenuKind.BATTLE_RIGHT)


SPOTTED: Final = symbol("wMiscFlags")
IS_SPOTTED: Final = 0x01
FLAGS: Final = symbol("wStatusFlags5")
SCRIPTED: Final = 0x81


class SightWatcher(FactWatcher):
    """Checks the trainers of the map when the player can move, and when one has noticed the player."""

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Detect a trainer noticing the player, or a step begun in front of one who did not."""
        if now.byte(SPOTTED) & IS_SPOTTED and not before.byte(SPOTTED) & IS_SPOTTED:
            self._noticed(before, now, number)
        elif now.byte(COUNTER) and not before.byte(COUNTER):
            scripted = now.byte(FLAGS) & SCRIPTED or now.byte(MOVEMENT) or now.byte(JOY_IGNORE)
            if not scripted:
                self._passed(before, number)

    def _noticed(self, before: Ram, now: Ram, number: int) -> None:
        state = read_state(before, number)
        near = next(self._watched(state), None) is not None
        where = f"the player stands at {tuple(state.position)}, which no trainer can see"
        self.log.record("trainers.blind", None if near else where, now, number)
        if near:
            self.log.holds("trainers.sees")

    def _passed(self, before: Ram, number: int) -> None:
        """Check the trainers who watch the square being left: the game checks them before the joypad."""
        state = read_state(before, number)
        if not len(state.party):
            return
        for person, sight, distance in self._watched(state):
            if person.on_screen and not person.moving:
                seen = f"the player walks on {distance} squares before a trainer who sees {sight}"
                self.log.fails("trainers.sees", seen, before, number)

    def _watched(self, state: State) -> Iterator[tuple[Person, int, int]]:
        """Yield the unbeaten trainers who see the player, each with how far it sees, and its distance, in squares."""
        people = {person.slot: person for person in state.people_present}
        for slot, sight_line in self.world.sight_lines(state).items():
            person = people.get(slot)
            if person is None or state.flags.is_set(sight_line.event):
                continue
            distance = _ahead(person, state.position)
            if is_in_sight(state.position, person.position) and 0 < distance <= sight_line.sight:
                yield person, sight_line.sight, distance


def _ahead(person: Person, here: tuple[int, int]) -> int:
    """Return how many squares in front of a person the player stands, or 0 for elsewhere."""
    facing: Facing = person.facing
    dx, dy = here[0] - person.x, here[1] - person.y
    along, across = dx * facing.dx + dy * facing.dy, dx * facing.dy + dy * facing.dx
    return along if along > 0 and not across else 0
