"""The two kinds of file, each as the script of SQL that makes it. Both are at version 1, the first there is.

A list of migrations is only ever appended to, and no statement of it is ever changed: what changes the tables of version 1
is one more script, whose statements make of a file of the version before what a new file is.
"""

from importlib.resources import files
from typing import Final

from memory.store.database import Schema


def _script(name: str) -> tuple[str, ...]:
    """Return the statements of a script beside this module; a blank line comes between two, remarks before them."""
    lines = (files("memory.store") / name).read_text(encoding="utf-8").splitlines()
    sql = "\n".join(line for line in lines if not line.startswith("--"))
    return tuple(sql.strip().removesuffix(";").split(";\n\n"))


RUN_SCHEMA: Final = Schema(
    name="run store",
    application_id=0x52454411,
    retired=0x52454401,
    migrations=(_script("run.sql"),),
)
KNOWLEDGE_SCHEMA: Final = Schema(
    name="knowledge store",
    application_id=0x52454412,
    retired=0x52454402,
    migrations=(_script("knowledge.sql"),),
)
