"""Work on many things, one after the other or in several processes, that a request to stop ends."""

import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeVar

from agent.errors import RunError
from agent.tools.progress import Asked

Order = TypeVar("Order")
Result = TypeVar("Result")
POLL_S: Final = 0.2  # between two checks for a requested stop


def results_of(
    work: Callable[[Order, Asked], Result], orders: Sequence[Order], jobs: int, asked: Asked
) -> Generator[Result, None, None]:
    """Yield the result of `work` for each order, in their order, with up to `jobs` at a time.

    When a stop is requested, `work` has to end soon, and of the other processes only results that are complete are
    yielded. With more than one job `work` must be a function of a module.
    """
    if jobs == 1:
        yield from (work(order, asked) for order in orders)
        return
    with TemporaryDirectory(prefix="pool-") as home:
        stop = Path(home) / "stop"
        # A forked process would share the open resources of the emulator. Workers ignore Ctrl-C: the file stops them.
        pool = ProcessPoolExecutor(
            jobs,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        )
        waiting = deque(pool.submit(work, order, stop.exists) for order in orders)
        try:
            while waiting and not asked():
                if wait([waiting[0]], POLL_S).done:
                    yield waiting.popleft().result()
        except BrokenExecutor as error:
            if not asked():
                message = "one of several processes was killed; try again with fewer at a time"
                raise RunError(message) from error
        finally:
            stop.touch()
            pool.shutdown(cancel_futures=True)
        for each in waiting:
            if not each.cancelled() and each.exception() is None:
                yield each.result()
