"""Corrections of refusals: what is offered fits where it says, and makes the intended change; else nothing is offered."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch import api, repair
from anypatch.pipeline import ApplyOptions, read_and_apply
from anypatch.problems import Correction, Problem
from anypatch.repair import corrected_patch
from anypatch.report.json import as_json
from anypatch.report.models import for_model
from anypatch.report.people import for_people
from anypatch.tree import MemoryTree
from support import mistakes
from support.program import anypatch as command
from support.sources import sources

TWINS = (
    "import os\n\ndef f(x):\n    y = compute(x, 1)\n    return y\n\ndef g(x):\n    y = compute(x, 1)\n    return y\n"
)
ONCE = TWINS.split("def g", maxsplit=1)[0]
OLD, NEW = "    y = compute(x, 1)", "    y = compute(x, 7)"


def update(old: str, new: str, header: str = "") -> str:
    body = "".join(f"{tag}{line}\n" for tag, text in (("-", old), ("+", new)) for line in text.split("\n"))
    return f"*** Begin Patch\n*** Update File: a.py\n@@{header}\n{body}*** End Patch\n"


def block(old: str, new: str, path: str = "a.py") -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def call(old: str, new: str, path: str = "a.py") -> str:
    return json.dumps({"file_path": path, "old_string": old, "new_string": new})


WRITTEN = {
    "begin-patch": update(OLD, NEW),
    "chunk": "operations:\n  - path: a.py\n    op: replace_text\n"
    f"    marker: {OLD.strip()}\n    payload: {NEW.strip()}\n",
    "chunk-v2": f"=== file: a.py ===\n--- replace-text\n{OLD}\n---\n{NEW}\n=END=\n",
    "json-edits": call("compute(x, 1)", "compute(x, 7)"),
    "search-replace": block(OLD, NEW),
    "unified": f"--- a/a.py\n+++ b/a.py\n@@ -90 +90 @@\n-{OLD}\n+{NEW}\n",
}


def first(patch: str, files: dict[str, str]) -> Problem:
    report = anypatch.apply_to(patch, files)
    assert not report.ok
    return report.problems[0]


def taken(patch: str, there: str, path: str = "a.py") -> str | None:
    """The file after the one correction that is offered; None if there is none."""
    corrected = first(patch, {path: there}).corrected
    if not corrected:
        return None
    (one,) = corrected
    made = anypatch.apply_to(one.text, {path: there})
    assert made.ok, one.text
    return str(made.files[path])


# ── a near miss ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", WRITTEN)
def test_a_near_miss_gets_the_files_own_lines(name: str) -> None:
    there = ONCE.replace("compute(x, 1)", "compute(x, 12)")
    patch = WRITTEN[name] if name != "json-edits" else call(OLD, NEW)
    assert taken(patch, there) == there.replace("compute(x, 12)", "compute(x, 7)")


@pytest.mark.parametrize(
    ("old", "new", "there", "after"),
    [
        # Misspelt lines that stay: the file's spelling stays, too.
        ("start(1)\nmiddel(2)\nend(3)", "start(1)\nmiddel(2)\nend(4)", "start(1)\nmiddle(2)\nend(3)\n", "start(1)\nmiddle(2)\nend(4)\n"),
        ("class A(B):", "import c\nclass A(B):", "class A(D):\n    x = 1\n", "import c\nclass A(D):\n    x = 1\n"),
        # Misspelt lines that go.
        ("import oss\nimport re", "import re", "import os\nimport re\nx = 1\n", "import re\nx = 1\n"),
        # Lines that another version of the file had, has, or has otherwise.
        ("a(1)\nlegacy()\nb(2)", "a(1)\nlegacy()\nb(3)", "a(1)\nb(2)\n", "a(1)\nb(3)\n"),
        ("a(1)\nb(2)\nc(3)", "a(1)\nb(2)\nc(4)", "a(1)\nnews()\nb(2)\nc(3)\n", "a(1)\nnews()\nb(2)\nc(4)\n"),
        ("a(1)\nwords\nb(2)\nc(3)", "a(1)\nwords\nb(2)\nc(4)", "a(1)\nsomething(else)\nb(2)\nc(3)\n", "a(1)\nsomething(else)\nb(2)\nc(4)\n"),
        # Indentation that no one rule explains; lines whose own is shown.
        ("  if a:\n      b(1)\n  c(2)", "  if a:\n      b(3)\n  c(2)", "if a:\n  b(1)\nc(2)\n", "if a:\n  b(3)\nc(2)\n"),
        # Blank lines don't count.
        ("start(1)\n\nmiddel(2)\nend(3)", "start(1)\n\nmiddel(2)\nend(4)", "start(1)\nmiddle(2)\nend(3)\n", "start(1)\nmiddle(2)\nend(4)\n"),
        ("a(1)\nb(2)\nends(3)", "a(1)\nb(2)\nnew()\nends(3)", "a(1)\n\nb(2)\nend(3)\n", "a(1)\n\nb(2)\nnew()\nend(3)\n"),
    ],
)  # fmt: skip
def test_lines_that_differ_in_one_way_are_corrected(old: str, new: str, there: str, after: str) -> None:
    assert taken(block(old, new, "a.txt"), there, "a.txt") == after


def test_new_lines_take_the_indentation_of_the_file() -> None:
    there = "class A:\n        def f(self):\n                return compute(9)\n"
    patch = block("def f(self):\n    return compute(8)", "def f(self):\n    return compute(5)")
    assert taken(patch, there) == there.replace("9", "5")


@pytest.mark.parametrize(
    ("patch", "there", "why"),
    [
        (update(OLD.replace("1", "2"), NEW), TWINS, "two regions are as near"),
        (call('retries = 1\nname = "c"', 'retries = 9\nname = "c"'),
         '[[job]]\nretries = 3\nname = "a"\n\n[[job]]\nretries = 3\nname = "b"\n', "two regions are as near"),
        (update("    total = sum(items)", "    total = 0"), TWINS, "nothing is like it"),
        (update(OLD, NEW, " def f(x):"), TWINS.replace(OLD, "    pass", 1), "it is under another header"),
        (block("a(1)\nb(2)", "a(1)\nnew()\nb(2)"), "a(1)\nc(3)\nb(2)\n", "above or below the line that was left out?"),
        (block("a(1)\nb(2)\nc(3)", "c(3)"), "a(1)\nd(4)\nb(2)\nc(3)\n", "does the line between those that go stay?"),
        (block("a(1)\ngone()\nc(3)\nd(4)", "a(1)\nd(4)"), "a(1)\nc(3)\nd(4)\n", "a line to be removed is missing"),
        (block("b(2)\na(1)\nc(3)", "b(2)\na(1)\nnew()\nc(3)"), "a(1)\nb(2)\nc(3)\n", "two lines are in another order"),
        (block("aa(1)\nb(2)\nlegacy()\nc(3)\nd(4)", "aa(1)\nb(2)\nlegacy()\nc(3)\nd(5)"), "a(1)\nb(2)\nc(3)\nd(4)\n", "they differ in two ways"),
        (block("x = nmae(1)\ny = 2", "x = nmae(5)\ny = 2"), "x = name(1)\ny = 2\n", "the new line has the mistake, too"),
        (block("def add(self, price):\n    pass", "def add(self, price):\n    keep(price)"), "def add(self, cents):\n    pass\n",
         "a new line has the name that the file hasn't"),
        (block("total = sum(items)\nend()", "total = sum(prices)\nend()"), "total = sum(items, tax)\nend()\n", "the tax would be lost"),
        (block('pr = ("pulll/%s", "#")\nend()', 'pr = ("pulll/%s", "#")\nghsa = ("ghsa/%s", "#")\nend()'),
         'pr = ("pull/%s", "#")\nghsa = ("ghsa/%s", "#")\nend()\n', "the new line exists already"),
        (block("say(“hi”)\nstops(1)", "say(“ho”)\nstops(1)"), 'say("hi")\nstop(1)\n', "typographic quotes would be written"),
        (block("sai(“hi”)\nstop(1)", "sai(“hi”)\nsay(“ho”)\nstop(1)"), 'say("hi")\nstop(1)\n', "typographic quotes would be written"),
        (block("a(1)\nlegacy()\nb(2)", "a(1)\nlegacy()\nnew()\nb(2)"), "a(1)\nb(2)\n", "next to a line that is missing"),
        (block('say(\\"a\\")\nstops(1)', 'say(\\"a\\", \\"b\\")\nstops(1)'), 'say("a")\nstop(1)\n', "backslashes would be written"),
        (block("a()\nb(1)\n", "a()\nc()\nb(1)\n") * 2, "a()\nb(1)\nb(12)\n", "it is done already"),
        (block("x = 1\n", "") * 2, "x = 1\ny\nx = 12\n", "an earlier block says the same"),
        (block("call(one)", "call(three)"), "call(three)\ncall(one1)\n", "the result exists already"),
        (block("a(1)\nold()\nb(2)\nlegacy()\nc(3)", "a(1)\nold()\nb(2)\nlegacy()\nc(4)"), "a(1)\nb(2)\nc(3)\n", "two differences"),
        (block("x(0)\nb(2)\na(1)", "x(0)\nb(2)\na(1)\nnew()"), "x(0)\na(1)\nb(2)\n", "below the one or the other?"),
        (block("if a:\n    go(b)", "if a:\n    x = 1\n    go(x)"), "if a:\n    x = 1\n    go(b)\n", "a new line exists already"),
        (block("a(1)\nfirst(thing)\nc(3)", "a(1)\nnew\nc(3)"), "a(1)\nsome = other\nc(3)\n", "another line would go"),
        (block("start(1)\nendd(2)", "start(1)\n  deep(3)\nendd(2)"), "    start(1)\n    end(2)\n", "how deep is a step?"),
        (block("a(1)\n...\nzz(26)", "a(2)\n...\nzz(26)"), "a(1)\nb(2)\nc(3)\nz(26)\n", "a part of a text with a gap"),
        (block("\n".join(f"lime({n})" for n in range(10)), "x"), "".join(f"line({n})\n" for n in range(10)), "all lines differ"),
        ("--- a/a.py\n+++ b/a.py\n@@ ... @@\n-import os\n+import sys\n@@ ... @@\n-import oss\n+import re\n",
         "import os\nx = 1\n", "another hunk changes that line"),
        (block("completely_different_line(1)", "x = 1"), "y = 2\n", "the file is another one"),
    ],
)  # fmt: skip
def test_nothing_is_offered_where_it_might_be_wrong(patch: str, there: str, why: str) -> None:
    files = {"a.py": there, "b/c.py": "completely_different_line(1)\n"}
    assert not [one for problem in anypatch.apply_to(patch, files).problems for one in problem.corrected], why


def test_an_inline_text_that_is_a_part_of_a_line_is_not_taken_for_the_line() -> None:
    there = 'say("one", 1)\nsay("two", 22)  # and more\n'
    assert taken(call('say("oen", 1)\nsay("two", 22)', 'say("oen", 1)\nsay("three", 22)'), there) is None


# ── an ambiguity ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", WRITTEN)
def test_each_place_of_an_ambiguity_gets_a_block(name: str) -> None:
    problem = first(WRITTEN[name], {"a.py": TWINS})
    assert problem.kind == "ambiguous"
    assert [one.line for one in problem.corrected] == [4, 8]
    for row, one in zip((3, 7), problem.corrected, strict=True):
        made = anypatch.apply_to(one.text, {"a.py": TWINS})
        lines = TWINS.split("\n")
        lines[row] = NEW
        assert made.files["a.py"] == "\n".join(lines)
        assert made.plan.patch.format == name


def test_each_place_gets_a_block_or_none_does() -> None:
    def many(count: int) -> str:
        return "".join(f"def f{n}(x):\n{OLD}\n    return y\n\n" for n in range(count))

    assert len(first(WRITTEN["begin-patch"], {"a.py": many(8)}).corrected) == 8
    assert not first(WRITTEN["begin-patch"], {"a.py": many(9)}).corrected, "some of them would be a choice"
    twice = "a = f(1) + f(1)\nb = f(1)\n"
    assert len(first(call("f(1)", "f(2)"), {"a.py": twice}).corrected) == 3, "two of the places are on one line"


def test_as_many_lines_are_added_as_make_a_place_unique() -> None:
    there = "".join(f"def {name}(x):\n    a(1)\n    b(2)\n{OLD}\n    c(3)\n    return y\n\n" for name in "fg")
    for one, name in zip(first(block(OLD, NEW), {"a.py": there}).corrected, "fg", strict=True):
        assert f"def {name}(x):" in one.text, one.text
        assert taken_from(one, there).count(NEW) == 1


def taken_from(one: Correction, there: str) -> str:
    return str(anypatch.apply_to(one.text, {"a.py": there}).files["a.py"])


# ── a path ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["lib/cart.py", "shop/crat.py", "shop/cart.pyx", "core/shop/cart.py", "Shop/cart.py"])
def test_a_path_that_is_nearly_right_gets_the_edit_with_the_right_one(path: str) -> None:
    """CHUNK's own rules take no path for another; the refusal shows the edit for the file that has its old lines."""
    files = {"shop/cart.py": "total_price = compute(items)\n", "shop/tax.py": "rate = 19\n", "cart.py": "x = 1\n"}
    patch = f"=== file: {path} ===\n--- replace-text\ntotal_price = compute(items)\n---\ntotal_price = 0\n=END=\n"
    problem = first(patch, files)
    assert problem.kind == "file_missing"
    assert [one.text for one in problem.corrected] == [patch.replace(path, "shop/cart.py")]


