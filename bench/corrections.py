"""Apply the corrected blocks of refusals: real changes, spoilt, each block sent as a model would send it.

    python bench/corrections.py                  over changes of this repository's history
    python bench/corrections.py --changes 200    over more of them
    python bench/corrections.py --drawn          over made changes of source files of this machine
    python bench/corrections.py --show 3         with examples of blocks that make something else

A block that makes anything but the intended change is a mistake of ours: it was shown as the thing to send. Seeded.
"""

from __future__ import annotations

import argparse
import difflib
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from accuracy import corpus, history, real_change
from support import mistakes


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--changes", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--drawn", action="store_true", help="made changes of source files of this machine")
    options.add_argument("--show", type=int, default=0, help="print so many wrong blocks a format and mistake")
    chosen = options.parse_args()
    tally: Counter[tuple[str, str]] = Counter()
    shown: Counter[tuple[str, str]] = Counter()
    bare = 0
    for number, change in enumerate(changes(chosen.drawn, chosen.changes, chosen.seed)):
        for one in mistakes.corrected(change, random.Random(chosen.seed * 1_000_003 + number)):
            if one is None:
                bare += 1
                continue
            tally[one.spoil, "right" if one.right else "wrong"] += 1
            if not one.right and shown[one.spoil, one.format] < chosen.show:
                shown[one.spoil, one.format] += 1
                explain(one)
    for spoil in sorted({spoil for spoil, _ in tally}):
        print(f"{spoil:40} {tally[spoil, 'right']:5} right {tally[spoil, 'wrong']:5} wrong")
    wrong = sum(count for (_, word), count in tally.items() if word == "wrong")
    print(f"{sum(tally.values())} blocks, {wrong} wrong; {bare} refusals without a block")


def changes(drawn: bool, count: int, seed: int) -> Iterator[mistakes.Change]:
    rng = random.Random(seed)
    if drawn:
        sources = corpus()
        made = (mistakes.make_change(*rng.choice(sources), rng) for _ in range(count))
    else:
        pairs = history(".")
        rng.shuffle(pairs)
        made = (real_change(*pair) for pair in pairs[: 2 * count])
    yield from [change for change in made if change is not None][:count]


def explain(one: mistakes.Shown) -> None:
    print(f"\n#### {one.format} · {one.spoil}\n{one.patch}\n---- shown\n{one.block}\n---- wanted, got")
    lines = difflib.unified_diff(one.wanted.split("\n"), one.got.split("\n"), "", "", "", "", 2, "")
    print("\n".join(repr(line)[1:-1] for line in list(lines)[2:40]))


if __name__ == "__main__":
    main()
