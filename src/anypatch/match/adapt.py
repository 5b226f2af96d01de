"""An edit as the file would write it: its indentation, its typographic signs, the signs that its context lost. Pure.

patch  -echo “hi”          file  echo "hi"          so the added line becomes  echo "hello"
       +echo “hello”

text   |def total(self):   file  |class Cart:       the text of a symbol is brought to the column of the symbol
       |    return 2             |    def total(self):
                                 |        return 1
"""

from __future__ import annotations

import re
from itertools import pairwise

from ..model import Hunk
from ..problems import Problem
from ..record import NamedTuple
from ..similarity import is_alike
from ..syntax.languages import PYTHON, STRING, grammar_of, language_of
from ..text import BLANK, depth_of, encode, indent_of, spliced
from .indentation import align, mapped
from .levels import VERBATIM, typed_as
from .lexed import has_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from ..syntax.languages import Language
    from ..syntax.symbols import Symbol
    from .search import Page
    from .splices import Fit


_OPENERS = (":", "{", "(", "[")
_ABOVE = 50  # lines above a place that tell in which brackets it begins
_TRIPLE = ("toml", "ex", "exs", "jl")  # strings like Python's
_HEREDOC = r"""<<[-~]?(['"]?)([A-Za-z_]\w*)\1"""
_QUOTES = ("'", '"', "`")
_PARSED = 4 * 1024 * 1024  # so many bytes are parsed for one file, in all, to tell readings apart
# Grammars and suffixes of languages in which indentation is a matter of taste, beside those with braces or tags.
_FREE = " ruby php lua bash julia ocaml elixir zig json jsonc json5 sql toml ini cfg conf properties pl pm r tex "
# Suffixes of others in which it says what belongs to what, as it does in Python.
_MINDING = " yaml yml hs lhs elm purs nim coffee pug jade haml slim sass styl fs fsx fsi gd pyx pxd bzl star "


class Adapted(NamedTuple):
    """The hunk in the file's indentation; `other`: the second way to read it, where the first line lost its own.

    `shallower`: new lines below the first are less deep than the old ones; `level`: as deep as the first is written.
    `alone`: there is but one old line. `defines`: a function or class may be meant for the margin.
    """

    hunk: Hunk
    other: Hunk | None = None
    shallower: bool = False
    alone: bool = False
    defines: bool = False
    level: bool = False


def adapted(page: Page, hunk: Hunk, found: dict[int, int]) -> Adapted | Problem | None:
    """The hunk as it is written at a place; None where its indentation has no one translation.

    `found`: the row of each old line.
    """
    at = sorted(found)
    there = [page.lines[found[i]] for i in at]
    old = hunk.old
    mended = healed(page, hunk, [old[i] for i in at], there)
    if isinstance(mended, Problem) or not hunk.policy.maps_indentation:
        return mended if isinstance(mended, Problem) else Adapted(mended)
    hunk, old = mended, mended.old
    said = [old[i] for i in at]
    if said == there:
        return Adapted(hunk)
    first = next((k for k, line in enumerate(said) if line.strip()), -1)
    lost = first >= 0 and indent_of(said[first]) != indent_of(there[first])
    gap = _lost(said, there, first) if lost and not any(line.strip() for line in old[: at[first]]) else ""
    alone = sum(bool(line.strip()) for line in old) == 1
    pads = {i: indent_of(line) for i, line in zip(at, there, strict=True)}
    fixed = _strings(page, hunk, found)
    if gap and not alone:
        only = _moved(hunk, pads, _first_moved(hunk, indent_of(said[first]), gap))
        whole = _whole(hunk, pads, found, gap, fixed)
        shallower = _is_shallower(hunk, said[first + 1 :], fixed)
        below = [indent_of(line) for line in hunk.new if line.strip()][1:]
        level, defines = indent_of(said[first]) in below, _defines(hunk.new, indent_of(said[first]))
        return _unclear() if shallower and whole is None else Adapted(only, whole, shallower, False, defines, level)
    added = [text for tag, text in hunk.lines if tag == "+"]
    moved = mapped(added, said, there, page.habits(), _level(hunk)) or _line_for_line(hunk, pads)
    if moved is None:
        return None
    rows = [k for k, (tag, _) in enumerate(hunk.lines) if tag == "+"]
    whole = _moved(hunk, pads, {k: line for k, line in zip(rows, moved, strict=True) if k not in fixed})
    shown = [line for line in hunk.new if line.strip()]
    if not gap or len(shown) < 2:
        return Adapted(whole)
    only = _moved(hunk, pads, _first_moved(hunk, indent_of(said[first]), gap))
    if _steps_too_far(page, shown, indent_of(there[first])):
        whole, only = only, whole
    return Adapted(whole, only, alone=True, defines=_defines(hunk.new, indent_of(shown[0])))


