"""Corrected blocks: each one given out is read, fits where it says, and means what the failed part meant."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import anypatch
from anypatch import api
from anypatch.api import format_given
from anypatch.problems import Problem
from anypatch.report import for_model, for_people
from anypatch.report.json import as_json
from support import mistakes, spoilt
from support.cases import load
from support.sources import sources

TWINS = (
    "import os\n\ndef f(x):\n    y = compute(x, 1)\n    return y\n\ndef g(x):\n    y = compute(x, 1)\n    return y\n"
)
OLD, NEW = "    y = compute(x, 1)", "    y = compute(x, 7)"


def update(old: str, new: str, header: str = "") -> str:
    body = "".join(f"{tag}{line}\n" for tag, text in (("-", old), ("+", new)) for line in text.split("\n"))
    return f"*** Begin Patch\n*** Update File: a.py\n@@{header}\n{body}*** End Patch\n"


def block(old: str, new: str) -> str:
    return f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


WRITTEN = {
    "begin-patch": update(OLD, NEW),
    "chunk": "operations:\n  - path: a.py\n    op: replace_text\n"
    f"    marker: {OLD.strip()}\n    payload: {NEW.strip()}\n",
    "chunk-v2": f"=== file: a.py ===\n--- replace-text\n{OLD}\n---\n{NEW}\n=END=\n",
    "json-edits": '{"file_path": "a.py", "old_string": "compute(x, 1)", "new_string": "compute(x, 7)"}',
    "search-replace": block(OLD, NEW),
    "unified": f"--- a/a.py\n+++ b/a.py\n@@ -90 +90 @@\n-{OLD}\n+{NEW}\n",
}


def first(patch: str, files: dict[str, str]) -> Problem:
    report = anypatch.apply_to(patch, files)
    assert not report.ok
    return report.problems[0]


@pytest.mark.parametrize("name", WRITTEN)
def test_each_place_of_an_ambiguity_gets_a_block(name: str) -> None:
    problem = first(WRITTEN[name], {"a.py": TWINS})
    assert problem.kind == "ambiguous"
    assert [near.note for near in problem.near] == ["line 4, in `def f(x):`", "line 8, in `def g(x):`"]
    assert [one.line for one in problem.corrected] == [4, 8]
    for row, one in zip((3, 7), problem.corrected, strict=True):
        made = anypatch.apply_to(one.text, {"a.py": TWINS})
        lines = TWINS.split("\n")
        lines[row] = NEW
        assert made.files["a.py"] == "\n".join(lines)
        assert made.plan.patch.format == name


@pytest.mark.parametrize("name", WRITTEN)
def test_a_near_miss_gets_the_files_own_lines(name: str) -> None:
    there = TWINS.split("def g", maxsplit=1)[0].replace("compute(x, 1)", "compute(x, 12)")
    problem = first(WRITTEN[name], {"a.py": there})
    assert problem.kind == "not_found"
    if name == "json-edits":
        assert not problem.corrected, "a part of a line says too little"
        return
    made = anypatch.apply_to(problem.corrected[0].text, {"a.py": there})
    assert made.files["a.py"] == there.replace("compute(x, 12)", "compute(x, 7)")


def test_the_nearest_region_is_found_whatever_blank_lines_stand_in_it() -> None:
    """Each line tells where the first would stand; blank lines, which are passed over, must not make them disagree."""
    names = "abcdefgh"
    functions = [f"def {name}(x):\n\n    y = {name}(x)\n\n\n    return y" for name in names]
    other = [f"def {name}(x):\n    y = {name}(x)\n    return z" for name in names]
    text = "\n\n\n".join([*other, *functions]) + "\n"
    wanted = "\n\n\n".join(functions[1:6])
    old = wanted.replace("y = f(x)", "y = f(x, 1)")
    problem = first(block(old, old.replace("return y", "return 1")), {"a.py": text})
    assert (problem.kind, problem.near[0].line) == ("not_found", text[: text.index(wanted)].count("\n") + 1)


def test_no_correction_breaks_a_function_of_a_file_that_is_broken_elsewhere() -> None:
    there = TWINS.split("def g", maxsplit=1)[0].replace("compute(x, 1)", "compute(x, 12)") + "\nprint 'Python 2'\n"
    assert first(block(OLD, NEW), {"a.py": there}).corrected
    assert not first(block(OLD, NEW + ")"), {"a.py": there}).corrected


def test_a_wrong_case_is_mended() -> None:
    for path, right in (("A.py", "a.py"), ("Src/a.py", "src/a.py")):
        problem = first(f"*** Begin Patch\n*** Update File: {path}\n@@\n-x\n+y\n*** End Patch\n", {right: "x\n"})
        assert problem.kind == "file_missing"
        assert anypatch.apply_to(problem.corrected[0].text, {right: "x\n"}).files[right] == "y\n"


def test_of_several_files_that_end_so_the_one_that_takes_it() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    files = {"one/a.py": "x = 1\n", "two/a.py": "z = 9\n"}
    problem = first(patch, files)
    assert [one.text for one in problem.corrected] == [patch.replace("a.py", "one/a.py")]


def test_new_lines_take_the_indentation_of_the_file() -> None:
    there = "class A:\n        def f(self):\n                return compute(9)\n"
    problem = first(
        block("def f(self):\n    return compute(8)", "def f(self):\n    return compute(5)"), {"a.py": there}
    )
    made = anypatch.apply_to(problem.corrected[0].text, {"a.py": there})
    assert made.files["a.py"] == there.replace("9", "5")


@pytest.mark.parametrize(
    ("patch", "there", "why"),
    [
        (update(OLD.replace("1", "2"), NEW), TWINS, "two regions are as near"),
        (update(OLD, NEW, " def h(x):"), TWINS, "the header is gone, and two places fit"),
        (update(OLD, NEW, " def f(x):"), TWINS.replace(OLD, "    pass", 1), "it stands under another header"),
        (update("    total = sum(items)", "    total = 0"), TWINS, "nothing is like it"),
        (
            update("import os\nimport re", "import sys"),
            "import os\nimport io\nimport re\n",
            "lines between those that go",
        ),
        (block("a()\nb(1)\n", "a()\nc()\nb(1)\n") * 2, "a()\nb(1)\nb(12)\n", "it is done already"),
        (block("x = 1\n", "") * 2, "x = 1\ny\nx = 12\n", "an earlier block says the same"),
    ],
)
def test_what_is_in_doubt_is_not_corrected(patch: str, there: str, why: str) -> None:
    report = anypatch.apply_to(patch, {"a.py": there})
    assert not any(problem.corrected for problem in report.problems), why


def test_after_a_part_is_applied_the_block_fits_the_result() -> None:
    patch = block("import os", "import os\nimport re\nimport sys") + "\n" + block("    y = compute(x, 21)", NEW)
    there = TWINS.split("def g", maxsplit=1)[0]
    made = anypatch.apply_to(patch, {"a.py": there}, partial=True)
    assert made.partial
    (problem,) = made.problems
    assert problem.corrected[0].line == 6
    done = anypatch.apply_to(problem.corrected[0].text, made.files)
    assert done.files["a.py"] == there.replace("import os", "import os\nimport re\nimport sys").replace(OLD, NEW)


@pytest.mark.parametrize("case", load("cases"))
def test_every_block_of_every_case_fits(case: dict[str, Any]) -> None:
    made = anypatch.apply_to(case["patch"], case["before"], format=case["format"], partial=True)
    for problem in made.problems:
        for one in problem.corrected:
            done = anypatch.apply_to(one.text, made.files, format=case["format"])
            assert done.ok, one.text
            assert done.files != made.files


@pytest.mark.parametrize("share", range(4))
def test_on_real_files_a_part_is_right_and_blocks_mean_what_was_meant(share: int) -> None:
    """Whatever the mistake: what is applied in part is some of the right edits and nothing else."""
    rng = random.Random(share)
    parts = blocks = right = 0
    for path, text in [rng.choice(sources()) for _ in range(2)]:
        change = mistakes.make_change(path, text, rng)
        if change is None:
            continue
        wanted = {b"".join(data.split()) for data in subsets(change)}
        for case in mistakes.cases(change, rng):
            format = case.format if case.named else ""
            made = anypatch.apply_to(case.text, case.tree, format=format_given(format), partial=True)
            if not made.partial:
                continue
            parts += 1
            assert all(squeezed(data) in wanted for name, data in made.files.items() if data != case.tree.get(name)), (
                case
            )
            for problem in made.problems:
                for one in problem.corrected if problem.kind == "not_found" else ():
                    done = anypatch.apply_to(one.text, made.files, format=format_given(format))
                    assert done.ok
                    blocks += 1
                    right += all(
                        squeezed(data) in wanted for name, data in done.files.items() if data != case.tree.get(name)
                    )
    assert right >= 0.8 * blocks


@pytest.mark.parametrize("share", range(3))
def test_a_block_sent_in_the_place_of_what_failed_makes_what_was_meant(share: int) -> None:
    """Real files, changed, told in every format with every mistake of `spoilt`; `bench/corrections.py` runs many more."""
    rng = random.Random(100 + share)
    shown: list[spoilt.Shown] = []
    for _ in range(10):  # the files are those of the Python that runs this: not every change has blocks to show
        path, text = rng.choice([source for source in sources() if len(source[1]) < 20_000])
        change = mistakes.make_change(path, text, rng)
        if change is not None and not shown:
            shown = [one for one in spoilt.corrected(change, rng) if one is not None]
    assert shown
    assert not [one for one in shown if not one.right]


# ── only what is proven ──────────────────────────────────────────────────────────────────────────


def blocks(patch: str, files: dict[str, str]) -> list[str]:
    return [one.text for problem in anypatch.apply_to(patch, files).problems for one in problem.corrected]


def call(old: str, new: str, path: str = "a.py") -> str:
    return json.dumps({"file_path": path, "old_string": old, "new_string": new})


@pytest.mark.parametrize(
    ("there", "old", "new", "after"),
    [
        (
            "if a < b:\n    low(a)\n",
            "if a &lt; b:\n    lower(a)",
            "if a &lt;= b:\n    lower(a)",
            "if a <= b:\n    low(a)\n",
        ),
        ("say('hi')\nstop(1)\n", "say(’hi’)\nstops2(1)", "say(’ho’)\nstops2(1)", "say('ho')\nstop(1)\n"),
        (
            "x = user_name(1)\ny = 2\n",
            "x = user_nmae(1)\ny = 2",
            "x = user_nmae(5)\ny = 2",
            "x = user_name(5)\ny = 2\n",
        ),
    ],
)
def test_a_mistake_of_the_old_lines_is_mended_in_the_new_ones_too(there: str, old: str, new: str, after: str) -> None:
    (text,) = blocks(call(old, new), {"a.py": there})
    assert anypatch.apply_to(text, {"a.py": there}).files["a.py"] == after


@pytest.mark.parametrize(
    ("path", "there", "old", "new", "why"),
    [
        (
            "a.ipynb", '{\n "source": [\n  "x = compute(1)\\n",\n  "y = x\\n"\n ]\n}\n',
            "x = compute(1)\ny = xx", "x = compute(2)\ny = xx", "the notebook would be no JSON any more",
        ),
        ("a.json", '{\n  "limit": 10,\n  "rate": 5\n}\n', '"limit": 11,', '"limit": 12', "a comma would be lost"),
        ("a.py", "limit = 10\nrate = 5\n", "  1 | limit = 11\n  2 | rate = 5", "  1 | limit = 12\n  2 | rate = 5",
         "line numbers would be written"),
        ("a.py", "limit = 10\nrate = 5\n", "limitt = 10\nrate = 5", "limitt = 10\nrate = 5\nname = &quot;x&quot;",
         "whether the escapes are meant can't be told"),
        ("a.py", 'say("a")\nstop(1)\n', 'say(\\"a\\")\nstops2(1)', 'say(\\"b\\", \\"c\\")\nstops2(1)', "backslashes would stay"),
        ("a.py", "def add(self, cents):\n    pass\n", "def add(self, price):\n    pass",
         "def add(self, price):\n    raise ValueError('a price is never negative')", "words in a message are no names"),
        ("a.py", "def add(self, cents):\n    pass\n", "def add(self, price):\n    pass",
         "def add(self, price):\n    keep(cents)  # the price", "words in a comment are no names"),
    ],
)  # fmt: skip
def test_a_block_that_would_write_something_else_is_not_shown(
    path: str, there: str, old: str, new: str, why: str
) -> None:
    assert not blocks(call(old, new, path), {path: there}), why


def test_regions_that_are_as_near_are_all_shown_and_none_is_chosen() -> None:
    there = '[[job]]\nretries = 3\nname = "a"\n\n[[job]]\nretries = 3\nname = "b"\n'
    problem = first(call('retries = 1\nname = "c"', 'retries = 9\nname = "c"', "c.toml"), {"c.toml": there})
    assert [near.line for near in problem.near] == [2, 6]
    assert not problem.corrected


def test_a_namesake_is_offered_to_be_edited_but_not_to_be_deleted_or_written() -> None:
    files = {"one/a.py": "x = 1\n", "two/a.py": "z = 9\n"}
    for deed in ("*** Delete File: a.py\n", "*** Update File: a.py\n*** Move to: b.py\n"):
        assert not blocks(f"*** Begin Patch\n{deed}*** End Patch\n", files)


def squeezed(data: str | bytes) -> bytes:
    return b"".join((data if isinstance(data, bytes) else data.encode()).split())


def subsets(change: mistakes.Change) -> list[bytes]:
    """The file with some of the edits made, for every choice of them."""
    found: list[list[mistakes.Splice]] = [[]]
    for splice in change.splices:
        found += [[*some, splice] for some in found]
    return [change.data(mistakes.changed(change.lines, some)) for some in found]


# ── in reports ───────────────────────────────────────────────────────────────────────────────────


def test_reports_show_the_blocks() -> None:
    report = anypatch.apply_to(WRITTEN["search-replace"], {"a.py": TWINS})
    told = for_model(report)
    assert "this fits at line 8" in told
    assert all(f"```\n{one.text}```" in told for one in report.problems[0].corrected)
    assert any("this fits at line 4" in line for line in for_people(report))
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


def test_a_line_of_an_answer_read_by_name_is_corrected_too() -> None:
    assert api.read(WRITTEN["unified"], "unified").ops
    report = anypatch.apply_to(WRITTEN["unified"], {"a.py": TWINS}, format="unified")
    assert len(report.problems[0].corrected) == 2


@pytest.mark.parametrize(
    ("old", "there", "line"), [("fo()", "a\nfoo()\nb\n", 2), ("x=1", "y\nz\nx=2\n", 3), ("});", "f(\n})\n", 2)]
)
def test_short_lines_have_a_nearest_region_too(old: str, there: str, line: int) -> None:
    problem = first(update(old, "new()"), {"a.py": there})
    assert problem.near[0].line == line
    assert problem.near[0].line == line and not problem.detail


def test_regions_that_were_not_looked_for_are_not_said_to_be_missing() -> None:
    patch = "--- a/a.py\n+++ b/a.py\n" + "".join(f"@@ -{n} +{n} @@\n-lines {n}\n+x\n" for n in range(1, 31))
    problems = anypatch.apply_to(patch, {"a.py": "".join(f"line {n}\n" for n in range(1, 31))}).problems
    assert [bool(problem.near) for problem in problems] == [True] * 20 + [False] * 10
    assert {problem.detail for problem in problems[20:]} == {
        "the text is not in the file; the nearest lines are shown only for the first hunks that don't fit"
    }


def test_nothing_alike_is_said_so() -> None:
    problem = first(update("completely()", "new()"), {"a.py": "x\ny\n"})
    assert (problem.near, problem.detail) == ((), "the text is not in the file, nor anything like it")


# ── right, or none ───────────────────────────────────────────────────────────────────────────────


def corrected(patch: str, there: str, path: str = "a.py") -> str | None:
    """The file after the one corrected block; None where there is none."""
    problem = first(patch, {path: there})
    if not problem.corrected:
        return None
    (one,) = problem.corrected
    return str(anypatch.apply_to(one.text, {path: there}).files[path])


def test_a_block_for_each_place_or_for_none() -> None:
    many = "".join(f"def f{n}(x):\n{OLD}\n    return y\n\n" for n in range(4))
    problem = first(WRITTEN["begin-patch"], {"a.py": many})
    assert len(problem.near) == 4
    assert not problem.corrected, "blocks for three of four places would be a choice"


def test_of_many_files_that_end_so_each_is_tried() -> None:
    patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
    files = {f"{name}/a.py": "z = 9\n" for name in ("five", "four", "one", "three", "two", "zero")}
    taking = {**files, "two/a.py": "x = 1\n", "zero/a.py": "x = 1\n"}
    assert [one.text for one in first(patch, taking).corrected] == [
        patch.replace("a.py", "two/a.py"),
        patch.replace("a.py", "zero/a.py"),
    ]
    assert not first(patch, dict.fromkeys(files, "x = 1\n")).corrected, "too many to choose from"


TWO_RUNS = "fn a() {\n    check()\n        .tests(9)\n        .run();\n}\n\nfn b() {\n    check()\n        .tests(9)\n        .go();\n}\n"


@pytest.mark.parametrize(
    ("patch", "there", "path", "why"),
    [
        (
            "--- a/a.rs\n+++ b/a.rs\n@@ -9,2 +9,3 @@\n         .tests(9)\n }\n+fn c() {}\n",
            TWO_RUNS, "a.rs", "two functions have both lines, each with another between them",
        ),
        (
            block('    "pr": ("pulll/%s", "#"),\n}', '    "pr": ("pulll/%s", "#"),\n    "ghsa": ("advisories/%s", "#"),\n}'),
            'links = {\n    "pr": ("pull/%s", "#"),\n    "ghsa": ("advisories/%s", "#"),\n}\n', "a.py", "the line is there",
        ),
        (
            block("}\n\ntype Method =\n    | 'get' | 'GT'", "}\n\nenum Code {\n  Ok = 200,\n}\n\ntype Method =\n    | 'get' | 'GT'"),
            "type A = {\n}\n\nenum Code {\n  Ok = 200,\n}\n\ntype Method =\n    | 'get' | 'GET'\n", "a.py", "the lines above are the new ones",
        ),
        (
            "--- a.php\n+++ a.php\n@@ ... @@\n  *\n- * @link https://example.org/code\n- * @license https://exam",
            "/**\n *\n * @link https://example.org/code\n * @license https://example.org/license (MIT)\n */\n",
            "a.php", "the answer broke off",
        ),
        (
            block("    <a>\n      badge(1)\n    </a>\n      </div>", "    <a>\n      badge(1)\n    </a>\n      <div>\n        coded\n      </div>\n      </div>"),
            "<div>\n    <a>\n      badgee(1)\n    </a>\n</div>\n", "a.html", "some old lines are deeper than the file has them, others aren't",
        ),
        (
            block("    # no alias ad no base\n    assert props is None\n\n\n# ── more", "    # no alias ad no base\n    assert props is None\n\ndef test_b(self):\n    for a in b:\n        assert a\n\n\n# ── more"),
            "class A:\n    def test_a(self):\n        # no alias and no base\n        assert props is None\n\n\n# ── more\n",
            "a.py", "moved to the left, and twice as deep: both would do",
        ),
    ],
)  # fmt: skip
def test_no_block_where_it_might_be_wrong(patch: str, there: str, path: str, why: str) -> None:
    problem = first(patch.replace("a.py\n<<<", f"{path}\n<<<"), {path: there})
    assert problem.kind == "not_found"
    assert not problem.corrected, why


@pytest.mark.parametrize(
    ("old", "new", "there", "after"),
    [
        # A line that another version had.
        ("a(1)\nlegacy()\nb(2)", "a(1)\nlegacy()\nb(3)", "a(1)\nb(2)\n", "a(1)\nb(3)\n"),
        ("top\na(1)\nlegacy()\nb(2)\nend", "top\nend", "top\na(1)\nb(2)\nend\n", "top\nend\n"),
        # Lines that the file breaks in other places.
        ("use a; use b;\nuse c;", "use a; use b;\nuse new;\nuse c;", "use a;\nuse b;\nuse c;\n", "use a;\nuse b;\nuse new;\nuse c;\n"),
        ("x = 1\ncall(\n    first, second)\ny = 2", "x = 1\ncall(first)\ny = 2", "x = 1\ncall(first, second)\ny = 2\n", "x = 1\ncall(first)\ny = 2\n"),
        # A blank line too many, and a slip.
        ("start(1)\n\nmiddel(2)\nend(3)", "start(1)\n\nmiddel(2)\nend(4)", "start(1)\nmiddle(2)\nend(3)\n", "start(1)\nmiddle(2)\nend(4)\n"),
        # Of two that are alike the one that is meant but for a word that no line has.
        ("qonst Azure = load()", "qonst Azure = load(1)", "const Claude = load()\nconst Azure = load()\n", "const Claude = load()\nconst Azure = load(1)\n"),
        # What is added stands elsewhere, and what differs is only a slip.
        ("    return thqs\n\nb()", "    return thqs\n\nc():\n    return this\n\nb()", "a():\n    return this\n\nb()\n", "a():\n    return this\n\nc():\n    return this\n\nb()\n"),
    ],
)  # fmt: skip
def test_what_the_file_has_otherwise_is_corrected(old: str, new: str, there: str, after: str) -> None:
    assert corrected(block(old, new).replace("a.py", "a.txt"), there, "a.txt") == after


def test_what_of_a_hunk_is_made_already_is_no_mistake() -> None:
    old, new = "def add(self, price):\n    pass", "def add(self, cents):\n    keep(cents)  # the price"
    assert corrected(block(old, new), "def add(self, cents):\n    pass\n") == new + "\n"


def test_dots_in_the_context_are_the_lines_that_stay() -> None:
    patch = "--- a.txt\n+++ a.txt\n@@ ... @@\n a(1)\n ...\n-c(3)\n+c(5)\n d(4)\n"
    after = "a(1)\nbig(2)\nc(5)\nd(4)\n"
    assert corrected(patch, after.replace("5", "3"), "a.txt") == after


def test_the_edits_above_move_a_region_but_not_its_line_in_the_report() -> None:
    there = "a = 1\n\nb = 2\n}\nname = 3\n\nc = 4\n}\nother = 5\n"
    patch = block("a = 1", "a = 1\na2 = 1\na3 = 1\na4 = 1\na5 = 1") + "\n" + block("}\nnmae = 3", "}")
    problem = first(patch, {"a.py": there})
    assert [near.line for near in problem.near] == [4]
    assert [one.line for one in problem.corrected] == [4]


def test_a_region_that_only_earlier_edits_make_is_said_to_be_one() -> None:
    edits = [("alpha(1)\nmid(2)", "beta(1)\nmid(2)"), ("beta(1)\nmidd(2)", "gamma(3)")]
    patch = {"file_path": "a.py", "edits": [{"old_string": old, "new_string": new} for old, new in edits]}
    problem = first(json.dumps(patch), {"a.py": "alpha(1)\nmid(2)\nend()\n"})
    assert problem.near[0].note.startswith("after the edits before this one, line 2 is `mid(2)`")
    assert [one.line for one in problem.corrected] == [1]


def test_the_nearest_region_is_not_where_a_bracket_stands() -> None:
    there = "f(\n  Alpha,\n)\ng(\n  Beta,\n)\nh(\n  Gamma,\n)\n"
    problem = first(block("  Gama,\n)", "  Gamma,\n  Delta,\n)").replace("a.py", "a.txt"), {"a.txt": there})
    assert problem.near[0].line == 8


def test_lines_beside_what_goes_are_no_sign_that_it_is_gone() -> None:
    problem = first(block("import oss\nimport re", "import re"), {"a.py": "import os\nimport re\nx = 1\n"})
    assert not problem.advice
    assert problem.corrected
    problem = first(block("    deep(1)\n    flatt(2)", "    deep(1)"), {"a.py": "if x:\n    deep(1)\n    y = 2\n"})
    assert "already at line 2" in problem.advice


@pytest.mark.parametrize("path", ["lib/cart.py", "shop/crat.py", "shop/cart.pyx", "core/shop/cart.py"])
def test_a_path_that_is_nearly_right_gets_the_edit_with_the_right_one(path: str) -> None:
    """CHUNK's own rules take no path for another; the refusal shows the edit for the file that has its old lines."""
    files = {"shop/cart.py": "total_price = compute(items)\n", "shop/tax.py": "rate = 19\n", "cart.py": "x = 1\n"}
    patch = f"=== file: {path} ===\n--- replace-text\ntotal_price = compute(items)\n---\ntotal_price = 0\n=END=\n"
    problem = first(patch, files)
    assert problem.kind == "file_missing"
    assert [one.text for one in problem.corrected] == [patch.replace(path, "shop/cart.py")]


