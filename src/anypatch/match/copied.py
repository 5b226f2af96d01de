"""Old text that isn't the file's for the way it was copied: what it says if that is undone. Pure.

    12 | def total(self):      print(\\"Hello\\")      a blank line, or two,
    13 |     return 1                                def total(self):

Each reading undoes one thing, in old and new lines alike, and is asked for only where the hunk has no place as it is
written. What it says must then stand in the file to the letter, but for indentation. Typographic signs are typed as the
file does where the matched lines show it:

patch  -echo “hi”          file  echo "hi"          so the added line becomes  echo "hello"
       +echo “hello”
"""

from __future__ import annotations

import re
from collections import Counter

from ..diff import tagged, unchanged
from ..model import Hunk
from ..parsing.elision import is_prose
from ..parsing.shown import path_in_comment
from ..problems import Problem
from ..record import NamedTuple
from ..similarity import keeps_most
from ..syntax.languages import language_of
from ..text import BLANK, indent_of, stripped
from .levels import VERBATIM, punctuation, typed_as
from .line_kinds import is_closer, opens_block

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .search import Page

    Lines = Sequence[tuple[str, str]]

# As editors and agents show files: `12: x`, `12 | x`, `12→x`, `12<tab>x`; Roo's without its number: `| x`.
_BEHIND = r"(:)| ?([|│])(?= |$)|(→)|(\t)"
_GUTTER = re.compile(rf"[ \t]*(?:(\d{{1,7}})(?:{_BEHIND})|([|│])(?: |$))")
_NUMBER = re.compile(rf"[ \t]*(\d{{1,7}})(?:{_BEHIND}| |$)")  # also `12 x`, and `12` on a blank line
_COLON, _BAR = 2, 3  # `12:`, and `12 |`; what comes behind it are other signs that code hasn't
_DATA = (".txt", ".tsv", ".csv", ".tab", ".dat", ".log")  # files whose rows may be numbered
_YAML = (".yaml", ".yml")
_FEW = 3  # lines of a text that may count for itself
_WRAPPED = "it has blank lines around it"
_LEVELS = ("exact", "trailing space", "indentation")
_QUOTE = re.compile(r"""((?:\\\\)*)\\(["'`])""")
_ESCAPE = re.compile(r"""\\(["'`nrt\\/])""")
_QUOTES = ("'", '"', "`")
_MEANS = {"n": "\n", "r": "\r", "t": "\t"}
_TABS = re.compile(r"(?:\\t)+")
_NO_COMMAND = re.compile(r"\\t(?![a-z])|\\t\\t")  # `\theta` and `\textbf` are TeX


def without_label(path: str, shown: Sequence[str], lines: Sequence[str]) -> list[str]:
    """The lines of a shown file, the first one blank where it is a comment with its path that the file doesn't have.

    **src/cart.py**
    ```python
    # src/cart.py               a label, too, unless the file begins with a path itself
    import math
    """
    named, below = path_in_comment(list(shown))
    is_own = named != "" and not is_prose(path) and f"/{path}".endswith(f"/{named.removeprefix('./')}")
    if not is_own or shown[below - 1].strip() in stripped(lines) or path_in_comment(list(lines))[0]:
        return list(shown)
    return [*shown[: below - 1], "", *shown[below:]]


def readings(hunk: Hunk) -> Iterator[Hunk]:
    """What a hunk says without line numbers in front, escapes that are one too many, blank lines around it."""
    if not hunk.policy.forgives_copying:
        return
    policy = hunk.policy._replace(levels=tuple(level for level in hunk.policy.levels if level in _LEVELS))
    for lines, how in (*_without_gutter(hunk.lines), *_unescaped(hunk), (_unwrapped(hunk), _WRAPPED)):
        if all(tag == "+" or not text.strip(BLANK) for tag, text in lines):
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

_NUMBERS = "it has line numbers in front"
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
    most, copied = 2 * sum(new) >= len(new), {text for tag, text in lines if tag != "+"}
    ends = [
        head.end() if head and head.lastindex == kind and (tag != "+" or most or text in copied) else 0
        for head, (tag, text) in zip(heads, lines, strict=True)
    ]
    done = [(tag, text[end:]) for end, (tag, text) in zip(ends, lines, strict=True)]
    cut = [text for end, (_, text) in zip(ends, done, strict=True) if end and text]
    if kind in _BLANK_BEHIND and cut and all(text[0] == " " for text in cut):
        yield [(tag, text[1:] if end else text) for end, (tag, text) in zip(ends, done, strict=True)], _NUMBERS
    yield done, _NUMBERS


