"""Who has lost against a trainer before: the same mon does not go first against him again before it has grown."""

from agent.capabilities.experience import Experience
from emulator import Dex, PartyMon, Team
from memory import MistakeRecord


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
