"""`scenario`: how each went, as a table for people, and what was wrong below it."""

from collections.abc import Iterable, Iterator

from rich.table import Table
from rich.text import Text

from agent.scenario import Cache, Report, Scenario, run_scenario
from emulator import demo_cartridge_path, load_cartridge


def run_all(scenarios: Iterable[Scenario]) -> Iterator[Report]:
    """Run scenarios on the demo, one after the other."""
    cartridge = load_cartridge(demo_cartridge_path())
    cache = Cache.of(cartridge)
    for scenario in scenarios:
        yield run_scenario(scenario, cartridge, cache)


def scenario_table(reports: Iterable[Report]) -> Table:
    """Return one row a scenario."""
    table = Table("scenario", "pitfall", "frames", "")
    for report in reports:
        mark = Text("passed", style="green") if report.passed else Text("failed", style="red")
        table.add_row(Text(report.name), Text(report.pitfall), f"{report.frames:,}", mark)
    return table
