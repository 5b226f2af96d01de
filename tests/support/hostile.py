"""Hostile patches (paths that lead out, files that hang, numbers that overflow), and a tree to try them in."""

from __future__ import annotations

import json
import os
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

from anypatch import api
from anypatch.model import File, FileChange
from anypatch.problems import Refused

SECRET = b"the secret\nsecond\n"
LONG = "n" * 300

# Paths that may be neither written nor read.
FORBIDDEN = [
    "../outside/secret", "../../x", "a/../../outside/secret", "./../outside/secret", "..", ".", "/",
    "/etc/passwd", "{top}/outside/secret", "{top}/root-evil/secret", "{top}/root/../outside/secret",
    "../root-evil/secret", "~/x", "..\\outside\\secret", "C:\\x", "C:/x", "\\\\host\\share",
    "link-out/secret", "link-file", "link-dangling", "link-dir/new/deep", "link-abs", "sub/link-up/secret", "loop",
    "link-to-link/secret", "link-git", "link-hooks/post-checkout",
    ".git/config", ".git/hooks/pre-commit", ".GIT/config", ".Git/hooks/x", ".git./config", ".git /config",
    "sub/.git/config", ".g\u200cit/config", "git~1/config", ".git::$INDEX_ALLOCATION/config", ".hg/hgrc", ".svn/x",
    ".jj/x", ".anypatch/lock", ".anypatch/tx/manifest", ".ANYPATCH/tx/manifest", ".anypatch-20261115-214403-3f2a-0",
    "pipe", "socket", "folder", "nul\0byte", f"{LONG}/x", "/".join("d" * 70), "x/" * 1900 + "y", "a\ud800",
]  # fmt: skip
# Names that may not be created; a file that has one may be edited.
NOT_NEW = ["new\nline", "esc\x1b[2J", "bidi\u202egnp.exe", "zero\u200bwidth", "tab\there", "del\x7f", "back\\slash"]
# Odd names; whatever happens stays inside the root.
ODD = [
    "-rf", "--help", "$(touch pwned)", "`touch pwned`", "; touch pwned", "a|b", "aux", "nul.txt", "a:b", "trail.",
    "trail ", " lead", "...", "..a", "a..", "CON", "é", "e\u0301", "*", "?", "%s%n", "{0}", "hard", "big", "a/b", "", "//host/share",
]  # fmt: skip
SAFE = "SAFE/NAME"
BEFORE = File(SECRET)
CHANGES = {
    "create": FileChange(SAFE, None, File(b"planted\n")),
    "edit": FileChange(SAFE, BEFORE, File(b"the secret\nplanted\n")),
    "delete": FileChange(SAFE, BEFORE, None),
}
# Patches that `render` can't write: files that move, and whole symbols. OLD and NEW are replaced by paths.
MOVES = {
    "begin-patch": "*** Begin Patch\n*** Update File: OLD\n*** Move to: NEW\n@@\n-second\n+planted\n*** End Patch\n",
    "unified": "diff --git a/OLD b/NEW\nsimilarity index 100%\nrename from OLD\nrename to NEW\n",
    "json-edits": '{"name": "move_file", "arguments": {"source": "OLD", "destination": "NEW"}}',
    "workspace-edit": '{"documentChanges": [{"kind": "rename", "oldUri": "OLD", "newUri": "NEW"}]}',
}
SYMBOL = '{"relative_path": "OLD", "name_path": "f", "op": "replace", "text": "planted"}'


def world(top: Path) -> Path:
    """Create a root with traps in it, and files outside that must stay as they are; return the root."""
    root = top / "root"
    for path in (
        "outside/secret",
        "root-evil/secret",
        "root/.git/config",
        "root/a",
        "root/sub/deep/a",
        "root/folder/f",
    ):
        place = top / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(SECRET)
    (root / ".git/hooks").mkdir()
    links = {
        "link-out": "../outside", "link-file": "../outside/secret", "link-dangling": "../outside/new",
        "link-dir": "../outside", "link-abs": f"{top}/outside/secret", "sub/link-up": "../../outside", "loop": "loop",
        "link-to-link": "link-out", "link-git": ".git/config", "link-hooks": ".git/hooks",
    }  # fmt: skip
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "pipe")
    here = os.getcwd()
    os.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
    os.chdir(here)
    os.link(top / "outside/secret", root / "hard")
    with (root / "big").open("wb") as file:
        file.truncate(8 << 30)
    return root


@cache
def harmless() -> dict[str, str]:
    """Return the changes of one path in every format that can express them."""
    patches = {}
    for format in api.formats():
        for name, change in CHANGES.items():
            with suppress(Refused):
                patches[f"{format.name} {name}"] = format.render((change,))
    return patches


def written(top: Path, path: str) -> dict[str, str]:
    """Return patches of a path in every format that can express them: harmless ones, with this path instead."""
    path = path.replace("{top}", str(top)) if path.startswith("{top}") else path
    patches = {}
    for name, text in harmless().items():
        spelled = json.dumps(path)[1:-1] if name.startswith("json-edits") else path
        patches[name] = text.replace(SAFE, spelled)
    for name, text in MOVES.items():
        spelled = json.dumps(path)[1:-1] if name in ("json-edits", "workspace-edit") else path
        patches[f"{name} move to"] = text.replace("OLD", "a").replace("NEW", spelled)
        patches[f"{name} move from"] = text.replace("NEW", "stolen").replace("OLD", spelled)
    patches["symbol-chunks whole"] = SYMBOL.replace("OLD", json.dumps(path)[1:-1])
    return patches


