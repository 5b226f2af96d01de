"""Show what other tools do with answers that go wrong easily: each case on a fresh tree, the result compared byte by byte.

    python bench/others.py                  the table of docs/comparison.md
    python bench/others.py twins            one case: the tree, the edit, and what each tool made of it
    python bench/others.py --only anypatch  no other tools, nothing installed

The others come from where their users get them: git and GNU patch from this machine, mpatch, openai-agents and aider
from PyPI, Codex and the MCP file server from npm, into .bench/others. One that can't be had is left out, and said to be.
aider and openai-agents are called through the functions that they apply edits with, the file server through its protocol.

    right     the tree is as the edit means it, or untouched where the edit has no one meaning
    refused   untouched, though the edit has one meaning
    HALF      said to have failed, and left a part of it in the tree
    WRONG     said to have worked, and the tree is not what the edit means
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parent.parent
HOME = TOP / ".bench" / "others"
Tree = dict[str, bytes]


class Case(NamedTuple):
    """An edit, told in several formats, and the tree it is for. `after`: None if nothing may change."""

    name: str
    title: str
    before: Tree
    after: Tree | None
    edit: dict[str, str]  # by format: unified, search-replace, begin-patch, call
    times: int = 1  # how often it is sent


def edit(path: str, old: str, new: str, line: int = 1) -> dict[str, str]:
    """One replacement of whole lines, in each format."""
    body = "".join(f"{row[0]}{row[2:]}" for row in difflib.ndiff(lines(old), lines(new)) if row[0] != "?")
    counts = f"-{line},{len(lines(old))} +{line},{len(lines(new))}"
    return {
        "unified": f"--- a/{path}\n+++ b/{path}\n@@ {counts} @@\n{body}",
        "search-replace": f"{path}\n```\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n",
        "begin-patch": f"*** Begin Patch\n*** Update File: {path}\n@@\n{body}*** End Patch\n",
        "call": json.dumps({"path": path, "edits": [{"oldText": old, "newText": new}]}),
    }


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def joined(*edits: dict[str, str]) -> dict[str, str]:
    """Edits of several files as one answer."""
    begun = "".join(one["begin-patch"].split("\n", 1)[1].removesuffix("*** End Patch\n") for one in edits)
    return {
        "unified": "".join(one["unified"] for one in edits),
        "search-replace": "\n".join(one["search-replace"] for one in edits),
        "begin-patch": f"*** Begin Patch\n{begun}*** End Patch\n",
    }


TWINS = "def load(path):\n    data = read(path)\n    return data\n\n\ndef save(path):\n    data = read(path)\n    return data\n"
CART = "class Cart:\n    def total(self):\n        total = 0\n        for cents in self.items:\n            total += cents\n        return total\n"
LOOP = "    def total(self):\n        total = 0\n        for cents in self.items:\n            total += cents\n        return total\n"
SUM = '    def total(self):\n        """In cents."""\n        return sum(self.items)\n'
TALL = "".join(f"import m{number}\n" for number in range(30))


def outdented(text: str, columns: int = 4) -> str:
    return "".join(line[columns:] for line in text.splitlines(keepends=True))


CASES = [
    Case("twins", "the same lines occur twice, and nothing says which is intended",
         {"io.py": TWINS.encode()}, None,
         edit("io.py", "    data = read(path)\n    return data\n", "    data = read(path)\n    return data.strip()\n", line=40)),
    Case("outdented", "a method written at column 0",
         {"cart.py": CART.encode()}, {"cart.py": ("class Cart:\n" + SUM).encode()},
         edit("cart.py", outdented(LOOP), outdented(SUM), line=2)),
    Case("tabs", "the file uses tabs, the answer spaces",
         {"cart.py": CART.replace("    ", "\t").encode()}, {"cart.py": ("class Cart:\n" + SUM).replace("    ", "\t").encode()},
         edit("cart.py", LOOP, SUM, line=2)),
    Case("crlf", "the file has CRLF line endings",
         {"a.py": b"one = 1\r\ntwo = 2\r\nthree = 3\r\n"}, {"a.py": b"one = 1\r\ntwo = 22\r\nthree = 3\r\n"},
         edit("a.py", "one = 1\ntwo = 2\n", "one = 1\ntwo = 22\n")),
    Case("latin-1", "a byte elsewhere in the file isn't UTF-8",
         {"a.py": b"# caf\xe9\none = 1\ntwo = 2\n"}, {"a.py": b"# caf\xe9\none = 1\ntwo = 22\n"},
         edit("a.py", "one = 1\ntwo = 2\n", "one = 1\ntwo = 22\n", line=2)),
    Case("comment", "the old lines leave out a comment that the file has",
         {"a.py": b"def add(self, cents):\n    # cents, not euros\n    self.items.append(cents)\n    self.count += 1\n"},
         {"a.py": b"def add(self, cents):\n    # cents, not euros\n    self.items.append(int(cents))\n    self.count += 1\n"},
         edit("a.py", "def add(self, cents):\n    self.items.append(cents)\n    self.count += 1\n",
              "def add(self, cents):\n    self.items.append(int(cents))\n    self.count += 1\n")),
    Case("stale", "the value has changed since the model read the file",
         {"conf.py": b"HOST = 'a'\nPORT = 80\nTIMEOUT = 90\nRETRIES = 3\n"}, None,
         edit("conf.py", "HOST = 'a'\nPORT = 80\nTIMEOUT = 30\nRETRIES = 3\n", "HOST = 'a'\nPORT = 80\nTIMEOUT = 60\nRETRIES = 3\n")),
    Case("left out", "the new text says \"rest of the code unchanged\"",
         {"cart.py": CART.encode()}, None,
         edit("cart.py", CART, "class Cart:\n    def total(self):\n        # ... rest of the code unchanged ...\n        return total\n")),
    Case("two files", "the edit of the second file fits nowhere",
         {"a.py": b"one = 1\n", "b.py": b"two = 2\n"}, None,
         joined(edit("a.py", "one = 1\n", "one = 11\n"), edit("b.py", "completely(different, lines)\n", "two = 22\n"))),
    Case("sent twice", "an insertion is sent again after a timeout",
         {"a.py": b"import os\nimport sys\n\nmain()\n"}, {"a.py": b"import os\nimport re\nimport sys\n\nmain()\n"},
         {**edit("a.py", "import os\n", "import os\nimport re\n"),  # as SEARCH blocks and calls add a line
          "unified": "--- a/a.py\n+++ b/a.py\n@@ -1,4 +1,5 @@\n import os\n+import re\n import sys\n \n main()\n",
          "begin-patch": "*** Begin Patch\n*** Update File: a.py\n@@\n import os\n+import re\n*** End Patch\n"}, times=2),
    Case("exists", "a new file where one already exists",
         {"notes.md": b"years of notes\n"}, None,
         {"unified": "--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1 @@\n+# Notes\n",
          "begin-patch": "*** Begin Patch\n*** Add File: notes.md\n+# Notes\n*** End Patch\n"}),
    Case("counts", "the numbers in the hunk header are wrong",
         {"a.py": (TALL + "one = 1\ntwo = 2\n").encode()}, {"a.py": (TALL + "one = 1\ntwo = 22\n").encode()},
         {"unified": "--- a/a.py\n+++ b/a.py\n@@ -3,1 +3,1 @@\n one = 1\n-two = 2\n+two = 22\n"}),
]  # fmt: skip


# ── the tools ────────────────────────────────────────────────────────────────────────────────────


class Tool(NamedTuple):
    """A program, the formats that it reads, and how it is called in the tree with the patch in a file."""

    name: str
    formats: tuple[str, ...]
    command: Callable[[Path], list[str]]


AIDER = """
import sys
from aider.coders.editblock_coder import EditBlockCoder, find_original_update_blocks
from aider.io import InputOutput
from pathlib import Path
io = InputOutput(yes=True, pretty=False)
coder = EditBlockCoder.__new__(EditBlockCoder)
names = [str(path) for path in Path(".").rglob("*") if path.is_file()]
coder.io, coder.fence, coder.root = io, ("```", "```"), "."
coder.abs_root_path = lambda path: path
coder.abs_fnames = set(names)
coder.get_rel_fname = lambda path: path
answer = open(sys.argv[1]).read()
edits = list(find_original_update_blocks(answer, coder.fence, names))
coder.apply_edits(edits)
"""
AGENTS = """
import sys
from agents import apply_diff
from pathlib import Path
answer = open(sys.argv[1]).read().split("\\n")
files, path = {}, ""
for line in answer:
    if line.startswith(("*** Update File: ", "*** Add File: ")):
        path = line.split(": ", 1)[1]
        files[path] = ("create" if "Add" in line else "default", [])
    elif path and not line.startswith("*** End Patch"):
        files[path][1].append(line)
