"""The exam as a page for people: what was asked, and how both did."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from agent.lab.exam.exam import AnsweredQuestion, ExamResults
from agent.lab.exam.question import (
    Exactly,
    ExamAnswer,
    ExamMark,
    ExamScore,
    Expected,
    Proportion,
    QuestionKind,
    Unknown,
    Within,
    mark,
)

ABOUT: Final = """\
# The memory exam

Written by `{command}` on {cartridge}.

The games of seeds {seeds} are played one after the other, all with one memory. After each, its recorded steps are driven
again and work RAM is read at every tick: that is where the right answers come from. Then questions about that game, and
about it beside the games before it, are drawn by a seeded lot and put to two examinees, as typed forms:

- **with memory**: the files are opened as they are when the run has ended. Answers come from `memory_recall`, `gather_context`,
  `memory_gaps`, the session's tier and what outlives runs, and from nothing else: no steps, no digests, no console.
- **without memory**: the same code on an empty memory, and beside it all that the last state of the game tells of itself.

Each says that it does not know where it finds nothing. A right answer is +1, not to answer what never was is +1, not to
answer what was is 0, a wrong answer is -1. Grading is exact: the one name, number, set or sequence; a tick must lie in
the fight, or within {patience} ticks of the moment at which RAM first showed the milestone.

What it does not show: the questions come in typed forms, of kinds that were written together with what memory keeps for
them, so that they hold memory to what it promises and do not measure whether it understands a question in words. Nobody asks whom
one talked to, what was bought where, or what a sign said. The first four of these gaps showed when the questions were written,
the last two when they were answered; all were closed before these figures:

- who stood second in a battle, and which trainer led it, had no entry by name, so `memory_gaps` took them for unknown:
  there are acquaintances now, one for each species and trainer of a run;
- a battle did not say where it was, nor who of ours ended it;
- money, things and the team were last looked at on entering a place: now also when a goal is reached or turned to;
- things went by number, and where one had them first was not kept: there are belongings now;
- which defeat cost money could only be guessed from what was bought later: blackouts are remembered as such;
- what two runs did alike became one entry that named one of them: milestones, defeats and blackouts name their run.
"""
EXAMPLES: Final = 2  # of each kind


def exam_rows(results: ExamResults) -> Iterator[tuple[str, ...]]:
    """Yield a row a kind, then one for all: marks and points of both."""
    for name, kinds in (
        *((kind.value, (kind,)) for kind in QuestionKind),
        ("all", tuple(QuestionKind)),
    ):
        count = results.remembering.count(kinds)
        if count:
            cells = (_cells(each, kinds) for each in (results.remembering, results.forgetful))
            yield (name, str(count), *(cell for each in cells for cell in each))


EXAM_HEAD: Final = (
    "kind",
    "questions",
    *(
        f"{who}: {what}"
        for who in ("with", "without")
        for what in ("right", "abstained rightly", "abstained wrongly", "wrong", "points")
    ),
)


def exam_json(results: ExamResults) -> dict[str, Any]:
    """Return the figures in plain JSON types."""
    return {
        "papers": [len(paper) for paper in results.papers],
        "with": _figures(results.remembering),
        "without": _figures(results.forgetful),
    }


def exam_page(results: ExamResults, heading: str, plot: str | None) -> str:
    """Return the page; `heading` is its beginning, `plot` the name of the picture beside it."""
    sizes = [len(paper) for paper in results.papers]
    one, other = results.remembering, results.forgetful
    lines = [
        heading,
        f"{sum(sizes)} questions in {len(sizes)} papers of {min(sizes)} to {max(sizes)}.",
        "",
        "| | with memory | without |",
        "|---|--:|--:|",
        _compared("questions with an answer that were answered rightly", one.answered, other.answered),
        _compared("of these, not abstained from", one.spoke, other.spoke),
        _compared("questions about what never was that were abstained from", one.abstained, other.abstained),
        f"| wrong answers that were a trap | {one.trapped} | {other.trapped} |",
        f"| points, of {one.count()} | {one.points()} | {other.points()} |",
        "",
        *([f"![marks by kind of question]({plot})", ""] if plot else []),
        "| " + " | ".join(EXAM_HEAD) + " |",
        "|---|" + "--:|" * (len(EXAM_HEAD) - 1),
        *("| " + " | ".join(row) + " |" for row in exam_rows(results)),
        "",
        *_examples(results),
        *_failures(results),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _examples(results: ExamResults) -> Iterator[str]:
    yield "## What is asked"
    yield ""
    yield "The first questions of each kind in the last paper, with what was said to them."
    yield ""
    yield "| kind | question | right | with memory | without |"
    yield "|---|---|---|---|---|"
    for kind in QuestionKind:
        of_kind = [each for each in results.papers[-1] if each.question.kind is kind]
        yield from map(_line, of_kind[:EXAMPLES])
    yield ""


def _failures(results: ExamResults) -> Iterator[str]:
    failed = [
        each
        for paper in results.papers
        for each in paper
        if mark(each.question, each.remembering) in {ExamMark.WRONG, ExamMark.ABSTAINED_WRONGLY}
    ]
    yield "## What memory did not know"
    yield ""
    if not failed:
        yield "Nothing that was asked."
        return
    yield "| kind | question | right | with memory | without |"
    yield "|---|---|---|---|---|"
    yield from map(_line, failed)


def _line(each: AnsweredQuestion) -> str:
    question = each.question
    cells = (
        question.kind.value,
        question.words,
        _expected(question.expected),
        _said(each.remembering),
        _said(each.forgetful),
    )
    return "| " + " | ".join(cells) + " |"


def _expected(expected: Expected) -> str:
    match expected:
        case Exactly(value):
            return _said(value)
        case Within(first, last):
            return f"{first} to {last}"
        case Unknown():
            return "I do not know"


def _said(answer: ExamAnswer | None) -> str:
    match answer:
        case None:
            return "I do not know"
        case frozenset():
            return ", ".join(sorted(answer))
        case tuple():
            return ", then ".join(answer)
        case _:
            return str(answer)


def _cells(score: ExamScore, kinds: Sequence[QuestionKind]) -> Iterator[str]:
    marks = score.total(kinds)
    for each in (
        ExamMark.RIGHT,
        ExamMark.ABSTAINED_RIGHTLY,
        ExamMark.ABSTAINED_WRONGLY,
        ExamMark.WRONG,
    ):
        yield str(marks[each])
    yield str(score.points(kinds))


def _compared(what: str, one: Proportion, other: Proportion) -> str:
    return f"| {what} | {_percent(one)} | {_percent(other)} |"


def _percent(ratio: Proportion) -> str:
    return f"{ratio.share:.1%} ({ratio.times} of {ratio.of})"


def _figures(score: ExamScore) -> dict[str, Any]:
    return {
        "answered_rightly": round(score.answered.share, 4),
        "not_abstained_from": round(score.spoke.share, 4),
        "abstained_rightly": round(score.abstained.share, 4),
        "trapped": score.trapped,
        "points": score.points(),
        "questions": score.count(),
        "kinds": {
            kind.value: {each.value: score.marks[kind][each] for each in ExamMark}
            for kind in QuestionKind
        },
    }
