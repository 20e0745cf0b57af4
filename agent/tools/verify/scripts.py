"""Facts about scripts that the story relies on: fights on squares, rivals' teams, lifts, currents, and things without an item."""

from collections.abc import Iterator
from typing import Final

from agent.skills import Destination, Terrain, talk, travel
from agent.skills.walk import BUTTON
from agent.story.facts import FactKind
from agent.story.interactions import Task
from agent.tools.verify.battles import flees
from agent.tools.verify.fact import MAP, FactWatcher, Sandbox, Trial
from agent.tools.verify.movement import is_idle
from agent.tools.verify.warps import look_back
from emulator import Battle, Button, Facing, MenuKind, Phase, Ram, State, symbol
from emulator.ram import EVENTS, Travel
from emulator.world import Warp

BAG: Final = symbol("wNumBagItems")
EMPTY: Final = b"\0\xff"
SCROLL_Y: Final = symbol("hSCY")
SIMULATED: Final = symbol("wSimulatedJoypadStatesIndex")
WAITED: Final = 60  # frames on a square within which its script begins
ENDED: Final = 900  # frames within which a script after a battle has ended
STILL: Final = 20  # frames without a change after which a lift has stopped
SHAKES: Final = range(90, 111)  # turns of the picture of a lift: 100, seen frame by frame
ANSWERED: Final = 60  # frames within which a panel or a person answers
LONGEST_WALK: Final = 60  # steps of a skill
ENTERED: Final = 120  # frames after which a map is entered
NO_ITEM: Final = b"\0"  # what follows the flag


class ScriptWatcher(FactWatcher):
    """Checks squares where a script begins a fight, the teams of rivals, and how lifts shake."""

    _since: int | None = None  # the frame since which the player stands on the square
    _is_judged = False
    _last_shift = _shakes = _still = 0

    def after_step(self, state: State) -> None:
        """Check the square, and the rival when his first menu waits."""
        if state.battle is not None and state.battle.phase is Phase.MAIN_MENU:
            self._check_rival(state.battle, state)
        if self._is_due(state):
            self._wait_for_script(state)
        else:
            self._since, self._is_judged = None, False

    def _check_rival(self, battle: Battle, state: State) -> None:
        """Check the number of a trainer who has one for each starter of the rival."""
        for task in self.story.tasks:
            rival = task.against
            if rival is None or len(rival.numbers) < 2 or not battle.is_trainer:
                continue
            number = battle.trainer_number
            if battle.trainer_class == rival.trainer_class and number in rival.numbers:
                wanted = rival.numbers[self.story.rival_choice(state)]
                seen = None if number == wanted else f"set {number}, not {wanted}"
                self.log.record("battles.rival", seen, state.ram, state.frame)

    def _is_due(self, state: State) -> bool:
        return state.game_started and any(
            task.interaction.key == "walk_to"
            and (task.against is not None or task.must_win)
            and is_open_on_square(self, task, state)
            for task in self.story.tasks
        )

    def _wait_for_script(self, state: State) -> None:
        if self._since is None:
            self._since = state.frame
        if self._is_judged:
            return
        waited = state.frame - self._since
        if not state.in_control and not state.control.fading and not state.control.walking:
            self._is_judged = True
            self.log.holds("scripts.square")
        elif waited > WAITED:
            self._is_judged = True
            seen = f"the player stands there for {waited} frames, and nothing begins"
            self.log.fails("scripts.square", seen, state.ram, state.frame)

    def frame(self, before: Ram, now: Ram, button: Button | None, number: int) -> None:
        """Count how often the picture of a lift turns up and down."""
        if now.byte(MAP) not in self.story.lifts:
            self._shakes = self._last_shift = 0
            return
        shift = (now.byte(SCROLL_Y) - before.byte(SCROLL_Y) + 0x80) % 0x100 - 0x80
        if shift:
            # Walking scrolls in one direction only.
            self._shakes += shift == -self._last_shift
            self._last_shift, self._still = shift, 0
            return
        self._still += 1
        if self._still == STILL and self._shakes:
            wrong = f"the picture turned {self._shakes} times"
            seen = None if self._shakes in SHAKES else wrong
            self.log.record("scripts.lift", seen, now, number)
            self._shakes = self._last_shift = 0


def is_open_on_square(source: FactWatcher | Trial, task: Task, state: State) -> bool:
    """Return whether a task that begins on the player's square is open."""
    story, here = source.story, state.map
    return (
        story.place(task.place).map_id == here.map_id
        and task.interaction.starts_at(here.x, here.y)
        and not story.shows(state, task.sets)
        and all(story.shows(state, fact) for fact in task.needs)
    )


