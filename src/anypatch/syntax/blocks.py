"""Blocks: where the one that a marker opens ends, and how a new one is joined to the rest of its last line. Pure.

    c_style   { … }                 by braces outside of comments and strings, in one branch of each `#if`
    py        header:               by logical lines and their indentation
    xml       <tag> … </tag>        by tags that are no part of comments, attributes or raw text

No parser: a scanner holds on broken files, and where it finds no end the caller may ask a grammar.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ..problems import Problem
from ..text import end_of_line, pattern
from .languages import C_STYLE, PYTHON, XML, Language
from .lexer import (
    ATTRIBUTES,
    COMMENT,
    FORMS,
    blotted,
    covered,
    flat,
    logical_lines,
    mask,
    raw_end,
    tokens,
)

Span = tuple[int, int]

_OWN = {"c_style": C_STYLE, "py": PYTHON, "xml": XML}


class BlockEnd(NamedTuple):
    """The 0-based line that holds the sign closing a block, and the column just behind it."""

    line: int
    column: int


class Unclosed(Problem):
    """Why no block ends there: one begins, and the text never closes it."""


def block_end(
    kind: str, text: str, language: Language | None, first: int, last: int, payload: str
) -> BlockEnd | Problem:
    """Where the block ends that begins in lines first..last (0-based, inclusive) of the text.

    `payload`, the new text, decides between two blocks that begin there. `language` counts where its family fits.
    """
    if kind == "py":
        return _python_end(text, first, last)
    if kind == "xml":
        return _element_end(text, _spoken(kind, language), first, last)
    return _brace_end(text, _spoken(kind, language), (first, last), payload)


def close(kind: str, payload: list[str], rest: str, language: Language | None) -> list[str] | Problem:
    """The payload's lines joined with `rest`, what stands behind the old block's end on its line."""
    if kind == "py" or not rest.strip():
        return payload
    if kind == "xml":
        # what stood behind the element stays behind it
        filled = [number for number, line in enumerate(payload) if line.strip()]
        if not filled:
            return [rest.strip(" \t")]
        at = filled[-1]
        return [*payload[:at], payload[at] + rest, *payload[at + 1 :]]
    return _close_braces(payload, rest, _spoken(kind, language))


def doubled(kind: str, text: str, language: Language | None, rows: tuple[int, int], payload: str) -> str:
    """What a payload has of its own though it stands beside the block: a decorator above, `except` below; else "".

    `rows`: the first and the last line (0-based) of the block.
    """
    if kind == "py":
        return _doubled_in_python(text, *rows, payload)
    return "" if kind == "xml" else _doubled_in_braces(text, _spoken(kind, language), rows[0], payload)


def _spoken(kind: str, language: Language | None) -> Language:
    own = _OWN[kind]
    return language if language and language.family == own.family else own


# ── places and refusals ────────────────────────────────────────────────────────────────────────────


def _place(text: str, offset: int) -> BlockEnd:
    """An offset as line and column."""
    return BlockEnd(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def _line_number(text: str, offset: int) -> int:
    """The 1-based line of an offset, as people count."""
    return text.count("\n", 0, offset) + 1


def _span_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Start of the 0-based line `first` and end of the line `last`, without its newline."""
    begin = at = 0
    for row in range(last):
        at = text.find("\n", at) + 1 or len(text)
        begin = at if row < first else begin
    return begin, end_of_line(text, at)


def _code_below(text: str, masked: str, end: int, stop: int) -> int:
    """The 1-based line where a marker that ends at `stop` has code below the line its block ends on; 0 if nowhere."""
    below = end_of_line(text, end)
    left = masked[below:stop]
    return _line_number(text, below + len(left) - len(left.lstrip())) if left.strip() else 0


def _no_block(detail: str, line: int, advice: str = "") -> Problem:
    """No block begins or ends there."""
    return Problem("no_block", detail, line=line, advice=advice)


