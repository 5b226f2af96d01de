"""Edits of a symbol: the symbol that is meant, chunks inside it, and operations on the whole of it. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from ..answer.marks import is_dots, is_mark
from ..diff import trimmed
from ..model import Chunk, LineSplice, Op, SymbolEdit, Write
from ..problems import Near, Problem, explained
from ..similarity import most_alike
from ..syntax.declarations import Declaration, file_header_end, has_macro_above
from ..syntax.grammars import package_of, parser_of
from ..syntax.languages import grammar_of, language_of
from ..syntax.lexer import code_lines
from ..syntax.symbols import Outline, last_names, resolve
from ..text import (
    BLANK,
    Text,
    characters,
    hash_of,
    indent_of,
    is_hash,
    join,
    patch_lines,
    shared_indent,
    stripped,
)  # fmt: skip
from .explain import EXCERPTS, LISTED, region
from .ladder import TRAILING_SPACE
from .search import index_of, keys_of, lexed

WHOLE = "/"
HOW = "symbol"
_BEFORE_HEADER = ("@", "#", "//", "/*", "[", "template")  # what a symbol may begin with before its header
_MEANING = {
    1: "context", 2: "old lines", 3: "insertion", 4: "deletion", 5: "bounds of the symbol", 6: "end of the symbol",
}  # fmt: skip
# How far a place came: deletions that differ in blanks first, then context below, then old lines.
_PROGRESS = {4: 3, 6: 2, 3: 2, 1: 2, 5: 1, 2: 0}


class FileText:
    """A text, the path of its file, and its symbols once somebody asked for them."""

    __slots__ = ("path", "table", "text")

    def __init__(self, text: Text, path: str, table: Table | None = None) -> None:
        self.text, self.path, self.table = text, path, table

    @property
    def lines(self) -> list[str]:
        """The lines, without their line ends."""
        return self.text.lines


class Within(NamedTuple):
    """The splices of an edit inside a symbol, or what is in the way."""

    splices: list[LineSplice]
    problems: list[Problem]


def place_inside(page: FileText, said: SymbolEdit) -> Within:
    """Check by check: line ends, the symbol, its hash, then every chunk."""
    if said.action == "rename":
        hint, command = "Rename it by itself.", "Use --symbols lsp, or `anypatch rename FILE NAME_PATH NEW`."
        return _refused(said, Problem("no_server", "renaming needs a language server", hint=hint, command=command))
    foreign = _foreign(said, page.text.eol)
    if foreign is not None:
        return _refused(said, foreign)
    symbol = symbol_on(page, said.symbol, said.at)
    if isinstance(symbol, Problem):
        return _refused(said, symbol)
    lines, ends = _lines(page, symbol)
    if said.hash and not is_hash(said.hash, now := hash_of(join(lines, [*ends[:-1], ""]))):
        detail = f"the hash of `{symbol.name_path}` is {now}, not {said.hash}"
        near = Near(symbol.first + 1, tuple(lines), "as it is now")
        return _refused(said, Problem("stale", detail, line=symbol.first + 1, near=(near,)))
    if said.action != "chunks":
        text = _cut(said.text, page.text.eol)
        made = _elided(text, lines) or place_whole(page, said, symbol, text)
        return _refused(said, made) if isinstance(made, Problem) else Within([made], [])
    return _placed(page, said, symbol)


def _elided(new: Sequence[str], old: Sequence[str]) -> Problem | None:
    """New lines must be written out."""
    mark = next((line for line in new if is_mark(line) and not is_dots(line) and line not in old), None)
    if mark is None:
        return None
    shown = mark.strip()[:80]
    return Problem("elision", f"`{shown}` would be written to the file instead of the code it stands for", cited=shown)


def _refused(said: SymbolEdit, problem: Problem) -> Within:
    return Within([], [problem._replace(patch_line=problem.patch_line or said.patch_line)])


def _cut(lines: tuple[str, ...], eol: str) -> tuple[str, ...]:
    """Lines without line ends, cut where one stands inside."""
    return tuple(part for line in lines for part in line.removesuffix(eol).split(eol))


def _foreign(said: SymbolEdit, eol: str) -> Problem | None:
    """What is wrong with the first text whose line ends are not the file's."""
    name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[eol]
    texts = [(*(one.before or ()), *one.old, *one.new, *(one.after or ())) for one in said.chunks]
    for number, lines in enumerate((*texts, said.text), 1):
        if any("\n" in part or "\r" in part for part in _cut(lines, eol)):
            is_chunk = number <= len(texts)
            which = f"chunk {number}, check 7 (line endings)" if is_chunk else "the new text"
            line = said.chunks[number - 1].patch_line if is_chunk else said.patch_line
            return Problem("line_ending", f"{which}: the file's line endings are {name}", patch_line=line)
    return None


