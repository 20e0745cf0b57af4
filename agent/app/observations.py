"""Observations of play kept with the run: what becomes one, the sections that list them, and who watches play for them."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from agent.app.memory_producers import AGENT
from agent.mind.intent import ActionEnded
from agent.skills import Outcome
from agent.story.facts import FactKind
from agent.story.milestones import Milestone
from agent.story.story import Story
from emulator import Dex
from memory import (
    BATTLE,
    BLACKOUT,
    RECOLLECTION,
    WAYPOINT,
    Blackboard,
    BlackboardEvent,
    Call,
    ErrorMode,
    Hooks,
    MemoryFault,
    Observed,
    RunStore,
    scope_name,
)
from memory.observations.block import Section, Telling, observations_block
from memory.observations.observation import Capture, Extract, Extractors, ObservationQuery, Result
from memory.observations.tools import TOOL_SECTIONS, TOOLS
from memory.tiers.strategist import LOCATION

DEED: Final = "deed"
STUCK: Final = "stuck"

BATTLES: Final = {  # by outcome: the type, the words, the importance
    "victory": ("battle_won", "won against", 5),
    "defeat": ("battle_lost", "lost against", 8),
    "runaway": ("battle_left", "left", 3),
    "catch": ("caught", "caught", 7),
}


def game_table(
    milestones: Sequence[Milestone], name_of: Callable[[int], str]
) -> Mapping[str, Extract]:
    """Return the extractors of play; `name_of` says what an item is called."""
    by_id = {each.id: each for each in milestones}

    def waypoint(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
        milestone = by_id.get(args["milestone"])
        says = milestone.says if milestone is not None else args["milestone"]
        told = {"milestone": args["milestone"]}
        mark = milestone.mark if milestone is not None else None
        if mark is not None and mark.kind is FactKind.BADGE:
            return [Observed("badge_earned", says, 10, args["milestone"], told)]
        return [Observed("milestone_reached", says, 8, args["milestone"], told)]

    return {
        DEED: partial(_deed, name_of),
        WAYPOINT: waypoint,
        BATTLE: _battle,
        BLACKOUT: _blackout,
        LOCATION: _location,
        STUCK: _stuck,
        RECOLLECTION: _recollection,
    }


def _deed(
    name_of: Callable[[int], str], args: Mapping[str, Any], result: Result
) -> Sequence[Observed]:
    """A deed of the plan: what failed is worth more than a step, and what it brought more than either.

    `args` are what was meant and owned when it began, the output what was owned when it ended.
    """
    name, why = args["name"], args["why"]
    told = {"deed": name, "place": args["place"]}
    if result.error == Outcome.INTERRUPTED.value:  # no failure
        return [Observed("deed_interrupted", f"{why}: interrupted", 2, name, told)]
    if result.error:
        return [
            Observed("deed_failed", f"{why}, at {args['place']}: {result.error}", 4, name, told)
        ]
    gained = _gained(args["bag"], result.output["bag"])
    if not gained:
        return [Observed("deed_done", why, 1, name, told, ("deed_failed",))]
    spent = args["money"] - result.output["money"]
    things = ", ".join(f"{count} {name_of(item)}" for item, count in gained.items())
    told["gained"] = things
    kind, price = ("purchase_made", f" for {spent}") if spent > 0 else ("item_gained", "")
    content = f"{things}{price}, at {args['place']}"
    return [Observed(kind, content, 5, name, told, ("deed_failed",))]


def _gained(before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return of which items there are more than before, and how many more."""
    had = dict(before)
    more = {item: quantity - had.get(item, 0) for item, quantity in after}
    return {item: count for item, count in more.items() if count > 0}