def _beyond(line: int, ends: int) -> Problem:
    """The marker has more lines than the block."""
    detail = f"the block ends on line {ends}, but the marker that opens it goes on to line {line}"
    return _no_block(detail, line, "End the marker where the block ends, or replace the lines as plain text.")


# ── braces ─────────────────────────────────────────────────────────────────────────────────────────


_CONTINUES = r"\s*(else|catch|finally)\b"
_OPEN_IT = "Extend the marker to the opening brace of the block."


class _Balance(NamedTuple):
    """The braces of a piece of text: closing ones without an opening, opening ones without a closing, the last pair."""

    closing: tuple[int, ...]
    opening: tuple[int, ...]
    pair: tuple[int, int] | None


class _Search(NamedTuple):
    """One reading of a file: its text, its braces' text, the marker's span, the payload and its braces' text."""

    text: str
    braces: str
    begin: int
    stop: int
    payload: str
    new: str
    same_start: bool


def _brace_end(text: str, language: Language, lines: tuple[int, int], payload: str) -> BlockEnd | Problem:
    """Just behind the closing brace of the block that begins in the lines."""
    found, new_found = tokens(text, language), tokens(payload, language)
    masked, new = mask(text, found), mask(payload, new_found)
    begin, stop = _span_of(text, *lines)
    shifted = [(max(start - begin, 0), end - begin, kind) for start, end, kind in found if end > begin]
    same_start = _first_line(text[begin:stop], shifted) == _first_line(payload, new_found)
    readings = []
    branches = language.directives and any(turn == "else" for turn, *_ in _directives(masked))
    for last in (False, True) if branches else (False,):
        one, one_new = masked, new
        if language.directives:
            one, one_new = _one_branch(masked, begin, last), _one_branch(new, -1, last)
        readings.append(_brace_offset(_Search(text, one, begin, stop, payload, one_new, same_start)))
    end = _one_of(text, readings, lines[0] + 1)
    if isinstance(end, Problem):
        return end
    return _objection(text, masked, new, (begin, stop, end), language) or _place(text, end)


def _balance(masked: str, begin: int, stop: int) -> _Balance:
    """The braces between two offsets."""
    closing: list[int] = []
    opening: list[int] = []
    pair = None
    for match in pattern("[{}]").finditer(masked, begin, stop):
        if match.group() == "{":
            opening.append(match.start())
        elif opening:
            pair = (opening.pop(), match.start())
        else:
            closing.append(match.start())
    return _Balance(tuple(closing), tuple(opening), pair)


def _doubled_in_braces(text: str, language: Language, first: int, payload: str) -> str:
    """A line like `@Test`, `template <…>` or `[Fact]` above a block, where its payload begins with one too."""
    heads = pattern(r"\s*(?:@(?!interface\b)\w|\[|#\[|template\b)")
    if not heads.match(mask(payload, tokens(payload, language))):
        return ""
    begin, _ = _span_of(text, first, first)
    masked = mask(text, tokens(text, language))
    above = masked[:begin].rstrip()
    at = above.rfind("\n") + 1
    return text[at : len(above)].strip() if heads.match(masked, at) and not heads.match(masked, begin) else ""


def _continuation(masked: str) -> str:
    """The word (else, catch, finally, while) by which a text goes on behind its first whole block; "" for none."""
    depth = 0
    for match in pattern("[{}]").finditer(masked):
        depth += 1 if match.group() == "{" else -1
        if depth <= 0 and match.group() == "}":
            word = pattern(r"\s*(else|catch|finally|while)\b").match(masked, match.end())
            if word or not depth:
                return word.group(1) if word else ""
            depth = 0
    return ""


