"""The model of a game: RAM as a cartridge would leave it, and what changes it on the map and in talks.

Everything that a cartridge keeps is in RAM, which the same readers decode as on a console.
"""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final, NamedTuple

from agent.battle.odds import Foe, rested
from agent.lab.rehearse.battle import Ended, ModelBattle, Trainer, new_mon
from agent.lab.rehearse.costs import COSTS
from agent.lab.rehearse.scripts import CAME, THERE, Mark, Script, ScriptBook
from agent.skills import FLASH, Commander, Order
from agent.story.facts import FactKind, RamFact
from agent.story.interactions import FULL_TEAM, PAID_STEPS, Healer
from agent.story.opponents import team_against, team_of
from agent.story.places import Square
from agent.story.story import Story
from emulator import Cartridge, Dex, Facing, PartyMon, State, World, read_state
from emulator.model import GameRam, MapInRam
from emulator.ram import Stack
from emulator.rules import codes
from emulator.world import FIRST_INDOOR_MAP, MapObject, MapObjectKind, Opponent, SightLine

STEPS: Final = 0x100  # of a script fact: one byte
PAID_BALLS: Final = 30  # of a visit to the Safari Zone
HOME: Final = 37  # the map of the player's house


class Cause(NamedTuple):
    """Why a battle was begun: in the wild, by a person on the map, or by a script."""

    kind: str
    slot: int = 0
    script: str = ""


WILD: Final = Cause("wild")
SIZES: Final = struct.Struct("<II")  # of the parts of a saved game