for path, (mode, lines) in files.items():
    with open(path, newline="") if mode == "default" else open("/dev/null") as file:
        text = file.read()
    made = apply_diff(text, "\\n".join(lines).rstrip("\\n"), mode)
    with open(path, "w", newline="") as file:
        file.write(made)
"""
MPATCH = "import mpatch, sys; mpatch.apply_directory(open(sys.argv[1]).read(), '.', atomic=True) or sys.exit(1)"
FILES = """
import json, subprocess, sys
server = subprocess.Popen(["node", sys.argv[2], "."], stdin=-1, stdout=-1, stderr=-3, text=True)
def ask(number, method, params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\\n")
    server.stdin.flush()
    while True:
        said = json.loads(server.stdout.readline())
        if said.get("id") == number and "method" not in said:
            return said
ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}})
server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\\n')
done = ask(2, "tools/call", {"name": "edit_file", "arguments": json.load(open(sys.argv[1]))})
server.kill()
sys.exit(1 if "error" in done or done["result"].get("isError") else 0)
"""


def tools() -> Iterator[Tool]:
    """anypatch, and the others that can be had."""
    yield ours()
    yield Tool("git apply", ("unified",), lambda patch: ["git", "apply", "--recount", str(patch)])
    if shutil.which("patch"):
        yield Tool("GNU patch", ("unified",), lambda patch: ["patch", "-p1", "--force", "--silent", "-i", str(patch)])
    python = installed("env", "mpatch", "openai-agents")
    if has(python, "mpatch"):
        yield Tool("mpatch, diffs", ("unified",), lambda patch: [python, "-c", MPATCH, str(patch)])
        yield Tool("mpatch, blocks", ("search-replace",), lambda patch: [python, "-c", MPATCH, str(patch)])
    aider = installed("aider", "aider-chat")
    if has(aider, "aider"):
        yield Tool("aider", ("search-replace",), lambda patch: [aider, "-c", AIDER, str(patch)])
    codex = program("@openai/codex", "@openai/codex-*/vendor/*/bin/codex")
    if codex:
        link = HOME / "apply_patch"
        link.unlink(missing_ok=True)
        link.symlink_to(codex)
        yield Tool("Codex", ("begin-patch",), lambda patch: ["sh", "-c", 'exec "$0" < "$1"', str(link), str(patch)])
    if has(python, "agents"):
        yield Tool("openai-agents", ("begin-patch",), lambda patch: [python, "-c", AGENTS, str(patch)])
    server = program("@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-filesystem/dist/index.js")
    if server:
        yield Tool("MCP file server", ("call",), lambda patch: [sys.executable, "-c", FILES, str(patch), str(server)])


def ours() -> Tool:
    command = [sys.executable, "-m", "anypatch", "apply", "--durability", "none"]
    return Tool("anypatch", ("unified", "search-replace", "begin-patch", "call"), lambda patch: [*command, str(patch)])


def installed(name: str, *packages: str) -> str:
    """The Python of an environment with these packages, made once."""
    folder = HOME / name
    python = folder / "bin" / "python"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        for package in packages:
            subprocess.run([*pip, package], check=False, capture_output=True)
        (folder / "done").touch()
    return str(python)


def has(python: str, module: str) -> bool:
    found = subprocess.run([python, "-c", f"import {module}"], check=False, capture_output=True).returncode == 0
    if not found:
        print(f"{module} can't be had here: left out")
    return found


def program(package: str, pattern: str) -> Path | None:
    """A file out of a package of npm's."""
    if shutil.which("npm") and not next((HOME / "npm/node_modules").glob(pattern), None):
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", HOME / "npm", package],
                       check=False, capture_output=True)  # fmt: skip
    found = next((HOME / "npm/node_modules").glob(pattern), None)
    if not found:
        print(f"{package} can't be had here: left out")
    return found


