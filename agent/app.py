"""Where everything is built and wired, and the one place that catches whatever goes wrong."""

import logging
import random
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol

from agent.capabilities import (
    Capability,
    Ledger,
    Reached,
    Story,
    dialogue,
    opening,
    story_telling,
    travelling,
)
from agent.errors import Stuck, UsageError
from agent.loop import Loop
from agent.mind import Intent, Mind, Progress, remember_play
from agent.perception import Eyes
from agent.replay import records_of, replay, row_of
from agent.report import Stop, Summary, write_report
from emulator import (
    Cartridge,
    Console,
    Divergence,
    Font,
    Link,
    PyBoyConsole,
    RecordingConsole,
    State,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from memory import (
    Blackboard,
    BlackboardRecall,
    Checkpoint,
    ConsolidationConfig,
    Hooks,
    KnowledgeStore,
    MemoryConsolidator,
    ObserverMemory,
    Producers,
    RunFolder,
    StrategistMemory,
)

HOME: Final = Path(__file__).resolve().parent.parent
COMMIT_EVERY: Final = 100  # ticks; what a kill can cost
