"""Mixed calls of several agents on one tree: no edit is lost, none comes twice, memory stays flat.

python bench/mcp_soak.py [--calls 2000] [--seed 1]

Four clients of the official SDK: two have a server of their own over stdio, two share one over HTTP. Every edit puts
in a line of its own; in the end the files have exactly those whose receipts were not undone. At the same time somebody changes
a line of each file by hand, also after a client has read it, and before it sends an edit that shows that line. In the
end each file has the last change. Exit code 1 otherwise.
"""

from __future__ import annotations

import argparse
import fcntl
import itertools
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

FILES = 6
BODY = "class Box{n}:\n    def fill(self):\n        # here\n        return {n}\n\n    def empty(self):\n        # there\n        pass\n"
HERE, NEWLINE = "        # here\n", "\n"
WAYS = (
    ("search", 20), ("wide", 12), ("unified", 12), ("symbol", 12), ("check", 6), ("misfit", 6), ("stale", 4), ("undo", 6),
    ("outline", 8), ("read", 8), ("history", 4), ("formats", 2),
)  # fmt: skip


class Tally:
    """Collects the reports that the clients got."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}  # receipt to the line it put in
        self.undone: dict[str, str] = {}  # receipt to that of its undo, if it has one of its own
        self.calls: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.by_hand: dict[str, int] = {}  # the last change of each file

    def stays(self, receipt: str) -> bool:
        """Return True if a change wasn't undone, or the undo was."""
        return receipt not in self.undone or (bool(undo := self.undone[receipt]) and not self.stays(undo))


def command(root: Path, *more: str) -> list[str]:
    return [str(Path(sys.executable).with_name("anypatch")), "mcp", "--structured", "--root", str(root), *more]


def arguments(way: str, mark: str, number: int) -> tuple[str, dict[str, Any]]:
    """The tool and what it is called with."""
    path = f"box{number}.py"
    block = f"<<<<<<< SEARCH\n        # here\n=======\n        # here\n        # {mark}\n>>>>>>> REPLACE\n"
    hunk = f"--- a/{path}\n+++ b/{path}\n@@ -7,1 +7,2 @@\n         # there\n+        # {mark}\n"
    chunk = {"context_before": ["        # there"], "old_lines": [], "new_lines": [f"        # {mark}"]}
    lost = {"context_before": ["        # nowhere"], "old_lines": [], "new_lines": ["x"], "context_after": []}
    said: dict[str, tuple[str, dict[str, Any]]] = {
        "search": ("apply_patch", {"patch": f"{path}\n{block}"}),
        "wide": ("apply_patch", {"patch": path}),
        "unified": ("apply_patch", {"patch": hunk}),
        "symbol": (
            "edit_symbol",
            {"relative_path": path, "name_path": f"Box{number}/empty", "chunks": [{**chunk, "context_after": ""}]},
        ),
        "check": ("check_patch", {"patch": f"{path}\n{block}"}),
        "misfit": ("edit_symbol", {"relative_path": path, "name_path": f"Box{number}/fill", "chunks": [lost]}),
        "stale": ("apply_patch", {"patch": f"{path}\n{block}", "expected_hashes": {path: "sha256:" + "0" * 64}}),
        "undo": ("undo", {}),
        "outline": ("outline", {"relative_path": path}),
        "read": ("read_symbol", {"relative_path": path, "name_path": f"Box{number}/fill"}),
        "history": ("history", {"limit": 5}),
        "formats": ("formats", {"name": "unified"}),
    }
    return said[way]


async def one_call(client: Client, way: str, mark: str, number: int, tally: Tally) -> None:
    tool, said = arguments(way, mark, number)
    if way == "symbol":  # an insertion needs the line after it as it is now: read it, as an agent would
        read = await client.call_tool("read_symbol", {k: said[k] for k in ("relative_path", "name_path")})
        lines = read.structured_content["text"].split("\n")
        said["chunks"][0]["context_after"] = lines[lines.index("        # there") + 1]
        said["expected_hash"] = read.structured_content["hash"]
    elif way == "wide":  # the edit shows the whole file as it was read, a while ago
        read = await client.call_tool("read_symbol", {"relative_path": said["patch"], "name_path": "/"})
        text = read.structured_content["text"]
        await anyio.sleep(0.05)
        lines = (
            f"<<<<<<< SEARCH\n{text}=======\n{text.replace(HERE, f'{HERE}        # {mark}{NEWLINE}')}>>>>>>> REPLACE\n"
        )
        said["patch"] += f"\n{lines}"
    result = await client.call_tool(tool, said)
    value, kinds = result.structured_content, ""
    tally.calls[way] += 1
    if result.is_error:
        kinds = ",".join(problem["kind"] for problem in value["problems"])
        tally.refused[f"{way}: {kinds}"] += 1
    elif tool in ("apply_patch", "edit_symbol"):
        tally.made[value["receipt"]] = mark
    elif tool == "undo":
        receipts = (await client.call_tool("history", {"limit": 100})).structured_content["receipts"]
        own = [receipt for one in receipts if one["id"] == value["receipt"] for receipt in one["undoes"]]
        tally.undone.update(dict.fromkeys(own, value["receipt"]) if own else {value["receipt"]: ""})
    expected = {"misfit": "not_found", "stale": "stale"}.get(way)
    if expected and kinds != expected:
        tally.wrong.append(f"{way} was answered with {kinds or 'success'}")


