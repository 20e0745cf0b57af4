"""Write red.json beside this file: what of Pokemon Red (US) a plan can go wrong about, as facts and figures.

Regions and joins come from regions.json, happenings from progression.json and maps.json, teams from trainers.json. What these
files tell in words only, in notes, is put into figures here, each with its source beside it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

DATA: Final = Path(__file__).with_name("red.json")
FILES: Final = (
    "regions.json",
    "progression.json",
    "maps.json",
    "events.csv",
    "data/trainers.json",
    "data/wild.json",
    "data/species.json",
)
BADGES: Final = ("BOULDER", "CASCADE", "THUNDER", "RAINBOW", "SOUL", "MARSH", "VOLCANO", "EARTH")
FIELD_MOVES: Final = {"CUT": 15, "FLY": 19, "SURF": 57, "STRENGTH": 70, "FLASH": 148}
ITEMS: Final = {
    "ITEM_BICYCLE": 6,
    "ITEM_SECRET_KEY": 43,
    "ITEM_CARD_KEY": 48,
    "ITEM_LIFT_KEY": 74,
}
DRINKS: Final = (60, 61, 62)
# The squares of the Elite Four's entrances push one back up (notes of regions.json): their warps cannot be used.
NO_WAY_BACK: Final = {(245, 0), (245, 1), (246, 0), (246, 1), (247, 0), (247, 1)}
SLEEPERS: Final = {23: "EVENT_BEAT_ROUTE12_SNORLAX", 27: "EVENT_BEAT_ROUTE16_SNORLAX"}

Row: TypeAlias = dict[str, Any]


class FactsError(Exception):
    """The facts cannot be used; the message says why."""


def main(
    facts: Annotated[
        Path, typer.Argument(help="The folder with regions.json, progression.json, maps.json.")
    ],
) -> None:
    """Write red.json from the facts in a folder."""
    try:
        text = world_text(facts)
    except FactsError as error:
        typer.echo(error, err=True)
        raise typer.Exit(1) from None
    DATA.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {DATA.name}")


def world_text(facts: Path) -> str:
    """Return the world as text, one row a line, or raise a FactsError."""
    missing = [name for name in FILES if not (facts / name).is_file()]
    if missing:
        message = f"no {missing[0]} in {str(facts)!r}; name the folder of the facts"
        raise FactsError(message)
    return laid_out(Facts(facts).world())


class Facts:
    """The files of facts, and what is made of them."""

    def __init__(self, folder: Path) -> None:
        regions, self.progress = _json(folder / "regions.json"), _json(folder / "progression.json")
        self.regions: dict[int, Row] = {int(key): row for key, row in regions["maps"].items()}
        self.fly, self.where = regions["fly"], {row["id"]: row for row in regions["milestones"]}
        self.maps = {row["id"]: row for row in _json(folder / "maps.json")["maps"]}
        lines = (folder / "events.csv").read_text(encoding="utf-8").splitlines()
        columns = lines[0].split(",")
        name, bit = columns.index("event"), columns.index("bit_index")
        self.events = {row[name]: int(row[bit]) for row in (line.split(",") for line in lines[1:])}
        trainers = _json(folder / "data" / "trainers.json")["trainers"]
        self.trainers: list[Row] = trainers
        self.species: list[Row] = _json(folder / "data" / "species.json")["species"]
        self.wild: list[Row] = _json(folder / "data" / "wild.json")["wild"]

    def world(self) -> Row:
        """Return all tables."""
        return {
            "joins": [list(join) for join in sorted(self.joins(), key=str)],
            "happenings": [*self.milestones(), *self.extras(), *self.things(), *self.foes()],
            "arrivals": list(self.arrivals()),
            "follows": [
                [[self.event(each) for each in when], [self.event(each) for each in then]]
                for when, then in FOLLOWS
            ],
            "gates": list(self.gates()),
            "squares": [
                [map_id, row["id"], *row["at"]]
                for map_id, here in self.regions.items()
                for row in here["regions"]
            ],
            "sizes": [
                [map_id, row["w_steps"], row["h_steps"]]
                for map_id, row in self.maps.items()
                if map_id in self.regions
            ],
            "grass": sorted(
                (map_id, row["id"])
                for map_id, here in self.regions.items()
                for row in here["regions"]
                if row.get("grass")
            ),
            "fly": sorted((row["map"], row["region"]) for row in self.fly),
            "teams": [
                [
                    row["class"],
                    [
                        [[mon["level"], mon["species"]] for mon in each["party"]]
                        for each in row["sets"]
                    ],
                ]
                for row in self.trainers
            ],
            "species": [[row["index"], row["exp_yield"], row["tmhm"]] for row in self.species],
            "wild": [
                [
                    row["map"],
                    row["grass"]["rate"],
                    [[each["level"], each["species"]] for each in row["grass"]["slots"]],
                ]
                for row in self.wild
                if row.get("grass")
            ],
        }

    # Facts by number.

    def event(self, name: str) -> str:
        """Return that an event has happened."""
        return f"event:{self.events[name]}"

    def clear(self, name: str) -> str:
        """Return that an event has not happened."""
        return f"clear:{self.events[name]}"

    def toggle(self, map_id: int, slot: int) -> str:
        """Return that a person or thing of a map is gone."""
        (person,) = [row for row in self.maps[map_id]["objects"] if row["i"] == slot]
        return f"gone:{person['toggle']}"

    def need(self, needs: str, map_id: int, row: Mapping[str, Any]) -> list[str]:
        """Return what a need of regions.json asks for."""
        return [fact for part in needs.split("+") for fact in self._need(part, map_id, row)]

    def _need(self, need: str, map_id: int, row: Mapping[str, Any]) -> Iterator[str]:
        name, _, value = need.partition("=")
        if need in FIELD_MOVES:
            yield f"field:{FIELD_MOVES[need]}"
        elif need.startswith("BADGE_"):
            yield f"badge:{BADGES.index(need.removeprefix('BADGE_'))}"
        elif need in ITEMS:
            yield f"item:{ITEMS[need]}"
        elif (
            need == "EVENT_VIRIDIAN_GYM_OPEN"
        ):  # it is set on entering the city with the seven badges
            yield from (f"badge:{bit}" for bit in range(7))
        elif name in self.events:
            yield self.clear(name) if value == "0" else self.event(name)
        else:
            yield from self._special(need, map_id, row)

    def _special(self, need: str, map_id: int, row: Mapping[str, Any]) -> Iterator[str]:
        match need:
            case "ITEM_POKE_FLUTE":  # the sleeper is gone after the battle
                yield self.event(SLEEPERS[map_id])
            case "ITEM_S_S_TICKET":
                yield from ("item:63", self.clear("EVENT_SS_ANNE_LEFT"))
            case "FOSSIL_TAKEN":  # then both are gone
                yield self.toggle(61, 6)
            case "HALL_OF_FAME":
                yield "fame:1"
            case "MONEY_500":  # the fee sets this event (safari_fee)
                yield self.event("EVENT_IN_SAFARI_ZONE")
            case "SAFFRON_DRINK":
                yield "drink:6"
            case "PICK_UP" | "OBJECT_GONE":
                yield self.toggle(map_id, row["obj"])
            case "TRAINER":  # regions.json: not to be relied on
                yield "never:0"
            case _:
                message = f"regions.json needs {need!r}, which is unknown here"
                raise FactsError(message)

    # Joins: from map and region to map and region, what it needs, and the square where it is.

    def joins(self) -> set[tuple[int, int, int, int, str, int, int]]:
        """Return every join once."""
        return {each for map_id in self.regions for each in self._joins_of(map_id)}

    def _joins_of(self, map_id: int) -> Iterator[tuple[int, int, int, int, str, int, int]]:
        here = self.regions[map_id]

        def join(
            start: int, end: tuple[int, int], needs: Iterable[str], at: Iterable[int]
        ) -> tuple[int, int, int, int, str, int, int]:
            x, y = at
            return map_id, start, *end, "+".join(sorted(needs)), x, y

        for region in here["regions"]:
            for edge in region.get("edges", ()):
                needs = self.need(edge["needs"], map_id, edge) if "needs" in edge else []
                yield join(region["id"], (edge["map"], edge["region"]), needs, edge["at"])
            for index in region.get("warps", ()):
                yield from (join(region["id"], *each) for each in self._warp(map_id, index))
        for row in here.get("one_way", ()):
            yield join(row["from"], (map_id, row["to"]), (), row.get("at", (0, 0)))
        for row in here.get("holes", ()):
            yield join(row["from"], tuple(row["to"]), (), row["at"])
        for row in here.get("gated", ()):
            needs = self.need(row["needs"], map_id, row)
            # Of the Safari's gate the facts begin inside, and the way out is free.
            outwards = [] if row["needs"] == "MONEY_500" else needs
            yield join(row["from"], (map_id, row["to"]), outwards, row["at"])
            if not row.get("one_way"):
                yield join(row["to"], (map_id, row["from"]), needs, row["at"])
        yield from self._lifts(map_id)

    def _warp(
        self, map_id: int, index: int
    ) -> Iterator[tuple[tuple[int, int], list[str], tuple[int, int]]]:
        here = self.regions[map_id]
        if str(index) not in here.get("warp_dest", {}) or (map_id, index) in NO_WAY_BACK:
            return
        end = here["warp_dest"][str(index)]
        warp = next(each for each in self.maps[map_id]["warps"] if each["i"] == index)
        need = here.get("warp_needs", {}).get(str(index))
        needs = self.need(need, map_id, warp) if need else []
        if (map_id, end) == (
            113,
            [120, 0],
        ):  # the squares before that door start the battle (milestone lance)
            needs = [self.event("EVENT_BEAT_LANCE")]
        if map_id == 120:  # walked through by the script after the battle (milestone champion)
            return
        for each in end if isinstance(end[0], list) else [end]:
            yield tuple(each), needs, (warp["x"], warp["y"])

    def _lifts(self, map_id: int) -> Iterator[tuple[int, int, int, int, str, int, int]]:
        here = self.regions[map_id]
        needs = "elevator_needs" in here
        for floor, region, _ in here.get("elevator", ()):
            # Without the key one gets out again where one got in.
            yield map_id, 0, floor, region, f"floor:{floor}" if needs else "", 0, 0

    # Happenings: what the player can make come true there.

    def milestones(self) -> Iterator[Row]:
        """Yield the milestones that are one step each."""
        for step in self.progress["milestones"]:
            effects, slot = step.get("effects", {}), step.get("target", {}).get("obj")
            gives = [f"event:{each['bit_index']}" for each in effects.get("events_set", ())]
            gives += [f"item:{each['id']}" for each in effects.get("items_add", ())]
            gives += [f"badge:{effects['badge']['bit']}"] if "badge" in effects else []
            if step["id"] in SPLIT or not (gives or step["id"] in MOVED):
                continue
            if step["id"] == "starter":
                yield from self._starters(step, gives)
                continue
            needs = [f"event:{each['bit_index']}" for each in step["pre"].get("events", ())]
            needs += [f"item:{each['id']}" for each in step["pre"].get("items", ())]
            if step["id"] in ("silph_giovanni", "silph_rival"):
                needs = []  # of the way there, which the joins tell
            takes = [f"item:{each['id']}" for each in effects.get("items_remove", ())]
            yield {
                "id": step["id"],
                "map": step["map"],
                "regions": self._stands(step["id"]),
                "people": [*([slot] if slot else self._standing(step)), *self._boulder(step)],
                "squares": [*self._squares(step), *self._switch(step)],
                "needs": sorted(
                    {
                        *needs,
                        *MORE_NEEDS.get(step["id"], ()),
                        *map(self.event, AFTER.get(step["id"], ())),
                    }
                ),
                "gives": [*gives, *self._more(step["id"])],
                "takes": takes,
                **self._moved(step["id"]),
                **self._fought(step.get("opponent", {})),
            }

    def _more(self, step: str) -> list[str]:
        names = {"mansion_switch_3f": (), "bill_pc": (), "old_rod": ("status:3",)}
        return list(names.get(step, ()))

    def _moved(self, step: str) -> Row:
        return {"to": MOVED[step]} if step in MOVED else {}

    def _fought(self, opponent: Mapping[str, Any]) -> Row:
        sets = opponent.get("sets", ())
        if sets:
            level = max(mon[1] for each in sets for mon in each["party"])
            return {"level": level, "pays": min(each["reward"] for each in sets)}
        return {"level": opponent["level"]} if "level" in opponent else {}

    def _starters(self, step: Mapping[str, Any], gives: list[str]) -> Iterator[Row]:
        """Yield the three to choose from, with the field moves that each will be able to learn."""
        people = self.maps[step["map"]]["objects"]
        for name, square in step["target"]["balls"].items():
            (slot,) = [row["i"] for row in people if [row["x"], row["y"]] == square]
            learns = [
                f"owns:{row['move']}" for row in self.progress["hms"] if name in row["learners"]
            ]
            yield {
                "id": f"starter_{slot}", "map": step["map"], "regions": self._stands("starter"), "people": [slot], "squares": [],
                "needs": [*(f"event:{each['bit_index']}" for each in step["pre"]["events"]), self.clear("EVENT_GOT_STARTER")],
                "gives": [*gives, *learns], "takes": [],
            }  # fmt: skip

    def _puzzle(self, step: Mapping[str, Any]) -> list[Row]:
        events = {each["bit_index"] for each in step.get("effects", {}).get("events_set", ())}
        return [
            each
            for each in self.progress["strength_puzzles"]
            if each["event"]["bit_index"] in events
        ]

    def _boulder(self, step: Mapping[str, Any]) -> list[int]:
        return [each["boulder_obj"] for each in self._puzzle(step)]

    def _switch(self, step: Mapping[str, Any]) -> list[list[int]]:
        return [each["goal"] for each in self._puzzle(step)]

    def _standing(self, step: Mapping[str, Any]) -> list[int]:
        """Return who stands on the square that is looked at, or works across a counter from it."""
        target = step.get("target", {})
        people = self.maps[step["map"]]["objects"]
        found = [
            row["i"] for row in people if (row["x"], row["y"]) == (target.get("x"), target.get("y"))
        ]
        return found or list(BEHIND.get(step["id"], ()))

    def _squares(self, step: Mapping[str, Any]) -> list[list[int]]:
        target = step.get("target", {})
        looked = [[target["x"], target["y"]]] if "x" in target else []
        stands = step.get("stand_any") or [step["stand"]]
        # On these one is spoken to, whichever way one looks.
        walks = [] if "face" in step and step["id"] not in ("mtmoon_fossil", "lance") else stands
        # The scene takes one on to the counter; and who is asleep has its square.
        came = {"parcel": [[2, 5]], "snorlax_r12": [[10, 62]]}
        return [*walks, *looked, *came.get(step["id"], [])]

    def _stands(self, step: str) -> list[int]:
        place = self.where[step]
        if step in BEHIND and step != "bicycle":
            return self.seen_from(place["map"], "objects", BEHIND[step][0])
        regions = place["region"] if isinstance(place["region"], list) else [place["region"]]
        return sorted({each for region in regions for each in self._around(place["map"], region)})

    def _around(self, map_id: int, region: int) -> Iterator[int]:
        """Yield a region and, where it is a square that a gate closes, those from which one steps on it."""
        yield region
        here = self.regions[map_id]
        (row,) = [each for each in here["regions"] if each["id"] == region]
        if "gate" in row:
            for gate in here.get("gated", ()):
                if region in (gate["from"], gate["to"]):
                    yield from (gate["from"], gate["to"])

    def seen_from(self, map_id: int, key: str, number: int) -> list[int]:
        """Return the regions from which a person, a sign or a hidden thing is within reach."""
        here = self.regions[map_id]
        regions = {row["id"] for row in here["regions"] if number in row.get(key, ())}
        via = {
            each["region"]
            for each in here.get("via_gate", ())
            if each["list"] == key and each["i"] == number
        }
        return sorted(regions | via)

    def things(self) -> Iterator[Row]:
        """Yield what lies about: each is there once."""
        for map_id, row in self.maps.items():
            for each in row.get("objects", ()):
                if each["kind"] != "item" or map_id not in self.regions:
                    continue
                shown = {
                    (202, 8): "EVENT_BEAT_ROCKET_HIDEOUT_GIOVANNI",
                    (202, 9): "EVENT_ROCKET_DROPPED_LIFT_KEY",
                }
                if not each.get("visible_at_start", True) and (map_id, each["i"]) not in shown:
                    continue
                regions = self.seen_from(map_id, "objects", each["i"])
                gone = self.toggle(map_id, each["i"])
                needs = (
                    [self.event(shown[map_id, each["i"]])] if (map_id, each["i"]) in shown else []
                )
                if regions:
                    yield {
                        "id": f"thing_{map_id}_{each['i']}",
                        "map": map_id,
                        "regions": regions,
                        "people": [each["i"]],
                        "needs": [*needs, gone.replace("gone", "there")],
                        "gives": [f"item:{each['item']}", gone],
                    }

    def foes(self) -> Iterator[Row]:
        """Yield the trainers whose defeat is an event; the leaders are milestones."""
        taken = {
            (row["map"], slot)
            for row in (*self.milestones(), *self.extras())
            for slot in row.get("people", ())
        }
        teams = {
            (row["class"], number): each
            for row in self.trainers
            for number, each in enumerate(row["sets"], 1)
        }
        for map_id, row in self.maps.items():
            for each in row.get("objects", ()):
                if each["kind"] != "trainer" or "event" not in each or (map_id, each["i"]) in taken:
                    continue
                regions = (
                    self.seen_from(map_id, "objects", each["i"]) if map_id in self.regions else []
                )
                team = teams.get((each["class"], each["set"]))
                if regions and team and each["event"] in self.events:
                    yield {
                        "id": f"foe_{map_id}_{each['i']}",
                        "map": map_id,
                        "regions": regions,
                        "people": [each["i"]],
                        "needs": [self.clear(each["event"])],
                        "gives": [self.event(each["event"])],
                        "level": max(mon["level"] for mon in team["party"]),
                        "pays": team["reward"],
                    }

    def extras(self) -> Iterator[Row]:
        """Yield what milestones of several steps are made of, and side goals that give a thing for a talk."""
        for row in EXTRAS:
            found = {
                key: value
                for key, value in row.items()
                if key not in ("events", "unset", "after", "not_yet", "key", "number")
            }
            regions = row.get("regions") or self.seen_from(
                row["map"],
                row.get("key", "objects"),
                row.get("number", (row.get("people") or [0])[0]),
            )
            found["needs"] = [
                *row.get("needs", ()),
                *(self.event(each) for each in row.get("after", ())),
                *(self.clear(each) for each in row.get("not_yet", ())),
            ]
            found["gives"] = [
                *row.get("gives", ()),
                *(self.event(each) for each in row.get("events", ())),
            ]
            found["takes"] = [
                *row.get("takes", ()),
                *(self.event(each) for each in row.get("unset", ())),
            ]
            if row.get("people") and row.get("toggled"):
                found["gives"] += [self.toggle(row["map"], each) for each in row["toggled"]]
            found.pop("toggled", None)
            yield {**found, "regions": regions}
        yield from self._drinks()
        yield from self._statues()
        yield from self._quiz()

    def _drinks(self) -> Iterator[Row]:
        """Yield the machines on the roof, and the guards who take a drink."""
        for item, price in zip(DRINKS, (200, 300, 350), strict=True):
            machines = [[10, 1], [11, 1], [12, 2], [10, 2], [11, 2]]
            yield {
                "id": f"vend_{item}", "map": 126, "regions": [0], "squares": machines, "how": "vend", "item": item,
                "needs": [f"money:{price}"], "gives": [f"item:{item}"], "takes": [], "pays": -price,
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
        """Yield the statues of the mansion: each turns the one switch over (notes of mansion_switch_3f)."""
        switch = "EVENT_MANSION_SWITCH_ON"
        for map_id in (165, 214, 215, 216):
            for number, hidden in enumerate(self.maps[map_id]["hidden"]):
                if not hidden["fn"].endswith("Switches"):
                    continue
                for on in (True, False):
                    yield {
                        "id": f"statue_{map_id}_{number}_{'on' if on else 'off'}",
                        "map": map_id,
                        "regions": self.seen_from(map_id, "hidden", number),
                        "squares": [[hidden["x"], hidden["y"]]],
                        "needs": [self.clear(switch) if on else self.event(switch)],
                        "gives": [self.event(switch)] if on else [],
                        "takes": [] if on else [self.event(switch)],
                    }

    def _quiz(self) -> Iterator[Row]:
        """Yield the machines of the gym on the island, by number (notes of milestone blaine)."""
        for number, hidden in enumerate(self.maps[166]["hidden"]):
            if hidden["fn"] == "PrintCinnabarQuiz":
                door = int(hidden["facing"].split("|")[1])
                yield {
                    "id": f"quiz_{door}", "map": 166, "regions": self.seen_from(166, "hidden", number),
                    "squares": [[hidden["x"], hidden["y"]]], "needs": [],
                    "gives": [self.event(f"EVENT_CINNABAR_GYM_GATE{door}_UNLOCKED")], "takes": [],
                }  # fmt: skip

    def arrivals(self) -> Iterator[Row]:
        """Yield what comes of setting foot on a map (notes of progression.json and regions.json)."""
        for row in ARRIVALS:
            yield {
                "map": row["map"],
                "when": [
                    *row.get("facts", ()),
                    *(self.event(each) for each in row.get("when", ())),
                ],
                "gives": [
                    *row.get("sets", ()),
                    *(self.event(each) for each in row.get("gives", ())),
                ],
                "takes": [
                    *row.get("clears", ()),
                    *(self.event(each) for each in row.get("takes", ())),
                ],
                **{key: row[key] for key in ("from", "to", "pays") if key in row},
            }

    def gates(self) -> Iterator[Row]:
        """Yield the gates of progression.json: the map, the squares, the kind, and what is said to open it."""
        for gate in self.progress["gates"]:
            cells = gate["cells"] or (
                [[x, gate["row"]] for x in range(20)] if "row" in gate else []
            )
            yield {
                "map": gate["map"],
                "kind": gate["kind"],
                "cells": cells,
                "opened_by": gate["blocked_until"],
            }


# Milestones that are several steps, each of which is in EXTRAS or among the things that lie about.
SPLIT: Final = {
    "surge_locks", "game_corner_poster", "lift_key", "silph_scope", "mansion_switch_3f", "mansion_b1f_switch",
    "mansion_b1f_switch2", "card_key", "gold_teeth", "secret_key", "saffron_guard", "safari_enter", "leave_ss_anne",
    "drink", "route23",
}  # fmt: skip
# Who is meant where the square to face is another: across a counter, or asleep on the way.
BEHIND: Final = {"bicycle": [1], "snorlax_r12": [1]}
# What a happening ends with: the map and region one finds oneself in (scripted moves of regions.json).
MOVED: Final = {"start": [40, 0], "fuji": [149, 0], "champion": [118, 0]}
MORE_NEEDS: Final = {
    "bicycle": ["item:45"], "champion": [], "hm05_flash": ["owned:10"],
    "vr1_boulder": ["field:70"], "vr2_switch1": ["field:70"], "vr3_switch": ["field:70"], "vr3_hole": ["field:70"],
    "vr2_switch2": ["field:70"],
}  # fmt: skip
# The boulder of the last switch lies there only when it fell through the hole above (strength_puzzles).
AFTER: Final = {"vr2_switch2": ["EVENT_VICTORY_ROAD_3_BOULDER_ON_SWITCH2"]}
EXTRAS: Final[tuple[Row, ...]] = (
    {"id": "dome_fossil", "map": 61, "people": [6], "after": ["EVENT_BEAT_MT_MOON_EXIT_SUPER_NERD"], "events": ["EVENT_GOT_DOME_FOSSIL"], "gives": ["item:41", "gone:109", "gone:110"], "needs": ["there:109"]},
    {"id": "helix_fossil", "map": 61, "people": [7], "after": ["EVENT_BEAT_MT_MOON_EXIT_SUPER_NERD"], "events": ["EVENT_GOT_HELIX_FOSSIL"], "gives": ["item:42", "gone:109", "gone:110"], "needs": ["there:110"]},
    {"id": "rival_ssanne", "map": 96, "squares": [[36, 8], [37, 8]], "regions": [0], "level": 20, "pays": 700},
    {"id": "locks", "map": 92, "how": "locks", "squares": [[x, y] for x in (1, 3, 5, 7, 9) for y in (7, 9, 11)], "regions": [1], "events": ["EVENT_1ST_LOCK_OPENED", "EVENT_2ND_LOCK_OPENED"]},
    {"id": "poster_guard", "map": 135, "people": [11], "toggled": [11], "level": 20, "pays": 600},
    {"id": "poster", "map": 135, "squares": [[9, 4]], "regions": [0], "needs": ["gone:70"], "events": ["EVENT_FOUND_ROCKET_HIDEOUT"]},
    {"id": "lift_guard", "map": 202, "people": [4], "events": ["EVENT_BEAT_ROCKET_HIDEOUT_4_TRAINER_2", "EVENT_ROCKET_DROPPED_LIFT_KEY"], "level": 22, "pays": 600},
    {"id": "door_guard_1", "map": 202, "people": [2], "events": ["EVENT_BEAT_ROCKET_HIDEOUT_4_TRAINER_0"], "level": 22, "pays": 600},
    {"id": "door_guard_2", "map": 202, "people": [3], "events": ["EVENT_BEAT_ROCKET_HIDEOUT_4_TRAINER_1"], "level": 22, "pays": 600},
    {"id": "hideout_giovanni", "map": 202, "people": [1], "events": ["EVENT_BEAT_ROCKET_HIDEOUT_GIOVANNI"], "level": 29, "pays": 2871},
    {"id": "snorlax_r16", "map": 27, "people": [7], "squares": [[26, 10], [27, 10], [25, 10]], "needs": ["item:73"], "events": ["EVENT_BEAT_ROUTE16_SNORLAX"], "level": 30},
    {"id": "lapras", "map": 212, "people": [1], "gives": ["owns:57", "owns:70"]},
    {"id": "eevee", "map": 132, "people": [2], "toggled": [2], "needs": ["there:69"]},
    {"id": "coin_case", "map": 138, "squares": [[0, 1]], "regions": [0], "events": ["EVENT_GOT_COIN_CASE"]},
    {"id": "psychic_tm29", "map": 183, "people": [1], "events": ["EVENT_GOT_TM29"], "gives": ["item:229"]},
    {"id": "tm_icebeam", "map": 126, "people": [2], "needs": ["item:60"], "events": ["EVENT_GOT_TM13"], "gives": ["item:213"], "takes": ["item:60"]},
    {"id": "tm35", "map": 169, "people": [1], "events": ["EVENT_GOT_TM35"], "gives": ["item:235"]},
    {"id": "tm36", "map": 207, "people": [1], "events": ["EVENT_GOT_TM36"], "gives": ["item:236"]},
    {"id": "old_amber", "map": 52, "people": [5], "events": ["EVENT_GOT_OLD_AMBER"], "gives": ["item:31"]},
    {"id": "safari_fee", "map": 156, "squares": [[3, 2], [4, 2]], "regions": [1], "needs": ["money:500"], "not_yet": ["EVENT_IN_SAFARI_ZONE"], "events": ["EVENT_IN_SAFARI_ZONE"], "pays": -500, "to": [220, 3]},
    {"id": "safari_end", "map": 220, "squares": [[14, 25], [15, 25]], "regions": [3], "after": ["EVENT_IN_SAFARI_ZONE"], "unset": ["EVENT_IN_SAFARI_ZONE"], "to": [156, 1]},
    {"id": "potion_sample", "map": 12, "people": [1], "not_yet": ["EVENT_GOT_POTION_SAMPLE"], "events": ["EVENT_GOT_POTION_SAMPLE"], "gives": ["item:20"]},
    {"id": "exp_all", "map": 185, "people": [1], "needs": ["owned:50"], "events": ["EVENT_GOT_EXP_ALL"], "gives": ["item:75"]},
)  # fmt: skip
ARRIVALS: Final[tuple[Row, ...]] = (
    {"map": 1, "facts": [f"badge:{bit}" for bit in range(7)], "gives": ["EVENT_VIRIDIAN_GYM_OPEN"]},
    {"map": 8, "takes": ["EVENT_MANSION_SWITCH_ON"]},
    {"map": 36, "when": ["EVENT_GOT_SS_TICKET"], "gives": ["EVENT_LEFT_BILLS_HOUSE_AFTER_HELPING"]},
    {"map": 36, "facts": [], "from": 88, "takes": ["EVENT_BILL_SAID_USE_CELL_SEPARATOR"]},
    {"map": 5, "from": 94, "when": ["EVENT_GOT_HM01"], "gives": ["EVENT_SS_ANNE_LEFT", "EVENT_WALKED_OUT_OF_DOCK"], "to": [5, 0]},
    {"map": 156, "takes": ["EVENT_IN_SAFARI_ZONE"]},
    {"map": 10, "sets": ["status:6"]},  # the guard on the way had his drink
    {"map": 203, "from": 199, "sets": ["came:199"], "clears": ["came:200", "came:202"]},
    {"map": 203, "from": 200, "sets": ["came:200"], "clears": ["came:199", "came:202"]},
    {"map": 203, "from": 202, "sets": ["came:202"], "clears": ["came:199", "came:200"]},
    {"map": 194, "takes": ["EVENT_VICTORY_ROAD_1_BOULDER_ON_SWITCH"]},
    {"map": 34, "takes": ["EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH1", "EVENT_VICTORY_ROAD_2_BOULDER_ON_SWITCH2",
                          "EVENT_VICTORY_ROAD_3_BOULDER_ON_SWITCH1", "EVENT_VICTORY_ROAD_3_BOULDER_ON_SWITCH2"]},
    {"map": 174, "takes": ["EVENT_BEAT_LORELEIS_ROOM_TRAINER_0", "EVENT_BEAT_BRUNOS_ROOM_TRAINER_0", "EVENT_BEAT_AGATHAS_ROOM_TRAINER_0",
                           "EVENT_BEAT_LANCE", "EVENT_LANCES_ROOM_LOCK_DOOR", "EVENT_BEAT_CHAMPION_RIVAL"]},
)  # fmt: skip

# What comes of something else by itself, wherever one is.
FOLLOWS: Final = (
    (
        ["EVENT_BEAT_ROCKET_HIDEOUT_4_TRAINER_0", "EVENT_BEAT_ROCKET_HIDEOUT_4_TRAINER_1"],
        ["EVENT_ROCKET_HIDEOUT_4_DOOR_UNLOCKED"],
    ),
)


def laid_out(world: Row) -> str:
    """Return the tables as JSON, one row a line."""
    parts = []
    for key, rows in world.items():
        lines = ",\n".join(f"    {json.dumps(row, separators=(', ', ': '))}" for row in rows)
        parts.append(f'  "{key}": [\n{lines}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(path: Path) -> Any:  # noqa: ANN401  # JSON
    return json.loads(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    typer.run(main)