def test_of_several_files_that_end_so_only_one_may_take_the_edit() -> None:
    patch = update("x = 1", "x = 2")
    assert [one.text for one in first(patch, {"one/a.py": "x = 1\n", "two/a.py": "z = 9\n"}).corrected] == [
        patch.replace("a.py", "one/a.py")
    ]
    assert not first(patch, {"one/a.py": "x = 1\n", "two/a.py": "x = 1\n"}).corrected


def test_all_edits_of_a_missing_file_are_for_one_file() -> None:
    edits = [("import io\n\nimport a", "import a"), ("open_readme_file(1)", "open_readme_file(2)")]
    patch = "".join(
        f"=== file: core/setup.py ===\n--- replace-text\n{old}\n---\n{new}\n=END=\n\n" for old, new in edits
    )
    top = "import io\n\nimport a\n"
    files = {"setup.py": f"{top}open_readme_file(1)\n", "one/setup.py": top, "two/setup.py": top}
    problems = anypatch.apply_to(patch, files).problems
    assert [one.text.split(" ===")[0] for problem in problems for one in problem.corrected] == [
        "=== file: setup.py"
    ] * 2


def test_no_other_path_is_offered_for_a_file_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    patch, files = WRITTEN["search-replace"], {"a.py": TWINS, "lib/a.py": ONCE, "b.py": ONCE}
    assert first(patch, files).corrected
    monkeypatch.setattr(repair, "_LARGEST", 20)
    assert not first(patch, files).corrected, "a file that is too large isn't missing"


