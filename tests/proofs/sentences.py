"""The sentences in which memory tells of several games, held against the recordings of these games.

Each sentence is read by a pattern, and what it says is computed again from the games alone.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from agent.tools.report.words import counted, describe, evidence_text, plain, times
from memory import AgentMemory, MemoryItem
from memory.tiers.integrations import MemoryAIIntegration
from tests.proofs.game_truth import PROOF_DELAY, FightOutcome, GameTruth, ObservedFight

ENDS: Final = {
    "won": FightOutcome.WON,
    "lost": FightOutcome.LOST,
    "left": FightOutcome.FLED,
    "caught": FightOutcome.CAUGHT,
}
Games: TypeAlias = Sequence[GameTruth]  # in the order in which they were played
Said: TypeAlias = Mapping[str, str]  # what a sentence says, by the name of the part
Fights: TypeAlias = Sequence[ObservedFight]


def _last_won(fights: Fights, then: str) -> str:
    """Return who ended the last battle won, and with which moves."""
    won = [each for each in fights if each.outcome is FightOutcome.WON]
    if not won:
        return ""
    moves = f" with {then.join(won[-1].moves)}" if won[-1].moves else ""
    return won[-1].finisher + moves


def _money(game: GameTruth, fight: ObservedFight) -> int:
    """Return what a battle won, less the cost of the blackout after it."""
    after = game.money_at(fight.last_tick)
    won = max(0, after - game.money_at(fight.first_tick))
    later = [held.value for held in game.money if held.tick > fight.last_tick]
    return won - (after - later[0] if fight.blacked_out else 0)


def _opponent(said: Said, games: Games) -> Said:
    name = said["name"]
    met = [game.against(name) for game in games]
    fights = [fight for each in met for fight in each]
    counts = {word: sum(f.outcome is end for f in fights) for word, end in ENDS.items()}
    # The prize of a trainer is said of him, and not of each of his species.
    paid = [(g, f) for g in games for f in g.against(name) if f.names[-1] == name or not f.opponent]
    money = sum(_money(game, fight) for game, fight in paid)
    return {
        "name": name,
        "times": times(len(fights)),
        "games": counted(sum(map(bool, met)), "game"),
        "place": min((each[0] for each in met if each), key=lambda each: each.first_tick).place,
        "ends": ", ".join(f"{word} {count}" for word, count in counts.items() if count),
        "by": _last_won(fights, ", then "),
        "turns": f"{sum(each.turns for each in fights) / len(fights):,.0f}",
        "money": f"{money:+,}" if money else "",
    }


def _visits(games: Games, place: str) -> list[int]:
    return [sum(v.place == place and v.tick < g.ticks for v in g.visits) for g in games]


def _place(said: Said, games: Games) -> Said:
    visits = _visits(games, said["name"])
    never = said["never"].split(", ") if said["never"] else []
    return {
        "name": said["name"],
        "times": times(sum(visits)),
        "games": counted(sum(map(bool, visits)), "game"),
        "never": ", ".join(each for each in never if not sum(_visits(games, each))),
    }


def _item(said: Said, games: Games) -> Said:
    owned = [game for game in games if said["name"] in game.items]
    first = min(owned, key=lambda game: game.items[said["name"]][0].tick)
    # The bag is looked at when a place is entered, so it may be the next one.
    tick = first.items[said["name"]][0].tick
    later = [each.place for each in first.visits if each.tick >= tick][:1]
    seen = [first.found_in[said["name"]], *later]
    return {
        "name": said["name"],
        "games": counted(len(owned), "game"),
        "place": said["place"] if said["place"] in seen else seen[0],
        "most": str(max(held.value for game in owned for held in game.items[said["name"]])),
    }


def _strategy(said: Said, games: Games) -> Said:
    alike = [
        fight.outcome is FightOutcome.WON
        for game in games
        for fight in game.fights
        if fight.outcome in (FightOutcome.WON, FightOutcome.LOST)
        and len(fight.places) == 1  # what several have done proves nothing of one
        and (fight.own, ", ".join(fight.enemies)) == (said["own"], said["enemies"])
        and ", then ".join(fight.own_moves) == said["moves"]
    ]
    return {**said, "won": str(sum(alike)), "of": str(len(alike))}


def _mistake(said: Said, games: Games) -> Said:
    lost = [
        fight
        for game in games
        for fight in game.ended(FightOutcome.LOST)
        if (fight.own, ", ".join(fight.enemies)) == (said["own"], said["enemies"])
    ]
    level = str(max((fight.own_level for fight in lost), default=0))
    return {**said, "times": times(len(lost)), "level": level}


def _milestone(said: Said, games: Games) -> Said:
    tick = int(said["tick"].replace(",", ""))
    shown = [
        (g, at) for g in games for name, at in g.milestones.items() if plain(name) == said["name"]
    ]
    games = [game for game, at in shown if at <= tick <= at + PROOF_DELAY]
    if not games:
        return {"name": "no such milestone at that tick"}
    game = games[0]
    fights = [each for each in game.fights if each.last_tick <= tick]
    lost = sum(each.outcome is FightOutcome.LOST for each in fights)
    battles, turns = counted(len(fights), "battle"), counted(game.turns_to(tick), "turn")
    return {**said, "own": game.starter, "battles": battles, "lost": str(lost), "turns": turns}


NAME: Final = r"(?P<name>.+?)"
SENTENCES: Final[Mapping[str, tuple[str, Callable[[Said, Games], Said]]]] = {
    "opponent_met": (
        rf"{NAME}, met (?P<times>.+?) in (?P<games>.+?), earliest in (?P<place>.+?), in battles up to"
        r" level \d+: (?P<ends>.+?)(?:; last won by (?P<by>.+?))?; (?P<turns>\S+) turns and \S+% HP a"
        r" battle(?:, money (?P<money>\S+))?",
        _opponent,
    ),
    "place_known": (
        rf"{NAME}, visited (?P<times>.+?) in (?P<games>\S+ games?)(?:; .+?)??"
        r"(?:; never entered: (?P<never>.+))?",
        _place,
    ),
    "item_owned": (
        rf"{NAME}, owned in (?P<games>.+?), earliest seen in (?P<place>.+), at most (?P<most>\S+)",
        _item,
    ),
    "strategy": (
        r"(?P<own>.+?) beats (?P<enemies>.+) with (?P<moves>.+); won (?P<won>\d+) of (?P<of>\d+)",
        _strategy,
    ),
    "mistake": (
        r"(?P<own>.+?) lost against (?P<enemies>.+); (?P<times>.+?), \w+; Come back above level"
        r" (?P<level>\d+) or .*",
        _mistake,
    ),
    "milestone_time": (
        rf"milestone {NAME} at tick (?P<tick>\S+) with companion (?P<own>.+?): (?P<battles>.+),"
        r" (?P<lost>\d+) lost, (?P<turns>.+)",
        _milestone,
    ),
}


def sentence_of(item: MemoryItem) -> str:
    """Return what `memory show` says of an item: its sentence, and for a lesson its evidence."""
    words = describe(item)
    if item.kind in ("strategy", "mistake"):
        words += f"; {evidence_text(item)}"
    return f"{words}; {item.data['prevention_tip']}" if item.kind == "mistake" else words


def false_sentences(items: Iterable[MemoryItem], games: Games) -> Iterator[str]:
    """Yield the sentences that say something else than the recordings of `games` show."""
    for item in items:
        data: Mapping[str, Any] = item.data
        if item.kind not in SENTENCES or "location" in data.get("situation", {}):
            continue  # a recording of RAM does not show which action failed
        pattern, recompute = SENTENCES[item.kind]
        yield from _false(sentence_of(item), pattern, recompute, games)


def sentence_kinds(items: Iterable[MemoryItem]) -> Counter[str]:
    """Return how many sentences of each kind are held against recordings."""
    return Counter(item.kind for item in items if item.kind in SENTENCES)


RECORD: Final = (
    rf"- {NAME}, the next opponent: won (?P<won>\d+) and lost (?P<lost>\d+) of its battles"
    r"(?:; last beaten by (?P<by>.+?))?(?:; (?P<loser>.+) at level (?P<level>\d+) lost to it last)?"
)


def _record(said: Said, games: Games) -> Said:
    fights = [fight for game in games for fight in game.against(said["name"])]
    lost = [each for each in fights if each.outcome is FightOutcome.LOST]
    return {
        "name": said["name"],
        "won": str(sum(each.outcome is FightOutcome.WON for each in fights)),
        "lost": str(len(lost)),
        "by": _last_won(fights, ", "),
        "loser": lost[-1].own if lost else "",
        "level": str(lost[-1].own_level) if lost else "",
    }


def false_records(memory: AgentMemory, games: Games) -> Iterator[str]:
    """Yield the records of trainers in a prompt that differ from the recordings of `games`."""
    prompt = MemoryAIIntegration(memory.observer, memory.strategist, memory.tactician)
    for name in {fight.opponent for game in games for fight in game.fights} - {""}:
        text = prompt.get_tactical_context({"opponent": name})
        yield from _false(text.partition("\n")[2], RECORD, _record, games)


def _false(
    sentence: str, pattern: str, recompute: Callable[[Said, Games], Said], games: Games
) -> Iterator[str]:
    read = re.fullmatch(pattern, sentence)
    if read is None:
        yield f"no pattern reads {sentence!r}"
        return
    said: dict[str, Any] = {name: value or "" for name, value in read.groupdict().items()}
    right = recompute(said, games)
    wrong = {name: (said[name], right[name]) for name in right if said[name] != right[name]}
    if wrong:
        yield f"{sentence!r}: {', '.join(f'{n} was {is_}' for n, (_, is_) in wrong.items())}"
