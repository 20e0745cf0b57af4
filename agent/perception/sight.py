"""What a rendered frame says, read from its pixels alone."""

from dataclasses import dataclass

from emulator import Scene, Screen


@dataclass(frozen=True, slots=True)
class Sight:
    """One look at the screen: the picture, the text in it, and the place it shows, if any."""

    tick: int
    screen: Screen
    text: str
    scene: Scene | None

    @property
    def says(self) -> str:
        """The place in words."""
        if self.scene is None:
            return "the frame shows no known place"
        scene = self.scene
        return f"the frame shows map {scene.map_id} at ({scene.x},{scene.y}), {scene.fit:.0%} of it"