def chosen(page: Page, made: Adapted, one: list[Fit], two: list[Fit]) -> list[Fit] | Problem:
    """Of the fits of both readings those that are meant."""
    if [fit.splice for fit in one] == [fit.splice for fit in two]:
        return one
    if is_free(page.path):
        return two if made.shallower else one
    read = read_both(page, *(spliced(page.lines, [made.splice for made in fits]) for fits in (one, two)))
    if read is not None and read.one != read.two:
        return one if read.one else two
    if made.alone and read is not None and read.one and not read.same and made.defines:
        return _unclear()
    if made.alone or not made.shallower:
        return one
    # Lines level with the first are a text of their own, which would leave its block to the letter:
    #     # skip empty ones        for a line with eight blanks and one below it: `return` isn't meant for the margin
    #     if not cart:
    #         return
    if read is not None and (read.same or (read.two and made.level and not made.defines)):
        return two
    return _unclear()


def opens(line: str) -> bool:
    """Whether a line opens a block or bracket: lines below it are deeper."""
    return line.rstrip().endswith(_OPENERS)


def _unclear() -> Problem:
    detail = "the first line lost its indentation, and the new lines below it may have lost theirs or not"
    return Problem("ambiguous", detail, advice="Write all lines with the file's own indentation.")


# ── a first line that lost its indentation ───────────────────────────────────────────────────────


def _lost(said: Sequence[str], there: Sequence[str], first: int) -> str:
    """What the first line lost; "" where it lost nothing, or others have another indentation too."""
    own, pad = indent_of(said[first]), indent_of(there[first])
    below = zip(said[first + 1 :], there[first + 1 :], strict=True)
    if not pad.endswith(own) or any(indent_of(one) != indent_of(two) for one, two in below if one.strip()):
        return ""
    return pad[: len(pad) - len(own)]


def _first_moved(hunk: Hunk, own: str, gap: str) -> dict[int, str]:
    """The first new line, if it was written as the first old one."""
    new = ((k, tag, text) for k, (tag, text) in enumerate(hunk.lines) if tag != "-" and text.strip())
    k, tag, text = next(new, (-1, "", ""))
    return {k: gap + text} if tag == "+" and indent_of(text) == own else {}


def _whole(hunk: Hunk, pads: dict[int, str], found: dict[int, int], gap: str, fixed: set[int]) -> Hunk | None:
    """The hunk with all of its new text moved; None where lines in between would go unsaid."""
    if not hunk.policy.compares_texts:
        added = {k: gap + text for k, (tag, text) in enumerate(hunk.lines) if tag == "+" and text.strip()}
        return _moved(hunk, pads, {k: text for k, text in added.items() if k not in fixed})
    old = _moved(hunk, pads, {}).old
    if len(found) < len(old) or max(found.values()) - min(found.values()) >= len(old):
        return None
    new = [
        text if k in fixed or not text.strip() else gap + text for k, (tag, text) in enumerate(hunk.lines) if tag != "-"
    ]
    return hunk._replace(lines=(*(("-", text) for text in old), *(("+", text) for text in new)))


