"""Memory producers of play: hooks that make entries of the loop, encounters, advice and stuck episodes.

The hooked code itself calls no store.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.advisor.port import NoAnswer
from agent.app.battle_record import BattleWatch
from agent.capabilities.context import SquareTried, StockSeen, TalkEnded
from agent.experience.choices import TaskChoices
from agent.loop import Loop, Performed
from agent.mind.advice import QuestionAnswered
from agent.mind.intent import ActiveGoal, Intent, IntentSource
from agent.mind.mind import Mind
from agent.mind.recovery import EpisodeReport
from agent.perception.percept import Percept
from agent.skills import Outcome
from agent.story.milestones import MilestoneLedger, ReachedMilestone
from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, Dex, Party, ScreenType, State
from emulator.dex.items import TMS
from emulator.world.header import FIRST_INDOOR_MAP
from memory import (
    BLACKOUT,
    MILESTONE_TIME,
    BlockedSquare,
    Call,
    Json,
    Produced,
    Producers,
    RunReader,
    SessionObjective,
    ShopStockSeen,
    TalkOutcome,
    as_json,
    scope_name,
)
from memory.tiers.encounters import BLOCKED_SQUARE, SHOP_STOCK, TALK_OUTCOME
from memory.tiers.observer import ActionRecord, SensoryInput, TickState
from memory.tiers.strategist import TEAM, LocationVisited, ResourceSnapshot

AGENT: Final = "play"
STATES_LAST_S: Final = 30.0  # long enough to pass many entries on at once
AVAILABLE: Final[dict[ScreenType, tuple[str, ...]]] = {
    ScreenType.TITLE: ("start",),
    ScreenType.OVERWORLD: ("up", "down", "left", "right", "a", "start"),
    ScreenType.DIALOGUE: ("a", "b"),
    ScreenType.MENU: ("up", "down", "a", "b"),
    ScreenType.BATTLE: ("up", "down", "left", "right", "a", "b"),
}
ENCOUNTER_IMPORTANCE = 6
ADVICE: Final = "advice"  # the entry kind
ADVICE_IMPORTANCE: Final = 4
ADVISED: Final = "follow advice"  # the reasoning of an advised action


@dataclass(frozen=True, slots=True)
class PlayProducers:
    """The extractors of play: each returns the entry for a call and its result, or None."""

    place_of: Callable[[State], str]  # the name of the place of a state
    battles: BattleWatch
    choices: TaskChoices
    dex: Dex
    run: str  # in the data of each milestone, so that equal data of two runs stay apart
    found: Callable[[State], Mapping[int, int]]  # how many of each item were picked up so far

    def register(self, producers: Producers) -> None:
        """Watch the loop: states go to sensory, actions to working, and changes to short-term memory."""
        sensory, working, stm = (scope_name(AGENT, each) for each in ("sensory", "working", "stm"))
        watch = producers.register
        watch(Loop.perceive, self.tick_state, scope=sensory, kind="tick_state", ttl_s=STATES_LAST_S)
        watch(Loop.perceive, self.sensory_input, scope=sensory, kind="sensory_input")
        watch(Loop.perceive, self.disagreements, scope=stm, kind="disagreement")
        watch(Loop.perform, self.action, scope=working, kind="action")
        watch(Loop.perceive, self.location, scope=stm, kind="location")
        watch(Loop.perceive, self.resources, scope=stm, kind="resources")
        for changing in (Mind.pursue, Mind.reach):
            watch(changing, self.resources_at_goal, scope=stm, kind="resources")
            watch(changing, self.team, scope=stm, kind=TEAM)
            watch(changing, self.blackouts, scope=stm, kind=BLACKOUT)
        watch(Loop.perceive, self.battle, scope=stm, kind="battle")
        watch(MilestoneLedger.observe, self.milestone_times, scope=stm, kind=MILESTONE_TIME)
        watch(Mind.pursue, self.objective, scope=stm, kind="objective")
        watch(Loop.perform, self.objective_done, scope=stm, kind="objective")
        watch(Mind.reach, self.objective_reached, scope=stm, kind="objective")

    def tick_state(self, call: Call, percept: Percept) -> Produced:
        """The state in which a decision is made."""
        state = percept.state
        tick_state = TickState(
            tick=percept.tick,
            timestamp=game_seconds(state),
            location=self.place_of(state),
            is_battle=state.in_battle,
            party_hp_percent=_hp_percent(state.party),
            money=state.player.money,
            badges=tuple(str(badge) for badge in state.player.badges),
            screen_type=state.screen_type.value,
            active_goal=call.instance.mind.goal,
        )
        return _produced(tick_state, percept.tick, state)

    def sensory_input(self, _call: Call, percept: Percept) -> Produced:
        """The text and labels on the screen; the confidence is how far pixels agree with the tile map."""
        state = percept.state
        enemy = state.battle.enemy if state.battle is not None else None
        seen = SensoryInput(
            vision_labels=(percept.reading.label,) if percept.reading else (),
            ocr_text=percept.text,
            ocr_confidence=percept.confidence,
            screen_type=state.screen_type.value,
            enemy_pokemon=enemy.nickname if enemy else None,
            player_hp_percent=_hp_percent(state.party),
            enemy_hp_percent=100.0 * enemy.hp / enemy.max_hp if enemy else None,
            available_actions=AVAILABLE.get(state.screen_type, ()),
        )
        return _produced(seen, percept.tick, state)

    def disagreements(self, _call: Call, percept: Percept) -> list[Produced]:
        """The differences between the screen and work RAM."""
        tick, at = percept.tick, game_seconds(percept.state)
        found = percept.disagreements
        return [Produced({"between": words}, tick, at, importance=2) for words in found]

    def action(self, call: Call, performed: Performed) -> Produced | None:
        """A finished action of the plan or of advice, with its outcome and duration."""
        intent: Intent = call.args[0]
        is_advised = intent.source is IntentSource.ADVICE
        is_planned = is_advised or intent.source is IntentSource.PLAN
        if not is_planned or performed.outcome is Outcome.RUNNING:
            return None
        frames = performed.state.frame - intent.began.frame
        record = ActionRecord(
            tick=call.instance.tick,
            action_type="sequence",
            action_value=intent.name,
            reasoning=ADVISED
            if is_advised
            else intent.active_goal.goal.label
            if intent.active_goal
            else intent.why,
            confidence=1.0,  # rules are certain
            success=performed.outcome is Outcome.DONE,
            outcome_summary=performed.outcome.value,
            duration_ms=1000 * frames / FRAMES_PER_SECOND,
        )
        place = self.place_of(intent.began)
        return _produced(record, call.instance.tick, performed.state, importance=5, location=place)

    def battle(self, _call: Call, percept: Percept) -> Produced | None:
        """A finished battle."""
        record = self.battles.observe(percept)
        if record is None:
            return None
        around = self.battles.around
        more = {name: around[name] for name in ("location", "opponent") if around[name]}
        if len(around["fighters"]) > 1:
            more |= {name: around[name] for name in ("fighters", "finisher", "finisher_moves")}
        return _produced(record, percept.tick, percept.state, importance=7, **more)

    def blackouts(self, call: Call, _active_goal: ActiveGoal) -> list[Produced]:
        """The defeats that cost money since the last change of goal."""
        percept: Percept = call.args[1]
        at = game_seconds(percept.state)
        return [
            Produced({"run": self.run, **blackout}, percept.tick, at, importance=9)
            for blackout in self.battles.take_blackouts()
        ]

    def milestone_times(self, call: Call, reached: tuple[ReachedMilestone, ...]) -> list[Produced]:
        """The reached milestones, each with the choices, battles, team, bag and items picked up until then."""
        if not reached:
            return []
        percept: Percept = call.args[0]
        at, fought = game_seconds(percept.state), self.battles
        milestone_time: dict[str, Json] = {
            "run": self.run,
            "choices": dict(self.choices.made),
            "place": self.place_of(percept.state),
            "money": percept.state.player.money,
            "team": self._team(percept.state),
            "battles": fought.battles,
            "turns": fought.turns,
            "lost": fought.lost,
            "left": {str(item): quantity for item, quantity in percept.state.bag.items},
            "found": {str(item): times for item, times in self.found(percept.state).items()},
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

    def location(self, _call: Call, percept: Percept) -> Produced | None:
        """The place that the player has just entered."""
        state = percept.state
        if not _has_entered_map(percept):
            return None
        place = LocationVisited(
            location_name=self.place_of(state),
            location_type="indoors" if state.map.map_id >= FIRST_INDOOR_MAP else "outdoors",
            first_visit_tick=percept.tick,
            last_visit_tick=percept.tick,
            visit_count=1,
        )
        return _produced(place, percept.tick, state, importance=6)

    def resources(self, _call: Call, percept: Percept) -> Produced | None:
        """Money and items on entering a place."""
        return self._resources(percept) if _has_entered_map(percept) else None

    def resources_at_goal(self, call: Call, _active_goal: ActiveGoal) -> Produced:
        """Money and items when a goal is reached or the goal changes, as after a battle or in a shop."""
        return self._resources(call.args[1])

    def team(self, call: Call, _active_goal: ActiveGoal) -> Produced:
        """The team with its levels; the newest entry is the current one."""
        percept: Percept = call.args[1]
        data: dict[str, Json] = {"subject": "team", "team": self._team(percept.state)}
        return Produced(data, percept.tick, game_seconds(percept.state), importance=6)

    def objective(self, call: Call, active_goal: ActiveGoal) -> Produced:
        """The new active goal."""
        percept: Percept = call.args[1]
        return _produced(_objective(active_goal), percept.tick, percept.state, importance=6)

    def objective_reached(self, call: Call, active_goal: ActiveGoal) -> Produced:
        """A goal that facts show as reached."""
        percept: Percept = call.args[1]
        done = _objective(active_goal, percept.tick)
        return _produced(done, percept.tick, percept.state, importance=6)

    def objective_done(self, call: Call, performed: Performed) -> Produced | None:
        """A goal that is completed by the action of the same name."""
        intent: Intent = call.args[0]
        active_goal, tick = intent.active_goal, call.instance.tick
        if (
            performed.outcome is not Outcome.DONE
            or not active_goal
            or intent.name != active_goal.goal.name
        ):
            return None
        return _produced(_objective(active_goal, tick), tick, performed.state, importance=6)

    def _resources(self, percept: Percept) -> Produced:
        state = percept.state
        items = {self.dex.item_name(stack.item): stack.quantity for stack in state.bag.items}
        carried = [
            self.dex.all_items[each] for each, _ in state.bag.items if each in self.dex.all_items
        ]
        machines = [(each.machine, each) for each in carried if each.machine is not None]
        owned = ResourceSnapshot(
            percept.tick,
            state.player.money,
            items,
            tms_obtained=tuple([number + 1 for number, _ in machines if number < TMS]),
            hms_obtained=tuple([each.name for number, each in machines if number >= TMS]),
            key_items=tuple([each.name for each in carried if each.key and each.machine is None]),
        )
        return _produced(owned, percept.tick, state, location=self.place_of(state))

    def _team(self, state: State) -> list[Json]:
        known = self.dex.all_species
        return [
            f"{known[mon.species].name if mon.species in known else mon.nickname}:{mon.level}"
            for mon in state.party.mons
        ]


def _has_entered_map(percept: Percept) -> bool:
    """Return whether the player has just entered another map."""
    return percept.came_from != percept.state.map.map_id and percept.state.in_control


def _objective(active_goal: ActiveGoal, completed_tick: int | None = None) -> SessionObjective:
    goal = active_goal.goal
    return SessionObjective(
        objective_id=goal.name,
        name=goal.label,
        description=", ".join(str(require) for require in goal.requires),
        objective_type=goal.name.partition(":")[0],
        priority=goal.priority,
        status="active" if completed_tick is None else "completed",
        progress_percent=0.0 if completed_tick is None else 100.0,
        created_tick=active_goal.since,
        completed_tick=completed_tick,
    )


def game_seconds(state: State) -> float:
    """Return game time: frames since power-on, in seconds."""
    return state.frame / FRAMES_PER_SECOND


def _produced(
    record: Any,  # noqa: ANN401 -- any record of memory
    tick: int,
    state: State,
    *,
    importance: int = 3,
    **more: str,
) -> Produced:
    return Produced({**as_json(record), **more}, tick, game_seconds(state), importance=importance)


def _hp_percent(party: Party) -> float:
    hp = max_hp = 0
    for mon in party.mons:
        hp += mon.hp
        max_hp += mon.stats.hp
    return 100.0 * hp / max_hp if max_hp else 0.0


@dataclass(frozen=True, slots=True)
class EncounterProducers:
    """The extractors of encounters; `tick` returns the current tick of the run."""

    story: Story
    tick: Callable[[], int]

    def register(self, producers: Producers) -> None:
        """Watch encounters; their entries go to short-term memory."""
        scope = scope_name(AGENT, "stm")
        producers.register(TalkEnded, self.talk, scope=scope, kind=TALK_OUTCOME)
        producers.register(StockSeen, self.stock, scope=scope, kind=SHOP_STOCK)
        producers.register(SquareTried, self.square, scope=scope, kind=BLOCKED_SQUARE)

    def talk(self, _call: Call, ended: TalkEnded) -> Produced:
        """A person that the player talked to, with the text and its effects."""
        here = ended.state.map.map_id
        person = TalkOutcome(self.story.called(here), here, ended.slot, ended.words, ended.effects)
        return self._produced(person, ended.state)

    def stock(self, _call: Call, seen: StockSeen) -> Produced:
        """The stock of a shop clerk."""
        here = seen.state.map.map_id
        stock = ShopStockSeen(self.story.called(here), here, seen.slot, seen.stock)
        return self._produced(stock, seen.state)

    def square(self, _call: Call, tried: SquareTried) -> Produced:
        """A square that a walk could not enter, or one that is no longer blocked."""
        place = self.story.called(tried.square[0])
        way = BlockedSquare(place, tried.towards, *tried.square, tried.passed)
        return self._produced(way, tried.state)

    def _produced(self, record: Any, state: State) -> Produced:  # noqa: ANN401  # an encounter
        return Produced(
            as_json(record), self.tick(), game_seconds(state), importance=ENCOUNTER_IMPORTANCE
        )


@dataclass(frozen=True, slots=True)
class StuckProducer:
    """Makes an entry of short-term memory, and so an event of the run, for each stuck episode.

    It names the run, the last checkpoint before the episode, and its ticks; if they are on an abandoned branch,
    `last_step` is the number of the last one. `replay --episode` replays them.
    """

    run: RunReader
    map_name: Callable[[int], str]  # the name of a map

    def register(self, producers: Producers) -> None:
        """Watch stuck episodes of the mind."""
        producers.register(EpisodeReport, self.stuck, scope=scope_name(AGENT, "stm"), kind="stuck")

    def stuck(self, _call: Call, ended: EpisodeReport) -> Produced:
        """One stuck episode: the reason, the place, the recovery steps tried, and the one that helped."""
        episode, percept = ended.episode, ended.percept
        before = [tick for tick in self.run.checkpoint_ticks() if tick <= episode.since]
        data = {
            **as_json(episode),
            "place": self.map_name(episode.map_id),
            "run": self.run.run_id,
            "checkpoint_tick": before[0] if before else None,
            "last_step": None if episode.over else self.run.last_dead_step(),
        }
        return Produced(data, percept.tick, game_seconds(percept.state), importance=8)


def watch_advice(producers: Producers) -> None:
    """Make an entry of each answer; missing answers are only counted in the record of the run."""
    scope = scope_name(AGENT, "stm")
    producers.register(QuestionAnswered, _advice, scope=scope, kind=ADVICE)


def _advice(_call: Call, answered: QuestionAnswered) -> Produced | None:
    """The advice, and the purpose of its question."""
    question, answer = answered.question, answered.answer
    if isinstance(answer, NoAnswer):
        return None
    return Produced(
        {
            "purpose": question.purpose.value,
            "goals": list(answer.goals),
            "candidates": list(answer.candidates),
            "says": answer.note,
            "confidence": answer.confidence,
        },
        question.tick,
        question.game_s,
        tags=(f"purpose:{question.purpose.value}",),
        importance=ADVICE_IMPORTANCE,
        status="claim",
    )