def _brace_offset(search: _Search) -> int | Problem:
    """The offset behind the closing brace, in one reading of the branches.

    Of several open braces the payload's depth takes one: closed to the end means the outermost.
    """
    marker = _balance(search.braces, search.begin, search.stop)
    new = _balance(search.new, 0, len(search.new))
    line = _line_number(search.text, search.begin)
    problem = _unbalanced(search, marker, new, line)
    if problem:
        return problem
    ends: list[int | Problem] = []
    if not marker.opening:
        following = pattern(r"\s*\{").match(search.braces, search.stop)
        ends += [marker.pair[1] + 1] if marker.pair else []
        ends += [_closing_brace(search, following.end() - 1)] if following else []
    elif len(marker.opening) > 1 and not new.opening and not search.same_start:
        ends += [_closing_brace(search, brace) for brace in (marker.opening[0], marker.opening[-1])]
    else:
        ends.append(_closing_brace(search, marker.opening[len(new.opening)]))
    if not ends:
        return _no_block("the marker opens no block, and no brace follows it", line, _OPEN_IT)
    return next((end for end in ends if isinstance(end, Problem)), None) or _one_of(search.text, ends, line)


def _unbalanced(search: _Search, marker: _Balance, new: _Balance, line: int) -> Problem | None:
    """The payload must leave open and close from outside what the old text did."""
    if not search.payload.strip():
        detail = "the marker begins with the end of another block, so the block can't simply be deleted"
        return _no_block(detail, line) if marker.closing else None
    if len(new.opening) >= max(len(marker.opening), 1):
        offset, what = new.opening[-1], "`{` is never closed"
    elif len(new.closing) > len(marker.closing):
        offset, what = new.closing[len(marker.closing)], "`}` has no opening brace"
    elif len(new.closing) < len(marker.closing):
        offset, what = 0, "the marker's leading `}` is missing in the payload"
    else:
        return None
    at = _line_number(search.payload, offset)
    detail = f"the payload's braces don't balance (line {at} of the payload): {what}"
    return Problem("bad_patch", detail, line=line, advice="Write the whole block in the payload, with all its braces.")


def _closing_brace(search: _Search, brace: int) -> int | Problem:
    depth = 0
    for match in pattern("[{}]").finditer(search.braces, brace):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return match.end()
    line = _line_number(search.text, brace)
    return Unclosed("no_block", f"the brace opened on line {line} is never closed", line=line)


def _one_of(text: str, ends: list[int | Problem], line: int) -> int | Problem:
    """The one end that is left, or a refusal that names them."""
    offsets = [end for end in ends if not isinstance(end, Problem)]
    if not offsets:
        return ends[0]
    if len(set(offsets)) == 1:
        return offsets[0]
    numbers = " or ".join(str(_line_number(text, end)) for end in offsets)
    advice = "Let the marker open one block only, and begin the payload with the marker's first line."
    return Problem("ambiguous", f"the block could end on line {numbers}", line=line, advice=advice)


def _objection(text: str, masked: str, new: str, offsets: tuple[int, int, int], language: Language) -> Problem | None:
    """Why a block that was found may still not be replaced."""
    begin, stop, end = offsets
    below = _code_below(text, masked, end, stop)
    if below:
        return _beyond(below, _line_number(text, end))
    line = _line_number(text, begin)
    if language.directives and _torn(masked[begin:end]) != _torn(new):
        detail = f"lines {line} to {_line_number(text, end)} have one part of an #if … #endif, and the payload another"
        return _no_block(detail, line, "Include the whole conditional, or repeat its directives in the payload.")
    word = pattern(_CONTINUES).match(masked, end)
    if word and "\n" in word.group() and _continuation(new) in ("else", "catch", "finally"):
        at = _line_number(text, word.end())
        detail = f"`{word.group(1)}` follows the block on line {at}, and the payload has its own"
        advice = "Leave that part out of the payload, or replace it as text."
        return Problem("ambiguous", detail, line=line, advice=advice)
    return None


def _first_line(text: str, found: list[tuple[int, int, int]]) -> str:
    """The first line with code, without comments and with single blanks."""
    bare = mask(text, [token for token in found if token[2] == COMMENT and token[0] < len(text)])
    for line in bare[: len(text)].split("\n"):
        if line.strip():
            return " ".join(line.split())
    return ""


