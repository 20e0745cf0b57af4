"""The lessons of a session, and the dataflow of an agent's memory: all edges from the senses to knowledge.

    sensory ──moments──► working ──actions, situations──► stm ──experiences──► ltm:episodic
                                                           ├───skills──────► ltm:procedural ──habits──┐
                                                           ├───concepts────► ltm:semantic ◄───────────┘
                                                           └───opponents_met, items_owned──► ltm:semantic

A new kind of memory is one more edge here; nothing else changes. A lesson carries only new evidence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final

from memory.blackboard.entry import Entry, scope_name
from memory.codec import as_json, content_id, from_json
from memory.flow.subscription import (
    AllOf,
    AnyOf,
    Derived,
    Fullness,
    MemorySubscription,
    OnDemand,
    Periodic,
    Threshold,
    identity,
    of_kinds,
)
from memory.tiers import approaches, encounters
from memory.tiers.approaches import Approach
from memory.tiers.encounters import ENCOUNTERS, MILESTONE_TIME
from memory.tiers.knowledge import (
    LOST_AT,
    ConsolidationConfig,
    LearnedPattern,
    MistakeRecord,
    PlayerPreference,
    SuccessfulStrategy,
    relevance_of,
)
from memory.tiers.observer import ACTION, RECENT_ACTIONS, TICK_STATE
from memory.tiers.strategist import BATTLE, LOCATION, RESOURCES, BattleRecord, tally
from memory.tiers.tactician import IMPORTANCE, MISTAKE, PATTERN, PREFERENCE, STRATEGY, TOTALS

MANY_FAILURES: Final = 10
MOVE_ORDER: Final = "move_order"


def pattern_of(approach: Approach, *, session_id: str, at: float) -> LearnedPattern | None:
    """Return the new evidence of a sequence of several actions, or None; whether it is proven is known over all games."""
    successes = approach.successes - approach.reported_successes
    failures = approach.failures - approach.reported_failures
    # A single action that reaches its goal is the goal itself.
    if successes + failures == 0 or len(approach.actions) == 1:
        return None
    return LearnedPattern(
        pattern_id=approach.name,
        pattern_type="action_sequence",
        description=f"{approach.reasoning}: {', '.join(approach.words or approach.actions)}",
        trigger_conditions={"location": approach.place, "reasoning": approach.reasoning},
        learned_from_session=session_id,
        learned_from_tick=approach.last_tick,
        success_count=successes,
        failure_count=failures,
        confidence=successes / (successes + failures),
        last_validated=at,
        relevance_score=relevance_of(successes, failures),
    )


def mistake_id_of(place: str, action: str) -> str:
    """Return the id of the mistake of an action in one place."""
    return content_id("action", place, action)


def mistake_of(
    approach: Approach, config: ConsolidationConfig, *, at: float
) -> MistakeRecord | None:
    """Return the new evidence that an action keeps failing in one place, or None."""
    failures = approach.failures - approach.reported_failures
    total = approach.successes + approach.failures
    is_frequent = approach.failures >= config.min_occurrences_for_pattern
    is_majority = approach.failures >= config.pattern_threshold * total
    if failures == 0 or not (is_frequent and is_majority):
        return None
    action, words = approach.actions[0], (approach.words or approach.actions)[0]
    return MistakeRecord(
        mistake_id=mistake_id_of(approach.place, action),
        description=f"{words} keeps failing in {approach.place or 'an unknown place'}",
        situation={"location": approach.place, "action": action},
        outcome=f"failed {approach.failures} of {total} times in one game",
        severity="major" if approach.failures >= MANY_FAILURES else "minor",
        prevention_tip="Try another way first.",
        first_occurred=at,
        last_occurred=at,
        occurrence_count=failures,
    )


def strategy_of(battle: BattleRecord, *, at: float) -> SuccessfulStrategy | None:
    """Return the moves of a battle that was won or lost, in order and without consecutive repeats, or None."""
    moves = tuple(move for move, _ in groupby(battle.moves_used))
    if battle.outcome not in {"victory", "defeat"} or not moves:
        return None
    return SuccessfulStrategy(
        strategy_id=content_id(battle.enemy_pokemon, battle.player_pokemon, moves),
        context={"enemy_level": battle.enemy_level, "player_level": battle.player_level},
        enemy_type=battle.enemy_pokemon,
        player_pokemon=battle.player_pokemon,
        strategy_description=f"{battle.player_pokemon}: {', '.join(moves)}",
        moves_sequence=moves,
        success_rate=1.0 if battle.outcome == "victory" else 0.0,
        total_uses=1,
        first_used=at,
        last_used=at,
    )


def defeat_of(lost: Mapping[str, Any], *, at: float) -> MistakeRecord:
    """Return the mistake record of a lost battle, or of the blackout after it: only that one makes it a severe mistake."""
    enemy, own, level = lost["enemy_pokemon"], lost["player_pokemon"], lost["player_level"]
    cost = lost.get("cost", 0)
    names = ("enemy_pokemon", "enemy_level", "player_pokemon", "player_level")
    words = f"lost at level {level} against level {lost['enemy_level']}"
    times = 0 if cost else 1
    return MistakeRecord(
        mistake_id=content_id("battle", enemy, own),
        description=f"{own} lost against {enemy}",
        situation={**{name: lost[name] for name in names}, LOST_AT: {str(level): times}},
        outcome=f"{words}, which cost {cost:,}" if cost else words,
        severity="critical" if cost else "minor",
        prevention_tip=f"Come back above level {level} or with another Pokemon.",
        first_occurred=at,
        last_occurred=at,
        occurrence_count=times,
    )


def preference_of(
    strategy: SuccessfulStrategy, config: ConsolidationConfig, *, session_id: str
) -> PlayerPreference | None:
    """Return the preference for the first move of a proven strategy, or None."""
    is_frequent = strategy.total_uses >= config.min_occurrences_for_pattern
    if not is_frequent or strategy.success_rate < config.pattern_threshold:
        return None
    own, opening = strategy.player_pokemon, strategy.moves_sequence[0]
    return PlayerPreference(
        preference_id=content_id(MOVE_ORDER, own, strategy.enemy_type),
        category=f"{MOVE_ORDER}:{own}:{strategy.enemy_type}",
        description=f"{own} opens with {opening} against {strategy.enemy_type}",
        preference_value=opening,
        learned_from_session=session_id,
        confidence=strategy.success_rate,
        created_at=strategy.first_used,
        updated_at=strategy.last_used,
    )


SESSION: Final = "session"
STUCK: Final = "stuck"
BLACKOUT: Final = "blackout"  # a defeat that cost money: place, opponent and amount
OBSERVER_EDGES: Final = ("moments", "actions", "situations")  # from the observer to the strategist
# From the strategist to the tactician.
LTM_EDGES: Final = (
    "experiences",
    "skills",
    "concepts",
    "opponents_met",
    "items_owned",
    "places_known",
    "habits",
)
COMPACT_AT: Final = 0.9  # of working memory's budget of tokens
KEPT_S: Final = 300.0  # younger entries stay in working memory


PACE: Final = 1000  # seconds of the game in one of the clock: no play is faster


def dated(started_at: float, game_s: float) -> float:
    """Return the date of what was learned at a second of the game: in order, within the session, never in the future.

    The game is played much faster than the clock goes, so its own seconds would lead far beyond now.
    """
    return started_at + game_s / PACE


@dataclass(frozen=True, slots=True)
class LessonTransformers:
    """The transformers from short-term memory to knowledge. `started_at` is the epoch second at which the session began."""

    config: ConsolidationConfig
    session_id: str
    started_at: float

    def experiences(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return the entries unchanged, but battles with their run: equal battles of two runs are two experiences."""
        run = {"run": self.session_id}
        return [
            each._replace(data={**each.data, **run}) if each.kind == BATTLE else each
            for each in identity(entries)
        ]

    def skills(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield the sequences that work and the moves that won."""
        for entry in entries:
            if entry.kind == BATTLE:
                if "fighters" not in entry.data:  # what several have done proves nothing of one
                    battle = from_json(BattleRecord, entry.data)
                    strategy = strategy_of(battle, at=self._at(entry))
                    yield from _lesson(STRATEGY, strategy, entry, entry.tick)
                continue
            seen = from_json(Approach, entry.data)
            at = dated(self.started_at, seen.last_s)
            pattern = pattern_of(seen, session_id=self.session_id, at=at)
            if pattern is not None:
                yield from _lesson(PATTERN, pattern, entry, seen.last_tick)
                yield approaches.mark_reported(entry)

    def concepts(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield the actions that keep failing, the lost battles, and the totals."""
        for entry in entries:
            if entry.kind == SESSION:
                yield _totals(entry, sessions=1)
            elif entry.kind == BATTLE:
                outcome = entry.data["outcome"]
                if outcome == "defeat":
                    defeat = defeat_of(entry.data, at=self._at(entry))
                    yield from _lesson(MISTAKE, defeat, entry, entry.tick)
                if outcome in {"victory", "defeat"}:
                    yield _totals(entry, battles=1, victories=int(outcome == "victory"))
            elif entry.kind == BLACKOUT:
                defeat = defeat_of(entry.data, at=self._at(entry))
                yield from _lesson(MISTAKE, defeat, entry, entry.tick)
            else:
                seen = from_json(Approach, entry.data)
                mistake = mistake_of(seen, self.config, at=dated(self.started_at, seen.last_s))
                if mistake is not None:
                    yield from _lesson(MISTAKE, mistake, entry, seen.last_tick)
                    yield approaches.mark_reported(entry)

    def habits(self, entries: Sequence[Entry]) -> Iterator[Derived]:
        """Yield the preferences derived from strategies."""
        for entry in entries:
            strategy = from_json(SuccessfulStrategy, entry.data)
            preference = preference_of(strategy, self.config, session_id=self.session_id)
            yield from _lesson(PREFERENCE, preference, entry, entry.tick)

    def _at(self, entry: Entry) -> float:
        return dated(self.started_at, entry.game_s)


def edges(agent_id: str, lessons: LessonTransformers) -> tuple[MemorySubscription, ...]:
    """Return the subscriptions of one agent's memory.

    The original design fills short-term memory at 5 to 20 entries or after 120 seconds, consolidates it at 15 or after 300,
    and each level above at 10 to 100 or after 600 to 1,800. Here the consolidator runs all of it every thousand ticks, which
    is minutes of game time: each consolidation ends in a checkpoint, and the counts do not depend on how often they are
    taken. Only a full working memory does not wait.
    """
    sensory, working, stm = (scope_name(agent_id, each) for each in ("sensory", "working", "stm"))
    episodic = scope_name(agent_id, "ltm:episodic")
    semantic = scope_name(agent_id, "ltm:semantic")
    procedural = scope_name(agent_id, "ltm:procedural")
    met = partial(encounters.opponents_met, run=lessons.session_id)
    owned = partial(encounters.items_owned, run=lessons.session_id)
    visited = partial(encounters.places_known, run=lessons.session_id)
    return (
        MemorySubscription(
            "moments",
            sensory,
            working,
            approaches.spans,
            of_kinds(TICK_STATE),
            # Before they expire, and rarely enough that spans have several ticks.
            AnyOf((Threshold(1, 20), Periodic(8.0))),
        ),
        MemorySubscription(
            "actions",
            working,
            stm,
            approaches.count,
            of_kinds(ACTION),
            # With at least 20 entries: when the last minutes alone exceed the budget, each write would trigger.
            AnyOf((OnDemand(), AllOf((Threshold(1, 20), Fullness(COMPACT_AT))))),
            complete_count=approaches.complete,
            consumes=True,
            keep_last=RECENT_ACTIONS,
            keep_s=KEPT_S,
        ),
        MemorySubscription(
            "situations",
            working,
            stm,
            approaches.common,
            of_kinds(approaches.SPAN),
            Threshold(1, 200),
            consumes=True,
        ),
        MemorySubscription("tally", stm, stm, tally, of_kinds(BATTLE), Threshold(1, 1)),
        MemorySubscription(
            "experiences", stm, episodic, lessons.experiences, _is_experience, delivers=True
        ),
        MemorySubscription("skills", stm, procedural, lessons.skills, _is_skill, delivers=True),
        MemorySubscription("concepts", stm, semantic, lessons.concepts, _is_concept, delivers=True),
        MemorySubscription(
            "opponents_met", stm, semantic, met, of_kinds(BATTLE, BLACKOUT), delivers=True
        ),
        MemorySubscription("items_owned", stm, semantic, owned, of_kinds(RESOURCES), delivers=True),
        MemorySubscription(
            "places_known", stm, semantic, visited, of_kinds(LOCATION), delivers=True
        ),
        MemorySubscription(
            "habits", procedural, semantic, lessons.habits, _is_habit, delivers=True
        ),
    )


def _is_experience(entry: Entry) -> bool:
    """Return whether the entry is an experience: session, progress, encounter, or lost battle."""
    if entry.kind == BATTLE:
        return bool(entry.data["outcome"] == "defeat")
    return entry.kind in {SESSION, STUCK, MILESTONE_TIME, *ENCOUNTERS}


def _is_skill(entry: Entry) -> bool:
    is_sequence = entry.kind == approaches.APPROACH and bool(entry.data["reasoning"])
    return is_sequence or entry.kind == BATTLE


def _is_concept(entry: Entry) -> bool:
    is_action = entry.kind == approaches.APPROACH and not entry.data["reasoning"]
    return is_action or entry.kind in {BATTLE, BLACKOUT, SESSION}


def _is_habit(entry: Entry) -> bool:
    # Strategies of earlier runs have produced their habits already.
    return entry.kind == STRATEGY and any(each.startswith("tick:") for each in entry.sources)


def _lesson(kind: str, record: Any, entry: Entry, tick: int) -> Iterator[Derived]:  # noqa: ANN401  # any record
    """Yield the lesson of an entry, if there is one; `tick` is when its battle or last action ended."""
    if record is not None:
        yield Derived(kind, as_json(record), (entry.key, f"tick:{tick}"), importance=IMPORTANCE)


def _totals(entry: Entry, *, sessions: int = 0, battles: int = 0, victories: int = 0) -> Derived:
    added = {"sessions": sessions, "battles": battles, "victories": victories}
    return Derived(TOTALS, added, (entry.key,))
