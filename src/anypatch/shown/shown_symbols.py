"""Functions and classes shown with less than their file around them: each takes the place of its namesake. Pure.

    shown                           file                          read as
    class Shop {                    class Shop {                  the class that holds what follows; it stays
      // ... existing code ...        price() { … }               stays
      total(items) {                  total(items) {              replaced as a whole, from its header to its end
        return sum(items) * TAX;        return sum(items);
      }                               }
      count() { … }                                               new: goes below `total`, its neighbour
    }                               }

A method may be shown alone, at any indentation. A symbol is replaced only if the file has one of that name, in the
class it is shown in; comments and decorators above it that aren't shown stay. What else is shown must stand in the
file. A new symbol goes next to the one that is shown next to it. Everything else is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..diff import trimmed
from ..match.symbol_edits import FileText, beside, place_whole
from ..model import Inside, LineSplice, Merge
from ..problems import Problem
from ..syntax.languages import grammar_of
from ..syntax.symbols import CODE, NAMESPACE, TYPES, Symbol, Symbols, settled, symbols_of, told
from ..syntax.top import (
    Import,
    are_imports,
    import_lists,
    imports_in,
    left_out,
    new_imports,
    placed_imports,
    top_of,
)
from ..syntax.validate import readable
from ..text import BLANK, depth_of, encode, indent_of, is_blank, shared_indent, spliced, stripped
from .definitions import line_twice
from .habits import lexed_as, string_lines
from .line_kinds import is_closer, is_kin, is_trivial, solid, text_start
from .partial_file import lay_within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..hints import ProblemKind

# What a method that is shown alone stands in, so that its grammar reads it.
_AROUND = {
    "javascript": (("", ""), ("class X {", "}")),
    "typescript": (("", ""), ("class X {", "}")),
    "tsx": (("", ""), ("class X {", "}")),
    "java": (("", ""), ("class X {", "}")),
    "c_sharp": (("", ""), ("class X {", "}")),
    "c": (("", ""), ("struct X {", "};")),
    "cpp": (("", ""), ("struct X {", "};")),
    "php": (("", ""), ("<?php", ""), ("<?php class X {", "}")),
}
# Languages in which a method that is shown alone can't be read as a function.
_TOLD_BY_SYNTAX = ("javascript", "typescript", "tsx", "java", "c_sharp", "go")
_HASH_COMMENTS = ("python", "ruby", "bash", "julia", "elixir")
_HOLDERS = frozenset((*TYPES, *NAMESPACE))
_LONGEST_HEADER = 30
_SHORT = 8  # lines of a function that may lose half of them without a doubt
_RUN = 3  # lines that are no coincidence
_ACCESS = re.compile(r"\s*(?:(?:public|private|protected)(?:\s+slots)?|signals|module_function)\s*:?\s*$")
_BOUND = re.compile(r"@(?:staticmethod|classmethod|property|\w+\.setter)\b")


class _No(Exception):
    """What is shown can't be laid over the file; the problem says why, None that it isn't whole symbols alone."""

    def __init__(self, problem: Problem | None) -> None:
        self.problem = problem


def lay_symbols(page: FileText, merge: Merge) -> list[LineSplice] | Problem | None:
    """The splices that put the symbols shown in the place of the file's; None where no whole symbols are shown."""
    grammar = grammar_of(page.path)
    if not merge.marks and are_imports(page.path, merge.shown):
        return _only_imports(page, merge)
    file = told(grammar, page.path, "\n".join(page.lines)) if grammar and grammar not in ("html", "xml") else None
    symbols = _symbols(grammar, page.path, merge) if file is not None and file.rows else None
    if file is None or not symbols:
        return None
    if not merge.marks and _looks_whole(page, file, merge, symbols):
        return None
    try:
        fits = _Overlay(page, file, merge, symbols, grammar).run()
    except _No as no:
        return no.problem
    if not fits:
        detail, advice = "what the fence shows is already in the file", "There is nothing to do; leave it out."
        return Problem("already_applied", detail, patch_line=merge.patch_line, advice=advice, reason="unchanged")
    text = "\n".join([*spliced(page.lines, fits), ""])
    after = symbols_of(grammar, page.path, text)
    if after is None or (after.errors and not file.errors):
        return None
    # The grammar of Python reads a header without a body, as of a text that lost its indentation; Python doesn't.
    return fits if all(readable(page.path, encode(page.text.text), [encode(text)])) else None


def _only_imports(page: FileText, merge: Merge) -> list[LineSplice] | Problem | None:
    """The splices for a fence of imports; None where it shows some of the file's too, and may leave others out.

    Without a word that they are new, they may take the place of others.
    """
    shown = merge.shown
    if len(new_imports(page.path, page.lines, shown)) < len(imports_in(page.path, shown)):
        return None
    if not merge.told.is_new:
        detail = f"`{imports_in(page.path, shown)[0].words[:80]}` may be new, or take the place of another import"
        advice = "Say that it is to be added, or show the imports as they are, too, as Before and After."
        return Problem("elision", detail, patch_line=merge.patch_line, advice=advice)
    made = placed_imports(page.path, page.lines, shown, alone=True)
    return _no_place(made, shown, merge.patch_line) if isinstance(made, Import) else list(made)


def _no_place(one: Import, shown: Sequence[str], patch_line: int) -> Problem:
    detail = f"`{shown[one.start].strip()[:80]}` isn't in the file, and nothing says where it goes"
    advice = "Show it between unchanged lines, with `... existing code ...` around them."
    return Problem("elision", detail, patch_line=patch_line, advice=advice)


