"""Replayed calls: applied as the model got the file, otherwise, with nothing to compare, refused, not replayed."""

from __future__ import annotations

import pytest

from anypatch.replay.events import Contents, EditCall, Event, Origin, Seen
from anypatch.replay.judge import (
    DECLINED,
    NOT_TRIED,
    OPEN,
    OTHER,
    REFUSED,
    SAME,
    UNKNOWN,
    UNKNOWN_CAUSE,
    Verdict,
    cause_of,
    judge,
)
from anypatch.replay.tracker import Case
from support.replays import CART, FROM_ONE, PATH, cases, edit

NOT_FOUND = "String to replace not found in file."
SHIFTED = edit("    amount = 0\n    return amount", "    amount = 1\n    return amount", NOT_FOUND)


def verdict(*events: Event) -> Verdict:
    """Return the verdict on the failed call of a session that begins with the cart."""
    (case,) = [case for case in cases([Seen(PATH, CART), *events]) if case.call.error]
    return judge(case)


def test_sent_again_as_anypatch_would_have_applied_it() -> None:
    again = edit("        amount = 0", "        amount = 1")
    assert verdict(SHIFTED, again) == Verdict(SAME, "text not found", (), ("indentation",))


def test_sent_again_after_another_place() -> None:
    elsewhere, again = edit("class Cart", "class Basket"), edit("amount = 0", "amount = 1")
    assert verdict(SHIFTED, elsewhere, again).outcome == SAME


def test_sent_again_in_two_calls() -> None:
    both = edit("   amount = 0\n   return amount", "   amount = 1\n   return amount + 1", NOT_FOUND)
    assert verdict(both, edit("amount = 0", "amount = 1"), edit("return amount", "return amount + 1")).outcome == SAME


def test_something_else_and_nothing_to_compare() -> None:
    assert verdict(SHIFTED, edit("amount = 0", "amount = 5")).outcome == OTHER
    assert verdict(SHIFTED).outcome == OPEN


def test_blank_lines_and_trailing_space_are_no_difference() -> None:
    assert verdict(SHIFTED, edit("amount = 0\n", "amount = 1  \n\n")).outcome == SAME


def test_refused_unknown_and_declined() -> None:
    assert verdict(edit("self", "you", "Found 3 matches of the string")) == Verdict(
        REFUSED, "text found in several places", ("ambiguous",)
    )
    assert judge(Case(SHIFTED, None, {}, [])).outcome == UNKNOWN
    declined = edit("amount = 0", "amount = 1", "The user doesn't want to proceed with this tool use.")
    assert verdict(declined) == Verdict(NOT_TRIED, DECLINED)


def test_calls_that_went_through() -> None:
    went_through = edit("amount = 0", "amount = 1")
    for after, outcome in (({PATH: FROM_ONE}, SAME), ({PATH: CART}, OTHER), ({}, OPEN)):
        contents: Contents = {**after}
        assert judge(Case(went_through, {PATH: CART}, contents, [])).outcome == outcome


def test_a_patch_of_several_files() -> None:
    patch = (
        "*** Begin Patch\n*** Delete File: b.py\n*** Update File: cart.py\n@@\n-amount = 0\n+amount = 1\n*** End Patch"
    )
    call = EditCall(Origin("codex", "", "", "1", ""), patch, {"b.py": "/b.py", "cart.py": PATH}, "", {}, {})
    files: tuple[Contents, Contents] = ({"/b.py": "x\n", PATH: "amount = 0\n"}, {"/b.py": None, PATH: "amount = 1\n"})
    assert judge(Case(call, *files, [])).outcome == SAME
    assert judge(Case(call, {"/b.py": None, PATH: "amount = 0\n"}, {}, [])).outcome == REFUSED


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("<tool_use_error>String to replace not found in file.\nString: Found 3 matches</tool_use_error>", "text not found"),
        ("apply_patch verification failed: Failed to find expected lines in /a.py:\n    amout = 0", "text not found"),
        ("Could not find an exact match for 'old_string' in 'a.py'. If previous edits modified the file", "text not found"),
        ("Failed to edit, 0 occurrences found for old_string in a.py.", "text not found"),
        ("Could not find oldString in the file. It must match exactly, including whitespace", "text not found"),
        ("Found 3 matches of the string to replace, but replace_all is false.", "text found in several places"),
        ("Failed to edit, Expected 1 occurrence but found 3 for old_string in file: a.py.", "text found in several places"),
        ("File has been modified since read, either by the user or by a linter. Read it again", "file changed since it was read"),
        ("File has not been read yet. Read it first before writing to it.", "file not read before"),
        ("You must read file /a.py before overwriting it. Use the Read tool first", "file not read before"),
        ("No changes to make: old_string and new_string are exactly the same.", "nothing to change"),
        ("Cannot create new file - file already exists.", "file exists already"),
        ("File does not exist. Note: your current working directory is /work.", "no such file"),
        ("InputValidationError: Edit failed due to the following issue", "call not valid"),
        ("The user doesn't want to proceed with this tool use.", DECLINED),
        ("patch rejected by user", DECLINED),
        ("something new", UNKNOWN_CAUSE),
    ],
)  # fmt: skip
def test_the_cause_of_a_refusal(error: str, cause: str) -> None:
    assert cause_of(error) == cause
