"""Tools a model may use before it answers: search memory, store claims, look, try a plan.

`advisor_tools.json` describes them, and the caller validates arguments against it. No tool takes a
step of the game or makes a fact: a model stores claims, and it can forget only its claims. The result
of a tool is text; rows with cartridge text stand behind a bar.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Final

from agent.advisor.port import Tool, ToolRefused
from agent.battle.odds import chance_to_beat
from agent.mind.situation import QuestionContext, SituationDescriber, quoted, screen_rows
from agent.planning.search import explain
from agent.story.opponents import ahead, team_against
from memory import Entry, Json, MalformedRecord, MemoryActions, MemoryQuery, scope_name
from memory.tiers import ObserverMemory

CLAIM: Final = "claim"  # the kind of entry that a model stores
BY: Final = "source:model"
MOST_RECALLED: Final = 10
LONGEST_CLAIM: Final = 300  # characters
MOST_TAGS: Final = 5
LONGEST_TAG: Final = 40
MOST_CLAIMS: Final = 40  # of a model, stored at the same time
CONFIRMED: Final = "the bound was confirmed, the text was not"


def tools_run_by(
    function_of: Callable[[str], Callable[[Mapping[str, Any]], str]],
) -> tuple[Tool, ...]:
    """Return the tools of `advisor_tools.json` with the function of each, by its name."""
    rows = json.loads((files("agent.mind") / "advisor_tools.json").read_text(encoding="utf-8"))
    return tuple(Tool(run=function_of(each["name"]), **each) for each in rows)


@dataclass(frozen=True, slots=True)
class AdvisorTools:
    """The tools of one mind. `now` returns the context of the question."""

    memory: MemoryActions
    describer: SituationDescriber
    now: Callable[[], QuestionContext]

    def all(self) -> tuple[Tool, ...]:
        """Return every tool, in the order of `advisor_tools.json`; each is a method here."""
        return tools_run_by(partial(getattr, self))

    def recall(self, asked: Mapping[str, Any]) -> str:
        """Return the entries that match, the best first."""
        tags, text = _texts(asked, "tags"), asked.get("text", "")
        if not text and not tags:
            raise ToolRefused("give words or tags to search for")
        query = MemoryQuery(text=text, all_of=frozenset(tags), max_results=MOST_RECALLED)
        found = self.memory.memory_recall(query, why="a model asked")
        return "\n".join(_row(each) for each in found) or "no entry matches"

    def store(self, asked: Mapping[str, Any]) -> str:
        """Store a claim, and return its key."""
        text, tags = asked["text"].strip(), _texts(asked, "tags")
        if not text or len(text) > LONGEST_CLAIM:
            raise ToolRefused(f"a claim has 1 to {LONGEST_CLAIM} characters; shorten it")
        if len(tags) > MOST_TAGS or any(len(each) > LONGEST_TAG for each in tags):
            raise ToolRefused(
                f"a claim has at most {MOST_TAGS} tags, each of at most {LONGEST_TAG} characters"
            )
        if len(self._claims()) >= MOST_CLAIMS:
            message = f"{MOST_CLAIMS} claims of yours are stored already; forget some first"
            raise ToolRefused(message)
        data: dict[str, Json] = {"says": text}
        if asked.get("claims") is not None:
            data["claims"] = self._undecided(_claimed(asked["claims"]))
        scope = scope_name(self.memory.agent_id, "stm")
        note: Mapping[str, Json] = {"scope": scope, "kind": CLAIM, "status": "claim"}
        try:
            key = self.memory.memory_store(data, tags=(*tags, BY), metadata=note)
        except MalformedRecord as error:
            raise ToolRefused(str(error)) from error
        return f"stored as a claim under {key}"

    def forget(self, asked: Mapping[str, Any]) -> str:
        """Withdraw claims; nothing else can be forgotten."""
        keys = set(_texts(asked, "keys"))
        own = keys & {each.key for each in self._claims()}
        gone = self.memory.memory_forget(keys=own) if own else 0
        kept = len(keys - own)
        return f"{gone} withdrawn" + (f"; {kept} are no claims of yours and stay" if kept else "")

    def list_tags(self, _asked: Mapping[str, Any]) -> str:
        """Return every tag with its number of entries, the most frequent first."""
        tags = self.memory.memory_list_tags()
        ranked = sorted(tags, key=lambda tag: (-tags[tag], tag))
        rows = (quoted(f"{tag}: {tags[tag]}") for tag in ranked[:100])
        return "\n".join(rows) or "there are no tags"

    def memory_map(self, _asked: Mapping[str, Any]) -> str:
        """Return the scopes with their number of entries, and the gaps."""
        shown = self.memory.memory_map()
        rows = [f"{name}: {scope.count} entries" for name, scope in shown.scopes.items()]
        return "\n".join(quoted(each) for each in (*rows, *shown.gaps))

    def look(self, asked: Mapping[str, Any]) -> str:
        """Return one view of the current situation."""
        percept = self.now().percept
        rows: Iterator[str]
        match asked["what"]:
            case "screen":
                rows = screen_rows(percept.text)
            case "map":
                rows = self.describer.around(percept.state)
            case "party":
                rows = self.describer.team(percept.state)
            case "moment":
                rows = _moment(self.describer.memory.observer)
            case _:
                rows = self._odds()
        return "\n".join(rows) or "there is nothing to see"

    def try_plan(self, asked: Mapping[str, Any]) -> str:
        """Return the plan for a goal in words."""
        moment = self.now()
        goal = next((each for each in moment.goals if each.name == asked["goal"]), None)
        if goal is None:
            names = ", ".join(each.name for each in moment.goals) or "none"
            raise ToolRefused(f"that is not an open goal; open are: {names}")
        plan = moment.plan_for(goal)
        return explain(plan, moment.facts) if plan is not None else "no plan is known"

    def _odds(self) -> Iterator[str]:
        state, story, dex = self.now().percept.state, self.describer.story, self.describer.dex
        for task in ahead(story, state):
            if state.party.mons:
                team = team_against(story, dex, task, state)
                chance = chance_to_beat(dex, state.party, team)
                yield f"{task.label}: {100 * chance:.0f}% with the present team"

    def _undecided(self, claim: Mapping[str, Json]) -> Json:
        """Return a claim; raise ToolRefused if it holds already, since its text would count as confirmed."""
        value, bounds = self.now().facts.get(str(claim["fact"])), _bounds(claim)
        if value is not None and all(
            value >= bound if name == "at_least" else value <= bound
            for name, bound in bounds.items()
        ):
            raise ToolRefused(f"{claim['fact']} is {value} already; claim something not known yet")
        return claim

    def _claims(self) -> list[Entry]:
        scope = scope_name(self.memory.agent_id, "stm")
        entries = self.memory.blackboard.entries(scope, kind=CLAIM)
        return [each for each in entries if each.status == "claim" and BY in each.tags]


def _moment(observer: ObserverMemory) -> Iterator[str]:
    """Yield what the observer holds: the text read from pixels with its confidence, and the last actions."""
    context = observer.decision_context
    if isinstance(seen := context["sensory_input"], Mapping):
        words = " / ".join(str(seen["ocr_text"]).split("\n"))
        if seen["ocr_confidence"]:
            words = f"read from pixels, {seen['ocr_confidence']:.0%} sure: {words or 'no text'}"
        else:
            words = "no frame of this screen was read; look at the screen for its text"
        yield quoted(words)
    for each in observer.get_recent_outcomes():
        yield quoted(f"tick {each['tick']}: {each['action']}, {each['outcome']}")


def _texts(asked: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = asked.get(name, [])
    if not all(isinstance(each, str) for each in value):
        raise ToolRefused(f"{name} is a list of texts")
    return tuple(value)


def _claimed(claim: Mapping[str, Any]) -> Mapping[str, Json]:
    if not isinstance(claim.get("fact"), str):
        raise ToolRefused('claims names a fact: {"fact": "badges", "at_least": 1}')
    bounds = _bounds(claim)
    if not bounds or not all(type(each) is int for each in bounds.values()):
        raise ToolRefused("claims gives its fact at_least or at_most, as integers")
    return {"fact": claim["fact"], **bounds}


def _bounds(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {name: claim[name] for name in ("at_least", "at_most") if name in claim}


def _row(entry: Entry) -> str:
    """Return an entry as one row; for a claim of a model, facts confirm only its bound, never its text."""
    text = ", ".join(f"{name} {value}" for name, value in sorted(entry.data.items()) if value)
    status = CONFIRMED if entry.kind == CLAIM and entry.status == "verified" else entry.status
    return quoted(f"{entry.key} ({entry.kind}, {status}, tick {entry.tick}): {text[:400]}")
