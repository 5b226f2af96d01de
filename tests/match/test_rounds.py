"""Edits that are told one after another give what one after another gives, though they are looked up in one text.

    python tests/match/test_rounds.py [CASES] [SEED]     hundreds of thousands of patches, while building

Files are short and made of few different lines, so that twins, seams, neighbours and several insertions at one place are
common. `one_after_another` is the reference: exact lines, exactly one place, each edit against the result of the former.
"""

from __future__ import annotations

import json
import random
import sys
from typing import NamedTuple

import pytest

import anypatch
from anypatch.api import format_given

Lines = list[str]


class Edit(NamedTuple):
    action: str  # replace, delete, after, before
    marker: Lines
    payload: Lines
    context_before: Lines
    context_after: Lines


def one_after_another(text: Lines, edits: list[Edit]) -> Lines | None:
    """Apply edits one by one, as the reference; return None if an edit has no place, or more than one."""
    for edit in edits:
        pattern = edit.context_before + edit.marker + edit.context_after
        places = [row for row in range(len(text) - len(pattern) + 1) if text[row : row + len(pattern)] == pattern]
        if len(places) != 1:
            return None
        start = places[0] + len(edit.context_before)
        stop = start + len(edit.marker)
        start = stop if edit.action == "after" else start
        stop = start if edit.action == "before" else stop
        text = text[:start] + edit.payload + text[stop:]
    return text


def some_case(rng: random.Random) -> tuple[Lines, list[Edit]]:
    names = [f"{letter}{letter}_line" for letter in rng.choice(["abc", "abcdef", "abcdefghij"])]
    text = [rng.choice(names) for _ in range(rng.randint(3, 12))]
    edits: list[Edit] = []
    for _ in range(rng.randint(2, 5)):
        source = text if not edits or rng.random() < 0.7 else text + edits[-1].payload
        size = rng.randint(1, 2)
        row = rng.randrange(max(1, len(source) - size))
        action = rng.choice(["replace", "delete", "after", "before"])
        new = [rng.choice([*names, "xx_new", "yy_new", "zz_new"]) for _ in range(rng.randint(1, 2))]
        before = source[max(0, row - 1) : row] if rng.random() < 0.3 else []
        after = source[row + size : row + size + 1] if rng.random() < 0.3 else []
        edits.append(Edit(action, source[row : row + size], [] if action == "delete" else new, before, after))
    return text, edits


# ── the same edits in formats that tell one after another ────────────────────────────────────────


def as_chunk(edits: list[Edit]) -> str:
    ops = {
        "replace": "replace_text",
        "delete": "delete_text",
        "after": "insert_after_text",
        "before": "insert_before_text",
    }
    text = "operations:\n"
    for edit in edits:
        text += f"  - path: a.txt\n    op: {ops[edit.action]}\n"
        fields = {
            "before": edit.context_before,
            "marker": edit.marker,
            "after": edit.context_after,
            "payload": edit.payload,
        }
        for name, lines in fields.items():
            if lines:
                text += f"    {name}: |-\n" + "".join(f"      {line}\n" for line in lines)
    return text


def sides(edit: Edit) -> tuple[Lines, Lines]:
    """Return the old and new lines, context included."""
    old = edit.context_before + edit.marker + edit.context_after
    kept_above = edit.marker if edit.action == "after" else []
    kept_below = edit.marker if edit.action == "before" else []
    return old, edit.context_before + kept_above + edit.payload + kept_below + edit.context_after


def as_search_replace(edits: list[Edit]) -> str:
    text = ""
    for edit in edits:
        old, new = sides(edit)
        text += "\n".join(["a.txt", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE", ""])
    return text


def as_multi_edit(edits: list[Edit]) -> str:
    calls = [
        {"old_string": "\n".join(old) + "\n", "new_string": "".join(f"{line}\n" for line in new)}
        for old, new in map(sides, edits)
    ]
    return json.dumps({"file_path": "a.txt", "edits": calls})


FORMATS = {"chunk": as_chunk, "search-replace": as_search_replace, "json-edits": as_multi_edit}


def applied(format: str, patch: str, text: Lines) -> tuple[Lines | None, bool]:
    """Return the text with a patch applied, and True if some of it was treated as already applied or repeated."""
    result = anypatch.apply_to(patch, {"a.txt": "".join(f"{line}\n" for line in text)}, format=format_given(format))
    report = result
    no_op = any(note.kind == "already_applied" for outcome in report.plan.outcomes for note in outcome.notes)
    no_op = no_op or any(problem.kind == "overlap" for problem in report.problems)
    return (str(result.files["a.txt"]).split("\n")[:-1] if report.ok else None), no_op


def alone(format: str, edits: list[Edit], text: Lines) -> tuple[Lines | None, bool]:
    """Apply each edit as a patch of its own, through the same entry point."""
    result: Lines | None = text
    any_no_op = False
    for edit in edits:
        if result is not None:
            result, no_op = applied(format, FORMATS[format]([edit]), result)
            any_no_op = any_no_op or no_op
    return result, any_no_op


def differs(format: str, text: Lines, edits: list[Edit]) -> str:
    """What is wrong with a format's reading of some edits; "" where nothing is."""
    wanted = one_after_another(text, edits)
    got, doubted = applied(format, FORMATS[format](edits), text)
    single, no_op = alone(format, edits, text)
    if got == single:
        return ""
    if wanted is None and len({str(sides(edit)) for edit in edits}) < len(edits):
        return ""  # an edit that is there twice, word for word, is made once
    if got is None and (no_op or doubted):
        return ""  # what is applied already may not rest on lines of another edit; one text is exchanged once
    if wanted is not None and got == wanted:
        return ""  # an edit alone may be treated as already applied
    return f"{format}: {text}\n{FORMATS[format](edits)}\ntogether {got}\nalone    {single}\nreference {wanted}"


@pytest.mark.parametrize("format", FORMATS)
def test_rounds_give_what_one_after_another_gives(format: str) -> None:
    rng = random.Random(11)
    for _ in range(150):
        found = differs(format, *some_case(rng))
        assert not found, found


def test_the_reference_is_met() -> None:
    """Most of what the reference applies is applied, so that the law above compares something."""
    rng = random.Random(5)
    met = sum(
        wanted is not None and applied("chunk", as_chunk(edits), text)[0] == wanted
        for text, edits in (some_case(rng) for _ in range(500))
        for wanted in [one_after_another(text, edits)]
    )
    assert met > 40


if __name__ == "__main__":
    count, seed = (int(value) for value in (sys.argv[1:] + ["20000", "1"][len(sys.argv) - 1 :]))
    numbers = random.Random(seed)
    bad = 0
    for _ in range(count):
        case = some_case(numbers)
        for name in FORMATS:
            message = differs(name, *case)
            bad += bool(message)
            if message and bad <= 5:
                print(message, "\n")
    print(f"{count} patches in {len(FORMATS)} formats, {bad} different")
    sys.exit(1 if bad else 0)
