"""What games with a model that fails came to, as a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from counsel.game import Game
from counsel.hearing import ANSWERED, Asked
from tests.fake_service import scenario_named

NOTHING: Final = "nothing wrong"


def unmet(games: Sequence[Game]) -> list[str]:
    """Return the kinds of faults that the scenario has and no game met; none where nothing is to fail."""
    first = games[0].wanted
    kinds = scenario_named(first.scenario).spread.kinds if first.faults else ()
    made = Counter[str]()
    for game in games:
        made.update(game.made)
    return [kind.value for kind in kinds if not made[kind.value]]


def document(games: Sequence[Game], picture: str) -> str:
    """Return the page; `picture` is the name of the plot beside it, '' where there is none."""
    parts = (
        _head(games),
        _faults(games),
        _ends(games),
        _plot(picture),
        _games(games),
        _wrong(games),
    )
    return "\n".join(line for part in parts for line in part) + "\n"


def _head(games: Sequence[Game]) -> Iterator[str]:
    asked = [each for game in games for each in game.questions]
    calls = [call for each in asked for call in each.calls]
    failed, unreached = (
        sum(bool(call.fault) for call in calls),
        sum(not call.reached for call in calls),
    )
    equal = sum(_earned(game) for game in games)
    first, last = games[0].wanted, games[-1].wanted
    share = failed / max(len(calls) - unreached, 1)
    ticks = _ticks(games)
    shorter = sum(game.claude.ticks < game.rules.ticks for game in games)
    longer = sum(game.claude.ticks > game.rules.ticks for game in games)
    yield from (
        "# Advice from a service that fails, measured",
        "",
        f"Written by `scripts/advised --seeds {first.seed}..{last.seed} --faults {first.faults:g} --every {first.every}`; every figure is from one run of",
        "it. Each seed of the demo is played twice from power-on, with an empty memory: by rules, and with `--mind claude` through",
        f"the real SDK against the loopback server of `python -m agent fake-claude`, scenario `{first.scenario}`, which is no model. Calls fail by",
        "chance, in every way there is, one after the other in an order of the game's own, and two of each game in ways that were dealt",
        "out beforehand, so that all are met; every now and then the service says the key back, in a note and in a call of the tool that",
        "stores. Every second game has the ceilings that ship, the others wider ones.",
        "",
        f"**{len(games)} games, {equal} of them earn with a failing model at least what rules earn; {sum(bool(game.problems) for game in games)} have something wrong.**",
        f"{len(asked):,} questions and {len(calls):,} calls ({median(len(game.questions) for game in games):g} and {median(_calls(game) for game in games):g} a game, medians); {failed:,} calls ({share:.0%}) were made",
        f"to fail, {unreached} found nobody listening. {sum(game.answers for game in games):,} questions were answered, {sum(_advised(each) for each in asked):,} of them with a fault on the way.",
        "",
        "The answers are made up out of the names that a question offers, and those that arrive are followed as far as rules allow. To",
        f"`{games[0].rules.milestones[-1].id}` it takes {ticks[1]:,.0f} ticks instead of {ticks[0]:,.0f} (medians); {shorter} of the games are shorter than by rules, {longer} longer.",
        "",
        "What holds of each game:",
        "",
        "- It ends at its goal with no error counted, and has every milestone that rules reach.",
        "- Its steps replay without divergence; decided anew from power-on, with the answers of its recording, not one of them comes out",
        "  otherwise. Both with the server gone, no key, and no socket that can be opened.",
        "- No ceiling of its terms is passed at any moment: dollars, calls and tokens, of the run, of the hour and of the milestone.",
        "  Calls of which nobody knows what they took count at their worst.",
        "- The key, 99 characters by chance, is in no file: run folder, memory, tapes, notes, report, the log of everything at the level",
        "  DEBUG; nor in the summary. Neither as it is nor backwards, in hexadecimal digits, in base64 or in percent.",
        "- Every request that the server had was one that we made, every fault that it made is one that we heard of, and no request was",
        "  such that the service refuses it.",
        "",
    )


def _earned(game: Game) -> bool:
    return {each.id for each in game.rules.milestones} <= {
        each.id for each in game.claude.milestones
    }


def _calls(game: Game) -> int:
    return sum(len(each.calls) for each in game.questions)


def _advised(asked: Asked) -> bool:
    return asked.end == ANSWERED and any(call.fault for call in asked.calls)


def _faults(games: Sequence[Game]) -> Iterator[str]:
    """Yield a table of kinds: how often each was made, what we took it for, and how the question ended."""
    saw: dict[str, Counter[str]] = {}
    ends: dict[str, Counter[str]] = {}
    for game in games:
        for asked in game.questions:
            for call in asked.calls:
                kind = call.fault or NOTHING
                saw.setdefault(kind, Counter())[call.saw] += 1
                ends.setdefault(kind, Counter())[asked.end] += 1
    yield from (
        "## Faults by kind",
        "",
        "| the service made | times | we took it for | question answered | not answered |",
        "|---|--:|---|--:|---|",
    )
    kinds = [*sorted(saw.keys() - {NOTHING}), NOTHING, *unmet(games)]
    for kind in kinds:
        heard, ended = saw.get(kind, Counter()), ends.get(kind, Counter())
        silent = Counter({name: count for name, count in ended.items() if name != ANSWERED})
        yield (
            f"| {kind} | {heard.total():,} | {_list(heard)} | {ended[ANSWERED]:,} | {_list(silent)} |"
        )


def _ends(games: Sequence[Game]) -> Iterator[str]:
    """Yield a table of why one asked, and how that ended."""
    asked = [each for game in games for each in game.questions]
    yield from (
        "",
        "`late` and some others leave a message that can be taken. An answer that names what nobody offered is taken without it; one",
        "that is no answer is sent back twice at most; a fault that may pass is tried again twice; then rules go on alone.",
        "",
        "## Questions",
        "",
        "| asked for | questions | answered | not answered |",
        "|---|--:|--:|---|",
    )
    for purpose in sorted({each.purpose for each in asked}):
        ends = Counter(each.end for each in asked if each.purpose == purpose)
        silent = Counter({name: count for name, count in ends.items() if name != ANSWERED})
        yield f"| {purpose} | {ends.total():,} | {ends[ANSWERED]:,} | {_list(silent)} |"


def _plot(picture: str) -> Iterator[str]:
    if picture:
        yield from ("", f"![Questions by game, and ticks by rules and with a model]({picture})")


def _games(games: Sequence[Game]) -> Iterator[str]:
    yield from (
        "",
        "## Games",
        "",
        "| seed | ceilings | milestones by rules, with claude | ticks by rules, with claude | questions, answered | calls settled, lost, free | dollars booked | wrong |",
        "|--:|---|--:|--:|--:|--:|--:|--:|",
    )
    for game in games:
        rules, claude, bills = game.rules, game.claude, game.bills
        yield (
            f"| {game.wanted.seed} | {'wide' if game.wanted.is_wide else 'shipped'}"
            f" | {len(rules.milestones)}, {len(claude.milestones)} | {rules.ticks:,}, {claude.ticks:,}"
            f" | {len(game.questions)}, {game.answers}"
            f" | {bills.get('settled', 0)}, {bills.get('lost', 0)}, {bills.get('cancelled', 0)}"
            f" | {game.usd:.2f} | {len(game.problems)} |"
        )
    ticks = _ticks(games)
    yield f"| median | | | {ticks[0]:,.0f}, {ticks[1]:,.0f} | | | {median(game.usd for game in games):.2f} | |"


def _ticks(games: Sequence[Game]) -> tuple[float, float]:
    """Return how long games take by rules and with a model, as medians."""
    return median(game.rules.ticks for game in games), median(game.claude.ticks for game in games)


def _wrong(games: Sequence[Game]) -> Iterator[str]:
    missing = unmet(games)
    if not missing and not any(game.problems for game in games):
        return
    yield from ("", "## What was wrong", "")
    if missing:
        yield f"- no game met: {', '.join(missing)}"
    for game in games:
        yield from (f"- seed {game.wanted.seed}: {problem}" for problem in game.problems)


def _list(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
