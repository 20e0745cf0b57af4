"""A battle sleeps while it waits, and its stack keeps to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract import battles
from tests.contract.battles import FIGHT, TEAM, Mon
from tests.contract.conftest import halting_share
from tests.contract.test_engine_idle import ENOUGH, STACK_BOTTOM, STACK_TOP

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.contract.conftest import Game


def test_a_waiting_battle_halts(
    start: Callable[[str], Game], capsys: pytest.CaptureFixture[str]
) -> None:
    game = start("bedroom")
    battles.set_team(game, Mon(3, hp=300, max_hp=300, experience=1000), Mon(7, experience=1000))
    battles.poke(game, "wCurEnemyLevel", b"\3")
    battles.poke(game, "wCurOpponent", b"\x21")
    shares = {}
    game.wait(lambda: game.has_arrow, 400)
    shares["text"] = halting_share(game)
    battles.to_menu(game)
    shares["battle menu"] = halting_share(game)
    battles.choose(game, FIGHT)
    shares["moves"] = halting_share(game)
    game.press("b")
    battles.choose(game, TEAM)
    game.tick(20)
    shares["team"] = halting_share(game)
    with capsys.disabled():
        words = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        print(f"\nframes that reach halt in battle: {words}")  # noqa: T201  the measured figure is wanted
    assert min(shares.values()) >= ENOUGH


def test_a_turn_mostly_halts(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.set_team(game, Mon(3, hp=300, max_hp=300, experience=1000))
    battles.meet(game, 33, 3)
    battles.choose(game, FIGHT)
    game.press("a", hold=2, settle=2)
    assert halting_share(game, 120) >= 0.8


def test_the_stack_stays_above_the_last_label(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    strong = Mon(3, 6, 200, 200, (500, 500, 500, 500), (24,), experience=200)
    battles.set_team(game, strong, Mon(7, experience=1000))
    battles.challenge(game, 1, 1)
    for _ in range(30):
        battles.choose(game, FIGHT)
        game.press("a", hold=2, settle=2)
        battles.read_on(game)
        if game.cursor == (1, 8):
            game.press("b", settle=30)
            battles.read_on(game)
        if not game.byte("wIsInBattle"):
            break
    stack = bytes(game.pyboy.memory[STACK_BOTTOM : STACK_TOP + 1])
    untouched = next(i for i, byte in enumerate(stack) if byte)
    assert untouched >= 64
    assert game.pyboy.register_file.SP > STACK_BOTTOM
