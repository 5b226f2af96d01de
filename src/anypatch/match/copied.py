"""Old text that isn't the file's for the way it was copied: what it says if that is undone. Pure.

    12 | def total(self):      print(\\"Hello\\")      a blank line, or two,
    13 |     return 1                                def total(self):

Each reading undoes one thing, in old and new lines alike, and is asked for only where the hunk has no place as it is
written. What it says must then stand in the file to the letter, but for indentation.
"""

from __future__ import annotations

import re

from ..diff import tagged
from ..model import Hunk
from ..text import BLANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[tuple[str, str]]

# As editors and agents show files: `12: x`, `12 | x`, `12→x`, `12<tab>x`; Roo's without its number: `| x`.
_GUTTER = re.compile(r"[ \t]*(?:(\d{1,7})(?:(:)|[ \t]?([|│])(?= |$)|(→)|(\t))|([|│])(?: |$))")
_WRAPPED = "blank lines around it"
_LEVELS = ("exact", "trailing space", "indentation")
_QUOTE = re.compile(r"""((?:\\\\)*)\\(["'`])""")
_ESCAPE = re.compile(r"""\\(["'`nrt\\/])""")
_MEANS = {"n": "\n", "r": "\r", "t": "\t"}


def readings(hunk: Hunk) -> Iterator[Hunk]:
    """What a hunk says without line numbers in front, escapes that are one too many, blank lines around it."""
    if not hunk.policy.forgives_copying:
        return
    policy = hunk.policy._replace(levels=tuple(level for level in hunk.policy.levels if level in _LEVELS))
    for lines, how in (*_without_gutter(hunk.lines), *_unescaped(hunk), (_unwrapped(hunk), _WRAPPED)):
        if lines is None or all(tag == "+" or not text.strip(BLANK) for tag, text in lines):
            continue
        read = hunk._replace(lines=tuple(lines), policy=policy, copied=how)
        if how == _NUMBERS:  # whether a blank is the gutter's is told by the file, to the letter
            read = read._replace(policy=policy._replace(levels=policy.levels[:2]))
        if hunk.policy.compares_texts:
            read = read._replace(lines=tagged(read.old, read.new))
        if read.lines == hunk.lines:
            continue
        if how == _WRAPPED and not any(tag == "-" and text.strip(BLANK) for tag, text in read.lines):
            continue  # what only adds lines would fit again below what it added
        number = first_number(hunk) if how == _NUMBERS else 0
        if number and not hunk.where.line:
            read = read._replace(where=hunk.where._replace(line=number, last=number + len(read.old) - 1))
        yield read


# ── line numbers in front ────────────────────────────────────────────────────────────────────────

_NUMBERS = "line numbers in front"
_BLANK_BEHIND = (2, 3)  # `12:` and `12 |`


def first_number(hunk: Hunk) -> int:
    """The number that the first of the old lines has, or would have, in its gutter; 0 where there are no numbers."""
    heads = ((at, _GUTTER.match(line)) for at, line in enumerate(hunk.old))
    return next((int(head[1]) - at for at, head in heads if head and head[1]), 0)


def numbered(hunk: Hunk) -> list[str]:
    """The old lines that begin with what may be a gutter."""
    return [line for line in hunk.old if _GUTTER.match(line)]


def _without_gutter(lines: Lines) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The lines without their numbers, if those of the old lines count up; on some lines only, too.

    Twice where all have a blank behind the sign, which may be the gutter's or the line's own: `12: x` or, as grep has
    it, `12:x`.
    """
    heads = [_GUTTER.match(text) for _, text in lines]
    old = [(head, text) for head, (tag, text) in zip(heads, lines, strict=True) if tag != "+"]
    found = [(at, head) for at, (head, _) in enumerate(old) if head]
    if len({head.lastindex for _, head in found}) != 1:
        return
    kind, bare = found[0][1].lastindex, not found[0][1][1]
    if bare and any(not head and text.strip(BLANK) for head, text in old):
        return
    if not bare and len({int(head[1]) - at for at, head in found}) != 1:
        return
    new = [
        head is not None and head.lastindex == kind for head, (tag, _) in zip(heads, lines, strict=True) if tag == "+"
    ]
    # New lines that have none were written by hand: `7: x` among them is text.
    strips = {"+": 2 * sum(new) >= len(new), "-": True, " ": True}
    ends = [
        head.end() if head and head.lastindex == kind and strips[tag] else 0
        for head, (tag, _) in zip(heads, lines, strict=True)
    ]
    done = [(tag, text[end:]) for end, (tag, text) in zip(ends, lines, strict=True)]
    cut = [text for end, (_, text) in zip(ends, done, strict=True) if end and text]
    if kind in _BLANK_BEHIND and cut and all(text[0] == " " for text in cut):
        yield [(tag, text[1:] if end else text) for end, (tag, text) in zip(ends, done, strict=True)], _NUMBERS
    yield done, _NUMBERS


# ── escaped once too often ───────────────────────────────────────────────────────────────────────


def _unescaped(hunk: Hunk) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The lines without a level of escapes: of all signs if a text is one line, else of quotes alone."""
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    if "\\" not in old:
        return
    how = "escaped once too often"
    if "\n" not in old + new and hunk.policy.compares_texts:
        texts = [_ESCAPE.sub(lambda escape: _MEANS.get(escape[1], escape[1]), text) for text in (old, new)]
        # Where the old text has escaped quotes alone, nothing tells whether `\n` in the new one is one.
        if (texts[0] == _unquoted(old)) <= (texts[1] == _unquoted(new)):
            yield [(tag, line) for tag, text in zip("-+", texts, strict=True) for line in text.split("\n")], how
        if texts[0] == _unquoted(old):
            return
    yield [(tag, _unquoted(text)) for tag, text in hunk.lines], how


def _unquoted(text: str) -> str:
    return _QUOTE.sub(lambda quote: quote[1][::2] + quote[2], text)


# ── between blank lines ──────────────────────────────────────────────────────────────────────────


def _unwrapped(hunk: Hunk) -> list[tuple[str, str]] | None:
    """The lines without blank old ones at the edges; in a text for a text also without as many blank new ones there."""
    if not hunk.policy.compares_texts:
        lines = list(hunk.lines)
        for edge in (0, -1):
            while lines and lines[edge][0] != "+" and not lines[edge][1].strip(BLANK):
                lines.pop(edge)
        return lines
    old, new = list(hunk.old), list(hunk.new)
    for edge in (0, -1):
        while old and not old[edge].strip(BLANK):
            old.pop(edge)
            if new and not new[edge].strip(BLANK):
                new.pop(edge)
    return [*(("-", text) for text in old), *(("+", text) for text in new)]
