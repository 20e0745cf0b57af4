"""One-line observations, and how the calls of a model's tools become them without ever disturbing the caller.

Extractors are pure functions in tables: the same call always comes to the same observations.
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
    """What an extractor found worth a line.

    `about` is the thing it is about, such as a path or a command. An earlier observation about the same thing, of
    one of the types in `overtakes`, no longer holds once this one is kept.
    """

    type: str
    content: str
    importance: int  # 1 to 10
    about: str = ""
    metadata: Mapping[str, Json] = NOTHING
    overtakes: tuple[str, ...] = ()
    source: Source = "programmatic"


class Observation(NamedTuple):
    """One observation as it is kept; `created` is a tick, and `created_s` the same moment in game seconds."""

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
    stale: str = ""  # why it no longer holds; "" while it does


@dataclass(frozen=True, slots=True)
class ObservationQuery:
    """Which observations are asked for, the newest first; where nothing is said, all of the live lineage are meant.

    `words` must all be in the content. `heaviest` puts what is most important before what is newest.
    """

    session: str | None = None
    type: str | None = None
    min_importance: int = 1
    words: str = ""
    holding: bool = False  # only what still holds
    heaviest: bool = False
    limit: int | None = None
    live: bool = True


Args: TypeAlias = "Mapping[str, Any]"
Extract: TypeAlias = "Callable[[Args, Result], Sequence[Observed]]"
ExtractorTable: TypeAlias = "Mapping[str, Extract]"

LONGEST_ERROR: Final = 200  # characters in the content; the metadata has all of it


class Result(NamedTuple):
    """What a call came to; `refused` is one that was denied or blocked, and so never ran."""

    output: Any = ""
    error: str = ""
    refused: bool = False


class Extractors:
    """The extractors of every tool that has one; a new kind of call is one more table."""

    def __init__(self, *tables: ExtractorTable) -> None:
        """Take over the extractors of `tables`.

        Raises MalformedRecord when a tool is in two of them; both would tell of each call.
        """
        self._by_tool: dict[str, Extract] = {}
        for table in tables:
            if known := sorted(self._by_tool.keys() & table.keys()):
                message = (
                    f"{known[0]!r} has an extractor already; leave it out of one of the tables."
                )
                raise MalformedRecord(message)
            self._by_tool.update(table)

    def __call__(self, tool: str, args: Args, result: Result) -> tuple[Observed, ...]:
        """Return what a call of `tool` is worth: nothing when it has no extractor, or never ran."""
        extract = self._by_tool.get(tool)
        if extract is None or result.refused:
            return ()
        return tuple(extract(args, result))


def line(text: object, longest: int = LONGEST_ERROR) -> str:
    """Return `text` in one line of at most so many characters."""
    flat = " ".join(str(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


MOST_OPEN: Final = 256  # calls whose result is awaited; of more, the oldest is given up


class Capture:
    """Holds what each call was given until its result is there, and has kept what both come to.

    A call is known by its id, so that several of one tool at a time are told apart, and what it was given is as it was
    then. Errors, of extractors as of the store, are counted in `faults`.
    """

    def __init__(
        self, extractors: Extractors, keep: Callable[[Sequence[Observed]], object], faults: Faults
    ) -> None:
        self.faults = faults
        self._extractors = extractors
        self._keep = keep
        self._open: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def called(self, call_id: str, tool: str, args: Mapping[str, Any]) -> None:
        """Take note of a call that begins."""
        self._open[call_id] = tool, deepcopy(dict(args))
        if len(self._open) > MOST_OPEN:
            del self._open[next(iter(self._open))]

    def returned(self, call_id: str, result: Result) -> int:
        """Return how many observations the call came to; one that was not announced comes to none."""
        call = self._open.pop(call_id, None)
        return 0 if call is None else self.saw(*call, result)

    def saw(self, tool: str, args: Mapping[str, Any], result: Result) -> int:
        """Return how many observations a call that is over came to."""
        try:
            observed = self._extractors(tool, args, result)
            if observed:
                self._keep(observed)
        except Exception as error:  # noqa: BLE001  # what is observed is never worth a call
            self.faults.note(f"observe {tool}", error)
            return 0
        return len(observed)