# ── the whole of it ──────────────────────────────────────────────────────────────────────────────


def place_whole(page: FileText, said: SymbolEdit, symbol: Declaration, text: tuple[str, ...]) -> LineSplice | Problem:
    """The one splice of an operation on a whole symbol."""
    first = symbol.first
    if said.lead or said.action == "insert_before":
        # Comments right above it are its own, but not the file's shebang and licence.
        rows = page.lines if symbol.kind == "file" and said.action == "insert_before" else page.lines[: symbol.first]
        first = max(symbol.lead, file_header_end(rows))
    if any(beside(page, symbol)):
        detail = f"`{symbol.name_path}` shares a line with other code"
        return Problem("overlap", detail, line=symbol.first + 1, advice="Replace the lines as text.")
    if said.action == "delete" and not said.lead and has_macro_above(symbol, page.lines[symbol.first - 1]):
        detail = f"`{page.lines[symbol.first - 1].strip()}`, right above it, may belong to `{symbol.name_path}`"
        advice = "Set `with_lead` to delete it, too, or delete the lines as text."
        return Problem("ambiguous", detail, line=symbol.first, advice=advice)
    start = symbol.last + 1 if said.action == "insert_after" else first
    end = first if said.action == "insert_before" else symbol.last + 1
    column = _at_column(page, symbol, text)
    if isinstance(column, Problem):
        return column
    lines, begun = column
    if begun and said.action == "replace":
        # Whoever begins at the symbol's first character ends at its last: a comment after that stays.
        lines = (*lines[:-1], _with_comment(page, lines[-1], symbol.last))
    return LineSplice(start, end, lines, HOW)


def _at_column(page: FileText, symbol: Declaration, text: tuple[str, ...]) -> tuple[tuple[str, ...], bool] | Problem:
    """The text indented as its place in the file asks for, and whether only its first line had to be moved.

    def f(self):              def f(self):
            return 1              return 1         the one begins at the symbol's column, the other is a block
    """
    shown = [line for line in text if line.strip()]
    if symbol.kind == "file" or not shown or symbol.first >= len(page.lines):
        return text, False
    own, base = indent_of(shown[0]), indent_of(page.lines[symbol.first])
    if own == base:
        return text, False
    first = next(row for row, line in enumerate(text) if line.strip())
    others = [indent_of(line) for line in shown[1:]]
    least = len(base) + (not shown[0].lstrip().startswith(_BEFORE_HEADER))  # what follows `def f():` is deeper
    begun = bool(others) and all(indent.startswith(base) for indent in others) and len(others[0]) >= least
    if base.endswith(own) and begun:
        return (*text[:first], base + text[first].lstrip(), *text[first + 1 :]), True
    if shared_indent(shown) == own:
        return tuple(base + line[len(own) :] if line.strip() else line for line in text), False
    detail = f"the indentation of the new text doesn't match that of `{symbol.name_path}`"
    advice = f"Indent its first line by {len(base)} spaces, and the others relative to it."
    return Problem("ambiguous", detail, line=symbol.first + 1, advice=advice)


def _with_comment(page: FileText, line: str, row: int) -> str:
    """A new last line with the comment behind the code of the old one, unless it has its own."""
    language = language_of(page.path)
    code = lexed(page.text, language).code[row] if language is not None else ""
    _, code, comment = page.lines[row].partition(code) if code else ("", "", "")
    if language is None or not comment.strip(BLANK) or code_lines([line], language) != [line.strip(BLANK)]:
        return line
    return line.rstrip(BLANK) + comment


def beside(page: FileText, symbol: Declaration) -> tuple[str, str]:
    """The code that stands on the symbol's lines and isn't its own: before it, behind it. A comment is nobody's."""
    if symbol.kind == "file" or not page.lines:
        return "", ""
    first, last = page.lines[symbol.first], page.lines[symbol.last]
    head = first[: characters(first, symbol.start)]
    tail = last[characters(last, symbol.stop) :].rstrip(BLANK)
    rest = tail.lstrip(BLANK + ",;")
    foreign = rest and not rest.startswith(("//", "#", "/*", "--", "<!--"))
    return head if head.strip(BLANK) else "", tail if foreign else ""


