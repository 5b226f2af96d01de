"""The trees and patches that bench/speed.py times: each makes its files, its patch and the exit code to expect."""

from __future__ import annotations

from collections.abc import Callable

from anypatch.api import formats
from anypatch.model import File, FileChange

Files = dict[str, str]
Work = tuple[Files, str, int]
HEAD = "language: python\noperations:\n"

# ── CHUNK ────────────────────────────────────────────────────────────────────────────────────────


def source(lines: int, seed: int = 0) -> str:
    """Text with comments, strings, blank lines, repeated lines and lines as long as in real files: 39 signs a line."""
    parts = []
    for i in range(lines // 10):
        name = f"{seed}_{i}"
        parts.append(
            f"def work_{name}(values: Sequence[int], default: int = {i}) -> int | None:\n"
            f'    """Add up what {name} is given, and say so where it is more than can be paid."""\n'
            f"    total = default + {i}  # the old total counts as well\n\n    for item in values:\n"
            f"        total += item * {i + seed}\n    if total > {i}:\n"
            f'        raise ValueError(f"the total of {name} is {{total}}, which is more than can be paid")\n'
            "    return total\n\n"
        )
    return "".join(parts)


def plain(path: str, seed: int, i: int) -> str:
    """One operation on one line."""
    old = f"total += item * {i + seed}"
    return f"  - path: {path}\n    op: replace_text\n    marker: {old}\n    payload: {old} + 1\n"


def replacing(path: str, seed: int, i: int) -> str:
    """One operation: by turns with a comment left out of the marker, and with a line of context."""
    if i % 2:
        marker = f"total = default + {i}\n          for item in values:"
        payload = f"total = default + {i} + 1\n          for item in reversed(values):"
        return f"  - path: {path}\n    op: replace_text\n    marker: |-\n      {marker}\n    payload: |-\n      {payload}\n"
    return (
        f"  - path: {path}\n    op: replace_text\n    marker: |-\n      total += item * {i + seed}\n"
        f"    before: |-\n      for item in values:\n    payload: |-\n      total -= item * {i + seed}\n"
    )


def one(_: int) -> Work:
    patch = "operations:\n  - path: a.py\n    op: replace_text\n    marker: x = 1\n    payload: x = 2\n"
    return {"a.py": "import os\n\nx = 1\n"}, patch, 0


def files_with(operation: Callable[[str, int, int], str]) -> Callable[[int], Work]:
    """Ten operations in each of 100 files of 1,000 lines."""

    def make(size: int) -> Work:
        paths = {f"pkg{n % 10}/mod{n}.py": n for n in range(100 * size)}
        ops = [operation(path, n, i * 9) for path, n in paths.items() for i in range(10)]
        return {path: source(1000, n) for path, n in paths.items()}, HEAD + "".join(ops), 0

    return make


def large_file(size: int) -> Work:
    lines = 200_000 * size
    return {"big.py": source(lines)}, HEAD + plain("big.py", 0, lines * 3 // 40), 0


def one_file(size: int) -> Work:
    ops = [replacing("a.py", 0, i) for i in range(1000 * size)]
    return {"a.py": source(10_000 * size)}, HEAD + "".join(ops), 0


def near_miss(size: int) -> Work:
    text = source(20_000 * size)
    wanted = text.split("\n")[5000:5040]
    wanted[20] = wanted[20] + " and something else"
    marker = "\n".join("      " + line if line else "" for line in wanted)
    return {"a.py": text}, f"operations:\n  - path: a.py\n    op: delete_text\n    marker: |-\n{marker}\n", 1


# ── every format ─────────────────────────────────────────────────────────────────────────────────


def in_format(name: str) -> Callable[[int], Work]:
    """Ten changed lines in each of 100 files of 1,000 lines, written by the format's own `render`."""

    def make(size: int) -> Work:
        changes = []
        for n in range(100 * size):
            lines = source(1000, n).splitlines(keepends=True)
            new = list(lines)
            for i in range(5, 1000, 100):
                new[i] = new[i].replace("+=", "-=")
            before, after = (File("".join(text).encode()) for text in (lines, new))
            changes.append(FileChange(f"pkg{n % 10}/mod{n}.py", before, after))
        patch = next(one for one in formats() if one.name == name).render(tuple(changes))
        return {change.path: change.before.data.decode() for change in changes if change.before}, patch, 0

    return make


# ── what makes others search for ever ────────────────────────────────────────────────────────────


def begin_patch(path: str, hunks: list[list[str]]) -> str:
    body = "".join("@@\n" + "".join(f"{line}\n" for line in hunk) for hunk in hunks)
    return f"*** Begin Patch\n*** Update File: {path}\n{body}*** End Patch\n"


def equal_hunks(size: int) -> Work:
    """As many equal hunks as there are equal places: one reading, all of them."""
    count = 200 * size
    text = "start\n" + "open()\nwork(a, b)\nclose()\n\n" * count
    hunk = [" open()", "-work(a, b)", "+work(a, b, c)", " close()"]
    return {"a.txt": text}, begin_patch("a.txt", [hunk] * count), 0


def equal_lines(size: int) -> Work:
    """Two hunks in equal lines: many readings, so it is refused."""
    text = "same line of text\n" * 3000 * size
    hunk = [" same line of text", "-same line of text", "+another line", " same line of text"]
    return {"a.txt": text}, begin_patch("a.txt", [hunk, hunk]), 1


def equal_near_miss(size: int) -> Work:
    """A long run of equal lines that ends in one that is nowhere."""
    text = "same line of text\n" * 100_000 * size
    hunk = [" same line of text"] * 1999 + ["-the last line, which is missing", "+x"]
    return {"a.txt": text}, begin_patch("a.txt", [hunk]), 1


CASES: list[tuple[str, str, Callable[[int], Work]]] = [
    ("(a) one operation, cold", "CPU at most 3x bare", one),
    ("(b) 1,000 operations, 100 files of 1,000 lines", "wall at most 200 ms", files_with(plain)),
    ("    the same past comments, docstrings, with context", "", files_with(replacing)),
    ("(c) one operation, file of 200,000 lines", "wall at most 150 ms", large_file),
    ("(d) 1,000 operations, one file of 10,000 lines", "wall at most 200 ms", one_file),
    ("(e) near miss: 40 lines in 20,000, with report", "wall at most 500 ms", near_miss),
    *((f"1,000 hunks, 100 files of 1,000 lines: {one.name}", "", in_format(one.name)) for one in formats()),
    ("200 equal hunks on 200 equal places", "wall well below 1 s", equal_hunks),
    ("2 hunks in 3,000 equal lines (refused)", "wall well below 1 s", equal_lines),
    ("2,000 lines, not there, in 100,000 equal ones", "wall well below 1 s", equal_near_miss),
]
