"""How long the line diff takes, and how many changed lines it finds, beside difflib's.

    python bench/diff.py

20,000 lines with 200 edits of one line each (changed, added or dropped), drawn from more or fewer distinct lines; then
two texts that have nothing but single lines in common, which no diff should spend its time on. "least" is how many lines
the edits themselves touch; CPU is the best of several runs in one process. Machines are noisy: read it twice.
"""

from __future__ import annotations

import difflib
import random
import sys
import time

from anypatch.diff import opcodes

LINES, EDITS, RUNS = 20_000, 200, 7


def main() -> int:
    print(f"{'':34} {'CPU ms':>8} {'found':>8} {'least':>8} {'difflib ms':>11} {'found':>8}")
    for title, distinct in (("every line its own", 0), ("500 distinct lines", 500), ("100", 100), ("20", 20), ("3", 3)):
        old, new, touched = case(distinct)
        row(f"{title}, {EDITS} edits", old, new, touched)
    chance = random.Random(3)
    one, two = ([str(chance.randrange(3)) for _ in range(LINES)] for _ in range(2))
    row("nothing in common but 3 lines", one, two, 0)
    numbers = [f"line {n}" for n in range(LINES)]
    row("backwards", numbers, numbers[::-1], 0)
    return 0


def case(distinct: int) -> tuple[list[str], list[str], int]:
    chance, values = random.Random(7), [f"value {n}" for n in range(distinct)]
    old = [chance.choice(values) if values else f"line {n}" for n in range(LINES)]
    new, touched = list(old), 0
    for number in range(EDITS):
        at = chance.randrange(len(new))
        value = chance.choice(values) if values else f"new {number}"
        deed = chance.randrange(3)
        touched += 2 if deed == 0 else 1
        if deed == 0:
            new[at] = value
        elif deed == 1:
            new.insert(at, value)
        else:
            del new[at]
    return old, new, touched


def row(title: str, old: list[str], new: list[str], least: int) -> None:
    best = min(timed(old, new) for _ in range(RUNS))
    found = sum(end - start + high - low for start, end, low, high in opcodes(old, new))
    begun = time.process_time()
    theirs = difflib.SequenceMatcher(None, old, new).get_opcodes()
    spent = time.process_time() - begun
    other = sum(end - start + high - low for tag, start, end, low, high in theirs if tag != "equal")
    told = f"{least:8}" if least else f"{'–':>8}"
    print(f"{title:34} {best * 1000:8.1f} {found:8} {told} {spent * 1000:11.0f} {other:8}")


def timed(old: list[str], new: list[str]) -> float:
    begun = time.process_time()
    opcodes(old, new)
    return time.process_time() - begun


if __name__ == "__main__":
    sys.exit(main())
