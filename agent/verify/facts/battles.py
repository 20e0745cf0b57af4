"""Battles when their menu waits: who fights, with which numbers."""

from __future__ import annotations

from typing import Final

from agent.verify.fact import Fact, Notebook
from agent.verify.facts.watcher import Onlooker
from emulator import Battle, BattleKind, BattleMon, BattleType, Dex, Phase, State, Stats, stats_of

KIND: Final = Fact(
    "battles.kind",
    "wIsInBattle is 2 exactly where wCurOpponent is a class of trainers plus 200, and 1 where it is a species.",
    "engine.md 7.1: variables",
)
ENEMY: Final = Fact(
    "battles.enemy",
    "The stats of who stands against one are those of its species' base stats, DVs and level, without stat experience.",
    "formats.md 1.7: stat formulas",
)
TRAINER: Final = Fact(
    "battles.trainer",
    "A trainer's mons are those of his set in the table of parties, with DVs 9, 8, 8, 8.",
    "formats.md 1.7: trainer mons",
)
OWN: Final = Fact(
    "battles.own",
    "The own mon fights with the level, maximum HP and unmodified stats that it has in the team.",
    "formats.md 1.6: battle mon",
)
PP: Final = Fact(
    "battles.pp",
    "A use of a move takes one of its PP, from the mon that fights and from the team's alike.",
    "formats.md 1.6: PP in battle",
)

TRAINER_DVS: Final = (9, 8, 8, 8)
FIRST_TRAINER: Final = 200
NO_MOVE: Final = (0, 165)


class Battles(Onlooker):
    """Looks at battles while their main menu waits."""

    facts = (KIND, ENEMY, TRAINER, OWN, PP)

    def __init__(self, notebook: Notebook, dex: Dex) -> None:
        super().__init__(notebook)
        self._dex = dex

    def moment(self, state: State) -> None:
        """Look at a battle whose menu waits."""
        battle = state.battle
        if battle is None or battle.phase is not Phase.MAIN_MENU:
            return
        if battle.type is not BattleType.NORMAL:
            return
        looks = (
            (KIND, _kind(battle)),
            (ENEMY, self._enemy(battle)),
            (TRAINER, self._trainer(battle)),
            (OWN, _own(battle, state)),
            (PP, _pp(battle, state)),
        )
        for fact, seen in looks:
            if fact is not TRAINER or battle.is_trainer:
                self.notebook.judge(fact, seen, state.ram, state.frame)

    def _enemy(self, battle: Battle) -> str | None:
        mon = battle.enemy
        if mon is None:
            return "nobody whole stands against the player"
        known = self._dex.all_species.get(mon.species)
        if known is None or mon.transformed:
            return None
        return _unlike(mon, stats_of(known.base, mon.dvs, mon.level))

    def _trainer(self, battle: Battle) -> str | None:
        known = self._dex.all_trainers.get(battle.trainer_class)
        if known is None or battle.trainer_number not in range(1, len(known.teams) + 1):
            return f"class {battle.trainer_class} has no set {battle.trainer_number}"
        team = [(each.level, each.species) for each in known.teams[battle.trainer_number - 1]]
        seen = [(each.level, each.species) for each in battle.enemy_party.mons]
        if seen != team:
            return f"levels and species {seen}, not {team}"
        mon = battle.enemy
        if mon is not None and not mon.transformed and tuple(mon.dvs) != TRAINER_DVS:
            return f"DVs {tuple(mon.dvs)}"
        return None


def _kind(battle: Battle) -> str | None:
    is_class = battle.opponent > FIRST_TRAINER
    if is_class is (battle.kind is BattleKind.TRAINER):
        return None
    return f"wIsInBattle {battle.kind.value} with wCurOpponent {battle.opponent}"


def _own(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None:
        return "nobody whole fights for the player"
    if mon.transformed:
        return None
    member = state.party[mon.position]
    if mon.level != member.level:
        return f"level {mon.level} in battle, {member.level} in the team"
    return _unlike(mon, member.stats)


def _pp(battle: Battle, state: State) -> str | None:
    mon = battle.own
    if mon is None or mon.transformed:
        return None
    member = state.party[mon.position]
    own, team = [each.pp for each in mon.moves], [each.pp for each in member.moves]
    same = [each.move for each in mon.moves] == [each.move for each in member.moves]
    return None if own == team or not same else f"PP {own} in battle, {team} in the team"


def _unlike(mon: BattleMon, wanted: Stats) -> str | None:
    seen = mon.unmodified
    return None if seen == wanted else f"stats {tuple(seen)}, not {tuple(wanted)}"