# ── chunks inside it ─────────────────────────────────────────────────────────────────────────────


def _placed(page: FileText, said: SymbolEdit, symbol: Declaration) -> Within:
    body, eol = part(page, symbol), page.text.eol
    fits: list[LineSplice] = []
    problems: list[Problem] = []
    for number, chunk in enumerate(said.chunks, 1):
        before, after = (None if side is None else _cut(side, eol) for side in (chunk.before, chunk.after))
        cut = Chunk(before, _cut(chunk.old, eol), _cut(chunk.new, eol), after)
        made = _fitted(page, symbol, body, cut, number)
        if isinstance(made, LineSplice):
            fits.append(made)
        else:
            problems.append(made._replace(patch_line=chunk.patch_line or said.patch_line))
    return Within(fits, problems)


def _fitted(page: FileText, symbol: Declaration, body: FileText, chunk: Chunk, number: int) -> LineSplice | Problem:
    """The splice of a chunk that has one place, leaves nothing out, and lets code stand that isn't the symbol's."""
    places = _places(body, chunk)
    if not places:
        return _not_found(page, symbol, body, chunk, number)
    if len(places) > 1:
        return _ambiguous(page, symbol, places, number)
    elided = _elided(chunk.new, chunk.old)
    if elided:
        return elided
    start = symbol.first + places[0]
    end = start + len(chunk.old)
    head, tail = beside(page, symbol)
    new = chunk.new or ("",)
    lost = head if start == symbol.first and start < end and not new[0].startswith(head) else ""
    if symbol.last < end and start < end and not new[-1].rstrip(BLANK).endswith(tail):
        lost = lost or tail
    if lost:
        detail = f"chunk {number} changes `{lost.strip()}`, which isn't part of `{symbol.name_path}`"
        return Problem("overlap", detail, line=start + 1, advice="Keep it, or edit the symbol it belongs to.")
    return LineSplice(start, end, chunk.new, HOW)


def _places(body: FileText, chunk: Chunk) -> list[int]:
    """The rows, counted from the symbol's first, where the old lines (or the gap for new ones) may be."""
    found: list[int] = []
    for before in _readings(chunk.before):
        for after in _readings(chunk.after):
            wanted = (*before, *chunk.old, *after)
            rows = _rows(body, wanted) if wanted else [0] * (not body.lines)
            for row in rows:
                if (row and not before) or (row + len(wanted) < len(body.lines) and not after):
                    continue
                start = row + len(before)
                if chunk.new or tuple(body.lines[start : start + len(chunk.old)]) == chunk.old:
                    found.append(start)
    return sorted(set(found))


def _rows(body: FileText, lines: tuple[str, ...]) -> list[int]:
    """Where lines are, exact but for blanks at the ends of lines."""
    return index_of(body.text, TRAILING_SPACE, None).runs(TRAILING_SPACE.keys(lines))


