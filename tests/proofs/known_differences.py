"""Turns in which our cartridge is known to differ from the game: what differs, and the facts of the game.

The engine is right in all of these; each names the routine of the game that shows it.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from emulator.rules.engine import effects
from emulator.rules.engine.position import (
    BIDING,
    ITEM,
    OURS,
    PER_ITEM,
    RAGING,
    THEIRS,
    TRAPPING,
    Side,
)
from tests.proofs.played_turns import PlayedTurn

COPIERS: Final = (effects.MOVE_METRONOME, effects.MOVE_MIRROR_MOVE)
CURES: Final = (11, 12, 13, 14, 15, 16, 52)
LEADER: Final = 34  # the one class of the cartridge that helps its Pokemon


class KnownDifference(NamedTuple):
    """What differs, and whether a turn is one of these."""

    what: str
    applies: Callable[[PlayedTurn, Sequence[str]], bool]


def _sides(turn: PlayedTurn) -> list[Side]:
    return [each.sides[side] for each in (turn.before, turn.after) for side in (OURS, THEIRS)]


def _bides(turn: PlayedTurn, _shown: Sequence[str]) -> bool:
    return any(
        each.volatile & BIDING or each.selected == effects.MOVE_BIDE for each in _sides(turn)
    )


def _item_while_trapping(turn: PlayedTurn, _shown: Sequence[str]) -> bool:
    return turn.choice >= ITEM and bool(turn.before.sides[OURS].volatile & TRAPPING)


def _status_of_fainted(_turn: PlayedTurn, shown: Sequence[str]) -> bool:
    return all("our member" in each and " status: " in each for each in shown)


def _cure_keeps_stats(turn: PlayedTurn, shown: Sequence[str]) -> bool:
    is_cure = (turn.choice - ITEM) // PER_ITEM in CURES
    return is_cure and all(each.startswith("our stats") for each in shown)


def _copied(turn: PlayedTurn, _shown: Sequence[str]) -> bool:
    return any(each.selected in COPIERS for each in _sides(turn))


def _rages(turn: PlayedTurn, _shown: Sequence[str]) -> bool:
    return any(each.volatile & RAGING for each in _sides(turn))


def _sleep_on_recharging(turn: PlayedTurn, shown: Sequence[str]) -> bool:
    loaded = [each.move.effect for each in _sides(turn)]
    return effects.SLEEP in loaded and effects.HYPER_BEAM in loaded


def _leader_helps(turn: PlayedTurn, _shown: Sequence[str]) -> bool:
    return bool(turn.before.trainer_class == LEADER and turn.before.ai_uses > turn.after.ai_uses)


DIFFERENCES: Final = (
    KnownDifference(
        "Bide stores damage when it is done, not at its own turns (CheckPlayerStatusConditions)",
        _bides,
    ),
    KnownDifference(
        "an item used while trapping takes none of the turns of that (UseBagItem)",
        _item_while_trapping,
    ),
    KnownDifference(
        "a Pokemon that faints keeps its status (RemoveFaintedPlayerMon)", _status_of_fainted
    ),
    KnownDifference(
        "an item that cures leaves stages and badges in the stats (ItemUseMedicine)",
        _cure_keeps_stats,
    ),
    KnownDifference(
        "a copied move is paid once more if it charges, and Counter keeps its damage (GetDamageVars)",
        _copied,
    ),
    KnownDifference(
        "Rage goes on when it missed, and is not fed by Disable (RageEffect, HandleBuildingRage)",
        _rages,
    ),
    KnownDifference(
        "sleep may miss a target that must recharge, which stays so (SleepEffect)",
        _sleep_on_recharging,
    ),
    KnownDifference("a trainer class gives 20 HP (TrainerAI)", _leader_helps),
)


def known(turn: PlayedTurn, shown: Sequence[str]) -> str | None:
    """Return the known difference that explains the fields that differ, or None."""
    if not shown:
        return None
    return next((each.what for each in DIFFERENCES if each.applies(turn, shown)), None)


def copies(turn: PlayedTurn) -> bool:
    """Return whether a side copies a move; Metronome has fewer moves to choose from on our cartridge."""
    return _copied(turn, ())