class MustWinTrials(Trial):
    """Runs from a wild battle that has to be won."""

    def is_ready(self, state: State) -> bool:
        """Return whether the menu of such a battle waits."""
        battle = state.battle
        waits = battle is not None and battle.is_wild and battle.phase is Phase.MAIN_MENU
        return waits and next(self._tasks(state), None) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Run, and check that the task is still open."""
        for task in list(self._tasks(state)):
            self.tried[task.id] += 1
            if not flees(sandbox, 80, 30, 0):
                continue
            for _ in range(ENDED // 20):
                if sandbox.press(Button.B, hold=4, settle=16).in_control:
                    break
            end = sandbox.state
            done = self.story.shows(end, task.sets)
            seen = "what its victory brings is there after running" if done else None
            if end.in_control:
                self.log.record("scripts.must_win", seen, state.ram, state.frame)

    def _tasks(self, state: State) -> Iterator[Task]:
        for task in self.story.tasks:
            if task.must_win and task.id not in self.tried and is_open_on_square(self, task, state):
                yield task


class PanelTrials(Trial):
    """Examines the panel of a lift that needs a key, with an empty bag."""

    def is_ready(self, state: State) -> bool:
        """Return whether the player stands below such a panel."""
        lift = self.story.lifts.get(state.map.map_id)
        if lift is None or not lift.needs or state.map.map_id in self.tried:
            return False
        x, y = lift.panel
        return state.in_control and state.position == (x, y + 1)

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Press A before the panel."""
        self.tried[state.map.map_id] += 1
        sandbox.poke(BAG, EMPTY)
        needs = self.story.lifts[state.map.map_id].needs
        if all(self.story.shows(sandbox.state, each) for each in needs):
            return  # it needs something else than an item
        sandbox.press(Button.UP, hold=4, settle=12)
        sandbox.press(Button.A, hold=4, settle=ANSWERED)
        end = sandbox.state
        lists = end.menu is not None and end.menu.kind is MenuKind.FLOORS
        if lists or end.dialogue.is_open:
            seen = "it lists the floors" if lists else None
            self.log.record("scripts.lift_key", seen, state.ram, state.frame)


class CurrentTrials(Trial):
    """Swims onto a square with a current, with what stills it undone."""

    def is_ready(self, state: State) -> bool:
        """Return whether the player swims beside such a square."""
        is_new = state.map.travel is Travel.SURF and state.map.map_id not in self.tried
        return is_new and state.in_control and next(self._beside(state), None) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Swim there, and check that the game takes over."""
        facing, events = next(self._beside(state))
        self.tried[state.map.map_id] += 1
        for event in events:
            at, bit = EVENTS + event // 8, event % 8
            sandbox.poke(at, bytes([sandbox.ram.byte(at) & ~(1 << bit)]))
        there = (state.map.x + facing.dx, state.map.y + facing.dy)
        if not sandbox.until(lambda ram: ram.byte(SIMULATED) > 0, WAITED, BUTTON[facing]):
            if sandbox.state.position == state.position:
                return  # a person is in the way, or a wild Pokemon came
            seen = f"the player swims on {there} as elsewhere"
            self.log.fails("scripts.current", seen, state.ram, state.frame)
            return
        self.log.holds("scripts.current")

    def _beside(self, state: State) -> Iterator[tuple[Facing, tuple[int, ...]]]:
        for gate in self.story.gates:
            known = self.story.ram_facts
            facts = [known[each] for each in gate.needs if each in known]
            if gate.map_id != state.map.map_id or {each.kind for each in facts} != {FactKind.EVENT}:
                continue
            for facing in Facing:
                if (state.map.x + facing.dx, state.map.y + facing.dy) in gate.squares:
                    yield facing, tuple([each.number for each in facts])


class NoItemTrials(Trial):
    """Talks to what the cartridge flags as an item with number 0."""

    def is_ready(self, state: State) -> bool:
        """Return whether there is one on the map."""
        return is_idle(state) and next(self._slots(state), None) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Talk, and check that the bag is unchanged, and that it is still there."""
        slot = next(self._slots(state))
        self.tried[state.map.map_id, slot] += 1
        end = sandbox.follow(talk(slot, Terrain(self.world), state), LONGEST_WALK)
        if not end.in_control or end.position == state.position:
            return  # a person was in the way, or the talk goes on
        is_there = any(each.slot == slot for each in end.people_present)
        wrong = f"the bag went from {state.bag.items} to {end.bag.items}"
        seen = wrong if end.bag != state.bag else None if is_there else "it is gone"
        self.log.record("scripts.no_item", seen, state.ram, state.frame)

    def _slots(self, state: State) -> Iterator[int]:
        map_id = state.map.map_id
        objects = self.world.map(map_id).people if map_id in self.world.map_ids else ()
        flagged = {each.slot for each in objects if each.extra == NO_ITEM}
        for person in state.people_present:
            if person.slot in flagged and (map_id, person.slot) not in self.tried:
                yield person.slot


class LiftTrials(Trial):
    """Enters each lift, which the story may not name."""

    def is_ready(self, state: State) -> bool:
        """Return whether there is the door of a lift on the map."""
        map_id = state.map.map_id
        return is_idle(state) and map_id not in self.tried and self._door(state) is not None

    def run(self, sandbox: Sandbox, state: State) -> None:
        """Walk in through the door, and check the exits."""
        map_id, door = state.map.map_id, self._door(state)
        self.tried[map_id] += 1
        if door is None:
            return
        before = Destination(map_id, frozenset({(door.x, door.y + 1)}))
        sandbox.follow(travel(Terrain(self.world), before, state), LONGEST_WALK)
        if sandbox.until(lambda ram: ram.byte(MAP) == door.map_id, WAITED, Button.UP):
            end = sandbox.wait(ENTERED)
            if end.map.map_id == door.map_id:
                look_back(self, map_id, end.ram, state.frame)

    def _door(self, state: State) -> Warp | None:
        map_id = state.map.map_id
        if map_id not in self.world.map_ids:
            return None
        for warp in self.world.map(map_id).warps:
            leads_on = warp.map_id != map_id and warp.map_id in self.world.map_ids
            if leads_on and self.world.end_of(map_id, warp) is None:
                return warp
        return None
