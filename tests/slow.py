"""Write `slow.txt` from the times that `make slow` has collected: `python -m tests.slow FOLDER`."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

MOMENT = 0.2
"""Seconds of processor time. One test in ten takes longer, and these take two thirds of the time of all."""


def slow(times: dict[str, float]) -> list[str]:
    """The tests that take longer; a test whose parameters all do by its name alone."""
    by_name = defaultdict(list)
    for test in times:
        by_name[test.partition("[")[0]].append(test)
    found = (
        [name] if min(map(times.__getitem__, tests)) > MOMENT else [test for test in tests if times[test] > MOMENT]
        for name, tests in by_name.items()
    )
    return sorted(test for tests in found for test in tests)


def main(folder: Path) -> None:
    """Read the times of all workers, and write the list beside this file."""
    lines = [line for file in folder.glob("*.txt") for line in file.read_text(encoding="utf-8").splitlines()]
    times = {test: float(spent) for spent, test in (line.split(" ", 1) for line in lines)}
    target = Path(__file__).with_suffix(".txt")
    target.write_text("".join(f"{test}\n" for test in slow(times)), encoding="utf-8")
    sys.stdout.write(f"{sum(times.values()):.0f} s in {len(times)} tests; {len(slow(times))} lines in {target.name}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
