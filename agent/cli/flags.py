"""Flags that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Rom = Annotated[
    Path | None,
    typer.Option(
        help="Your own cartridge image of Pokemon Red (US). Without it, the demo is played.",
        show_default=False,
    ),
]
