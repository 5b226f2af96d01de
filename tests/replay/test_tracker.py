"""When the text of a file before a failed call is known, and when it isn't."""

from __future__ import annotations

import random

from anypatch.replay.events import Contents, EditCall, Event, MayChange, Origin, Seen, SeenLines, Session
from anypatch.replay.tracker import LATER, Step, Tracker, contents_after
from support.cost import at_most
from support.replays import CART, FROM_ONE, PATH, cases, edit

FAILED = edit("amount = none", "amount = 1", "String to replace not found")


def before_failure(*events: Event) -> str | None:
    """Return the text before the failed call of a session, "unknown" if the transcript doesn't have it."""
    (case,) = [case for case in cases(events) if case.call.error]
    return "unknown" if case.before is None else case.before[PATH]


def test_shown_before_and_nothing_happened_between() -> None:
    assert before_failure(Seen(PATH, CART), FAILED) == CART
    assert before_failure(Seen(PATH, CART), MayChange("/work/other.py"), FAILED) == CART
    assert before_failure(Seen(PATH, CART), MayChange(), FAILED) == "unknown"
    assert before_failure(Seen(PATH, CART), MayChange(PATH), FAILED) == "unknown"
    assert before_failure(FAILED) == "unknown"


def test_shown_afterwards_and_nothing_happened_between() -> None:
    assert before_failure(MayChange(), FAILED, Seen(PATH, CART)) == CART
    assert before_failure(FAILED, MayChange(), Seen(PATH, CART)) == "unknown"
    success = edit("amount = 0", "amount = 1", before={PATH: CART})
    assert before_failure(FAILED, success) == CART
    assert before_failure(FAILED, success._replace(before={}), Seen(PATH, FROM_ONE)) == "unknown"


def test_the_same_text_before_and_after_whatever_happened() -> None:
    assert before_failure(Seen(PATH, CART), MayChange(), FAILED, MayChange(), Seen(PATH, CART)) == CART
    assert before_failure(Seen(PATH, CART), MayChange(), FAILED, MayChange(), Seen(PATH, FROM_ONE)) == "unknown"
    back = edit("amount = 1", "amount = 0", before={PATH: FROM_ONE}, after={PATH: CART})
    assert before_failure(Seen(PATH, CART), MayChange(), FAILED, MayChange(), back) == "unknown"


def test_a_file_that_a_call_made() -> None:
    made = edit("", "", before={PATH: None}, after={PATH: CART})
    assert before_failure(made, FAILED) == CART
    unclear = edit("self", "you", before={PATH: CART})  # not what the client's rule would do
    assert before_failure(unclear, FAILED) == "unknown"


def test_sessions_know_nothing_of_each_other() -> None:
    assert before_failure(Seen(PATH, CART), Session("next"), FAILED) == "unknown"


def test_lines_are_put_together() -> None:
    lines = CART.split("\n")[:-1]
    parts = SeenLines(PATH, 1, lines[:4], 7), SeenLines(PATH, 5, lines[4:], 7)
    assert before_failure(*parts, FAILED) == CART
    assert before_failure(SeenLines(PATH, 5, lines[4:], 7), SeenLines(PATH, 1, lines[:4]), FAILED) == CART
    assert before_failure(parts[0], FAILED) == "unknown"
    assert before_failure(parts[0], MayChange(), parts[1], FAILED) == "unknown"
    assert before_failure(SeenLines(PATH, 1, lines), FAILED) == "unknown"  # nobody knows how many there are
    assert before_failure(SeenLines(PATH, 1, []), FAILED) == ""


def test_the_calls_that_went_through_later() -> None:
    first = edit("amount = 0", "amount = 1")
    second = edit("amount = 1", "amount = 2")
    (failed,) = [case for case in cases([Seen(PATH, CART), FAILED, first, second]) if case.call.error]
    two = FROM_ONE.replace("= 1", "= 2")
    assert failed.later == [Step({PATH: CART}, {PATH: FROM_ONE}), Step({PATH: FROM_ONE}, {PATH: two})]
    many = [edit(f"amount = {number}", f"amount = {number + 1}") for number in range(LATER + 5)]
    settled = cases([Seen(PATH, CART), FAILED, *many])
    assert [bool(case.call.error) for case in settled].index(True) == LATER - 1
    assert len(next(case for case in settled if case.call.error).later) == LATER


def test_every_call_is_settled_once() -> None:
    dice = random.Random(5)
    choices: list[Event] = [
        Seen(PATH, CART), Seen(PATH, FROM_ONE), MayChange(), MayChange(PATH), SeenLines(PATH, 1, ["a"], 2),
        edit("amount = 0", "amount = 1"), edit("x", "y", after={PATH: "z\n"}), FAILED, Session("other"),
        FAILED._replace(files={"cart.py": PATH, "b.py": "/work/b.py"}),
    ]  # fmt: skip
    for _ in range(300):
        events = dice.choices(choices, k=30)
        settled = [case.call for case in cases(events)]
        assert sorted(map(str, settled)) == sorted(str(event) for event in events if isinstance(event, EditCall))


def test_failures_without_end_cost_little() -> None:
    with at_most(2):
        assert len(cases([event for _ in range(5000) for event in (FAILED, Seen(PATH, CART), MayChange())])) == 5000


# ── what the model knows ──


def test_the_last_text_that_the_model_knew() -> None:
    known: list[tuple[list[Event], object]] = [
        ([], None),
        ([Seen(PATH, CART)], (CART, True)),
        ([Seen(PATH, CART), MayChange()], (CART, False)),
        ([Seen(PATH, CART), MayChange(PATH)], (CART, False)),
        ([Seen(PATH, CART), edit("amount = 0", "amount = 1")], (FROM_ONE, True)),
        ([Seen(PATH, CART), MayChange(), edit("amount = 0", "amount = 1")], None),
        ([Seen(PATH, CART), FAILED], (CART, True)),
        ([Seen(PATH, CART), Seen(PATH, None)], None),
    ]
    for events, wanted in known:
        tracker = Tracker()
        for event in events:
            list(tracker.feed(event))
        assert tracker.last_text(PATH) == wanted


# ── files after a call that went through ──


def test_the_transcript_comes_first() -> None:
    assert contents_after(edit("a", "b", after={PATH: "x"}), {PATH: CART}) == {PATH: "x"}


def test_a_text_is_replaced_where_it_is_exactly_once() -> None:
    assert contents_after(edit("amount = 0", "amount = 1"), {PATH: CART}) == {PATH: FROM_ONE}
    assert contents_after(edit("self", "you"), {PATH: CART}) == {}  # three places: the client did something else
    assert contents_after(edit("amount = 0", "amount = 1"), {}) == {}


def test_a_patch_is_applied_as_codex_does() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Delete File: b.py\n"
        "*** Add File: c.py\n+z\n*** End Patch"
    )
    files = {name: f"/work/{name}" for name in ("a.py", "b.py", "c.py")}
    call = EditCall(Origin("codex", "", "", "1", "apply_patch"), patch, files, "", {}, {})
    before: Contents = {"/work/a.py": "x\n", "/work/b.py": "\n", "/work/c.py": None}
    assert contents_after(call, before) == {"/work/a.py": "y\n", "/work/b.py": None, "/work/c.py": "z\n"}
    assert contents_after(call, {"/work/a.py": "other\n"}) == {}
