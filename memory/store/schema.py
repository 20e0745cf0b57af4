"""The two schemas of memory files, each as an SQL script and what was added to it.

Migrations are only appended, and existing statements never change: a change of the tables is a new script, which turns a
file of the previous version into the shape of a new file. Versions before the `oldest` one are refused.
"""

from importlib.resources import files
from typing import Final

from memory.store.shape import MEMORY_ID, NAMES, RUN_ID, Schema


def _script(name: str) -> tuple[str, ...]:
    """Return the statements of a script in this folder; blank lines separate statements, comments precede them."""
    lines = (files("memory.store") / name).read_text(encoding="utf-8").splitlines()
    sql = "\n".join(line for line in lines if not line.startswith("--"))
    return tuple(sql.strip().removesuffix(";").split(";\n\n"))


RUN_SCHEMA: Final = Schema(
    name=NAMES[RUN_ID], application_id=RUN_ID, retired=0x52454401, migrations=(_script("run.sql"),)
)
KNOWLEDGE_SCHEMA: Final = Schema(
    name=NAMES[MEMORY_ID],
    application_id=MEMORY_ID,
    retired=0x52454402,
    oldest=3,
    migrations=(_script("knowledge.sql"),),
    most_rows=150_000,
    most_bytes=64 << 20,
)