def _battle(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    kind, words, importance = BATTLES[args["outcome"]]
    enemy = f"{args['enemy_pokemon']} L{args['enemy_level']}"
    content = f"{words} {enemy} with {args['player_pokemon']} L{args['player_level']}"
    told = {"battle": args["battle_id"], "turns": args["turns_taken"]}
    overtakes = ("battle_lost",) if kind == "battle_won" else ()
    return [Observed(kind, content, importance, args["enemy_pokemon"], told, overtakes)]


def _blackout(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    content = (
        f"blacked out in {args['place']}, which cost {args['cost']}; woke up in {args['woke_in']}"
    )
    return [Observed(BLACKOUT, content, 9, args["subject"], {"cost": args["cost"]})]


def _location(args: Mapping[str, Any], result: Result) -> Sequence[Observed]:
    """A place entered for the first time."""
    if result.output["version"] > 1:
        return []
    place = args["location_name"]
    return [Observed("map_entered", place, 6, place, {"type": args["location_type"]})]


def _stuck(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    """A time of getting nowhere, told when it is over or the branch in which it happened died."""
    end = f"solved by {args['solved_by']}" if args["solved_by"] else "not solved"
    tried = ", ".join(args["tried"]) or "nothing"
    content = f"got nowhere at {args['place']} ({args['reason']}): tried {tried}; {end}"
    told = {"episode": args["number"], "goal": args["goal"], "rungs": list(args["rungs"])}
    return [Observed(STUCK, content, 8, args["place"], told)]


def _recollection(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    found = len(args["keys"])
    content = f"{args['why'] or 'recalled'}: {found} found"
    return [Observed("memory_recalled", content, 2, args["why"], {"found": found})]


GAME_SECTIONS: Final = (
    Section("Milestones", {"badge_earned": "", "milestone_reached": ""}, 8, Telling.EACH),
    # What went wrong is kept as errors are: it is what must not be tried the same way again.
    Section(
        "Setbacks",
        {BLACKOUT: "", "battle_lost": "", STUCK: ""},
        9,
        Telling.EACH,
        most=10,
        stays=True,
    ),
    Section("Failed Deeds", {"deed_failed": ""}, 7, Telling.EACH, most=10),
    Section("Places", {"map_entered": ""}, 6, Telling.LATEST, most=20),
    Section(
        "Battles", {"caught": "", "battle_won": "", "battle_left": ""}, 5, Telling.LATEST, most=10
    ),
    Section("Things Gained", {"purchase_made": "", "item_gained": ""}, 4, Telling.EACH, most=8),
    *TOOL_SECTIONS,
)


TOLD_FROM: Final = 3  # the importance of what a section tells of; single steps are not worth a line
TOLD: Final = frozenset({BATTLE, BLACKOUT, LOCATION, RECOLLECTION, STUCK, WAYPOINT})
MOST: Final = 250  # observations that a block is made of, the most important first


class PlayObservations:
    """Keeps what is observed in one session of a run, from its making on; `capture` takes the calls of a model's tools as well.

    Whatever goes wrong here is counted with the faults of the hooks, and stops nothing.
    """

    def __init__(
        self,
        store: RunStore,
        session: str,
        story: Story,
        dex: Dex,
        hooks: Hooks,
        blackboard: Blackboard,
    ) -> None:
        self._store = store
        self._session = session
        self._place_of = story.place_of
        self._blackboard = blackboard
        rules = Extractors(TOOLS, game_table(story.milestones, dex.item_name))
        self.capture = Capture(rules, self._keep, hooks.faults)
        hooks.after(ActionEnded, self._deed, on_error=ErrorMode.SUPPRESS)
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._event)

    def block(self) -> str | None:
        """Return what this session observed up to now, as a model is told; None when there is nothing."""
        query = ObservationQuery(
            session=self._session, min_importance=TOLD_FROM, heaviest=True, limit=MOST
        )
        try:
            observations = self._store.observations(query)
        except MemoryFault as fault:
            self.capture.faults.note("observations block", fault)
            return None
        return observations_block(observations, GAME_SECTIONS)

    def _deed(self, _call: Call, ended: ActionEnded) -> None:
        """A deed that ended: what was owned when it began is in the intent, whatever was done since."""
        intent, outcome, here = ended.intent, ended.outcome, ended.here
        began = intent.began
        meant = {"name": intent.name, "why": intent.why, "place": self._place_of(began)}
        had, owned = ({"bag": each.bag.items, "money": each.player.money} for each in (began, here))
        error = "" if outcome is Outcome.DONE else outcome.value
        self.capture.saw(DEED, {**meant, **had}, Result(owned, error))

    def _event(self, event: BlackboardEvent) -> None:
        entry = event.entry
        if entry.kind not in TOLD or event.action != "write" or entry.status != "verified":
            return
        self.capture.saw(entry.kind, entry.data, Result({"version": entry.version}))

    def _keep(self, observed: Sequence[Observed]) -> None:
        blackboard = self._blackboard
        self._store.add_observations(
            self._session, observed, tick=blackboard.tick, game_s=blackboard.game_s
        )
