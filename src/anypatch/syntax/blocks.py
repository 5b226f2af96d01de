"""Find where the block that a marker opens ends, and join a new block with the rest of its last line. Pure.

    c_style   { … }                 by braces outside of comments and strings, in one branch of each `#if`
    py        header:               by logical lines and their indentation
    xml       <tag> … </tag>        by tags that aren't part of comments, attributes or raw text

This is a scanner, not a parser: it works on broken files. If it finds no end, the caller may ask a grammar.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ..problems import Problem
from ..text import end_of_line, pattern
from .languages import C_STYLE, COMMENT, PYTHON, XML, Language
from .lexer import (
    ATTRIBUTES,
    FORMS,
    Span,
    Tokens,
    blank_out,
    flatten,
    logical_lines,
    mask,
    raw_text_end,
    replace_spans,
    tokens,
)

_LANGUAGES = {"c_style": C_STYLE, "py": PYTHON, "xml": XML}


class BlockEnd(NamedTuple):
    """The 0-based line with the end of a block, and the column after it."""

    line: int
    column: int


def block_end(
    kind: str, text: str, language: Language | None, first: int, last: int, payload: str
) -> BlockEnd | Problem:
    """Find the end of the block that begins in lines first..last (0-based, inclusive).

    `payload`, the new text, decides between two blocks that begin there. `language` counts if its family fits the kind.
    """
    if kind == "py":
        return _python_end(text, first, last)
    if kind == "xml":
        return _element_end(text, _language_for(kind, language), first, last)
    return _brace_end(text, _language_for(kind, language), (first, last), payload)


def join_rest(kind: str, payload: list[str], rest: str, language: Language | None) -> list[str] | Problem:
    """Join the payload's lines with `rest`, the text after the end of the old block on its line."""
    if kind == "py" or not rest.strip():
        return payload
    if kind == "xml":
        filled = [number for number, line in enumerate(payload) if line.strip()]
        if not filled:
            return [rest.strip(" \t")]
        at = filled[-1]
        return [*payload[:at], payload[at] + rest, *payload[at + 1 :]]
    return _join_rest_of_braces(payload, rest, _language_for(kind, language))


def _language_for(kind: str, language: Language | None) -> Language:
    default = _LANGUAGES[kind]
    return language if language and language.family == default.family else default


# ── places and refusals ────────────────────────────────────────────────────────────────────────────


def _end_at(text: str, offset: int) -> BlockEnd:
    return BlockEnd(text.count("\n", 0, offset), offset - text.rfind("\n", 0, offset) - 1)


