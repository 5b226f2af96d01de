"""Replay a call in memory with the public engine, and compare the files with what the model made of them.

A failed call has reached the same if, of the next calls that went through on its files, one left them

- as anypatch would have left them after the failed call: the model sent it again, perhaps in several calls;
- or as anypatch leaves them if the failed call is applied right before that one: the model first edited other places.

Two texts are the same if they differ in nothing but blank lines and white space at the ends of lines.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..api import apply_to
from ..problems import Refused
from .events import Contents, EditCall
from .tracker import Case

DECLINED = "declined by a person or a hook"
UNKNOWN_CAUSE = "another reason"

# Claude Code 2.1, Codex 0.166, Gemini CLI 0.61 and opencode 1.18 say this, or versions before them.
_CAUSES: dict[str, tuple[str, ...]] = {
    DECLINED: (
        "doesn't want to proceed", "doesn't want to take this action", "rejected by user", "user rejected",
        "cancell?ed", "permission to use", "has been denied", "permission denied", "prevents you from",
        "hook (?:error|blocked|denied)", r"\baborted\b", "dismissed",
    ),
    "text found in several places": (
        r"found \d+ matches", "found multiple matches", "multiple (?:matches|occurrences)",
        r"expected \d+ occurrences? but found [1-9]",
    ),
    "text not found": (
        "string (?:to replace )?not found", "could not find (?:old_?string|the string|an exact match)",
        "0 occurrences found",
        r"expected \d+ occurrences? but found 0", "failed to find (?:expected lines|context)", "oldString not found",
        "not found in content",
    ),
    "file changed since it was read": ("modified since", "unexpectedly modified", "changed since"),
    "file not read before": ("has not been read", "must (?:be )?read", "read it first"),
    "nothing to change": ("no changes to (?:make|apply)", "exactly the same", "are identical", "must be different"),
    "file exists already": ("already exists",),
    "no such file": ("does not exist", "no such file", "not found", "failed to read file"),
    "call not valid": (
        "InputValidationError", "invalid (?:arguments|patch|hunk|params|tool)", "missing required",
        "must have required", "validation failed",
    ),
}  # fmt: skip
_PATTERNS = {cause: re.compile("|".join(words), re.IGNORECASE) for cause, words in _CAUSES.items()}
_LONG = 2000  # characters; messages end with the text that wasn't found

SAME, OTHER, OPEN, REFUSED, UNKNOWN, NOT_TRIED = "same", "other", "open", "refused", "not replayed", "declined"


class Verdict(NamedTuple):
    """The result of replaying a call.

    SAME, OTHER: applied, and the files are, or aren't, as the model had them. OPEN: applied, nothing to compare with.
    REFUSED: with these `kinds` of problems. UNKNOWN: the transcript doesn't have the files. NOT_TRIED: a person or a
    hook declined the call. `levels`: how the places were found.
    """

    outcome: str
    cause: str = ""
    kinds: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()


def judge(case: Case) -> Verdict:
    """Replay the call and compare."""
    cause = cause_of(case.call.error) if case.call.error else ""
    if cause == DECLINED:
        return Verdict(NOT_TRIED, cause)
    if case.before is None:
        return Verdict(UNKNOWN, cause)
    files, kinds, levels = _replay(case.call, case.before)
    if files is None:
        return Verdict(REFUSED, cause, kinds)
    if not case.call.error:
        is_known = set(case.call.files.values()) <= set(case.after)
        return Verdict((SAME if _alike(files, case.after) else OTHER) if is_known else OPEN, cause, (), levels)
    if not case.later:
        return Verdict(OPEN, cause, (), levels)
    is_same = any(_alike(files, step.after) for step in case.later) or any(
        _alike(_replay(case.call, step.before)[0], step.after) for step in case.later
    )
    return Verdict(SAME if is_same else OTHER, cause, (), levels)


def _replay(call: EditCall, before: Contents) -> tuple[Contents | None, tuple[str, ...], tuple[str, ...]]:
    """Return the files after a call, None if it is refused; the kinds of problems; how places were found."""
    given = {name: text for name, path in call.files.items() if (text := before[path]) is not None}
    try:
        result = apply_to(
            call.answer, given, format="begin-patch" if isinstance(call.answer, str) else "json-edits", syntax="off"
        )
    except Refused as refused:
        return None, tuple(problem.kind for problem in refused.problems), ()
    if not result.ok:
        return None, tuple(dict.fromkeys(result.kinds)), ()
    found = dict.fromkeys(splice.how for outcome in result.plan.outcomes for splice in outcome.splices)
    return {path: result.files.get(name) for name, path in call.files.items()}, (), tuple(how for how in found if how)


def _alike(one: Contents | None, other: Contents) -> bool:
    return one is not None and {path: _lines(text) for path, text in one.items()} == {
        path: _lines(text) for path, text in other.items() if path in one
    }


def _lines(text: str | None) -> list[str] | None:
    return None if text is None else [line.rstrip() for line in text.splitlines() if line.strip()]


def cause_of(error: str) -> str:
    """Return why a client refused a call, by what it said: the first cause whose words are in the message."""
    message = error[:_LONG].partition("\nString:")[0]
    return next((cause for cause, pattern in _PATTERNS.items() if pattern.search(message)), UNKNOWN_CAUSE)
