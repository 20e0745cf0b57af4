"""Serve the stand-in with a scenario until Ctrl-C."""

import argparse
import threading
from dataclasses import replace

from tests.fake_service import FakeClaude, FaultSpread, scenario_named, shipped_scenarios


def main() -> None:
    """Read the flags and serve."""
    flags = argparse.ArgumentParser(prog="python -m tests.fake_service", description=__doc__)
    flags.add_argument("--port", type=int, default=8_765, help="0 takes any free port")
    flags.add_argument(
        "--scenario", default="sensible", help=f"{', '.join(shipped_scenarios())}, or a path"
    )
    flags.add_argument("--faults", type=float, help="the share of messages that get a fault")
    flags.add_argument("--seed", type=int, default=0)
    options = flags.parse_args()
    scenario = scenario_named(options.scenario)
    if options.faults is not None:
        scenario = replace(scenario, spread=FaultSpread(options.faults, scenario.spread.kinds))
    with FakeClaude(scenario, seed=options.seed, port=options.port) as server:
        print(f"ANTHROPIC_BASE_URL={server.url} ANTHROPIC_API_KEY=any", flush=True)  # noqa: T201
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{server.counts.calls.total()} calls, {server.faults.total()} faults made")  # noqa: T201


if __name__ == "__main__":
    main()
