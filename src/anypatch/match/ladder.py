"""The closed lists of what is forgiven, chosen by and refused. `docs/leniencies.md` is made from them.

A level compares lines by a key, and forgives whatever the levels above it forgive. The first level on which a hunk has
a place decides; looser ones aren't tried. Whether the indentation differs *in one consistent way* is decided for all
lines together (`indentation.py`). A format's policy names the levels that it allows.

A rule that isn't on a list needs at least three real answers that become right by it and none that becomes wrong. The
evidence is what `bench/leniencies.py` counts: rows of each measure that change when the rule is switched off.
"""

from __future__ import annotations

from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from ..syntax.languages import suffix_of
from ..text import BLANK, stripped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SIGNS_TYPED_AS = {
    "'": "\u2018\u2019\u201a\u201b\u2032\u00b4",
    '"': "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2015\u2212",
    " ": "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000",
    "": "\u200b\u200c\u200d\u2060\ufeff\u00ad",
    "...": "\u2026",
}
# Maps each typographic sign to what a keyboard types for it, for `str.translate`.
ASCII_FOR = {ord(sign): typed for typed, signs in _SIGNS_TYPED_AS.items() for sign in signs}


def same(line: str) -> str:
    """Return the line unchanged."""
    return line


def without_trailing_space(line: str) -> str:
    """Return the line without spaces at its end."""
    return line.rstrip(BLANK)


def without_indentation(line: str) -> str:
    """Return the line without spaces at either end."""
    return line.strip(BLANK)


def plain_punctuation(line: str) -> str:
    """Return the stripped line with typographic quotes, dashes and spaces as a keyboard types them."""
    return line.strip(BLANK) if line.isascii() else line.translate(ASCII_FOR).strip(BLANK)


def single_spaces(line: str) -> str:
    """Return the line in plain punctuation, each run of spaces as one space."""
    return " ".join(plain_punctuation(line).split())


class Level(NamedTuple):
    """A row of the ladder. `example`: lines of the patch, and the lines of the file that they match.

    `skips_blank`: blank lines don't count. `view`: the part of a line that is compared: "text" (all of it), "code"
    (without comments) or "statements" (without comments and Python's docstrings). `skips_omitted_comments`: comments
    in the file don't count, but those in the patch do.
    """

    name: str
    key: Callable[[str], str]
    example: tuple[str, str]
    evidence: str = ""
    skips_blank: bool = False
    view: str = "text"
    skips_omitted_comments: bool = False

    def keys(self, lines: Sequence[str]) -> list[str]:
        """Return the key of each line."""
        if self.key is same:
            return list(lines)
        if self.key is without_trailing_space:
            return list(map(str.rstrip, lines, repeat(BLANK)))
        if self.key is without_indentation or (self.key is plain_punctuation and all(map(str.isascii, lines))):
            return stripped(lines)
        return list(map(self.key, lines))


_TABLE = (
    Level("exact", same, ("total = 0", "total = 0")),
    Level("trailing space", without_trailing_space, ("total = 0", "total = 0··"),
          "real 304, peers 24, mistakes 197, spec 6"),
    Level("indentation", without_indentation, ("total = 0", "····total = 0"),
          "real 304, peers 19, mistakes 177, spec 3"),
    Level("punctuation", plain_punctuation, ("print(“hi”)", 'print("hi")'), "real 2, peers 5, mistakes 78, spec 1"),
    Level("inner space", single_spaces, ("x = {1, 2}", "x  =  {1,  2}"), "mistakes 14"),
    Level("blank lines", plain_punctuation, ("a\\nb", "a\\n\\nb"), "real 1, peers 1, mistakes 42", skips_blank=True),
    Level("comments", plain_punctuation, ("a\\nb", "a\\n# why\\nb"), "peers 1, mistakes 18",
          skips_blank=True, skips_omitted_comments=True),
    # CHUNK's own: white space never counts, and comments may be skipped on both sides.
    Level("marker", without_indentation, ("a\\nb", "····a\\n\\n····b"), "mistakes 122, spec 92", skips_blank=True),
    Level("marker without comments", without_indentation, ("f()  # old", "f()  # new"),
          "mistakes 16, spec 9", skips_blank=True, view="code"),
    Level("marker without docstrings", without_indentation,
          ("def f():\\n    g()", 'def f():\\n    """Do."""\\n    g()'),
          "mistakes 9, spec 1", skips_blank=True, view="statements"),
    Level("marker in plain punctuation", plain_punctuation, ("print(“hi”)", 'print("hi")'), "mistakes 9",
          skips_blank=True),
)  # fmt: skip

_COMMENT_PREFIXES = {
    "#": "py pyi pyx sh bash rb rake pl yaml yml toml cfg r jl ex exs cmake mk tf nix",
    "//": "c h cc cpp cxx hpp hh java js jsx mjs ts tsx go rs swift kt scala cs php dart zig m",
    "--": "lua sql hs elm",
}
_HASH_FILES = ("makefile", "dockerfile", "gemfile", "rakefile", ".gitignore", ".env")
_PREFIX_OF = {suffix: prefix for prefix, suffixes in _COMMENT_PREFIXES.items() for suffix in suffixes.split()}


def comment_prefix(path: str) -> str:
    """Return what begins a comment line in a file; "" if that isn't known."""
    name = path.rpartition("/")[2].lower()
    return "#" if name in _HASH_FILES else _PREFIX_OF.get(suffix_of(path), "")


LEVELS = {level.name: level for level in _TABLE}
EXACT, TRAILING_SPACE, INDENTATION = _TABLE[:3]
# The levels on which file and patch have the same indentation.
VERBATIM = ("exact", "trailing space")


# ── beside the ladder ────────────────────────────────────────────────────────────────────────────


class Rule(NamedTuple):
    """A row of a list beside the ladder: what the rule says, and an example."""

    name: str
    says: str
    example: str
    evidence: str


# fmt: off
READINGS = (
    Rule("signs", "A diff's context lines lost the space in front.", "`def f():` for `·def f():`",
         "none so far"),
    Rule("space", "Every sign of a diff has a space after it.", "`- x` for `-x`", "spec 1"),
    Rule("line numbers", "The numbers of an editor or of `cat -n` were copied.", "`12 | return x`", "peers 3"),
    Rule("escapes", "The text was escaped once too often.", '`print(\\"hi\\")` for `print("hi")`', "peers 1"),
    Rule("gaps", "`...` on both sides of a block is a gap.", "`def f():`, `...`, `return 1`",
         "none so far"),
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