def _moved(hunk: Hunk, pads: dict[int, str], new: dict[int, str]) -> Hunk:
    """The hunk with some of its new lines as given, and its old ones indented as the file has them."""
    lines, index = [], 0
    for k, (tag, text) in enumerate(hunk.lines):
        if tag == "+":
            lines.append((tag, new.get(k, text)))
            continue
        lines.append((tag, pads[index] + text.lstrip(" \t") if index in pads and text.strip() else text))
        index += 1
    return hunk._replace(lines=tuple(lines))


def _is_shallower(hunk: Hunk, below: Sequence[str], fixed: set[int]) -> bool:
    """Whether some new line below the first is less deep than every old one there."""
    new = [(k, tag, text) for k, (tag, text) in enumerate(hunk.lines) if tag != "-" and text.strip()]
    depths = [depth_of(text) for k, tag, text in new[1:] if tag == "+" and k not in fixed]
    return min(depths, default=1 << 30) < min([depth_of(line) for line in below if line.strip()], default=0)


def _runs(hunk: Hunk) -> Iterator[tuple[list[int], list[str]]]:
    """The changes of a hunk, one after another: which of its old lines go, and the lines that come for them."""
    gone: list[int] = []
    come: list[str] = []
    index = 0
    for tag, text in (*hunk.lines, (" ", "")):
        if tag == "+":
            come.append(text)
            continue
        if gone and (come or tag == " "):
            yield gone, come
        elif come:
            yield [], come
        if come or tag == " ":
            gone, come = [], []
        gone += [index] if tag == "-" else []
        index += 1


def _level(hunk: Hunk) -> list[str]:
    """New lines that replace old ones line for line, each as deep as the old: none can leave its block."""
    old = hunk.old
    return [
        text for gone, come in _runs(hunk) for text in come
        if [indent_of(old[i]) for i in gone] == [*map(indent_of, come)]
    ]  # fmt: skip


def _line_for_line(hunk: Hunk, pads: dict[int, str]) -> list[str] | None:
    """The added lines, each as deep as the file's line of which it is a new version; None where some is not.

    patch   if ready:            file   if ready:            The depths of the patch say nothing,
           -go(1)                           go(1)            but one line takes the place of another.
           +go(2)                       stop()
            stop()
    """
    old, done = hunk.old, []
    for gone, come in _runs(hunk):
        if come and len(gone) != len(come):
            return None
        for i, text in zip(gone, come, strict=False):
            if i not in pads or indent_of(old[i]) != indent_of(text) or opens(old[i]) != opens(text):
                return None
            if not is_alike(old[i].strip(), text.strip()):
                return None
            done.append(pads[i] + text.lstrip(" \t"))
    return done


def _defines(new: Sequence[str], own: str) -> bool:
    """Whether a function or class follows two blank lines, or a line behind which nothing is reached: `return y`."""
    above, blanks = "", 0
    for line in new:
        if not line.strip():
            blanks += 1
            continue
        definition = indent_of(line) == own and line.lstrip().startswith(("def ", "class ", "async def ", "@"))
        if definition and (blanks > 1 or (blanks and above.startswith(("return", "raise", "pass")))):
            return True
        above, blanks = line[len(own) :], 0
    return False


def _steps_too_far(page: Page, new: list[str], base: str) -> bool:
    """Whether the second new line is a step deeper than the file's line, and too deep for a text of its own:

    |if cart.empty:           the file's line has four blanks, and steps are of four
    |        return
    """
    first, second = new[:2]
    habits = page.habits()
    step = len(habits.step or habits.unit)
    deeper = len(indent_of(second)) - len(indent_of(first))
    return opens(first) and deeper > step and len(indent_of(second)) > len(base)


# ── text inside a line, whose other lines may be meant for its column ────────────────────────────


