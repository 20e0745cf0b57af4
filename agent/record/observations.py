"""Observations of play: the extractors that make them, the sections that list them, and their capture in a session."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Any, Final

from agent.mind.advice import NO_RESULT, AdviceEnded
from agent.mind.intent import ActionEnded
from agent.record.game_names import AGENT
from agent.skills import Outcome
from agent.story.facts import FactKind
from agent.story.milestones import Milestone
from agent.story.story import Story
from emulator import Dex
from memory import (
    BATTLE,
    BLACKOUT,
    MILESTONE_TIME,
    RECOLLECTION,
    Blackboard,
    BlackboardEvent,
    Call,
    ErrorMode,
    Hooks,
    MemoryFault,
    Observed,
    RunReader,
    RunStore,
    scope_name,
)
from memory.observations import (
    TOOL_SECTIONS,
    TOOLS,
    Capture,
    Extract,
    Extractors,
    Observation,
    ObservationQuery,
    Result,
    RowMode,
    Section,
    observations_block,
)
from memory.tapes import Priority, SessionObservation, is_made_up
from memory.tiers import LOCATION

ACTION: Final = "plan_action"
STUCK: Final = "stuck"
ADVICE_RESULT: Final = "advice_result"

BATTLES: Final = {  # by outcome: the type, the words, the importance
    "victory": ("battle_won", "won against", 5),
    "defeat": ("battle_lost", "lost against", 8),
    "runaway": ("battle_left", "left", 3),
    "catch": ("caught", "caught", 7),
}


def game_table(
    milestones: Sequence[Milestone], name_of: Callable[[int], str]
) -> Mapping[str, Extract]:
    """Return the extractors of play; `name_of` returns the name of an item."""
    by_id = {each.id: each for each in milestones}

    def milestone_time(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
        milestone = by_id.get(args["milestone"])
        text = milestone.label if milestone is not None else args["milestone"]
        details = {"milestone": args["milestone"]}
        mark = milestone.mark if milestone is not None else None
        if mark is not None and mark.kind is FactKind.BADGE:
            return [Observed("badge_earned", text, 10, args["milestone"], details)]
        return [Observed("milestone_reached", text, 8, args["milestone"], details)]

    return {
        ACTION: partial(_action, name_of),
        MILESTONE_TIME: milestone_time,
        BATTLE: _battle,
        BLACKOUT: _blackout,
        LOCATION: _location,
        STUCK: _stuck,
        RECOLLECTION: _recollection,
        ADVICE_RESULT: _advice_result,
    }


def _action(
    name_of: Callable[[int], str], args: Mapping[str, Any], result: Result
) -> Sequence[Observed]:
    """A finished action of the plan: a failure matters more than a step, and a gained item more than both.

    `args` hold the intent, bag and money at its start; the output holds the bag and money at its end.
    """
    name, why = args["name"], args["why"]
    details = {"plan_action": name, "place": args["place"]}
    if result.error == Outcome.INTERRUPTED.value:  # not a failure
        return [Observed("action_interrupted", f"{why}: interrupted", 2, name, details)]
    if result.error:
        content = f"{why}, at {args['place']}: {result.error}"
        return [Observed("action_failed", content, 4, name, details)]
    gained = _gained(args["bag"], result.output["bag"])
    if not gained:
        return [Observed("action_done", why, 1, name, details, ("action_failed",))]
    spent = args["money"] - result.output["money"]
    items = ", ".join(f"{count} {name_of(item)}" for item, count in gained.items())
    details["gained"] = items
    kind, price = ("purchase_made", f" for {spent}") if spent > 0 else ("item_gained", "")
    content = f"{items}{price}, at {args['place']}"
    return [Observed(kind, content, 5, name, details, ("action_failed",))]


def _gained(before: Sequence[tuple[int, int]], after: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return the items whose quantity grew, with the difference."""
    had = dict(before)
    more = {item: quantity - had.get(item, 0) for item, quantity in after}
    return {item: count for item, count in more.items() if count > 0}