async def agent(client: Client, name: str, calls: int, seed: int, tally: Tally) -> None:
    chance = random.Random(f"{seed} {name}")
    for at in range(calls):
        way = chance.choices([way for way, _ in WAYS], [weight for _, weight in WAYS])[0]
        await one_call(client, way, f"{name}-{at}", chance.randrange(FILES), tally)


async def edit_by_hand(root: Path, tally: Tally) -> None:
    """Change a line of one file after the other. The lock only keeps this from losing an edit of theirs."""
    while not (root / ".anypatch" / "lock").exists():
        await anyio.sleep(0.01)
    for count in itertools.count(max(tally.by_hand.values(), default=0) + 1):
        path = root / f"box{count % FILES}.py"
        with (root / ".anypatch" / "lock").open("rb") as lock:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    await anyio.sleep(0.002)
            new = path.with_suffix(".new")
            new.write_text(re.sub(r"        return .*", f"        return {count}", path.read_text()))
            new.replace(path)
            tally.by_hand[path.name] = count
        await anyio.sleep(0.02)


@asynccontextmanager
async def served(root: Path) -> AsyncIterator[tuple[str, int]]:
    """The URL and the process of a server over HTTP."""
    process = subprocess.Popen(command(root, "--http", "0"), stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = await anyio.to_thread.run_sync(process.stderr.readline)
        found = re.search(r"http://\S+", line)
        assert found, line
        yield found[0], process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        print(f"the server over HTTP ended with {process.wait(20)}")


def resident(pid: int) -> float:
    """MiB of memory that a process has in use."""
    told = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(told[1]) / 1024 if told else 0.0


def spent(pid: int) -> float:
    """Seconds of computing that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def started(what: str, began: float, pid: int) -> str:
    taken = time.monotonic() - began
    return f"start-up {what}: {taken:.2f} s, {spent(pid):.2f} s of it computing, {resident(pid):.0f} MiB"


def children() -> set[int]:
    """The processes of ours."""
    found = set()
    for task in Path("/proc/self/task").iterdir():
        found |= {int(pid) for pid in (task / "children").read_text().split()}
    return found


async def soak(root: Path, calls: int, seed: int, tally: Tally) -> list[tuple[str, list[float]]]:
    """Run it; the memory of each server after each tenth."""
    memory: list[tuple[str, list[float]]] = []
    began = time.monotonic()
    async with served(root) as (url, pid):
        print(started("over HTTP", began, pid))
        known = children()
        params = StdioServerParameters(command=command(root)[0], args=command(root)[1:], env=dict(os.environ))
        began = time.monotonic()
        async with Client(stdio_client(params), mode="legacy") as one:
            own = (children() - known).pop()
            print(started("over stdio, to the first answer", began, own))
            async with (
                Client(stdio_client(params)) as two,
                Client(streamable_http_client(url), mode="legacy") as three,
                Client(streamable_http_client(url)) as four,
            ):
                clients = {"stdio-1": one, "stdio-2": two, "http-1": three, "http-2": four}
                memory += [("stdio", []), ("HTTP, two clients", [])]
                for tenth in range(10):
                    async with anyio.create_task_group() as person:
                        person.start_soon(edit_by_hand, root, tally)
                        async with anyio.create_task_group() as tasks:
                            for name, client in clients.items():
                                share = calls * (tenth + 1) // 40 - calls * tenth // 40
                                tasks.start_soon(agent, client, f"{name}-{tenth}", share, seed, tally)
                        person.cancel_scope.cancel()
                    memory[0][1].append(resident(own))
                    memory[1][1].append(resident(pid))
    return memory


def judged(root: Path, tally: Tally) -> list[str]:
    """What is wrong in the tree in the end."""
    found: Counter[str] = Counter()
    for path in root.glob("box*.py"):
        found.update(re.findall(r"# ((?:stdio|http)-\S+)", path.read_text()))
        compile(path.read_text(), path.name, "exec")
    lines = {path.name: path.read_text() for path in root.glob("box*.py")}
    wrong = [
        f"{name}: the change by hand is lost"
        for name, count in tally.by_hand.items()
        if f"return {count}\n" not in lines[name]
    ]
    wanted = {mark for receipt, mark in tally.made.items() if tally.stays(receipt)}
    wrong += [f"{mark} is lost" for mark in sorted(wanted - found.keys())]
    wrong += [f"{mark} should not be there" for mark in sorted(found.keys() - wanted)]
    wrong += [f"{mark} is there {times} times" for mark, times in found.items() if times > 1]
    leftovers = [path.name for path in (root / ".anypatch").iterdir() if path.name.startswith(("tx", "undo.", "redo."))]
    return tally.wrong + wrong + [f"{name} is left over" for name in leftovers]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for number in range(FILES):
            (root / f"box{number}.py").write_text(BODY.format(n=number))
        began = time.monotonic()
        memory = anyio.run(soak, root, asked.calls, asked.seed, tally)
        wrong = judged(root, tally)
    done = sum(tally.calls.values())
    print(f"{done} calls of 4 clients in {time.monotonic() - began:.1f} s: {dict(tally.calls)}")
    print(f"applied {len(tally.made)}, undone {len(tally.undone)}, refused {dict(tally.refused)}")
    for name, figures in memory:
        print(f"memory of the server over {name}, MiB: {' '.join(f'{figure:.0f}' for figure in figures)}")
        if figures[-1] > figures[4] * 1.1 + 2:
            wrong.append(f"memory grew from {figures[4]:.0f} to {figures[-1]:.0f} MiB over {name}")
    print("\n".join(wrong) if wrong else "no edit lost, none twice, nothing left over, memory flat")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
