"""`scripts/red-agent observe` for any Python 3.11 without installed packages: python3 scripts/observe_cli.py [--dry-run]."""

import argparse
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent

# What these packages offer needs libraries; `memory.tapes` enters modules that need none, so their faces are bypassed.
for name in ("memory", "memory.conversation", "memory.store"):
    package = ModuleType(name)
    package.__path__ = [str(ROOT.joinpath(*name.split(".")))]
    sys.modules[name] = package

from memory.errors import MemoryFault  # noqa: E402
from memory.tapes import command  # noqa: E402


def main() -> int:
    """Observe the tapes selected by the flags; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="observe_cli.py", epilog="`scripts/red-agent observe --help` explains the flags."
    )
    parser.add_argument("--db", type=Path, metavar="PATH")
    parser.add_argument("--memory-dir", type=Path, metavar="DIR")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--reset", action="store_true")
    parser.add_argument("--session", metavar="HASH")
    flags = vars(parser.parse_args())
    try:
        lines = command.run(**flags, also=(ROOT,)).lines()
    except MemoryFault as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
