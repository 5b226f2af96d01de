"""The trees and patches that bench/speed.py times: each makes its files, its patch and the exit code to expect."""

from __future__ import annotations

from collections.abc import Callable

from anypatch.api import formats
from anypatch.model import File, FileChange

Files = dict[str, str]
Work = tuple[Files, str, int]

# ── CHUNK ────────────────────────────────────────────────────────────────────────────────────────


def source(lines: int, seed: int = 0) -> str:
    """Python-like text with comments, blank lines, docstrings and repeated lines."""
    parts = []
    for i in range(lines // 10):
        name = f"{seed}_{i}"
        parts.append(
            f'def work_{name}(a, b):\n    """What {name} does."""\n    total = a + {i}  # sum {i}\n\n    for item in b:\n'
            f"        total += item * {i + seed}\n    if total > {i}:\n        return None\n    return total\n\n"
        )
    return "".join(parts)


def replacing(path: str, seed: int, i: int) -> str:
    """One operation: by turns with a comment left out of the marker, and with a line of context."""
    if i % 2:
        marker = f"total = a + {i}\n          for item in b:"
        payload = f"total = a + {i} + 1\n          for item in reversed(b):"
        return f"  - path: {path}\n    op: replace_text\n    marker: |-\n      {marker}\n    payload: |-\n      {payload}\n"
    return (
        f"  - path: {path}\n    op: replace_text\n    marker: |-\n      total += item * {i + seed}\n"
        f"    before: |-\n      for item in b:\n    payload: |-\n      total -= item * {i + seed}\n"
    )


def one(_: int) -> Work:
    patch = "operations:\n  - path: a.py\n    op: replace_text\n    marker: x = 1\n    payload: x = 2\n"
    return {"a.py": "import os\n\nx = 1\n"}, patch, 0


def many_files(size: int) -> Work:
    count = 100 * size
    files = {f"pkg{n % 10}/mod{n}.py": source(1000, n) for n in range(count)}
    ops = [replacing(f"pkg{n % 10}/mod{n}.py", n, i * 9) for n in range(count) for i in range(10)]
    return files, "language: python\noperations:\n" + "".join(ops), 0


def plain_files(size: int) -> Work:
    count = 100 * size
    files, ops = {}, []
    for n in range(count):
        path = f"pkg{n % 10}/mod{n}.cpp"
        files[path] = "".join(f"    int value_{n}_{i} = compute({i});\n" for i in range(1000))
        ops += [
            f"  - path: {path}\n    op: replace_text\n    marker: |-\n      int value_{n}_{i} = compute({i});\n"
            f"    payload: |-\n      int value_{n}_{i} = other({i});\n"
            for i in range(0, 970, 97)
        ]
    return files, "language: c++\noperations:\n" + "".join(ops), 0


def large_file(size: int) -> Work:
    lines = 200_000 * size
    text = "".join(f"v{i} = f({i % 97})\n" for i in range(lines))
    at = lines * 3 // 4
    patch = (
        f"language: python\noperations:\n  - path: big.py\n    op: replace_text\n"
        f"    marker: v{at} = f({at % 97})\n    payload: v{at} = None\n"
    )
    return {"big.py": text}, patch, 0


def one_file(size: int) -> Work:
    ops = [replacing("a.py", 0, i) for i in range(1000 * size)]
    return {"a.py": source(10_000 * size)}, "language: python\noperations:\n" + "".join(ops), 0


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
            lines = [f"    int value_{n}_{i} = compute({i});\n" for i in range(1000)]
            new = list(lines)
            for i in range(5, 970, 97):
                new[i] = f"    int value_{n}_{i} = other({i});\n"
            before, after = (File("".join(text).encode()) for text in (lines, new))
            changes.append(FileChange(f"pkg{n % 10}/mod{n}.cpp", before, after))
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
    hunk = [" same line of text"] * 1999 + ["-the last line, which is not there", "+x"]
    return {"a.txt": text}, begin_patch("a.txt", [hunk]), 1


CASES: list[tuple[str, str, Callable[[int], Work]]] = [
    ("(a) one operation, cold", "CPU at most 3x bare", one),
    ("(b) 1,000 operations, 100 files of 1,000 lines", "wall at most 200 ms", plain_files),
    ("    the same past comments, docstrings, with context", "", many_files),
    ("(c) one operation, file of 200,000 lines", "wall at most 150 ms", large_file),
    ("(d) 1,000 operations, one file of 10,000 lines", "wall at most 200 ms", one_file),
    ("(e) near miss: 40 lines in 20,000, with report", "wall at most 500 ms", near_miss),
    *((f"1,000 hunks, 100 files of 1,000 lines: {one.name}", "", in_format(one.name)) for one in formats()),
    ("200 equal hunks on 200 equal places", "wall well below 1 s", equal_hunks),
    ("2 hunks in 3,000 equal lines (refused)", "wall well below 1 s", equal_lines),
    ("2,000 lines, not there, in 100,000 equal ones", "wall well below 1 s", equal_near_miss),
]
