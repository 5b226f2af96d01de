"""The closed lists beside the ladder, as data: readings, claims, guards. `docs/leniencies.md` is made from them.

A rule that isn't on a list needs at least three real answers that become right by it and none that becomes wrong. The
evidence is what `bench/leniencies.py` counts: rows of each measure that change when the rule is switched off.
"""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A row of a list. `evidence`: the rows of each measure that need it."""

    name: str
    says: str
    example: str
    evidence: str


# fmt: off
READINGS = (
    Rule("signs", "A diff's context lines lost the space in front.", "`def f():` for ` def f():`", "none"),
    Rule("space", "Every sign of a diff has a space after it.", "`- x` for `-x`", "spec 1"),
    Rule("line numbers", "The numbers of an editor or of `cat -n` were copied.", "`12 | return x`", "peers 3"),
    Rule("escapes", "The text was escaped once too often.", '`print(\\"hi\\")` for `print("hi")`', "peers 1"),
    Rule("gaps", "`...` on both sides of a block is a gap.", "`def f():`, `...`, `return 1`",
         "none; asked for by the design"),
    Rule("html", "The whole answer was escaped for HTML.", "`a &lt; b` for `a < b`", "mistakes 58"),
)
CLAIMS = (
    Rule("header", "The place is in the block that a header opens.", "`@@ class Cart`", "peers 10 (+2), spec 6"),
    Rule("neighbour", "The lines given as context are right next to the place.", "CHUNK's `before` and `after`",
         "spec 7"),
    Rule("symbol", "The place is in the symbol that the answer names next to the edit.", "In `Cart.total`: …",
         "real 12"),
    Rule("order", "Hunks that are in order in the answer are in order in the file.", "two hunks, three places",
         "mistakes 7"),
    Rule("line number", "The place is off by as many lines as the other hunks are.", "`@@ -12,3 +12,4 @@`",
         "peers 5, mistakes 3"),
)
GUARDS = (
    Rule("marks", "New text has a mark for left-out code that old text lacks: refused.", "`# ... existing code ...`",
         "real 0 (+1), peers 1"),
    Rule("result there", "The old text is gone, and the result is in the file: nothing is done.",
         "a patch that is sent again", "real 0 (+3)"),
    Rule("overlap", "Two hunks change the same characters: refused.", "two hunks that remove one line", "a promise"),
    Rule("deletion", "A deletion shows other lines than the file has: refused.", "`deleted file mode`, other lines",
         "peers 1"),
    Rule("overwrite", "A file would be created where one is: refused, unless the format says so.", "`*** Add File`",
         "a promise"),
    Rule("shrinking", "A file would be replaced by less than half of itself: refused.", "a fence with one function",
         "real 0 (+2), chat 48, shape 0 (+13)"),
)
# fmt: on
