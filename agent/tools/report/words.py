"""Descriptions of memory entries, formatted figures, and safe display of foreign text. Knows nothing of files."""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from memory import MemoryItem

DAY_S: Final = 86_400.0
LONGEST: Final = 160  # characters of the description of a kind without its own sentence
STATUS: Final = {
    "verified": "verified: the cartridge showed it",
    "inferred": "inferred: derived by rules from what the cartridge showed",
    "claim": "claimed: stated without proof, and not confirmed yet",
    "unknown": "unknown: no source was recorded",
}
_RUN_DATE: Final = re.compile(r"\d{8}-\d{6}-")


def describe(item: "MemoryItem") -> str:
    """Return a one-line description of `item`."""
    words = describe_data(item.kind, item.data)
    return f"{words} (no longer true: {item.closed})" if item.closed else words


def describe_data(kind: str, data: Mapping[str, Any]) -> str:
    """Return a one-line description of the data of an entry or a row of some kind."""
    form = _FORMATS.get(kind, _describe_fields)
    try:
        return form.format_map(data) if isinstance(form, str) else form(data)
    except (AttributeError, KeyError, TypeError, ValueError):
        return _describe_fields(data)  # fields of another version


def evidence_text(item: "MemoryItem") -> str:
    """Return the evidence of an item in a few characters."""
    data: Mapping[str, Any] = item.data
    match item.kind if item.table != "ltm_entries" else "":
        case "pattern":
            tried = data["success_count"] + data["failure_count"]
            return f"worked {data['success_count']:,} of {tried:,}"
        case "strategy":
            wins = data["success_rate"] * data["total_uses"]
            return f"won {wins:,.0f} of {data['total_uses']:,}"
        case "mistake":
            return f"{times(data['occurrence_count'])}, {data['severity']}"
        case "preference":
            return f"{data['confidence']:.0%} sure"
        case _:
            return f"importance {item.more.get('importance', '?')}"


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number of things, such as "1 game" or "1,200 entries"; `plural` is for nouns of another form."""
    return f"{count:,} {noun if count == 1 else plural or _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return noun if noun.endswith("s") else f"{noun}s"


def times(count: int) -> str:
    """Return a number of times in words."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


NO_ANSWER: Final = {
    "breaker": "paused after failures",
    "fault": "the call failed",
    "ceiling": "the budget is used up",
    "refused": "the model refused",
    "unusable": "no usable reply",
}


def no_answer(reason: str) -> str:
    """Return why a question to a model has no answer, in words."""
    return NO_ANSWER.get(reason, plain(reason))


def usd(dollars: float) -> str:
    """Return dollars: below one, with the four digits that show the cost of a call."""
    return f"${dollars:,.2f}" if dollars >= 1 or not dollars else f"${dollars:.4f}"


def game_time(seconds: float | None) -> str:
    """Return game time as h:mm:ss."""
    if seconds is None:
        return "unknown"
    minutes, left = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{left:02}"


def date(at: float) -> str:
    """Return the day of an epoch second."""
    if at <= 0:
        return "date not recorded"
    try:
        return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return "invalid date"


def ago(at: float, now: float) -> str:
    """Return the age of an epoch second in days."""
    days = (now - at) / DAY_S
    if at <= 0:
        return "date not recorded"
    if -1.0 < days < 1.0:
        return "today"
    when = counted(round(abs(days)), "day")
    return f"{when} ago" if days > 0 else f"in {when}"


def run_label(run_id: str) -> str:
    """Return the name of a run without its date."""
    return _RUN_DATE.sub("", run_id) if run_id else "no run"


def number(value: object) -> str:
    """Return a value for display, with at most two decimals and thousands separators."""
    match value:
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:,.2f}".rstrip("0").rstrip(".")
        case None:
            return "none"
        case str():
            return value or "none"
        case list() | tuple():
            return ", ".join(map(number, value)) or "none"
        case dict():
            return ", ".join(f"{plain(name)} {number(each)}" for name, each in value.items())
        case _:
            return json.dumps(value)


def plain(name: str) -> str:
    """Return the name of a field in words."""
    return name.replace("_", " ")


def _describe_fields(data: Mapping[str, Any]) -> str:
    given = {name: value for name, value in data.items() if value not in (None, "", [], {}, ())}
    return cut(" ".join(number(given).split()), LONGEST)


def _battle(data: Mapping[str, Any]) -> str:
    ended = {"victory": "won", "defeat": "lost", "runaway": "ran away", "catch": "caught it"}
    return (
        f"{data['player_pokemon']} (level {data['player_level']}) against {data['enemy_pokemon']}"
        f" (level {data['enemy_level']}): {ended.get(data['outcome'], data['outcome'])}"
        f" after {counted(data['turns_taken'], 'turn')}, at tick {data['end_tick']:,}"
    )


def _pattern(data: Mapping[str, Any]) -> str:
    where = data["trigger_conditions"].get("location")
    return f"in {where}: {data['description']}" if where else str(data["description"])


def _approach(data: Mapping[str, Any]) -> str:
    tried = data["successes"] + data["failures"]
    purpose = f", to {data['reasoning']}" if data["reasoning"] else ""
    return (
        f"in {data['place']}: {', '.join(data['actions'])}{purpose};"
        f" worked {data['successes']:,} of {tried:,}"
    )


