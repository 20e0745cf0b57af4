"""Who gets nowhere climbs the ladder: think again, leave the map, go back, give up; and each time is told."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from agent.capabilities import BoundAction, Capability, Inquiry, Reflex, Sensor
from agent.errors import Stuck, StuckReason
from agent.mind import Ladder, Mind, ProgressMonitor, StuckEpisode
from agent.mind.recovery import COOL_DOWN, MOST_RESTORES
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Outcome, Skill, wait
from emulator import State
from memory import Call, Hooks, Recall
from tests.agent.support import Played, game_at

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
        hooks.after("Mind.post_mortem", self._note)
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

    def _note(self, _call: Call, episode: StuckEpisode) -> None:
        self.told.append(episode)

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
        state = self.percept.state
        first, *others = state.party.mons
        party = replace(state.party, mons=(replace(first, level=first.level + 1), *others))
        self.percept = replace(self.percept, state=replace(state, party=party))

    def kept(self) -> Any:  # noqa: ANN401 -- JSON
        return self.mind.to_json()["ladder"]


@pytest.fixture(scope="module")
def percept(played: Played) -> Iterator[Percept]:
    def has_a_team(state: State) -> bool:
        return state.in_control and len(state.party) > 0

    with game_at(played.folder, has_a_team) as game:
        yield Percept(0, game.state, "", 1.0, (), None, None)


def test_what_fails_again_and_again_is_not_offered_for_a_while(percept: Percept) -> None:
    swamp = Swamp(percept, ways=(GO, SWIM))
    swamp.until("swim")
    assert swamp.kept()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value
    swamp.did.clear()
    for _ in range(COOL_DOWN - 20):
        swamp.tick()
    assert set(swamp.did) == {"swim", "wait"} or set(swamp.did) == {"swim"}


def test_thinking_again_is_told_as_what_helped(percept: Percept) -> None:
    swamp = Swamp(percept, ways=(GO, SWIM))
    swamp.until("swim")
    swamp.grow()
    swamp.tick()
    (episode,) = swamp.told
    assert (episode.solved_by, episode.over) == ("replan", True)
    assert episode.tried == ("go",)
    assert swamp.kept()["episode"] is None


def test_when_that_does_not_help_the_map_is_left(percept: Percept) -> None:
    swamp = Swamp(percept)
    swamp.until("leave_map")
    assert swamp.kept()["episode"]["rungs"] == ["replan", "leave_map"]
    swamp.grow()
    swamp.tick()
    assert swamp.told[0].solved_by == "leave_map"


def test_before_the_map_is_left_each_who_was_not_heard_is_asked(percept: Percept) -> None:
    swamp = Swamp(percept, unheard=2)
    swamp.until("leave_map")
    assert swamp.kept()["episode"]["rungs"] == ["replan", "ask_around", "leave_map"]
    assert swamp.did.count("ask_around") == 2


def test_what_somebody_gave_is_told_as_what_helped(percept: Percept) -> None:
    swamp = Swamp(percept, unheard=1)
    swamp.until("ask_around")
    swamp.grow()
    swamp.tick()
    assert swamp.told[0].solved_by == "ask_around"


def test_a_deed_that_the_game_keeps_taking_over_from_is_noticed(percept: Percept) -> None:
    swamp = Swamp(percept, go=taken_over)
    swamp.until("leave_map")
    assert swamp.kept()["episode"]["reason"] == StuckReason.REPEATED_FAILURE.value


def test_a_talk_without_effect_is_noticed_as_a_failure(percept: Percept) -> None:
    swamp = Swamp(percept, go=no_effect)
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