# ── running ──────────────────────────────────────────────────────────────────────────────────────


class Result(NamedTuple):
    """How it went in one format, and the tree afterwards."""

    format: str
    verdict: str
    tree: Tree
    said: str


Start = Callable[[list[str], Path, dict[str, str]], "subprocess.CompletedProcess[str]"]


def start(command: list[str], cwd: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=120)  # fmt: skip


def results(tool: Tool, case: Case, start: Start = start) -> list[Result]:
    return [attempt(tool, case, format, start) for format in tool.formats if format in case.edit]


def attempt(tool: Tool, case: Case, format: str, start: Start) -> Result:
    with tempfile.TemporaryDirectory() as scratch:
        root, patch = Path(scratch, "tree"), Path(scratch, "patch.txt")
        for path, content in case.before.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        patch.write_text(case.edit[format])
        environment = {
            **os.environ,
            "XDG_STATE_HOME": f"{scratch}/state",
            "GIT_CEILING_DIRECTORIES": scratch,
            "HOME": scratch,
        }
        codes, said = [], ""
        for _ in range(case.times):
            done = start(tool.command(patch), root, environment)
            codes.append(done.returncode)
            said = f"{done.stdout}{done.stderr}".replace(scratch, "")
        tree = {path: (root / path).read_bytes() if (root / path).exists() else b"" for path in case.before}
        return Result(format, verdict(case, tree, codes[-1] == 0), tree, said)


