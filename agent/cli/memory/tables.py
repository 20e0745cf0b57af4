"""Tables that fit a terminal of eighty columns: words fold, figures do not."""

from collections.abc import Iterable, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

TIGHT: Final = frozenset(
    {"id", "score", "edge", "from", "to", "done", "waiting", "closed", "lessons", "still here"}
)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> Table:
    """Return names and what there is to say of each."""
    table = Table(title=Text(title), title_justify="left", show_header=False)
    table.add_column(style="dim", overflow="fold", max_width=26)
    table.add_column(overflow="fold", min_width=min(len(title), 50))  # or a title would be folded
    for name, words in rows:
        table.add_row(Text(name), Text(words))
    return table


def listing(
    title: str, head: Sequence[str], rows: Iterable[Sequence[str]], *, wide: int = 0
) -> Table:
    """Return a row each; the column number `wide` takes the room that the others leave."""
    table = Table(title=Text(title), title_justify="left")
    for at, name in enumerate(head):
        if at == wide:
            table.add_column(name, overflow="fold", ratio=1)
        else:
            table.add_column(name, overflow="fold", no_wrap=name in TIGHT)
    for row in rows:
        table.add_row(*map(Text, row))
    return table
