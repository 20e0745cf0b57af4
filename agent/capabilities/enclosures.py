"""Places that one does not leave as one likes: being prepared before one goes in, and coming out of those that let one."""

from collections.abc import Iterator, Mapping
from typing import Final

from agent.capabilities.capability import Capability, Deed, watching
from agent.capabilities.enclosed import ENCLOSED, prepared
from agent.capabilities.feats import LISTENING
from agent.capabilities.kit import Kit
from agent.capabilities.shop import supplied_by
from agent.capabilities.story import Enclosure, Place
from agent.capabilities.travel import arriving, at
from agent.planning import Action, Effect, Require
from agent.skills import Outcome, Skill, leave_saying_yes
from emulator import State

FIT: Final = 90  # percent of HP and PP with which one goes in where nobody heals
LEAVING_COST: Final = 10


def capability(kit: Kit) -> Capability:
    """Go in prepared, and out where that is possible."""
    story = kit.story
    inside = {each.map_id: each.within for each in story.places if each.within}
    rows = [each for each in story.enclosures if story.row(each.name)]
    outside = {ENCLOSED: 0, **{prepared(each.name): 0 for each in rows}}

    def read(state: State) -> Mapping[str, int]:
        name = inside.get(state.map.map_id, "")
        here = {prepared(each.name): int(each.name == name) for each in rows}
        return {ENCLOSED: int(bool(name)), **here}

    return Capability(
        name="enclosures",
        sensors=(watching(outside, lambda state: (state.map.map_id,), read),),
        deeds=(
            *(_prepare(each, kit) for each in rows),
            *(
                _leave(each, place, kit)
                for each in story.enclosures
                for place in story.places
                if each.leaves and place.within == each.name
            ),
        ),
    )


def _prepare(enclosure: Enclosure, kit: Kit) -> Deed:
    """Count as prepared: strong enough for all of them in a row, healed, and with what the money buys."""
    first = kit.story.row(enclosure.name)[0]
    action = Action(
        name=f"prepare:{enclosure.name}",
        requires=(
            Require(at(enclosure.entrance), at_least=1),
            Require(first.ready, at_least=1),
            Require("party:hp", at_least=FIT),
            Require("party:pp", at_least=FIT),
            *_supplied(enclosure, kit),
        ),
        effects=(Effect(prepared(enclosure.name), 1),),
        cost=1,
        says="see that all is ready: there is no rest from here on",
    )
    return Deed(action, _look_over, at_once=True)


def _look_over(_state: State) -> Skill:
    yield from ()
    return Outcome.DONE


def _supplied(enclosure: Enclosure, kit: Kit) -> Iterator[Require]:
    for clerk in kit.story.clerks:
        if clerk.place == enclosure.entrance:
            yield Require(supplied_by(clerk), at_least=1)


def _leave(enclosure: Enclosure, place: Place, kit: Kit) -> Deed:
    (outside,) = [each for each in kit.story.places if each.name == enclosure.entrance]

    def begin(state: State) -> Skill:
        return leave_saying_yes(kit.terrain, outside.map_id, state)

    action = Action(
        name=f"leave:{place.name}",
        requires=(
            Require(at(place.name), at_least=1),
            Require("in_control", at_least=1),
        ),
        effects=(
            *arriving(kit.story, outside),
            *(Effect(fact, 0) for fact in enclosure.takes),
        ),
        cost=LEAVING_COST,
        says=f"leave by {outside.called}",
    )
    return Deed(action, begin, masters=LISTENING)
