"""Getting nowhere is seen by what recurs, whatever it is, and healthy repetition is not taken for it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.errors import StuckReason
from agent.mind import ProgressMonitor
from agent.mind.progress import LOST, PATIENCE, QUIET
from agent.perception import Percept
from emulator import State
from emulator.ram import Stack
from tests.agent.support import Played, game_at

POTION = 20


@pytest.fixture(scope="module")
def percept(played: Played) -> Iterator[Percept]:
    def has_a_team(state: State) -> bool:
        return state.in_control and len(state.party) > 0

    with game_at(played.folder, has_a_team) as game:
        yield Percept(1, game.state, "", 1.0, (), None, None)


def at(percept: Percept, map_id: int, x: int) -> Percept:
    state = percept.state
    there = replace(state.map, map_id=map_id, x=x, y=1)
    return replace(percept, state=replace(state, map=there))


def richer(percept: Percept, *, exp: int = 0, levels: int = 0) -> Percept:
    first, *others = percept.state.party.mons
    grown = replace(first, exp=first.exp + exp, level=first.level + levels)
    party = replace(percept.state.party, mons=(grown, *others))
    return replace(percept, state=replace(percept.state, party=party))


def ticks_to_verdict(progress: ProgressMonitor, moments: Iterator[Percept]) -> int:
    for tick, moment in enumerate(moments):
        progress.saw(moment)
        if progress.verdict is not None:
            return tick
        if tick > 2 * PATIENCE:
            break
    raise AssertionError("no verdict")


def test_nothing_new_is_noticed_after_patience(percept: Percept) -> None:
    progress = ProgressMonitor()
    ticks = ticks_to_verdict(progress, iter(lambda: percept, None))
    assert (progress.verdict, ticks) == (StuckReason.NO_NOVELTY, PATIENCE + 1)


def walk_between(*moments: Percept) -> Iterator[Percept]:
    while True:
        for each in moments:
            yield from [each] * 10


def test_walking_to_and_fro_between_maps_is_oscillation(percept: Percept) -> None:
    progress = ProgressMonitor()
    ticks = ticks_to_verdict(progress, walk_between(at(percept, 1, 1), at(percept, 2, 1)))
    assert progress.verdict is StuckReason.OSCILLATION
    assert ticks < 2 * QUIET


def test_walking_in_a_ring_of_squares_is_oscillation(percept: Percept) -> None:
    progress = ProgressMonitor()
    ring = (at(percept, 1, x) for x in (1, 2, 3))
    assert ticks_to_verdict(progress, walk_between(*ring)) < PATIENCE
    assert progress.verdict is StuckReason.OSCILLATION


def test_training_up_and_down_is_progress_while_experience_grows(percept: Percept) -> None:
    progress = ProgressMonitor()
    there, back = at(percept, 1, 1), at(percept, 1, 2)
    for lap in range(400):
        for moment in (there, back):
            for _ in range(10):
                progress.saw(richer(moment, exp=lap // 5))
                assert progress.verdict is None


def test_coming_back_to_what_one_had_is_no_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    rich = richer(percept, exp=5)
    ticks_to_verdict(progress, walk_between(percept, rich))
    assert progress.verdict is StuckReason.NO_NOVELTY


def test_exploring_is_progress(percept: Percept) -> None:
    progress = ProgressMonitor()
    for square in range(3 * PATIENCE):
        progress.saw(at(percept, square // 200, square % 200))
        assert progress.verdict is None


def test_the_same_words_again_and_again_are_repeated_dialogue(percept: Percept) -> None:
    progress = ProgressMonitor()
    talk = [replace(percept, text=text) for text in ("HELLO.", "NICE DAY.", "")]
    assert ticks_to_verdict(progress, walk_between(*talk)) < PATIENCE
    assert progress.verdict is StuckReason.REPEATED_DIALOGUE


def test_what_fails_every_time_is_repeated_failure(percept: Percept) -> None:
    progress = ProgressMonitor()

    def failing() -> Iterator[Percept]:
        while True:
            yield from [percept] * 40
            progress.failed("go")

    assert ticks_to_verdict(progress, failing()) < PATIENCE
    assert progress.verdict is StuckReason.REPEATED_FAILURE
    assert progress.culprits == ("go",)


def test_failure_is_noticed_even_where_something_new_happens_now_and_then(
    percept: Percept,
) -> None:
    progress = ProgressMonitor()

    def failing() -> Iterator[Percept]:
        for exp in range(1_000):
            yield from [richer(percept, exp=exp)] * 40
            progress.failed("go")

    ticks_to_verdict(progress, failing())
    assert progress.verdict is StuckReason.REPEATED_FAILURE


def test_a_gain_gives_every_action_another_chance(percept: Percept) -> None:
    progress = ProgressMonitor()
    for level in range(100):
        for _ in range(5):
            progress.saw(richer(percept, levels=level))
            progress.failed("go")
        assert progress.verdict is None


def gains_after(died: Percept, other: Percept) -> bool:
    """Whether `other` is a gain on a branch that began anew where another had come as far as `died`."""
    dead, progress = ProgressMonitor(), ProgressMonitor()
    dead.saw(died)
    progress.come_back(dead.to_json())
    return progress.saw(other)


def owning(percept: Percept, *team: tuple[int, int], potions: int) -> Percept:
    """The same moment with a team of such species and levels, and so many potions."""
    state = percept.state
    first = state.party.mons[0]
    mons = tuple(replace(first, species=species, level=level) for species, level in team)
    bag = replace(state.bag, items=(Stack(POTION, potions),))
    return replace(percept, state=replace(state, party=replace(state.party, mons=mons), bag=bag))


def test_what_a_dead_branch_had_is_no_gain_in_another_mixture(percept: Percept) -> None:
    died = owning(percept, (1, 12), (2, 4), potions=5)
    assert not gains_after(died, died)
    assert not gains_after(died, owning(percept, (1, 12), (2, 4), potions=3))  # drunk up
    assert not gains_after(died, owning(percept, (3, 4), (1, 11), potions=5))  # another catch


@pytest.mark.parametrize(
    ("team", "potions"),
    [
        (((1, 13), (2, 4)), 5),
        (((1, 12), (2, 5)), 5),
        (((1, 12), (2, 4), (3, 2)), 5),
        (((1, 12), (2, 4)), 6),
    ],
    ids=["a level", "a level of the other", "a third", "a potion more"],
)
def test_what_goes_beyond_a_dead_branch_is_a_gain(
    percept: Percept, team: tuple[tuple[int, int], ...], potions: int
) -> None:
    died = owning(percept, (1, 12), (2, 4), potions=5)
    assert gains_after(died, owning(percept, *team, potions=potions))


def test_a_deed_that_a_reflex_drops_at_the_same_place_is_a_reflex_loop(percept: Percept) -> None:
    progress = ProgressMonitor()

    def dropped() -> Iterator[Percept]:
        while True:
            progress.begun("go")
            yield from [percept] * 30
            progress.dropped("go", "text")

    assert ticks_to_verdict(progress, dropped()) < PATIENCE
    assert progress.verdict is StuckReason.REFLEX_LOOP
    assert progress.culprits == ("go",)


def test_no_way_to_any_goal_is_noticed_before_patience_ends(percept: Percept) -> None:
    progress = ProgressMonitor()

    def lost() -> Iterator[Percept]:
        while True:
            yield percept
            progress.at_a_loss()

    assert ticks_to_verdict(progress, lost()) <= LOST + 2
    assert progress.verdict is StuckReason.NO_PLAN


def test_what_a_checkpoint_keeps_goes_on_alike(percept: Percept) -> None:
    one, walk = ProgressMonitor(), walk_between(at(percept, 1, 1), at(percept, 2, 1))
    for _ in range(100):
        one.saw(next(walk))
        one.begun("go")
        one.failed("go")
    other = ProgressMonitor()
    other.restore(one.to_json())
    assert other.to_json() == one.to_json()
    for _ in range(200):
        moment = next(walk)
        one.saw(moment)
        other.saw(moment)
        assert one.verdict == other.verdict
    assert one.verdict is not None
