"""Symbols: how fast outlines are, how they grow, whether ends are right in damaged files, what language servers say.

    python bench/symbols.py [FILE...]            figures for the files given, or for those that are installed here
    python bench/symbols.py --trials 1000 ...    so many damaged files a language
    python bench/symbols.py --only speed         one part: speed growth damage servers

Times are CPU time of this process. A trial drops a bracket, a quote or a line somewhere in a real file, or puts a quote
or bracket in, and asks for the end of a symbol whose own header and last line are whole. Right, refused and wrong ones
are counted. `tests/lsp/install.py` brings the files and the servers.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anypatch
from anypatch.lsp import Servers
from anypatch.lsp.catalog import installed
from anypatch.symbols import declarations_of
from anypatch.syntax.languages import grammar_of

TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "lsp")]
from corpus import FILES, FLAGS  # noqa: E402

from support.damage import damaged, rows_of  # noqa: E402

LIBRARY = Path("/usr/include/c++")
PARTS = ("speed", "growth", "damage", "servers")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("files", nargs="*")
    options.add_argument("--trials", type=int, default=300, help="damaged files a language")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", choices=PARTS)
    chosen = options.parse_args()
    files = [Path(name) for name in chosen.files] or [file for group in FILES.values() for file in group] + library()
    by_grammar: dict[str, list[Path]] = {}
    for file in files:
        by_grammar.setdefault(grammar_of(file.name), []).append(file)
    for part in [chosen.only] if chosen.only else PARTS:
        if part == "speed":
            speed(files)
        elif part == "growth":
            growth()
        elif part == "damage":
            damage(by_grammar, chosen.trials, chosen.seed)
        else:
            servers(by_grammar)


def library() -> list[Path]:
    """Some of the C++ library's own headers, where there is one."""
    names = ("locale_facets.h", "stl_vector.h", "stl_map.h", "fs_path.h", "basic_string.h")
    return [file for name in names for file in sorted(LIBRARY.glob(f"*/bits/{name}"))[-1:]]


def damage(by_grammar: dict[str, list[Path]], trials: int, seed: int) -> None:
    print(f"\n{'damaged files':20} {'trials':>7} {'right':>7} {'refused':>8} {'wrong':>6} {'answered':>9}")
    for grammar, group in by_grammar.items():
        counts = damaged(group, trials, random.Random(seed))
        total = max(sum(counts.values()), 1)
        print(
            f"{grammar:20} {total:7} {counts['right']:7} {counts['refused']:8} {counts['wrong']:6} "
            f"{100 - 100 * counts['refused'] / total:8.1f}%", flush=True,
        )  # fmt: skip


def servers(by_grammar: dict[str, list[Path]]) -> None:
    """How many symbols a server lists, at how many places the grammar lists one too, and with the same last line."""
    os.environ["PATH"] = f"{TESTS.parent / '.servers' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    print(f"\n{'agreement':20} {'server':>28} {'symbols':>8} {'same place':>11} {'same end':>9}")
    for grammar, group in by_grammar.items():
        found = installed(grammar)
        if not found:
            print(f"{grammar:20} {'none is installed':>28}")
            continue
        told = known = same = 0
        for file in group if grammar != "cpp" else [file for file in group if LIBRARY not in file.parents]:
            text = file.read_text(errors="surrogateescape")
            with tempfile.TemporaryDirectory() as root:
                (Path(root) / "compile_flags.txt").write_text(FLAGS if grammar == "cpp" else "")
                (Path(root) / file.name).write_text(text, errors="surrogateescape")
                ours = {(row.row, row.column) for row in rows_of(file.name, text)}
                with Servers(root, 120):
                    rows = [row for row in declarations_of(text, file.name)[1].rows if row.engine == found[0].name]
            told += len(rows)
            known += sum((row.row, row.column) in ours for row in rows)
            same += sum((row.row, row.column) in ours and row.other_last < 0 for row in rows)
        print(f"{grammar:20} {found[0].name:>28} {told:8} {known:11} {same:9}", flush=True)


def speed(files: list[Path]) -> None:
    print(f"{'outline':44} {'lines':>7} {'symbols':>8} {'ms':>7} {'ms for 5,000 lines':>19}")
    for file in files:
        text = file.read_text(errors="surrogateescape")
        lines = text.count("\n")
        spent = least(partial(rows_of, file.name, text))
        count = len(rows_of(file.name, text))
        print(f"{file.name:44} {lines:7} {count:8} {spent:7.1f} {spent * 5000 / max(lines, 1):19.1f}")


SHAPES = {
    "a.py": "def work_{i}(a, b):\n    total = a + {i}\n    for x in b:\n        total += x\n    return total\n",
    "a.ts": "function work_{i}(a: number, b: number[]) {{\n    total = a + {i}\n    for (const x of b)\n        total += x;\n}}\n",
    "A.java": "class W{i} {{ int work_{i}(int a, int[] b) {{\n    total = a + {i}\n    ;for (int x : b)\n        total += x;\n}}}}\n",
    "a.cpp": "int work_{i}(int a, V b) {{\n    total = a + {i}\n    ;for (int x : b)\n        total += x;\n}}\n",
}  # fmt: skip


def growth() -> None:
    """An outline, a chunk in the last function, and the same edit as plain text, from 5,000 lines to 100,000."""
    print(f"\n{'growth':8} {'lines':>7} {'outline ms':>11} {'chunk edit ms':>14} {'text edit ms':>13}")
    for path, shape in SHAPES.items():
        for lines in (5_000, 20_000, 100_000):
            last = lines // 5 - 1
            text = "".join(shape.format(i=i) for i in range(lines // 5))
            rows = shape.format(i=last).split("\n")
            chunk = {
                "context_before": rows[0], "old_lines": [rows[1]], "new_lines": ["    total = a"],
                "context_after": rows[2],
            }  # fmt: skip
            inside = json.dumps([{"relative_path": path, "name_path": f"work_{last}", "chunks": [chunk]}])
            plain = json.dumps({"file_path": path, "old_string": rows[1] + "\n", "new_string": "    total = a\n"})
            print(
                f"{path:8} {lines:7} {least(partial(rows_of, path, text)):11.1f} "
                f"{least(partial(anypatch.apply_to, inside, {path: text})):14.1f} "
                f"{least(partial(anypatch.apply_to, plain, {path: text})):13.1f}"
            )


def least(work: Callable[[], object], runs: int = 5) -> float:
    """The least CPU time of some runs, in ms: what others on the machine do adds to it, nothing takes from it."""
    spent = []
    for _ in range(runs):
        started = time.process_time()
        work()
        spent.append(time.process_time() - started)
    return min(spent) * 1000


if __name__ == "__main__":
    main()
