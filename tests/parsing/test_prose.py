"""The law of prose: what is put around a patch never changes what it does. The same files come out, or a refusal.

Around every patch of tests/cases and every patch that the writers make go pieces of this project's own documents, and
of chats: headings, commands, tracebacks, configurations, examples, excerpts of the very files that are edited. The
suite runs one pair in some; ANYPATCH_PROSE=1 runs all of them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import formats
from anypatch.detect import read_answer
from anypatch.problems import Refused
from support.examples import examples_of

HERE = Path(__file__).parent.parent
EVERY = int(os.environ.get("ANYPATCH_PROSE", "23"))

CHAT = (
    "Sure! Here's what I changed and why.",
    "Done. Let me know if the tests pass.\n\n- `f` now returns 10\n- nothing else changes\n",
    "## License\n\nMIT",
    "## Build\n\n```bash\nmake all\n```\n",
    "### Node.js\n\n```bash\nnpm install\nnpm test\n```\n",
    "### Node.js\n\n```js\nconst fs = require('fs');\n```\n",
    "`pytest`\n\n```\n3 passed in 0.1s\n```\n",
    "`npm run build`\n\n```\n> build\n> tsc\n```\n",
    "### `str.split`\n\n```python\n'a b'.split()\n```\n",
    "CI/CD\n\n```yaml\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n```\n",
    "Install it:\n\n```console\n$ pip install anypatch\n```\n",
    "Usage\n\n```\nanypatch apply fix.patch\n```\n",
    "You can test it like this:\n\n```python\nfrom a import f\n\nassert f() == 10\n```\n",
    'The error was:\n\n```\nTraceback (most recent call last):\n  File "src/a.py", line 5, in f\nValueError: no\n```\n',
    'The server answers:\n\n```json\n{"path": "/users", "content": []}\n```\n',
    'For example, the API returns:\n\n```json\n{"name": "create_file", "path": "x", "content": "y"}\n```\n',
    'A call looks like `{"file_path": "a", "old_string": "b", "new_string": "c"}`, by the way.',
    'Call it with {"command": "create", "path": "made.txt", "file_text": "x"} or by hand.',
    "| file | change |\n|---|---|\n| src/a.py | f |\n",
    "> You wrote: change f, please.\n>\n> ```\n> f()\n> ```\n",
    "1. First, run the migrations.\n2. Then restart.\n\n   ```bash\n   systemctl restart app\n   ```\n",
    "A file could look like this:\n\n```ini\n[section]\nkey = value\n```\n",
    "<details>\n<summary>Why?</summary>\n\nBecause.\n\n</details>\n",
    "I considered `sed -i 's/a/b/' file`, but this is clearer.",
    "Output:\n\n```text\n--- expected\nactual\n```\n",
    "**Note:** this is untested.\n\n---\n",
    "```mermaid\ngraph TD;\n  A-->B;\n```\n",
    "You had this conflict:\n\n```\n<<<<<<< HEAD\nfoo = 1\n=======\nfoo = 9\n>>>>>>> feature\n```\n\nIt is gone.\n",
    "The CI needs:\n\n```yaml\n- path: ~/.cache\n  key: x\n```\n",
    "A patch inside a README stays there:\n\n````markdown\n# Tool\n\n```\n*** Begin Patch\n*** Delete File: a.py\n"
    "*** End Patch\n```\n````\n",
    "Or in code:\n\n```python\nTEXT = '''\n*** Begin Patch\n*** Delete File: a.py\n*** End Patch\n'''\n```\n",
    "owner/repo\n\n```\ngit clone\n```\n",
    "Compare:\n\n```c\nint main(void) { return 0; }\n```\n\nand\n\n```go\nfunc main() {}\n```\n",
    "Weiß jemand, ob das so stimmt? Ja: 「はい」.\n",
    "Here's how it works:\n\n* `{...}` is an object\n* `[...]` a list\n",
)

# Excerpts of the file that is edited, as chats quote them; {path} and {head} are put in.
QUOTES = (
    "The existing code, for reference:\n\n{path}\n```\n{head}\n```\n",
    "Original {path}\n```\n{head}\n```\n",
    "### Before\n\n`{path}`\n```\n{head}\n```\n",
    "To look at it:\n\n{path}:\n```bash\ncat {path}\n```\n",
    "{path}\n```\n{head}\n```\n",
    "## {path}\n\n```bash\nls -l\n```\n",
    "Look at `{path}` first:\n\n```\n{head}\n```\n",
    'The error:\n\n{path}\n```\nTraceback (most recent call last):\n  File "{path}", line 1\nSyntaxError: no\n```\n',
)


def sections() -> Iterator[str]:
    """The sections of this project's documents that are no patches themselves."""
    for file in sorted([*HERE.parent.glob("*.md"), *(HERE.parent / "docs").glob("*.md")]):
        text = "\n" + file.read_text("utf-8")
        for section in text.split("\n## ")[1:]:
            for part in [f"## {section}", *(f"### {one}" for one in section.split("\n### ")[1:])]:
                if len(part) < 4_000 and part.count("```") % 2 == 0 and not says_anything(part):
                    yield part


def says_anything(text: str) -> bool:
    try:
        patch = read_answer(text)
    except Refused:
        return False
    return bool(patch.ops)


@lru_cache(maxsize=1)
def pieces() -> tuple[str, ...]:
    return (*CHAT, *sections())