_PLANTED = "@@ -1,2 +1,2 @@\n the secret\n-second\n+planted\n"


def _git(header: str, body: str = _PLANTED) -> str:
    return f"diff --git a/a b/a\n{header}--- a/a\n+++ b/a\n{body}"


def _move(old: str, new: str, how: str = "rename") -> str:
    return f"diff --git a/{old} b/{new}\nsimilarity index 100%\n{how} from {old}\n{how} to {new}\n"


def _hunk(header: str) -> str:
    return f"--- a/a\n+++ b/a\n{header}\n the secret\n-second\n+planted\n"


_LINK = "diff --git a/evil b/evil\nnew file mode 120000\n--- /dev/null\n+++ b/evil\n@@ -0,0 +1 @@\n+../outside\n"
_BEGIN = "*** Begin Patch\n{}*** End Patch\n"

# Whole patches, each refused or harmless.
WHOLE = {
    "rename to outside": _move("a", "../outside/new"),
    "rename from outside": _move("../outside/secret", "stolen"),
    "copy from outside": _move("../outside/secret", "stolen", "copy"),
    "copy from .git": _move(".git/config", "stolen", "copy"),
    "rename into .git": _move("a", ".git/hooks/post-checkout"),
    "rename through link": _move("a", "link-out/new"),
    "move to outside": _BEGIN.format("*** Update File: a\n*** Move to: ../outside/new\n@@\n-second\n+planted\n"),
    "move to absolute": _BEGIN.format("*** Update File: a\n*** Move to: /tmp/planted\n@@\n-second\n+planted\n"),
    "patch makes a link, then writes": _LINK + "--- /dev/null\n+++ b/evil/secret\n@@ -0,0 +1 @@\n+planted\n",
    "patch renames a link, then writes": _move("link-out", "other") + _git("").replace("/a", "/other/secret"),
    "submodule": _git("old mode 100644\nnew mode 160000\n"),
    "link mode": _git("old mode 100644\nnew mode 120000\n"),
    "setuid": _git("old mode 100644\nnew mode 104755\n"),
    "folder mode": _git("old mode 100644\nnew mode 040000\n"),
    "ed script": "--- a/a\n+++ b/a\n1d\n!touch pwned\nw ../outside/new\nq\n",
    "ed script with header": "Index: a\n2c\nplanted\n.\nr !touch pwned\n",
    "hunk count overflow": _hunk("@@ -1,99999999999999999999 +1,99999999999999999999 @@"),
    "hunk line overflow": _hunk("@@ -18446744073709551615,2 +18446744073709551615,2 @@"),
    "hunk negative": _hunk("@@ --1,-2 +-1,-2 @@"),
    "hunk huge number": _hunk(f"@@ -{'9' * 5000},2 +1,2 @@"),
    "hunk underscore number": _hunk("@@ -1_000,2 +1,2 @@"),
    "hunk superscript number": _hunk("@@ -\u00b2,2 +1,2 @@"),
    "binary bomb": _git("index 1..2\n", "GIT binary patch\nliteral 99999999999\nzcmV" + "z" * 60 + "\n\n"),
    "quoted octal path": 'diff --git "a/\\056\\056/x" "b/\\056\\056/x"\n--- /dev/null\n+++ "b/\\056\\056/x"\n@@ -0,0 +1 @@\n+p\n',
    "timestamp path": "--- a\t../outside\n+++ ../outside/new\t2020\n@@ -0,0 +1 @@\n+planted\n",
    "add over existing": "diff --git a/a b/a\nnew file mode 100644\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+planted\n",
    "delete of a changed file": "--- a/a\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-quite\n-other\n",
    "file that is also a folder": _BEGIN.format("*** Add File: n\n+x\n*** Add File: n/below\n+x\n"),
    "file below a file": _BEGIN.format("*** Add File: a/below\n+x\n"),
    "case collision": _BEGIN.format("*** Add File: Dir/N\n+x\n*** Add File: dir/n\n+y\n"),
    "nfc nfd collision": _BEGIN.format("*** Add File: \u00e9x\n+x\n*** Add File: e\u0301x\n+y\n"),
    "empty": "",
    "prose only": "I have changed the file as you asked.\n",
    "truncated": _BEGIN.format("*** Update File: a\n@@\n-second")[:40],
    "nul in the patch": "*** Begin Patch\n*** Update File: a\0\n@@\n-second\n+x\n*** End Patch\n",
    "yaml bomb": "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\noperations: *b\n",
    "yaml deep": "operations: " + "[" * 100_000 + "\n",
    "yaml tag": "operations: !!python/object/apply:os.system ['touch pwned']\n",
    "json deep": "[" * 100_000,
    "json deep objects": '{"a":' * 50_000 + "1" + "}" * 50_000,
    "fences deep": "```markdown\n" * 50_000,
    "json big number": '{"file_path": "a", "edits": [{"line": 1' + "0" * 5000 + "}]}",
    "form feeds and separators": _BEGIN.format("*** Update File: a\n@@\n-second\n+one\x0ctwo\u2028three\x85four\n"),
    "journal": _BEGIN.format("*** Add File: .anypatch/tx/manifest\n+anypatch journal 2 00\n"),
    "one bad among good": _BEGIN.format("*** Update File: a\n@@\n-second\n+planted\n*** Add File: ../outside/n\n+x\n"),
}  # fmt: skip
