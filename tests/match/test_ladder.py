"""Each leniency: a case that takes it, and one that must not. The lists are closed: another row needs evidence."""

from __future__ import annotations

import re

import pytest

import anypatch
from anypatch.match.ladder import CLAIMS, GUARDS, LEVELS, READINGS, comment_prefix, plain_punctuation, single_spaces
from support.edits import block, changed, refusal, update

# level, old lines, new lines, file, file afterwards
TAKEN = {
    "exact": ("b\n", "x\n", "a\nb\nc\n", "a\nx\nc\n"),
    "trailing space": ("b \nc\n", "b \nx\n", "a\nb\t\nc\n", "a\nb\t\nx\n"),
    "indentation": ("if x:\n    go()\n", "if x:\n    stop()\n", "f:\n    if x:\n        go()\n", "f:\n    if x:\n        stop()\n"),
    "first line lost its indentation": ("if x:\n        go()\n", "if x:\n        stop()\n", "f:\n    if x:\n        go()\n",
                                        "f:\n    if x:\n        stop()\n"),
    "punctuation": ("say(“hi”)\ngo()\n", "say(“hi”)\nstop()\n", 'say("hi")\ngo()\n', 'say("hi")\nstop()\n'),
    "blank lines": ("a()\nb()\n", "a()\nc()\n", "a()\n\n\nb()\n", "a()\n\n\nc()\n"),
    "comments": ("a()\nb()\n", "a()\nc()\n", "a()\n# why\nb()\n", "a()\n# why\nc()\n"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "before", "after"), TAKEN.values(), ids=TAKEN)
def test_taken(old: str, new: str, before: str, after: str) -> None:
    assert changed(block(old, new), before) == after


NOT_TAKEN = {
    "a part of a line": ("total = 1\n", "total = 10\n"),
    "space inside a line": ("x  = {1,2}\n", "x = {1}\n"),
    "another letter": ("retrun 1\n", "return 2\n"),
    "upper case": ("Total = 1\n", "total = 2\n"),
    "a comment that the patch states": ("# other\ny = 2\n", "# other\ny = 3\n"),
    "a line of code left out": ("total = 10\ny = 2\n", "total = 10\ny = 3\n"),
    "a comment after code": ("y = 2  # two\n", "y = 3\n"),
    "indentation in two ways": ("  if a:\n b()\n", "  if a:\n c()\n"),
}
THERE = "total = 10\nx = {1,  2}\n# why\ny = 2\nreturn 1\nif a:\n    b()\n"


@pytest.mark.parametrize(("old", "new"), NOT_TAKEN.values(), ids=NOT_TAKEN)
def test_not_taken(old: str, new: str) -> None:
    assert refusal(block(old, new), THERE).kind == "not_found"


@pytest.mark.parametrize(("old", "new"), [("y   = 2\n", "y = 3\n"), ("x = {1, 2}\n", "x = {3}\n")])
def test_space_inside_a_line_is_forgiven_in_a_begin_patch_alone(old: str, new: str) -> None:
    assert changed(update(f"@@\n-{old}+{new}"), THERE) == THERE.replace(
        {"y   = 2\n": "y = 2\n"}.get(old, "x = {1,  2}\n"), new
    )
    assert refusal(block(old, new), THERE).kind == "not_found"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("  b\nb\n", "  b\nx\n"),  # indentation aside there are two
        ("b  \nb\n", "b  \nx\n"),  # trailing space aside
    ],
)
def test_the_strictest_level_decides(before: str, after: str) -> None:
    assert changed(block("b\n", "x\n"), before) == after


@pytest.mark.parametrize("before", ["b\na\nb\n", "  b\na\n    b\n", "b \na\nb\t\n"])
def test_two_places_on_the_level_that_decides_are_refused(before: str) -> None:
    assert refusal(block("b\n", "x\n"), before).kind == "ambiguous"


