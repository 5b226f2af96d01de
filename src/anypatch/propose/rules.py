"""The closed list of rules by which a sketch becomes a proposal, as data: `docs/proposals.md` is made of it.

The figures are what `bench/proposals.py` counts: answers of which all proposals were accepted.
"""

from __future__ import annotations

from typing import NamedTuple

from ..hints import ProposalRule


class RuleRow(NamedTuple):
    """One rule: when a fence is that, what it becomes, and how often that was right for real and for retold changes."""

    name: ProposalRule
    when: str
    becomes: str
    real: str
    retold: str


RULES = (
    RuleRow(
        "file",
        "It has a label of its own and the file doesn't exist; or it holds at least half of the file's lines.",
        "the file is created or rewritten; symbols that it drops are named",
        "44 of 46",
        "55 of 55",
    ),
    RuleRow(
        "lines",
        "Its lines are in the file once, and the next fence shares a line or a defined name with it.",
        "the first gives way to the second",
        "-",
        "17 of 17",
    ),
    RuleRow(
        "symbol",
        "It defines functions or classes of which at least one is in the file once.",
        "those definitions, at their own indentation; a class member by member: members, bases and decorators that "
        "aren't shown stay; new ones beside their neighbours; missing imports",
        "0 of 2",
        "94 of 94",
    ),
    RuleRow(
        "overlay",
        "It has marks for left-out code, and the first and last lines of each part are in the file once, in order.",
        "the parts; a header around marks stays",
        "-",
        "102 of 104",
    ),
)