def _line_number(text: str, offset: int) -> int:
    """Return the 1-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def _offsets_of(text: str, first: int, last: int) -> Span:
    """Return the start of the 0-based line `first` and the end of the line `last`, without its newline."""
    begin = at = 0
    for row in range(last):
        at = text.find("\n", at) + 1 or len(text)
        begin = at if row < first else begin
    return begin, end_of_line(text, at)


def _code_below(text: str, masked: str, end: int, stop: int) -> int:
    """Return the 1-based line of the first code between the line that a block ends on and the offset `stop`, or 0."""
    below = end_of_line(text, end)
    left = masked[below:stop]
    return _line_number(text, below + len(left) - len(left.lstrip())) if left.strip() else 0


def _no_block(detail: str, line: int, advice: str = "") -> Problem:
    return Problem("no_block", detail, line=line, advice=advice)


def _marker_too_long(line: int, end_line: int) -> Problem:
    detail = f"the block ends on line {end_line}, but the marker that opens it goes on to line {line}"
    return _no_block(detail, line, "End the marker where the block ends, or replace the lines as plain text.")


# ── braces ─────────────────────────────────────────────────────────────────────────────────────────


_SECOND_PART = r"\s*(else|catch|finally)\b"
_OPEN_IT = "Extend the marker to the opening brace of the block."


class _Balance(NamedTuple):
    """The offsets of closing braces that aren't opened, of opening ones that aren't closed, and of the last pair."""

    closing: tuple[int, ...]
    opening: tuple[int, ...]
    pair: tuple[int, int] | None


def _brace_end(text: str, language: Language, lines: tuple[int, int], payload: str) -> BlockEnd | Problem:
    """Find the end of the block of braces that begins in the lines."""
    text_tokens, payload_tokens = tokens(text, language), tokens(payload, language)
    masked, masked_payload = mask(text, text_tokens), mask(payload, payload_tokens)
    begin, stop = _offsets_of(text, *lines)
    line = lines[0] + 1
    code, new_code = masked, masked_payload
    if language.directives:
        code, new_code = _one_branch(masked, begin), _one_branch(masked_payload, -1)
    marker, own = _balance(code, begin, stop), _balance(new_code, 0, len(new_code))
    if len(own.opening) >= max(len(marker.opening), 1) or len(own.closing) != len(marker.closing):
        advice = "Write the whole block in the payload, with all its braces."
        return Problem("bad_patch", "the payload's braces don't balance as the marker's do", line=line, advice=advice)
    in_marker = [(max(start - begin, 0), end - begin, kind) for start, end, kind in text_tokens if end > begin]
    same_start = _first_line(text[begin:stop], in_marker) == _first_line(payload, payload_tokens)
    ends = _possible_ends(code, stop, marker, own, same_start)
    if not ends:
        return _no_block("the marker opens no block, and no brace follows it", line, _OPEN_IT)
    end = ends[0]
    if end is None or None in ends:
        return _no_block(f"the block that begins on line {line} is never closed", line)
    if len(set(ends)) > 1:
        numbers = " or ".join(str(_line_number(text, at or 0)) for at in ends)
        advice = "Let the marker open one block only, and begin the payload with the marker's first line."
        return Problem("ambiguous", f"the block could end on line {numbers}", line=line, advice=advice)
    return _objection(text, masked, masked_payload, (begin, stop, end), language) or _end_at(text, end)


def _possible_ends(code: str, stop: int, marker: _Balance, own: _Balance, same_start: bool) -> list[int | None]:
    """Return the offsets where the marker's block may end; None for a brace that is never closed.

    If the marker opens several braces, the payload's own balance chooses: one that closes all of them is the outermost.
    """
    if not marker.opening:
        following = pattern(r"\s*\{").match(code, stop)
        ends: list[int | None] = [marker.pair[1] + 1] if marker.pair else []
        return [*ends, _closing_brace(code, following.end() - 1)] if following else ends
    if len(marker.opening) > 1 and not own.opening and not same_start:
        return [_closing_brace(code, brace) for brace in (marker.opening[0], marker.opening[-1])]
    return [_closing_brace(code, marker.opening[len(own.opening)])]


def _objection(
    text: str, masked: str, masked_payload: str, offsets: tuple[int, int, int], language: Language
) -> Problem | None:
    """Return why the payload can't replace a block of braces although its end is known."""
    begin, stop, end = offsets
    line = _line_number(text, begin)
    below = _code_below(text, masked, end, stop)
    if below:
        return _marker_too_long(below, _line_number(text, end))
    if language.directives and _unpaired(masked[begin:end]) != _unpaired(masked_payload):
        detail = f"lines {line} to {_line_number(text, end)} have one part of an #if … #endif, and the payload another"
        return _no_block(detail, line, "Include the whole conditional, or repeat its directives in the payload.")
    word = pattern(_SECOND_PART).match(masked, end)
    own_end = _closing_brace(masked_payload, masked_payload.find("{")) if word and "{" in masked_payload else None
    if word and own_end and pattern(_SECOND_PART).match(masked_payload, own_end):
        # if (a) { x(); } else { y(); }     replaced by another if with its own else, there would be two
        detail = f"`{word[1]}` follows the block on line {_line_number(text, word.end())}, and the payload has its own"
        advice = "Leave that part out of the payload, or replace it as text."
        return Problem("ambiguous", detail, line=line, advice=advice)
    return None


