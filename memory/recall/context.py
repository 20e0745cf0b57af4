"""A text context from memory for one query, within a token budget."""

from dataclasses import dataclass
from typing import Final

from memory.blackboard.entry import Entry
from memory.codec import encode
from memory.recall.actions import MemoryActions
from memory.recall.query import MemoryQuery
from memory.tokens import tokens

_MAX_SOURCES: Final = 3  # sources named in a line
_MAX_CONTENT: Final = 400  # characters of a line's content


@dataclass(frozen=True, slots=True)
class Context:
    """The lines of a context, best first; `left_out` is the number of lines that did not fit the budget."""

    text: str
    tokens: int
    keys: tuple[str, ...]
    left_out: int


def gather_context(
    memory: MemoryActions, query: MemoryQuery, budget_tokens: int, why: str = "context"
) -> Context:
    """Return the results of `query` as text of at most `budget_tokens`.

    Each line ends with its status and evidence. A line that does not fit is left out, and shorter lines after it may
    still fit.
    """
    lines: list[str] = []
    keys: list[str] = []
    found = memory.memory_recall_with_scores(query, why)
    for each in found:
        line = line_of(each.entry)
        if tokens("\n".join([*lines, line])) <= budget_tokens:
            lines.append(line)
            keys.append(each.entry.key)
    text = "\n".join(lines)
    return Context(text, tokens(text), tuple(keys), len(found) - len(keys))


def line_of(entry: Entry) -> str:
    """Return `entry` as one line: its content, whether it is closed, its status and its evidence."""
    content = ", ".join(
        f"{name} {value if isinstance(value, str) else encode(value)}"
        for name, value in entry.data.items()
        if value not in (None, "", [], {}, ())
    )
    line = f"- {entry.kind}: {content if len(content) <= _MAX_CONTENT else content[: _MAX_CONTENT - 1] + '…'}"
    if entry.closed:
        line += f" (no longer so: {entry.closed})"
    evidence = entry.sources or (f"tick:{entry.tick}",)
    evidence_text = ", ".join(evidence[:_MAX_SOURCES])
    if len(evidence) > _MAX_SOURCES:
        evidence_text += f" and {len(evidence) - _MAX_SOURCES} more"
    return " ".join(f"{line} [{entry.status}; {evidence_text}]".split())
