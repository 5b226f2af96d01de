"""Symbols: how fast outlines are, how they grow, and whether ends are right in damaged files.

    python bench/symbols.py [FILE...]            figures for the files given, or for some that are installed here
    python bench/symbols.py --trials 1000 ...    so many damaged files a language

A trial drops a bracket, a quote or a line somewhere in a real file, or puts a quote or bracket in, and asks for the end
of a symbol whose own header and last line are whole. Right, refused and wrong ones are counted.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anypatch
from anypatch.syntax.grammars import grammar_of

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from damage import damaged, rows_of

INSTALLED = (
    *(str(Path(random.__file__).with_name(name)) for name in ("argparse.py", "typing.py", "_pydecimal.py", "inspect.py")),
    "/usr/include/c++/12/bits/regex_automaton.h", "/usr/include/c++/12/bits/locale_facets.h",
)  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("files", nargs="*")
    options.add_argument("--trials", type=int, default=300, help="damaged files a language")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    files = [Path(name) for name in chosen.files or INSTALLED if Path(name).is_file()]
    speed(files)
    growth()
    by_grammar: dict[str, list[Path]] = {}
    for file in files:
        by_grammar.setdefault(grammar_of(file.name), []).append(file)
    print(f"\n{'damaged files':20} {'trials':>7} {'right':>7} {'refused':>8} {'wrong':>6}")
    for grammar, group in by_grammar.items():
        counts = damaged(group, chosen.trials, random.Random(chosen.seed))
        print(f"{grammar:20} {sum(counts.values()):7} {counts['right']:7} {counts['refused']:8} {counts['wrong']:6}")


def speed(files: list[Path]) -> None:
    print(f"{'outline':44} {'lines':>7} {'symbols':>8} {'ms':>7} {'ms for 5,000 lines':>19}")
    for file in files:
        text = file.read_text(errors="surrogateescape")
        lines = text.count("\n")
        spent = median(partial(rows_of, file.name, text))
        count = len(rows_of(file.name, text))
        print(f"{file.name:44} {lines:7} {count:8} {spent:7.1f} {spent * 5000 / max(lines, 1):19.1f}")


def growth() -> None:
    """An outline, a chunk in the last function, and the same edit as plain text, from 5,000 lines to 100,000."""
    print(f"\n{'lines':>7} {'outline ms':>11} {'chunk edit ms':>14} {'text edit ms':>13}")
    for lines in (5_000, 20_000, 100_000):
        text = "".join(
            f"def work_{i}(a, b):\n    total = a + {i}\n    for x in b:\n        total += x\n    return total\n"
            for i in range(lines // 5)
        )
        last = lines // 5 - 1
        chunk = {
            "context_before": f"def work_{last}(a, b):",
            "old_lines": [f"    total = a + {last}"],
            "new_lines": ["    total = a"],
            "context_after": "    for x in b:",
        }
        inside = json.dumps([{"relative_path": "a.py", "name_path": f"work_{last}", "chunks": [chunk]}])
        plain = json.dumps(
            {"file_path": "a.py", "old_string": f"    total = a + {last}\n", "new_string": "    total = a\n"}
        )
        print(
            f"{lines:7} {median(partial(rows_of, 'a.py', text)):11.1f} "
            f"{median(partial(anypatch.apply_to, inside, {'a.py': text})):14.1f} "
            f"{median(partial(anypatch.apply_to, plain, {'a.py': text})):13.1f}"
        )


def median(work: Callable[[], object], runs: int = 5) -> float:
    spent = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent) * 1000


if __name__ == "__main__":
    main()
