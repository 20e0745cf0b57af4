"""Looking: a state for every tick, a frame only when somebody will read it."""

from collections.abc import Callable, Iterator
from typing import Final

from agent.perception.percept import Percept
from agent.perception.sight import Sight
from emulator import Console, Font, ScreenType, State, World, agreement, locate, read_glyphs

LOOK_EVERY: Final = 200  # ticks


class Eyes:
    """Reads moments of one console, and compares what RAM says with what pixels show."""

    def __init__(
        self, console: Console, font: Font, world: World, due: Callable[[State], bool]
    ) -> None:
        self._console = console
        self._font = font
        self._world = world
        self._due = due  # whether a milestone waits for its second witness
        self._confidence = 0.0
        self._last_type: ScreenType | None = None
        self._last_map: int | None = None

    def perceive(self, state: State, tick: int) -> Percept:
        """Return this moment: always from RAM, with a look at the frame where one is called for."""
        witness = self._due(state)
        sight = None
        if witness or tick % LOOK_EVERY == 0 or state.screen_type is not self._last_type:
            sight = self._look(tick, find_place=witness)
            self._confidence = agreement(state.screen_text, sight.text)
        percept = Percept(
            tick=tick,
            state=state,
            text="\n".join(row for row in map(str.strip, state.screen_rows) if row),
            confidence=self._confidence,
            disagreements=tuple(self._disagreements(state, sight)) if sight else (),
            sight=sight,
            came_from=self._last_map,
        )
        self._last_type = state.screen_type
        if state.in_control:
            self._last_map = state.map.map_id
        return percept

    def _look(self, tick: int, *, find_place: bool) -> Sight:
        screen = self._console.screen()
        text = read_glyphs(screen, self._font)
        return Sight(tick, screen, text, locate(screen, self._world) if find_place else None)

    def _disagreements(self, state: State, sight: Sight) -> Iterator[str]:
        if self._confidence < 1:
            yield f"text: tile map and pixels agree on {self._confidence:.0%}"
        here = state.map
        if sight.scene is not None and sight.scene.map_id != here.map_id:
            yield f"place: RAM says map {here.map_id}, {sight.says}"
