"""Write red.json beside this file: the facts of Pokemon Red (US) that plans depend on.

Regions and joins come from regions.json, happenings from progression.json and maps.json, teams from trainers.json. Facts that
these files give only as text notes are in notes.toml as data.
"""

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

DATA: Final = Path(__file__).with_name("red.json")
NOTES: Final = tomllib.loads(Path(__file__).with_name("notes.toml").read_text(encoding="utf-8"))
BADGES: Final = ("BOULDER", "CASCADE", "THUNDER", "RAINBOW", "SOUL", "MARSH", "VOLCANO", "EARTH")
FIELD_MOVES: Final = {"CUT": 15, "FLY": 19, "SURF": 57, "STRENGTH": 70, "FLASH": 148}
ITEMS: Final = {"ITEM_BICYCLE": 6, "ITEM_SECRET_KEY": 43, "ITEM_CARD_KEY": 48, "ITEM_LIFT_KEY": 74}
DRINKS: Final = {60: 200, 61: 300, 62: 350}  # prices
# The squares at the entrances of the Elite Four push the player back (notes of regions.json): their warps cannot be used.
NO_WAY_BACK: Final = {(245, 0), (245, 1), (246, 0), (246, 1), (247, 0), (247, 1)}

Row: TypeAlias = dict[str, Any]
Join: TypeAlias = tuple[int, int, int, int, str, int, int]


