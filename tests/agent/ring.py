"""Battles set up in RAM, from the first state in which the player is in control."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from agent.lab.bench.battle_setup import SIZE, party_in_ram
from agent.skills import Attack, Commander, Order, Outcome, SkillRun, TriedOrders, fight, turn_page
from emulator import Battle, BattleMon, Phase, State
from emulator.dex.trainers import TeamMember
from emulator.profile import symbol
from tests.agent.demo import DEX, at_the_menu, battle_of, enemy_of, own_of
from tests.agent.support import Game

FAST_AND_SET, FAST_AND_SHIFT = 0xC1, 0x81
TRAINER = 200
EVEN_DVS = 0x8888
QUESTIONS = (Phase.YES_NO, Phase.NEXT_MON, Phase.CHANGE_MON)


@dataclass(frozen=True)
class Fighter:
    """A member of the team; without `moves` it knows those of its species at its level."""

    name: str
    level: int
    moves: tuple[str, ...] = ()
    hp: int | None = None
    status: int = 0
    short_of: int = 0  # experience points missing to the next level, 0 to set none

    @property
    def member(self) -> TeamMember:
        return TeamMember(self.level, species_of(self.name))

    def changes(self) -> dict[int, bytes]:
        """Return the bytes, by offset in the party record, that differ from a fresh member of its level."""
        found = {4: bytes([self.status])}
        if self.hp is not None:
            found[1] = self.hp.to_bytes(2)
        if self.moves:
            numbers = [number_of(move) for move in self.moves]
            found[8] = bytes(numbers).ljust(4, b"\0")
            found[29] = bytes([DEX.move(each).pp for each in numbers]).ljust(4, b"\0")
        if self.short_of:
            growth = DEX.species(self.member.species).growth
            found[14] = (growth.experience_at(self.level + 1) - self.short_of).to_bytes(3)
        return found


def number_of(move: str) -> int:
    return next(number for number, each in DEX.all_moves.items() if each.name == move)


def species_of(name: str) -> int:
    return next(index for index, each in DEX.all_species.items() if each.name == name)


@dataclass
class Ring:
    """The game, and the saved state from which all its battles begin."""

    game: Game
    start: bytes

    @property
    def state(self) -> State:
        return self.game.state

    @property
    def battle(self) -> Battle:
        return battle_of(self.state)

    @property
    def own(self) -> BattleMon:
        return own_of(self.state)

    @property
    def enemy(self) -> BattleMon:
        return enemy_of(self.state)

    def poke(self, label: str, data: Sequence[int], offset: int = 0) -> None:
        self.game.console.poke(symbol(label) + offset, bytes(data))

    def enter(
        self,
        *team: Fighter,
        wild: tuple[str, int] = ("NIBBIT", 3),
        trainer: tuple[int, int] | None = None,
        bag: Sequence[tuple[int, int]] = (),
        options: int = FAST_AND_SET,
    ) -> State:
        """Begin a battle, and return the state at its first menu."""
        console = self.game.console
        console.load(self.start)
        player = self.state.player.player_id
        members = [each.member for each in team]
        for address, data in party_in_ram(DEX, members, EVEN_DVS, player).items():
            console.poke(address, data)
        for place, each in enumerate(team):
            for offset, data in each.changes().items():
                self.poke("wPartyMons", data, SIZE * place + offset)
        stacks = [byte for stack in bag for byte in stack]
        self.poke("wNumBagItems", [len(bag), *stacks, 0xFF])
        self.poke("wOptions", [options])
        self.poke("wTrainerNo", [trainer[1] if trainer else 0])
        self.poke("wCurEnemyLevel", [0 if trainer else wild[1]])
        self.poke("wCurOpponent", [TRAINER + trainer[0] if trainer else species_of(wild[0])])
        for _ in range(200):
            console.perform(turn_page())
            if at_the_menu(self.state):
                return self.state
        raise AssertionError("no battle begins")

    def weaken(self, hp: int = 1) -> None:
        """Set the HP of the enemy."""
        self.poke("wEnemyMon", hp.to_bytes(2), 1)

    def arm(self, *moves: str) -> None:
        """Give the enemy these moves and no others."""
        numbers = bytes([number_of(each) for each in moves])
        self.poke("wEnemyMon", numbers.ljust(4, b"\0"), 8)
        self.poke("wEnemyMon", bytes([20] * len(moves)).ljust(4, b"\0"), 25)

    def fight(self, commander: Commander, *, within: int = 1_500) -> list[tuple[Phase, str]]:
        """Fight to the end; return each question with the button that answered it."""
        skill_run = SkillRun(fight(commander, self.state))
        asked: list[tuple[Phase, str]] = []
        for _ in range(within):
            if skill_run.outcome is not Outcome.RUNNING:
                return asked
            battle = self.state.battle
            phase = battle.phase if battle is not None else None
            if phase in QUESTIONS and skill_run.step.button is not None:
                asked.append((phase, skill_run.step.button.value))
            self.game.console.perform(skill_run.step)
            skill_run.resume(self.state)
        raise AssertionError("the battle does not end")

    def moves_known(self, place: int = 0) -> list[str]:
        return [DEX.move(each.move).name for each in self.state.party[place].moves]


@dataclass
class Script:
    """A commander that gives these orders in sequence, and repeats the last one."""

    orders: tuple[Order | Callable[[State], Order], ...] = (Attack(0),)
    place: int = 0
    on: bool = True
    other: int | None = None
    forgotten: int | None = None
    seen: list[State] = field(default_factory=list)
    tried: list[TriedOrders] = field(default_factory=list)

    def order(self, state: State, tried: TriedOrders) -> Order:
        order = self.orders[min(len(self.seen), len(self.orders) - 1)]
        self.seen.append(state)
        self.tried.append(tried)
        return order(state) if callable(order) else order

    def next_mon(self, _state: State) -> int:
        return self.place

    def fights_on(self, _state: State) -> bool:
        return self.on

    def change(self, _state: State) -> int | None:
        return self.other

    def forget(self, _state: State) -> int | None:
        return self.forgotten
