"""Finds code that could change memory directly instead of through hooks."""

import ast
from collections.abc import Iterator
from typing import Final

# Names that change memory. Code reads through the port Recall, and hooks store without a call.
PARTS: Final = frozenset(
    {"AgentMemory", "Blackboard", "Flows", "Knowledge", "KnowledgeStore", "MemoryConsolidator"}
    | {"ObserverMemory", "StrategistMemory", "TacticianMemory", "Transaction", "open_memory"}
)
CHANGES: Final = frozenset(
    {"write", "store", "revise", "forget", "define", "transaction", "inherit"}
    | {"put_entry", "drop_entry", "deliver"}
    | {"add_action", "add_location", "add_mistake", "add_pattern", "record_battle"}
    | {"record_strategy_success", "set_preference", "snapshot_resources"}
    | {"memory_store", "memory_forget", "memory_deduplicate", "memory_prune"}
    | {"memory_transfer_raw", "memory_ingest_now"}
)
# The same of the topics of a run store, which have methods with common names.
OF_TOPICS: Final = {
    "record": {"append", "add_event", "add_trail", "add_vitals"},
    "outbox": {"add"},
    "entries": {"put", "drop"},
    "observations": {"add", "add_now", "clear", "mark_stale"},
    "strategist_checkpoints": {"save"},
}
OTHERS: Final = frozenset(
    {"self", "commander", "folder", "_folder", "again", "of", "run"}
    | {"os", "file", "new", "output", "_log"}
)  # objects with methods of the same names


def stores_in(source: str) -> list[str]:
    """Return the line and code of each import or attribute in `source` that could change memory."""
    tree = ast.parse(source)
    found = [(node, name) for node in ast.walk(tree) for name in _suspects(node)]
    return [f"{getattr(node, 'lineno', 0)}: {name}" for node, name in found]


def _suspects(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (each.name for each in names if each.name.split(".")[0] == "memory")
        case ast.ImportFrom(module=str(module), names=names) if module.split(".")[0] == "memory":
            yield from (each.name for each in names if each.name in PARTS | CHANGES)
        case ast.Attribute(value=owner, attr=name) if (
            name in CHANGES and _last(owner) not in OTHERS
        ) or name in OF_TOPICS.get(_last(owner).lstrip("_"), ()):
            yield ast.unparse(node)
        case ast.Call(
            func=ast.Name(id="getattr" | "attrgetter" | "methodcaller"),
            args=[*_, ast.Constant(value=str(name))],
        ) if name in CHANGES:
            yield ast.unparse(node)


def _last(owner: ast.expr) -> str:
    return ast.unparse(owner).rpartition(".")[2]
