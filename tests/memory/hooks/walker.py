"""Small classes with hookable methods."""

from functools import partial

from memory import Hooks, hookable


class Walker:
    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.position = 0
        self.tried = 0

    @hookable
    def walk(self, distance: int, *, bump: bool = False) -> int:
        self.tried += 1
        if bump:
            raise RuntimeError("bump")
        self.position += distance
        return self.position

    @partial(hookable, tags=frozenset({"leisure"}))  # type: ignore[arg-type]
    def rest(self) -> None:
        self.position = 0


class Runner(Walker):
    """A Walker with one more method."""

    @partial(hookable, tags=frozenset({"leisure", "sport"}))  # type: ignore[arg-type]
    def run(self, distance: int) -> int:
        self.position += 2 * distance
        return self.position
