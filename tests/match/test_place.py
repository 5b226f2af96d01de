"""The hunks of an edit together: one place for each, or everything that is in the way."""

from __future__ import annotations

import pytest

import anypatch
from anypatch.match.ladder import LEVELS, READINGS
from anypatch.match.place import Context, Placement, place_hunks
from anypatch.model import TOLERANT, Claims, Hunk, MatchPolicy, signed_hunk
from anypatch.text import Text
from support.edits import block, call, changed, diff, refusal, update

TEXT = Text.of("one\ntwo\nthree\ntwo\n")


def placed(*hunks: Hunk, text: Text = TEXT) -> Placement:
    return place_hunks(Context(text, "a.txt"), hunks)


def lines(*signed: str, claims: Claims | None = None) -> Hunk:
    return signed_hunk([(line[0], line[1:]) for line in signed], TOLERANT, claims or Claims())


def test_each_hunk_gets_its_splices_and_its_level() -> None:
    found = placed(lines("-one", "+1"), lines("-three ", "+3"))
    assert not found.problems and not found.missing
    assert [(one.place.level, [splice.new for splice in one.splices]) for one in found.placed] == [
        ("exact", ["1\n"]),
        ("trailing space", ["3\n"]),
    ]
    assert TEXT.apply([splice for one in found.placed for splice in one.splices]).source == "1\ntwo\n3\ntwo\n"


def test_all_that_is_in_the_way_is_told_at_once() -> None:
    found = placed(lines("-two", "+2"), lines("-nowhere", "+x"), lines("-one", "+# ... existing code ..."))
    assert not found.placed
    assert [(problem.kind, problem.part) for problem in found.problems] == [("elision", 2), ("ambiguous", 0)]
    assert list(found.missing) == [1]


def test_hunks_for_the_same_line_overlap() -> None:
    found = placed(lines("-one", "+1"), lines("-one", "+uno"))
    assert [problem.part for problem in found.problems] == [1]


def test_the_search_keeps_nothing_from_one_hunk_to_the_next() -> None:
    """A hunk has the same place alone and beside others that have theirs elsewhere."""
    alone = placed(lines("-three", "+3")).placed[0]
    assert placed(lines("-one", "+1"), lines("-three", "+3")).placed[1].splices == alone.splices


# ── the policy table ─────────────────────────────────────────────────────────────────────────────


def policies() -> dict[str, MatchPolicy]:
    found = {}
    for name, patch in {
        "unified": diff("@@ @@\n-a\n+b\n"),
        "search-replace": block("a\n", "b\n"),
        "begin-patch": update("@@\n-a\n+b\n"),
        "json-edits": call("a", "b"),
        "chunk": "language: python\noperations:\n  - {path: a.py, op: replace_text, marker: a, payload: b}\n",
        "chunk-v2": "=== file: a.py ===\n--- replace-text\na\n---\nb\n=END=\n",
    }.items():
        (op,) = anypatch.parse(patch).patch.ops
        found[name] = op.hunks[0].policy  # type: ignore[union-attr]
    return found


def test_what_a_policy_names_is_in_the_tables() -> None:
    for policy in policies().values():
        assert set(policy.levels) <= set(LEVELS)
        assert set(policy.readings) <= {rule.name for rule in READINGS}


def test_what_has_no_rules_of_its_own_has_the_same() -> None:
    rows = policies()
    assert rows["unified"] == rows["search-replace"] == rows["json-edits"] == TOLERANT


def test_what_formats_have_of_their_own() -> None:
    rows = policies()
    assert rows["chunk-v2"].levels == ("exact",)
    assert (
        rows["begin-patch"].headers_bind
        and "inner space" in rows["begin-patch"].levels
        and not rows["begin-patch"].no_op
    )
    assert rows["chunk"].replaces_range
    assert refusal("=== file: a.py ===\n--- replace-text\na\n---\nb\n=END=\n", " a\n").kind == "not_found"


# ── text inside lines ────────────────────────────────────────────────────────────────────────────


def test_text_inside_a_line() -> None:
    assert changed(call("b", "x"), "a b c\n") == "a x c\n"
    assert changed(call("b\nc", "x"), "a b\nc d\n") == "a x d\n"
    assert refusal(call("b", "x"), "a b\nb c\n").kind == "ambiguous"


def test_text_in_all_places_or_in_so_many() -> None:
    assert changed(call("b", "x", replace_all=True), "b b\nb\n") == "x x\nx\n"
    assert changed(call("aa", "x", replace_all=True), "aaa\n") == "xa\n"  # as an editor would
    assert changed(call("b", "x", expected_replacements=3), "b b\nb\n") == "x x\nx\n"
    assert refusal(call("b", "x", expected_replacements=2), "b b\nb\n").kind == "ambiguous"
    assert refusal(call("y", "x", replace_all=True), "b b\n").kind == "not_found"


def test_text_that_is_there_but_for_its_indentation() -> None:
    assert (
        changed(call("if x:\n    go()", "if x:\n    stop()"), "f:\n    if x:\n        go()\n")
        == "f:\n    if x:\n        stop()\n"
    )


def test_line_ends_in_a_call_are_the_files() -> None:
    assert changed(call("one\r\ntwo", "1\r\n2"), "one\ntwo\n") == "1\n2\n"
    assert changed(call("one\ntwo", "1\n2"), "one\r\ntwo\r\n") == "1\r\n2\r\n"


# ── the end of the file ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("before", "after"), [("a\nb", "a\nx"), ("a\nb\n", "a\nx\n")])
def test_the_last_line_end_stays_as_it_is(before: str, after: str) -> None:
    assert changed(block("b\n", "x\n"), before) == after


def test_a_diff_may_say_what_becomes_of_the_last_line_end() -> None:
    bare = "\\ No newline at end of file\n"
    assert changed(diff(f"@@ -1 +1 @@\n-a\n+b\n{bare}"), "a\n") == "b"
    assert changed(diff(f"@@ -1 +1 @@\n-a\n{bare}+b\n"), "a") == "b\n"
