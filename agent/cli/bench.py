"""`bench`: the figures as a table for people."""

from rich.table import Table
from rich.text import Text

from agent.bench import Figures, rows


def figures_table(figures: Figures) -> Table:
    """Return all figures, a section under each other."""
    title = f"bench: {figures.cartridge}, {figures.rounds} rounds of {figures.ticks:,} ticks"
    table = Table(title=Text(title), title_justify="left", show_header=False)
    table.add_column(style="dim")
    table.add_column(justify="right")
    section = ""
    for row in rows(figures):
        if row.section != section:
            section = row.section
            table.add_section()
            table.add_row(Text(section, style="bold"), "")
        table.add_row(Text(f"  {row.what}"), Text(row.figure))
    return table
