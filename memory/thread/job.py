"""One piece of work under way beside play: claimed for this process, waited for within bounds, given up in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from memory.thread.background import is_done
from memory.thread.parts import Part
from memory.thread.port import Distilled, DistillingFailed

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from memory.codec import Json
    from memory.thread.lease import Work
    from memory.thread.means import Means
    from memory.thread.parts import PartKind
    from memory.thread.store import ThreadStore

About = TypeVar("About")


class Job(Generic[About]):
    """At most one work of a kind for one conversation; `about` is what it was begun with.

    `works` are the lease that is always taken, and what is said to go on as well where a step waits for it.
    """

    def __init__(
        self,
        store: ThreadStore,
        owner: str,
        works: tuple[Work, Work],
        means: Means,
        deadline: float,
    ) -> None:
        self._store = store
        self._owner = owner
        self._work, self._waited_work = works
        self._means = means
        self._deadline = deadline  # seconds after which nobody counts on it any more
        self._about: About | None = None
        self._future: Future[Distilled] | None = None
        self._ends = 0.0

    @property
    def is_under_way(self) -> bool:
        """Whether something was begun and nothing came of it yet."""
        return self._future is not None

    def start(self, about: About, work: Callable[[], Distilled], *, waited: bool) -> bool:
        """Return whether `work` was begun, for which a step waits or none does; not where another process is at it."""
        if not self._claims(self._work):
            return False
        if waited:
            self._claims(self._waited_work)
        self._about = about
        self._ends = self._means.clock() + self._deadline
        self._future = self._means.background.submit(work)
        return True

    def taken(self, *, within: float = 0.0) -> tuple[About, Distilled | Exception] | None:
        """Return what came of the work, once, waiting `within` seconds for it at most; None while it goes on."""
        about, future = self._about, self._future
        if about is None or future is None:
            return None
        if is_done(future, within=within):
            error = future.exception()
            found = future.result() if error is None else _as_exception(error)
        elif self._means.clock() < self._ends:
            return None
        else:
            found = DistillingFailed(f"{self._work.value} took too long; it is given up.")
        self._about = self._future = None
        for work in (self._work, self._waited_work):
            self._store.clear_flag(self._owner, work, self._means.holder)
        return about, found

    def _claims(self, work: Work) -> bool:
        now = self._means.now_ms
        until = now + round(self._deadline * 1_000)
        holder = self._means.holder
        return self._store.set_flag(self._owner, work, holder, now_ms=now, until_ms=until)

    def tell(self, kind: PartKind, **data: Json) -> None:
        """Tell of something that has happened to the conversation."""
        self._means.tell(Part(kind, self._owner, data))


def _as_exception(error: BaseException) -> Exception:
    return error if isinstance(error, Exception) else DistillingFailed(repr(error))
