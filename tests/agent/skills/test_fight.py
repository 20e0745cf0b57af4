"""Battles on the cartridge: orders become presses, and every question between turns is answered."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.battle.policy import BattlePolicy
from agent.skills import Attack, Flee, Order, Outcome, Switch, Throw, UseItem, fight, wait
from agent.skills.menu import ANSWERED
from emulator import BattleResult, Button, Phase, Step, Volatile
from emulator.ram.player import Bag, Stack
from tests.agent.demo import DEX, asking, at_the_menu, enemy_of, own_of
from tests.agent.ring import FAST_AND_SHIFT, Fighter, Ring, Script, species_of
from tests.agent.support import Game, Played, game_at


@pytest.fixture
def against_rival(played: Played) -> Iterator[Game]:
    """The first turn of the first battle."""
    with game_at(played.folder, at_the_menu) as game:
        yield game


@pytest.mark.parametrize("slot", [0, 1])
def test_the_ordered_move_is_used(against_rival: Game, slot: int) -> None:
    move = own_of(against_rival.state).moves[slot].move
    skill = fight(Script((Attack(slot),)), against_rival.state)
    step = next(skill)
    for _ in range(60):
        against_rival.console.perform(step)
        battle = against_rival.state.battle
        if battle is not None and battle.own_move is not None:
            assert battle.own_move == move
            return
        step = skill.send(against_rival.state)
    pytest.fail("no move was used")


def test_a_battle_is_fought_to_its_end(against_rival: Game) -> None:
    outcome = against_rival.carry_out(fight(Script(), against_rival.state))
    assert not against_rival.state.in_battle
    result = against_rival.state.battle_result
    assert (outcome, result) in (
        (Outcome.DONE, BattleResult.WON),
        (Outcome.INTERRUPTED, BattleResult.LOST),
    )


def test_running_from_a_trainer_is_refused_and_the_battle_goes_on(against_rival: Game) -> None:
    commander = Script((Flee(), Attack(0)))
    against_rival.carry_out(fight(commander, against_rival.state))
    assert len(commander.seen) > 2
    assert against_rival.state.battle_result is not BattleResult.LEFT


def test_a_fifth_move_is_refused(against_rival: Game) -> None:
    # The game asks whether to forget a move, then whether to give up the new one, and starts over after a no.
    forget = asking(against_rival.state, Phase.YES_NO, "make room for BITE?")
    do_without = asking(against_rival.state, Phase.YES_NO, "no more BITE?")
    skill = fight(Script(), forget)
    assert next(skill).button is Button.B
    assert skill.send(forget).button is Button.B  # the press was missed
    assert skill.send(do_without).button is Button.A
    # The answered question stays for a while before it counts as not answered.
    assert [skill.send(do_without).button for _ in range(ANSWERED)] == [None] * ANSWERED
    assert skill.send(do_without).button is Button.A


@pytest.mark.parametrize("order", [Attack(0), UseItem(20, 0)])
def test_nothing_is_pressed_until_the_chosen_list_is_open(
    against_rival: Game, order: Order
) -> None:
    bag = Bag((Stack(20, 1),))
    state = replace(against_rival.state, bag=bag)
    skill = fight(Script((order,)), state)
    step = next(skill)
    while step.button is not Button.A:  # the cursor goes to the entry
        against_rival.console.perform(step)
        step = skill.send(replace(against_rival.state, bag=bag))
    busy = asking(state, Phase.BUSY)
    assert [skill.send(busy).button for _ in range(25)] == [None] * 25


def test_a_dex_page_and_a_list_of_moves_to_copy_are_left(against_rival: Game) -> None:
    for phase, button in ((Phase.DEX_PAGE, Button.B), (Phase.COPY_MOVE, Button.A)):
        skill = fight(Script(), asking(against_rival.state, phase))
        assert next(skill).button is button


def test_a_battle_resumed_at_the_second_move_question_ends(against_rival: Game) -> None:
    """As after a resume: the game repeats both questions until the first gets a no and the second a yes."""
    questions = {
        words: asking(against_rival.state, Phase.YES_NO, words)
        for words in ("make room for BITE?", "no more BITE?")
    }
    text = asking(against_rival.state, Phase.TEXT, "")
    answers: list[tuple[str, bool]] = []
    skill, asked = fight(Script(), text), "no more BITE?"
    next(skill)
    while answers[-2:] != [("make room for BITE?", False), ("no more BITE?", True)]:
        answers.append((asked, skill.send(questions[asked]).button is Button.A))
        skill.send(text)
        assert len(answers) < 12
        # After a yes without a chosen move the game asks whether to give up the new move.
        asked = (
            "make room for BITE?" if answers[-1] == ("no more BITE?", False) else "no more BITE?"
        )


def test_nothing_is_pressed_while_a_mon_evolves(against_rival: Game) -> None:
    evolving = asking(against_rival.state, Phase.EVOLVING, "it evolves")
    skill = fight(Script(), evolving)
    steps = [next(skill), skill.send(evolving), skill.send(evolving)]
    assert steps == [Step(None, 0, 48)] * 3


def test_nothing_is_pressed_between_texts_after_a_faint(against_rival: Game) -> None:
    """The next box may be a question, which B would answer no."""
    busy = asking(against_rival.state, Phase.BUSY, "")
    assert busy.battle is not None
    enemy = replace(enemy_of(busy), hp=0)
    fallen = replace(busy, battle=replace(busy.battle, enemy=enemy))
    assert next(fight(Script(), fallen)).button is None
    assert next(fight(Script(), busy)).button is Button.B


MASTER_BALL, POKE_BALL, POTION, AWAKENING = 1, 4, 20, 14
SLEEP = 3
SLOW = 0x45  # of wOptions: slow text
MATES = [Fighter(name, 5) for name in ("PLIPPET", "MOPPLE", "NIBBIT", "WRENKIN", "SPORKLE")]


def test_an_item_is_used_on_the_active_mon(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12, hp=9), bag=[(POKE_BALL, 1), (POTION, 2)])
    ring.arm("PONDER")
    commander = Script((UseItem(POTION, 0), Attack(0)))
    ring.fight(commander)
    healed = commander.seen[1]
    assert healed.bag.quantity(POTION) == 1
    assert own_of(healed).hp == 29
    assert not commander.tried[1].refused


def test_an_item_is_used_on_a_bench_mon(ring: Ring) -> None:
    ring.enter(
        Fighter("TOASTNUT", 12), Fighter("PLIPPET", 8, hp=3, status=SLEEP), bag=[(AWAKENING, 1)]
    )
    commander = Script((UseItem(AWAKENING, 1), Attack(0)))
    ring.fight(commander)
    assert commander.seen[1].party[1].status.sleep == 0
    assert commander.seen[1].bag.quantity(AWAKENING) == 0


@pytest.mark.parametrize("frames", range(1, 40, 9))
def test_a_press_for_text_never_answers_a_question(ring: Ring, frames: int) -> None:
    """The result does not depend on the timing of prints and presses."""
    ring.enter(Fighter("TOASTNUT", 6, FOUR_MOVES, short_of=1), options=SLOW)
    ring.weaken()
    ring.game.console.perform(wait(frames))
    assert ring.fight(Script(forgotten=1)) == [(Phase.YES_NO, "a")]
    assert "GLOWER" not in ring.moves_known()


def test_an_item_without_effect_is_refused_and_the_battle_goes_on(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), bag=[(POTION, 1)])
    ring.arm("PONDER")
    commander = Script((UseItem(POTION, 0), Attack(0)))
    ring.fight(commander)
    assert UseItem(POTION, 0) in commander.tried[1].refused
    assert ring.state.bag.quantity(POTION) == 1
    assert ring.state.battle_result is BattleResult.WON


def test_a_caught_mon_joins_the_team_without_a_nickname(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), wild=("FIZZWIG", 4), bag=[(MASTER_BALL, 1)])
    asked = ring.fight(Script((Throw(MASTER_BALL),)))
    assert asked == [(Phase.YES_NO, "b")]
    assert [mon.species for mon in ring.state.party.mons][1:] == [species_of("FIZZWIG")]
    assert ring.state.party[1].nickname == "FIZZWIG"


def test_with_a_full_team_a_caught_mon_goes_to_the_box(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12), *MATES, wild=("FIZZWIG", 4), bag=[(MASTER_BALL, 1)])
    ring.poke("wBoxCount", [0, 0xFF])
    ring.fight(Script((Throw(MASTER_BALL),)))
    assert len(ring.state.party) == 6
    assert not ring.state.in_battle


FOUR_MOVES = ("SURE POKE", "GLOWER", "NIBBLE", "PINCH")


@pytest.mark.parametrize("slot", [0, 2, 3, None])
def test_the_move_that_the_commander_chooses_is_replaced_by_a_fifth(
    ring: Ring, slot: int | None
) -> None:
    lesson = DEX.species(3).level_up_moves[0]
    ring.enter(Fighter("TOASTNUT", lesson.level - 1, FOUR_MOVES, short_of=1))
    ring.weaken()
    asked, known = ring.fight(Script(forgotten=slot)), list(FOUR_MOVES)
    if slot is None:
        assert asked == [(Phase.YES_NO, "b"), (Phase.YES_NO, "a")]
    else:
        assert asked == [(Phase.YES_NO, "a")]
        known[slot] = DEX.move(lesson.move).name
    assert ring.moves_known() == known


def test_an_evolution_is_not_stopped(ring: Ring) -> None:
    evolution = DEX.species(33).evolutions[0]
    ring.enter(Fighter("NIBBIT", evolution.level - 1, ("SURE POKE",), short_of=1))
    ring.weaken()
    ring.fight(Script())
    assert ring.state.party[0].species == species_of("GNAWBERT")


@pytest.mark.parametrize(("on", "button"), [(True, "a"), (False, "b")])
def test_the_commander_may_send_another_mon(ring: Ring, *, on: bool, button: str) -> None:
    ring.enter(Fighter("TOASTNUT", 5, hp=1), Fighter("PLIPPET", 20, ("SURE POKE",)))
    ring.arm("SURE POKE")
    ring.poke("wBattleMon", [0, 1], 21)  # slow
    asked = ring.fight(Script(place=1, on=on))
    assert asked[0] == (Phase.NEXT_MON, button)
    assert not ring.state.in_battle


@pytest.mark.parametrize("other", [1, None])
def test_the_commander_may_switch_before_the_next_enemy(ring: Ring, other: int | None) -> None:
    ring.enter(
        Fighter("TOASTNUT", 12, ("SURE POKE",)),
        Fighter("PLIPPET", 30, ("SURE POKE",)),
        trainer=(1, 1),
        options=FAST_AND_SHIFT,
    )
    ring.weaken()
    commander = Script(other=other)
    asked = ring.fight(commander)
    assert asked[0] == (Phase.CHANGE_MON, "b" if other is None else "a")
    assert own_of(commander.seen[1]).position == (other or 0)
    assert ring.state.battle_result is BattleResult.WON


def test_a_trapped_mon_passes_turns_without_a_move_menu(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 30, ("SURE POKE",)), wild=("PEBBLIN", 20))
    ring.arm("TANGLE")
    ring.poke("wBattleMon", [0, 1], 21)  # slow
    commander = Script()
    ring.fight(commander)
    assert any(Volatile.TRAPPING in enemy_of(state).volatile for state in commander.seen)
    assert not any(tried.refused for tried in commander.tried)


@pytest.mark.parametrize(
    ("move", "status"),
    [
        ("SURE POKE", SLEEP),  # passes its turns without a menu of moves
        *((each, 0) for each in ("SLOW BLOOM", "BURROW", "ALL AT ONCE", "TANTRUM", "TANGLE")),
    ],
)
def test_sleep_and_moves_of_several_turns_are_carried_through(
    ring: Ring, move: str, status: int
) -> None:
    ring.enter(Fighter("TOASTNUT", 12, (move,), status=status), wild=("PEBBLIN", 12))
    ring.arm("PONDER")
    commander = Script()
    ring.fight(commander)
    assert not any(tried.refused for tried in commander.tried)
    assert ring.state.battle_result is BattleResult.WON


def test_a_disabled_move_is_not_pressed(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12, ("SURE POKE", "PINCH")), wild=("PEBBLIN", 8))
    ring.arm("PONDER")
    ring.poke("wPlayerNumAttacksLeft", [0x15], 3)
    commander = Script()
    ring.fight(commander)
    assert ring.state.battle_result is BattleResult.WON
    first = ring.state.party[0].moves[1]
    assert first.pp < DEX.move(first.move).pp


def test_without_pp_the_game_uses_struggle(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12, ("SURE POKE",)))
    ring.arm("PONDER")
    ring.poke("wBattleMon", [0], 25)
    ring.fight(Script())
    assert ring.state.battle_result is BattleResult.WON


def test_a_healing_trainer_is_beaten(ring: Ring) -> None:
    # At this level the odds are clear: by the turn engine 199 of 200 such battles are won.
    ring.enter(Fighter("PLIPPET", 30, ("SURE POKE", "NAP PUFF")), trainer=(34, 1))
    ring.weaken(5)
    ring.fight(BattlePolicy(DEX))
    assert ring.state.battle_result is BattleResult.WON


def test_a_switch_to_a_fainted_mon_is_ignored_and_the_battle_goes_on(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 12, ("SURE POKE",)), Fighter("PLIPPET", 5, hp=0))
    ring.fight(Script((Switch(1), Attack(0))))
    assert ring.state.battle_result is BattleResult.WON


def test_a_trapped_mon_can_be_switched(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 14), Fighter("PLIPPET", 14), wild=("PEBBLIN", 12))
    ring.arm("TANGLE")
    ring.poke("wBattleMon", [0, 1], 21)
    commander = Script((Attack(0), Switch(1), Attack(0)))
    ring.fight(commander)
    assert own_of(commander.seen[2]).position == 1


def test_running_from_a_wild_mon_is_repeated_until_it_works(ring: Ring) -> None:
    ring.enter(Fighter("TOASTNUT", 30), wild=("PEBBLIN", 12))
    ring.arm("PONDER")
    ring.poke("wBattleMon", [0, 1], 21)  # too slow to get away at once
    commander, before = Script((Flee(),)), ring.state.party
    ring.fight(commander)
    assert len(commander.seen) > 1
    assert ring.state.battle_result is BattleResult.LEFT
    assert ring.state.party[0].exp == before[0].exp