def _symbols(grammar: str, path: str, merge: Merge) -> list[Symbol] | None:
    """What a file shown in part shows, if that reads as whole symbols, perhaps of a class that isn't shown."""
    lines, marks = merge.shown, merge.marks
    shared = shared_indent(line for row, line in enumerate(lines) if row not in marks)
    bare = [line.removeprefix(shared) for line in lines]
    for one in imports_in(path, bare):
        bare[one.start : one.end] = [""] * (one.end - one.start)  # Java reads none above a method
    for row in marks:
        bare[row] = indent_of(bare[row]) + ("#" if grammar in _HASH_COMMENTS else "//")
    for opener, closer in _AROUND.get(grammar, (("", ""),)):
        shift = bool(opener)
        found = symbols_of(grammar, path, "\n".join([*[opener] * shift, *bare, closer]))
        if found is not None and found.rows and not found.errors:
            rows = [_moved(symbol, shift, "X {" in opener) for symbol in found.rows]
            return [symbol for symbol in rows if symbol.parts and symbol.depth >= 0]
    return None


def _looks_whole(page: FileText, file: Symbols, merge: Merge, symbols: list[Symbol]) -> bool:
    """Whether a fence without marks is rather a new version of the whole file: it begins as the file does, above any
    symbol, or shows most of what the file declares. What it doesn't show is then meant to go, or forgotten.

    What is told to be a part may begin with the file's imports.
    """
    shown, there = ([one for one in rows if not one.depth] for rows in (symbols, file.rows))
    head = text_start(merge.shown, 0)
    first = next((line for line in page.lines if line.strip(BLANK)), "")
    begins = merge.shown[head].strip(BLANK) == first.strip(BLANK) and all(head < one.lead for one in shown)
    if begins and not (merge.is_part and imports_in(page.path, [first])):
        return True
    names = {one.name for one in shown}
    kept = [one for one in there if one.name in names]
    return len(shown) > 1 and len(there) > len(kept) and 2 * len(kept) >= len(there)


def _moved(symbol: Symbol, shift: int, wrapped: bool) -> Symbol:
    """A symbol of the text with a line above it, and perhaps a class around it, as one of the text itself."""
    if not shift:
        return symbol
    return symbol._replace(
        parts=symbol.parts[wrapped:], depth=symbol.depth - wrapped, row=symbol.row - 1, first=symbol.first - 1,
        last=symbol.last - 1, lead=max(symbol.lead - 1, 0),
    )  # fmt: skip


