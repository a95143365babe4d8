"""
Do the same at random on the in-memory store, SQLite and PostgreSQL, and compare what they know after every step.

    scripts/equal_stores.py --runs 5000 --steps 12 --seed 1
"""

import argparse
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.contract.test_equal_stores import EqualStores


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--runs", type=int, default=5000)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    options = settings(
        max_examples=arguments.runs,
        stateful_step_count=arguments.steps,
        deadline=None,
        database=None,
        # A failing run is printed as it is: making it smaller takes longer than reading it.
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    started = time.monotonic()
    run_state_machine_as_test(seed(arguments.seed)(EqualStores), settings=options)
    seconds = time.monotonic() - started
    print(f"{arguments.runs} runs of up to {arguments.steps} steps, no difference, {seconds:.0f} s")


if __name__ == "__main__":
    main()
