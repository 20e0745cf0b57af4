"""Where everything is built and wired, and the one place that catches whatever goes wrong."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final, Protocol
