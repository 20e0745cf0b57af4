"""One-line observations, and their extraction from tool calls without disturbing the caller.

Extractors are pure functions in tables: the same call always gives the same observations.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memory.codec import Json
from memory.errors import Faults, MalformedRecord

Source: TypeAlias = Literal["programmatic", "llm"]
NOTHING: Final[Mapping[str, Json]] = {}


class Observed(NamedTuple):
    """One observation that an extractor returns.

    `about` is its subject, such as a path or a command. Once it is stored, earlier observations with the same subject and a
    type in `supersedes` become stale.
    """

    type: str
    content: str
    importance: int  # 1 to 10
    about: str = ""
    metadata: Mapping[str, Json] = NOTHING
    supersedes: tuple[str, ...] = ()
    source: Source = "programmatic"


class Observation(NamedTuple):
    """One stored observation; `created` is a tick, and `created_s` the same moment in game seconds."""

    id: int
    session: str
    type: str
    content: str
    metadata: Mapping[str, Json]
    importance: int
    source: Source
    created: int
    created_s: float
    about: str = ""
    stale: str = ""  # why it is no longer true; "" while it is


@dataclass(frozen=True, slots=True)
class ObservationQuery:
    """A query for observations, newest first; without restrictions it matches all of the live lineage.

    All of `words` must be in the content. `by_importance` sorts by importance before age.
    """

    session: str | None = None
    type: str | None = None
    min_importance: int = 1
    words: str = ""
    current_only: bool = False  # only observations that are not stale
    by_importance: bool = False
    limit: int | None = None
    live: bool = True


Args: TypeAlias = "Mapping[str, Any]"
Extract: TypeAlias = "Callable[[Args, Result], Sequence[Observed]]"
ExtractorTable: TypeAlias = "Mapping[str, Extract]"

LONGEST_ERROR: Final = 200  # characters in the content; the metadata has the full text


class Result(NamedTuple):
    """The result of a tool call; `refused` means that it was denied or blocked and never ran."""

    output: Any = ""
    error: str = ""
    refused: bool = False


class Extractors:
    """The extractors of all tools; a new kind of call needs only one more table."""

    def __init__(self, *tables: ExtractorTable) -> None:
        """Combine the extractors of `tables`.

        Raises MalformedRecord when two tables contain the same tool; each call would be observed twice.
        """
        self._by_tool: dict[str, Extract] = {}
        for table in tables:
            if known := sorted(self._by_tool.keys() & table.keys()):
                raise MalformedRecord(
                    f"{known[0]!r} has an extractor already; remove it from one of the tables."
                )
            self._by_tool.update(table)

    def __call__(self, tool: str, args: Args, result: Result) -> tuple[Observed, ...]:
        """Return the observations of a call of `tool`: none without an extractor, or when the call never ran."""
        extract = self._by_tool.get(tool)
        if extract is None or result.refused:
            return ()
        return tuple(extract(args, result))


def line(text: object, longest: int = LONGEST_ERROR) -> str:
    """Return `text` as one line of at most `longest` characters."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


MOST_OPEN: Final = 256  # calls that wait for a result; beyond that the oldest is dropped


class Capture:
    """Stores the arguments of each call until its result arrives, then passes the observations of both to `keep`.

    Calls are matched by id, so parallel calls of one tool stay separate, and arguments are copied when the call
    begins. Errors of extractors and of the store are counted in `faults`.
    """

    def __init__(
        self, extractors: Extractors, keep: Callable[[Sequence[Observed]], object], faults: Faults
    ) -> None:
        self.faults = faults
        self._extractors = extractors
        self._keep = keep
        self._open: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def called(self, call_id: str, tool: str, args: Mapping[str, Any]) -> None:
        """Record the beginning of a call."""
        self._open[call_id] = tool, deepcopy(dict(args))
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]

    def returned(self, call_id: str, result: Result) -> int:
        """Return the number of observations of the call; 0 when its beginning was not recorded."""
        call = self._open.pop(call_id, None)
        return 0 if call is None else self.saw(*call, result)

    def saw(self, tool: str, args: Mapping[str, Any], result: Result) -> int:
        """Return the number of observations of a completed call."""
        try:
            observed = self._extractors(tool, args, result)
            if observed:
                self._keep(observed)
        except Exception as error:  # noqa: BLE001  # an observation must never break a call
            self.faults.note(f"observe {tool}", error)
            return 0
        return len(observed)
