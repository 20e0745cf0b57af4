"""What comes of each mutation: whether the tests of its row notice it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from tests.mutations.mutation import DoesNotFit, Mutation
from tests.mutations.rows import Row, RowTest
from tests.mutations.workshop import Ending, Workshop


class Verdict(Enum):
    """What became of a mutation; only CAUGHT is good."""

    CAUGHT = "caught"
    SURVIVED = "survived"
    UNTESTED = "no test to notice it"
    UNCLEAR = "its tests fail without it"
    HUNG = "hung instead of failing"
    BROKE = "broke the code instead of changing it"
    MISFIT = "cannot be applied"


@dataclass(frozen=True, slots=True)
class Trial:
    """One mutation tried; `noticed_by` are the tests that failed with it."""

    mutation: Mutation
    verdict: Verdict
    noticed_by: tuple[RowTest, ...] = ()


@dataclass(frozen=True)
class Findings:
    """All that was tried: how the tests end as they are, and what becomes of each mutation."""

    rows: Sequence[Row]
    endings: Mapping[RowTest, Ending]
    trials: Sequence[Trial]

    @cached_property
    def failures(self) -> list[Trial]:
        """The mutations that were not caught."""
        return [trial for trial in self.trials if trial.verdict is not Verdict.CAUGHT]

    def tests_of(self, row: Row) -> list[RowTest]:
        """Return the tests that bear a row's id."""
        return [test for test in self.endings if row.id in test.rows]

    def result(self, row: Row) -> str:
        """Return whether a row holds, in a word or two."""
        endings = {self.endings[test] for test in self.tests_of(row)}
        if not endings:
            return "no test"
        if endings <= {Ending.PASSED, Ending.SKIPPED}:
            return "holds" if Ending.PASSED in endings else "skipped"
        return "fails"


def asked(mutation: Mutation, tests: Iterable[RowTest]) -> list[RowTest]:
    """Return the tests that must notice a mutation."""
    of_row = [test for test in tests if mutation.row in test.rows]
    return [test for test in of_row if not mutation.tests or test.name in mutation.tests]


def try_out(mutation: Mutation, workshop: Workshop, endings: Mapping[RowTest, Ending]) -> Trial:
    """Return what becomes of one mutation, given how the tests end without it."""
    tests = asked(mutation, endings)
    if not tests:
        return Trial(mutation, Verdict.UNTESTED)
    if {endings[test] for test in tests} != {Ending.PASSED}:
        return Trial(mutation, Verdict.UNCLEAR)
    try:
        with mutation.applied(workshop.tree):
            after = workshop.run(tests)
    except DoesNotFit:
        return Trial(mutation, Verdict.MISFIT)
    counted = {Ending.FAILED, Ending.HUNG} if mutation.may_hang else {Ending.FAILED}
    noticed_by = tuple(test for test, ending in after.items() if ending in counted)
    return Trial(mutation, _verdict(set(after.values()), counted), noticed_by)


def _verdict(endings: Collection[Ending], counted: Collection[Ending]) -> Verdict:
    for ending in counted:
        if ending in endings:
            return Verdict.CAUGHT
    if Ending.HUNG in endings:
        return Verdict.HUNG
    return Verdict.BROKE if Ending.BROKEN in endings else Verdict.SURVIVED
