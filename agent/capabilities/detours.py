"""Ways that failed: a square that a walk could not step on is walked around, by whoever comes there again."""

from typing import Final

from agent.capabilities.experience import Use
from agent.capabilities.kit import Kit
from agent.capabilities.places import Place
from agent.skills import (
    FLASH,
    Destination,
    Obstacles,
    Skill,
    broken_off,
    find_way,
    overseen,
    travel,
)
from emulator import State

DETOUR: Final = 40  # steps that are walked sooner than tried in vain again


def around(kit: Kit, _state: State) -> Obstacles:
    """Return the squares that memory makes dearer; a way over them is still a way, where there is no other."""
    barred = kit.experience.barred()
    return Obstacles(frozenset(), dict.fromkeys(barred, DETOUR)) if barred else Obstacles.none()


def detour(place: Place, kit: Kit, state: State) -> str:
    """Return why the way to `place` is not the shortest; nothing, where memory does not change it."""
    barred = kit.experience.barred()
    if not barred or not state.in_control:
        return ""
    usual = find_way(kit.terrain, _end(place), state) or ()
    found = next((barred[hop.to[:3]] for hop in usual if hop.to[:3] in barred), None)
    if found is None:
        return ""
    where = kit.story.called(found.map_id)
    why = f"a walk to {found.towards} got no further at ({found.x},{found.y}) of {where}"
    kit.experience.sways(Use.ROUTES, f"the way to {place.called}", why)
    return f"remembered: {why}"


def walk(place: Place, kit: Kit, state: State) -> Skill:
    """Walk to `place`, and tell of the square that could not be stepped on, or could again.

    It is broken off where it turns dark for somebody who has a light: nobody needs to grope on to the next battle.
    """
    met, barred = kit.encounters, kit.experience.barred()
    began = state

    def pass_over(state: State) -> None:
        here = state.map
        if (here.map_id, here.x, here.y) in barred:
            met.passed(state, (here.map_id, here.x, here.y))

    way = travel(
        kit.terrain,
        _end(place),
        state,
        balked=lambda spot: met.barred(began, spot[:3], place.called),
    )

    def turned_dark(state: State) -> bool:
        return state.is_dark and state.in_control and kit.story.can_use(state, FLASH)

    if barred:
        way = overseen(way, pass_over)
    return way if state.is_dark else broken_off(way, turned_dark)


def _end(place: Place) -> Destination:
    return Destination(place.map_id, frozenset({place.spot}) if place.spot is not None else None)
