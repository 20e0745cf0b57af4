"""Tools a model may use before it answers: search memory, keep its own claims, look, try a plan.

`advisor_tools.json` describes them, and whoever runs one holds its arguments against that. None
takes a step of the game, and none makes a fact: a model stores claims, and only claims can be
forgotten. The result of a tool is text; rows of the cartridge stand behind a bar.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from agent.advisor.port import Tool, ToolRefused
from agent.capabilities.readiness import ahead, odds
from agent.mind.advice import Describing, QuestionContext, barred, seen
from agent.planning.search import explain
from memory import Entry, Json, MalformedRecord, MemoryActions, MemoryQuery, scope_name

CLAIM: Final = "claim"  # the kind of what a model stores
BY: Final = "source:model"
MOST_RECALLED: Final = 10
MOST_SAID: Final = 300  # characters of a claim
MOST_TAGS: Final = 5
LONGEST_TAG: Final = 40
MOST_CLAIMS: Final = 40  # of a model, alive at a time
BORNE_OUT: Final = "its bound was borne out, its words were not"


@dataclass(frozen=True, slots=True)
class AdvisorTools:
    """The tools of one mind. `now` returns the moment that is asked about."""

    memory: MemoryActions
    describing: Describing
    now: Callable[[], QuestionContext]

    def all(self) -> tuple[Tool, ...]:
        """Return every tool, in the order of the file that describes them; each is a method here."""
        told = json.loads((files("agent.mind") / "advisor_tools.json").read_text(encoding="utf-8"))
        return tuple(Tool(run=getattr(self, each["name"]), **each) for each in told)

    def recall(self, asked: Mapping[str, Any]) -> str:
        """Return what answers, the best first."""
        tags, text = _texts(asked, "tags"), asked.get("text", "")
        if not text and not tags:
            raise ToolRefused("give words or tags to search for")
        query = MemoryQuery(text=text, all_of=frozenset(tags), max_results=MOST_RECALLED)
        found = self.memory.memory_recall(query, why="a model asked")
        return "\n".join(_told(each) for each in found) or "nothing is known of that"

    def store(self, asked: Mapping[str, Any]) -> str:
        """Keep a claim, and return its key."""
        text, tags = asked["text"].strip(), _texts(asked, "tags")
        if not text or len(text) > MOST_SAID:
            message = f"a claim has 1 to {MOST_SAID} characters; shorten it"
            raise ToolRefused(message)
        if len(tags) > MOST_TAGS or any(len(each) > LONGEST_TAG for each in tags):
            message = (
                f"a claim has at most {MOST_TAGS} tags, each of at most {LONGEST_TAG} characters"
            )
            raise ToolRefused(message)
        if len(self._claims()) >= MOST_CLAIMS:
            message = f"{MOST_CLAIMS} claims of yours are kept already; forget some first"
            raise ToolRefused(message)
        data: dict[str, Json] = {"says": text}
        if asked.get("claims") is not None:
            data["claims"] = self._open(_claimed(asked["claims"]))
        scope = scope_name(self.memory.agent_id, "stm")
        note: Mapping[str, Json] = {"scope": scope, "kind": CLAIM, "status": "claim"}
        try:
            key = self.memory.memory_store(data, tags=(*tags, BY), metadata=note)
        except MalformedRecord as error:
            raise ToolRefused(str(error)) from error
        return f"kept as a claim under {key}"

    def forget(self, asked: Mapping[str, Any]) -> str:
        """Withdraw claims; nothing else can be forgotten."""
        keys = set(_texts(asked, "keys"))
        own = keys & {each.key for each in self._claims()}
        gone = self.memory.memory_forget(keys=own) if own else 0
        kept = len(keys - own)
        return f"{gone} withdrawn" + (f"; {kept} are no claims of yours and stay" if kept else "")

    def list_tags(self, _asked: Mapping[str, Any]) -> str:
        """Return every tag and how many entries carry it, the commonest first."""
        tags = self.memory.memory_list_tags()
        ranked = sorted(tags, key=lambda tag: (-tags[tag], tag))
        rows = (barred(f"{tag}: {tags[tag]}") for tag in ranked[:100])
        return "\n".join(rows) or "there are no tags"

    def memory_map(self, _asked: Mapping[str, Any]) -> str:
        """Return the scopes with what they hold, and the gaps."""
        shown = self.memory.memory_map()
        rows = [f"{name}: {scope.count} entries" for name, scope in shown.scopes.items()]
        return "\n".join(barred(each) for each in (*rows, *shown.gaps))

    def look(self, asked: Mapping[str, Any]) -> str:
        """Return one view of the moment."""
        percept = self.now().percept
        rows: Iterator[str]
        match asked["what"]:
            case "screen":
                rows = seen(percept.text)
            case "map":
                rows = self.describing.around(percept.state)
            case "party":
                rows = self.describing.team(percept.state)
            case _:
                rows = self._odds()
        return "\n".join(rows) or "there is nothing to see"

    def try_plan(self, asked: Mapping[str, Any]) -> str:
        """Return the plan to a goal in words."""
        moment = self.now()
        goal = next((each for each in moment.goals if each.name == asked["goal"]), None)
        if goal is None:
            raise ToolRefused("that is none of the open goals; take one that the question offers")
        plan = moment.plan_for(goal)
        return explain(plan, moment.facts) if plan is not None else "no plan is known"

    def _odds(self) -> Iterator[str]:
        party = self.now().percept.state.party
        for task in ahead(self.describing.story, self.now().percept.state):
            if task.against is not None and party.mons:
                chance = odds(self.describing.dex, party, task.against)
                yield f"{task.says}: {100 * chance:.0f}% as the team is now"

    def _open(self, claim: Mapping[str, Json]) -> Json:
        """Return a claim unless it is so already: it would be borne out at once, and lend its words a weight."""
        value, bounds = self.now().facts.get(str(claim["fact"])), _bounds(claim)
        if value is not None and all(
            value >= bound if name == "at_least" else value <= bound
            for name, bound in bounds.items()
        ):
            message = f"{claim['fact']} is {value} already; claim what is not known yet"
            raise ToolRefused(message)
        return claim

    def _claims(self) -> list[Entry]:
        scope = scope_name(self.memory.agent_id, "stm")
        entries = self.memory.blackboard.entries(scope, kind=CLAIM)
        return [each for each in entries if each.status == "claim" and BY in each.tags]


def _texts(asked: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = asked.get(name, [])
    if not all(isinstance(each, str) for each in value):
        message = f"{name} is a list of texts"
        raise ToolRefused(message)
    return tuple(value)


def _claimed(claim: Mapping[str, Any]) -> Mapping[str, Json]:
    if not isinstance(claim.get("fact"), str):
        raise ToolRefused('claims names a fact: {"fact": "badges", "at_least": 1}')
    bounds = _bounds(claim)
    if not bounds or not all(type(each) is int for each in bounds.values()):
        raise ToolRefused("claims says of its fact at_least or at_most, as whole numbers")
    return {"fact": claim["fact"], **bounds}


def _bounds(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {name: claim[name] for name in ("at_least", "at_most") if name in claim}


def _told(entry: Entry) -> str:
    """Return an entry as one row; of a model's claim facts bear out the bound at most, and never the words."""
    told = ", ".join(f"{name} {value}" for name, value in sorted(entry.data.items()) if value)
    status = BORNE_OUT if entry.kind == CLAIM and entry.status == "verified" else entry.status
    return barred(f"{entry.key} ({entry.kind}, {status}, tick {entry.tick}): {told[:400]}")