def test_a_namesake_is_offered_to_be_edited_but_not_to_be_deleted_or_moved() -> None:
    for deed in ("*** Delete File: A.py\n", "*** Update File: A.py\n*** Move to: b.py\n"):
        assert not first(f"*** Begin Patch\n{deed}*** End Patch\n", {"a.py": "x = 1\n"}).corrected


# ── proof ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("old", "why"), [("nowhere\n", "has no place"), ("import os\n", "changes other lines")])
def test_what_is_not_proven_is_not_offered(old: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = block("    y = compute(x, 21)", NEW)
    assert first(patch, {"a.py": ONCE}).corrected
    monkeypatch.setattr(repair, "_rewritten", lambda case, *region: case.hunk._replace(old=old))
    assert not first(patch, {"a.py": ONCE}).corrected, why


@pytest.mark.parametrize("share", range(3))
def test_a_block_sent_in_the_place_of_what_failed_makes_what_was_meant(share: int) -> None:
    """Real files, changed, told in every format with every mistake of `SLIPS`; `bench/corrections.py` runs many more."""
    rng = random.Random(100 + share)
    files = [source for source in sources() if len(source[1]) < 20_000]
    shown: list[mistakes.Shown] = []
    while len(shown) < 20:  # the files are those of the Python that runs this: not every change has blocks to show
        change = mistakes.make_change(*rng.choice(files), rng)
        shown += [one for one in mistakes.corrected(change, rng) if one is not None] if change else []
    wrong = [one for one in shown if not one.right]
    assert not [one for one in wrong if one.spoil in mistakes.SINGLE]
    assert len(wrong) <= 0.03 * len(shown), wrong  # several mistakes at once, of which one may not be seen


# ── in its patch ─────────────────────────────────────────────────────────────────────────────────


def test_after_a_part_is_applied_the_block_fits_the_result() -> None:
    more = "import os\nimport re\nimport sys"
    patch = block("import os", more) + "\n" + block("    y = compute(x, 21)", NEW)
    made = anypatch.apply_to(patch, {"a.py": ONCE}, partial=True)
    assert made.partial
    (problem,) = made.problems
    assert problem.corrected[0].line == 6
    done = anypatch.apply_to(problem.corrected[0].text, made.files)
    assert done.files["a.py"] == ONCE.replace("import os", more).replace(OLD, NEW)


def test_the_line_of_a_block_is_that_of_the_file_as_it_is() -> None:
    patch = block("import os", "import os\nimport re\nimport sys") + "\n" + block("    y = compute(x, 21)", NEW)
    (problem,) = anypatch.apply_to(patch, {"a.py": ONCE}).problems
    assert [one.line for one in problem.corrected] == [4]


def test_a_correction_takes_the_place_of_its_hunk_among_the_others() -> None:
    hunks = [("import os", "import sys"), ("    y = compute(x, 21)", NEW), ("    return y", "    return -y")]
    patch = "--- a/a.py\n+++ b/a.py\n" + "".join(f"@@ ... @@\n-{old}\n+{new}\n" for old, new in hunks)
    report = anypatch.apply_to(patch, {"a.py": ONCE})
    assert len(report.problems) == 1
    fixed = corrected_patch(report, [0])
    assert fixed is not None
    made = api.Parsed(patch, fixed).plan({"a.py": ONCE})
    assert made.files["a.py"] == "import sys\n\ndef f(x):\n    y = compute(x, 7)\n    return -y\n\n"
    assert corrected_patch(report, [1]) is None, "there is only one"


def test_a_file_that_the_patch_moves_is_corrected_under_its_new_name() -> None:
    move = {"name": "move_file", "arguments": {"source": "a.py", "destination": "b.py"}}
    patch = json.dumps([move, json.loads(call("    y = compute(x, 21)", NEW, "b.py"))])
    report = anypatch.apply_to(patch, {"a.py": ONCE})
    fixed = corrected_patch(report, [0])
    assert report.kinds == ("not_found",) and fixed is not None
    assert api.Parsed(patch, fixed).plan({"a.py": ONCE}).files == {"b.py": ONCE.replace(OLD, NEW)}


# ── when somebody looks ──────────────────────────────────────────────────────────────────────────


def test_corrections_are_computed_when_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Problem] = []

    def corrections(problem: Problem, trial: repair.Trial) -> tuple[Correction, ...]:
        asked.append(problem)
        return ()

    monkeypatch.setattr(repair, "_corrections", corrections)
    report = anypatch.apply_to(block("    y = compute(x, 21)", NEW), {"a.py": ONCE})
    assert report.kinds == ("not_found",) and not report.ok
    assert not asked
    assert report.problems and report.problems
    assert len(asked) == 1