def to_first(page: Page, pad: str, old: str, new: str) -> str:
    """New text for a place behind a line's indentation, its lines below brought to that column; "" where as it is.

    {"old_string": "x = 1", "new_string": "x = 1\\ny = 2"} in a function: the second line leaves it, to the letter.
    """
    below = [depth_of(line) for line in old.split("\n")[1:] if line.strip()]
    if not minds_indentation(page.path) and not (below and is_free(page.path)):
        return ""
    lines = new.split("\n")
    fixed = string_lines(lines, lexed_as(page.path))
    depths = [depth_of(line) for row, line in enumerate(lines) if row and line.strip() and row not in fixed]
    deep = min(below, default=depth_of(pad + "x"))
    if min(depths, default=deep) >= deep:
        return ""
    kept = [not row or not line.strip() or row in fixed for row, line in enumerate(lines)]
    return "\n".join([line if keep else pad + line for keep, line in zip(kept, lines, strict=True)])


def letter_or_column(page: Page, one: list[Fit], two: list[Fit]) -> list[Fit] | Problem:
    """Of a text put in to the letter, and brought to the first line's column, the one that is meant."""
    if is_free(page.path):
        return two
    read = read_both(page, *(spliced(page.lines, [made.splice for made in fits]) for fits in (one, two)))
    if read is None or (read.one == read.two and not read.same):
        return _unclear()._replace(line=one[0].splice.start + 1)
    return one if read.one else two


# ── the text of a symbol, at the column where the symbol stands ──────────────────────────────────


class Column(NamedTuple):
    """A symbol's text as it will stand; `begun`: it was written from behind the first line's indentation on."""

    lines: tuple[str, ...]
    begun: bool = False


def at_column(page: Page, symbol: Symbol, text: tuple[str, ...], start: int, end: int) -> Column | Problem:
    """The text in the indentation that its place in the file asks for; it takes the place of lines start..end."""
    shown = [row for row, line in enumerate(text) if line.strip()]
    if symbol.kind == "file" or not shown or symbol.first >= len(page.lines):
        return Column(text)
    fixed = string_lines(list(text), lexed_as(page.path))
    code = [row for row in shown if row not in fixed]
    own, base = indent_of(text[shown[0]]), indent_of(page.lines[symbol.first])
    begun = list(text)
    if own != base and base.endswith(own):
        begun[shown[0]] = base + text[shown[0]].lstrip(" \t")
    moved = _brought(page, text, code, page.lines[symbol.first])
    readings = [lines for lines in (begun, moved) if lines is not None and _stays(page, lines, fixed, base)]
    if own == base:
        readings = [lines for lines in readings if lines == begun]
    elif moved in readings and begun not in readings and _is_half(page, text, depth_of(base)):
        readings = []
    if len(readings) == 2 and readings[0] != readings[1]:
        readings = _told(page, readings, (start, end), min(depth_of(text[row]) for row in code[1:]), depth_of(base))
    if not readings:
        detail = f"the indentation of the new text doesn't fit where `{symbol.name_path}` stands"
        advice = f"Write its first line with {len(base)} blanks in front, and the others as they stand below it."
        return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)
    return Column(tuple(readings[0]), own != base and readings[0] == begun != moved)


def _brought(page: Page, text: tuple[str, ...], code: list[int], there: str) -> list[str] | None:
    """All of the text moved as its first line is; strings stay. None where some line can't be."""
    own = indent_of(text[code[0]])
    if not all(text[row].startswith(own) for row in code):
        return None
    done = align([text[row] for row in code], [text[code[0]]], [there], page.habits())
    if done is None:
        return None
    moved = list(text)
    for row, line in zip(code, done, strict=True):
        moved[row] = line
    return moved


def _is_half(page: Page, text: tuple[str, ...], base: int) -> bool:
    """Whether the first line alone lost its indentation, and another stands where nothing of the symbol can."""
    depths = [depth for depth, _ in _statements(list(text))] if not is_free(page.path) else []
    return len(depths) > 2 and depths[1] > base > min(depths[2:])