def _battle(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    kind, words, importance = BATTLES[args["outcome"]]
    enemy = f"{args['enemy_pokemon']} L{args['enemy_level']}"
    content = f"{words} {enemy} with {args['player_pokemon']} L{args['player_level']}"
    details = {"battle": args["battle_id"], "turns": args["turns_taken"]}
    replaces = ("battle_lost",) if kind == "battle_won" else ()
    return [Observed(kind, content, importance, args["enemy_pokemon"], details, replaces)]


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
    """A stuck episode, reported when it is over or its branch was abandoned."""
    end = f"solved by {args['solved_by']}" if args["solved_by"] else "not solved"
    tried = ", ".join(args["tried"]) or "nothing"
    content = f"got nowhere at {args['place']} ({args['reason']}): tried {tried}; {end}"
    steps = list(args["recovery_steps"])
    details = {"episode": args["number"], "goal": args["goal"], "recovery_steps": steps}
    return [Observed(STUCK, content, 8, args["place"], details)]


def _advice_result(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    kind = "advice_worked" if args["success"] else "advice_failed"
    content = f"advised at tick {args['tick']}: {args['advised']}; {args['result']}"
    return [Observed(kind, content, 6, args["advised"], {"by": args["by"]})]


def _recollection(args: Mapping[str, Any], _result: Result) -> Sequence[Observed]:
    found = len(args["keys"])
    content = f"{args['why'] or 'recalled'}: {found} found"
    return [Observed("memory_recalled", content, 2, args["why"], {"found": found})]


GAME_SECTIONS: Final = (
    Section("Milestones", {"badge_earned": "", "milestone_reached": ""}, 8, RowMode.EACH),
    # Setbacks stay like errors do: the model must not repeat them the same way.
    Section(
        "Setbacks",
        {BLACKOUT: "", "battle_lost": "", STUCK: ""},
        9,
        RowMode.EACH,
        most=10,
        is_required=True,
    ),
    Section("Failed Actions", {"action_failed": ""}, 7, RowMode.EACH, most=10),
    Section("Places", {"map_entered": ""}, 6, RowMode.LATEST, most=20),
    Section(
        "Battles", {"caught": "", "battle_won": "", "battle_left": ""}, 5, RowMode.LATEST, most=10
    ),
    Section("Things Gained", {"purchase_made": "", "item_gained": ""}, 4, RowMode.EACH, most=8),
    *TOOL_SECTIONS,
)


MIN_IMPORTANCE: Final = 3  # to be listed in a section; single steps are not
CAPTURED: Final = frozenset({BATTLE, BLACKOUT, LOCATION, RECOLLECTION, STUCK, MILESTONE_TIME})
MOST: Final = 250  # observations in a block, the most important first


class PlayObservations:
    """Stores the observations of one session of a run; `capture` takes the calls of a model's tools as well.

    Failures here are counted with the faults of the hooks and do not stop play.
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
        hooks.after(ActionEnded, self._action, on_error=ErrorMode.SUPPRESS)
        hooks.after(AdviceEnded, self._advice, on_error=ErrorMode.SUPPRESS)
        for level in ("working", "stm"):
            blackboard.subscribe(scope_name(AGENT, level), self._event)

    def block(self) -> str | None:
        """Return the observations of the run, earlier sessions included, as text for a model; None if there are none."""
        query = ObservationQuery(min_importance=MIN_IMPORTANCE, by_importance=True, limit=MOST)
        try:
            observations = self._store.observations.find(query)
        except MemoryFault as fault:
            self.capture.faults.note("observations block", fault)
            return None
        return observations_block(observations, GAME_SECTIONS)

    def _action(self, _call: Call, ended: ActionEnded) -> None:
        """Capture a finished action; the bag and money at its start are in its intent."""
        intent, outcome, here = ended.intent, ended.outcome, ended.here
        began = intent.began
        intended = {"name": intent.name, "why": intent.why, "place": self._place_of(began)}
        had, owned = ({"bag": each.bag.items, "money": each.player.money} for each in (began, here))
        error = "" if outcome is Outcome.DONE else outcome.value
        self.capture.saw(ACTION, {**intended, **had}, Result(owned, error))

    def _advice(self, _call: Call, ended: AdviceEnded) -> None:
        self.capture.saw(ADVICE_RESULT, asdict(ended), Result({}))

    def _event(self, event: BlackboardEvent) -> None:
        entry = event.entry
        if entry.kind not in CAPTURED or event.action != "write" or entry.status != "verified":
            return
        self.capture.saw(entry.kind, entry.data, Result({"version": entry.version}))

    def _keep(self, observed: Sequence[Observed]) -> None:
        blackboard = self._blackboard
        self._store.observations.add(
            self._session, observed, tick=blackboard.tick, game_s=blackboard.game_s
        )


NOTED: Final = {  # the observations that the page of the next session lists, by type
    BLACKOUT: Priority.IMPORTANT,
    STUCK: Priority.IMPORTANT,
    "battle_lost": Priority.IMPORTANT,
    "advice_failed": Priority.POSSIBLE,
    "advice_worked": Priority.POSSIBLE,
}
REACHED: Final = ("milestone_reached", "badge_earned")
MOST_WITHOUT_RESULT: Final = 10  # of advice in the notes of one run, the last ones


def notes_of(run: RunReader, at: datetime) -> Iterator[SessionObservation]:
    """Yield what is worth reading of a run before the next one: setbacks, what came of advice, and its milestones."""
    observed = _of_interest(
        run.observations.find(ObservationQuery(min_importance=MIN_IMPORTANCE))[::-1]
    )
    for each in observed:
        if each.type in NOTED:
            noted = f"{each.content} (tick {each.created})"
            made_up = is_made_up(str(each.metadata.get("by", "")))
            yield SessionObservation(NOTED[each.type], noted, at, is_made_up=made_up)
    if ends := [f"{each.content} at {each.created}" for each in observed if each.type in REACHED]:
        text = f"Milestones by tick: {', '.join(ends)}"
        yield SessionObservation(Priority.INFORMATIONAL, text, at)


def _of_interest(observed: Sequence[Observation]) -> list[Observation]:
    """Return observations, oldest first, without the older advice that had no result."""
    without = [each.id for each in observed if NO_RESULT in each.content]
    old = set(without[:-MOST_WITHOUT_RESULT])
    return [each for each in observed if each.id not in old]