class Numbers(NamedTuple):
    """The first of the numbers in front of lines, what stands behind each (0: a blank), and the lines without them."""

    first: int
    kind: int
    lines: list[str]


def numbers_of(lines: Sequence[str]) -> Numbers | None:
    """The line numbers that all lines have in front; blank lines may lack theirs, but are counted."""
    heads = [(at, _NUMBER.match(line)) for at, line in enumerate(lines) if line.strip(BLANK)]
    found = [(at, head) for at, head in heads if head]
    if not found or len(found) < len(heads) or len({int(head[1]) - at for at, head in found}) > 1:
        return None
    kinds = {_sign(head) for _, head in found} - {0}
    if len(kinds) > 1:
        return None
    bare = list(lines)
    for at, head in found:
        bare[at] = lines[at][head.end() :]
    if not any(line.strip(BLANK) for line in bare):
        return None  # numbers are all that the lines hold
    return Numbers(int(found[0][1][1]) - found[0][0], max(kinds, default=0), bare)


def _sign(head: re.Match[str]) -> int:
    """Which sign is behind a number: its group; 0 for a blank."""
    return 0 if head.lastindex in (None, 1) else head.lastindex


def numbered_anew(path: str, added: Sequence[str], row: int, there: str) -> Problem | None:
    """The refusal of new lines with line numbers in front, which nothing of the file has: `  12\t    return x`.

    They are those of the lines that they go to, or they have a sign behind them that code hasn't. `1: "one",` may be
    meant, and so may any of them in a file that has such lines.
    """
    numbers = numbers_of(added) if _NUMBER.match(added[0]) else None
    if numbers is None or (len(added) == 1 and not numbers.kind):
        return None  # `500 items` may well be line 500
    if numbers.first != row + 1 and (len(added) == 1 or numbers.kind < _BAR or language_of(path) is None):
        return None
    heads = (_NUMBER.match(line) for line in there.split("\n"))
    is_usual = numbers.kind in [_sign(head) for head in heads if head]
    return None if is_usual else _numbered(path, added)


def numbered_throughout(path: str, text: str, there: str) -> Problem | None:
    """The refusal of a whole text whose lines all have their numbers in front, where that is code, or the file's."""
    numbers = numbers_of(text.split("\n")) if _NUMBER.match(text) else None
    if numbers is None or numbers.first != 1 or len(numbers.lines) <= _FEW:
        return None
    is_data = path.lower().endswith(_DATA) or "." not in path or (numbers.kind == _COLON and path.endswith(_YAML))
    is_data = is_data and all(line.strip(BLANK) for line in numbers.lines[:-1])  # only a view numbers blank lines
    if numbers_of(there.split("\n")) or (is_data and not (there and keeps_most("\n".join(numbers.lines), there))):
        return None
    return _numbered(path, text.split("\n"))


def _numbered(path: str, lines: Sequence[str]) -> Problem:
    detail = f"the new text for {path} has line numbers in front of its lines (`{lines[0].strip(BLANK)[:40]}`)"
    return Problem("bad_patch", detail, path, advice="Send the lines without their numbers.")


# ── signs of a diff in front ─────────────────────────────────────────────────────────────────────

# Files in which a line may well begin with a sign.
_SIGNED = (".diff", ".patch", ".rej", ".snap", ".orig", ".ed")
_WORD = 4  # letters and digits of a line that says something: `+x` may be meant
_ITEM = re.compile(r"\+ (?! )")
_LISTS = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".org")  # `+ item`


def signed_anew(path: str, old: Sequence[str], new: Sequence[str], there: str) -> Problem | None:
    """The refusal of a new text that is a diff: what isn't in the old one has a `+` or `-` in front.

    SEARCH      total = 0           A line that goes stands there with its `-`. Where none does, the `+` alone tell in
    REPLACE    -total = 0           a file in which no line begins so.
               +total = 1

    Context may have a blank in front.
    """
    known = set(old)
    fresh = [line for line in new if line.strip(BLANK) and line not in known]
    signed = [line for line in fresh if line[0] in "+-"]
    if max((sum(map(str.isalnum, line)) for line in signed), default=0) < _WORD:
        return None
    if not all(line[0] in "+-" or (line[0] == " " and line[1:] in known) for line in fresh):
        return None
    gone = [line[1:] for line in signed if line[0] == "-"]
    if not gone and (path.lower().endswith(_SIGNED) or "\n+" in f"\n{there}"):
        return None
    if not gone and (path.lower().endswith(_LISTS) or "." not in path) and any(map(_ITEM.match, signed)):
        return None
    if not gone and (len(signed) < _FEW if not old else all(line[1:2] == "+" for line in signed)):
        return None  # `++i;`
    if any(line not in known for line in gone) or (gone and not any(line.strip(BLANK) for line in gone)):
        return None
    detail = f"the new text for {path} has the signs of a diff in front of its lines (`{signed[0][:40]}`)"
    return Problem("bad_patch", detail, path, advice="Send the lines as they should be, or a diff with `@@` lines.")