def test_the_level_is_told() -> None:
    for name, (old, new, before, _) in TAKEN.items():
        result = anypatch.apply_to(block(old, new), {"a.py": before})
        (applied,) = result.plan.outcomes[0].applied
        assert applied.how == ("indentation" if name.startswith("first line") else name)


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
def test_the_example_of_a_level_is_one(level: object) -> None:
    """A line of the patch and of the file, as the table shows them: equal on the level, not on those before it."""
    from anypatch.match.ladder import Level
    from anypatch.match.search import find_loosely
    from anypatch.syntax.languages import language_of
    from anypatch.text import Text

    assert isinstance(level, Level)
    said, there = (side.replace("·", " ").replace("\\n", "\n").split("\n") for side in level.example)
    text = Text.of("".join(line + "\n" for line in there))
    assert len(find_loosely(text, said, level, language_of("a.py"), "#")) == 1
    if level.name == "exact":
        assert said == there
        return
    above = [
        one
        for one in list(LEVELS.values())[: list(LEVELS).index(level.name)]
        if ("marker" in one.name) == ("marker" in level.name)
    ]
    assert not any(find_loosely(text, said, one, language_of("a.py"), "#") for one in above)


def test_keys() -> None:
    assert plain_punctuation(" “a” – ‘b’…\u00a0") == "\"a\" - 'b'..."
    assert plain_punctuation("\u200bx\ufeff") == "x"
    assert single_spaces(" a\t b  ") == "a b"
    assert plain_punctuation("a  b") == "a  b"


@pytest.mark.parametrize(("path", "prefix"), [("a/b.py", "#"), ("B.JAVA", "//"), ("q.sql", "--"), ("a.txt", "")])
def test_comment_prefixes(path: str, prefix: str) -> None:
    assert comment_prefix(path) == prefix


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        ("a.yml", "jobs:\n  # the build\n  build:\n    color: '#fff'\n", " jobs:\n   build:\n-    color: '#fff'\n", "+    color: '#ffe'\n"),
        ("a.toml", '[a]\n# one\nx = 1\ny = "#"\n', ' [a]\n x = 1\n-y = "#"\n', '+y = "##"\n'),
        ("a.sh", "name=${1#x}\n# how many\necho $#\n", " name=${1#x}\n-echo $#\n", "+echo $@\n"),
    ],
)  # fmt: skip
def test_a_comment_that_a_diff_leaves_out_is_looked_past(path: str, text: str, old: str, new: str) -> None:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ @@\n{old}{new}"
    result = anypatch.apply_to(patch, {path: text})
    gone = old.rsplit("\n-", 1)[1]
    assert result.ok, result.problems
    assert result.files[path] == text.replace(gone, new[1:])


@pytest.mark.parametrize(
    ("path", "text", "old"),
    [
        ("a.yml", "jobs:\n  run: |\n    # a step\n    make\n", " jobs:\n   run: |\n-    make\n"),
        ("a.yml", "color: '#fff'\nsize: 1\n", " color: '\n-size: 1\n"),
        ("a.sh", "name=${1 #x}\necho 1\n", " name=${1\n-echo 1\n"),
        ("Makefile", "all:\n\techo 1 # 2\n\techo 3\n", " all:\n \techo 1\n-\techo 3\n"),
        ("a.ini", "[a]\nx = 1 ; 2\ny = 3\n", " [a]\n x = 1\n-y = 3\n"),
    ],
)
def test_text_that_looks_like_a_comment_is_not(path: str, text: str, old: str) -> None:
    patch = f"--- a/{path}\n+++ b/{path}\n@@ @@\n{old}"
    assert not anypatch.apply_to(patch, {path: text}).ok


# ── the lists are closed ─────────────────────────────────────────────────────────────────────────

# The names that the design lists, and those that the specifications of Begin Patch and CHUNK add.
LISTED = {
    "exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments", "marker",
    "marker without comments", "marker without docstrings", "marker in plain punctuation", "signs", "space",
    "line numbers", "escapes", "gaps", "html", "header", "neighbour", "symbol", "order", "line number", "marks",
    "result there", "overlap", "deletion", "overwrite", "shrinking",
}  # fmt: skip
ROWS = {level.name: level.evidence for level in LEVELS.values()}
ROWS |= {rule.name: rule.evidence for rule in (*READINGS, *CLAIMS, *GUARDS)}


def has_evidence(evidence: str) -> bool:
    """Return True if at least three real answers need a rule."""
    real = re.search(r"\breal (\d+)", evidence)
    return real is not None and int(real[1]) >= 3


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_that_is_not_listed_needs_three_real_answers(name: str) -> None:
    advice = "its evidence must say `real 3` or more; see CONTRIBUTING.md: add a level, a reading, a claim or a guard"
    assert name in LISTED or has_evidence(ROWS[name]), advice


def test_what_counts_as_evidence() -> None:
    assert has_evidence("real 3, peers 1") and not has_evidence("real 2, mistakes 90") and not has_evidence("peers 9")
