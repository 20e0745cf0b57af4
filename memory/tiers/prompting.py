"""What the three tiers tell a model: short plain sections, each within a budget of tokens, always worded alike."""

from __future__ import annotations

from string import Template
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from memory.tiers.goap import MemoryGOAPIntegration
from memory.tokens import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from memory.codec import Json
    from memory.tiers.knowledge import LearnedPattern, MistakeRecord, SuccessfulStrategy
    from memory.tiers.observer import ActionRecord, ObserverMemory
    from memory.tiers.session_records import BattleRecord, SessionObjective
    from memory.tiers.strategist import StrategistMemory
    from memory.tiers.tactician import TacticianMemory

Section: TypeAlias = Literal["tactical", "strategic", "recent_actions"]

BUDGET: Final = 300  # tokens of one section
MOST: Final = 5  # lines of one sort

STRATEGY: Final = Template("- worked $share% of $uses: $description")
MISTAKE: Final = Template("- mistake ($severity, x$times): $description; $outcome. $tip")
PATTERN: Final = Template("- holds $share% of $times: $description")
OBJECTIVE: Final = Template("- [$priority] $name, $progress% done")
BATTLE: Final = Template("- $outcome: $own L$own_level against $enemy L$enemy_level, $turns turns")
ACTION: Final = Template("- tick $tick: $what, $outcome")


class ModelClient(Protocol):
    """Who asks models, and what each of them, by its name, is to be shown of memory."""

    @property
    def sections(self) -> Mapping[str, tuple[Section, ...]]:
        """The sections of each model."""


class MemoryAIIntegration:
    """Integration with a client of models. It keeps nothing; `budget` is the most tokens of one section."""

    def __init__(self, budget: int = BUDGET) -> None:
        self.budget = budget
        self._goap = MemoryGOAPIntegration()

    def inject_memory_context(
        self,
        ai_client: ModelClient,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
    ) -> dict[str, dict[Section, str]]:
        """Return the sections of each model by its name; a section with nothing to say is left out."""
        texts: dict[Section, str] = {
            "tactical": self.get_tactical_context(tactician, _battle_context(observer)),
            "strategic": self.get_strategic_context(strategist),
            "recent_actions": self.get_recent_actions_summary(observer),
        }
        return {
            model: {section: texts[section] for section in wanted if texts[section]}
            for model, wanted in ai_client.sections.items()
        }

    def get_tactical_context(
        self, tactician: TacticianMemory, battle_context: Mapping[str, Json]
    ) -> str:
        """Return what is known of a battle such as `battle_context`: what worked, then what did not."""
        strategies = self._goap.query_tactician_strategies(tactician, battle_context)
        mistakes = tactician.get_mistakes_for_context(battle_context)
        patterns = tactician.get_relevant_patterns(battle_context)
        return self._section(
            "Known from earlier battles:",
            [
                *map(_strategy, strategies[:MOST]),
                *map(_mistake, mistakes[:MOST]),
                *map(_pattern, patterns[:MOST]),
            ],
        )

    def get_strategic_context(self, strategist: StrategistMemory) -> str:
        """Return what this session wants, the most urgent first, and its last battles, newest first."""
        objectives = self._goap.query_strategist_objectives(strategist)
        decided = f"- battles: {strategist.victories} won, {strategist.defeats} lost"
        battles = list(strategist.battle_history)[: -MOST - 1 : -1]
        return self._section(
            "This session:",
            [
                *map(_objective, objectives[:MOST]),
                *([decided] if battles else []),
                *map(_battle, battles),
            ],
        )

    def get_recent_actions_summary(self, observer: ObserverMemory) -> str:
        """Return the last actions and how each ended, newest first."""
        return self._section(
            "Last actions, newest first:", map(_action, observer.recent_actions[::-1])
        )

    def _section(self, title: str, lines: Iterable[str]) -> str:
        """Return as many of `lines`, which come in the order of their worth, as the budget has room for."""
        text = title
        for line in lines:
            longer = f"{text}\n{line}"
            if tokens(longer) > self.budget:
                break
            text = longer
        return "" if text == title else text


def _battle_context(observer: ObserverMemory) -> dict[str, Json]:
    """Who is fought; a glance at the screen does not tell by whom."""
    seen = observer.sensory_input
    enemy = None if seen is None else seen.enemy_pokemon
    return {} if enemy is None else {"enemy_pokemon": enemy}


def _strategy(each: SuccessfulStrategy) -> str:
    return STRATEGY.substitute(
        share=round(100 * each.success_rate),
        uses=each.total_uses,
        description=each.strategy_description,
    )


def _mistake(each: MistakeRecord) -> str:
    return MISTAKE.substitute(
        severity=each.severity,
        times=each.occurrence_count,
        description=each.description,
        outcome=each.outcome,
        tip=each.prevention_tip,
    ).rstrip()


def _pattern(each: LearnedPattern) -> str:
    return PATTERN.substitute(
        share=round(100 * each.confidence),
        times=each.success_count + each.failure_count,
        description=each.description,
    )


def _objective(each: SessionObjective) -> str:
    return OBJECTIVE.substitute(
        priority=each.priority, name=each.name, progress=round(each.progress_percent)
    )


def _battle(each: BattleRecord) -> str:
    return BATTLE.substitute(
        outcome=each.outcome,
        own=each.player_pokemon,
        own_level=each.player_level,
        enemy=each.enemy_pokemon,
        enemy_level=each.enemy_level,
        turns=each.turns_taken,
    )


def _action(each: ActionRecord) -> str:
    return ACTION.substitute(tick=each.tick, what=each.action_value, outcome=each.outcome_summary)
