"""Fighting on the cartridge: orders become presses, and everything between turns is seen through."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, play_run
from agent.skills import Attack, Flee, Order, Outcome, TriedOrders, fight
from emulator import BattleResult, Button, MenuKind, Phase, State, Step
from tests.agent.support import Game, Played, Watcher, game_at


@dataclass
class Orders:
    """A commander that has an order for every turn, and a fixed answer to everything else."""

    order_for: Callable[[State], Order]
    place: int = 0
    on: bool = True
    other: int | None = None
    forgotten: int | None = None
    tried: list[TriedOrders] = field(default_factory=list)

    def order(self, state: State, tried: TriedOrders) -> Order:
        self.tried.append(tried)
        return self.order_for(state)

    def next_mon(self, _state: State) -> int:
        return self.place

    def fights_on(self, _state: State) -> bool:
        return self.on

    def change(self, _state: State) -> int | None:
        return self.other

    def forget(self, _state: State) -> int | None:
        return self.forgotten


ATTACKING = Orders(lambda _state: Attack(0))


def battle_menu_waits(state: State) -> bool:
    return state.battle is not None and state.battle.phase is Phase.MAIN_MENU


def wild_battle_begins(state: State) -> bool:
    return battle_menu_waits(state) and state.battle is not None and state.battle.is_wild


@pytest.fixture
def against_rival(played: Played) -> Iterator[Game]:
    """The first turn of the first battle."""
    with game_at(played.folder, battle_menu_waits) as game:
        yield game


@pytest.fixture(scope="module")
def wild_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which something wild was met."""
    for seed in range(20):
        folder = tmp_path_factory.mktemp("wild")
        watcher = Watcher()
        settings = Settings(seed=seed, until="healed", run=folder / "run", memory=folder / "memory")
        play_run(settings, watcher, Interrupt())
        if any(wild_battle_begins(moment.state) for moment in watcher.moments):
            return folder / "run"
    pytest.fail("nothing wild in twenty games")


@pytest.fixture
def in_the_grass(wild_run: Path) -> Iterator[Game]:
    """The first turn against something wild."""
    with game_at(wild_run, wild_battle_begins) as game:
        yield game


@pytest.mark.parametrize("slot", [0, 1])
def test_the_move_that_was_ordered_is_used(against_rival: Game, slot: int) -> None:
    battle = against_rival.state.battle
    assert battle is not None
    assert battle.own is not None
    move = battle.own.moves[slot]
    used: list[int | None] = []

    def command(state: State) -> Order:
        if used:
            return Flee()  # enough seen; a trainer lets nobody go, so the skill must be ended
        used.append(slot)
        return Attack(slot)

    skill = fight(Orders(command), against_rival.state)
    step = next(skill)
    for _ in range(60):
        against_rival.console.perform(step)
        state = against_rival.state
        if state.battle is not None and state.battle.own_move is not None:
            assert state.battle.own_move == move.move
            break
        step = skill.send(state)
    else:
        pytest.fail("no move was used")


def test_a_fight_goes_on_until_it_is_over(against_rival: Game) -> None:
    outcome = against_rival.carry_out(fight(ATTACKING, against_rival.state))
    assert not against_rival.state.in_battle
    result = against_rival.state.battle_result
    assert (outcome, result) in (
        (Outcome.DONE, BattleResult.WON),
        (Outcome.INTERRUPTED, BattleResult.LOST),
    )


def test_nobody_runs_from_a_trainer_and_the_fight_goes_on(against_rival: Game) -> None:
    asked = 0

    def command(_state: State) -> Order:
        nonlocal asked
        asked += 1
        return Flee() if asked == 1 else Attack(0)

    against_rival.carry_out(fight(Orders(command), against_rival.state))
    assert asked > 2
    assert against_rival.state.battle_result is not BattleResult.LEFT


def test_one_runs_from_what_is_wild_until_it_works(in_the_grass: Game) -> None:
    before = in_the_grass.state.party
    in_the_grass.carry_out(fight(Orders(lambda _state: Flee()), in_the_grass.state))
    fainted = not any(mon.hp for mon in in_the_grass.state.party.mons)
    assert fainted or in_the_grass.state.battle_result is BattleResult.LEFT
    assert in_the_grass.state.party.mons[0].exp == before.mons[0].exp


def waiting_for(phase: Phase, words: str, state: State) -> State:
    """Return the battle of `state` at another moment: it waits for `phase`, under these words."""
    assert state.battle is not None
    assert state.menu is not None
    return replace(
        state,
        battle=replace(state.battle, phase=phase),
        dialogue=replace(state.dialogue, lines=(words,)),
        menu=replace(state.menu, kind=MenuKind.YES_NO, current=0),
    )


def test_a_fifth_move_is_done_without(against_rival: Game) -> None:
    # The game asks whether to forget a move, then whether to do without, and from the start when that is no.
    forget = waiting_for(Phase.YES_NO, "make room for BITE?", against_rival.state)
    do_without = waiting_for(Phase.YES_NO, "no more BITE?", against_rival.state)
    skill = fight(ATTACKING, forget)
    assert next(skill).button is Button.B
    assert skill.send(forget).button is Button.B  # the press was missed
    assert skill.send(do_without).button is Button.A
    assert skill.send(do_without).button is Button.A


def test_a_fight_taken_up_at_the_second_question_about_it_ends_as_well(against_rival: Game) -> None:
    """As after a resume: a game asks on and on until the first is answered no and the second yes."""
    questions = {
        words: waiting_for(Phase.YES_NO, words, against_rival.state)
        for words in ("make room for BITE?", "no more BITE?")
    }
    text = waiting_for(Phase.TEXT, "", against_rival.state)
    answers: list[tuple[str, bool]] = []
    skill, asked = fight(ATTACKING, text), "no more BITE?"
    next(skill)
    while answers[-2:] != [("make room for BITE?", False), ("no more BITE?", True)]:
        answers.append((asked, skill.send(questions[asked]).button is Button.A))
        skill.send(text)
        assert len(answers) < 12
        # Whoever would make room, and then does not choose a move, is asked whether to do without.
        asked = (
            "make room for BITE?" if answers[-1] == ("no more BITE?", False) else "no more BITE?"
        )


def test_nothing_is_pressed_while_a_mon_evolves(against_rival: Game) -> None:
    evolving = waiting_for(Phase.EVOLVING, "it evolves", against_rival.state)
    skill = fight(ATTACKING, evolving)
    steps = [next(skill), skill.send(evolving), skill.send(evolving)]
    assert steps == [Step(None, 0, 48)] * 3


def test_nothing_is_pressed_between_words_when_somebody_has_fallen(against_rival: Game) -> None:
    """What opens next may be a question, and B says no to it."""
    busy = waiting_for(Phase.BUSY, "", against_rival.state)
    battle = busy.battle
    assert battle is not None
    assert battle.enemy is not None
    fallen = replace(busy, battle=replace(battle, enemy=replace(battle.enemy, hp=0)))
    assert next(fight(ATTACKING, fallen)).button is None
    assert next(fight(ATTACKING, busy)).button is Button.B


def test_a_fight_that_is_taken_up_in_the_list_of_moves_is_fought(against_rival: Game) -> None:
    skill = fight(ATTACKING, against_rival.state)
    step = next(skill)
    while True:
        against_rival.console.perform(step)
        state = against_rival.state
        if state.battle is not None and state.battle.phase is Phase.MOVE_MENU:
            break
        step = skill.send(state)
    again = fight(ATTACKING, against_rival.state)  # as after a resume
    against_rival.carry_out(again)
    assert not against_rival.state.in_battle
