"""The figures of many faults as a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from hours.budgets import p99

from nightly.game import PAGES
from nightly.kinds import FOR_GOOD, Kind, Outcome
from nightly.trouble import Game, Trouble


def document(games: Sequence[Game], seed: int, disk: str, picture: str | None) -> str:
    """Return the page; `picture` is the name of the plot beside it."""
    lines = [*_about_all(games, seed, disk), *_about_kinds(games)]
    if picture is not None:
        lines += ["", f"![Seconds from each fault to play again]({picture})"]
    return "\n".join([*lines, *_about_ends(games), *_about_problems(games)]) + "\n"


def troubles_of(games: Sequence[Game]) -> list[Trouble]:
    """Return the faults of all games."""
    return [each for game in games for each in game.troubles]


def _about_all(games: Sequence[Game], seed: int, disk: str) -> Iterator[str]:
    troubles = troubles_of(games)
    wrong = sum(game.is_wrong for game in games)
    goals = sum(game.verdict == "goal" for game in games)
    backs = [each.back_s for each in troubles if each.back_s is not None]
    pages = sum(each.kind in PAGES for each in troubles)
    bad = sum(game.mended for game in games)
    yield from (
        "# Nights in which everything goes wrong, measured",
        "",
        f"Written by `scripts/nights --faults {len(troubles)} --seed {seed}`; every figure is from one run of it. The demo is played to its goal by",
        "`python -m agent overnight` as it is, with three flags that shorten waiting (`--hang 15 --backoff 0.1 --min-free 0`). Its children",
        "play as ever, but consolidate every 60 ticks instead of 1,000 and say through a socket where they are; half of the faults are",
        "aimed by that at the moments in which something is kept. Supervisors that are killed, terminated, or that ended because a disk",
        "was full are begun again by the same command, as systemd or a person would.",
        "",
        f"**{len(troubles):,} faults in {len(games)} games; games with something lost, doubled, not told or otherwise wrong: {wrong}.** {goals} games reached",
        f"their goal; {len(games) - goals} ended before it with a reason, what they stood on being destroyed or kept from them for good. From a",
        f"fault (one that lasts: from its relief) to play again took {median(backs):.1f} s (median; p99 {p99(backs):.1f} s; a hang has to be noticed first).",
        "",
        f"The disk: {disk}. Out of memory is a limit of the process's address space (RLIMIT_AS), set while it plays, up to 16 MiB below",
        "what it has. A page is overwritten with one byte or with noise, where the file lies; a checkpoint is cut to half of its state, up to",
        "three of the newest at once, and the player killed. The clock jumps by up to 30 hours either way, for supervisor and player.",
        f"{pages} pages were overwritten, and a file put right {bad} times; what nobody noticed held nothing, by the judge.",
        "",
        "After each game its files are read without the program that wrote them. The live lineage must be without a gap, its chain must",
        "hold, and `replay` must find no divergence from power-on to the end, across every resume. A fresh console then plays the",
        "recording once more, and by its RAM alone every battle, every place and every milestone must be told of once, with its",
        "outcome and its tick, and no other. All dead steps must be accounted for by branchings. Every lesson that a checkpoint",
        "covers must have been taken in by `memory.sqlite`, none may count twice (what is known and archived must add up to what was",
        "delivered, and the run's share of battles to its battles), damaged files must be kept, the verdict must be the right one,",
        "and `night.jsonl` must tell of each fault that was felt under a fitting kind. Memory goes on from game to game.",
    )


def _about_kinds(games: Sequence[Game]) -> Iterator[str]:
    heads = " | ".join(each.value for each in Outcome)
    yield from (
        "",
        f"| fault | injected | player ended | {heads} | s to play again, median | p99 | ticks played again, median | most |",
        f"|---|--:|--:|{'--:|' * len(Outcome)}--:|--:|--:|--:|",
    )
    troubles = troubles_of(games)
    for kind in Kind:
        here = [each for each in troubles if each.kind is kind]
        if here:
            yield _row(kind.value, here)
    yield _row("all", troubles)


def _row(what: str, troubles: Sequence[Trouble]) -> str:
    counts = Counter(each.outcome for each in troubles)
    backs = [each.back_s for each in troubles if each.back_s is not None]
    lost, ended = [each.lost for each in troubles], sum(each.ended for each in troubles)
    times = f"{median(backs):.2f} | {p99(backs):.2f}" if backs else " | "
    cells = " | ".join(f"{counts[each]:,}" if counts[each] else "" for each in Outcome)
    return f"| {what} | {len(troubles):,} | {ended:,} | {cells} | {times} | {median(lost):.0f} | {max(lost):,} |"


def _about_ends(games: Sequence[Game]) -> Iterator[str]:
    ended = [game for game in games if any(each.kind in FOR_GOOD for each in game.troubles)]
    if not ended:
        return
    yield from ("", "Nights that could not go on, and what they said:", "")
    for game in ended:
        yield f"- {game.troubles[-1].kind.value}: `{game.verdict}`, {game.why}"


def _about_problems(games: Sequence[Game]) -> Iterator[str]:
    wrong = [game for game in games if game.is_wrong]
    if not wrong:
        return
    yield from ("", "## What was wrong", "", "The files are kept in `.cache/nights`.", "")
    for game in wrong:
        yield f"- {game.name}, {game.verdict or 'no verdict'}: `{game.kept_as}`"
        yield from (f"  - {problem}" for problem in game.problems)
        for each in game.troubles:
            yield f"  - {each.kind.value} ({each.at}; {each.says}): {each.outcome.value}"
            yield from (f"    - {problem}" for problem in each.problems)
