"""Getting nowhere is seen by what recurs, and answered by a ladder: think again, leave, go back, give up."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from agent.capabilities.capability import BoundAction, Capability, Reflex, Sensor
from agent.capabilities.unstuck import Inquiry
from agent.errors import Stuck, StuckReason
from agent.mind.mind import Mind
from agent.mind.progress import LOST, PATIENCE, QUIET, ProgressMonitor
from agent.mind.recovery import COOL_DOWN, MOST_RESTORES, EpisodeTold, Ladder, StuckEpisode
from agent.perception.percept import Percept
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, wait
from emulator import State
from emulator.ram.player import Stack
from memory import Call, Hooks, Recall

GO = Action("go", (), (Effect("there", 1),), 3, "go there")
SWIM = Action("swim", (), (Effect("there", 1),), 90, "swim there")
LEAVE = Action("leave_map", (), (), 1, "leave")
ASK = Action("ask_around", (), (), 1, "ask")
THERE = Goal("there", (Require("there", at_least=1),), 10, "be there")


def no_use(_state: State) -> Skill:
    for _ in range(10):
        yield wait(1)
    return Outcome.BLOCKED


def no_effect(_state: State) -> Skill:
    for _ in range(10):
        yield wait(1)
    return Outcome.DONE


def taken_over(_state: State) -> Skill:
    yield wait(1)
    return Outcome.INTERRUPTED


@dataclass
class Swamp:
    """A mind to which nothing new happens until the test lets it."""

    percept: Percept
    go: Callable[[State], Skill] = no_use
    ways: tuple[Action, ...] = (GO,)
    told: list[StuckEpisode] = field(default_factory=list)
    did: list[str] = field(default_factory=list)
    alarm: bool = False
    unheard: int = 0  # people on the map

    def __post_init__(self) -> None:
        self.mind = self.another()

    def another(self) -> Mind:
        def read(_percept: Percept, _recall: Recall) -> Mapping[str, int]:
            return {"there": 0, "in_battle": 0}

        hooks = Hooks()
        hooks.after(EpisodeTold, self._note)
        alarm = Reflex("alarm", lambda _percept: self.alarm, wait(1), "it rings")
        swamp = Capability(
            name="swamp",
            sensors=(Sensor(frozenset({"there", "in_battle"}), read),),
            actions=tuple(BoundAction(way, self.go) for way in self.ways),
            goals=(THERE,),
            reflexes=(alarm,),
        )
        asking = Inquiry(BoundAction(ASK, self._ask), lambda _state: self.unheard > 0)
        ladder = Ladder(ProgressMonitor(), 1, BoundAction(LEAVE, no_use), asking)
        return Mind((swamp,), cast("Recall", None), hooks, ladder)

    def _ask(self, _state: State) -> Skill:
        self.unheard -= 1
        yield wait(1)
        return Outcome.DONE

    def _note(self, _call: Call, told: EpisodeTold) -> None:
        self.told.append(told.episode)

    def tick(self) -> str:
        self.percept = replace(self.percept, tick=self.percept.tick + 1)
        facts = self.mind.sense(self.percept)
        intent = self.mind.decide(self.percept, facts)
        self.mind.learn(intent, facts, intent.course.resume(self.percept.state))
        self.did.append(intent.name)
        return intent.name

    def until(self, name: str, within: int = 5_000) -> None:
        for _ in range(within):
            if self.tick() == name:
                return
        raise AssertionError("it is never done")

    def until_stuck(self, within: int = 8_000) -> Stuck:
        try:
            for _ in range(within):
                self.tick()
        except Stuck as stuck:
            return stuck
        raise AssertionError("it never gets stuck")

    def grow(self) -> None:
        """Let the team rise a level, which nobody had before."""
        self.percept = richer(self.percept, levels=1)

    def kept(self) -> Any:  # noqa: ANN401 -- JSON
        return self.mind.to_json()["ladder"]


def test_what_fails_again_and_again_is_not_offered_for_a_while(percept: Percept) -> None:
    swamp = Swamp(percept, ways=(GO, SWIM))
    swamp.until("swim")
    assert swamp.kept()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value
    swamp.did.clear()
    for _ in range(COOL_DOWN - 20):
        swamp.tick()
    assert set(swamp.did) == {"swim", "wait"} or set(swamp.did) == {"swim"}


@pytest.mark.parametrize(
    ("ways", "unheard", "helps", "rungs"),
    [
        ((GO, SWIM), 0, "swim", ("replan",)),
        ((GO,), 0, "leave_map", ("replan", "leave_map")),
        ((GO,), 2, "ask_around", ("replan", "ask_around")),
        ((GO,), 2, "leave_map", ("replan", "ask_around", "leave_map")),
    ],
)
def test_each_step_is_taken_in_its_turn_and_told_as_what_helped(
    percept: Percept, ways: tuple[Action, ...], unheard: int, helps: str, rungs: tuple[str, ...]
) -> None:
    swamp = Swamp(percept, ways=ways, unheard=unheard)
    swamp.until(helps)
    swamp.grow()
    swamp.tick()
    (episode,) = swamp.told
    assert (episode.solved_by, episode.over, episode.rungs) == (rungs[-1], True, rungs)
    assert episode.tried[0] == "go"
    assert swamp.did.count("ask_around") <= unheard
    assert helps != "leave_map" or swamp.did.count("ask_around") == unheard
    assert swamp.kept()["episode"] is None


@pytest.mark.parametrize("go", [taken_over, no_effect])
def test_what_the_game_takes_over_from_or_has_no_effect_is_noticed_as_a_failure(
    percept: Percept, go: Callable[[State], Skill]
) -> None:
    swamp = Swamp(percept, go=go)
    swamp.until("leave_map")
    assert swamp.kept()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value


def test_a_deed_that_a_reflex_keeps_dropping_is_noticed(percept: Percept) -> None:
    swamp = Swamp(percept)
    for _ in range(60):
        swamp.alarm = False
        for _ in range(5):
            swamp.tick()
        swamp.alarm = True
        swamp.tick()
        if swamp.kept()["episode"] is not None:
            break
    assert swamp.kept()["episode"]["reason"] == StuckReason.REFLEX_LOOP.value
    assert swamp.kept()["cooling"].keys() == {"go"}


def test_what_nothing_helps_against_asks_for_a_restore(percept: Percept) -> None:
    stuck = Swamp(percept).until_stuck()
    assert (stuck.may_restore, stuck.reason) == (True, StuckReason.REPEATED_FAILURE)
    assert "go there" in stuck.last or "leave" in stuck.last
    assert stuck.where.startswith(f"map {percept.place.map_id} ")


def test_a_restore_keeps_cool_downs_and_waits_otherwise(percept: Percept) -> None:
    swamp = Swamp(percept)
    before = swamp.mind.to_json()
    swamp.until_stuck()
    died = swamp.mind.to_json()
    swamp.mind = swamp.another()
    swamp.mind.restore(before)
    swamp.mind.come_back(died, 10)
    swamp.percept = replace(swamp.percept, tick=10)
    kept = swamp.kept()
    assert kept["restores"] == 1
    assert kept["cooling"].keys() == {"go"}
    assert all(10 < until < 1_000 for until in kept["cooling"].values())
    assert kept["pause"] > 0
    assert swamp.tick() == "wait"
    assert swamp.kept()["pause"] == 0
    (told,) = swamp.told  # the branch that died
    assert (told.over, told.solved_by, told.rungs[-1]) == (False, None, "restore")


def test_it_ends_in_giving_up(percept: Percept) -> None:
    swamp = Swamp(percept)
    before = swamp.mind.to_json()
    lives = 0
    while (stuck := swamp.until_stuck()).may_restore:
        lives += 1
        died = swamp.mind.to_json()
        swamp.mind = swamp.another()
        swamp.mind.restore(before)
        swamp.mind.come_back(died, 0)
        swamp.percept = replace(swamp.percept, tick=0)
    assert 0 < lives <= MOST_RESTORES
    assert swamp.told[-1].rungs[-1] == "give_up"
    assert swamp.told[-1].over
    assert not stuck.may_restore


def test_an_episode_survives_a_checkpoint(percept: Percept) -> None:
    swamp = Swamp(percept, ways=(GO, SWIM))
    swamp.until("swim")
    again = swamp.another()
    again.restore(swamp.mind.to_json())
    assert again.to_json() == swamp.mind.to_json()


POTION = 20


def at(percept: Percept, map_id: int, x: int) -> Percept:
    state = percept.state
    there = replace(state.map, map_id=map_id, x=x, y=1)
    return replace(percept, state=replace(state, map=there))


def richer(percept: Percept, *, exp: int = 0, levels: int = 0) -> Percept:
    first, *others = percept.state.party.mons
    grown = replace(first, exp=first.exp + exp, level=first.level + levels)
    party = replace(percept.state.party, mons=(grown, *others))
    return replace(percept, state=replace(percept.state, party=party))


def ticks_to_verdict(progress: ProgressMonitor, moments: Iterator[Percept]) -> int:
    for tick, moment in enumerate(moments):
        progress.saw(moment)
        if progress.verdict is not None:
            return tick
        if tick > 2 * PATIENCE:
            break
    raise AssertionError("no verdict")


def test_nothing_new_is_noticed_after_patience(percept: Percept) -> None:
    progress = ProgressMonitor()
    ticks = ticks_to_verdict(progress, iter(lambda: percept, None))
    assert (progress.verdict, ticks) == (StuckReason.NO_NOVELTY, PATIENCE + 1)


def walk_between(*moments: Percept) -> Iterator[Percept]:
    while True:
        for each in moments:
            yield from [each] * 10


@pytest.mark.parametrize(
    ("places", "words", "reason", "within"),
    [
        (((1, 1), (2, 1)), ("",), StuckReason.OSCILLATION, 2 * QUIET),
        (((1, 1), (1, 2), (1, 3)), ("",), StuckReason.OSCILLATION, PATIENCE),
        (((1, 1),), ("HELLO.", "NICE DAY.", ""), StuckReason.REPEATED_DIALOGUE, PATIENCE),
    ],
    ids=["between two maps", "in a ring of squares", "the same words"],
)
def test_the_same_again_and_again_is_noticed(
    percept: Percept,
    places: tuple[tuple[int, int], ...],
    words: tuple[str, ...],
    reason: StuckReason,
    within: int,
) -> None:
    progress = ProgressMonitor()
    moments = [replace(at(percept, *place), text=text) for place in places for text in words]
    assert ticks_to_verdict(progress, walk_between(*moments)) < within
    assert progress.verdict is reason


def test_training_up_and_down_is_progress_while_experience_grows(percept: Percept) -> None:
    progress = ProgressMonitor()
    there, back = at(percept, 1, 1), at(percept, 1, 2)
    for lap in range(400):
        for moment in (there, back):
            for _ in range(10):
                progress.saw(richer(moment, exp=lap // 5))
                assert progress.verdict is None


def test_coming_back_to_what_one_had_is_no_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    rich = richer(percept, exp=5)
    ticks_to_verdict(progress, walk_between(percept, rich))
    assert progress.verdict is StuckReason.NO_NOVELTY


def test_exploring_is_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    for square in range(3 * PATIENCE):
        progress.saw(at(percept, square // 200, square % 200))
        assert progress.verdict is None


@pytest.mark.parametrize("is_growing", [False, True])
def test_what_fails_every_time_is_noticed_even_where_something_new_happens_now_and_then(
    percept: Percept, *, is_growing: bool
) -> None:
    progress = ProgressMonitor()

    def failing() -> Iterator[Percept]:
        for exp in range(1_000):
            yield from [richer(percept, exp=exp * is_growing)] * 40
            progress.failed("go")

    ticks = ticks_to_verdict(progress, failing())
    assert is_growing or ticks < PATIENCE
    assert progress.verdict is StuckReason.REPEATED_FAILURE
    assert progress.culprits == ("go",)


def test_a_gain_gives_every_action_another_chance(percept: Percept) -> None:
    progress = ProgressMonitor()
    for level in range(100):
        for _ in range(5):
            progress.saw(richer(percept, levels=level))
            progress.failed("go")
        assert progress.verdict is None


def gains_after(died: Percept, other: Percept) -> bool:
    """Whether `other` is a gain on a branch that began anew where another had come as far as `died`."""
    dead, progress = ProgressMonitor(), ProgressMonitor()
    dead.saw(died)
    progress.come_back(dead.to_json())
    return progress.saw(other)


def owning(percept: Percept, *team: tuple[int, int], potions: int) -> Percept:
    """The same moment with a team of such species and levels, and so many potions."""
    state = percept.state
    first = state.party.mons[0]
    mons = tuple(replace(first, species=species, level=level) for species, level in team)
    bag = replace(state.bag, items=(Stack(POTION, potions),))
    return replace(percept, state=replace(state, party=replace(state.party, mons=mons), bag=bag))


@pytest.mark.parametrize(
    ("team", "potions", "is_gain"),
    [
        (((1, 12), (2, 4)), 5, False),
        (((1, 12), (2, 4)), 3, False),
        (((3, 4), (1, 11)), 5, False),
        (((1, 13), (2, 4)), 5, True),
        (((1, 12), (2, 5)), 5, True),
        (((1, 12), (2, 4), (3, 2)), 5, True),
        (((1, 12), (2, 4)), 6, True),
    ],
    ids=["the same", "drunk up", "another catch", "a level", "of the other", "a third", "a potion"],
)
def test_only_what_goes_beyond_a_dead_branch_is_a_gain(
    percept: Percept, team: tuple[tuple[int, int], ...], potions: int, *, is_gain: bool
) -> None:
    died = owning(percept, (1, 12), (2, 4), potions=5)
    assert gains_after(died, owning(percept, *team, potions=potions)) is is_gain


def test_a_deed_that_a_reflex_drops_at_the_same_place_is_a_reflex_loop(percept: Percept) -> None:
    progress = ProgressMonitor()

    def dropped() -> Iterator[Percept]:
        while True:
            progress.begun("go")
            yield from [percept] * 30
            progress.dropped("go", "text")

    assert ticks_to_verdict(progress, dropped()) < PATIENCE
    assert progress.verdict is StuckReason.REFLEX_LOOP
    assert progress.culprits == ("go",)


def test_no_way_to_any_goal_is_noticed_before_patience_ends(percept: Percept) -> None:
    progress = ProgressMonitor()

    def lost() -> Iterator[Percept]:
        while True:
            yield percept
            progress.at_a_loss()

    assert ticks_to_verdict(progress, lost()) <= LOST + 2
    assert progress.verdict is StuckReason.NO_PLAN


def test_what_a_checkpoint_keeps_goes_on_alike(percept: Percept) -> None:
    one, walk = (ProgressMonitor(), walk_between(at(percept, 1, 1), at(percept, 2, 1)))
    for _ in range(100):
        one.saw(next(walk))
        one.begun("go")
        one.failed("go")
    other = ProgressMonitor()
    other.restore(one.to_json())
    assert other.to_json() == one.to_json()
    for _ in range(200):
        moment = next(walk)
        one.saw(moment)
        other.saw(moment)
        assert one.verdict == other.verdict
    assert one.verdict is not None