_LEAVE_OR_TAKE = "Include that part of the statement in the marker and the payload, or leave it out of the payload."


def _close_braces(payload: list[str], rest: str, language: Language) -> list[str] | Problem:
    """The payload's lines with `rest` where it still belongs."""
    bare = mask(rest, tokens(rest, language))
    text = "\n".join(payload)
    if not text.strip():
        return _rest_alone(rest, bare)
    masked = mask(text, tokens(text, language))
    point = len(masked.rstrip())
    kept = _kept_rest(rest, bare, masked[:point], text[point:])
    if isinstance(kept, Problem):
        return kept
    return (text[:point] + kept + text[point:]).split("\n")


def _rest_alone(rest: str, bare: str) -> list[str] | Problem:
    """The block goes: its semicolon goes too, but half a statement may not stay."""
    code = bare.strip()
    word = pattern(r"else|catch|finally|while").match(code)
    if word or (code[:1] in tuple(").]:?=|&+-*/%<>(,") and code != ","):
        detail = f"`{code}` after the block continues its statement"
        return _no_block(detail, 0, "Include that part in the marker, or replace the lines as plain text.")
    if code[:1] in (";", ","):
        at = bare.index(code[0])
        rest = rest[:at] + rest[at + 1 :]
    return [rest.strip(" \t")] if rest.strip() else []


def _kept_rest(rest: str, bare: str, masked: str, comment: str) -> str | Problem:
    """What of `rest` stays behind the payload's code `masked`; `comment` is the payload's own at its end."""
    code = bare.strip()
    if not code:
        # a comment that goes on below must stay, also beside the payload's own
        at = rest.rfind("/*")
        goes_on = at > rest.rfind("*/") and "//" not in rest[:at]
        return "" if comment.strip() and not goes_on else rest
    tail = masked[masked.rfind("}") + 1 :].strip() if "}" in masked else masked[-1:].strip(" }")
    word = pattern(r"(?:else|catch|finally|while)\b").match(code)
    own = _continuation(masked)
    if word and own and not (word.group() == "while" and tail.startswith("while")):
        return _two_readings(f"`{word.group()}` follows the block, and the payload has `{own}` of its own")
    if code[0] == ";":
        return rest[bare.index(";") + 1 :] if tail.endswith(";") else rest
    if not tail or "}" not in masked:
        return rest
    # the payload has text of its own behind its last brace: it takes the place of the file's, up to the semicolon
    at = bare.find(";") + 1 or len(bare.rstrip())
    part = _balance(bare, 0, at)
    other_statement = tail == ";" and (code[0].isalpha() or code[0] in "_{}#@~")
    if part.opening or part.closing or other_statement or pattern(r"(?:else|catch|finally)\b").match(code):
        return _two_readings(f"`{code}` follows the block, and the payload ends in `{tail}`")
    return rest[at:]


def _two_readings(detail: str) -> Problem:
    return Problem("ambiguous", detail, advice=_LEAVE_OR_TAKE)


# ── `#if … #elif … #else … #endif`: evaluates nothing but 0 and 1 ────────────────────────────────


_DIRECTIVE = r"#[ \t]*+(?:(if)(?:def|ndef)?\b|(elif\w*|elseif|else)\b|(endif)\b)([^\n]*+)"


def _one_branch(masked: str, keep: int, last: bool) -> str:
    """The text with all but one branch of each conditional blotted out; same length.

    The branch around offset `keep` counts, elsewhere the first or the last one; `#if 0` never, `#if 1` always.
    """
    dropped: list[tuple[int, int, int]] = []
    for starts, condition in _conditionals(masked):
        spans = list(pairwise(starts))
        around = [number for number, (start, stop) in enumerate(spans) if start <= keep < stop]
        if around:
            chosen = around[0]
        elif condition == "0":
            chosen = 1
        else:
            chosen = len(spans) - 1 if last and condition != "1" else 0
        dropped += [(*span, 0) for number, span in enumerate(spans) if number != chosen]
    return covered(masked, sorted(dropped), lambda piece, _: blotted(piece, " "))