def _situation(data: Mapping[str, Any]) -> str:
    with_ = " in battle," if data["is_battle"] else ""
    weak = " weak," if data["is_weak"] else ""
    return f"in {data['location']}, {data['screen_type']},{with_}{weak} {counted(data['ticks'], 'tick')}"


def _opponent_met(data: Mapping[str, Any]) -> str:
    fates = ("won", "lost", "left", "caught")
    ends = ", ".join(f"{name} {data[name]:,}" for name in fates if data[name])
    by = f"; last won by {data['won_by']}" if data["won_by"] else ""
    by += f" with {', then '.join(data['won_with'])}" if data["won_with"] else ""
    met = max(1, data["met"])
    cost = f"{data['turns'] / met:,.0f} turns and {data['hp_lost'] / met:,.0f}% HP a battle"
    money = f", money {data['money']:+,}" if data["money"] else ""
    return (
        f"{data['subject']}, met {times(data['met'])} in {counted(data['games'], 'game')}, earliest in"
        f" {data['place']}, in battles up to level {data['highest_level']}: {ends}{by}; {cost}{money}"
    )


def _place_known(data: Mapping[str, Any]) -> str:
    visited = f"visited {times(data['visits'])} in {counted(data['games'], 'game')}"
    known = (
        ("", data["points_of_interest"]),
        ("people: ", data["npcs_interacted"]),
        ("leads to ", data["explored_areas"]),
        ("never entered: ", data["unexplored_areas"]),
    )
    parts = [f"{name}{number(value)}" for name, value in known if value]
    return "; ".join((f"{data['subject']}, {visited}", *parts))


def companion(milestone_time: Mapping[str, Any]) -> str:
    """Return the first Pokemon of a run, or '' before there is one."""
    before = milestone_time.get("before", {}).values()
    reached = sorted((*before, milestone_time), key=lambda each: int(each["tick"]))
    teams = (each["team"] for each in reached if each.get("team"))
    return str(next(teams, [""])[0]).rpartition(":")[0]


def _milestone_time(data: Mapping[str, Any]) -> str:
    own = f" with companion {name}" if (name := companion(data)) else ""
    return (
        f"milestone {plain(data['milestone'])} at tick {data['tick']:,}{own}:"
        f" {counted(data['battles'], 'battle')}, {data['lost']:,} lost, {counted(data['turns'], 'turn')}"
    )


def _talk(data: Mapping[str, Any]) -> str:
    effects = f"gives {', '.join(data['effects'])}" if data["effects"] else "only talks"
    person = data.get("person") or f"number {data['slot']}"
    return f"{person} in {data['place']} {effects}: {data['words']!r}"


def _blocked_square(data: Mapping[str, Any]) -> str:
    now = "free again" if data["passed"] else "blocked"
    return f"({data['x']},{data['y']}) in {data['place']}, towards {data['towards']}: {now}"


# A format string, or a function where a field needs special wording.
_FORMATS: Final[dict[str, str | Callable[[Mapping[str, Any]], str]]] = {
    "pattern": _pattern,
    "strategy": lambda data: (
        f"{data['player_pokemon']} beats {data['enemy_type']} with "
        f"{', then '.join(data['moves_sequence'])}"
    ),
    "mistake": "{description}",
    "preference": "{description}",
    "battle": _battle,
    "opponent_met": _opponent_met,
    "place_known": _place_known,
    "item_owned": lambda data: (
        f"{data['subject']}, owned in {counted(data['games'], 'game')}, earliest seen in {data['place']},"
        f" at most {data['most']:,}"
    ),
    "blackout": (
        "beaten by {subject} in {place} at tick {tick:,}, which cost {cost:,}; woke up in {woke_in}"
    ),
    "talk": _talk,
    "shop_stock": lambda data: (
        f"the clerk in {data['place']} sells {number(data.get('names') or data['items'])}"
    ),
    "blocked_square": _blocked_square,
    "stock": lambda data: f"{counted(data['entries'], 'entry', 'entries')}; {number(data['tags'])}",
    "milestone_time": _milestone_time,
    "session": lambda data: (
        f"a session of {counted(data['ticks'], 'tick')}: {counted(data['battles'], 'battle')},"
        f" {data['win_rate']:.0%} of those decided were won"
    ),
    "objective": "{name} ({status})",
    "location": lambda data: f"{data['location_name']}, visited {times(data['visit_count'])}",
    "action": "{action_value} in {location}, to {reasoning}: {outcome_summary}",
    "unplanned": "{action_value} in {location}, to {reasoning}: {outcome_summary}",
    "approach": _approach,
    "situation": _situation,
    "recollection": lambda data: (
        f"recalled {counted(len(data['keys']), 'entry', 'entries')}, to {data['why']}"
    ),
}


SIGN: Final = "\N{REPLACEMENT CHARACTER}"
_DIRECTIONS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def sanitized(words: str) -> str:
    """Return a text in which each control or unprintable character, except line ends, is replaced by a sign."""
    if words.isascii() and (words.isprintable() or words.replace("\n", "").isprintable()):
        return words
    return "".join(
        SIGN
        if each != "\n" and (unicodedata.category(each) in {"Cc", "Cs"} or each in _DIRECTIONS)
        else each
        for each in words
    )


def cut(words: str, most: int) -> str:
    """Return a text of at most `most` characters, cut with an ellipsis if it is longer."""
    return words if len(words) <= most else f"{words[: most - 1]}…"
