"""What a life said, taken together: the images that its run may have, and the deeds on the memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kills.image import Image
from kills.knowing import Deed

BEGINNINGS: Final = frozenset({"commit", "rewind", "age", "deliver", "maintain"})


@dataclass
class Heard:
    """Listens to one life that began with `image` on the date `now`.

    `images` has the image after the last thing that was said to be done, and the one after the thing that was
    only begun, if there was one. Of the deeds, only the last may be not done. `word` names what was only begun.
    """

    image: Image
    now: float
    images: list[Image] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    word: str = ""
    _begun: Image | Deed | None = None
    _resumes: bool = False

    def __post_init__(self) -> None:
        """A run that is new has nothing to resume."""
        self._resumes = bool(self.image.marks)

    def hear(self, said: Sequence[Sequence[Any]]) -> None:
        """Take in all that was said."""
        for word, *about in said:
            match word:
                case "commit":
                    self._begun = self.image.committed(about[0])
                case "rewind":
                    self._begun = self._rewound(about[0])
                case "age" | "maintain":
                    self._begun = Deed(word, self.now, is_done=False)
                case "deliver":
                    self._begun = Deed("deliver", self.now, about[0], about[1], is_done=False)
                case "done":
                    self._done()
                case _:  # where it is, and how it ended
                    pass
            self.word = word if word in BEGINNINGS else "" if word == "done" else self.word
        self.images = [self.image]
        if isinstance(self._begun, Image):
            self.images.append(self._begun)
        elif isinstance(self._begun, Deed):
            self.deeds.append(self._begun)

    def _done(self) -> None:
        if isinstance(self._begun, Image):
            self.image = self._begun
        elif isinstance(self._begun, Deed):
            self.deeds.append(replace(self._begun, is_done=True))
        self._begun = None

    def _rewound(self, number: int) -> Image:
        newest = self.image.marks[-1].id if self.image.marks else None
        if self._resumes and number != newest:  # the first one is how a life begins
            self.problems.append(f"resumed at checkpoint {number}, the newest is {newest}")
        self._resumes = False
        return self.image.rewound(number)
