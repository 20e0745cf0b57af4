"""All games of the experiment: every seed once in each arm, one after the other or side by side."""

import signal
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, ProcessPoolExecutor, wait
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from agent.bench.experience.arms import Arm
from agent.bench.experience.games import Asked, Game, Order, play_game
from agent.errors import RunError

POLL: Final = 0.2  # seconds between two looks at whether somebody asked for an end

Progress: TypeAlias = Callable[[int], object]


@dataclass(frozen=True, slots=True)
class Trials:
    """The games of each arm, all in the order of the seeds."""

    arms: tuple[Arm, ...]
    games: tuple[tuple[Game, ...], ...]

    def of(self, arm: Arm) -> tuple[Game, ...]:
        """Return the games of one arm."""
        return self.games[self.arms.index(arm)]


def play_trials(
    orders: Sequence[Order],
    arms: tuple[Arm, ...],
    *,
    processes: int,
    asked: Asked,
    done: Progress,
) -> Trials:
    """Play each order in each arm; an order's memory is for the arms that are taught.

    Raises KeyboardInterrupt once somebody asks for an end: half an experiment says nothing.
    """
    every = [_in_arm(order, arm) for order in orders for arm in arms]
    play = _in_turn if processes == 1 else _side_by_side
    games = play(every, processes, asked, done)
    return Trials(arms, tuple(tuple(games[at :: len(arms)]) for at in range(len(arms))))


def _in_arm(order: Order, arm: Arm) -> Order:
    without = () if arm.without is None else (arm.without,)
    return replace(order, without=without, memory=order.memory if arm.is_taught else None)


def _in_turn(orders: Sequence[Order], _processes: int, asked: Asked, done: Progress) -> list[Game]:
    games = []
    for order in orders:
        games.append(play_game(order, asked))
        if asked():
            raise KeyboardInterrupt
        done(1)
    return games


def _side_by_side(
    orders: Sequence[Order], processes: int, asked: Asked, done: Progress
) -> list[Game]:
    with (
        TemporaryDirectory(prefix="bench-") as home,
        # Processes that begin afresh: PyBoy may run threads, which a fork would break. Ctrl-C reaches
        # them too, but who ends them is the one that waits for all of them, by the file.
        ProcessPoolExecutor(
            processes,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool,
    ):
        enough = Path(home) / "enough"
        every = [pool.submit(play_game, order, enough.exists) for order in orders]
        waiting = set(every)
        try:
            while waiting and not asked():
                ended, waiting = wait(waiting, POLL, FIRST_COMPLETED)
                for each in ended:
                    each.result()
                done(len(ended))
            if waiting:
                raise KeyboardInterrupt
        except BrokenExecutor as error:
            if asked():
                raise KeyboardInterrupt from error
            message = "the process of a game was killed; try again with fewer --processes"
            raise RunError(message) from error
        finally:
            enough.touch()
            for each in waiting:
                each.cancel()
        return [each.result() for each in every]