def _stays(page: Page, lines: list[str], fixed: dict[int, int], base: str) -> bool:
    """Whether the first statement stands at the column, none leaves the block, and each block has something in it."""
    if is_free(page.path):
        return all(
            depth_of(line) >= depth_of(base) for row, line in enumerate(lines) if line.strip() and row not in fixed
        )
    found = _statements(lines)
    if not found or (found[0][0] != depth_of(base) or min(found)[0] != found[0][0]):
        return not found
    return not any(opens and below[0] <= depth for (depth, opens), below in pairwise(found))


def _statements(lines: list[str]) -> list[tuple[int, bool]]:
    """How deep each statement stands, and whether it opens a block: Python's, and near enough for its kin."""
    from ..syntax.languages import PYTHON
    from ..syntax.lexer import flat, logical_lines, tokens

    text = "\n".join(lines)
    plain = flat(text, tokens(text, PYTHON))
    found = []
    row = position = 0
    for start, end in logical_lines(plain):
        row, position = row + text.count("\n", position, start), start
        found.append((depth_of(lines[row]), plain[start:end].rstrip()[-1:] == ":"))
    return found


def _told(page: Page, readings: list[list[str]], rows: tuple[int, int], below: int, base: int) -> list[list[str]]:
    """Of the text as it was begun, and moved as a whole, the one that is meant; none where nothing tells."""
    start, end = rows
    if is_free(page.path):
        return readings[:1]
    read = read_both(page, *([*page.lines[:start], *lines, *page.lines[end:]] for lines in readings))
    if read is not None and read.one != read.two:
        return readings[:1] if read.one else readings[1:]
    if (read is None and below != base) or (read is not None and read.same):
        return readings[:1] if below > base else readings[1:]
    return []


# ── what indentation says in a file ──────────────────────────────────────────────────────────────


class Read(NamedTuple):
    """Whether each of two results can be read, and whether they say the same."""

    one: bool
    two: bool
    same: bool = False


def read_both(page: Page, one: list[str], two: list[str]) -> Read | None:
    """What Python says of a file after one edit and after another; None of other files, or of one it can't read."""
    if not is_python(page.path) or page.parsed >= _PARSED:
        return None
    from ..syntax.validate import readable

    page.parsed += 3 * (sum(map(len, page.lines)) + len(page.lines))
    if page.parsed > _PARSED:
        return None
    first = next((line for line in page.lines if line.strip()), "")
    # The lines of a method, for themselves, are no text that can be read.
    head = "if 1:\n" if indent_of(first) else ""
    before, *after = (encode(head + "\n".join([*lines, ""])) for lines in (page.lines, one, two))
    found = readable(page.path, before, after)
    return Read(found[0], found[1], all(found) and _same(*after)) if found else None