# ── new lines that lost their indentation ────────────────────────────────────────────────────────


def flush_anew(path: str, lines: Lines) -> Problem | None:
    """The refusal of a new text whose first line is at the margin, in the place of lines that are indented.

    SEARCH           x = 1         The other new lines are as deep as the old ones, or there are none. Of 9,700 changes
                     y = 2         in real histories two are meant so; tools that strip texts make many.
    REPLACE  x = 5
                     y = 2
    """
    old, new = ([text for tag, text in lines if tag != sign and text.strip(BLANK)] for sign in "+-")
    if not old or not new or indent_of(new[0]) or not indent_of(old[0]) or is_prose(path):
        return None
    first, rest, depth = new[0], new[1:], min(len(indent_of(line)) for line in old)
    # It comes again without its indentation, and other lines with theirs.
    is_stripped = first == old[0].strip(BLANK) and any(indent_of(line) and line in old[1:] for line in rest)
    if not depth or is_closer(first) or stripped(old) == stripped(new):
        is_flush = False  # nothing but the depth changes
    elif rest and opens_block(first) and indent_of(rest[0]) == indent_of(old[0]):
        is_flush = False  # `bar:` above `    foo: 1`
    else:
        is_flush = all(len(indent_of(line)) >= depth for line in rest)
    if not is_stripped and not is_flush:
        return None
    detail = f"`{first[:60]}` is not indented, but the lines in whose place it comes are"
    return Problem("ambiguous", detail, path, advice="Indent the first new line as it is to be in the file.")


# ── escaped once too often ───────────────────────────────────────────────────────────────────────


def _unescaped(hunk: Hunk) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """The lines without a level of escapes: of all signs if a text is one line, else of quotes alone."""
    old, new = "\n".join(hunk.old), "\n".join(hunk.new)
    if "\\" not in old or ("\\`" in new and "\\`" not in old):
        return  # "the separator `\\` on Windows": nothing tells whether that is one
    how = "it is escaped once too often"
    if any(map(_TABS.match, hunk.old)):
        yield [(tag, _with_tabs(text)) for tag, text in hunk.lines], how
    if "\n" not in old + new:
        texts = [_ESCAPE.sub(lambda escape: _MEANS.get(escape[1], escape[1]), text) for text in (old, new)]
        # Where the old text has escaped quotes alone, nothing tells whether `\n` in the new one is one.
        if (texts[0] == unquoted(old)) <= (texts[1] == unquoted(new)):
            yield [(tag, line) for tag, text in zip("-+", texts, strict=True) for line in text.split("\n")], how
        if texts[0] == unquoted(old):
            return
    if "\\\\" in unquoted(new) and "\\\\" not in unquoted(old):
        return  # `\\n` may be one that was escaped with the quotes, or was not
    yield [(tag, unquoted(text)) for tag, text in hunk.lines], how


