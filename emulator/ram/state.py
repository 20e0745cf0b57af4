"""The state of the game at one moment: all records together, as one immutable value."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from emulator.ram.battle import Battle, BattleKind, BattleResult, read_battle, read_result
from emulator.ram.control import BEFORE_GAME, DARKNESS, Control, NoControl, read_control
from emulator.ram.flags import Flags, Switches, read_flags, read_switches
from emulator.ram.map import (
    MapState,
    Person,
    Position,
    Square,
    read_hidden_slots,
    read_map,
    read_people,
    read_tiles_in_sight,
    read_visited,
)
from emulator.ram.menu import Menu, read_entries, read_field_moves, read_menu
from emulator.ram.menu_kind import MenuKind
from emulator.ram.party import Box, Party, read_box, read_party
from emulator.ram.player import Bag, Player, Safari, read_bag, read_player, read_safari
from emulator.ram.tile_map import Dialogue, Waiting, read_dialogue, read_tiles
from emulator.ram.view import Ram
from emulator.text import decode_screen


class ScreenType(Enum):
    """What the screen shows, by the first rule of `classify` that matches."""

    TITLE = "title"
    BATTLE = "battle"
    MENU = "menu"
    DIALOGUE = "dialogue"
    TRANSITION = "transition"
    SCRIPTED = "scripted"
    OVERWORLD = "overworld"


TRANSITIONS: Final = {NoControl.WARPING, NoControl.INPUT_IGNORED, NoControl.BATTLE_BEGINS}


@dataclass(frozen=True, slots=True)
class State:
    """The game at `frame`; `ram` is the data it was read from."""

    frame: int
    player: Player
    map: MapState
    party: Party
    bag: Bag
    menu: Menu | None
    dialogue: Dialogue
    flags: Flags
    control: Control
    people: tuple[Person, ...]
    battle: Battle | None
    screen_type: ScreenType
    ram: Ram = field(repr=False, compare=False)

    @property
    def position(self) -> Position:
        """The player's square."""
        return self.map.position

    @property
    def in_battle(self) -> bool:
        """Whether there is a battle in which the player can act."""
        return self.battle is not None and self.battle.kind is not BattleKind.LOST

    @property
    def battle_result(self) -> BattleResult | None:
        """How the last battle ended; known shortly before the battle is over."""
        return read_result(self.ram)

    @property
    def game_started(self) -> bool:
        """Whether a game is being played; before that, the other fields are meaningless."""
        return self.control.started

    @property
    def in_control(self) -> bool:
        """Whether a direction key would make the player walk now."""
        return self.screen_type is ScreenType.OVERWORLD and self.control.free

    @property
    def box(self) -> Box:
        """The Pokemon of the current box."""
        return read_box(self.ram)

    @property
    def visited_towns(self) -> frozenset[int]:
        """The map ids of the towns entered so far."""
        return read_visited(self.ram)

    @property
    def is_dark(self) -> bool:
        """Whether the map is dark until FLASH is used; walking works as on other maps."""
        return self.ram.byte(DARKNESS) != 0

    @property
    def people_present(self) -> tuple[Person, ...]:
        """The people of the map, on screen or not, without those that toggles hide."""
        hidden = read_hidden_slots(self.ram, self.flags.hidden)
        return tuple([person for person in self.people if person.slot not in hidden])

    @property
    def tiles_in_sight(self) -> dict[Square, int] | None:
        """The collision tile of each of the 10 by 9 squares in sight, as the tile map shows it.

        None while a box is open, or when the screen does not show the plain map.
        """
        if self.dialogue.font_loaded or not self.in_control:
            return None
        return read_tiles_in_sight(self.ram, self.position)

    @property
    def list_entries(self) -> tuple[int, ...]:
        """The entries of the open list, as numbers of items or species; empty without an open list."""
        return () if self.menu is None else read_entries(self.ram, self.menu)

    @property
    def field_moves(self) -> tuple[int, ...]:
        """The field moves in the open menu of a party Pokemon, in order; empty when it is not open."""
        return read_field_moves(self.ram, self.menu)

    @property
    def safari(self) -> Safari:
        """The Safari Zone counters."""
        return read_safari(self.ram)

    @property
    def switches(self) -> Switches:
        """The trash cans that hold the switches of a gym's door."""
        return read_switches(self.ram)

    @property
    def screen_rows(self) -> tuple[str, ...]:
        """The 18 rows of text on the tile map."""
        return decode_screen(read_tiles(self.ram))

    @property
    def screen_text(self) -> str:
        """The tile map as text, with rows joined by newlines."""
        return "\n".join(self.screen_rows)


def read_state(ram: Ram, frame: int) -> State:
    """Return the state of the game in `ram`."""
    control, party = read_control(ram), read_party(ram)
    menu, dialogue = read_menu(ram), read_dialogue(ram)
    if menu is not None and menu.kind is MenuKind.MAIN:
        control = BEFORE_GAME  # this menu loads a saved game, to show what was saved
    battle = read_battle(ram, party, menu, dialogue) if control.started else None
    return State(
        frame=frame,
        player=read_player(ram),
        map=read_map(ram),
        party=party,
        bag=read_bag(ram),
        menu=menu,
        dialogue=dialogue,
        flags=read_flags(ram),
        control=control,
        people=read_people(ram),
        battle=battle,
        screen_type=classify(control, battle, menu, dialogue),
        ram=ram,
    )


def classify(
    control: Control, battle: Battle | None, menu: Menu | None, dialogue: Dialogue
) -> ScreenType:
    """Return what the screen shows; text counts before the game has started, too, as in the intro."""
    if battle is not None:
        return ScreenType.BATTLE
    if dialogue.waiting is Waiting.ARROW:
        return ScreenType.DIALOGUE
    if menu is not None:
        return ScreenType.MENU
    if dialogue.is_open:
        return ScreenType.DIALOGUE
    if not control.started:
        return ScreenType.TITLE
    if control.fading or not TRANSITIONS.isdisjoint(control.reasons):
        return ScreenType.TRANSITION
    return ScreenType.SCRIPTED if control.scripted else ScreenType.OVERWORLD
