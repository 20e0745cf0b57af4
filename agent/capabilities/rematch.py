"""Who has lost against a trainer before does not go first against him again before it has grown; who won may."""

from typing import Final, NamedTuple

from agent.capabilities.experience import Experience
from emulator import Dex, PartyMon, Team
from memory import MistakeRecord

PROVEN: Final = 3  # wins without a defeat from which on they count


class Proof(NamedTuple):
    """How often a kind of Pokemon won, without a defeat, and the lowest level at which it did."""

    own: str
    enemies: str
    wins: int
    level: int

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.own} won against {self.enemies} all of {self.wins} times, at level {self.level} too"


def won_against(dex: Dex, mon: PartyMon, team: Team, experience: Experience) -> Proof | None:
    """Return the proof that `mon`'s kind beats `team` at its level or one above it, or None.

    One level is what is dared: each win there moves the proof down by one, a defeat takes it away.
    """
    species = dex.all_species.get(mon.species)
    if species is None or not team:
        return None
    enemies = ", ".join(dict.fromkeys(dex.species(each.species).name for each in team))
    strongest = max(each.level for each in team)
    wins, levels = 0, []
    for known in experience.wins(species.name, enemies):
        if known.context.get("enemy_level") != strongest:
            continue
        if known.success_rate < 1:
            return None
        wins += known.total_uses
        levels.append(known.context.get("player_level"))
    lowest = min((level for level in levels if isinstance(level, int)), default=None)
    if lowest is None or wins < PROVEN or mon.level < lowest - 1:
        return None
    return Proof(species.name, enemies, wins, lowest)


def lost_to(dex: Dex, mon: PartyMon, team: Team, experience: Experience) -> MistakeRecord | None:
    """Return the battle that `mon`'s kind lost against `team` at its level or above, or None."""
    species = dex.all_species.get(mon.species)
    defeats = experience.defeats(species.name) if species is not None else ()
    return next((each for each in defeats if _forbids(dex, each, mon, team)), None)


def _forbids(dex: Dex, defeat: MistakeRecord, mon: PartyMon, team: Team) -> bool:
    lost_at = defeat.situation["player_level"]
    return isinstance(lost_at, int) and mon.level <= lost_at and _was_against(dex, defeat, team)


def _was_against(dex: Dex, defeat: MistakeRecord, team: Team) -> bool:
    """Whether it was this team as far as it was seen; a wild one of the same kind and level passes for it too."""
    met = str(defeat.situation["enemy_pokemon"]).split(", ")
    named = [(dex.species(each.species).name, each.level) for each in team]
    order = list(dict.fromkeys(name for name, _ in named))
    levels = [level for name, level in named if name in met]
    return order[: len(met)] == met and defeat.situation["enemy_level"] in levels
