"""What is bought, sold, used and taught: by the tables of Red, and in the demo."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import pytest

from agent.battle.suitable import useful_machines
from agent.capabilities import heal, medicine, repel, shop, train
from agent.capabilities.fighters import AILING, FALLEN, WORN
from agent.capabilities.machines import best_teaching
from agent.capabilities.party_order import best_lead
from agent.capabilities.readiness import readiness
from agent.capabilities.supplies import ShopStock, for_sale, funds, purchases
from agent.planning.domain import Goal, Require
from agent.planning.search import plan
from agent.skills import Outcome, Skill, SkillRun, Skills, Terrain, no_skill, sell, wait
from emulator import Party, PartyMon, State
from emulator.profile import symbol
from emulator.ram.player import Bag, Stack
from tests.agent.capabilities.test_readiness import Red, needs_brock
from tests.agent.capabilities.test_readiness import red as red
from tests.agent.demo import WORLD, free_in, game_context, sensed_facts
from tests.agent.support import Game, game_fixture, state_fixture

FUCHSIA, VERMILION, CERULEAN, LOBBY = 7, 5, 3, 174
POTION, SUPER_POTION, HYPER_POTION, MAX_POTION, FULL_RESTORE = 20, 19, 18, 17, 16
POKE_BALL, GREAT_BALL, ANTIDOTE, PARALYZE_HEAL, REVIVE = 4, 3, 11, 15, 53
MT_MOON, ROUTE_1, REPEL = 59, 12, 30
NUGGET, BUBBLEBEAM, TOXIC, TWINE, BLIZZARD = 49, 211, 206, 29, 214
CAPACITY = 20
LOBBY_SHELF = (2, 3, FULL_RESTORE, MAX_POTION, 52, REVIVE, 57)
STORE, CLERK = 42, 1
BAG, MONEY = symbol("wNumBagItems"), symbol("wPlayerMoney")
FIRST_MON, HP = symbol("wPartyMon1"), 1


def stacks(items: Mapping[int, int]) -> Bag:
    return Bag(tuple(Stack(*each) for each in items.items()))


def moment(
    red: Red, map_id: int, team: Iterable[PartyMon], items: Mapping[int, int], money: int
) -> State:
    there = red.standing_in(map_id, Party(tuple(team)))
    return replace(there, bag=stacks(items), player=replace(there.player, money=money))


def before_the_row(red: Red) -> Red:
    """Return the same with only the last five trainers ahead."""
    story = red.game_context.story
    names = [each.id for each in story.tasks]
    tasks = story.tasks[names.index("beat_lorelei") :]
    return red._replace(game_context=replace(red.game_context, story=replace(story, tasks=tasks)))


def bought(red: Red, state: State, shelf: Iterable[int]) -> dict[int, int]:
    found = purchases(red.game_context, state, frozenset(shelf))
    return {each.item: each.target for each in found}


# Buying


@needs_brock
def test_a_shop_without_the_small_potion_is_visited_for_larger_ones(red: Red) -> None:
    clerks = {each.place: each for each in red.game_context.story.clerks}
    team = red.starter("SQUIRTLE", 30).mons
    stock = ShopStock(red.game_context)
    later = ["vermilion_mart", "lavender_mart", "celadon_mart_2f", "saffron_mart", "fuchsia_mart"]
    for place in (*later, "cinnabar_mart", "indigo_plateau_lobby"):
        shelf = stock.listed(clerks[place])
        assert POTION not in shelf
        found = purchases(red.game_context, moment(red, VERMILION, team, {}, 30_000), shelf)
        larger = {SUPER_POTION, HYPER_POTION, MAX_POTION}
        assert any(each.item in larger and each.runs_short for each in found), place


@needs_brock
def test_the_smallest_potion_that_restores_half_of_the_hp_is_bought(red: Red) -> None:
    shelf = (POTION, SUPER_POTION, HYPER_POTION)
    levels = {level: red.starter("SQUIRTLE", level).mons for level in (8, 35, 80)}
    items = {
        level: next(iter(bought(red, moment(red, CERULEAN, team, {}, 30_000), shelf)))
        for level, team in levels.items()
    }
    assert items == {8: POTION, 35: SUPER_POTION, 80: HYPER_POTION}
    poor = moment(red, CERULEAN, levels[80], {}, 1_700 + 700)
    assert bought(red, poor, shelf)[SUPER_POTION] == 2


@needs_brock
def test_more_is_bought_before_a_row_of_trainers(red: Red) -> None:
    lead, other = red.starter("SQUIRTLE", 60).mons[0], red.starter("CHARMANDER", 50).mons[0]
    rich = moment(red, LOBBY, (lead, other), {MAX_POTION: 5, REVIVE: 2}, 60_000)
    once = bought(red, rich, LOBBY_SHELF)
    row = bought(before_the_row(red), rich, LOBBY_SHELF)
    assert MAX_POTION not in once
    assert row[MAX_POTION] == 12
    assert row[REVIVE] == 4


@needs_brock
def test_a_great_ball_is_a_ball(red: Red) -> None:
    weak = moment(red, FUCHSIA, red.starter("CHARMANDER", 20).mons, {}, 2_000)
    assert GREAT_BALL in bought(red, weak, (GREAT_BALL, 2))
    only_great = [
        each.action
        for each in shop.capability(red.game_context).actions
        if each.action.name == "balls:saffron_mart"
    ]
    assert [each.becomes for each in only_great[0].effects if each.fact == "bag:balls"] == [5]


@needs_brock
def test_the_money_that_the_story_needs_is_kept(red: Red) -> None:
    team = red.starter("SQUIRTLE", 10).mons
    rich = moment(red, CERULEAN, team, {}, 1_000)
    assert funds(red.game_context, rich) == 300  # without a drink and the fee of the reserve
    assert not red.facts(rich)["bag:funds"] >= 2 * 200  # two balls
    assert not bought(red, moment(red, CERULEAN, team, {}, 800), (POTION, POKE_BALL))


@needs_brock
def test_a_clerk_whose_stock_a_script_puts_in_place_sells_what_the_story_says(red: Red) -> None:
    (clerk,) = [each for each in red.game_context.story.clerks if each.place == "viridian_mart"]
    assert ShopStock(red.game_context).listed(clerk) == {4, 11, 12, 15}


# Selling


@needs_brock
def test_what_nothing_uses_is_a_reason_to_go_to_a_shop(red: Red) -> None:
    supplies = {POTION: 9, POKE_BALL: 9, ANTIDOTE: 3}
    team = red.starter("SQUIRTLE", 20).mons
    supplied = "supplied:pewter_mart"
    assert red.facts(moment(red, 2, team, supplies, 3_000))[supplied]
    assert not red.facts(moment(red, 2, team, {**supplies, NUGGET: 1}, 3_000))[supplied]
    assert for_sale(red.game_context, stacks({**supplies, NUGGET: 1})) == [NUGGET]


store = game_fixture(lambda state: free_in(STORE)(state) and state.bag.quantity(POKE_BALL) > 0)


def put_in_bag(game: Game, items: Mapping[int, int]) -> None:
    pairs = [byte for each in items.items() for byte in each]
    found = dict(enumerate((len(items), *pairs, 0xFF), start=BAG))
    game.poke({**found, MONEY: 0, MONEY + 1: 0, MONEY + 2: 0})


def test_whole_stacks_are_sold_and_others_are_kept(store: Game) -> None:
    put_in_bag(store, {POTION: 1, TWINE: 3, ANTIDOTE: 1})
    assert store.carry_out(sell(CLERK, {TWINE}, Terrain(WORLD), store.state)) is Outcome.DONE
    state = store.state
    assert (state.bag, state.player.money) == (stacks({POTION: 1, ANTIDOTE: 1}), 3 * 175)
    assert state.in_control


# Health


@needs_brock
def test_health_is_that_of_the_fighter_and_not_of_the_team(red: Red) -> None:
    lead, other = red.starter("SQUIRTLE", 24).mons[0], red.starter("CHARMANDER", 12).mons[0]
    hurt = replace(lead, hp=lead.hp // 10)
    assert red.facts(moment(red, 2, (hurt, other), {}, 0))["party:hp"] < heal.LOW_HP
    assert red.facts(moment(red, 2, (other, hurt), {}, 0))["party:hp"] < heal.LOW_HP
    worn = replace(other, hp=1)
    assert red.facts(moment(red, 2, (lead, worn), {}, 0))["party:hp"] == 100


outside = state_fixture(free_in(13))
MEDICINE = medicine.capability(game_context())


def with_team(state: State, *mons: PartyMon, items: Mapping[int, int]) -> State:
    return replace(state, party=Party(mons), bag=stacks(items))


def test_potions_count_for_what_they_restore(outside: State) -> None:
    hurt = replace(outside.party[0], hp=2)
    facts = {
        count: sensed_facts(MEDICINE, with_team(outside, hurt, items={POTION: count}))
        for count in (0, 1, 5)
    }
    maximum = hurt.stats.hp
    assert [facts[n][medicine.RESTORES] for n in (0, 1, 5)] == [0, 100 * 22 // maximum, 100]


def test_a_bag_of_potions_saves_the_walk_to_a_healer_before_a_trainer(outside: State) -> None:
    rested = Goal("rested", (Require("party:hp", at_least=80),), 1, "be rested")
    actions = [each.action for each in MEDICINE.actions]
    facts = {"in_control": 1, "party:hp": 50}
    found = plan(rested, {**facts, medicine.RESTORES: 100}, actions)
    assert found is not None
    assert [each.name for each in found.actions] == ["use:potions"]
    assert plan(rested, {**facts, medicine.RESTORES: 70}, actions) is None


def test_potions_are_used_until_the_fighter_is_rested(store: Game) -> None:
    put_in_bag(store, {POTION: 5})
    maximum = store.state.party[0].stats.hp
    store.poke({FIRST_MON + HP: 0, FIRST_MON + HP + 1: 1})
    (use,) = [each for each in MEDICINE.actions if each.action.name == "use:potions"]
    assert store.carry_out(use.begin(store.state)) is Outcome.DONE
    state = store.state
    assert 100 * state.party[0].hp >= 95 * maximum
    assert 0 < state.bag.quantity(POTION) < 5


def test_other_statuses_are_cured_in_the_field(outside: State) -> None:
    mon = outside.party[0]
    numb = replace(mon, status=mon.status._replace(paralyzed=True))
    ailing = {
        item: sensed_facts(MEDICINE, with_team(outside, numb, items={item: 1}))[AILING]
        for item in (PARALYZE_HEAL, ANTIDOTE, 52)
    }
    assert ailing == {PARALYZE_HEAL: 1, ANTIDOTE: 0, 52: 1}


def test_the_fighter_is_revived(outside: State) -> None:
    mon = outside.party[0]
    fainted, other = replace(mon, hp=0), replace(mon, level=mon.level - 2)
    state = with_team(outside, other, fainted, items={REVIVE: 1})
    assert sensed_facts(MEDICINE, state)[FALLEN] == 1
    assert sensed_facts(MEDICINE, replace(state, bag=stacks({})))[FALLEN] == 0


@needs_brock
def test_between_two_trainers_of_a_row_potions_are_used_early(red: Red) -> None:
    mon = red.starter("SQUIRTLE", 50).mons[0]
    in_the_row = before_the_row(red).game_context
    story = in_the_row.story
    after_the_first = replace(in_the_row, story=replace(story, tasks=story.tasks[1:]))
    hurt = moment(red, LOBBY, (replace(mon, hp=mon.hp // 2),), {FULL_RESTORE: 1}, 0)
    facts = [
        sensed_facts(medicine.capability(each), hurt)[WORN]
        for each in (in_the_row, after_the_first)
    ]
    assert facts == [0, 1]


# Repels


@needs_brock
@pytest.mark.parametrize(
    ("map_id", "level", "items", "pays"),
    [
        pytest.param(MT_MOON, 40, {REPEL: 1}, 1, id="in a cave of weak ones"),
        pytest.param(MT_MOON, 40, {}, 0, id="without a repel"),
        pytest.param(MT_MOON, 8, {REPEL: 1}, 0, id="against stronger ones"),
        pytest.param(ROUTE_1, 40, {REPEL: 1}, 0, id="where grass can be avoided"),
    ],
)
def test_a_repel_is_used_where_it_keeps_all_away(
    map_id: int, level: int, items: Mapping[int, int], pays: int, red: Red
) -> None:
    here = moment(red, map_id, red.starter("SQUIRTLE", level).mons, items, 0)
    assert sensed_facts(repel.capability(red.game_context), here)[repel.PAYS] == pays


def test_a_repel_works_on_the_map(store: Game) -> None:
    put_in_bag(store, {REPEL: 1})
    (use,) = repel.capability(game_context()).actions
    assert store.carry_out(use.begin(store.state)) is Outcome.DONE
    assert store.state.ram.byte(repel.STEPS_LEFT) == 100


# Machines


@needs_brock
def test_a_machine_is_used_for_a_better_attack_and_never_for_a_worse_one(red: Red) -> None:
    party = red.starter("SQUIRTLE", 14)
    context = red.game_context

    def taught(item: int, *moves: int) -> int | None:
        slots = tuple(party[0].moves[0]._replace(move=move, pp=20) for move in moves)
        state = moment(red, 2, (replace(party[0], moves=slots),), {item: 1}, 0)
        found = best_teaching(context, state, 0)
        return None if found is None else found.slot

    tackle, tail_whip, bubble, surf, cut = 33, 39, 145, 57, 15
    assert taught(BUBBLEBEAM, tackle, tail_whip, bubble, cut) in {0, 1, 2}
    assert taught(BUBBLEBEAM, tackle, tail_whip) == 2
    assert taught(BUBBLEBEAM, tackle, tail_whip, surf, cut) is None
    assert taught(TOXIC, tackle, tail_whip, bubble, cut) is None


class Noting(Skills):
    """Skills that only note which item is tossed, and of which roaming ends at once."""

    def __init__(self, ends: Outcome = Outcome.DONE) -> None:
        self.tossed: list[int] = []
        self.ends = ends

    def toss(self, item: int, _state: State) -> Skill:
        self.tossed.append(item)
        return no_skill()

    def roam(self, _terrain: Terrain, _state: State) -> Skill:  # type: ignore[override]
        yield wait(1)
        return self.ends


@needs_brock
def test_a_machine_that_the_strongest_can_use_stays_in_a_full_bag(red: Red) -> None:
    dex, strong = red.game_context.dex, red.starter("SQUIRTLE", 40)
    assert BLIZZARD in set(useful_machines(dex, strong))
    assert not set(useful_machines(dex, red.starter("CATERPIE", 5)))
    keys = [number for number, each in dex.all_items.items() if each.key][:CAPACITY]
    noting = Noting()
    (toss,) = shop.bag_space(replace(red.game_context, skills=noting)).actions
    for others in ((NUGGET,), ()):
        held = [BLIZZARD, *others, *keys][:CAPACITY]
        toss.begin(moment(red, LOBBY, strong.mons, dict.fromkeys(held, 1), 0))
    assert noting.tossed == [NUGGET, BLIZZARD]


@needs_brock
def test_before_a_row_of_trainers_who_gains_most_trains_and_not_the_second_strongest(
    red: Red,
) -> None:
    members = (("CATERPIE", 50), ("CHARIZARD", 58), ("LAPRAS", 40))
    team = [red.starter(*each).mons[0] for each in members]
    ahead = moment(red, LOBBY, team, {FULL_RESTORE: 12}, 0)
    assert best_lead(before_the_row(red).game_context, ahead) in (1, 2)


@needs_brock
def test_within_a_row_the_strongest_leads_and_not_who_should_train(red: Red) -> None:
    team = [red.starter(*each).mons[0] for each in (("CATERPIE", 20), ("LAPRAS", 60))]
    story = red.game_context.story
    inside = [each for each in story.tasks if each.id in ("beat_lance", "beat_champion")]
    game = replace(red.game_context, story=replace(story, tasks=tuple(inside)))
    state = moment(red, LOBBY, team, {}, 0)
    assert not readiness(game, state, inside[0]).ready
    assert best_lead(game, state) == 1


@pytest.mark.parametrize("ends", [Outcome.INTERRUPTED, Outcome.DONE])
def test_a_battle_that_training_leads_to_is_training(ends: Outcome, store: Game) -> None:
    game = replace(game_context(), skills=Noting(ends))
    (roam, *_) = (each for each in train.capability(game).actions if "train" in each.action.name)
    run = SkillRun(roam.begin(store.state))
    assert run.resume(store.state) is ends
    assert game.training.is_on is (ends is Outcome.INTERRUPTED)