@dataclass
class ModelGame:
    """A game in the model, from any RAM in which the player is in control."""

    cartridge: Cartridge
    story: Story
    book: ScriptBook
    ram: GameRam
    world: World
    dex: Dex
    chance: Random
    frame: int = 0
    battle: ModelBattle | None = None
    cause: Cause = WILD
    came: frozenset[int] = frozenset()
    was_moved: bool = False
    _state: State | None = field(default=None, repr=False)

    def state(self) -> State:
        """Return the state that RAM shows now."""
        view, known = self.ram.view, self._state
        if known is None or known.ram is not view or known.frame != self.frame:
            self._state = known = read_state(view, self.frame)
        return known

    def to_bytes(self) -> bytes:
        """Return the whole game: what RAM does not hold, the RAM, and the position of a battle."""
        version, numbers, gauss = self.chance.getstate()
        more = {
            "frame": self.frame,
            "cause": [*self.cause],
            "came": sorted(self.came),
            "chance": [version, [*numbers], gauss],
            "battle": self.battle.to_json() if self.battle is not None else None,
        }
        head = json.dumps(more).encode()
        position = self.battle.position.tobytes() if self.battle is not None else b""
        image = self.ram.view.image
        return SIZES.pack(len(head), len(image)) + head + image + position

    def restore(self, data: bytes) -> None:
        """Take over what `to_bytes` returned."""
        head, size = SIZES.unpack_from(data)
        start = SIZES.size + head
        more = json.loads(data[SIZES.size : start])
        self.ram = GameRam(self.ram.view, data[start : start + size])
        self.frame, self.came = more["frame"], frozenset(more["came"])
        self.cause = Cause(*more["cause"])
        version, numbers, gauss = more["chance"]
        self.chance.setstate((version, tuple(numbers), gauss))
        self.battle, self.was_moved = None, False
        if more["battle"] is not None:
            position = data[start + size :]
            self.battle = ModelBattle.restore(self.dex, self.state(), position, more["battle"])

    # The map.

    @property
    def here(self) -> MapInRam:
        """The player's map."""
        return MapInRam(self.ram, self.world)

    def see(self) -> None:
        """Write what the player sees now."""
        self.here.see(self._opened(self.here.map_id))

    def _opened(self, map_id: int) -> frozenset[Square]:
        doors = [each for each in self.book.doors if each.map_id == map_id]
        opened = [each.squares for each in doors if self.holds(each.mark)]
        return frozenset[Square]().union(*opened)

    def sights(self) -> Mapping[int, SightLine]:
        """Return the sight of the trainers on the map, by sprite slot."""
        return self.world.sight_lines(self.state())

    def enter(self, map_id: int, x: int, y: int) -> None:
        """Enter a map at a square, with what its arrival does."""
        before = self.here.map_id
        self._lay(map_id, x, y)
        if before != map_id:
            for each in self.book.arrivals.get(map_id, ()):
                if each.start in (None, before) and self.all_hold(each.needs):
                    self._make(each.makes)
                    if each.end is not None:
                        self._lay(*each.end)
                        self.was_moved = True
            self.ram.put_dark(dark=map_id in self.book.dark)
            self._follow()

    def _lay(self, map_id: int, x: int, y: int) -> None:
        self.here.lay(map_id, x, y, self._opened(map_id))

    # Steps.

    @property
    def visit(self) -> Script | None:
        """The script that began the visit to the Safari Zone which lasts now, if one does."""
        paid = self.book.visit
        return paid if paid is not None and self.all_hold(paid.makes) else None

    def count_step(self) -> int:
        """Count a step: poison takes HP, and a visit ends with its last one; return the frames."""
        visit = self.visit
        if visit is not None:
            steps, balls = self.state().safari
            self.ram.put_safari(steps - 1, balls)
            if steps <= 1:
                self.enter(visit.map_id, *min(visit.step))
                return self.turn_back(min(visit.step))
        if self.ram.count_step() and any(mon.status.poisoned for mon in self.state().party.mons):
            return self._poison()
        return 0

    def turn_back(self, square: Square) -> int:
        """Send the player a step back from a square where a visit is offered; return the frames."""
        self._lay(self.here.map_id, square[0], square[1] + 1)
        self.was_moved = True
        return COSTS.script

    def _poison(self) -> int:
        mons = [
            replace(mon, hp=max(mon.hp - 1, 0)) if mon.status.poisoned else mon
            for mon in self.state().party.mons
        ]
        self.ram.put_party(mons)
        if any(mon.hp for mon in mons):
            return COSTS.poison
        self.was_moved = True
        return self._black_out(self.state().player.money)

    # Battles.

    def begin(self, trainer: Trainer, cause: Cause) -> int:
        """Begin a battle; return the frames."""
        seed, dvs = self.chance.randrange(1 << 30), self.chance.randrange(1 << 16)
        visiting = self.visit is not None
        self.battle = ModelBattle.begin(
            self.dex, self.state(), trainer, seed, dvs, in_safari=visiting
        )
        self.battle.show(self.ram)
        self.cause = cause
        return COSTS.battle_begins

    def turn(self, order: Order, commander: Commander) -> int:
        """Play one turn of the battle; return the frames."""
        battle = self.battle
        assert battle is not None
        before = int(battle.position.sides[codes.THEIRS].out)
        if battle.play(order, commander, self.ram, self.state):
            is_next = int(battle.position.sides[codes.THEIRS].out) != before
            return COSTS.turn_of_battle + COSTS.next_foe * is_next
        ended, self.battle = battle.end(self.ram, commander, self.state), None
        return COSTS.turn_of_battle + COSTS.battle_ends + self._after(ended)

    def _after(self, ended: Ended) -> int:
        cause, money = self.cause, self.state().player.money
        script = next((each for each in self._scripts() if each.id == cause.script), None)
        if ended.outcome == codes.LOST and not (script is not None and script.loses_on):
            return self._black_out(money)
        if script is not None and script.loses_on:
            self.heal()  # as the rival's script in the laboratory does, won or lost
        self.ram.put_money(money + ended.money)
        if ended.caught is not None:
            self.receive(ended.caught)
        if script is not None:
            self._effects(script)
        elif cause.slot and (sight := self.sights().get(cause.slot)) is not None:
            self.ram.put_event(sight.event)
        self._follow()
        self.see()
        return 0

    def _black_out(self, money: int) -> int:
        self.ram.put_money(money // 2)
        self.heal()
        self.land(self.ram.home)
        return COSTS.blackout

    def land(self, town: int) -> None:
        """Come to a town as after a defeat or a flight: before its healer, or the player's house."""
        healers = (each for each in self.story.healers if self._town_of(each) == town)
        inside = next((self.story.place(each.place).map_id for each in healers), HOME)
        warps = self.world.map(town).warps
        door = next((warp for warp in warps if warp.map_id == inside), warps[0])
        self.enter(town, door.x, door.y + 1)

    def _town_of(self, healer: Healer) -> int:
        """Return the outdoor map whose door leads to a healer."""
        inside = self.story.place(healer.place).map_id
        towns = range(FIRST_INDOOR_MAP)
        found = (m for m in towns if any(w.map_id == inside for w in self.world.map(m).warps))
        return next(found, 0)

    def heal(self) -> None:
        """Restore the team."""
        self.ram.put_party(rested(self.dex, self.state().party).mons)

    def receive(self, mon: PartyMon) -> None:
        """Add a Pokemon to the team, or to the open box when the team is full."""
        mons = self.state().party.mons
        self.ram.put_owned(self.dex.species(mon.species).dex)
        if len(mons) < FULL_TEAM:
            self.ram.put_party([*mons, replace(mon, ot_id=self.state().player.player_id)])
        else:
            number, boxed = self.state().box.number, self.state().box.mons
            self.ram.put_box(number, [*boxed, (mon.species, mon.level)])

    # People, things and scripts.

    def _scripts(self) -> tuple[Script, ...]:
        return self.book.scripts.get(self.here.map_id, ())

    def open_scripts(self) -> Iterator[Script]:
        """Yield the scripts of this map that can be played and were not."""
        for each in self._scripts():
            if self.all_hold(each.needs) and not (each.leaves and self.all_hold(each.leaves)):
                yield each

    def talk(self, slot: int) -> int:
        """Talk to a person, or touch a thing; return the frames."""
        sight, flags = self.sights().get(slot), self.state().flags
        fights = sight is not None and not flags.is_set(sight.event)
        each = next((each for each in self.here.people() if each.slot == slot), None)
        for script in self.open_scripts():
            # What is no part of the battle follows when the trainer is talked to again.
            ends_it = sight is not None and Mark("event", sight.event) in script.makes
            if slot in script.talk and (ends_it or not fights or each is None):
                return self.play(script, slot)
        for healer in self.story.healers:
            if healer.person == slot and self.story.place(healer.place).map_id == self.here.map_id:
                return self._nurse(healer)
        if each is not None and each.kind is MapObjectKind.ITEM and each.item:
            return self._pick_up(each)
        return self.meet(each) if each is not None and (fights or sight is None) else COSTS.talk

    def examine(self, square: Square) -> int:
        """Examine a square; return the frames."""
        script = next((each for each in self.open_scripts() if square in each.look), None)
        return self.play(script, 0) if script is not None else COSTS.talk

    def do(self, key: str) -> int:
        """Play the open script of this map whose task is done by an interaction; return the frames."""
        for script in self.open_scripts():
            if script.task is not None and script.task.interaction.key == key:
                return self.play(script, 0)
        return COSTS.talk

    def push(self, slot: int, facing: Facing) -> int:
        """Push a boulder by one square, with what it does there; return the frames."""
        to = self.here.push(slot, facing)
        for script in self.open_scripts():
            done = script.task.interaction if script.task is not None else None
            if done is not None and done.key == "push" and (slot, to) in done.value:
                self._effects(script)
                self._follow()
        self.see()
        return COSTS.push

    def _nurse(self, healer: Healer) -> int:
        self.heal()
        self.ram.put_home(self._town_of(healer))
        return COSTS.heal

    def _pick_up(self, each: MapObject) -> int:
        bag = self.state().bag
        if each.item and (bag.quantity(each.item) or not bag.full):
            for toggle in self.world.map(self.here.map_id).header.toggles:
                if toggle.slot == each.slot:
                    self.ram.put_hidden(toggle.flag, to=True)
            self.give(each.item, 1)
            self.see()
        return COSTS.item

    def give(self, item: int, count: int) -> None:
        """Put items into the bag, or take them with a negative count."""
        stacks = {stack.item: stack.quantity for stack in self.state().bag.items}
        stacks[item] = max(stacks.get(item, 0) + count, 0)
        self.ram.put_bag([Stack(*each) for each in stacks.items()])

    def meet(self, each: MapObject) -> int:
        """Begin the battle with a trainer or a Pokemon on the map; return the frames."""
        cause = Cause("person", each.slot)
        if each.opponent is not None:
            return self.begin(Trainer(*each.opponent, team_of(self.dex, each.opponent)), cause)
        if each.mon is not None:
            return self.begin(Trainer(0, 0, (Foe(each.mon.level, each.mon.species),)), cause)
        return COSTS.talk

    def play(self, script: Script, slot: int) -> int:
        """Play a script: its battle first, if it has one; return the frames."""
        cause, state = Cause("script", slot, script.id), self.state()
        sight = self.sights().get(slot)
        was_beaten = sight is not None and state.flags.is_set(sight.event)
        if script.fights and not was_beaten:
            opponent = script.fights[self.story.rival_choice(state) % len(script.fights)]
            return COSTS.script + self.begin(self._trainer(script, opponent, state), cause)
        if script.meets is not None:
            species, level = script.meets
            return COSTS.script + self.begin(Trainer(0, 0, (Foe(level, species),)), cause)
        self._effects(script)
        self._follow()
        return COSTS.script

    def _trainer(self, script: Script, opponent: Opponent, state: State) -> Trainer:
        task = script.task
        if task is not None and task.against is not None:
            return Trainer(*opponent, team_against(self.story, self.dex, task, state))
        return Trainer(*opponent, team_of(self.dex, opponent))

    def _effects(self, script: Script) -> None:
        self._make(script.makes)
        for item, count in script.items:
            self.give(item, count)
        if script.member is not None:
            species, level = script.member
            self.receive(new_mon(self.dex, species, level, self.chance.randrange(1 << 16)))
        if script is self.book.visit:
            self.ram.put_safari(PAID_STEPS, PAID_BALLS)
        if script.rival:
            self.ram.put_rival_starter(script.rival)
        if script.money:
            self.ram.put_money(self.state().player.money + script.money)
        if script.end is not None:
            self.enter(*script.end)
            self.was_moved = True
        self.see()

    def use_field_move(self, move: int) -> int:
        """Use a field move where the player stands; return the frames."""
        if move == FLASH:
            self.ram.put_dark(dark=False)
        return COSTS.field_move

    # Facts.

    def all_hold(self, marks: Iterable[Mark]) -> bool:
        """Return whether all facts hold."""
        return all(map(self.holds, marks))

    def holds(self, mark: Mark) -> bool:
        """Return whether a fact holds."""
        if mark.kind == CAME:
            return (mark.number in self.came) == mark.so
        if mark.kind == THERE:
            return RamFact(FactKind.GONE, mark.number).shown_by(self.state()) != mark.so
        return RamFact(FactKind(mark.kind), mark.number).shown_by(self.state()) == mark.so

    def _make(self, marks: Iterable[Mark]) -> None:
        for mark in marks:
            self._put(mark)

    def _put(self, mark: Mark) -> None:
        match mark.kind:
            case "event":
                self.ram.put_event(mark.number, happened=mark.so)
            case "badge":
                self.ram.put_badge(mark.number)
            case "status":
                self.ram.put_status(mark.number, to=mark.so)
            case "gone":
                self.ram.put_hidden(mark.number, to=mark.so)
            case "there":
                self.ram.put_hidden(mark.number, to=not mark.so)
            case "script":
                self.ram.put_script(*divmod(mark.number, STEPS))
            case "item":
                held = self.state().bag.quantity(mark.number)
                self.give(mark.number, 1 if mark.so else -held)
            case "came":
                self.came = self.came | {mark.number} if mark.so else self.came - {mark.number}
            case "mon" if mark.so:
                self.receive(new_mon(self.dex, mark.number, 25, self.chance.randrange(1 << 16)))

    def _follow(self) -> None:
        """Make true what follows by itself; a person who stands in a gate that is open has left."""
        state = self.state()
        for gate in self.story.gates:
            header = self.world.map(gate.map_id).header
            if self.story.is_open(state, gate):
                slots = {each.slot for each in header.people if (each.x, each.y) in gate.squares}
                for toggle in header.toggles:
                    if toggle.slot in slots:
                        self.ram.put_hidden(toggle.flag, to=True)
        for each in self.book.follows:
            if self.all_hold(each.needs):
                self._make(each.makes)