def _readings(side: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """An edge, lines, or, where nothing was said but "", either an edge or a blank line."""
    return [(), ("",)] if side is None else [side]


def _ambiguous(page: FileText, symbol: Declaration, places: list[int], number: int) -> Problem:
    """All places that fit."""
    rows = [symbol.first + place for place in places]
    shown = ", ".join(str(row + 1) for row in rows[:LISTED])
    detail = f"chunk {number} fits in {len(rows)} places in `{symbol.name_path}`: lines {shown}"
    near = tuple(region(page.text, row, "it fits here") for row in rows[:EXCERPTS])
    advice = "Add lines to its context until only one place fits."
    return Problem("ambiguous", detail, line=rows[0] + 1, advice=advice, near=near)


def _not_found(page: FileText, symbol: Declaration, body: FileText, chunk: Chunk, number: int) -> Problem:
    """The check that failed at the place that fitted best, of all right behind the lines before the chunk."""
    bare = keys_of(body.text, TRAILING_SPACE, None)
    failed = [
        _failed(bare, chunk, row + len(before))
        for before in _readings(chunk.before)
        for row in (_rows(body, before) if before else [0])
    ]
    check, row, why = max(failed, key=lambda one: (_PROGRESS[one[0]], one[1]), default=(0, 0, ""))
    if not check:  # the lines before stand nowhere: show what is most like the last of them
        last = chunk.before[-1].strip() if chunk.before else ""
        row = max(most_alike(last, stripped(bare)), 0) if last else 0
        check, why = 1, f"the lines of context_before, up to `{last}`, are not in the symbol"
    line = symbol.first + row
    detail = f"chunk {number} in `{symbol.name_path}`, check {check} ({_MEANING[check]}): {why}"
    return Problem(
        "not_found", detail, line=min(line, symbol.last) + 1, near=(region(page.text, min(line, symbol.last)),)
    )


def _failed(bare: list[str], chunk: Chunk, start: int) -> tuple[int, int, str]:
    """(check, row, why) of a chunk that would begin at a row and doesn't fit."""
    old = [line.rstrip(BLANK) for line in chunk.old]
    end = start + len(old)
    for row, line in enumerate(old, start):
        if row >= len(bare):
            return 5, row, f"old line {row - start + 1}, `{line.strip()}`, is beyond the end of the symbol"
        if bare[row] != line:
            return 2, row, f"old line {row - start + 1} is `{line}`, but the file has `{bare[row]}`"
    if not chunk.after and end < len(bare):
        return 6, end, f"nothing may follow, but `{bare[end].strip()}` does"
    for row, line in enumerate((text.rstrip(BLANK) for text in chunk.after or ()), end):
        if row >= len(bare):
            return 5, row, f"`{line.strip()}` should follow, but the symbol ends"
        if bare[row] != line:
            said = f"`{line}` should follow, but `{bare[row]}` does"
            return (
                (1, row, said) if old else (3, row, f"the lines above and below an insertion must be adjacent: {said}")
            )
    return 4, start, "lines to be deleted must match exactly, trailing spaces included"


# ── which symbol is meant ────────────────────────────────────────────────────────────────────────


def symbol_on(
    page: FileText, name_path: str, at: tuple[int, int] | None, *, as_text: bool = False, brief: bool = False
) -> Declaration | Problem:
    """The symbol meant, if its span can be trusted. `as_text`: what it holds is looked through as text only.

    `brief`: others that may be meant are not looked for.
    """
    from ..syntax.damaged import confirm_lines
    from ..syntax.symbols import whole_file

    if name_path == WHOLE:
        return whole_file(len(page.lines))
    found = _known(page, name_path, at, as_text, not brief) or _read(page, name_path, at, not brief)
    symbols = page.table.symbols if page.table else None
    if isinstance(found, Problem):
        return found
    assert symbols is not None
    if not symbols.errors and found.engine != "scanner" and found.other_last < 0:
        return found
    return confirm_lines(page.path, page.text.text, found, symbols.errors)


def _known(
    page: FileText, name_path: str, at: tuple[int, int] | None, as_text: bool, few: bool
) -> Declaration | Problem | None:
    """The symbol by what was read of the text before, if that still tells; where many names mean none, that they do."""
    table = page.table
    if table is None or table.symbols is None:
        return None
    if table.is_fresh:
        return table.find(name_path, at, suggest=few)
    found = table.find(name_path, None, suggest=few) if not at else None
    if found is None or isinstance(found, Problem):
        return None if few else found
    return table.now(found, as_text=as_text and not table.symbols.errors)


def _read(page: FileText, name_path: str, at: tuple[int, int] | None, few: bool) -> Declaration | Problem:
    """The symbol by the text as it is now. A text that nobody could read isn't tried again."""
    grammar = grammar_of(page.path)
    if page.table is None or page.table.symbols is not None:
        from ..syntax.symbols import outline_by_all

        found = outline_by_all(grammar, page.path, page.text.text)
        page.table = Table(found, len(page.lines))
    if page.table.symbols is None:
        return no_grammar(page.path, grammar)
    return page.table.find(name_path, at, suggest=few)


def no_grammar(path: str, grammar: str) -> Problem:
    """What to install, if that is known."""
    name = path.rsplit("/", 1)[-1]
    by_text = "Ask the model to edit the file by its text."
    if not grammar:
        return Problem("no_grammar", f"no grammar is known for {name}", hint=by_text)
    if parser_of(grammar) is not None:
        return Problem("no_grammar", f"{name} has too many syntax errors to be analysed", hint=by_text)
    return Problem("no_grammar", f"the grammar for {name} isn't installed", hint=f"Install {package_of(grammar)}.")


def _lines(page: FileText, symbol: Declaration) -> tuple[list[str], list[str]]:
    """The symbol's whole lines, and their line ends."""
    return page.lines[symbol.first : symbol.last + 1], page.text.ends[symbol.first : symbol.last + 1]


def part(page: FileText, symbol: Declaration) -> FileText:
    """The symbol's lines as a page of their own."""
    lines, ends = _lines(page, symbol)
    return FileText(
        Text(
            "\n".join(["", *lines, ""]), False, ends[-1:] != [""], page.text.eol, None if page.text.is_plain else ends
        ),
        page.path,
    )


def put_back(page: FileText, symbol: Declaration, part: Text) -> LineSplice:
    """The symbol's lines as such a page has them after edits; those at either end that are the same stay."""
    start, end, head, stop = trimmed(page.lines[symbol.first : symbol.last + 1], part.lines)
    return LineSplice(symbol.first + start, symbol.first + end, tuple(part.lines[head:stop]), HOW)


def as_whole_symbol(op: Op, symbol: str) -> SymbolEdit:
    """A file written or deleted, where a symbol is meant."""
    if not isinstance(op, Write):
        return SymbolEdit(symbol, None, "delete", patch_line=op.patch_line)
    lines = tuple(patch_lines(op.text.removesuffix("\n")))
    return SymbolEdit(symbol, None, "replace", text=lines, patch_line=op.patch_line)


def lowered(problem: Problem, symbol: Declaration) -> Problem:
    """A problem found in such a text, as one of the whole file; it is explained when somebody looks."""

    def explain(_: Problem) -> Problem:
        told = explained(problem)
        near = tuple(
            one._replace(line=one.line + symbol.first, at=one.at and one.at + symbol.first) for one in told.near
        )
        line = told.line + symbol.first if told.line else 0
        return told._replace(line=line, near=near, detail=f"{told.detail} (looked for only in `{symbol.name_path}`)")

    return problem._replace(explain=explain)


def names_source(path: str) -> bool:
    """Whether a path is that of a file with symbols, be it there or not."""
    return bool(grammar_of(path))


class Table:
    """The symbols of a page's text as it was when they were read, followed through the splices made since.

    A patch names the symbols of the text that its author saw: one whose lines are still those needs no second reading.
    2,000 operations on the functions of a file would read it 2,000 times.
    """

    __slots__ = ("_by_name", "_rows", "is_fresh", "symbols")

    def __init__(self, symbols: Outline | None, count: int) -> None:
        self.symbols = symbols
        self.is_fresh = True
        # For every line as it is now the row that it had then; a new one has that of the line above it and a half.
        self._rows: list[float] = list(range(count)) if symbols else []
        self._by_name: dict[str, list[Declaration]] = {}
        for symbol in symbols.rows if symbols else ():
            self._by_name.setdefault(symbol.name, []).append(symbol)

    def spliced(self, splices: Sequence[LineSplice]) -> Table:
        """The table for the text that some splices make of this one's."""
        other = Table(None, 0)
        other.symbols, other._by_name, other._rows, other.is_fresh = self.symbols, self._by_name, self._rows[:], False
        for start, end, lines, _ in reversed(splices):
            above = other._rows[start - 1] // 1 if start else -1
            other._rows[start:end] = [above + 0.5] * len(lines)
        return other

    def find(self, name_path: str, at: tuple[int, int] | None, *, suggest: bool = True) -> Declaration | Problem:
        """The one symbol that is meant, as it was; only namesakes are looked at, where it needs no others."""
        assert self.symbols is not None
        if name_path and "[" not in name_path:
            named = [symbol for name in last_names(name_path) for symbol in self._by_name.get(name, ())]
            found = resolve(named, name_path, at, suggest=False)
            if not isinstance(found, Problem) or not (named or suggest):
                return found
        return resolve(self.symbols.rows, name_path, at, suggest=suggest)

    def now(self, symbol: Declaration, *, as_text: bool) -> Declaration | None:
        """The symbol where it stands now; None where its lines aren't those any more.

        `as_text`: those inside may differ, if only the first and the last are the same.
        """
        first, row, last, lead = map(self._row, (symbol.first, symbol.row, symbol.last, symbol.lead))
        if min(first, row, last, lead) < 0:
            return None
        if self._rows[lead : last + 1] == list(range(symbol.lead, symbol.last + 1)):
            by, other, inner = first - symbol.first, symbol.other_last, symbol.inner
            inner = (inner[0] + by, inner[1], inner[2] + by, inner[3]) if inner else None
            other = other + by if other >= 0 else other
            return symbol._replace(first=first, row=row, last=last, lead=lead, inner=inner, other_last=other)
        return symbol._replace(first=first, row=row, last=last, lead=lead) if as_text else None

    def _row(self, row: int) -> int:
        at = bisect_left(self._rows, row)
        return at if self._rows[at : at + 1] == [row] else -1
