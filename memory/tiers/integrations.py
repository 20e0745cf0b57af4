"""What the three tiers tell a model: short sections of text, each within a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, TypeVar

from memory.codec import Json, from_json
from memory.tiers.encounters import (
    ITEM_OWNED,
    OPPONENT_MET,
    PLACE_KNOWN,
    ItemOwned,
    OpponentMet,
    PlaceKnown,
)
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory
from memory.tiers.tactician import TacticianMemory, proven
from memory.tokens import tokens

SectionName: TypeAlias = Literal["tactical", "strategic", "recent_actions"]

BUDGET: Final = 300  # tokens of one section
MOST: Final = 4  # lines of one kind
MOST_SEEN: Final = 400  # rows of one kind that are searched

Met = TypeVar("Met", OpponentMet, PlaceKnown, ItemOwned)


@dataclass(frozen=True, slots=True)
class MemoryAIIntegration:
    """Memory as text for a model. Claims of models and what was closed are left out."""

    observer: ObserverMemory
    strategist: StrategistMemory
    tactician: TacticianMemory

    def inject_memory_context(
        self,
        wanted: Iterable[SectionName],
        context: Mapping[str, Json],
        known: Sequence[str] = (),
        labels: Mapping[str, str] = MappingProxyType({}),
    ) -> dict[SectionName, str]:
        """Return the sections `wanted` that have something to say.

        `known` are lines of the caller that come first, `labels` the words for the names of actions.
        """
        texts: dict[SectionName, str] = {}
        for section in wanted:
            match section:
                case "tactical":
                    texts[section] = self.get_tactical_context(context, known)
                case "strategic":
                    texts[section] = self.get_strategic_context()
                case "recent_actions":
                    texts[section] = self.get_recent_actions_summary(labels)
        return {section: text for section, text in texts.items() if text}

    def get_tactical_context(
        self, context: Mapping[str, Json], known: Sequence[str] = (), budget: int = BUDGET
    ) -> str:
        """Return what is known about the next battle and the place, this game's own part included.

        `context` has the `opponent` and its `enemy_pokemon` in order, as memory names them, the `location` for its
        mistakes, and the `place` for all that is known of it; each may be missing.
        """
        enemies = str(context.get("enemy_pokemon") or "")
        lines = [
            *known,
            *self._record(str(context.get("opponent") or "")),
            *self._wins(enemies),
            *self._mistakes(enemies, context),
            *self._place(str(context.get("place") or "")),
        ]
        return _section(
            "What earlier games and this one taught:", (f"- {each}" for each in lines), budget
        )

    def get_strategic_context(self, budget: int = BUDGET) -> str:
        """Return the battles of this session in total, and its open objectives, the highest priority first."""
        totals = self.strategist.totals
        lines = []
        if totals.victories + totals.defeats:
            lines.append(f"- battles: {totals.victories} won, {totals.defeats} lost")
        active = [each for each in self.strategist.objectives if each.status == "active"]
        active.sort(key=lambda each: (-each.priority, each.created_tick))
        lines += [f"- begun: {each.name}, at tick {each.created_tick}" for each in active[:MOST]]
        return _section("This session:", lines, budget)

    def get_recent_actions_summary(
        self, labels: Mapping[str, str] = MappingProxyType({}), budget: int = BUDGET
    ) -> str:
        """Return the last actions and their outcomes, newest first."""
        lines = [
            f"- tick {each.tick}: {labels.get(each.action_value, each.action_value)}, {each.outcome_summary}"
            for each in self.observer.recent_actions[::-1]
        ]
        return _section("Last actions, newest first:", lines, budget)

    def _record(self, opponent: str) -> Iterator[str]:
        """Yield the battles against one trainer, summed over all games."""
        met = self._met(OPPONENT_MET, OpponentMet, "subject", opponent)
        if not met:
            return
        won, lost = (sum(getattr(each, name) for each in met) for name in ("won", "lost"))
        words = [f"{opponent}, the next opponent: won {won} and lost {lost} of its battles"]
        if by := next((each for each in met[::-1] if each.won_by), None):
            moves = f" with {', '.join(by.won_with)}" if by.won_with else ""
            words.append(f"last beaten by {by.won_by}{moves}")
        if by := next((each for each in met[::-1] if each.lost_by), None):
            words.append(f"{by.lost_by} at level {by.lost_at} lost to it last")
        yield "; ".join(words)

    def _place(self, place: str) -> Iterator[str]:
        """Yield what there is in one place and what was first got there, over all games."""
        known = self._met(PLACE_KNOWN, PlaceKnown, "subject", place)
        if known:
            visits = sum(each.visits for each in known)
            there = dict.fromkeys(name for each in known for name in each.points_of_interest)
            left = dict.fromkeys(name for each in known for name in each.unexplored_areas)
            words = [f"{place}, this place: visited {visits}x"]
            words += [", ".join(there)] if there else []
            words += [f"not explored from here: {', '.join(left)}"] if left else []
            yield "; ".join(words)
        got = [each.subject for each in self._met(ITEM_OWNED, ItemOwned, "place", place)]
        if got:
            yield f"first seen in the bag in {place}: {', '.join(dict.fromkeys(got))}"

    def _met(self, kind: str, record: type[Met], field: str, name: str) -> list[Met]:
        """Return the open rows of a kind whose `field` is `name`, without claims."""
        tactician = self.tactician
        entries = tactician.blackboard.entries(tactician.semantic, kind=kind, limit=MOST_SEEN)
        return [
            from_json(record, each.data)
            for each in entries
            if each.data[field] == name and not each.closed and each.status != "claim"
        ]

    def _wins(self, enemies: str) -> Iterator[str]:
        """Yield the moves that won against the whole team `enemies`, the most proven first."""
        of_team = [
            each
            for each in self.tactician.strategies.records()
            if each.enemy_type == enemies and each.success_rate
        ]
        for each in sorted(of_team, key=lambda each: (-proven(each), each.strategy_id))[:MOST]:
            won, level = (
                round(each.success_rate * each.total_uses),
                each.context.get("player_level"),
            )
            last = "" if level is None else f", the last at level {level}"
            tried = f"{each.player_pokemon} won {won} of {each.total_uses} against {enemies}"
            yield f"{tried} with {', '.join(each.moves_sequence)}{last}"

    def _mistakes(self, enemies: str, context: Mapping[str, Json]) -> Iterator[str]:
        """Yield the defeats by this team or its first members, then what keeps failing in the place."""
        members = enemies.split(", ") if enemies else []
        asked: list[Mapping[str, Json]] = [
            {"enemy_pokemon": ", ".join(members[:count])} for count in range(len(members), 0, -1)
        ]
        if context.get("location"):
            asked.append({"location": context["location"]})
        for each in asked:
            for mistake in self.tactician.get_mistakes_for_context(each)[:MOST]:
                is_one = mistake.occurrence_count == 1
                times = "once" if is_one else f"{mistake.occurrence_count}x"
                is_battle = "enemy_pokemon" in mistake.situation
                last = "the last time " if is_battle and not is_one else ""
                words = f"{mistake.description}, {last}{mistake.outcome}"
                yield f"mistake, {times}: {words}. {mistake.prevention_tip}".rstrip()


def _section(title: str, lines: Iterable[str], budget: int) -> str:
    """Return as many of `lines`, most valuable first, as fit the budget."""
    text = title
    for line in lines:
        longer = f"{text}\n{line}"
        if tokens(longer) > budget:
            break
        text = longer
    return "" if text == title else text