class Facts:
    """The files of facts, and the tables made from them."""

    def __init__(self, folder: Path) -> None:
        regions, self.progress = _json(folder / "regions.json"), _json(folder / "progression.json")
        self.regions: dict[int, Row] = {int(key): row for key, row in regions["maps"].items()}
        self.fly, self.where = regions["fly"], {row["id"]: row for row in regions["milestones"]}
        self.maps = {row["id"]: row for row in _json(folder / "maps.json")["maps"]}
        lines = (folder / "events.csv").read_text(encoding="utf-8").splitlines()
        columns = lines[0].split(",")
        name, bit = columns.index("event"), columns.index("bit_index")
        self.events = {row[name]: int(row[bit]) for row in (line.split(",") for line in lines[1:])}
        self.trainers: list[Row] = _json(folder / "data" / "trainers.json")["trainers"]
        self.species: list[Row] = _json(folder / "data" / "species.json")["species"]
        self.wild: list[Row] = _json(folder / "data" / "wild.json")["wild"]

    def world(self) -> Row:
        """Return all tables."""
        regions = [
            (map_id, row) for map_id, here in self.regions.items() for row in here["regions"]
        ]
        return {
            "joins": [list(join) for join in sorted(self.joins(), key=str)],
            "happenings": [*self.milestones(), *self.extras(), *self.balls(), *self.fights()],
            "arrivals": [self.resolved(row) for row in NOTES["arrivals"]],
            "follows": [
                [self.facts(row["when"]), self.facts(row["then"])] for row in NOTES["follows"]
            ],
            "gates": [
                [row["map"], row["kind"], _cells(row), row["blocked_until"]]
                for row in self.progress["gates"]
            ],
            "squares": [
                *NOTES["spots"],
                *([map_id, row["id"], *row["at"]] for map_id, row in regions),
            ],
            "sizes": [
                [map_id, row["w_steps"], row["h_steps"]]
                for map_id, row in self.maps.items()
                if map_id in self.regions
            ],
            "grass": sorted((map_id, row["id"]) for map_id, row in regions if row.get("grass")),
            "fly": sorted((row["map"], row["region"]) for row in self.fly),
            "teams": [
                [row["class"], [_levels(each["party"]) for each in row["sets"]]]
                for row in self.trainers
            ],
            "species": [[row["index"], row["exp_yield"], row["tmhm"]] for row in self.species],
            "wild": [
                [row["map"], row["grass"]["rate"], _levels(row["grass"]["slots"])]
                for row in self.wild
                if row.get("grass")
            ],
        }

    # Facts as numbers.

    def fact(self, name: str) -> str:
        """Return a fact; an event gets its number, and a "!" before it means that it has not happened."""
        event = name.removeprefix("!")
        if event not in self.events:
            return name
        return f"{'clear' if event != name else 'event'}:{self.events[event]}"

    def facts(self, names: Iterable[str]) -> list[str]:
        """Return facts, with all events as numbers."""
        return [self.fact(each) for each in names]

    def resolved(self, row: Mapping[str, Any]) -> Row:
        """Return a row with all its events as numbers."""
        named = {"when", "needs", "gives", "takes"}
        return {key: self.facts(value) if key in named else value for key, value in row.items()}

    def toggle(self, map_id: int, slot: int) -> str:
        """Return the fact that a map object is gone."""
        (person,) = [row for row in self.maps[map_id]["objects"] if row["i"] == slot]
        return f"gone:{person['toggle']}"

    def need(self, needs: str, map_id: int, row: Mapping[str, Any]) -> list[str]:
        """Return the facts for a need of regions.json."""
        return [fact for part in needs.split("+") for fact in self._need(part, map_id, row)]

    def _need(self, need: str, map_id: int, row: Mapping[str, Any]) -> Iterable[str]:
        name, _, value = need.partition("=")
        if need in FIELD_MOVES:
            return [f"field:{FIELD_MOVES[need]}"]
        if need.startswith("BADGE_"):
            return [f"badge:{BADGES.index(need.removeprefix('BADGE_'))}"]
        if need in ITEMS:
            return [f"item:{ITEMS[need]}"]
        if need == "EVENT_VIRIDIAN_GYM_OPEN":
            return [f"badge:{bit}" for bit in range(7)]  # with them the city sets the event
        if name in self.events:
            return [self.fact(f"!{name}" if value == "0" else name)]
        if need in ("PICK_UP", "OBJECT_GONE"):
            return [self.toggle(map_id, row["obj"])]
        special = {
            "ITEM_POKE_FLUTE": [NOTES["sleepers"].get(str(map_id))],
            "ITEM_S_S_TICKET": ["item:63", "!EVENT_SS_ANNE_LEFT"],
            "FOSSIL_TAKEN": [self.toggle(61, 6)],  # taking one removes both
            "HALL_OF_FAME": ["fame:1"],
            "MONEY_500": ["EVENT_IN_SAFARI_ZONE"],  # set by the fee (safari_fee)
            "SAFFRON_DRINK": ["drink:6"],
            "TRAINER": ["never:0"],  # regions.json: not reliable
        }
        return self.facts(special[need])

    # Joins: start map and region, end map and region, needs, and square.

    def joins(self) -> set[Join]:
        """Return every join once."""
        return {each for map_id in self.regions for each in self._joins_of(map_id)}

    def _joins_of(self, map_id: int) -> Iterator[Join]:
        here = self.regions[map_id]

        def join(
            start: int, end: Iterable[int], needs: Iterable[str] = (), at: Iterable[int] = (0, 0)
        ) -> Join:
            (to, region), (x, y) = end, at
            stopped = self.facts(NOTES["current"]["needs"])
            needs = {*needs, *stopped} if [map_id, x, y] in NOTES["current"]["at"] else needs
            fight = NOTES["fights"].get(f"{map_id}.{start}>{to}.{region}")
            needs = {*needs, *self.facts([fight] if fight else [])}
            return map_id, start, to, region, "+".join(sorted(needs)), x, y

        for region in here["regions"]:
            for edge in region.get("edges", ()):
                needs = self.need(edge["needs"], map_id, edge) if "needs" in edge else []
                yield join(region["id"], (edge["map"], edge["region"]), needs, edge["at"])
            for index in region.get("warps", ()):
                yield from (join(region["id"], *each) for each in self._warp(map_id, index))
        for row in here.get("one_way", ()):
            yield join(row["from"], (map_id, row["to"]), at=row.get("at", (0, 0)))
        for row in here.get("holes", ()):
            yield join(row["from"], row["to"], at=row["at"])
        for row in here.get("gated", ()):
            needs = self.need(row["needs"], map_id, row)
            # The facts of the Safari's gate start inside, and the way out is free.
            outwards = [] if row["needs"] == "MONEY_500" else needs
            yield join(row["from"], (map_id, row["to"]), outwards, row["at"])
            if not row.get("one_way"):
                yield join(row["to"], (map_id, row["from"]), needs, row["at"])
        for floor, region, _ in here.get("elevator", ()):
            # Without the key the player can leave only on the floor of entry.
            yield join(0, (floor, region), [f"floor:{floor}"] * ("elevator_needs" in here))

    def _warp(
        self, map_id: int, index: int
    ) -> Iterator[tuple[Iterable[int], list[str], tuple[int, int]]]:
        here = self.regions[map_id]
        is_used = str(index) in here.get("warp_dest", {}) and (map_id, index) not in NO_WAY_BACK
        if not is_used or map_id == 120:  # the script walks through it after milestone champion
            return
        end = here["warp_dest"][str(index)]
        warp = next(each for each in self.maps[map_id]["warps"] if each["i"] == index)
        need = here.get("warp_needs", {}).get(str(index))
        needs = self.need(need, map_id, warp) if need else []
        if (map_id, end) == (113, [120, 0]):
            # The squares before that door start the battle (milestone lance).
            needs = [self.fact("EVENT_BEAT_LANCE")]
        for each in end if isinstance(end[0], list) else [end]:
            yield each, needs, (warp["x"], warp["y"])

    # Happenings: events that the player can cause.

    def milestones(self) -> Iterator[Row]:
        """Yield the milestones with a single step."""
        for step in self.progress["milestones"]:
            effects, slot = step.get("effects", {}), step.get("target", {}).get("obj")
            gives = [f"event:{each['bit_index']}" for each in effects.get("events_set", ())]
            gives += [f"item:{each['id']}" for each in effects.get("items_add", ())]
            gives += [f"badge:{effects['badge']['bit']}"] if "badge" in effects else []
            name, moved = step["id"], {"to": NOTES["moved"].get(step["id"])}
            if name in NOTES["split"] or not (gives or moved["to"]):
                continue
            if name == "starter":
                yield from self._starters(step, gives)
                continue
            needs = [f"event:{each['bit_index']}" for each in step["pre"].get("events", ())]
            needs += [f"item:{each['id']}" for each in step["pre"].get("items", ())]
            needs = [] if name in NOTES["needs_of_the_way"] else needs
            puzzles = self._puzzles(effects)
            yield {
                "id": name,
                "map": step["map"],
                "regions": self._stands(name),
                "people": [
                    *([slot] if slot else self._standing(step)),
                    *(each["boulder_obj"] for each in puzzles),
                ],
                "squares": [*self._squares(step), *(each["goal"] for each in puzzles)],
                "needs": sorted({*needs, *self.facts(NOTES["needs"].get(name, ()))}),
                "gives": [*gives, *NOTES["gives"].get(name, ())],
                "takes": [f"item:{each['id']}" for each in effects.get("items_remove", ())],
                **(moved if moved["to"] else {}),
                **_fought(step.get("opponent", {})),
            }

    def _starters(self, step: Mapping[str, Any], gives: list[str]) -> Iterator[Row]:
        """Yield the three starters, with the field moves that each can learn."""
        people = self.maps[step["map"]]["objects"]
        for name, square in step["target"]["balls"].items():
            (slot,) = [row["i"] for row in people if [row["x"], row["y"]] == square]
            learns = [
                f"owns:{row['move']}" for row in self.progress["hms"] if name in row["learners"]
            ]
            needs = [f"event:{each['bit_index']}" for each in step["pre"]["events"]]
            yield {
                "id": f"starter_{slot}",
                "map": step["map"],
                "regions": self._stands("starter"),
                "people": [slot],
                "needs": [*needs, self.fact("!EVENT_GOT_STARTER")],
                "gives": [*gives, *learns],
            }

    def _puzzles(self, effects: Mapping[str, Any]) -> list[Row]:
        events = {each["bit_index"] for each in effects.get("events_set", ())}
        puzzles: list[Row] = self.progress["strength_puzzles"]
        return [each for each in puzzles if each["event"]["bit_index"] in events]

    def _standing(self, step: Mapping[str, Any]) -> list[int]:
        """Return the people on the target square, or behind a counter there."""
        target = step.get("target", {})
        people = self.maps[step["map"]]["objects"]
        found = [
            row["i"] for row in people if (row["x"], row["y"]) == (target.get("x"), target.get("y"))
        ]
        return found or NOTES["behind"].get(step["id"], [])

    def _squares(self, step: Mapping[str, Any]) -> list[list[int]]:
        target = step.get("target", {})
        looked = [[target["x"], target["y"]]] if "x" in target else []
        stands = step.get("stand_any") or [step["stand"]]
        walks = [] if "face" in step and step["id"] not in NOTES["walked_on"] else stands
        return [*walks, *looked, *NOTES["squares"].get(step["id"], [])]

    def _stands(self, step: str) -> list[int]:
        place = self.where[step]
        if step in NOTES["behind"] and step != "bicycle":
            return self.seen_from(place["map"], "objects", NOTES["behind"][step][0])
        regions = place["region"] if isinstance(place["region"], list) else [place["region"]]
        return sorted({each for region in regions for each in self._around(place["map"], region)})

    def _around(self, map_id: int, region: int) -> Iterator[int]:
        """Yield a region and, if a gate closes its square, the regions that lead onto it."""
        yield region
        here = self.regions[map_id]
        (row,) = [each for each in here["regions"] if each["id"] == region]
        if "gate" in row:
            for gate in here.get("gated", ()):
                if region in (gate["from"], gate["to"]):
                    yield from (gate["from"], gate["to"])

    def seen_from(self, map_id: int, key: str, number: int) -> list[int]:
        """Return the regions from which a person, a sign or a hidden item can be reached."""
        here = self.regions.get(map_id, {"regions": ()})
        regions = {row["id"] for row in here["regions"] if number in row.get(key, ())}
        via = here.get("via_gate", ())
        return sorted(
            regions | {row["region"] for row in via if (row["list"], row["i"]) == (key, number)}
        )

    def balls(self) -> Iterator[Row]:
        """Yield the item balls; each exists once."""
        for map_id, each in self._objects("item"):
            shown = NOTES["shown"].get(f"{map_id}/{each['i']}")
            regions = self.seen_from(map_id, "objects", each["i"])
            if not regions or not (each.get("visible_at_start", True) or shown):
                continue
            gone = self.toggle(map_id, each["i"])
            yield {
                "id": f"thing_{map_id}_{each['i']}",
                "map": map_id,
                "regions": regions,
                "people": [each["i"]],
                "needs": [*([self.fact(shown)] if shown else []), gone.replace("gone", "there")],
                "gives": [f"item:{each['item']}", gone],
            }

    def fights(self) -> Iterator[Row]:
        """Yield the trainers whose defeat sets an event; the leaders are milestones."""
        rows = (*self.milestones(), *self.extras())
        taken = {(row["map"], slot) for row in rows for slot in row.get("people", ())}
        teams = {
            (row["class"], number): each
            for row in self.trainers
            for number, each in enumerate(row["sets"], 1)
        }
        for map_id, each in self._objects("trainer"):
            event = each.get("event")
            regions = self.seen_from(map_id, "objects", each["i"])
            team = teams.get((each["class"], each["set"]))
            if (map_id, each["i"]) in taken or not regions or not team or event not in self.events:
                continue
            yield {
                "id": f"foe_{map_id}_{each['i']}",
                "map": map_id,
                "regions": regions,
                "people": [each["i"]],
                "needs": [self.fact(f"!{event}")],
                "gives": [self.fact(event)],
                "level": max(mon["level"] for mon in team["party"]),
                "pays": team["reward"],
            }

    def _objects(self, kind: str) -> Iterator[tuple[int, Row]]:
        for map_id, row in self.maps.items():
            for each in row.get("objects", ()):
                if each["kind"] == kind:
                    yield map_id, each

    def extras(self) -> Iterator[Row]:
        """Yield the steps of milestones with several steps, and side goals that give an item for a conversation."""
        for row in NOTES["happenings"]:
            first = row.get("people", (0,))[0]
            regions = row.get("regions") or self.seen_from(row["map"], "objects", first)
            yield {**self.resolved(row), "regions": regions}
        yield from self._drinks()
        yield from self._statues()
        yield from self._quiz()

    def _drinks(self) -> Iterator[Row]:
        """Yield the vending machines on the roof, and the guards who take a drink."""
        for item, price in DRINKS.items():
            machines = [[10, 1], [11, 1], [12, 2], [10, 2], [11, 2]]
            yield {
                "id": f"vend_{item}", "map": 126, "regions": [0], "squares": machines,
                "needs": [f"money:{price}"], "gives": [f"item:{item}"], "pays": -price,
            }  # fmt: skip
        for gate in self.progress["gates"]:
            if not gate["blocked_until"].startswith("D728 bit6"):
                continue
            regions = [row["id"] for row in self.regions[gate["map"]]["regions"]]
            for item in DRINKS:
                yield {
                    "id": f"guard_{gate['map']}_{item}", "map": gate["map"], "regions": regions, "squares": gate["cells"],
                    "needs": [f"item:{item}", "status_clear:6"], "gives": ["status:6"], "takes": [f"item:{item}"],
                }  # fmt: skip

    def _statues(self) -> Iterator[Row]:
        """Yield the statues of the mansion: each toggles the same switch (notes of mansion_switch_3f)."""
        on = [self.fact("EVENT_MANSION_SWITCH_ON")]
        off = [self.fact("!EVENT_MANSION_SWITCH_ON")]
        for map_id in (165, 214, 215, 216):
            for number, hidden in enumerate(self.maps[map_id]["hidden"]):
                if hidden["fn"].endswith("Switches"):
                    row = self._hidden(f"statue_{map_id}_{number}", map_id, number)
                    yield {**row, "id": f"{row['id']}_on", "needs": off, "gives": on}
                    yield {**row, "id": f"{row['id']}_off", "needs": on, "takes": on}

    def _quiz(self) -> Iterator[Row]:
        """Yield the quiz machines of the Cinnabar Gym, by number (notes of milestone blaine)."""
        for number, hidden in enumerate(self.maps[166]["hidden"]):
            if hidden["fn"] == "PrintCinnabarQuiz":
                door = int(hidden["facing"].split("|")[1])
                opened = [self.fact(f"EVENT_CINNABAR_GYM_GATE{door}_UNLOCKED")]
                yield {**self._hidden(f"quiz_{door}", 166, number), "gives": opened}

    def _hidden(self, name: str, map_id: int, number: int) -> Row:
        hidden, regions = (
            self.maps[map_id]["hidden"][number],
            self.seen_from(map_id, "hidden", number),
        )
        squares = [[hidden["x"], hidden["y"]]]
        return {"id": name, "map": map_id, "regions": regions, "squares": squares}


def _cells(gate: Mapping[str, Any]) -> list[list[int]]:
    return gate["cells"] or [[x, gate["row"]] for x in range(20) if "row" in gate]


def _levels(mons: Iterable[Mapping[str, int]]) -> list[list[int]]:
    return [[mon["level"], mon["species"]] for mon in mons]


def _fought(opponent: Mapping[str, Any]) -> Row:
    """Return the level of the opponent, and the prize money."""
    sets = opponent.get("sets", ())
    if sets:
        level = max(mon[1] for each in sets for mon in each["party"])
        return {"level": level, "pays": min(each["reward"] for each in sets)}
    return {"level": opponent["level"]} if "level" in opponent else {}


def world_text(facts: Path) -> str:
    """Return the world of the facts in a folder as JSON, one row per line."""
    parts = []
    for key, rows in Facts(facts).world().items():
        lines = ",\n".join(f"    {json.dumps(row)}" for row in rows)
        parts.append(f'  "{key}": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(path: Path) -> Any:  # noqa: ANN401  # JSON
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":  # with the folder of the facts
    DATA.write_text(world_text(Path(sys.argv[1])), encoding="utf-8")
