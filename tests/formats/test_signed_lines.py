"""Hunks of lines with signs: lost signs, marks for a missing final newline."""

from __future__ import annotations

import pytest

from anypatch.formats.signed_lines import changes_text, hunk_of
from anypatch.model import NO_CLAIMS, TOLERANT, Claims, Hunk

MARK = "\\ No newline at end of file"


def hunk(*lines: str) -> Hunk:
    return hunk_of(lines, 7, TOLERANT, NO_CLAIMS, 6)


def test_old_and_new_text() -> None:
    both = hunk(" a", "-b", "+c", "+d", " ")
    assert (both.old, both.new) == ("a\nb\n\n", "a\nc\nd\n\n")
    assert both.signed == (" a", "-b", "+c", "+d", " ")
    assert (both.patch_line, both.claims, both.doubts) == (6, NO_CLAIMS, ())
    assert hunk().old == ""


def test_a_line_without_a_sign_is_context_in_doubt() -> None:
    unsigned = hunk("-a", "", "import os", "last")
    assert unsigned.signed == ("-a", " ", " import os", " last")
    (doubt,) = unsigned.doubts
    assert (doubt.kind, doubt.patch_line) == ("bad_patch", 9)
    assert "import os" in doubt.detail


@pytest.mark.parametrize(
    ("lines", "claims"),
    [
        (["-b", "+b", MARK], Claims(at_end=True, final_newline="removed")),
        (["-b", MARK, "+b"], Claims(at_end=True, final_newline="added")),
        (["-b", MARK, "+c", MARK], Claims(at_end=True)),
        (["-a", " b", "\\ Kein Zeilenumbruch am Dateiende."], Claims(at_end=True)),
        (["-a", "\\section"], NO_CLAIMS),
    ],
)
def test_marks_for_a_missing_newline(lines: list[str], claims: Claims) -> None:
    marked = hunk(*lines)
    assert marked.claims == claims
    assert not any(line.startswith("\\ ") for line in marked.signed)


def test_changes_text() -> None:
    assert changes_text(hunk(" a", "+b"))
    assert not changes_text(hunk(" a", " b"))