def test_the_edits_of_a_missing_file_are_for_one_file() -> None:
    edits = [
        ("import io\n\nfrom tools import a", "from tools import a"),
        ("open_readme_file(1)", "open_readme_file(2)"),
    ]
    patch = "".join(f"core/setup.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n\n" for old, new in edits)
    top = "import io\n\nfrom tools import a\n"
    files = {"setup.py": f"{top}open_readme_file(1)\n", "one/setup.py": top, "two/setup.py": top}
    for problem in anypatch.apply_to(patch, files).problems:
        assert all(one.text.startswith("setup.py\n") for one in problem.corrected)


def test_a_call_on_one_long_line_is_shown_to_a_model() -> None:
    old = "\n".join(f"value_{n} = compute_something({n})" for n in range(40))
    report = anypatch.apply_to(
        call(old.replace("value_3 ", "valeu_3 "), old.replace("(39)", "(0)")), {"a.py": old + "\n"}
    )
    (one,) = report.problems[0].corrected
    assert len(one.text) > 1000
    assert one.text in report.for_model()


def test_no_other_file_is_offered_where_the_file_is_there() -> None:
    patch = block("completely_different_line(1)", "x = 1")
    files = {"a.py": "y = 2\n", "one/b.py": "completely_different_line(1)\n", "a.pyx": "completely_different_line(1)\n"}
    assert not blocks(patch, files)


def test_a_line_lost_beside_a_blank_one_at_which_lines_come_is_not_guessed() -> None:
    there = "    assert base.method\n  end\nend\n\nx\n"
    patch = "--- a.rb\n+++ a.rb\n@@ ... @@\n     assert base.method\n   end\n \n+  it 'works' do\n+  end\n"
    assert corrected(patch, there, "a.rb") is None


def test_a_line_too_many_does_not_make_another_function_the_nearest() -> None:
    body = ["    a = first(x)", "    b = second(a)", "    return done(b)"]
    strict = ["def parse_strict(x):", body[0], body[1], "    check(b)", body[2]]
    there = "\n".join(["def parse(x):", *body, "", *strict, ""])
    old = ["def parse(x):", body[0], body[1], "    legacy(b)", body[2]]
    problem = first(block("\n".join(old), "\n".join([*old[:3], "    return b"])), {"a.py": there})
    assert problem.near[0].line == 1
