"""The lists of what is forgiven are closed: another row needs evidence."""

from __future__ import annotations

import re

import pytest

from anypatch.match.ladder import LEVELS
from anypatch.match.rules import CLAIMS, GUARDS, READINGS

# What the design lists, and what the specifications of Begin Patch and CHUNK add.
LISTED = {
    "exact", "trailing space", "indentation", "punctuation", "inner space", "blank lines", "comments", "marker",
    "marker without comments", "marker without docstrings", "marker in plain punctuation", "signs", "space",
    "line numbers", "escapes", "gaps", "html", "header", "neighbour", "symbol", "order", "line number", "marks",
    "result there", "overlap", "deletion", "overwrite", "shrinking",
}  # fmt: skip
ROWS = {level.name: level.evidence for level in LEVELS.values()}
ROWS |= {rule.name: rule.evidence for rule in (*READINGS, *CLAIMS, *GUARDS)}


def has_evidence(evidence: str) -> bool:
    """Return True if at least three real answers need a rule."""
    real = re.search(r"\breal (\d+)", evidence)
    return real is not None and int(real[1]) >= 3


@pytest.mark.parametrize("name", ROWS)
def test_a_rule_that_is_not_listed_needs_three_real_answers(name: str) -> None:
    assert name in LISTED or has_evidence(ROWS[name]), "see CONTRIBUTING.md: add a level, a reading, a claim or a guard"


def test_what_counts_as_evidence() -> None:
    assert has_evidence("real 3, peers 1") and not has_evidence("real 2, mistakes 90") and not has_evidence("peers 9")
