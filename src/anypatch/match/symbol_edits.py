"""Edits of a symbol: find it by its name, place chunks inside it, replace or delete the whole of it. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import product

from ..answer.marks import is_dots, is_mark
from ..diff import trimmed
from ..model import Chunk, LineSplice, Op, SymbolEdit, Write
from ..problems import Near, Problem, Refused, explained
from ..similarity import most_alike
from ..syntax.declarations import Declaration, file_header_end
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

WHOLE_FILE = "/"
_LEVEL = "symbol"
_ABOVE_HEADER = ("@", "#", "//", "/*", "[", "template")  # what a symbol may begin with above its header
# The checks of the specification of symbol chunks.
_CHECKS = {
    1: "context", 2: "old lines", 3: "insertion", 4: "deletion", 5: "bounds of the symbol", 6: "end of the symbol",
}  # fmt: skip
# How well a place fits, by the check it fails: best if only white space of a deletion differs, worst if old lines do.
_FITNESS = {4: 3, 6: 2, 3: 2, 1: 2, 5: 1, 2: 0}


class SourceText:
    """A text, the path of its file, and its symbols once they were asked for."""

    __slots__ = ("path", "symbols", "text")

    def __init__(self, text: Text, path: str, symbols: SymbolTable | None = None) -> None:
        self.text, self.path, self.symbols = text, path, symbols

    @property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return self.text.lines


def place_inside(source: SourceText, edit: SymbolEdit) -> list[LineSplice]:
    """Check the line endings, find the symbol, check its hash, then place every chunk or the whole text.

    Raise `Refused` with everything that is in the way.
    """
    try:
        return _place(source, edit)
    except Refused as refused:
        problems = [problem._replace(patch_line=problem.patch_line or edit.patch_line) for problem in refused.problems]
        raise Refused(*problems) from None


def _place(source: SourceText, edit: SymbolEdit) -> list[LineSplice]:
    if edit.action == "rename":
        hint, command = "Rename it by itself.", "Use --symbols lsp, or `anypatch rename FILE NAME_PATH NEW`."
        raise Refused(Problem("no_server", "renaming needs a language server", hint=hint, command=command))
    eol = source.text.eol
    _check_line_endings(edit, eol)
    symbol = find_symbol(source, edit.symbol, edit.at)
    lines, ends = _lines_of(source, symbol)
    if edit.hash and not is_hash(edit.hash, current := hash_of(join(lines, [*ends[:-1], ""]))):
        detail = f"the hash of `{symbol.name_path}` is {current}, not {edit.hash}"
        near = Near(symbol.first + 1, tuple(lines), "as it is now")
        raise Refused(Problem("stale", detail, line=symbol.first + 1, near=(near,)))
    if edit.action == "chunks":
        return _place_chunks(source, edit, symbol)
    new = _split(edit.text, eol)
    _check_elision(new, lines)
    return [_place_whole(source, edit, symbol, new)]


def _check_elision(new: Sequence[str], old: Sequence[str]) -> None:
    """Refuse new lines with a mark for left-out code."""
    mark = next((line for line in new if is_mark(line) and not is_dots(line) and line not in old), None)
    if mark is not None:
        shown = mark.strip()[:80]
        detail = f"`{shown}` would be written to the file instead of the code it stands for"
        raise Refused(Problem("elision", detail, cited=shown))


def _split(lines: tuple[str, ...], eol: str) -> tuple[str, ...]:
    """Return lines without their endings; one that holds a line ending is several lines."""
    return tuple(part for line in lines for part in line.removesuffix(eol).split(eol))


def _check_line_endings(edit: SymbolEdit, eol: str) -> None:
    """Refuse the first text whose line endings aren't those of the file."""
    name = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}[eol]
    texts = [(*(chunk.before or ()), *chunk.old, *chunk.new, *(chunk.after or ())) for chunk in edit.chunks]
    for number, lines in enumerate((*texts, edit.text), 1):
        if any("\n" in part or "\r" in part for part in _split(lines, eol)):
            is_chunk = number <= len(texts)
            which = f"chunk {number}, check 7 (line endings)" if is_chunk else "the new text"
            line = edit.chunks[number - 1].patch_line if is_chunk else edit.patch_line
            raise Refused(Problem("line_ending", f"{which}: the file's line endings are {name}", patch_line=line))


# ── the whole symbol ─────────────────────────────────────────────────────────────────────────────