class _Overlay:
    """A fence on its way over a file."""

    def __init__(self, page: FileText, file: Symbols, merge: Merge, symbols: list[Symbol], grammar: str) -> None:
        self.page, self.merge, self.symbols, self.grammar = page, merge, symbols, grammar
        self.lines, self.marks = list(merge.shown), frozenset(merge.marks)
        self.errors = file.errors
        # What is declared inside a function is nobody else's business.
        self.rows: list[Symbol] = []
        above: list[Symbol] = []
        for symbol in file.rows:
            del above[symbol.depth :]
            if not any(outer.kind in CODE for outer in above):
                self.rows.append(symbol)
            above.append(symbol)
        self.fits: list[LineSplice] = []
        self.holder: Symbol | None = None  # the class that words name as that of what is shown

    def run(self) -> list[LineSplice]:
        items = [symbol for symbol in self.symbols if symbol.depth == 0]
        self.holder = self.told_holder(items)
        self.level(items, None, (0, len(self.lines)))
        fits = sorted(self.fits, key=lambda fit: (fit.start, fit.end))
        for one, two in pairwise(fits):
            if two.start < one.end:
                raise _No(self.problem("overlap", "two of the symbols shown share lines", self.symbols[0]))
        return fits

    def level(self, items: list[Symbol], outer: tuple[Symbol, Symbol] | None, rows: tuple[int, int]) -> None:
        """Lay the symbols of one block, in the rows of the fence that are its body, over the same block of the file."""
        places = [self.place_of(item, outer[1]) if outer else self.told_place(item) for item in items]
        if items and outer is None and not any(places):
            self.check_rest(items, outer, rows)
            self.insert_as_told(items)
            return
        self.check_rest(items, outer, rows)
        for at, (item, place) in enumerate(zip(items, places, strict=True)):
            if place is None:
                self.insert(items, places, at, outer, rows)
            else:
                self.lay(item, place)

    # ── which symbol of the file ────────────────────────────────────────────────────────────────

    def told_holder(self, items: list[Symbol]) -> Symbol | None:
        """The class that words name as that of what is shown: "Add this method to the `Cart` class:", or None."""
        way = _way(self.merge.told.holder)
        found = [one for one in self.named(way) if one.kind in _HOLDERS]
        is_shown = any(len(item.parts) > 1 or item.kind in _HOLDERS for item in items)
        return found[0] if len(found) == 1 and not is_shown and self.grammar != "go" else None

    def named(self, way: tuple[str, ...]) -> list[Symbol]:
        """The symbols of the file that the last names of a way to one fit."""
        return [one for one in self.rows if one.parts[-len(way) :] == way]

    def told_place(self, item: Symbol) -> Symbol | None:
        """The symbol of the file that one in the fence is, in the class that words name, if they do."""
        if self.holder is None:
            return self.place_of(item, None)
        place = self.place_of(item, self.holder)
        is_method = self.grammar == "python" and self.is_bound(item)
        others = [] if place else [one for one in self.named((item.name,)) if one.depth or is_method]
        if others and not self.merge.told.is_new:
            detail = f"`{item.name}` isn't in `{self.holder.name}`, but at line {others[0].row + 1}"
            raise _No(self.problem("ambiguous", detail, item, "Show it inside its class."))
        return place or (None if self.merge.told.is_new else self.place_of(item, None))

    def place_of(self, item: Symbol, outer: Symbol | None) -> Symbol | None:
        """The only symbol of the file that one in the fence can be; None where there is none of its name."""
        if outer is None:
            named = [one for one in self.rows if one.parts[-len(item.parts) :] == item.parts]
        else:
            inside = [one for one in self.rows if one.depth > outer.depth and outer.first <= one.first <= outer.last]
            named = [one for one in inside if one.name == item.name and one.depth == outer.depth + 1]
        alike = [one for one in named if _group(one) == _group(item)]
        if outer is not None or self.grammar in _TOLD_BY_SYNTAX or item.kind not in CODE:
            alike = [one for one in alike if one.kind == item.kind] or alike
        elif len(alike) > 1:
            alike = self.as_shown(item, alike)
        if len(alike) > 1:
            same = [one for one in alike if self.is_same(item, one)]
            heads = same or [one for one in alike if self.header(item, True) == self.header(one, False)]
            if len(heads) != 1 and not same:
                raise _No(self.several(item, item.name, alike))
            alike = heads[:1]
        if not alike:
            return None
        if _group(item) == "value" and outer is None and self.is_deeper(item, alike[0]):
            raise _No(None)  # `timeout=None,`: an argument is no field of that name
        found = settled(self.page.path, "\n".join(self.page.lines), alike[0], self.errors)
        if isinstance(found, Problem):
            raise _No(found._replace(patch_line=self.merge.line_of(item.first)))
        if len(named) == 1 and not self.may_be_same(item, found):
            detail = f"`{item.name}` may be a new version of the one at line {found.row + 1}, or an addition"
            raise _No(self.problem("ambiguous", detail, item, "Say which by giving old and new text."))
        return found

    def is_deeper(self, item: Symbol, place: Symbol) -> bool:
        return depth_of(self.lines[item.first]) > depth_of(self.page.lines[place.first])

    def as_shown(self, item: Symbol, alike: list[Symbol]) -> list[Symbol]:
        """Of functions and methods of one name, those that a function shown without any class can be.

        `def total(self):` is a method wherever it stands, and so is one that is shown indented.
        """
        lines = self.lines
        if self.grammar in ("python", "rust"):
            bound = _takes_self(self.header(item, True))
            alike = [one for one in alike if _takes_self(self.header(one, False)) == bound] or alike
        return [one for one in alike if one.depth] or alike if depth_of(lines[item.first]) else alike

    def may_be_same(self, item: Symbol, place: Symbol) -> bool:
        """Whether a function with other parameters isn't rather an overload: then most of its lines are there."""
        if self.grammar not in ("java", "c_sharp", "cpp", "kotlin", "scala", "swift") or item.kind not in CODE:
            return True
        if self.header(item, True) == self.header(place, False):
            return True
        there = {line.strip(BLANK) for line in self.page.lines[place.first : place.last + 1]}
        shown = [line.strip(BLANK) for line in solid(self.lines[item.first : item.last + 1]) if not is_trivial(line)]
        return 2 * sum(line in there for line in shown) >= len(shown) - 1

    def is_same(self, item: Symbol, place: Symbol) -> bool:
        """Whether both read the same, however indented."""
        texts = self.lines[item.first : item.last + 1], self.page.lines[place.first : place.last + 1]
        one, two = (stripped(solid(text)) for text in texts)
        return one == two

    def header(self, symbol: Symbol, shown: bool) -> str:
        """A symbol from its own first line, without decorators, to the sign that opens its body, as one line."""
        lines = self.lines if shown else self.page.lines
        start, end = self.header_rows(lines, symbol)
        return " ".join(" ".join(lines[start:end]).split())

    def header_rows(self, lines: Sequence[str], symbol: Symbol) -> tuple[int, int]:
        """The row of a symbol's own first line, below its decorators; the row behind the line that opens its body."""
        start, level = symbol.first, 0
        while start < symbol.row and (
            level > 0 or lines[start].lstrip(BLANK).startswith(("@", "#[", "[")) or is_blank(lines[start])
        ):
            level += sum(sign in "([" for sign in lines[start]) - sum(sign in ")]" for sign in lines[start])
            start += 1
        if self.grammar == "ruby":
            return start, symbol.row + 1  # nothing but the line's end opens its body
        rows = range(symbol.row, min(symbol.last, symbol.row + _LONGEST_HEADER) + 1)
        end = next((row for row in rows if lines[row].rstrip(BLANK).endswith(("{", ":"))), symbol.row)
        return start, end + 1

    # ── what takes its place ────────────────────────────────────────────────────────────────────

    def lay(self, item: Symbol, place: Symbol) -> None:
        above = stripped(self.page.lines[place.lead : place.first])
        comments = stripped(self.comments(item))
        if not comments and self.goes_on_above(item, place):
            raise _No(None)
        if self.is_same(item, place) and comments in ([], above):
            return
        marked = any(item.first <= row <= item.last for row in self.marks)
        if item.kind in _HOLDERS and place.kind in _HOLDERS:
            members = [one for one in self.symbols if self.is_member(one, item)]
            names = {one.name for one in members}
            lost = [one for one in self.rows if self.is_member(one, place) and one.kind in (*CODE, *TYPES)]
            if marked or (members and any(one.name not in names for one in lost)):
                self.lay_header(item, place)
                self.level(members, (item, place), (self.header_rows(self.lines, item)[1], item.last + 1))
                return
        if marked:
            self.lay_body(item, place)
        else:
            self.replace(item, place)

    def is_member(self, symbol: Symbol, outer: Symbol) -> bool:
        return symbol.depth == outer.depth + 1 and outer.first <= symbol.first and symbol.last <= outer.last

    def replace(self, item: Symbol, place: Symbol) -> None:
        """The symbol as it is shown, where the file's stands; decorators and comments above that aren't shown stay."""
        lines, page = self.lines, self.page
        self.check_whole(item, place)
        self.check_local(item, place)
        bare, there = self.header_rows(lines, item)[0], self.header_rows(page.lines, place)[0]
        comments = self.comments(item)
        old_comments = stripped(page.lines[place.lead : place.first])
        shown_comments = stripped(comments)
        self.check_above(item, place, comments)
        start = place.first
        new = lines[item.first : item.last + 1]
        if bare == item.first and there > place.first:
            kept = page.lines[place.first : there]
            if self.header(item, True) != self.header(place, False) and any(
                _BOUND.match(line.strip()) for line in kept
            ):
                detail = f"`{item.name}` is shown without `{kept[0].strip()}`, which may have been omitted or removed"
                raise _No(self.problem("elision", detail, item, "Show it with everything that is directly above it."))
            start = there
            if comments and shown_comments != old_comments:
                detail = f"`{item.name}` is shown with comments above it, but without `{kept[0].strip()}`"
                raise _No(self.problem("elision", detail, item, "Show it with everything that is directly above it."))
        elif comments and shown_comments != old_comments:
            known = set(old_comments)
            if old_comments and not any(
                line in known or any(is_kin(line, o) for o in known) for line in shown_comments
            ):
                detail = (
                    f"the comment above `{item.name}` has nothing in common with the file's (line {place.lead + 1})"
                )
                raise _No(self.problem("elision", detail, item, "Show the comment as it is, or leave it out."))
            start, new = place.lead + self.unshown(item, shown_comments, old_comments), [*comments, *new]
        at = place._replace(first=start, lead=start)
        said = Inside(place.name_path, None, "replace", text=tuple(new), patch_line=self.merge.line_of(item.first))
        if indent_of(new[0]) == indent_of(page.lines[start]) and not any(beside(page, at)):
            made: LineSplice | Problem = LineSplice(start, place.last + 1, said.text, "symbol")
        else:
            made = place_whole(page, said, at, said.text)
            made = self.with_strings(made, new, place) if isinstance(made, LineSplice) else made
        if isinstance(made, Problem):
            raise _No(made._replace(patch_line=said.patch_line))
        self.fits.append(self.narrowed(made))

    def check_local(self, item: Symbol, place: Symbol) -> None:
        """Refuse a variable that the file declares elsewhere, too, unless it is shown as deep as the one meant alone.

        Maker<T> maker = get(2);        open() { Maker<T> maker = get(1); … }     a line of a function,
                                        private Maker<T> maker;                   or the field of that name?
        """
        if item.depth or place.kind in (*CODE, *TYPES, *NAMESPACE):
            return
        shown, own = (indent_of(rows[at]) for rows, at in ((self.lines, item.row), (self.page.lines, place.row)))
        declares = re.compile(rf"(?<![\w.$]){re.escape(item.name)}\s*(?::[^=]*)?:?=(?!=)")
        for row, line in enumerate(self.page.lines):
            outside = not place.first <= row <= place.last
            if outside and (shown != own or indent_of(line) == own) and item.name in line and declares.search(line):
                detail = f"`{item.name}` may be the one of line {place.row + 1} or of line {row + 1}, inside a function"
                advice = "Show the whole function, or the lines as they are, too, as Before and After."
                raise _No(self.problem("ambiguous", detail, item, advice))

    def with_strings(self, fit: LineSplice, shown: list[str], place: Symbol) -> LineSplice:
        """The lines inside of strings moved as the symbol is, where those that the file has too show that they lost it.

        total() {                         total() {
          return `                          return `
            ${sum}                            ${sum}
        """
        lines = list(fit.lines)
        rows = [row for row in string_lines(shown, lexed_as(self.page.path)) if not is_blank(shown[row])]
        there = {*self.page.lines[place.first : place.last + 1]}
        shift = indent_of(lines[0]).removesuffix(indent_of(shown[0]))
        if shift and any(shift + shown[row] in there for row in rows):
            if any(shown[row] in there for row in rows):
                detail = f"it isn't clear how far the lines inside of a string of `{place.name}` are indented"
                raise _No(Problem("elision", detail, line=place.row + 1, advice="Show it indented as in the file."))
            for row in rows:
                lines[row] = shift + shown[row]
        return fit._replace(lines=tuple(lines))

    def check_above(self, item: Symbol, place: Symbol, comments: list[str]) -> None:
        """Refuse a symbol shown from the middle of what stands above it, or that says what an unshown comment says.

        /// its parts, too.             /// Removes the file, and
        fn remove()                     /// its parts, too.
                                        fn remove()
        """
        lines, page = self.lines, stripped(self.page.lines)
        above, shown = page[place.lead : place.first], stripped(comments)
        marks = page[place.first : self.header_rows(self.page.lines, place)[0]]
        if shown and not self.is_below_mark(item) and not is_trivial(shown[0]):
            cut = above[: above.index(shown[0])] if shown[0] in above else []
        else:
            first, bare = lines[item.first].strip(BLANK), all(map(is_blank, lines[: item.first]))
            cut = marks[: marks.index(first)] if bare and first in marks else []
        cut = [line for line in cut if line not in shown and not is_trivial(line)]
        known = set(page[place.first : place.last + 1])
        body = lines[self.header_rows(lines, item)[1] : item.last + 1]
        new = [line for line in body if line.strip(BLANK) not in known]
        cut += [line for line in above if not shown and any(_says(line, other) for other in new)]
        if cut:
            detail = f"`{item.name}` is shown without `{cut[0][:60]}`, which may have been omitted or removed"
            raise _No(self.problem("elision", detail, item, "Show it with everything that is directly above it."))

    def is_below_mark(self, item: Symbol) -> bool:
        """Whether a mark stands right above the first comment of a symbol."""
        return text_start(self.lines, self.lead(item)) - 1 in self.marks

    def goes_on_above(self, item: Symbol, place: Symbol) -> bool:
        """Whether what stands above a symbol in the fence stands in the file above its comment: that isn't left out.

        load(x)                         load(x)
        total = sum(x)                  # the slow way
                                        total = add(x)
        """
        fence, page = (stripped(lines) for lines in (self.lines, self.page.lines))
        above = next((row for row in range(item.first - 1, -1, -1) if fence[row]), -1)
        behind = next((row for row in range(place.lead - 1, -1, -1) if page[row]), -1)
        if place.lead == place.first or above in self.marks:
            return False
        if above < 0:
            return behind < 0 and self.shows_more()
        inside = any(one.lead <= above <= one.last for one in self.symbols if one.last < item.first)
        return behind >= 0 and fence[above] == page[behind] and not inside and fence[above][-1] not in "{([:"

    def shows_more(self) -> bool:
        """Whether marks tell what isn't shown, or every symbol of the file is shown, so that nothing else stays."""
        shown = {one.name for one in self.symbols}
        return bool(self.marks) or (len(shown) > 1 and all(one.depth or one.name in shown for one in self.rows))

    def narrowed(self, fit: LineSplice) -> LineSplice:
        """A splice without the lines at its ends that stay."""
        start, end, lines, how = fit
        low, high, new_low, new_high = trimmed(self.page.lines[start:end], lines)
        return LineSplice(start + low, start + high, lines[new_low:new_high], how)

    def comments(self, item: Symbol) -> list[str]:
        """The comments right above a symbol in the fence, from the last mark on."""
        return solid(self.lines[self.lead(item) : item.first])

    def unshown(self, item: Symbol, shown: list[str], there: list[str]) -> int:
        """How many lines of a comment stay because a mark stands right above the first one shown.

        // ... existing code ...        /** The sum.
         * @param tax in percent         * @param tax
         */                              */
        """
        at = next((at for at, line in enumerate(shown) if not is_trivial(line)), 0)
        first = there.index(shown[at]) - at if self.is_below_mark(item) and shown[at] in there else 0
        return first if first > 0 and there[first : first + at] == shown[:at] else 0

    def check_whole(self, item: Symbol, place: Symbol) -> None:
        """Refuse a function that may be only its beginning, or a short form of it."""
        shown = stripped(solid(self.lines[item.first : item.last + 1]))
        there = stripped(solid(self.page.lines[place.first : place.last + 1]))
        known = set(there)
        if (
            len(there) >= _SHORT
            and 2 * len(shown) < len(there)
            and 5 * sum(line in known for line in shown) >= 4 * len(shown)
        ):
            detail = f"`{item.name}` has {len(there)} lines and would have {len(shown)}"
            raise _No(self.problem("would_shrink", detail, item))
        if not is_closer(shown[-1]) and (behind := _cut_off(shown, there)):
            detail = f"`{item.name}` is shown without its last line{'s' * (len(behind) > 1)} (`{behind[0][:60]}`)"
            raise _No(self.problem("would_shrink", detail, item))
        ends = item.last + 1 not in self.marks or self.is_complete(item, shown[-1], there[-1])
        if self.grammar == "python" and not ends:
            detail = f"it isn't clear whether the body of `{item.name}` goes on after `...`"
            advice = "Put a blank line above the `...`, or show the function's last line."
            raise _No(self.problem("elision", detail, item, advice))
        words = {word for line in there for word in re.findall(r"\w+", line)}
        inside = [one for one in self.symbols if item.first < one.first <= item.last and one.kind in CODE]
        inner = {one.name for one in inside} - words
        if item.kind in CODE and (torn := [one for one in self.rows if one.name in inner and one.first > place.last]):
            detail = f"`{torn[0].name}` is shown inside of `{item.name}`, and is at line {torn[0].row + 1} of the file"
            raise _No(self.problem("elision", detail, item))
        if not self.is_indented_alike(item, place):
            detail = f"the lines of `{item.name}` are indented differently from the file"
            raise _No(self.problem("elision", detail, item, "Copy the indentation of the lines that stay."))
        below = self.header_rows(self.lines, item)[1]
        if self.grammar == "python" and below <= item.last and is_blank(self.lines[below]):
            # Nobody writes that; but places that were put one below the other look so.
            detail = f"there is a blank line below the header of `{item.name}`, as if something had been left out"
            raise _No(self.problem("elision", detail, item))
        others = [*self.page.lines[: place.first], *self.page.lines[place.last + 1 :]]
        if line := _borrowed(shown, known, stripped(solid(others))):
            detail = f"`{line[:60]}` and the lines below it are elsewhere in the file, not in `{item.name}`"
            raise _No(self.problem("ambiguous", detail, item, "Put `... existing code ...` between separate places."))

    def is_indented_alike(self, item: Symbol, place: Symbol) -> bool:
        """Whether lines that stay have the indentation, below the header, that they have in the file.

        Of a function some may have another: they were put into a block.
        """
        new, old = self.lines[item.row : item.last + 1], self.page.lines[place.row : place.last + 1]
        tabs, blanks = (any(line.startswith(sign) for line in self.page.lines) for sign in ("\t", "  "))
        stray = () if tabs == blanks else ("  ",) if tabs else ("\t",)
        if stray and any(line.startswith(stray) for line in new):
            return False
        depths = [
            {line.strip(BLANK): depth_of(line) - depth_of(lines[0]) for line in lines[1:]} for lines in (new, old)
        ]
        kept = [line for line in depths[0].keys() & depths[1].keys() if not is_trivial(line)]
        same = [depths[0][line] == depths[1][line] for line in kept]
        return all(same) if item.kind not in (*CODE, *_HOLDERS) else not same or any(same)

    def is_complete(self, item: Symbol, last: str, there: str) -> bool:
        """Whether nothing can follow a function's last line, or it is the file's."""
        lines = solid(self.lines[self.header_rows(self.lines, item)[1] : item.last + 1])
        ends = last.startswith(("return", "raise")) and depth_of(lines[-1]) == min(map(depth_of, lines))
        return last == there or ends

    def lay_header(self, item: Symbol, place: Symbol) -> None:
        """The header of a class as it is shown."""
        if self.header(item, True) == self.header(place, False):
            return
        start, end = self.header_rows(self.lines, item)
        first, last = self.header_rows(self.page.lines, place)
        ends = self.lines[end - 1].rstrip(BLANK)[-1:], self.page.lines[last - 1].rstrip(BLANK)[-1:]
        if ends[0] != ends[1] or ends[0] not in ("{", ":"):
            raise _No(self.problem("elision", f"the header of `{item.name}` differs from the file's", item))
        indent = indent_of(self.page.lines[first])
        own = indent_of(self.lines[start])
        new = tuple(indent + line.removeprefix(own) for line in self.lines[start:end])
        self.fits.append(LineSplice(first, last, new, "symbol"))

    def lay_body(self, item: Symbol, place: Symbol) -> None:
        """A function some of whose body is left out: as a file of its own that is shown in part."""
        marks = tuple(row - item.first for row in self.merge.marks if item.first <= row <= item.last)
        line = self.merge.line_of(item.first)
        merge = Merge(self.merge.shown[item.first : item.last + 1], marks, line, line)
        start = place.first
        if self.header_rows(self.lines, item)[0] == item.first:
            start = self.header_rows(self.page.lines, place)[0]
        made = lay_within(self.page.lines, merge, self.page.path, (start, place.last + 1))
        if isinstance(made, Problem):
            raise _No(made)
        self.fits += made

    # ── what else is shown ──────────────────────────────────────────────────────────────────────

    def check_rest(self, items: list[Symbol], outer: tuple[Symbol, Symbol] | None, rows: tuple[int, int]) -> None:
        """Refuse lines beside the symbols that aren't in the file: nothing says where they go."""
        own = {row for item in items for row in range(self.lead(item), item.last + 1)} | self.marks
        first, last = (outer[1].first, outer[1].last + 1) if outer else (0, len(self.page.lines))
        known = {line.strip(BLANK) for line in self.page.lines[first:last]}
        own |= self.add_imports() if outer is None else set()
        base = min((depth_of(self.lines[item.first]) for item in items), default=0)
        above = -1  # the last row that belongs to the same run of lines
        for row in range(*rows):
            line = self.lines[row]
            if row not in own and not is_blank(line):
                if above < 0 and outer is None and depth_of(line) > base:
                    detail = f"`{line.strip()[:80]}` belongs to a block whose beginning isn't shown"
                    raise _No(Problem("elision", detail, patch_line=self.merge.line_of(row)))
                above = row
            elif row in own:
                above = -1
            if row in own or is_blank(line) or (line.strip(BLANK) in known and (outer or not is_closer(line))):
                continue  # a bracket that closes nothing shown is cut out of something larger
            if outer and row == outer[0].last and is_closer(line):
                continue
            detail = f"`{line.strip()[:80]}` isn't in the file, and nothing says where it goes"
            advice = "Show it between unchanged lines, with `... existing code ...` around them."
            raise _No(Problem("elision", detail, patch_line=self.merge.line_of(row), advice=advice))
        if outer is None:
            self.check_runs([row for row in range(*rows) if row not in own and not is_blank(self.lines[row])])

    def add_imports(self) -> set[int]:
        """Put imports that aren't in the file beside its own; the rows that show them."""
        path, lines = self.page.path, self.lines
        new = new_imports(path, self.page.lines, lines)
        lists = import_lists(path, lines)
        gone = left_out(path, self.page.lines, lines) if lists and self.marks.isdisjoint(*lists) else ""
        if gone:
            detail = f"the imports are shown without `{gone}`, which may have been omitted or removed"
            advice = "Show all imports, or only the new ones."
            raise _No(Problem("elision", detail, patch_line=self.merge.line_of(lists[0].start), advice=advice))
        declared = {symbol.name for symbol in self.rows if not symbol.depth}
        clash = next((one for one in new if one.bound & declared), None)
        made = clash or placed_imports(path, self.page.lines, lines)
        if isinstance(made, Import):
            raise _No(_no_place(made, lines, self.merge.line_of(made.start)))
        self.fits += made
        return {row for one in new for row in range(one.start, one.end)}.union(*lists)

    def check_runs(self, rest: list[int]) -> None:
        """Leave to a reading line by line what shows lines together that aren't so in the file: one between them goes.

        import a          import a
        import c          import b
                          import c

        So does one above the first line of all where marks say elsewhere what stays.
        """
        places: dict[str, list[int]] = {}
        solid_rows = [row for row, line in enumerate(self.page.lines) if not is_blank(line)]
        for at, row in enumerate(solid_rows):
            places.setdefault(self.page.lines[row].strip(BLANK), []).append(at)
        first = next((row for row, line in enumerate(self.lines) if not is_blank(line)), -1)
        if self.marks and first in rest:
            top = sum(
                not is_blank(line)
                for piece in top_of(self.page.lines, self.page.path)
                for line in self.page.lines[piece.start : piece.end]
            )
            if all(at > top for at in places.get(self.lines[first].strip(BLANK), [])):
                raise _No(None)
        for above, below in pairwise(rest):
            if any(not is_blank(self.lines[row]) for row in range(above + 1, below)):
                continue  # a mark or a symbol stands between them
            one, two = (places.get(self.lines[row].strip(BLANK), []) for row in (above, below))
            if len(one) == len(two) == 1 and two[0] != one[0] + 1:
                raise _No(None)

    def lead(self, item: Symbol) -> int:
        return max([item.lead, *(row + 1 for row in self.marks if row < item.first)])

    # ── new symbols ─────────────────────────────────────────────────────────────────────────────

    def insert(
        self, items: list[Symbol], places: list[Symbol | None], at: int, outer: tuple[Symbol, Symbol] | None,
        rows: tuple[int, int],
    ) -> None:  # fmt: skip
        """Put a new symbol next to its neighbour in the fence."""
        first = last = at
        while first and places[first - 1] is None:
            first -= 1
        if first < at:
            return  # it went with the one above it
        while last + 1 < len(items) and places[last + 1] is None:
            last += 1
        start, end = self.lead(items[first]), items[last].last + 1
        self.check_new(items[first : last + 1], start)
        above, below = (places[first - 1] if first else None), (places[last + 1] if last + 1 < len(items) else None)
        above_row = items[first - 1].last + 1 if first else rows[0]
        below_row = self.lead(items[last + 1]) if last + 1 < len(items) else rows[1]
        if any(above_row <= row < start for row in self.marks):
            above = None
        if any(end <= row < below_row for row in self.marks):
            below = None
        if above is not None and below is not None and not self.are_neighbours(above, below):
            detail = (
                f"`{items[at].name}` is new and may go below `{above.name}`, above `{below.name}`, or replace others"
            )
            advice = "Show it next to one of them, with `... existing code ...` on the other side."
            raise _No(self.problem("would_shrink", detail, items[at], advice))
        closed = not any(end <= row < rows[1] for row in self.marks) and last + 1 == len(items)
        is_next = above is not None or below is not None  # no mark between
        new = self.lines[start:end]
        if above is None and below is None and closed and outer is not None and self.has_members(outer[1]):
            members = [one for one in self.rows if self.is_member(one, outer[1])]
            above = max(members, key=lambda one: one.last)
        anchor = above or below
        if anchor is None:
            raise _No(self.without_neighbour(items[at]))
        deed = "insert_after" if above is not None else "insert_before"
        gap = [""] if anchor.kind in (*CODE, *TYPES) else []
        shown_gap = start - above_row if above is not None else below_row - end
        gap = [""] * shown_gap if is_next and (first or below is not None) else gap
        self.put(anchor, deed, new, gap, start)

    def put(self, anchor: Symbol, deed: str, new: list[str], gap: list[str], row: int) -> None:
        """Put new lines, from a row of the fence on, right below or above a symbol of the file."""
        text = (*gap, *new) if deed == "insert_after" else (*new, *gap)
        said = Inside(anchor.name_path, None, deed, text=text, patch_line=self.merge.line_of(row))
        made = place_whole(self.page, said, anchor, said.text)
        if isinstance(made, Problem):
            raise _No(made._replace(patch_line=said.patch_line))
        self.fits.append(made)

    def insert_as_told(self, items: list[Symbol]) -> None:
        """Put new symbols where words say: "Add this below `total`:", "Add this method to `Cart`:"."""
        anchor = self.told_neighbour(items)
        if anchor is None or not self.may_go_beside(items, anchor):
            raise _No(self.without_neighbour(items[0]))
        start, end = self.lead(items[0]), items[-1].last + 1
        self.check_new(items, start)
        deed = "insert_before" if self.merge.told.before else "insert_after"
        self.put(anchor, deed, self.lines[start:end], [""] * self.gap_at(anchor), start)

    def told_neighbour(self, items: list[Symbol]) -> Symbol | None:
        """The symbol that words name as the one next to new ones; else the last of the class that they name."""
        told, holder = self.merge.told, self.holder
        if told.after or told.before:
            way = _way(told.after or told.before)
            found = [one for one in self.named(way) if one.kind in (*CODE, *TYPES)]
            found = [one for one in found if holder is None or self.is_member(one, holder)]
            if len(found) > 1:
                raise _No(self.several(items[0], ".".join(way), found))
            return found[0] if found and not (told.after and told.before) else None
        if holder is None or not told.is_new or any(item.kind not in CODE for item in items):
            return None
        last = max((one for one in self.rows if self.is_member(one, holder)), key=lambda one: one.last, default=None)
        body = solid(self.page.lines[holder.row + 1 : holder.last])
        if last is None or any(map(_ACCESS.match, body)):
            return None  # below `private` it would be that, too
        # Inside of `if DEBUG:` it is no end of the class.
        return last if depth_of(self.page.lines[last.first]) <= min(map(depth_of, body), default=0) else None

    def may_go_beside(self, items: list[Symbol], anchor: Symbol) -> bool:
        """Whether functions that are shown are methods as the symbol is: `def f(x):` is none of a class."""
        if self.grammar != "python" or depth_of(self.lines[items[0].first]):
            return True
        bound = [self.is_bound(item) for item in items]
        return all(bound) if anchor.depth else not any(bound)

    def is_bound(self, item: Symbol) -> bool:
        """Whether a function of Python in the fence can only be a method."""
        above, below = self.lines[item.first : item.row], self.lines[item.row : item.last + 1]
        return _takes_self(" ".join(below).partition(")")[0]) or any(_BOUND.match(line.strip(BLANK)) for line in above)

    def gap_at(self, anchor: Symbol) -> int:
        """How many blank lines part a symbol from its neighbours."""
        same = [one for one in self.rows if one.parts[:-1] == anchor.parts[:-1] and one.kind in (*CODE, *TYPES)]
        for above, below in pairwise(same):
            between = self.page.lines[above.last + 1 : below.lead]
            if anchor in (above, below) and all(map(is_blank, between)):
                return len(between)
        return 2 if self.grammar == "python" and not anchor.depth else 1

    def check_new(self, items: list[Symbol], start: int) -> None:
        """Refuse symbols that are new by their names, but whose first line or comment is in the file already."""
        first, last = (self.holder.first, self.holder.last + 1) if self.holder else (0, len(self.page.lines))
        there = {self.page.lines[row].strip(BLANK): row for row in range(first, last)}
        comments = [line.strip(BLANK) for line in solid(self.lines[start : items[0].first])]
        if any(not is_trivial(line) and line in there for line in comments):
            raise _No(None)
        for item in items:
            line = self.lines[item.row].strip(BLANK)
            if line in there and not is_trivial(line):
                raise _No(line_twice(line, there[line])._replace(patch_line=self.merge.line_of(item.first)))

    def has_members(self, outer: Symbol) -> bool:
        return any(self.is_member(one, outer) for one in self.rows)

    def are_neighbours(self, above: Symbol, below: Symbol) -> bool:
        between = [one for one in self.rows if above.last < one.first < below.first]
        return above.last < below.first and not between

    # ── refusals ────────────────────────────────────────────────────────────────────────────────

    def problem(self, kind: ProblemKind, detail: str, item: Symbol, advice: str = "") -> Problem:
        return Problem(kind, detail, patch_line=self.merge.line_of(item.first), advice=advice)

    def several(self, item: Symbol, name: str, found: list[Symbol]) -> Problem:
        listed = ", ".join(f"`{one.name_path}` (line {one.row + 1})" for one in found[:4])
        advice = "Show it inside its class, or name the class."
        return self.problem("ambiguous", f"`{name}` may be any of {listed}", item, advice)

    def without_neighbour(self, item: Symbol) -> Problem:
        names = [one.name for one in self.rows if one.kind in (*CODE, *TYPES) and one.name != item.name]
        listed = ", ".join(f"`{name}`" for name in names[:3]) + (", …" if len(names) > 3 else "")
        detail = f"`{item.name}` isn't in the file, and nothing says where it goes"
        namesake = next((one for one in self.rows if one.name == item.name), None)
        if namesake is not None:  # `f = 10` for `def f():`
            line = self.page.lines[namesake.row].strip()[:60]
            detail = f"the fence defines `{item.name}`, which is `{line}` in the file (line {namesake.row + 1})"
        advice = f"Show it in one fence with the symbol above or below it, or say after which it goes ({listed})."
        return self.problem("symbol_not_found", detail, item, advice if names else "")