def test_no_corrections_if_none_are_wished_for() -> None:
    patch = block("    y = compute(x, 21)", NEW)
    tree = MemoryTree({"a.py": ONCE})
    for wished in (True, False):
        report = read_and_apply(patch, tree, ApplyOptions(corrections=wished), "")
        assert bool(report.problems[0].corrected) is wished


def test_the_files_are_those_that_were_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ONCE)
    report = anypatch.preview(block("    y = compute(x, 21)", NEW), tmp_path)
    (tmp_path / "a.py").unlink()
    assert OLD in report.problems[0].corrected[0].text


def test_the_first_problems_of_many_get_corrections() -> None:
    patch = "--- a/a.py\n+++ b/a.py\n" + "".join(f"@@ ... @@\n-line({n}, {n})\n+x{n}\n" for n in range(30))
    there = "".join(f"line({n}, one)\n" for n in range(30))
    problems = anypatch.apply_to(patch, {"a.py": there}).problems
    assert [bool(problem.corrected) for problem in problems] == [True] * 20 + [False] * 10


# ── in reports ───────────────────────────────────────────────────────────────────────────────────


def test_reports_show_the_blocks() -> None:
    report = anypatch.apply_to(WRITTEN["search-replace"], {"a.py": TWINS})
    told = for_model(report)
    assert "this fits at line 8" in told
    assert all(f"```\n{one.text}```" in told for one in report.problems[0].corrected)
    assert {"hint: Pick one: 1 or 2.", "  correction 1, at line 4:", "  correction 2, at line 8:"} <= set(
        for_people(report)
    )
    problems: Any = as_json(report)["problems"]
    assert problems[0]["corrected"] == [{"line": one.line, "text": one.text} for one in report.problems[0].corrected]