def _place_whole(source: SourceText, edit: SymbolEdit, symbol: Declaration, new: tuple[str, ...]) -> LineSplice:
    """Return the splice of an operation on a whole symbol. Comments right above it go with it if the edit says so."""
    if any(_shared_code(source, symbol)):
        detail = f"`{symbol.name_path}` shares a line with other code"
        raise Refused(Problem("overlap", detail, line=symbol.first + 1, advice="Replace the lines as text."))
    first = symbol.first
    if edit.lead or edit.action == "insert_before":
        # The file's shebang and licence aren't comments of its first symbol.
        rows = source.lines if symbol.kind == "file" and edit.action == "insert_before" else source.lines[:first]
        first = max(symbol.lead, file_header_end(rows))
    start = symbol.last + 1 if edit.action == "insert_after" else first
    end = first if edit.action == "insert_before" else symbol.last + 1
    lines, began_at_column = _indented(source, symbol, new)
    if began_at_column and edit.action == "replace":
        # A text that begins at the symbol's first character also ends at its last: a comment after that stays.
        lines = (*lines[:-1], _with_comment(source, lines[-1], symbol.last))
    return LineSplice(start, end, lines, _LEVEL)


def _indented(source: SourceText, symbol: Declaration, new: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
    """Indent new lines as their place asks for, and say if only the first line had to be moved.

    def f(self):              def f(self):
            return 1              return 1         the first text begins at the symbol's column, the second is a block
    """
    shown = [line for line in new if line.strip()]
    if symbol.kind == "file" or not shown or symbol.first >= len(source.lines):
        return new, False
    own, base = indent_of(shown[0]), indent_of(source.lines[symbol.first])
    if own == base:
        return new, False
    if base.endswith(own) and _begins_at_column(shown, base):
        row = new.index(shown[0])
        return (*new[:row], base + shown[0].lstrip(), *new[row + 1 :]), True
    if shared_indent(shown) == own:
        return tuple(base + line[len(own) :] if line.strip() else line for line in new), False
    detail = f"the indentation of the new text doesn't match that of `{symbol.name_path}`"
    advice = f"Indent its first line by {len(base)} spaces, and the others relative to it."
    raise Refused(Problem("ambiguous", detail, line=symbol.first + 1, advice=advice))


def _begins_at_column(lines: Sequence[str], base: str) -> bool:
    """Return True if all lines but the first are indented as in the file: at least by `base`."""
    indents = [indent_of(line) for line in lines[1:]]
    is_header = not lines[0].lstrip().startswith(_ABOVE_HEADER)  # what follows `def f():` is deeper
    return (
        bool(indents)
        and len(indents[0]) >= len(base) + is_header
        and all(map(str.startswith, indents, [base] * len(indents)))
    )


def _with_comment(source: SourceText, line: str, row: int) -> str:
    """Add the comment after the code of a row to a new line, unless that has its own."""
    language = language_of(source.path)
    code = lexed(source.text, language).code[row] if language is not None else ""
    _, code, comment = source.lines[row].partition(code) if code else ("", "", "")
    if language is None or not comment.strip(BLANK) or code_lines([line], language) != [line.strip(BLANK)]:
        return line
    return line.rstrip(BLANK) + comment


def _shared_code(source: SourceText, symbol: Declaration) -> tuple[str, str]:
    """Return the code on the symbol's lines that isn't its own, before it and after it. A comment isn't code."""
    if symbol.kind == "file" or not source.lines:
        return "", ""
    first, last = source.lines[symbol.first], source.lines[symbol.last]
    head = first[: characters(first, symbol.start)]
    tail = last[characters(last, symbol.stop) :].rstrip(BLANK)
    rest = tail.lstrip(BLANK + ",;")
    is_code = rest and not rest.startswith(("//", "#", "/*", "--", "<!--"))
    return head if head.strip(BLANK) else "", tail if is_code else ""


# ── chunks inside a symbol ───────────────────────────────────────────────────────────────────────


def _place_chunks(source: SourceText, edit: SymbolEdit, symbol: Declaration) -> list[LineSplice]:
    body, eol = text_of_symbol(source, symbol), source.text.eol
    splices: list[LineSplice] = []
    problems: list[Problem] = []
    for number, chunk in enumerate(edit.chunks, 1):
        before, after = (None if side is None else _split(side, eol) for side in (chunk.before, chunk.after))
        lines = Chunk(before, _split(chunk.old, eol), _split(chunk.new, eol), after)
        try:
            splices.append(_place_chunk(source, symbol, body, lines, number))
        except Refused as refused:
            problems += [problem._replace(patch_line=chunk.patch_line) for problem in refused.problems]
    if problems:
        raise Refused(*problems)
    return splices


def _place_chunk(source: SourceText, symbol: Declaration, body: Text, chunk: Chunk, number: int) -> LineSplice:
    """Return the splice of a chunk that has one place, leaves nothing out, and keeps code that isn't the symbol's."""
    rows = _rows_of_chunk(body, chunk)
    if not rows:
        raise Refused(_not_found(source, symbol, body, chunk, number))
    if len(rows) > 1:
        raise Refused(_ambiguous(source, symbol, rows, number))
    _check_elision(chunk.new, chunk.old)
    start = symbol.first + rows[0]
    end = start + len(chunk.old)
    head, tail = _shared_code(source, symbol)
    new = chunk.new or ("",)
    lost = head if start == symbol.first and start < end and not new[0].startswith(head) else ""
    if symbol.last < end and start < end and not new[-1].rstrip(BLANK).endswith(tail):
        lost = lost or tail
    if lost:
        detail = f"chunk {number} changes `{lost.strip()}`, which isn't part of `{symbol.name_path}`"
        raise Refused(Problem("overlap", detail, line=start + 1, advice="Keep it, or edit the symbol it belongs to."))
    return LineSplice(start, end, chunk.new, _LEVEL)


def _rows_of_chunk(body: Text, chunk: Chunk) -> list[int]:
    """Return the rows, counted from the symbol's first, where the old lines may be, or the gap for new ones."""
    rows: set[int] = set()
    for before, after in product(_alternatives(chunk.before), _alternatives(chunk.after)):
        wanted = (*before, *chunk.old, *after)
        for row in _rows_of(body, wanted) if wanted else [0] * (not body.lines):
            is_at_edges = (before or row == 0) and (after or row + len(wanted) == len(body.lines))
            if is_at_edges and (chunk.new or _has_lines(body, row + len(before), chunk.old)):
                rows.add(row + len(before))
    if not rows and chunk.old and chunk.before == chunk.after == ():
        # Without any context the chunk may be the whole symbol; if it isn't, its old lines alone are the place.
        rows.update(row for row in _rows_of(body, chunk.old) if _has_lines(body, row, chunk.old))
    return sorted(rows)


def _has_lines(body: Text, row: int, lines: tuple[str, ...]) -> bool:
    """Return True if exactly these lines begin at a row."""
    return tuple(body.lines[row : row + len(lines)]) == lines


def _rows_of(body: Text, lines: tuple[str, ...]) -> list[int]:
    """Return the rows where lines begin, ignoring trailing white space."""
    return index_of(body, TRAILING_SPACE, None).runs(TRAILING_SPACE.keys(lines))


def _alternatives(side: tuple[str, ...] | None) -> list[tuple[str, ...]]:
    """Return what a side of a chunk may be. `""`, which is None here, is the edge of the symbol or a blank line."""
    return [(), ("",)] if side is None else [side]


def _ambiguous(source: SourceText, symbol: Declaration, places: list[int], number: int) -> Problem:
    rows = [symbol.first + place for place in places]
    shown = ", ".join(str(row + 1) for row in rows[:LISTED])
    detail = f"chunk {number} fits in {len(rows)} places in `{symbol.name_path}`: lines {shown}"
    near = tuple(region(source.text, row, "it fits here") for row in rows[:EXCERPTS])
    advice = "Add lines to its context until only one place fits."
    return Problem("ambiguous", detail, line=rows[0] + 1, advice=advice, near=near)


def _not_found(source: SourceText, symbol: Declaration, body: Text, chunk: Chunk, number: int) -> Problem:
    """Return the check that failed at the place that fits best, of all after the lines before the chunk."""
    lines = keys_of(body, TRAILING_SPACE, None)
    failed = [
        _failed_check(lines, chunk, row + len(before))
        for before in _alternatives(chunk.before)
        for row in (_rows_of(body, before) if before else [0])
    ]
    check, row, reason = max(failed, key=lambda failure: (_FITNESS[failure[0]], failure[1]), default=(0, 0, ""))
    if not check:  # the lines before the chunk aren't in the symbol: show the line most like the last of them
        last = chunk.before[-1].strip() if chunk.before else ""
        row = max(most_alike(last, stripped(lines)), 0) if last else 0
        check, reason = 1, f"the lines of context_before, up to `{last}`, are not in the symbol"
    row = min(symbol.first + row, symbol.last)
    detail = f"chunk {number} in `{symbol.name_path}`, check {check} ({_CHECKS[check]}): {reason}"
    return Problem("not_found", detail, line=row + 1, near=(region(source.text, row),))


def _failed_check(lines: list[str], chunk: Chunk, start: int) -> tuple[int, int, str]:
    """Return the check that a chunk fails if it begins at a row, the row where it fails, and the reason."""
    old = [line.rstrip(BLANK) for line in chunk.old]
    end = start + len(old)
    for row, line in enumerate(old, start):
        if row >= len(lines):
            return 5, row, f"old line {row - start + 1}, `{line.strip()}`, is beyond the end of the symbol"
        if lines[row] != line:
            return 2, row, f"old line {row - start + 1} is `{line}`, but the file has `{lines[row]}`"
    if not chunk.after and end < len(lines):
        return 6, end, f"nothing may follow, but `{lines[end].strip()}` does"
    for row, line in enumerate((text.rstrip(BLANK) for text in chunk.after or ()), end):
        if row >= len(lines):
            return 5, row, f"`{line.strip()}` should follow, but the symbol ends"
        if lines[row] != line:
            reason = f"`{line}` should follow, but `{lines[row]}` does"
            if old:
                return 1, row, reason
            return 3, row, f"the lines above and below an insertion must be adjacent: {reason}"
    return 4, start, "lines to be deleted must match exactly, trailing spaces included"


# ── finding the symbol ───────────────────────────────────────────────────────────────────────────


def find_symbol(
    source: SourceText, name_path: str, at: tuple[int, int] | None, *, as_text: bool = False, brief: bool = False
) -> Declaration:
    """Find the symbol with a name path, or at a position; refuse one that isn't there, or whose rows aren't certain.

    `as_text`: its lines are only searched for text. `brief`: a refusal needn't name similar symbols.
    """
    from ..syntax.damaged import confirm_lines
    from ..syntax.symbols import whole_file

    if name_path == WHOLE_FILE:
        return whole_file(len(source.lines))
    symbol = _find_before_splices(source, name_path, at, as_text, brief) or _find_now(source, name_path, at, brief)
    if not isinstance(symbol, Problem):
        assert source.symbols is not None and source.symbols.outline is not None
        errors = source.symbols.outline.errors
        if errors or symbol.engine == "scanner" or symbol.other_last >= 0:
            symbol = confirm_lines(source.path, source.text.text, symbol, errors)
    if isinstance(symbol, Problem):
        raise Refused(symbol)
    return symbol


def _find_before_splices(
    source: SourceText, name_path: str, at: tuple[int, int] | None, as_text: bool, brief: bool
) -> Declaration | Problem | None:
    """Find the symbol by what was read of the file before it was changed; None if that doesn't tell any more."""
    table = source.symbols
    if table is None or table.outline is None:
        return None
    if table.is_current:
        return table.find(name_path, at, suggest=not brief)
    symbol = table.find(name_path, None, suggest=not brief) if not at else None
    if symbol is None or isinstance(symbol, Problem):
        return symbol if brief else None
    return table.moved(symbol, as_text=as_text and not table.outline.errors)


def _find_now(source: SourceText, name_path: str, at: tuple[int, int] | None, brief: bool) -> Declaration | Problem:
    """Find the symbol in the text as it is now. A text that can't be read isn't tried again."""
    grammar = grammar_of(source.path)
    if source.symbols is None or source.symbols.outline is not None:
        from ..syntax.symbols import outline_by_all

        outline = outline_by_all(grammar, source.path, source.text.text)
        source.symbols = SymbolTable(outline, len(source.lines))
    if source.symbols.outline is None:
        return _no_grammar(source.path, grammar)
    return source.symbols.find(name_path, at, suggest=not brief)


def _no_grammar(path: str, grammar: str) -> Problem:
    """Say what to install, if that is known."""
    name = path.rsplit("/", 1)[-1]
    by_text = "Ask the model to edit the file by its text."
    if not grammar:
        return Problem("no_grammar", f"no grammar is known for {name}", hint=by_text)
    if parser_of(grammar) is not None:
        return Problem("no_grammar", f"{name} has too many syntax errors to be analysed", hint=by_text)
    return Problem("no_grammar", f"the grammar for {name} isn't installed", hint=f"Install {package_of(grammar)}.")


def names_source(path: str) -> bool:
    """Return True if the file at a path, whether it exists or not, would have symbols."""
    return bool(grammar_of(path))


class SymbolTable:
    """The symbols of a text as it was when they were read, followed through the splices made since.

    A patch names the symbols of the text that its author saw. One whose lines are unchanged needn't be read again:
    2,000 operations on the functions of a file would otherwise read it 2,000 times. `outline`: None if nobody could
    read the text.
    """

    __slots__ = ("_by_name", "_rows", "is_current", "outline")

    def __init__(self, outline: Outline | None, count: int) -> None:
        self.outline = outline
        self.is_current = True
        # For every line as it is now the row that it had then; a new line has that of the line above it and a half.
        self._rows: list[float] = list(range(count)) if outline else []
        self._by_name: dict[str, list[Declaration]] = {}
        for symbol in outline.rows if outline else ():
            self._by_name.setdefault(symbol.name, []).append(symbol)

    def follow(self, splices: Sequence[LineSplice]) -> None:
        """Follow the symbols through some splices."""
        self.is_current = False
        for start, end, lines, _ in reversed(splices):
            above = self._rows[start - 1] // 1 if start else -1
            self._rows[start:end] = [above + 0.5] * len(lines)

    def find(self, name_path: str, at: tuple[int, int] | None, *, suggest: bool = True) -> Declaration | Problem:
        """Find the one symbol with a name path as it was then, if possible by looking only at those of that name."""
        assert self.outline is not None
        if name_path and "[" not in name_path:
            namesakes = [symbol for name in last_names(name_path) for symbol in self._by_name.get(name, ())]
            symbol = resolve(namesakes, name_path, at, suggest=False)
            if not isinstance(symbol, Problem) or not (namesakes or suggest):
                return symbol
        return resolve(self.outline.rows, name_path, at, suggest=suggest)

    def moved(self, symbol: Declaration, *, as_text: bool) -> Declaration | None:
        """Return a symbol at the rows where it is now; None if its lines have changed.

        `as_text`: the lines inside may have changed, if only the first and the last are the same.
        """
        first, row, last, lead = map(self._row_now, (symbol.first, symbol.row, symbol.last, symbol.lead))
        if min(first, row, last, lead) < 0:
            return None
        if self._rows[lead : last + 1] == list(range(symbol.lead, symbol.last + 1)):
            offset, other, inner = first - symbol.first, symbol.other_last, symbol.inner
            inner = (inner[0] + offset, inner[1], inner[2] + offset, inner[3]) if inner else None
            other = other + offset if other >= 0 else other
            return symbol._replace(first=first, row=row, last=last, lead=lead, inner=inner, other_last=other)
        return symbol._replace(first=first, row=row, last=last, lead=lead) if as_text else None

    def _row_now(self, row: int) -> int:
        at = bisect_left(self._rows, row)
        return at if self._rows[at : at + 1] == [row] else -1


# ── a symbol as a text of its own ────────────────────────────────────────────────────────────────


def _lines_of(source: SourceText, symbol: Declaration) -> tuple[list[str], list[str]]:
    """Return the symbol's whole lines, and their endings."""
    return source.lines[symbol.first : symbol.last + 1], source.text.ends[symbol.first : symbol.last + 1]


def text_of_symbol(source: SourceText, symbol: Declaration) -> Text:
    """Return the symbol's lines as a text of their own."""
    lines, ends = _lines_of(source, symbol)
    is_final = ends[-1:] != [""]
    return Text("\n".join(["", *lines, ""]), False, is_final, source.text.eol, None if source.text.is_plain else ends)


def put_back(source: SourceText, symbol: Declaration, edited: Text) -> LineSplice:
    """Return the splice that puts the symbol's edited lines in their place; equal lines at either end stay."""
    start, end, first, last = trimmed(source.lines[symbol.first : symbol.last + 1], edited.lines)
    return LineSplice(symbol.first + start, symbol.first + end, tuple(edited.lines[first:last]), _LEVEL)


def as_symbol_edit(op: Op, name_path: str) -> SymbolEdit:
    """Turn the writing or deleting of a file into that of a symbol."""
    if not isinstance(op, Write):
        return SymbolEdit(name_path, None, "delete", patch_line=op.patch_line)
    lines = tuple(patch_lines(op.text.removesuffix("\n")))
    return SymbolEdit(name_path, None, "replace", text=lines, patch_line=op.patch_line)


def in_whole_file(problem: Problem, symbol: Declaration) -> Problem:
    """Turn a problem in a symbol's own text into one of the whole file; it is explained when somebody looks."""

    def explain(_: Problem) -> Problem:
        inner = explained(problem)
        near = tuple(
            place._replace(line=place.line + symbol.first, at=place.at and place.at + symbol.first)
            for place in inner.near
        )
        line = inner.line + symbol.first if inner.line else 0
        detail = f"{inner.detail} (looked for only in `{symbol.name_path}`)"
        return inner._replace(line=line, near=near, detail=detail)

    return problem._replace(explain=explain)
