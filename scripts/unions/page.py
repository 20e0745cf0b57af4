"""What merging random histories came to, as a page."""

from collections.abc import Iterator, Sequence
from statistics import median

from unions.laws import Tried


def document(told: Sequence[Tried], seed: int) -> str:
    """Return the page."""
    return "\n".join([*_head(told, seed), *_wrong(told)]) + "\n"


def _head(told: Sequence[Tried], seed: int) -> Iterator[str]:
    wrong = sum(bool(each.problems) for each in told)
    merges, lessons = (sum(getattr(each, name) for each in told) for name in ("merges", "lessons"))
    yield from (
        "# Memories merged, measured",
        "",
        f"Written by `scripts/merges --count {len(told)} --seed {seed}`; every figure is from one run of it. A history is a few runs",
        "that teach lessons of every kind (patterns, strategies, mistakes, preferences, totals, entries, and what closes any of them,",
        "each verified, inferred or claimed) through the ordinary delivery, to files that are founded, forked, grow apart, age by up",
        "to years and are tidied, every second one with caps so narrow that they are met. Its files are merged in several orders.",
        "",
        f"**{len(told):,} histories, {merges:,} merges, {wrong} histories with something wrong.** They have {lessons:,} lessons;",
        f"{median(each.runs for each in told):g} runs and {median(each.files for each in told):g} files a history (medians).",
        "",
        "What holds of each:",
        "",
        "- **Again is nothing.** A, B, both, or a copy of the merged file itself merged into it leave its bytes as they are.",
        "- **The order does not show.** A with B is B with A, row by row in every table; (A with B) with C, A with (B with C),",
        "  C with A with B, and both merged into C hold the same knowledge, provenance, shares, deliveries and totals.",
        "- **Nothing counts twice, nothing is missed.** Sums of successes, failures, uses, wins, occurrences, sessions, battles, and",
        "  how often each entry was taught are those of the lessons delivered to any of the files, each once, by an oracle that reads",
        "  lessons and rows and shares no code with what it judges. So they are after the runs go on and deliver the rest.",
        "- **Each row knows who taught it**, and the preference that is believed is the most trusted, then the newest; those that say",
        "  otherwise are closed, with the reason and what shows it.",
        "- **Closed stays closed** unless evidence that is newer and as much to be trusted as what closed it says otherwise.",
        "- **The caps hold**, and nothing of the four tables is gone that is worth keeping and has room. What any file knew is known",
        "  or in the archive.",
        "- **One truth.** Every row of every file, as delivery left it, as ageing left it and as merging left it, is what the shares",
        "  of the runs come to at that date.",
        "- The files that are merged keep every byte, and SQLite finds nothing wrong with what comes of them, its index of words",
        "  included.",
    )


def _wrong(told: Sequence[Tried]) -> Iterator[str]:
    wrong = [each for each in told if each.problems]
    if not wrong:
        return
    yield from ("", "## What was wrong", "")
    for each in wrong:
        yield f"- history `{each.seed}`"
        yield from (f"  - {problem}" for problem in each.problems)
