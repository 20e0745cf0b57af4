"""What an observation is: one line that a call, or an event of play, was worth, and where it belongs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json

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
