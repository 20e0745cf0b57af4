"""Taking over what a checkpoint keeps of the mind, which another version may have written otherwise."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, cast

from agent.errors import RunError
from memory import Checkpoint


@contextmanager
def mind_of(checkpoint: Checkpoint) -> Iterator[Mapping[str, Any]]:
    """Lend what `checkpoint` keeps of the mind; raise RunError where it cannot be taken over."""
    try:
        yield cast("Mapping[str, Any]", checkpoint.mind)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = (
            f"the checkpoint of tick {checkpoint.tick} keeps no mind that this version understands"
            f" ({type(error).__name__}: {error}); go on with the version that wrote it, or start anew"
        )
        raise RunError(message) from error
