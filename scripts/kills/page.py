"""The figures of many kills as a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from kills.kill import FIRST, Kill, Outcome
from kills.words import Phase

PLACES: Final = (FIRST, *(each.value for each in Phase))
WORDS: Final = {
    "commit": "commit (record or checkpoint)",
    "rewind": "going back to a checkpoint",
    "deliver": "delivery of lessons",
    "age": "ageing of memory",
    "maintain": "tidying of memory",
}


def document(told: Sequence[Kill], seed: int, picture: str | None) -> str:
    """Return the page; `picture` is the name of the plot beside it."""
    lines = [*about_all(told, seed), *about_places(told)]
    if picture is not None:
        lines += ["", f"![Where the kills fell, and how long after a life began]({picture})"]
    return "\n".join([*lines, *about_begun(told), *about_problems(told)]) + "\n"


def about_all(told: Sequence[Kill], seed: int) -> Iterator[str]:
    """Yield what was done and what came of it."""
    kills = [each for each in told if each.is_kill]
    wrong = [each for each in told if each.problems]
    ends = sum(each.ended for each in told)
    lanes = len({each.lane for each in told})
    lives = median(each.life_s for each in kills)
    looks = median(each.oracle_s for each in kills)
    yield from (
        "# Killed at any instant, measured",
        "",
        f"Written by `scripts/chaos --seed {seed}`; every figure is from one run of it. The demo is played for real, with a",
        "consolidation every 20 to 50 ticks instead of 1,000, and each process is killed with SIGKILL: most kills are aimed at the",
        "moments in which something is kept, the others fall at any time. The next process resumes the run as a user would; when a",
        "run is over another begins on the same memory. One life in ten is to go back to an older checkpoint as well, as play does",
        "when it gets nowhere, if it lives that long. Between two lives the calendar moves by an hour, so that memory ages.",
        "",
        f"**{len(kills):,} kills, {len(wrong)} with something lost, counted twice or otherwise wrong.** {ends} runs came to the end of",
        f"their story on {lanes} memories, and replay without divergence where nothing is listed below. A life took {lives:.2f} s, and the",
        f"examination after it {looks:.2f} s (medians).",
        "",
        "After each kill copies of both files are held against what the dead process had announced before, and acknowledged after,",
        "each transaction: every step, event, lesson, live entry, session, checkpoint and part, and the entries that each checkpoint",
        "would bring back, must be as after the last acknowledged one, or all as after the one that was only begun. The live steps",
        "must be without a gap, their chain must hold, and the indexes of words and tags must find what there is. Along memory's",
        "edges nothing may be carried twice, no moment and no action left out, and what was derived must add up: actions to",
        "approaches, moments to situations, battles to totals.",
        "`memory.sqlite` must equal, row by row in every table, a twin that nobody killed and that was taught each delivered lesson",
        "once; and the evidence in it, archived rows included, must add up to that of the lessons. A run that comes to its end must",
        "have delivered all, counted its session once, and replay.",
    )


def about_places(told: Sequence[Kill]) -> Iterator[str]:
    """Yield a table of where the kills fell."""
    kills = [each for each in told if each.is_kill]
    yield from (
        "",
        "| the kill fell | kills | wrong | s a life | s to examine |",
        "|---|--:|--:|--:|--:|",
    )
    for place in PLACES:
        here = [each for each in kills if each.where == place]
        if here:
            yield row(place, here)
    yield row("all", kills)


def about_begun(told: Sequence[Kill]) -> Iterator[str]:
    """Yield a table of what was begun and not acknowledged."""
    yield from (
        "",
        "A kill between the announcement of a transaction and its acknowledgement may find it done or not done, never half;",
        "some would have changed nothing, such as a delivery of what was delivered before:",
        "",
        f"| begun when killed | kills | {' | '.join(each.value for each in Outcome)} |",
        "|---|--:|--:|--:|--:|",
    )
    for word, says in WORDS.items():
        here = [each for each in told if each.is_kill and each.begun == word]
        counts = Counter(each.outcome for each in here)
        cells = " | ".join(f"{counts[each]:,}" for each in Outcome)
        yield f"| {says} | {len(here):,} | {cells} |"


def about_problems(told: Sequence[Kill]) -> Iterator[str]:
    """Yield what was wrong, with where to look."""
    wrong = [each for each in told if each.problems]
    if not wrong:
        return
    yield from ("", "## What was wrong", "", "The files are kept in `.cache/chaos`.", "")
    for kill in wrong:
        yield f"- {kill.name}, killed {kill.aim} ({kill.where}): `{kill.kept_as}`"
        yield from (f"  - {problem}" for problem in kill.problems)


def row(what: str, kills: Sequence[Kill]) -> str:
    """Return a row of a table."""
    wrong = sum(bool(each.problems) for each in kills)
    life, look = (median(each) for each in ([k.life_s for k in kills], [k.oracle_s for k in kills]))
    return f"| {what} | {len(kills):,} | {wrong} | {life:.2f} | {look:.2f} |"
