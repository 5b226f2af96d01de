"""The words of the clients' refusals."""

from __future__ import annotations

import pytest

from anypatch.replay.causes import DECLINED, OTHER, cause_of


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
        ("something new", OTHER),
    ],
)  # fmt: skip
def test_the_cause_of_a_refusal(error: str, cause: str) -> None:
    assert cause_of(error) == cause
