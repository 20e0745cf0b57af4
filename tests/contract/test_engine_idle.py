"""The processor sleeps whenever the game waits, and the stack keeps to its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.contract.conftest import halting_share

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from tests.contract.conftest import Game

ENOUGH = 0.95
STACK_BOTTOM, STACK_TOP = 0xDEE2, 0xDFFF  # above the last name of the last box


def test_the_idle_cartridge_halts(
    start: Callable[[str], Game], capsys: pytest.CaptureFixture[str]
) -> None:
    shares = {}
    for station in ("title", "main menu", "naming", "bedroom", "house", "town"):
        shares[station] = halting_share(start(station))
    game = start("bedroom").go_beside(*start("bedroom").signs[0])
    game.press("a", settle=200)
    shares["waiting text"] = halting_share(game)
    game = start("bedroom")
    game.press("start", settle=20)
    shares["start menu"] = halting_share(game)
    with capsys.disabled():
        words = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
        print(f"\nframes that reach halt: {words}")  # noqa: T201  the measured figure is wanted
    assert min(shares.values()) >= ENOUGH


def test_walking_halts_too(start: Callable[[str], Game]) -> None:
    game = start("town")
    game.step("down")
    game.hold("down")
    share = halting_share(game, 64)
    game.release("down")
    assert share >= ENOUGH


def test_the_stack_stays_above_the_last_label(start: Callable[[str], Game]) -> None:
    game = start("town")
    game.press("start", settle=20)
    game.press("b", settle=20)
    game.go_beside(*game.signs[0])
    game.press("a", settle=200)
    stack = bytes(game.pyboy.memory[STACK_BOTTOM : STACK_TOP + 1])
    untouched = next(i for i, byte in enumerate(stack) if byte)
    assert untouched >= 64
    assert game.pyboy.register_file.SP > STACK_BOTTOM
