"""Memory producers of the loop: hooks that make entries of states, places, goals, battles and milestones.

The hooked code itself calls no store.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from agent.capabilities.context import StockSeen, TalkEnded
from agent.experience.choices import GameChoices
from agent.experience.uses import Experience, found
from agent.loop import Loop, Performed
from agent.mind.intent import ActiveGoal, Intent
from agent.mind.mind import Mind
from agent.perception.percept import Percept
from agent.planning.search import Plan
from agent.record.battles import BattleWatch
from agent.record.game_names import AGENT, GameNames, game_seconds
from agent.skills import Outcome
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from emulator import Party, ScreenType, State
from emulator.dex import TMS
from emulator.world import FIRST_INDOOR_MAP
from memory import (
    BLACKOUT,
    MILESTONE_TIME,
    Call,
    Json,
    Produced,
    Producers,
    SessionObjective,
    as_json,
    scope_name,
)
from memory.tiers import (
    TEAM,
    LocationVisited,
    ResourceSnapshot,
    SensoryInput,
    StrategistMemory,
    TickState,
)

STATES_LAST_S: Final = 30.0  # long enough to pass many entries on at once
AVAILABLE: Final[dict[ScreenType, tuple[str, ...]]] = {
    ScreenType.TITLE: ("start",),
    ScreenType.OVERWORLD: ("up", "down", "left", "right", "a", "start"),
    ScreenType.DIALOGUE: ("a", "b"),
    ScreenType.MENU: ("up", "down", "a", "b"),
    ScreenType.BATTLE: ("up", "down", "left", "right", "a", "b"),
}
OUTSIDE: Final = 0xFF  # the destination of a door that leads to where the player came from


@dataclass(frozen=True, slots=True)
class PlayProducers:
    """The extractors of play: each returns the entry for a call and its result, or None, or tells the strategist."""

    game: GameNames
    strategist: StrategistMemory
    battles: BattleWatch
    choices: GameChoices
    experience: Experience  # it counts the decisions that each use of memory has changed
    run: str  # in the data of each milestone, so that equal data of two runs stay apart

    def register(self, producers: Producers) -> None:
        """Watch the loop: states go to sensory, and changes to short-term memory."""
        sensory, stm = (scope_name(AGENT, each) for each in ("sensory", "stm"))
        watch = producers.register
        watch(Loop.perceive, self.tick_state, scope=sensory, kind="tick_state", ttl_s=STATES_LAST_S)
        watch(Loop.perceive, self.sensory_input, scope=sensory, kind="sensory_input")
        watch(Loop.perceive, self.disagreements, scope=stm, kind="disagreement")
        for changing in (Mind.pursue, Mind.reach):
            watch(changing, self.team, scope=stm, kind=TEAM)
            watch(changing, self.blackouts, scope=stm, kind=BLACKOUT)
        watch(MilestoneLedger.observe, self.milestone_times, scope=stm, kind=MILESTONE_TIME)
        for pointcut, report in (
            (Loop.perceive, self.entered_place),
            (Loop.perceive, partial(self.battles.record, self.strategist)),
            (Loop.perform, self.objective_step),
            (Loop.perform, self.used_place),
            (Mind.pursue, self.objective),
            (Mind.reach, self.objective_reached),
            (TalkEnded, self.talked),
            (StockSeen, self.shop),
        ):
            producers.watch(pointcut, report)

    def tick_state(self, call: Call, percept: Percept) -> Produced:
        """The state in which a decision is made."""
        state = percept.state
        tick_state = TickState(
            tick=percept.tick,
            timestamp=game_seconds(state),
            location=self._place_of(state),
            is_battle=state.in_battle,
            party_hp_percent=_hp_percent(state.party),
            money=state.player.money,
            badges=tuple(str(badge) for badge in state.player.badges),
            screen_type=state.screen_type.value,
            active_goal=call.instance.mind.goal,
        )
        return _produced(tick_state, percept.tick, state)

    def sensory_input(self, _call: Call, percept: Percept) -> Produced:
        """The labels of the screen, the text read from its pixels and at which tick, and beside it the tile map's text."""
        state = percept.state
        enemy = state.battle.enemy if state.battle is not None else None
        seen = SensoryInput(
            vision_labels=(percept.reading.label,) if percept.reading else (),
            ocr_text=percept.pixel_text,
            ocr_confidence=percept.confidence,
            screen_type=state.screen_type.value,
            enemy_pokemon=enemy.nickname if enemy else None,
            player_hp_percent=_hp_percent(state.party),
            enemy_hp_percent=100.0 * enemy.hp / enemy.max_hp if enemy else None,
            available_actions=AVAILABLE.get(state.screen_type, ()),
        )
        read_at, text = percept.read_at, percept.text
        return _produced(seen, percept.tick, state, ocr_tick=read_at, tile_text=text)

    def disagreements(self, _call: Call, percept: Percept) -> list[Produced]:
        """The differences between the screen and work RAM."""
        tick, at = percept.tick, game_seconds(percept.state)
        found = percept.disagreements
        return [Produced({"between": words}, tick, at, importance=2) for words in found]

    def blackouts(self, call: Call, _active_goal: ActiveGoal) -> list[Produced]:
        """The defeats that cost money since the last change of goal."""
        percept: Percept = call.args[1]
        at = game_seconds(percept.state)
        blackouts = [{"run": self.run, **each} for each in self.battles.take_blackouts()]
        return [Produced(each, percept.tick, at, importance=9) for each in blackouts]

    def milestone_times(self, call: Call, reached: tuple[ReachedMilestone, ...]) -> list[Produced]:
        """The reached milestones, each with the choices, battles, team, bag and items picked up until then."""
        if not reached:
            return []
        percept: Percept = call.args[0]
        at, fought, name_of = game_seconds(percept.state), self.battles, self.game.dex.item_name
        picked_up = found(self.game.world, percept.state)
        milestone_time: dict[str, Json] = {
            "run": self.run,
            "choices": dict(self.choices.decisive()),
            "place": self._place_of(percept.state),
            "money": percept.state.player.money,
            "team": self._team(percept.state),
            "battles": fought.battles,
            "turns": fought.turns,
            "lost": fought.lost,
            "left": {name_of(item): quantity for item, quantity in percept.state.bag.items},
            "found": {name_of(item): n for item, n in picked_up.items()},
            "moved": {str(use): n for use, n in self.experience.moved.items()},
        }
        return [
            Produced(
                {**milestone_time, "milestone": each.id, "tick": each.tick},
                each.tick,
                at,
                importance=8,
            )
            for each in reached
        ]

    def entered_place(self, _call: Call, percept: Percept) -> None:
        """The place that the player has just entered, its doors, and money and items there."""
        before, here = percept.came_from, percept.state.map.map_id
        if before == here or not percept.state.in_control:
            return
        called, header = self.game.story.called, self.game.world.map(here).header
        beyond = {each.map_id for each in header.warps}
        beyond.update(each.map_id for each in header.connections)
        areas = tuple(map(called, sorted(beyond - {OUTSIDE, here})))
        came_from: tuple[str, ...] = ()
        if before is not None:
            came_from = (called(before),)
            self._place(percept.tick, before, explored_areas=(called(here),))
        self._place(
            percept.tick, here, visit_count=1, explored_areas=came_from, unexplored_areas=areas
        )
        self._resources(percept)

    def used_place(self, call: Call, performed: Performed) -> None:
        """A place where the team was healed, or where an item lay."""
        intent: Intent = call.args[0]
        if performed.outcome is not Outcome.DONE:
            return
        points: tuple[str, ...] = ()
        if intent.name.startswith("heal:"):
            points = ("heals the team",)
        elif intent.name == "pick_up":
            had = dict(intent.began.bag.items)
            now = [item for item, count in performed.state.bag.items if count > had.get(item, 0)]
            points = tuple(f"{self.game.dex.item_name(each)} lay here" for each in now)
        if points:
            here = intent.began.map.map_id
            self._place(call.instance.tick, here, points_of_interest=points)

    def talked(self, _call: Call, ended: TalkEnded) -> None:
        """A person that was talked to."""
        here = ended.state.map.map_id
        self._place(None, here, npcs_interacted=(self.game.person(here, ended.slot),))

    def shop(self, _call: Call, seen: StockSeen) -> None:
        """A place where things are sold."""
        self._place(None, seen.state.map.map_id, points_of_interest=("a shop",))

    def _place(
        self, tick: int | None, map_id: int, visit_count: int = 0, **details: tuple[str, ...]
    ) -> None:
        """Tell a visit or details of a place; without `tick`, at the current one."""
        now = self.strategist.blackboard.tick if tick is None else tick
        kind = "indoors" if map_id >= FIRST_INDOOR_MAP else "outdoors"
        name = self.game.story.called(map_id)
        self.strategist.add_location(LocationVisited(name, kind, now, now, visit_count, **details))

    def team(self, call: Call, _active_goal: ActiveGoal) -> Produced:
        """The team with its levels; the newest entry is the current one."""
        percept: Percept = call.args[1]
        data: dict[str, Json] = {"subject": "team", "team": self._team(percept.state)}
        return Produced(data, percept.tick, game_seconds(percept.state), importance=6)

    def objective(self, call: Call, active_goal: ActiveGoal) -> None:
        """The new active goal; another one that is still active waits. And money and items, as after a battle."""
        percept: Percept = call.args[1]
        waiting = self.strategist.active_objective
        if waiting is not None:
            self.strategist.set_objective(replace(waiting, status="pending"), status="inferred")
        known = self.strategist.objective(active_goal.goal.name)
        again = None if known is None or known.status == "completed" else known
        new = _objective(active_goal) if again is None else replace(again, status="active")
        self.strategist.set_objective(new)
        self._resources(percept)

    def objective_reached(self, call: Call, active_goal: ActiveGoal) -> None:
        """A goal that facts show as reached."""
        percept: Percept = call.args[1]
        self._completed(active_goal, percept.tick)
        self._resources(percept)

    def objective_step(self, call: Call, performed: Performed) -> None:
        """A finished action of the plan: the goal is nearer, or reached by the action of the same name, or failed."""
        intent: Intent = call.args[0]
        active_goal, tick, ended = intent.active_goal, call.instance.tick, performed.outcome
        if active_goal is None or ended in {Outcome.RUNNING, Outcome.INTERRUPTED}:
            return
        if ended is Outcome.DONE and intent.name == active_goal.goal.name:
            self._completed(active_goal, tick)
            return
        known = self.strategist.objective(active_goal.goal.name)
        plan = call.instance.mind.plan
        if known is None or known.status == "completed" or plan is None or not plan.actions:
            return
        if ended is not Outcome.DONE:
            self.strategist.set_objective(replace(known, status="failed"), status="inferred")
            return
        if not known.prerequisites:
            first = tuple(each.label for each in plan.actions[:-1])
            known = replace(known, prerequisites=first, related_location=self._where(plan))
        # The action that has just ended is still in the plan; only facts show that a goal is reached.
        progress = known.progress_percent + (100.0 - known.progress_percent) / len(plan.actions)
        nearer = replace(known, status="active", progress_percent=min(round(progress, 1), 99.0))
        self.strategist.set_objective(nearer, status="inferred")

    def _completed(self, active_goal: ActiveGoal, tick: int) -> None:
        name = active_goal.goal.name
        if self.strategist.objective(name) is None:
            self.strategist.set_objective(_objective(active_goal), status="inferred")
        self.strategist.update_objective_progress(name, 100.0, tick=tick)

    def _where(self, plan: Plan) -> str | None:
        """Return the place to which a plan leads, or None."""
        names = [each.name for each in plan.actions if "travel:" in each.name]
        known = {each.name: each.called for each in self.game.story.places}
        return known.get(names[-1].removeprefix("travel:")) if names else None

    def _resources(self, percept: Percept) -> None:
        """Tell the money and the items, if they have changed."""
        state, dex = percept.state, self.game.dex
        items = {dex.item_name(stack.item): stack.quantity for stack in state.bag.items}
        carried = [dex.all_items[each] for each, _ in state.bag.items if each in dex.all_items]
        machines = [(each.machine, each) for each in carried if each.machine is not None]
        owned = ResourceSnapshot(
            percept.tick,
            state.player.money,
            items,
            tms_obtained=tuple([number + 1 for number, _ in machines if number < TMS]),
            hms_obtained=tuple([each.name for number, each in machines if number >= TMS]),
            key_items=tuple([each.name for each in carried if each.key and each.machine is None]),
        )
        self.strategist.snapshot_resources(percept.tick, owned, location=self._place_of(state))

    def _place_of(self, state: State) -> str:
        return self.game.story.place_of(state)

    def _team(self, state: State) -> list[Json]:
        known = self.game.dex.all_species
        team = [(known.get(mon.species), mon) for mon in state.party.mons]
        return [f"{kind.name if kind else mon.nickname}:{mon.level}" for kind, mon in team]


def _objective(active_goal: ActiveGoal) -> SessionObjective:
    goal = active_goal.goal
    return SessionObjective(
        objective_id=goal.name,
        name=goal.label,
        description=", ".join(str(require) for require in goal.requires),
        objective_type=goal.name.partition(":")[0],
        priority=goal.priority,
        status="active",
        progress_percent=0.0,
        created_tick=active_goal.since,
        completed_tick=None,
    )


def _produced(record: Any, tick: int, state: State, **more: Json) -> Produced:  # noqa: ANN401  # any record
    return Produced({**as_json(record), **more}, tick, game_seconds(state), importance=3)


def _hp_percent(party: Party) -> float:
    hp = max_hp = 0
    for mon in party.mons:
        hp += mon.hp
        max_hp += mon.stats.hp
    return 100.0 * hp / max_hp if max_hp else 0.0