def test_a_block_is_shown_whole_or_not_at_all() -> None:
    report = anypatch.apply_to(WRITTEN["search-replace"], {"a.py": TWINS})
    blocks = [f"```\n{one.text}```" for one in report.problems[0].corrected]
    seen = set()
    for bound in range(1, 60):
        told = for_model(report, bound)
        assert len(told.split("\n")) <= bound
        seen.add(tuple(whole in told for whole in blocks))
        assert told.count("```") == 2 * sum(whole in told for whole in blocks)
    assert seen == {(False, False), (True, False), (True, True)}


def test_a_call_on_one_long_line_is_shown_to_a_model() -> None:
    old = "\n".join(f"value_{n} = compute_something({n})" for n in range(40))
    patch = call(old.replace("value_3 ", "valeu_3 "), old.replace("value_3 ", "valeu_3 ").replace("(39)", "(0)"))
    report = anypatch.apply_to(patch, {"a.py": old + "\n"})
    (one,) = report.problems[0].corrected
    assert len(one.text) > 1000
    assert one.text in report.for_model()


# ── on the command line ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text(TWINS)
    return tmp_path


def test_a_correction_is_chosen_by_its_number(tree: Path) -> None:
    refused = command("apply", "--fix", cwd=tree, stdin=WRITTEN["search-replace"])
    told = refused.stderr.decode()
    assert refused.returncode == 1 and (tree / "a.py").read_text() == TWINS, "two fit: none is chosen"
    assert "  correction 1, at line 4:\n" in told and "  correction 2, at line 8:\n" in told
    assert "hint: Pick one: 1 or 2. --fix=N takes the one with that number.\n" in told
    assert command("apply", "--fix=3", cwd=tree, stdin=WRITTEN["search-replace"]).returncode == 2
    assert command("apply", "--fix=1,2", cwd=tree, stdin=WRITTEN["search-replace"]).returncode == 1
    done = command("apply", "--fix=2", cwd=tree, stdin=WRITTEN["search-replace"])
    assert done.returncode == 0, done.stderr
    assert (tree / "a.py").read_text() == NEW.join(TWINS.rsplit(OLD, 1))


