"""Problems and notes of a patch that is being read."""

from __future__ import annotations

from anypatch.formats.findings import Findings
from anypatch.model import Delete, Note
from anypatch.problems import bad


def test_findings_become_a_patch() -> None:
    findings = Findings()
    findings.refuse(2, "the line is wrong", "Mend it.", "a.py")
    findings.note(3, "a line was skipped")
    patch = findings.patch("chunk", [Delete("a.py")], "Clean up.")
    assert (patch.format, patch.ops, patch.description) == ("chunk", (Delete("a.py"),), "Clean up.")
    assert patch.problems == (bad(2, "the line is wrong", "Mend it.", "a.py"),)
    assert patch.notes == (Note("a line was skipped", "", 3),)
