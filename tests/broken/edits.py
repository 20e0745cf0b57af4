"""What is done to the sources of the demo cartridge to break it, one way a build, and which fact must be named."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

EDITS: Final = Path(__file__).with_name("edits.toml")
SOURCES: Final = Path(__file__).resolve().parents[2] / "roms" / "demo" / "src"


class EditError(Exception):
    """The text to replace is not in the source, or there more than once; the sources have changed."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One small change: `old` of the file becomes `new`.

    `finds` is the fact that must be named, `until` the milestone up to which a game is played for it;
    `quick` says whether that is soon enough for the gate.
    """

    name: str
    says: str
    file: str
    old: str
    new: str
    finds: str
    until: str
    quick: bool = False

    def applied(self, text: str) -> str:
        """Return the source with the change made, or raise an EditError."""
        found = text.count(self.old)
        if found != 1:
            message = f"{self.name}: {self.file} has {self.old!r} {found} times, not once; mend edits.toml"
            raise EditError(message)
        return text.replace(self.old, self.new)

    @property
    def source(self) -> str:
        """The file as it is in the checkout."""
        return (SOURCES / self.file).read_text(encoding="ascii")


def read_edits() -> tuple[Edit, ...]:
    """Return every way of breaking the cartridge."""
    table = tomllib.loads(EDITS.read_text(encoding="utf-8"))
    return tuple([Edit(name=name, **row) for name, row in table.items()])
