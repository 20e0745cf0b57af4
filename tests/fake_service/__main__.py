"""Serve the stand-in with a scenario until Ctrl-C."""

import argparse
import threading
from dataclasses import replace

from tests.fake_service import FakeClaude, FaultSpread, scenario_named, shipped


def main() -> None:
    """Read the flags and serve."""
    flags = argparse.ArgumentParser(prog="python -m tests.fake_service", description=__doc__)
    flags.add_argument("--port", type=int, default=8_765, help="0 takes any free one")
    flags.add_argument("--scenario", default="sensible", help=f"{', '.join(shipped())}, or a path")
    flags.add_argument("--faults", type=float, help="let this share of the messages go wrong")
    flags.add_argument("--seed", type=int, default=0)
    told = flags.parse_args()
    scenario = scenario_named(told.scenario)
    if told.faults is not None:
        scenario = replace(scenario, spread=FaultSpread(told.faults, scenario.spread.kinds))
    with FakeClaude(scenario, seed=told.seed, port=told.port) as server:
        print(f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any", flush=True)  # noqa: T201
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{server.counts.calls.total()} calls, {server.faults.total()} faults made")  # noqa: T201


if __name__ == "__main__":
    main()
