"""Small classes with hookable methods."""

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

    @hookable(tags={"leisure"})
    def rest(self) -> None:
        self.position = 0


class Runner(Walker):
    """A Walker with one more method."""

    @hookable(tags={"leisure", "sport"})
    def run(self, distance: int) -> int:
        self.position += 2 * distance
        return self.position