def _torn(masked: str) -> tuple[str, ...]:
    """The directives of a piece of text whose conditional lies partly outside of it, in order."""
    left: list[str] = []
    ifs: list[int] = []
    for turn, *_ in _directives(masked):
        if turn == "endif" and ifs:
            del left[ifs.pop() :]
            continue
        if turn == "if":
            ifs.append(len(left))
        left.append(turn)
    return tuple(left)


def _directives(masked: str) -> list[tuple[str, int, str]]:
    if "#" not in masked:
        return []
    found = []
    for match in pattern(_DIRECTIVE).finditer(masked):
        if not masked[masked.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t"):
            turn = "if" if match.group(1) else "else" if match.group(2) else "endif"
            found.append((turn, match.start(), match.group(4).strip()))
    return found


def _conditionals(masked: str) -> Iterator[tuple[list[int], str]]:
    """Of each conditional where its branches begin, and where the last one ends; its condition."""
    stack: list[tuple[list[int], str]] = []
    for turn, start, condition in _directives(masked):
        if turn == "if":
            stack.append(([start], condition))
        elif turn == "else":
            # a payload may begin inside a conditional: what stands before the first #else is then its branch
            stack = stack or [([0], "")]
            stack[-1][0].append(start)
        elif stack:
            starts, whether = stack.pop()
            yield [*starts, start], whether
    yield from (([*starts, len(masked)], whether) for starts, whether in stack)


# ── Python ─────────────────────────────────────────────────────────────────────────────────────────


_OPENS = r"(?:async\s+(?:def|for|with)|if|elif|else|for|while|with|def|class|try|except|finally|match|case)\b"
_WHOLE_HEADER = "Give the whole header, from its first line to the colon that opens the block."


def _python_end(text: str, first: int, last: int) -> BlockEnd | Problem:
    """The last line of the first block that begins in the lines."""
    found = tokens(text, PYTHON)
    plain = flat(text, found)
    begin, stop = _span_of(text, first, last)
    rows = (row for row in logical_lines(plain) if row[1] > begin)
    header = _header(text, plain, rows, (begin, stop))
    if isinstance(header, Problem):
        return header._replace(line=header.line or first + 1)
    (start, end), colon = header
    if plain[colon + 1 : end].strip():
        bottom = _line_number(text, end)
    else:
        body = None  # its last logical line
        for row in rows:
            if _column(plain, row[0]) <= _column(plain, start):
                break
            body = row
        if body is None:
            return _no_block("the header has no body", _line_number(text, start))
        bottom = _with_comments(text, mask(text, found), body, _column(plain, start))
    lines = text.split("\n")
    if bottom == len(lines) > 1 and not lines[-1]:
        return _no_block("the block has no end: a bracket in it is never closed", _line_number(text, start))
    code_line = _line_number(text, begin + len(plain[begin:stop].rstrip()))
    if code_line > bottom:
        return _beyond(code_line, bottom)
    return BlockEnd(bottom - 1, len(lines[bottom - 1]))


def _doubled_in_python(text: str, first: int, last: int, payload: str) -> str:
    """A decorator above the block, or a clause or header below it, that a payload for lines first..last has too.

    Where the marker doesn't show the decorators, nobody can tell whether others in the payload join or replace them.
    """
    said = flat(payload, tokens(payload, PYTHON))
    own = list(logical_lines(said))
    header = next((at for at, (start, _) in enumerate(own) if said[start] != "@"), -1)
    siblings = [row for row in own[header + 1 :] if _column(said, row[0]) == _column(said, own[header][0])]
    if header < 0 or not (header or siblings):
        return ""
    plain = flat(text, tokens(text, PYTHON))
    begin, stop = _span_of(text, first, last)
    rows = list(logical_lines(plain))
    above = [row for row in rows if row[1] <= begin]
    while above and plain[above[-1][0]] == "@" and header:
        there = _words(text, above.pop())
        if plain[begin:stop].lstrip()[:1] != "@" or there in [_words(payload, row) for row in own[:header]]:
            return there
    below = next((row for row in rows if row[0] > stop), None)
    if below is None:
        return ""
    clause = pattern(r"(?:except|elif|else|finally)\b")
    word = clause.match(plain, below[0])
    if word and any(clause.match(said, row[0]) for row in siblings):
        return word.group()
    there = _words(text, below)
    return there if _colon(plain, *below) >= 0 and there in [_words(payload, row) for row in siblings] else ""


def _words(text: str, row: Span) -> str:
    return " ".join(text[row[0] : row[1]].split())


def _header(text: str, plain: str, rows: Iterator[Span], marker: Span) -> tuple[Span, int] | Problem:
    """The logical line that opens the block, and its colon. Decorators and simple statements may stand before it."""
    begin, stop = marker
    margin = -1
    for start, end in rows:
        if start < begin:
            return _no_block("the marker begins inside a bracket, a string or a continued line", 0, _WHOLE_HEADER)
        if start >= stop:
            break
        margin = _column(plain, start) if margin < 0 else margin
        if plain[start] == "@":
            continue
        colon = _colon(plain, start, end)
        if not _opens_block(plain, start, end, colon):
            if colon < 0 and _column(plain, start) == margin and not pattern(_OPENS).match(plain, start):
                continue
            lost = colon < 0 and pattern(_OPENS).match(plain, start)
            why = "the header has no colon" if lost else "the marker's first colon does not open a block"
            return _no_block(why, _line_number(text, start), _WHOLE_HEADER)
        if colon >= stop:
            return _no_block("the marker ends before the colon of its header", _line_number(text, start), _WHOLE_HEADER)
        if _column(plain, start) != margin:
            return _no_block("the marker's lines before the header are indented differently", _line_number(text, start))
        return (start, end), colon
    return _no_block("the marker contains no block header", 0, _WHOLE_HEADER)


def _opens_block(plain: str, start: int, end: int, colon: int) -> bool:
    match = pattern(_OPENS).match(plain, start)
    if match is None or colon < 0:
        return False
    word = match.group()
    if word not in ("match", "case"):
        return True
    # the soft keywords are also names: `match: int`, `case[0]: str = x`, `match = {…}`
    subject = plain[match.end() : colon]
    if not subject.strip() or pattern(r"\s*(?:[=.,;)]|[-+*/%|&^@<>]=)").match(subject):
        return False
    behind = plain[colon + 1 : end].strip()
    if word == "case":
        return not behind or subject[0] in " \t"
    return not behind and pattern(r"\s*case\b").match(plain, end) is not None


def _colon(plain: str, start: int, end: int) -> int:
    """The first colon outside brackets that belongs to no lambda; -1 for none."""
    depth = lambdas = 0
    for match in pattern(r"[(\[{]()|[)\]}]()|:(?!=)()|\blambda\b()").finditer(plain, start, end):
        event = match.lastindex
        if event == 1:
            depth += 1
        elif event == 2:
            depth = max(depth - 1, 0)
        elif depth:
            continue
        elif event == 4:
            lambdas += 1
        elif lambdas:
            lambdas -= 1
        else:
            return match.start()
    return -1


def _with_comments(text: str, masked: str, body: Span, base: int) -> int:
    """The 1-based last line of the block: comments below it that are deeper than the header still belong to it."""
    bottom = _line_number(text, body[1])
    below = masked[body[1] + 1 :]
    comments = text[body[1] + 1 : len(text) - len(below.lstrip())]
    for number, line in enumerate(comments.split("\n"), bottom + 1):
        if line.strip() and _column(line, len(line) - len(line.lstrip(" \t\f"))) <= base:
            break
        bottom = number if line.strip() else bottom
    return bottom


def _column(plain: str, start: int) -> int:
    """The indentation of the line whose first sign is at `start`: a tab goes to the next multiple of 8."""
    return len(plain[plain.rfind("\n", 0, start) + 1 : start].rpartition("\f")[2].expandtabs(8))


# ── XML and HTML ───────────────────────────────────────────────────────────────────────────────────


_VOID = "area base br col embed hr img input link meta param source track wbr"
_RAW = ("script", "style")
_NAME = r"[^\W\d][^\s<>/=\"']*+|:[^\s<>/=\"']++"
_SUBSET = r"""(?:[^\]"'<]|"[^"]*+"|'[^']*+'|<!--[^-]*+(?:-(?!->)[^-]*+)*+-->|<)*+\]?"""
_MARKUP = "|".join(
    (
        FORMS["markup_comment"],
        FORMS["cdata"],
        r"<\?[^?]*+(?:\?(?!>)[^?]*+)*+(?:\?>)?",
        rf"""<![A-Za-z](?:[^\[>"']|"[^"]*+"|'[^']*+')*+(?:\[{_SUBSET}[^>]*+)?>?""",
        rf"</({_NAME})[^<>]*+>",
        rf"<({_NAME})({ATTRIBUTES})(>?)",
    )
)


class _Tag(NamedTuple):
    """One tag: where it stands and whether it opens (1), closes (-1) or is complete in itself (0)."""

    start: int
    end: int
    name: str
    turn: int


def _element_end(text: str, language: Language, first: int, last: int) -> BlockEnd | Problem:
    """The end of the first element that begins in the lines."""
    begin, stop = _span_of(text, first, last)
    tags = (tag for tag in _tags(text, language.html) if tag.start >= begin)
    opening = next(tags, None)
    if opening is None or opening.start >= stop:
        advice = "Begin the marker with the opening tag of the element."
        return _no_block("the marker contains no tag", first + 1, advice)
    end = _end_of_element(text, opening, tags, language.html)
    if isinstance(end, Problem):
        return end
    below = _code_below(text, mask(text, tokens(text, language)), end, stop)
    return _beyond(below, _line_number(text, end)) if below else _place(text, end)


def _end_of_element(text: str, opening: _Tag, tags: Iterator[_Tag], html: bool) -> int | Problem:
    line = _line_number(text, opening.start)
    if opening.turn < 0:
        return _no_block(f"the marker's first tag is the closing </{opening.name}>", line)
    if opening.turn == 0:
        if html and opening.name in _VOID.split() and text[opening.end - 2] != "/":
            return _no_block(f"<{opening.name}> has no contents and no end", line, "Replace the line as plain text.")
        return opening.end
    still_open = {opening.name: 1}
    for tag in tags:
        count = still_open.get(tag.name, 0) + tag.turn
        if count < 0:
            closes = f"</{tag.name}> on line {_line_number(text, tag.start)}"
            return _no_block(f"<{opening.name}> is not closed before {closes}, which ends an element around it", line)
        if not count and tag.turn and tag.name == opening.name:
            return tag.end
        still_open[tag.name] = count
    return Unclosed("no_block", f"<{opening.name}> is never closed", line=line)


def _tags(text: str, html: bool) -> Iterator[_Tag]:
    """All tags that are no part of comments, declarations, attribute values or raw text."""
    scan = pattern(_MARKUP)
    voids = frozenset(_VOID.split()) if html else ()
    position = 0
    while (match := scan.search(text, position)) is not None:
        position = match.end()
        closing, opening, attributes, bracket = match.groups()
        name = closing or opening
        if not name:
            continue
        folded = name.lower() if html else name
        void = folded in voids
        if closing:
            if not void:
                yield _Tag(match.start(), position, folded, -1)
        elif bracket:
            empty = attributes.endswith("/")
            yield _Tag(match.start(), position, folded, 0 if empty or void else 1)
            if html and folded in _RAW and not empty:
                position = raw_end(text, folded, position)
