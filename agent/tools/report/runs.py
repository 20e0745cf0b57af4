"""Reports of runs in their folders, finished or not."""

import logging
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from agent.app.settings import RunSettings, cartridge_for
from agent.tools.report.page import write_report
from agent.tools.report.run_data import Gathered, gather
from emulator import Cartridge, CartridgeError
from memory import RunFolder, RunReader, read_run

log = logging.getLogger(__name__)


def report_run(path: Path, rom: Path | None, to: Path | None) -> Path:
    """Write the page of the run in `path` into its folder, or to `to`, and return where it is."""
    with closing(read_run(path)) as folder:
        return write_report(folder, _cartridge(folder, rom), path=to)


def report_ended(path: Path, rom: Path | None) -> None:
    """Write the page of a run that has just ended; one that cannot be written costs a warning and no more."""
    try:
        report_run(path, rom, None)
    except Exception as error:  # noqa: BLE001  # whatever a page cannot tell, what was played is kept
        log.warning("no report was written: %s; the run itself is whole", error)


def gathered_runs(paths: Sequence[Path], rom: Path | None) -> list[Gathered]:
    """Return what each of the runs in `paths` has to tell."""
    found = []
    for path in paths:
        with closing(read_run(path)) as folder:
            found.append(gather(folder, _cartridge(folder, rom)))
    return found


def _cartridge(folder: RunFolder[RunReader], rom: Path | None) -> Cartridge | None:
    """Return the cartridge of a run, or None where it is not at hand and nobody named one."""
    frozen = RunSettings.of(folder.settings)
    try:
        return cartridge_for(rom, frozen)
    except CartridgeError:
        if rom is not None:
            raise
        return None
