"""Whatever the mistake, the right bytes or a refusal with nothing touched: on real files and on tiny ones."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support import mistakes
from support.mistakes import Case, Change, Splice
from support.sources import sources
from support.spoils import WRITERS


def described(case: Case, verdict: mistakes.Verdict) -> str:
    wrong = {path: data for path, data in verdict.got.items() if data != case.right[0].get(path)}
    return (
        f"{case.format}, {case.spoil}:\n{case.text[:3000]}\ngave {wrong if len(str(wrong)) < 3000 else sorted(wrong)}"
    )


def test_real_files_are_never_edited_wrongly() -> None:
    rng = random.Random(0)
    wrong, clear, right = [], 0, 0
    for path, text in [rng.choice(sources()) for _ in range(4)]:
        change = mistakes.make_change(path, text, rng)
        for case in mistakes.cases(change, rng) if change else ():
            verdict = mistakes.judge(case)
            clear, right = clear + case.one, right + (case.one and verdict.word == "right")
            spoil = case.spoil.removeprefix("rendered: ")
            # A diff that was cut off in its context has whole hunks; wrong counts say nothing, as models miscount.
            is_whole = case.format == "unified" and spoil == "cut off"
            if verdict.word == "wrong" and not is_whole:
                wrong.append(described(case, verdict))
            # Where the old text occurs twice, the second place fits once the first was edited; on disk the receipt
            # shows that it was. Added lines find their place again.
            replaces = change is not None and all(splice.new and splice.start < splice.end for splice in change.splices)
            if case.spoil in ("none", "rendered: none") and case.format != "chunk-v2" and case.one and replaces:
                again = mistakes.judge_again(case)
                if again.word == "wrong":
                    wrong.append("applied again: " + described(case, again))
    assert not wrong, f"{len(wrong)} wrong, the first:\n{wrong[0]}"
    assert right > 0.75 * clear > 100


LETTERS = ("alpha()", "beta = 1", "    gamma()", "    delta = 2  # two", "")


@st.composite
def tiny(draw: st.DrawFn) -> Change:
    """A file of few different lines, so that most hunks fit in several places."""
    lines = draw(st.lists(st.sampled_from(LETTERS), min_size=2, max_size=14))
    at = draw(st.integers(0, len(lines) - 1))
    new = draw(st.lists(st.sampled_from((*LETTERS, "    omega(3)", "psi(4)")), max_size=3))
    splices = [Splice(at, min(at + draw(st.integers(0, 2)), len(lines)), new)]
    final = not lines[-1] or draw(st.booleans())  # a blank last line needs its newline
    return Change("src/lib/a.py", lines, splices, draw(st.sampled_from(["\n", "\r\n"])), final)


@pytest.mark.parametrize("format", WRITERS)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(change=tiny(), seed=st.integers(0, 999))
def test_ambiguity_is_refused(format: str, change: Change, seed: int) -> None:
    if change.before == change.after:
        return
    for case in mistakes.by_hand(change, format, random.Random(seed)):
        # CHUNK writes the payload as it is, trailing spaces included.
        # A call may end inside a line: spaces after its last newline are then the beginning of one.
        spaces = (("chunk", "trailing space"), ("json-edits", "trailing space"))
        if case.spoil not in UNDECIDABLE_IN_TINY and (format, case.spoil) not in spaces:
            verdict = mistakes.judge(case)
            assert verdict.word != "wrong", described(case, verdict)


# In a file of a few lines, many of them equal or blank, these mistakes make a good patch for something else.
UNDECIDABLE_IN_TINY = (
    "sent twice", "first line flush", "blanks dropped", "numbers and counts at random", "hunk doubled", "cut off",
    "left out",
)  # fmt: skip