def test_the_numbers_run_through_the_report(tree: Path) -> None:
    patch = block(OLD, NEW) + "\n" + block("import oss", "import re") + "\n" + block("    return y", "    return -y")
    told = command("apply", cwd=tree, stdin=patch).stderr.decode()
    assert [f"  correction {n}, at line " in told for n in range(1, 7)] == [True] * 5 + [False]
    assert "--fix does that" in told, "there is only one correction for the import"
    assert command("apply", "--fix=1", cwd=tree, stdin=patch).returncode == 1
    assert (tree / "a.py").read_text() == TWINS, "nothing is chosen for the other"
    done = command("apply", "--fix=1,5", cwd=tree, stdin=patch)
    assert done.returncode == 0, done.stderr
    assert (tree / "a.py").read_text() == (
        "import re\n\ndef f(x):\n    y = compute(x, 7)\n    return y\n\n"
        "def g(x):\n    y = compute(x, 1)\n    return -y\n"
    )


@pytest.mark.parametrize("value", ["", "x", "0", "1,"])
def test_a_number_is_a_number(tree: Path, value: str) -> None:
    done = command("apply", f"--fix={value}", cwd=tree, stdin=WRITTEN["search-replace"])
    assert done.returncode == 2 and (tree / "a.py").read_text() == TWINS
