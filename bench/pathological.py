"""Measure what the worst inputs cost: CPU seconds and peak memory of the whole process, in every format that can say them.

    python bench/pathological.py [WORDS] [--times 10] [--dir DIR]

WORDS: only inputs whose name holds one of them. --times: inputs that many times as large, with the limits raised, to see
whether the cost grows in step. --dir: where the trees are made, in memory (/dev/shm) unless told: on ext4 a file made within
a minute of removing thousands costs half a millisecond, because the kernel avoids their inodes. Bounds: 2 seconds, 512 MiB;
what is beyond them is marked, and the exit code is 1. Two inputs aren't attacks but work, as much of it as the limits allow: five
times the hunks of one file, and hunks that each need a second look. Those may take 10 seconds. After a minute of CPU time an
input is given up.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

PROGRAM = str(Path(sys.executable).with_name("anypatch"))
SECONDS, MEBIBYTES = 2.0, 512
WORK = {"100,000 hunks in 10 files": 10.0, "20,000 hunks without indentation": 10.0}
PATIENCE = 60
HUNKS = 20_000
GIB = 1 << 30
Files = dict[str, bytes | int]  # a number: a file of so many bytes, all of them a hole
Input = tuple[str, Files, str]


def numbered(count: int, name: str = "line") -> list[str]:
    return [f"{name} {number}\n" for number in range(count)]


def edits(name: str, texts: dict[str, list[str]], rows: list[int], new: str = "{old} new") -> Iterator[Input]:
    """The same rows of files replaced, in every format of edits; each row is between two that stay."""
    files: Files = {path: "".join(lines).encode() for path, lines in texts.items()}
    for known, (head, section, hunk, tail) in SPELLED.items():
        said = [head]
        for number, (path, lines) in enumerate(texts.items()):
            if number and known == "elided":
                said.append(tail)
            said.append(section.format(path=path))
            for row in rows:
                above, old, below = (line.rstrip("\n") for line in lines[row - 1 : row + 2])
                came = new.format(old=old).split("\n")
                said.append(
                    hunk.format(
                        path=path, at=row, above=above, old=old, below=below, size=2 + len(came), new="\n".join(came),
                        added="\n+".join(came), deep="\n      ".join(came), escaped="\\n".join(came),
                    )
                )  # fmt: skip
        yield f"{name}: {known}", files, "".join(said).rstrip(",\n") + tail


SPELLED = {
    "unified": (
        "", "--- a/{path}\n+++ b/{path}\n", "@@ -{at},3 +{at},{size} @@\n {above}\n-{old}\n+{added}\n {below}\n", "\n",
    ),
    "begin-patch": (
        "*** Begin Patch\n", "*** Update File: {path}\n", "@@\n {above}\n-{old}\n+{added}\n {below}\n", "\n*** End Patch\n",
    ),
    "search-replace": (
        "", "", "{path}\n<<<<<<< SEARCH\n{above}\n{old}\n=======\n{above}\n{new}\n>>>>>>> REPLACE\n", "\n",
    ),
    "chunk": (
        "operations:\n", "",
        "  - path: {path}\n    op: replace_text\n    marker: |-\n      {above}\n      {old}\n"
        "    payload: |-\n      {above}\n      {deep}\n", "\n",
    ),
    "chunk-v2": ("", "", "=== file: {path} ===\n--- replace-text\n{above}\n{old}\n---\n{above}\n{new}\n=END=\n", "\n"),
    "json-edits": (
        "[\n", "",
        '{{"file_path": "{path}", "old_string": "{above}\\n{old}\\n", "new_string": "{above}\\n{escaped}\\n"}},\n', "\n]\n",
    ),
    "elided": ("", "{path}\n```\n", "... existing code ...\n{above}\n{new}\n{below}\n", "\n... existing code ...\n```\n"),
}  # fmt: skip


def many_hunks(times: int) -> Iterator[Input]:
    lines = numbered(8 * HUNKS * times)
    yield from edits("20,000 hunks", {"a.txt": lines}, list(range(4, len(lines), 8)))


def growing(times: int) -> Iterator[Input]:
    lines = numbered(8 * HUNKS * times)
    rows = list(range(4, len(lines), 8))
    yield from edits("20,000 hunks that add a line", {"a.txt": lines}, rows, "{old} one\n{old} two")
    deep = "".join("  " + line for line in lines).encode()
    for name, _, text in edits("20,000 hunks without indentation", {"a.txt": lines}, rows):
        if not name.endswith("chunk-v2"):  # which takes every blank as it is
            yield name, {"a.txt": deep}, text


def far_apart(times: int) -> Iterator[Input]:
    lines = numbered(1_600_000 * times, "l")
    yield from edits(
        "2,000 hunks in 1,600,000 lines", {"a.txt": lines}, list(range(400, len(lines), 800)), "{old} one\ntwo"
    )


def inside_lines(times: int) -> Iterator[Input]:
    lines = [f"call({number}, x)\n" for number in range(8 * HUNKS * times)]
    for name, sign, step in (("20,000 swaps inside lines", "(", 8), ("10,000 swaps that are nowhere", "[", 16)):
        files: Files = {"a.txt": "".join(lines[: len(lines) if sign == "(" else HUNKS * times]).encode()}
        calls = [
            f'{{"file_path": "a.txt", "old_string": "{sign}{at}, x", "new_string": "{sign}{at}, y"}}'
            for at in range(4, len(lines), step)
        ]
        yield f"{name}: json-edits", files, "[" + ",\n".join(calls) + "]"
    crs = "".join(f"one {number}\rtwo {number}\rthree\n" for number in range(HUNKS * times)).encode()
    blocks = [
        f"a.txt\n<<<<<<< SEARCH\nnowhere {at}\n=======\nx\n>>>>>>> REPLACE\n" for at in range(HUNKS // 10 * times)
    ]
    yield "2,000 blocks nowhere among lone CRs: search-replace", {"a.txt": crs}, "".join(blocks)


def hunks_in_files(times: int) -> Iterator[Input]:
    lines = numbered(4 * HUNKS // 2)
    texts = {f"f{n}.txt": lines for n in range(10 * times)}
    yield from edits("100,000 hunks in 10 files", texts, list(range(2, len(lines), 4)))


def hunks_in_one_file(times: int) -> Iterator[Input]:
    lines = numbered(300_000 * times)
    yield from edits("100,000 hunks in one file", {"a.txt": lines}, list(range(1, len(lines), 3)))


def small_hunks(times: int) -> Iterator[Input]:
    lines = numbered(HUNKS * times)
    old = "".join(lines).encode()
    yield from edits(
        "20,000 hunks backwards", {"a.txt": numbered(3 * HUNKS * times)}, list(range(3 * HUNKS * times - 2, 0, -3))
    )
    yield from edits("100,000 times the same", {"a.txt": numbered(10)}, [4] * (100_000 * times))
    missing = numbered(3 * HUNKS * times, "nowhere")
    for name, _, text in edits(
        "20,000 hunks that are nowhere", {"a.txt": missing}, list(range(1, len(missing) - 1, 3))
    ):
        yield name, {"a.txt": old}, text


def equal_lines(times: int) -> Iterator[Input]:
    lines = ["the same\n"] * (40_000 * times)
    context = " the same\n" * (5_000 * times)
    yield (
        "5,000 of 40,000 equal lines: unified",
        {"a": "".join(lines).encode()},
        f"--- a/a\n+++ b/a\n@@ -1 +1 @@\n{context}+x\n",
    )
    yield (
        "5,000 of 40,000 equal lines: begin-patch",
        {"a": "".join(lines).encode()},
        (f"*** Begin Patch\n*** Update File: a\n@@\n{context}-other\n+x\n*** End Patch\n"),
    )
    block = "the same\n" * (5_000 * times)
    yield (
        "5,000 of 40,000 equal lines: search-replace",
        {"a": "".join(lines).encode()},
        (f"a\n<<<<<<< SEARCH\n{block}other\n=======\nx\n>>>>>>> REPLACE\n"),
    )
    middle = [*lines[: len(lines) // 2], "one other\n", *lines[len(lines) // 2 :]]
    yield from edits("one line among 40,000 equal ones", {"a.txt": middle}, [len(lines) // 2])


def large_files(times: int) -> Iterator[Input]:
    long = ["first\n", "second\n", "third\n", "x" * (10_000_000 * times) + "\n"]
    yield from edits("beside a line of 10 MB", {"a.txt": long}, [1])
    lines = numbered(1_900_000 * times, "l")
    yield from edits("one line of 1,900,000", {"a.txt": lines}, [len(lines) // 2])
    few = ["first\n", "second\n", "third\n"]
    for name, _, text in edits("one line of 2,000,001", {"a.txt": few}, [1]):
        yield name, {"a.txt": "".join(few).encode() + b"\n" * (2_000_000 * times - 2)}, text
    for name, _, text in edits("in a hole of 8 GiB", {"a.txt": few}, [1]):
        yield name, {"a.txt": 8 * GIB * times}, text


def many_files(times: int) -> Iterator[Input]:
    paths = [f"d{n % 100}/f{n}" for n in range(10_000 * times)]
    yield (
        "10,000 new files: unified",
        {},
        "".join(f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+one\n" for path in paths),
    )
    yield (
        "10,000 new files: begin-patch",
        {},
        ("*** Begin Patch\n" + "".join(f"*** Add File: {path}\n+one\n" for path in paths) + "*** End Patch\n"),
    )
    yield (
        "10,000 new files: chunk",
        {},
        "operations:\n"
        + "".join(f"  - path: {path}\n    op: create_file\n    payload: |-\n      one\n" for path in paths),
    )
    yield "10,000 new files: whole-file", {}, "".join(f"{path}\n```\none\n```\n\n" for path in paths)
    yield (
        "10,000 new files: json-edits",
        {},
        ("[" + ",\n".join(f'{{"file_path": "{path}", "content": "one\\n"}}' for path in paths) + "]"),
    )


def documents(times: int) -> Iterator[Input]:
    a: Files = {"a": b"one\n"}
    yield (
        "aliases of aliases: chunk",
        a,
        "a: &a [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9))
        + "operations: *j\n",
    )
    yield "1,000,000 brackets: chunk", a, "operations: " + "[" * (1_000_000 * times) + "\n"
    yield "1,000,000 brackets: json-edits", a, "[" * (1_000_000 * times)
    yield "objects in objects: json-edits", a, '{"a":' * (200_000 * times) + "1" + "}" * (200_000 * times)
    yield "200,000 items: chunk", a, "operations:\n" + "  - x\n" * (200_000 * times)
    operation = "  - path: a\n    op: replace_text\n    marker: |-\n      one\n    payload: |-\n      two\n"
    yield "70,000 operations: chunk", a, "operations:\n" + operation * (70_000 * times)
    yield "200,000 fences", a, "a\n" + "```\n" * (200_000 * times)
    yield "200,000 fences, each longer", a, "".join("`" * (3 + n % 50) + "\n" for n in range(200_000 * times))
    yield "30 MB of prose", a, "I have changed the file as you asked.\n" * (800_000 * times)
    yield "30 MB of one line", a, "word " * (6_000_000 * times)
    yield "30 MB of line endings", a, "\n" * (30_000_000 * times)
    yield (
        "counts that overflow: unified",
        a,
        "--- a/a\n+++ b/a\n" + f"@@ -1,{'9' * 5000} +1,{'9' * 18} @@\n-one\n+x\n" * (1000 * times),
    )
    yield (
        "a binary bomb: unified",
        a,
        (
            "diff --git a/a b/a\nindex 1..2\nGIT binary patch\nliteral 99999999999\n"
            + ("z" + "cmV" * 20 + "\n") * (200_000 * times)
        ),
    )
    yield "markers only: search-replace", a, "<<<<<<< SEARCH\n" * (200_000 * times)
    yield "headers only: unified", a, "--- a/a\n+++ b/a\n@@ -1,9 +1,9 @@\n" * (60_000 * times)
    yield (
        "separators and controls: search-replace",
        {"a": b"one\x0c\x85\xe2\x80\xa8two\r" * (100_000 * times)},
        ("a\n<<<<<<< SEARCH\n" + "one\x0c\x85\u2028two\r" * 1000 + "\n=======\nx\n>>>>>>> REPLACE\n"),
    )


INPUTS: tuple[Callable[[int], Iterator[Input]], ...] = (
    many_hunks, growing, far_apart, inside_lines, hunks_in_files, hunks_in_one_file, small_hunks, equal_lines, large_files,
    many_files, documents,
)  # fmt: skip


def measured(folder: Path, files: Files, text: str, limits: list[str]) -> tuple[float, float, int]:
    """CPU seconds, MiB at the peak, and the exit code of one `anypatch apply`."""
    root, patch = folder / "tree", folder / "patch"
    subprocess.run(["rm", "-rf", root], check=True)
    root.mkdir()
    for name, data in files.items():
        if isinstance(data, int):
            (root / name).touch()
            os.truncate(root / name, data)
        else:
            (root / name).write_bytes(data)
    patch.write_text(text, newline="")
    command = [PROGRAM, "apply", str(patch), "--root", str(root), "-q", "--durability", "none", *limits]
    child = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", f'ulimit -t {PATIENCE}; exec "$@"', "sh", *command],
        {**os.environ, "XDG_STATE_HOME": str(folder)},
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, status, used = os.wait4(child, 0)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("words", nargs="*")
    options.add_argument("--times", type=int, default=1)
    options.add_argument("--dir", default="/dev/shm" if os.path.isdir("/dev/shm") else None)
    chosen = options.parse_args()
    limits = ["patch_bytes", "files", "hunks", "file_hunks", "file_bytes", "line_bytes", "lines", "total_bytes"]
    raised = ["--limit", ",".join(f"{name}={1 << 40}" for name in limits)] if chosen.times > 1 else []
    beyond = 0
    print(f"{'':50}{'MB':>7}{'CPU s':>8}{'MiB':>7}{'exit':>6}")
    with tempfile.TemporaryDirectory(dir=chosen.dir) as folder:
        for made in INPUTS:
            for name, files, text in made(chosen.times):
                if chosen.words and not any(word in name for word in chosen.words):
                    continue
                seconds, peak, code = measured(Path(folder), files, text, raised)
                size = (len(text) + sum(len(data) for data in files.values() if isinstance(data, bytes))) / 1e6
                bound = WORK.get(name.partition(":")[0], SECONDS)
                over = seconds > bound or peak > MEBIBYTES or code not in (0, 1, 2)
                beyond += over
                print(f"{name:50}{size:7.1f}{seconds:8.2f}{peak:7.0f}{code:6}{'  beyond' * over}", flush=True)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