def _cut_off(shown: list[str], there: list[str]) -> list[str]:
    """The lines behind those that a function's lines, as shown, are only the beginning of; none where it is whole."""
    width = min(3, len(shown))
    run = shown[-width:]
    if there[-width:] == run or shown[-1] not in there:
        return []
    if shown[-1] == there[-1]:
        ends = [at + width for at in range(len(there) - width) if there[at : at + width] == run]
    else:
        ends = [len(there) - there[::-1].index(shown[-1])]
    behind = there[ends[-1] :] if ends else []
    return [] if all(line in shown for line in behind) else behind


def _borrowed(shown: list[str], known: set[str], others: list[str]) -> str:
    """The first of three lines that stand one below the other elsewhere in the file, and aren't the symbol's; or ""."""
    rows: dict[str, list[int]] = {}
    for row, line in enumerate(others):
        rows.setdefault(line, []).append(row)
    for at in range(len(shown) - _RUN + 1):
        run = shown[at : at + _RUN]
        new = [line for line in run if not is_trivial(line)]
        if (
            len(new) > 1
            and known.isdisjoint(new)
            and any(others[row : row + _RUN] == run for row in rows.get(run[0], ()))
        ):
            return run[0]
    return ""


def _says(comment: str, line: str) -> bool:
    """Whether a line holds all words of a comment: `expect("It is gone now")`, `@expected It is gone now`."""
    words = re.findall(r"(?<![@\w])\w+", comment)
    return len(words) > _RUN and {*words} <= {*re.findall(r"\w+", line)}


def _way(name: str) -> tuple[str, ...]:
    """The names of a way to a symbol: `Cart.total`, `Cart::total`."""
    return tuple(re.split(r"\.|::|#", name)) if name else ()


def _takes_self(header: str) -> bool:
    return re.search(r"\(\s*(?:&\s*)?(?:'\w+\s+)?(?:mut\s+)?(?:self|cls)\b", header) is not None


def _group(symbol: Symbol) -> str:
    return "code" if symbol.kind in CODE else "type" if symbol.kind in _HOLDERS else "value"