def _balance(masked: str, begin: int, stop: int) -> _Balance:
    """Pair the braces between two offsets."""
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


def _closing_brace(masked: str, brace: int) -> int | None:
    """Return the offset after the brace that closes another one; None if none does."""
    depth = 0
    for match in pattern("[{}]").finditer(masked, brace):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return match.end()
    return None


def _first_line(text: str, text_tokens: Tokens) -> str:
    """Return the first line with code, without comments and with single spaces."""
    bare = mask(text, [token for token in text_tokens if token[2] == COMMENT and token[0] < len(text)])
    return next((" ".join(line.split()) for line in bare[: len(text)].split("\n") if line.strip()), "")


# ── the rest of the line after a closing brace ───────────────────────────────────────────────────


_GOES_ON = r"(?:else|catch|finally|while)\b"


def _join_rest_of_braces(payload: list[str], rest: str, language: Language) -> list[str] | Problem:
    bare = mask(rest, tokens(rest, language))
    code = bare.strip()
    text = "\n".join(payload)
    if not text.strip():
        # The block is deleted: its semicolon goes with it, and half a statement can't stay.
        if pattern(_GOES_ON).match(code) or (code and code[0] in ").]:?=|&+-*/%<>("):
            detail = f"`{code}` after the block continues its statement"
            return _no_block(detail, 0, "Include that part in the marker, or replace the lines as plain text.")
        kept = rest[bare.index(code[0]) + 1 :] if code[:1] in (";", ",") else rest
        return [kept.strip(" \t")] if kept.strip() else []
    masked = mask(text, tokens(text, language))
    point = len(masked.rstrip())
    kept_rest = _kept_rest(rest, bare, masked[:point], text[point:])
    if kept_rest is None:
        detail = f"`{code}` follows the block, and the payload continues after its last brace, too"
        advice = "Include that part of the statement in the marker and the payload, or leave it out of the payload."
        return Problem("ambiguous", detail, advice=advice)
    return (text[:point] + kept_rest + text[point:]).split("\n")


def _kept_rest(rest: str, bare: str, masked: str, comment: str) -> str | None:
    """Return what stays of `rest` after the payload's code, `masked`; `comment` is the payload's own at its end.

    What the payload has after its last brace, such as `;` or `while (y);`, replaces the statement there. None if it
    isn't clear which part that is.
    """
    code = bare.strip()
    if not code:  # a comment: one that goes on below must stay, even next to the payload's own
        at = rest.rfind("/*")
        goes_on = at > rest.rfind("*/") and "//" not in rest[:at]
        return "" if comment.strip() and not goes_on else rest
    tail = masked.rpartition("}")[2].strip() if "}" in masked else masked[-1:]
    if code[0] == ";":
        return rest[bare.index(";") + 1 :] if tail.endswith(";") else rest
    if not tail or "}" not in masked:
        return rest
    at = bare.find(";") + 1
    return rest[at:] if at and tail != ";" and not {"{", "}"} & set(bare[:at]) else None


# ── `#if … #elif … #else … #endif` ───────────────────────────────────────────────────────────────


_DIRECTIVE = r"#[ \t]*+(?:(if)(?:def|ndef)?\b|(elif\w*|elseif|else)\b|endif\b)"


def _one_branch(masked: str, keep: int) -> str:
    """Return the text with all but one branch of each conditional as spaces: the one around `keep`, or the first."""
    dropped: Tokens = []
    for starts in _conditionals(masked):
        spans = list(pairwise(starts))
        chosen = next((number for number, (start, stop) in enumerate(spans) if start <= keep < stop), 0)
        dropped += [(*span, 0) for number, span in enumerate(spans) if number != chosen]
    return replace_spans(masked, sorted(dropped), lambda piece, _: blank_out(piece, " "))


