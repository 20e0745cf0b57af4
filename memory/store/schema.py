"""The two kinds of file, each made of the tables that its modules define. Both are at version 1, the first there is.

A list of migrations is only ever appended to, and no statement of it is ever changed: what changes the tables of version 1
is one more item, whose statements make of a file of the version before what a new file is.
"""

from typing import Final

from memory.store.calls import CALL_TABLES
from memory.store.checkpoints import CHECKPOINT_TABLES
from memory.store.contributions import SHARE_TABLES
from memory.store.conversations import CONVERSATION_TABLES
from memory.store.database import Schema
from memory.store.entries import ENTRY_TABLES
from memory.store.knowledge_tables import KNOWLEDGE_TABLES
from memory.store.long_term import LONG_TERM_TABLES
from memory.store.observations import OBSERVATION_TABLES
from memory.store.outbox import OUTBOX_TABLES
from memory.store.record import RECORD_TABLES

RUN_SCHEMA: Final = Schema(
    name="run store",
    application_id=0x52454411,
    retired=0x52454401,
    migrations=(
        (
            *RECORD_TABLES,
            *CHECKPOINT_TABLES,
            *OUTBOX_TABLES,
            *ENTRY_TABLES,
            *OBSERVATION_TABLES,
            *CALL_TABLES,
            *CONVERSATION_TABLES,
        ),
    ),
)
KNOWLEDGE_SCHEMA: Final = Schema(
    name="knowledge store",
    application_id=0x52454412,
    retired=0x52454402,
    migrations=((*KNOWLEDGE_TABLES, *SHARE_TABLES, *LONG_TERM_TABLES),),
)