def verdict(case: Case, tree: Tree, ok: bool) -> str:
    if tree == (case.after or case.before):
        return "right" if case.after or not ok or case.times > 1 else "WRONG"  # success that is none
    if tree == case.before:
        return "WRONG" if ok else "refused"
    return "WRONG" if ok else "HALF"


def versions() -> str:
    """Return the tools that were compared, as each names itself."""
    names = [first([sys.executable, "-m", "anypatch", "--version"])]
    names += [first(["git", "--version"]), first(["patch", "--version"])]
    for folder, packages in (("env", ("mpatch", "openai-agents")), ("aider", ("aider-chat",))):
        code = "import importlib.metadata as m, sys; print(*(f'{n} {m.version(n)}' for n in sys.argv[1:]), sep=', ')"
        names.append(first([str(HOME / folder / "bin/python"), "-c", code, *packages]))
    for package in ("@openai/codex", "@modelcontextprotocol/server-filesystem"):
        about = HOME / "npm/node_modules" / package / "package.json"
        names.append(f"{package} {json.loads(about.read_text())['version']}" if about.exists() else "")
    return ", ".join(filter(None, names))


def first(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.split("\n")[0] if done.returncode == 0 else ""


WORST = ["right", "refused", "HALF", "WRONG"]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("case", nargs="?", choices=[case.name for case in CASES])
    options.add_argument("--only", help="one tool")
    chosen = options.parse_args()
    used = [ours()] if chosen.only == "anypatch" else [tool for tool in tools() if chosen.only in (None, tool.name)]
    if chosen.case:
        show(next(case for case in CASES if case.name == chosen.case), used)
        return 0
    table = {(tool.name, case.name): results(tool, case) for tool in used for case in CASES}
    print("| " + " | ".join(["", *(tool.name for tool in used)]) + " |")
    print("|---" * (len(used) + 1) + "|")
    for case in CASES:
        row = [max((one.verdict for one in table[tool.name, case.name]), key=WORST.index, default="–") for tool in used]
        print(f"| {case.name} | " + " | ".join(row) + " |")
    print(f"\n{versions()}")
    return 0


def show(case: Case, used: list[Tool]) -> None:
    print(f"{case.name}: {case.title}")
    for tool in used:
        for done in results(tool, case):
            print(f"\n── {tool.name}, {done.format}: {done.verdict}")
            print("\n".join(done.said.strip().split("\n")[:12]))
            for path, old in case.before.items():
                one, other = (content.decode("latin-1").splitlines() for content in (old, done.tree[path]))
                print(*difflib.unified_diff(one, other, path, path, lineterm=""), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