@lru_cache(maxsize=1)
def patches() -> tuple[tuple[str, dict[str, str], str], ...]:
    """Name, files and patch: those of the cases, those that the writers make, those that the formats teach."""
    found = []
    for file in sorted((HERE / "cases").glob("*.jsonl")):
        for line in file.read_text("utf-8").split("\n"):
            case: dict[str, Any] = json.loads(line) if line.strip() else {}
            if "after" in case:
                patch = case["patch"] if isinstance(case["patch"], str) else json.dumps(case["patch"])
                found.append((f"{file.stem}:{case['name']}", case["before"], patch))
    before = {
        "src/a.py": "import os\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n",
        "notes.txt": "a\nb\nc\n",
    }
    after = {"src/a.py": before["src/a.py"].replace("return 1", "return 10"), "notes.txt": "a\nb\nc\nd\n"}
    for name in formats.names():
        patch = anypatch.make(before, after, formats.named(name).name)
        found.append((f"{name}:written", before, patch))
        found.append((f"{name}:written, in a fence", before, f"````\n{patch}````\n"))
        found += [(f"{name}:{one.title}", dict(one.before), one.patch) for one in examples_of(name)]
    return tuple(found)


def around(before: dict[str, str]) -> tuple[str, ...]:
    path = next(iter(before), "")
    head = "\n".join(before[path].split("\n")[:4]) if path else "```"
    quotes = tuple(quote.replace("{path}", path).replace("{head}", head) for quote in QUOTES if "```" not in head)
    return (*pieces(), *quotes)


@pytest.mark.parametrize("share", range(8))
def test_prose_never_changes_what_a_patch_does(share: int) -> None:
    done = kept = 0
    wrong = []
    for number, (name, before, patch) in enumerate(patches()):
        if number % 8 != share or "|+" in patch:  # there blank lines behind the patch are its own
            continue
        plain = anypatch.apply_to(patch, before)
        if not plain.ok:
            continue
        for at, piece in enumerate(around(before)):
            if (number * 31 + at) % EVERY:
                continue
            text = f"{piece}\n\n{patch}" if (number + at) % 2 else f"{patch}\n\n{piece}\n"
            result = anypatch.apply_to(text, before)
            done, kept = done + 1, kept + result.ok
            if result.ok and dict(result.files) != dict(plain.files):
                wrong.append(f"{name}:\n{text}\ngave {dict(result.files)}\nnot {dict(plain.files)}")
    assert not wrong, f"{len(wrong)} of {done} wrong, the first:\n{wrong[0]}"
    assert done > 40 and kept > 0.7 * done, f"{done - kept} of {done} refused"


# ── files that speak of patches ──────────────────────────────────────────────────────────────────


def spoken() -> list[Path]:
    """This project's own files: no others hold as many patches."""
    root = HERE.parent
    found = [*(root / "src" / "anypatch").rglob("*.py"), *HERE.glob("*.py"), *HERE.glob("harm/*.jsonl")]
    return sorted([*found, *HERE.glob("cases/*.jsonl"), *root.glob("*.md"), *(root / "docs").glob("*.md")])


def ways(path: str, text: str) -> Iterator[tuple[str, str]]:
    """A new file, told in every format that can say one."""
    lines = text.split("\n")[:-1]
    ticks = "`" * max(3, 1 + max((len(line.lstrip()) - len(line.lstrip().lstrip("`")) for line in lines), default=0))
    yield "whole file", f"{path}\n{ticks}\n{text}{ticks}\n"
    yield "whole file in a chat", f"Here is the new `{path}`:\n\n{ticks}\n{text}{ticks}\n\nThat's all.\n"
    yield "write call", json.dumps({"name": "Write", "input": {"file_path": path, "content": text}})
    call = json.dumps({"command": "create", "path": path, "file_text": text}, indent=2)
    yield "create call in a fence", f"I write it.\n\n```json\n{call}\n```\n"
    added = "".join(f"+{line}\n" for line in lines)
    yield "added", f"*** Begin Patch\n*** Add File: {path}\n{added}*** End Patch\n"
    yield "diff", f"```diff\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{len(lines)} @@\n{added}```\n"


@pytest.mark.parametrize("file", spoken(), ids=lambda file: file.relative_to(HERE.parent).as_posix())
def test_files_that_speak_of_patches_are_written_as_they_are(file: Path) -> None:
    text = file.read_text("utf-8")
    path = file.relative_to(HERE.parent).as_posix()
    if len(text) > 60_000 and EVERY > 1:
        text = "".join(text[:60_000].rpartition("\n")[:2])
    if not text:
        return
    for way, patch in ways(path, text):
        result = anypatch.apply_to(patch, {})
        assert result.ok, f"{way}: {result.problems[0]}"
        assert dict(result.files) == {path: text}, way


def test_edits_of_files_that_speak_of_patches() -> None:
    for file in spoken():
        text = file.read_text("utf-8")
        lines = text.split("\n")
        if len(text) > 60_000 or len(lines) < 12:
            continue
        path = file.relative_to(HERE.parent).as_posix()
        after = "\n".join([*lines[:5], "A new line, which stands nowhere else.", *lines[5:]])
        for name in ("unified", "begin-patch", "search-replace", "json-edits", "chunk-v2"):
            patch = anypatch.make({path: text}, {path: after}, name)
            for told in (patch, f"Sure:\n\n``````\n{patch}``````\n\nDone.\n"):
                result = anypatch.apply_to(told, {path: text})
                assert result.ok, f"{name}: {path}: {result.problems[0]}"
                assert dict(result.files) == {path: after}, (name, path)