def _same(one: bytes, two: bytes) -> bool:
    """Whether two texts give the same tree; docstrings may be indented otherwise. Statements alike to the letter do."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = zip(*(_top_statements(ast.parse(text), text) for text in (one, two)), strict=True)
            trees = [
                [ast.dump(node).replace("\\n", " ").split() for _, node in pair]
                for pair in pairs
                if pair[0][0] != pair[1][0]
            ]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return all(one == two for one, two in trees)


def _top_statements(tree: ast.Module, text: bytes) -> list[tuple[list[bytes], ast.stmt]]:
    """The statements at the top of a text, each with its lines, decorators and neighbours on them included."""
    lines = text.splitlines()
    starts = [min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))]) for node in tree.body]
    return [(lines[start - 1 : node.end_lineno], node) for start, node in zip(starts, tree.body, strict=True)]


def is_free(path: str) -> bool:
    """Whether indentation surely says nothing in a file of this name."""
    language = language_of(path)
    if language is not None and language.family != "script":
        return language.family != "python"
    return f" {grammar_of(path) or path[path.rfind('.') + 1 :].lower()} " in _FREE


def minds_indentation(path: str) -> bool:
    """Whether indentation says what belongs to what in a file of this name."""
    return is_python(path) or f" {path[path.rfind('.') + 1 :].lower()} " in _MINDING


def is_python(path: str) -> bool:
    """Whether Python reads a file of this name."""
    return grammar_of(path) == "python"


# ── strings, whose lines stay as they are ────────────────────────────────────────────────────────


def _strings(page: Page, hunk: Hunk, found: dict[int, int]) -> set[int]:
    """Which lines of the hunk begin within a new string of several lines: they are content, and stay as they are.

    Docstrings move with their code; so do all, where the old lines show that of a string's contents.
    """
    language = lexed_as(page.path)
    if not found or not _may_hold_strings([line for tag, line in hunk.lines if tag == "+"], language):
        return set()
    old, top = hunk.old, min(found.values())
    start = top
    if language is not None and language is page.language():
        inside = page.lexed(language).inside
        if any(
            inside[row] == STRING and indent_of(old[i]) != indent_of(page.lines[row])
            for i, row in found.items()
            if old[i].strip()
        ):
            return set()
        start = max(top - _ABOVE, 0)
        while inside[start]:
            if start == top:
                return set()
            start += 1
    new = [(k, tag, line) for k, (tag, line) in enumerate(hunk.lines) if tag != "-"]
    above = page.lines[start:top]
    opened = string_lines([*above, *(line for _, _, line in new)], language)
    return {
        new[row - len(above)][0] for row, opener in opened.items()
        if opener >= len(above) and new[opener - len(above)][1] == "+"
    }  # fmt: skip


def _may_hold_strings(lines: Sequence[str], language: Language | None) -> bool:
    """Whether a string may run over the end of one of the lines; a no is certain and cheap."""
    text = "\n".join([*lines, ""])
    if language is None:
        return "<<" in text
    # A script in a page is code.
    return language.family != "xml" and has_marks(text, language)


def lexed_as(path: str) -> Language | None:
    """The language whose strings a file has; None where the lexer knows none of them."""
    language = PYTHON if path[path.rfind(".") + 1 :].lower() in _TRIPLE else language_of(path)
    return None if language is not None and language.family == "script" else language


def string_lines(lines: list[str], language: Language | None) -> dict[int, int]:
    """The lines that begin within a string, docstrings aside -> the line that opens it."""
    if language is None:
        return _heredocs(lines)
    from ..syntax.lexer import docstrings, tokens

    text = "\n".join(lines)
    tokenized = tokens(text, language)
    said = set(docstrings(text, tokenized)) if language.family == "python" else set()
    spans = [(start, end) for start, end, kind in tokenized if kind == STRING and "\n" in text[start:end]]
    opened: dict[int, int] = {}
    row = position = 0
    for start, end in spans:
        row, position = row + text.count("\n", position, start), start
        if not any(low <= start and end <= high for low, high in said):
            opened |= dict.fromkeys(range(row + 1, row + 1 + text.count("\n", start, end)), row)
    return opened


def _heredocs(lines: list[str]) -> dict[int, int]:
    opened: dict[int, int] = {}
    word, opener = "", 0
    for row, line in enumerate(lines):
        if word:
            opened[row] = opener
            word = "" if line.strip() == word else word
        elif "<<" in line and (begun := re.search(_HEREDOC, line)):
            word, opener = begun.group(2), row
    return {} if word else opened


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
            detail = f"the old lines show two ways to type the quotes, dashes or spaces of `{line.strip()[:80]}`"
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
    typed, at, skip = typed_as(), 0, 0
    for sign in one:
        if skip or sign in BLANK:
            skip = max(skip - 1, 0)
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
        elif here and typed.get(ord(here), "").startswith(key or sign):
            if key is not None:
                shown.setdefault(sign, set()).add(here)
            else:
                skip = len(typed[ord(here)]) - 1
            at += 1
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
