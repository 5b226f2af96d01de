"""Why a client refused a call, by what it said. The first cause whose words are in the message."""

from __future__ import annotations

import re

DECLINED = "declined by a person or a hook"
OTHER = "another reason"

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


def cause_of(error: str) -> str:
    """Return the cause of a failure."""
    message = error[:_LONG].partition("\nString:")[0]
    return next((cause for cause, pattern in _PATTERNS.items() if pattern.search(message)), OTHER)
