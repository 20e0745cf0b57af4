"""Warps tried out from the square beside them: with the key let go of in time, and with it held."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agent.verify.aside import Aside
from agent.verify.fact import MAP, Fact, Notebook
from agent.verify.facts.steps import KEYS, is_idle
from emulator import Facing, Ram, State, Trigger, Warp, World
from emulator.profile import symbol

STEP: Final = Fact(
    "warps.step",
    "A warp on a door tile or a warp tile fires when the player arrives, whatever is held.",
    "formats.md 3.7: step warps",
)
PRESS: Final = Fact(
    "warps.press",
    "Other warps let who arrives without a key stand, and fire when the direction that leads out is held.",
    "formats.md 3.7: press warps",
)

COUNTER: Final = symbol("wWalkCounter")
TRIES: Final = 4  # of each kind
BEGINS: Final = 16  # frames that a key is held at most until a step begins
ARRIVES: Final = 60  # frames after which one has arrived, and a warp has fired


class Doors:
    """Walks onto the warps beside the player."""

    facts = (STEP, PRESS)

    def __init__(self, notebook: Notebook, world: World) -> None:
        self._notebook = notebook
        self._world = world
        self._left = {STEP: TRIES, PRESS: TRIES}
        self._been: set[tuple[int, int]] = set()  # map and index of a warp

    def wants(self, state: State) -> bool:
        """Say whether a warp that was not tried is beside the player."""
        return is_idle(state) and next(self._beside(state), None) is not None

    def run(self, aside: Aside, state: State) -> None:
        """Walk onto each of them."""
        for facing, warp in list(self._beside(state)):
            fact = STEP if warp.trigger is Trigger.STEP else PRESS
            self._been.add((state.map.map_id, warp.index))
            self._left[fact] -= 1
            tried = _step(aside, facing) if fact is STEP else _press(aside, facing, warp)
            if tried is not None:
                self._notebook.judge(fact, tried or None, state.ram, state.frame)
            aside.back()

    def _beside(self, state: State) -> Iterator[tuple[Facing, Warp]]:
        here = self._world.live_map(state)
        if here is None or here.warp_at(*state.position) is not None:
            return
        taken = {person.position for person in state.people_present}
        for facing in Facing:
            ahead = (state.map.x + facing.dx, state.map.y + facing.dy)
            warp = here.warp_at(*ahead) if here.contains(*ahead) else None
            if warp is None or ahead in taken or not here.can_step(state.position, facing):
                continue
            fact = STEP if warp.trigger is Trigger.STEP else PRESS
            is_new = (state.map.map_id, warp.index) not in self._been
            if warp.trigger is not Trigger.NONE and is_new and self._left[fact] > 0:
                yield facing, warp


def _step(aside: Aside, facing: Facing) -> str | None:
    begin = aside.state.map.map_id
    if not aside.until(_walks, BEGINS, KEYS[facing]):
        return None
    left = aside.until(lambda ram: ram.byte(MAP) != begin, ARRIVES)
    end = aside.state
    if end.in_battle or end.dialogue.is_open or (end.control.scripted and not left):
        return None
    return "" if left else f"the player stands on it {ARRIVES} frames after the step began"


def _press(aside: Aside, facing: Facing, warp: Warp) -> str | None:
    begin = aside.state.map.map_id
    if not aside.until(_walks, BEGINS, KEYS[facing]):
        return None
    end = aside.wait(ARRIVES)
    if end.map.map_id != begin:
        return "it fired although the key was let go of before the player arrived"
    if not end.in_control or end.position != warp.position:
        return None
    way_out = KEYS[next(iter(sorted(warp.press, key=lambda each: each.value)))]
    left = aside.until(lambda ram: ram.byte(MAP) != begin, ARRIVES, way_out)
    if aside.state.in_battle or aside.state.dialogue.is_open:
        return None
    return "" if left else f"{way_out.name} held on it did not lead out"


def _walks(ram: Ram) -> bool:
    return ram.byte(COUNTER) != 0
