"""Reports for people, for models and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.program import anypatch
from support.trees import AFTER, BEFORE, DIFF, MISSING, PATCH, contents


def test_the_hint_to_undo_can_be_typed(root: Path) -> None:
    odd = root.rename(root.parent / "it's a tree")
    line = anypatch("apply", f"--root={odd}", stdin=PATCH).stdout.decode().split("\n")[-2]
    command = line.partition(": anypatch ")[2]
    subprocess.run(["sh", "-c", f"{sys.executable} -m anypatch {command}"], check=True, capture_output=True)
    assert contents(odd) == BEFORE


def test_a_refusal_goes_to_standard_error_and_is_true(root: Path) -> None:
    for command, quiet in (("apply", []), ("check", []), ("apply", ["--quiet"])):
        done = anypatch(command, "--root", str(root), *quiet, stdin=MISSING)
        told = done.stderr.decode()
        assert (done.returncode, done.stdout) == (1, b"")
        assert told.startswith("error: ") and "src/a.py" in told
        assert told.splitlines()[-1].startswith("refused, nothing was changed")
        assert contents(root) == BEFORE


def test_the_report_for_a_model_is_the_result(root: Path) -> None:
    where = ["--root", str(root), "--for-model"]
    missing = PATCH.replace("      return 1", "      def f():\n          return 3")
    refused = anypatch("apply", *where, stdin=missing)
    lines = refused.stdout.decode().split("\n")
    assert (refused.returncode, refused.stderr) == (1, b"")
    assert lines[0] == "Refused, nothing was changed."
    assert lines[1].startswith("Edits 2, 3 fit")
    assert lines[2].startswith("1. not_found: ")
    assert " > 2 |     return 1" in lines
    short = anypatch("apply", *where, "--max-report-lines", "3", stdin=missing)
    assert short.stdout.count(b"\n") == 3
    value = json.loads(anypatch("check", *where, "--json", stdin=missing).stdout)
    assert value["for_model"] == refused.stdout.decode().rstrip("\n")
    assert value["problems"][0]["difference"] == {"line": 2, "file": "    return 1", "patch": "    return 3"}
    unread = anypatch("check", *where, stdin="no patch at all")
    assert (unread.returncode, unread.stderr) == (2, b"")
    assert unread.stdout.split(b"\n")[1].startswith(b"1. no_patch")
    assert anypatch("check", *where, stdin=PATCH).stdout.startswith(b"It fits; nothing was written.\n")
    assert contents(root) == BEFORE
    assert anypatch("apply", *where, stdin=PATCH).stdout.startswith(b"Applied; receipt ")


def test_people_can_bound_the_report(root: Path) -> None:
    refused = anypatch("apply", "--root", str(root), "--max-report-lines=2", stdin=MISSING)
    assert refused.stderr.count(b"\n") == 2
    assert refused.stderr.endswith(b"more lines left out\n")


def test_quiet_says_nothing(root: Path) -> None:
    done = anypatch("apply", "--quiet", "--root", str(root), stdin=PATCH)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert contents(root) == AFTER
    done = anypatch("undo", "-q", "--root", str(root))
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_json_of_each_command(root: Path) -> None:
    where = ["--root", str(root), "--json"]
    checked = json.loads(anypatch("check", *where, stdin=PATCH).stdout)
    assert (checked["ok"], checked["dry_run"], checked["receipt"]) == (True, True, None)
    applied = json.loads(anypatch("apply", *where, stdin=PATCH).stdout)
    assert (applied["ok"], applied["dry_run"], applied["format"]) == (True, False, "chunk")
    assert applied["description"] == "Say more"
    assert {(c["path"], c["action"], c["added"], c["removed"]) for c in applied["changes"]} == {
        ("src/a.py", "update", 2, 1), ("new.txt", "create", 1, 0), ("old.txt", "delete", 0, 1),
    }  # fmt: skip
    first = applied["operations"][0]
    assert (first["path"], first["start"], first["end"], first["ok"]) == ("src/a.py", 2, 2, True)
    log = json.loads(anypatch("log", *where).stdout)
    assert [receipt["id"] for receipt in log["receipts"]] == [applied["receipt"]]
    undone = json.loads(anypatch("undo", *where).stdout)
    assert undone["ok"] is True
    refused = anypatch("apply", *where, stdin=MISSING)
    value = json.loads(refused.stdout)
    assert (refused.returncode, refused.stderr, value["ok"]) == (1, b"", False)
    assert [(p["kind"], p["path"]) for p in value["problems"]] == [("not_found", "src/a.py")]
    explained = json.loads(anypatch("explain", *where, stdin=PATCH).stdout)
    assert max(explained["scores"], key=explained["scores"].get) == "chunk"
    assert explained["parsed"][0]["path"] == "src/a.py"


def test_odd_words_of_a_diff_are_told_only_if_asked_for(tree: Path) -> None:
    odd = f"{DIFF}@@ -1 +1 @@\n class Cart:\n"
    plain, told = (anypatch("check", *more, cwd=tree, stdin=odd).stdout.decode() for more in ([], ["-v"]))
    assert "changes nothing" not in plain and "changes nothing" in told and "replaced line 6" in told