def _with_tabs(line: str) -> str:
    """`\\t\\treturn x` with tabs in front."""
    run = _TABS.match(line)
    return "\t" * (run.end() // 2) + line[run.end() :] if run else line


def over_escaped(path: str, added: Sequence[str], is_known: Callable[[str], bool]) -> Problem | None:
    """The refusal of new text with quotes or tabs that are only written with a backslash, where no known text has them.

    +\\t\\treturn x                      In front of a line they are no part of a string.
    +print(\\"Hello, \\" + name)       Two or more, in no string of another quote.
    +\\"\\"\\"A docstring.\\"\\"\\"         Three in a row aren't written for themselves.
    """
    text = "\n".join(added)
    tabs = next((line for line in added if _NO_COMMAND.match(line)), "")
    if tabs and not is_known("\n\\t"):
        detail = f"the new text is indented with `\\t` (`{tabs[:40]}`), and no line of the file is"
        return Problem("ambiguous", detail, path, advice="Indent it with tabs.")
    for quote, others in (('"', "'`"), ("'", '"`')) if "\\" in text else ():
        escape = "\\" + quote
        count = text.count(escape)
        usual = 3 * escape if 3 * escape in text else escape
        if count < 2 or count < text.count(quote) or is_known(usual):
            continue
        heads = [line[: line.index(escape)] for line in added if escape in line]
        if not all(any(other in head for other in others) for head in heads):
            detail = f"every quote in the new text is escaped (`{escape}`), but none in the file is"
            return Problem("ambiguous", detail, path, advice="Write the quotes as they should be in the file.")
    return None


def unquoted(text: str) -> str:
    """The text without a level of backslashes before its quotes."""
    return _QUOTE.sub(lambda quote: quote[1][::2] + quote[2], text)


# ── between blank lines ──────────────────────────────────────────────────────────────────────────


def _unwrapped(hunk: Hunk) -> list[tuple[str, str]]:
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


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


_OF_WRITING = (  # `TabBar` and `dashboard` speak of something else
    r"(?i)\b(?:tabs?|spaces|dash(?:es)?|hyphens?|quotes?|ascii|unicode)\b|whitespace|indent|typograph|formatt|gofmt|lint"
)


def recopied(there: Sequence[str], said: Sequence[str], prose: str) -> tuple[tuple[str, str], ...] | None:
    """A whole text as one hunk for the whole file, where copying changed how lines that stay are written; else None.

    <tab>go build          ····go build            the file has tabs, the text has none, and more than that changes:
    <tab>go test           ····go test ./...       nobody means to change the first line

    None where only the writing changes, where some lines kept it, and where the words of the answer speak of it.
    """
    width = _tab_width(there, said)
    if (not width and all(map(str.isascii, (*there, *said)))) or re.search(_OF_WRITING, prose):
        return None
    one, two = ([_key(line, width) for line in lines] for lines in (there, said))
    if list(filter(None, one)) == list(filter(None, two)):
        return None
    pairs = unchanged(one, two)
    kept = [(there[row].rstrip(BLANK), said[at].rstrip(BLANK)) for row, at in pairs]
    lost = {sign for old, new in kept for sign in {*old} - {*new}} - {" "}
    if not lost.isdisjoint("'\""):
        lost.update("'\"")  # whoever loses one of them loses both: `isn’t` alone is meant
    text = "\n".join(said)
    if all(old == new for old, new in kept) or any(sign in text for sign in lost):
        return None
    # What goes is said in the same way, so that it shows how new lines are to be indented.
    gone = [line.replace("\t", " " * width) for line in there] if width else there
    lines: list[tuple[str, str]] = []
    row = at = 0
    for start, other in (*pairs, (len(there), len(said))):
        lines += [("-", line) for line in gone[row:start]] + [("+", line) for line in said[at:other]]
        lines += [(" ", line) for line in said[other : other + 1]]
        row, at = start + 1, other + 1
    return tuple(lines)


def _tab_width(there: Sequence[str], said: Sequence[str]) -> int:
    """How many spaces stand for a tab in front of lines that come again, where no line begins with one now; or 0."""
    if not any(line[:1] == "\t" for line in there) or any(line[:1] == "\t" for line in said):
        return 0
    widths: Counter[int] = Counter()
    for row, at in unchanged(stripped(there), stripped(said)):
        tabs = indent_of(there[row]).count("\t")
        spaces = len(indent_of(said[at])) - len(indent_of(there[row])) + tabs
        if tabs and spaces > 0 and spaces % tabs == 0:
            widths[spaces // tabs] += 1
    return max(widths, key=lambda width: widths[width], default=0)


def _key(line: str, width: int) -> str:
    """A line as a keyboard types it, but for its indentation; each tab as so many spaces."""
    typed = punctuation(line)
    key = indent_of(line) + typed if typed else ""
    return key.replace("\t", " " * width) if width else key


# ── typographic signs ────────────────────────────────────────────────────────────────────────────


def healed(page: Page, hunk: Hunk, said: Sequence[str], there: Sequence[str]) -> Hunk | Problem:
    """The hunk with its signs as the matched lines show them; a problem where they don't show one way.

    `said` and `there` are the matched lines as the patch and as the file write them.
    """
    if all(map(str.isascii, said)):
        return hunk
    shown: dict[str, set[str]] = {}
    for one, two in zip(said, there, strict=True):
        if not one.isascii():
            _compare(one, two, shown)
    kinds = {_kind(sign) for sign, typed in shown.items() if typed != {sign}}
    if not kinds:
        return hunk
    # Whoever writes “ for " writes ‘ for ' too, unless the file has that sign.
    text = page.text
    table = {
        sign: shown.get(sign, {typed}) for code, typed in typed_as().items()
        if _kind(sign := chr(code)) in kinds and (sign in shown or sign not in text)
    }  # fmt: skip
    lines = []
    for tag, line in hunk.lines:
        typed = "" if line.isascii() else _typed(line, table)
        if typed is None and tag == "+":
            detail = f"the old lines spell the quotes, dashes or spaces in two ways: `{line.strip()[:80]}`"
            return Problem("ambiguous", detail, patch_line=hunk.patch_line, advice="Write them as the file does.")
        lines.append((tag, typed or line))
    return hunk._replace(lines=tuple(lines))


def _typed(line: str, table: dict[str, set[str]]) -> str | None:
    """The line with its signs as the table types them; None where that has two ways.

    What stands inside quotes that are typed is the text of a string, and meant: `say("“Hi”, she said")`.
    """
    last = {quote: line.rfind(quote) for quote in _QUOTES}
    made, quote, escaped = "", "", False
    for at, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote and not escaped else quote
            escaped = sign == "\\" and not escaped
        elif sign in _QUOTES and at < last[sign]:
            quote = sign
        elif sign in table:
            if len(table[sign]) > 1:
                return None
            sign = min(table[sign])  # noqa: PLW2901
        made += sign
    return made


def _kind(sign: str) -> str:
    """What a sign is typed as; single and double quotes are of one kind."""
    typed = typed_as()[ord(sign)]
    return "quote" if typed in _QUOTES else typed


def _compare(one: str, two: str, shown: dict[str, set[str]]) -> None:
    """Note what stands in the file for each sign of a line; blanks may differ, as they may for the search."""
    typed, at = typed_as(), 0
    for sign in one:
        if sign in BLANK:
            continue
        key = typed.get(ord(sign))
        here = two[at : at + 1]
        while here and here != sign and not typed.get(ord(here), here).strip(BLANK):
            at += 1
            here = two[at : at + 1]
        if here == sign:
            if key is not None:
                shown.setdefault(sign, set()).add(sign)
            at += 1
        elif key is not None and key.strip() == "":
            shown.setdefault(sign, set()).add(key)
        elif key is not None and two.startswith(key, at):
            shown.setdefault(sign, set()).add(key)
            at += len(key)
        else:
            return  # a comment, or something else that the search passed over


# ── context without its signs ────────────────────────────────────────────────────────────────────


def with_signs(page: Page, hunk: Hunk) -> list[Hunk]:
    """The hunk as it reads if its context lost its signs: where only that makes lines of the file, and throughout.

    To the letter only: what is no line of the file then either says nothing of signs.
    """
    if not hunk.policy.may_lose_signs or not any(tag == " " and text.strip(BLANK) for tag, text in hunk.lines):
        return []
    unsigned = any(problem.kind == "bad_patch" for problem in hunk.doubts)
    policy = hunk.policy._replace(levels=tuple(level for level in hunk.policy.levels if level in VERBATIM))
    found: list[Hunk] = []
    for every in (False, True):
        lines = tuple((tag, _signed(page, tag, text, every)) for tag, text in hunk.lines)
        # Whoever forgets the sign of one line forgets it of all; at column 0 that shows by itself.
        kept = any(
            one == two and one[0] == " " and one[1].strip(BLANK) for one, two in zip(lines, hunk.lines, strict=True)
        )
        if lines != hunk.lines and (unsigned or not kept) and all(lines != other.lines for other in found):
            found.append(hunk._replace(lines=lines, policy=policy))
    return found


def _signed(page: Page, tag: str, text: str, every: bool) -> str:
    longer = f" {text}"
    if tag != " " or not text.strip(BLANK) or not page.has_line(longer.rstrip(BLANK)):
        return text
    return longer if every or not page.has_line(text.rstrip(BLANK)) else text


def lost_signs(page: Page, hunk: Hunk, signed: Hunk) -> bool | None:
    """Whether the signs are lost, rather than the whole hunk less deep than the file; None where nothing tells.

    New lines have the depth of a neighbour: in the one reading of one as written, in the other of one as signed.
    """
    removed = {text for tag, text in hunk.lines if tag == "-" and text.strip(BLANK)}
    unsigned = any(problem.kind == "bad_patch" for problem in hunk.doubts)
    if unsigned or not removed.isdisjoint(page.lines):
        return True  # some line has no sign at all, or a removed one is as deep as the file's
    as_written, as_signed = _has_level_neighbour(hunk), _has_level_neighbour(signed)
    return as_signed if as_written != as_signed else None


def _has_level_neighbour(hunk: Hunk) -> bool:
    """Whether some new line has the depth of the context right above or below the lines that come with it."""
    above: str | None = None
    new: set[str] = set()
    for tag, text in hunk.lines:
        if tag == " " and text.strip(BLANK):
            here = indent_of(text)
            if above in new or here in new:
                return True
            above, new = here, set()
        elif tag == "+" and text.strip(BLANK):
            new.add(indent_of(text))
    return above in new