def _unpaired(masked: str) -> tuple[str, ...]:
    """Return, in order, the directives of conditionals that aren't wholly inside a piece of text."""
    left: list[str] = []
    ifs: list[int] = []
    for turn, _ in _directives(masked):
        if turn == "endif" and ifs:
            del left[ifs.pop() :]
            continue
        if turn == "if":
            ifs.append(len(left))
        left.append(turn)
    return tuple(left)


def _directives(masked: str) -> list[tuple[str, int]]:
    """Return ("if", "else" or "endif", offset) of every directive."""
    directives = []
    for match in pattern(_DIRECTIVE).finditer(masked) if "#" in masked else ():
        if not masked[masked.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t"):
            turn = "if" if match.group(1) else "else" if match.group(2) else "endif"
            directives.append((turn, match.start()))
    return directives


def _conditionals(masked: str) -> Iterator[list[int]]:
    """Yield, for each conditional, where its branches begin and the last one ends."""
    stack: list[list[int]] = []
    for turn, start in _directives(masked):
        if turn == "if":
            stack.append([start])
        elif turn == "else":
            stack = stack or [[0]]  # a payload may begin inside a conditional
            stack[-1].append(start)
        elif stack:
            yield [*stack.pop(), start]
    yield from ([*starts, len(masked)] for starts in stack)


# ── Python ─────────────────────────────────────────────────────────────────────────────────────────


_OPENS = r"(?:async\s+(?:def|for|with)|if|elif|else|for|while|with|def|class|try|except|finally|match|case)\b"
_WHOLE_HEADER = "Give the whole header, from its first line to the colon that opens the block."


def _python_end(text: str, first: int, last: int) -> BlockEnd | Problem:
    """Find the last line of the first block that begins in the lines."""
    text_tokens = tokens(text, PYTHON)
    flat = flatten(text, text_tokens)
    begin, stop = _offsets_of(text, first, last)
    rows = (row for row in logical_lines(flat) if row[1] > begin)
    header = _header(text, flat, rows, (begin, stop))
    if isinstance(header, Problem):
        return header._replace(line=header.line or first + 1)
    (start, end), colon = header
    if flat[colon + 1 : end].strip():
        bottom = _line_number(text, end)
    else:
        body = None  # its last logical line
        for row in rows:
            if _column(flat, row[0]) <= _column(flat, start):
                break
            body = row
        if body is None:
            return _no_block("the header has no body", _line_number(text, start))
        bottom = _with_comments(text, mask(text, text_tokens), body, _column(flat, start))
    lines = text.split("\n")
    if bottom == len(lines) > 1 and not lines[-1]:
        return _no_block("the block has no end: a bracket in it is never closed", _line_number(text, start))
    code_line = _line_number(text, begin + len(flat[begin:stop].rstrip()))
    if code_line > bottom:
        return _marker_too_long(code_line, bottom)
    return BlockEnd(bottom - 1, len(lines[bottom - 1]))


def _header(text: str, flat: str, rows: Iterator[Span], marker: Span) -> tuple[Span, int] | Problem:
    """Find the logical line that opens the block, and its colon. Decorators and simple statements may precede it."""
    begin, stop = marker
    margin = -1
    for start, end in rows:
        if start < begin:
            return _no_block("the marker begins inside a bracket, a string or a continued line", 0, _WHOLE_HEADER)
        if start >= stop:
            break
        margin = _column(flat, start) if margin < 0 else margin
        colon = _colon(flat, start, end)
        has_keyword = pattern(_OPENS).match(flat, start) is not None
        if flat[start] == "@" or (colon < 0 and not has_keyword and _column(flat, start) == margin):
            continue
        line = _line_number(text, start)
        if not _opens_block(flat, start, end, colon):
            lost = colon < 0 and has_keyword
            why = "the header has no colon" if lost else "the marker's first colon does not open a block"
            return _no_block(why, line, _WHOLE_HEADER)
        if colon >= stop:
            return _no_block("the marker ends before the colon of its header", line, _WHOLE_HEADER)
        return (start, end), colon
    return _no_block("the marker contains no block header", 0, _WHOLE_HEADER)


def _opens_block(flat: str, start: int, end: int, colon: int) -> bool:
    """Return True if a logical line opens a block. `match` and `case` may be names, too: `match: int`."""
    match = pattern(_OPENS).match(flat, start)
    if match is None or colon < 0:
        return False
    if match.group() not in ("match", "case"):
        return True
    subject, after = flat[match.end() : colon], flat[colon + 1 : end]
    is_header = bool(subject.strip()) and (subject[0] in " \t" or match.group() == "match") and "=" not in subject
    return is_header and (match.group() == "case" or not after.strip())


def _colon(flat: str, start: int, end: int) -> int:
    """Return the offset of the first colon that is outside brackets and isn't a lambda's; -1 if there is none."""
    depth = lambdas = 0
    for match in pattern(r"[(\[{]()|[)\]}]()|:(?!=)()|\blambda\b()").finditer(flat, start, end):
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
    """Return the 1-based last line of a block, with the comments below it that are deeper than its header."""
    bottom = _line_number(text, body[1])
    below = masked[body[1] + 1 :]
    comments = text[body[1] + 1 : len(text) - len(below.lstrip())]
    for number, line in enumerate(comments.split("\n"), bottom + 1):
        if line.strip() and _column(line, len(line) - len(line.lstrip(" \t\f"))) <= base:
            break
        bottom = number if line.strip() else bottom
    return bottom


def _column(flat: str, start: int) -> int:
    """Return how far the code at `start` is indented; a tab goes to the next multiple of 8."""
    return len(flat[flat.rfind("\n", 0, start) + 1 : start].rpartition("\f")[2].expandtabs(8))


# ── XML and HTML ───────────────────────────────────────────────────────────────────────────────────


_VOID = (
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
)  # fmt: skip
_RAW_TEXT = ("script", "style")
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
    """A tag. `turn`: it opens an element (1), closes one (-1), or is complete in itself (0)."""

    start: int
    end: int
    name: str
    turn: int


def _element_end(text: str, language: Language, first: int, last: int) -> BlockEnd | Problem:
    """Find the end of the first element that begins in the lines."""
    begin, stop = _offsets_of(text, first, last)
    tags = (tag for tag in _tags(text, language.html) if tag.start >= begin)
    opening = next(tags, None)
    if opening is None or opening.start >= stop:
        advice = "Begin the marker with the opening tag of the element."
        return _no_block("the marker contains no tag", first + 1, advice)
    end = _closing_tag(text, opening, tags, language.html)
    if isinstance(end, Problem):
        return end
    below = _code_below(text, mask(text, tokens(text, language)), end, stop)
    return _marker_too_long(below, _line_number(text, end)) if below else _end_at(text, end)


def _closing_tag(text: str, opening: _Tag, tags: Iterator[_Tag], html: bool) -> int | Problem:
    """Return the offset after the tag that closes an element."""
    line = _line_number(text, opening.start)
    if opening.turn < 0:
        return _no_block(f"the marker's first tag is the closing </{opening.name}>", line)
    if opening.turn == 0:
        if html and opening.name in _VOID and text[opening.end - 2] != "/":
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
    return _no_block(f"<{opening.name}> is never closed", line)


def _tags(text: str, html: bool) -> Iterator[_Tag]:
    """Yield all tags that aren't part of comments, declarations, attribute values or raw text."""
    scan = pattern(_MARKUP)
    position = 0
    while (match := scan.search(text, position)) is not None:
        position = match.end()
        closing, opening, attributes, bracket = match.groups()
        name = closing or opening
        if not name:
            continue
        name = name.lower() if html else name
        is_void = html and name in _VOID
        if closing and not is_void:
            yield _Tag(match.start(), position, name, -1)
        elif bracket:
            is_empty = attributes.endswith("/")
            yield _Tag(match.start(), position, name, 0 if is_empty or is_void else 1)
            if html and name in _RAW_TEXT and not is_empty:
                position = raw_text_end(text, name, position)
