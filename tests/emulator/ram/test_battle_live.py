"""Live battles of the demo: decoded states, stats and pictures."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import pytest

from emulator import (
    Battle,
    BattleMon,
    BattleResult,
    Button,
    Cartridge,
    Dex,
    Font,
    Phase,
    PyBoyConsole,
    State,
    Step,
    read_state,
)
from emulator.ram.party import Dvs, Stats
from emulator.rules.stats import staged, stats_of
from emulator.screen.glyphs import read_glyphs
from emulator.text import charmap

STARTER, SECOND, WILD = 3, 11, 33
TRAINER_FROM: Final = 200
CODES: Final = {letters: code for code, letters in charmap().items()}
READS_ON: Final = (Phase.TEXT, Phase.LEVEL_UP, Phase.YES_NO, Phase.NEXT_MON)


def member(dex: Dex, index: int, level: int) -> bytes:
    """Return a healthy Pokemon as the party stores it."""
    kind, dvs = dex.species(index), Dvs(9, 8, 8, 8)
    stats = stats_of(kind.base, dvs, level)
    moves = kind.moves_at(level)
    return b"".join(
        [
            bytes([index, 0, stats.hp, level, 0, *kind.types, kind.catch_rate]),
            bytes(moves).ljust(4, b"\0") + bytes(2),
            kind.growth.experience_at(level).to_bytes(3, "big") + bytes(10),
            bytes([dvs.attack << 4 | dvs.defense, dvs.speed << 4 | dvs.special]),
            bytes([dex.move(move).pp for move in moves]).ljust(4, b"\0"),
            bytes([level]) + b"".join(stat.to_bytes(2, "big") for stat in stats),
        ]
    )


@dataclass
class Arena:
    """The demo at the first moment of control, with a team and an opponent written into RAM."""

    console: PyBoyConsole
    dex: Dex

    def write(self, address: int, data: bytes) -> None:
        for offset, byte in enumerate(data):
            self.console._memory[address + offset] = byte

    def meet(self, opponent: int, *team: tuple[int, int]) -> None:
        """Start a battle in the same way as grass and trainers."""
        self.write(0xD163, bytes([len(team), *[index for index, _ in team], 0xFF]))
        for slot, (index, level) in enumerate(team):
            self.write(0xD16B + 44 * slot, member(self.dex, index, level))
            name = bytes(CODES[letter] for letter in self.dex.species(index).name)
            self.write(0xD2B5 + 11 * slot, name.ljust(11, b"\x50"))
        self.console.perform(Step(None, 0, 100))
        self.write(0xD05D, b"\x01")  # wTrainerNo
        self.write(0xD127, b"\x04")  # wCurEnemyLevel
        self.write(0xD059, bytes([opponent]))  # wCurOpponent

    def state(self) -> State:
        return read_state(self.console.ram(), self.console.frame)

    def fight(self, choose: Callable[[Battle], Button]) -> Iterator[State]:
        """Yield about every eighth frame until the map is back."""
        fought = False
        for _ in range(3000):
            state = self.state()
            yield state
            fought = fought or state.in_battle
            if fought and state.in_control:
                return
            button = self._button(state, choose)
            settle = 8 if button is None else 4
            self.console.perform(Step(button, 4 if button else 0, settle), render=True)
        pytest.fail(f"no end of the battle: {self.state().screen_text}")

    def _button(self, state: State, choose: Callable[[Battle], Button]) -> Button | None:
        battle = state.battle
        if battle is None or battle.phase in READS_ON:
            return Button.A if state.dialogue.is_open else None
        if battle.phase in (Phase.BUSY, Phase.INTRO):
            return None
        if battle.phase is Phase.CHANGE_MON:
            return Button.B
        if battle.phase is Phase.PARTY and battle.own is not None and state.menu is not None:
            if not battle.own.fainted:
                return Button.B  # opened while looking around
            return Button.DOWN if state.menu.index == battle.own.position else Button.A
        return choose(battle)


@pytest.fixture
def arena(bedroom: PyBoyConsole, demo: Cartridge) -> Arena:
    return Arena(bedroom, Dex.of(demo))


def attack(_battle: Battle) -> Button:
    return Button.A


def both_pokemon(state: State) -> tuple[BattleMon, BattleMon] | None:
    battle = state.battle
    both = battle is not None and battle.own is not None and battle.enemy is not None
    return (battle.own, battle.enemy) if both else None  # type: ignore[union-attr, return-value]


def test_a_wild_battle_is_decoded_from_start_to_end(arena: Arena) -> None:
    arena.meet(WILD, (STARTER, 8))
    states = list(arena.fight(attack))
    battles = [state.battle for state in states if state.battle is not None]
    phases = [battle.phase for battle in battles]
    asked = [phases.index(phase) for phase in (Phase.INTRO, Phase.MAIN_MENU, Phase.MOVE_MENU)]
    assert asked == sorted(asked)
    owns = [battle.own for battle in battles]
    first_out = next(n for n, own in enumerate(owns) if own is not None)
    assert all(own is not None and own.species == STARTER for own in owns[first_out:])
    assert {own.nickname for own in owns if own is not None} == {arena.dex.species(STARTER).name}
    enemies = [battle.enemy for battle in battles if battle.enemy is not None]
    assert {(enemy.species, enemy.level) for enemy in enemies} == {(WILD, 4)}
    assert {move.move for move in enemies[0].moves} == set(arena.dex.species(WILD).moves_at(4))
    assert enemies[-1].hp == 0
    assert states[-1].battle is None
    assert states[-1].battle_result is BattleResult.WON
    assert states[-1].party[0].exp > arena.dex.species(STARTER).growth.experience_at(8)


def test_stats_of_a_pokemon_in_battle_follow_the_formulas(arena: Arena) -> None:
    arena.meet(WILD, (STARTER, 8))
    seen = 0
    for state in arena.fight(attack):
        mons = both_pokemon(state)
        if mons is None or state.battle is None or state.battle.phase is not Phase.MAIN_MENU:
            continue
        seen += 1
        for mon in mons:
            base = arena.dex.species(mon.species).base
            assert mon.unmodified == stats_of(base, mon.dvs, mon.level)
            book = arena.dex.rules
            raised = [
                staged(stat, stage, book)
                for stat, stage in zip(mon.unmodified[1:], mon.stages[:4], strict=True)
            ]
            assert mon.stats == Stats(mon.unmodified.hp, *raised)
    assert seen


def test_pixels_and_tile_map_agree_on_every_settled_screen(arena: Arena, demo: Cartridge) -> None:
    font, last, compared = Font.of(demo), b"", 0
    for _ in range(3):
        arena.meet(TRAINER_FROM + 25, (STARTER, 9), (SECOND, 8))
        tour = iter((Button.DOWN, Button.UP, Button.RIGHT, Button.A, Button.B, Button.LEFT))

        def choose(_battle: Battle, tour: Iterator[Button] = tour) -> Button:
            return next(tour, Button.A)

        for state in arena.fight(choose):
            tiles = state.ram.span(0xC3A0, 360)
            if tiles == last and state.in_battle and not state.control.fading:
                assert read_glyphs(arena.console.screen(), font) == state.screen_text
                compared += 1
            last = tiles
    assert compared > 20
