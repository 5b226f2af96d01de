"""Blocks in braces: which one a marker opens and where it ends. Counts braces of masked text; parses no statements."""

from __future__ import annotations

from ..problems import Problem
from ..record import NamedTuple
from .block_end import NEVER_CLOSED, BlockEnd, beyond, goes_on, line_number, no_block, place, span_of
from .lexer import COMMENT, mask, pattern, tokens
from .preprocess import branches, one_branch, torn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .languages import Language


CONTINUES = r"\s*(else|catch|finally)\b"
_OPEN_IT = "Let the marker reach to the opening brace of the block."


class Balance(NamedTuple):
    """The braces of a piece of text: closing ones without an opening, opening ones without a closing, the last pair."""

    closing: tuple[int, ...]
    opening: tuple[int, ...]
    pair: tuple[int, int] | None


class Search(NamedTuple):
    """One reading of a file: its text, its braces' text, the marker's span, the payload and its braces' text."""

    text: str
    braces: str
    begin: int
    stop: int
    payload: str
    new: str
    same_start: bool


def block_end(text: str, language: Language, lines: tuple[int, int], payload: str) -> BlockEnd | Problem:
    """Just behind the closing brace of the block that begins in the lines."""
    found, new_found = tokens(text, language), tokens(payload, language)
    masked, new = mask(text, found), mask(payload, new_found)
    begin, stop = span_of(text, *lines)
    same_start = _first_line(text[begin:stop], _shifted(found, begin)) == _first_line(payload, new_found)
    readings = []
    for last in (False, True) if language.directives and branches(masked) else (False,):
        one, one_new = masked, new
        if language.directives:
            one, one_new = one_branch(masked, begin, last), one_branch(new, -1, last)
        readings.append(_end(Search(text, one, begin, stop, payload, one_new, same_start)))
    end = _agreed(text, readings, lines[0] + 1)
    if isinstance(end, Problem):
        return end
    return _objection(text, masked, new, (begin, stop, end), language) or place(text, end)


def balance(masked: str, begin: int, stop: int) -> Balance:
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
    return Balance(tuple(closing), tuple(opening), pair)


def doubled(text: str, language: Language, first: int, payload: str) -> str:
    """A line like `@Test`, `template <…>` or `[Fact]` above a block, where its payload begins with one too."""
    heads = pattern(r"\s*(?:@(?!interface\b)\w|\[|#\[|template\b)")
    if not heads.match(mask(payload, tokens(payload, language))):
        return ""
    begin, _ = span_of(text, first, first)
    masked = mask(text, tokens(text, language))
    above = masked[:begin].rstrip()
    at = above.rfind("\n") + 1
    return text[at : len(above)].strip() if heads.match(masked, at) and not heads.match(masked, begin) else ""


def continuation(masked: str) -> str:
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


def _end(search: Search) -> int | Problem:
    """The offset behind the closing brace, in one reading of the branches."""
    marker = balance(search.braces, search.begin, search.stop)
    line = line_number(search.text, search.begin)
    following = pattern(r"\s*\{").match(search.braces, search.stop)
    if marker.opening:
        return _chosen(search, marker, line)
    problem = _unbalanced(search, marker, 1, line)
    if problem:
        return problem
    if marker.pair is None:
        if following is None:
            return no_block("the marker opens no block, and no brace follows it", line, _OPEN_IT)
        return _closing(search, following.end() - 1)
    if following is None:
        return marker.pair[1] + 1
    return _two_ends(search, line, marker.pair[1] + 1, _closing(search, following.end() - 1))


def _chosen(search: Search, marker: Balance, line: int) -> int | Problem:
    """Of several open braces the payload's depth takes one: closed to the end means the outermost."""
    problem = _unbalanced(search, marker, len(marker.opening), line)
    if problem:
        return problem
    number = len(balance(search.new, 0, len(search.new)).opening)
    if len(marker.opening) > 1 and number == 0 and not search.same_start:
        ends = [_closing(search, brace) for brace in (marker.opening[0], marker.opening[-1])]
        return _two_ends(search, line, ends[0], ends[1])
    return _closing(search, marker.opening[number])


def _unbalanced(search: Search, marker: Balance, blocks: int, line: int) -> Problem | None:
    """The payload must leave open and close from outside what the old text did."""
    if not search.payload.strip():
        if marker.closing:
            return no_block("the marker begins with the end of another block, so the block cannot just go", line)
        return None
    new = balance(search.new, 0, len(search.new))
    if len(new.opening) >= blocks:
        return _bad(search, new.opening[-1], "`{` is never closed", line)
    if len(new.closing) > len(marker.closing):
        return _bad(search, new.closing[len(marker.closing)], "`}` closes nothing", line)
    if len(new.closing) < len(marker.closing):
        return _bad(search, 0, "the marker's leading `}` is missing in the payload", line)
    return None


def _bad(search: Search, offset: int, what: str, line: int) -> Problem:
    at = line_number(search.payload, offset)
    advice = "Write the whole block into the payload, with all its braces."
    return Problem(
        "bad_patch", f"the payload's braces do not balance: line {at} of it: {what}", line=line, advice=advice
    )


def _closing(search: Search, brace: int) -> int | Problem:
    depth = 0
    for match in pattern("[{}]").finditer(search.braces, brace):
        depth += 1 if match.group() == "{" else -1
        if not depth:
            return match.end()
    line = line_number(search.text, brace)
    return no_block(f"the brace opened on line {line} is never closed", line, reason=NEVER_CLOSED)


def _two_ends(search: Search, line: int, one: int | Problem, other: int | Problem) -> int | Problem:
    for end in (one, other):
        if isinstance(end, Problem):
            return end
    return _agreed(search.text, [one, other], line)


def _agreed(text: str, ends: list[int | Problem], line: int) -> int | Problem:
    """The one end that is left, or a refusal that names them."""
    offsets = [end for end in ends if not isinstance(end, Problem)]
    if not offsets:
        return ends[0]
    if len(set(offsets)) == 1:
        return offsets[0]
    numbers = " or ".join(str(line_number(text, end)) for end in offsets)
    advice = "Let the marker open one block only, and begin the payload with the marker's first line."
    return Problem("ambiguous", f"the block could end on line {numbers}", line=line, advice=advice)


def _objection(text: str, masked: str, new: str, offsets: tuple[int, int, int], language: Language) -> Problem | None:
    """Why a block that was found may still not be replaced."""
    begin, stop, end = offsets
    below = goes_on(text, masked, end, stop)
    if below:
        return beyond(below, line_number(text, end))
    line = line_number(text, begin)
    if language.directives and torn(masked[begin:end]) != torn(new):
        detail = f"the lines {line} to {line_number(text, end)} hold a part of an #if … #endif, the payload another"
        return no_block(detail, line, "Include the whole conditional, or repeat its directives in the payload.")
    word = pattern(CONTINUES).match(masked, end)
    if word and "\n" in word.group() and continuation(new) in ("else", "catch", "finally"):
        detail = (
            f"`{word.group(1)}` follows the block on line {line_number(text, word.end())}, and the payload has its own"
        )
        return Problem(
            "ambiguous", detail, line=line, advice="Leave that part out of the payload, or replace it as text."
        )
    return None


def _shifted(found: list[tuple[int, int, int]], begin: int) -> list[tuple[int, int, int]]:
    return [(max(start - begin, 0), end - begin, kind) for start, end, kind in found if end > begin]


def _first_line(text: str, found: list[tuple[int, int, int]]) -> str:
    """The first line with code, without comments and with single blanks."""
    bare = mask(text, [token for token in found if token[2] == COMMENT and token[0] < len(text)])
    for line in bare[: len(text)].split("\n"):
        if line.strip():
            return " ".join(line.split())
    return ""


# ── closing ─────────────────────────────────────────────────────────────────────────────────────────


_LEAVE_OR_TAKE = "Include that part of the statement in the marker and the payload, or leave it out of the payload."


def close_braces(payload: list[str], rest: str, language: Language) -> list[str] | Problem:
    """The payload's lines with `rest` where it still belongs."""
    bare = mask(rest, tokens(rest, language))
    text = "\n".join(payload)
    if not text.strip():
        return _nothing(rest, bare)
    masked = mask(text, tokens(text, language))
    point = len(masked.rstrip())
    kept = _kept(rest, bare, masked[:point], text[point:])
    if isinstance(kept, Problem):
        return kept
    return (text[:point] + kept + text[point:]).split("\n")


def _nothing(rest: str, bare: str) -> list[str] | Problem:
    """The block goes: its semicolon goes too, but half a statement may not stay."""
    code = bare.strip()
    word = pattern(r"else|catch|finally|while").match(code)
    if word or (code[:1] in tuple(").]:?=|&+-*/%<>(,") and code != ","):
        detail = f"`{code}` behind the block continues its statement"
        return no_block(detail, 0, "Include that part in the marker, or replace the lines as plain text.")
    if code[:1] in (";", ","):
        at = bare.index(code[0])
        rest = rest[:at] + rest[at + 1 :]
    return [rest.strip(" \t")] if rest.strip() else []


def _kept(rest: str, bare: str, masked: str, comment: str) -> str | Problem:
    """What of `rest` stays behind the payload's code `masked`; `comment` is the payload's own at its end."""
    code = bare.strip()
    if not code:
        # a comment that goes on below must stay, also beside the payload's own
        return "" if comment.strip() and not _goes_on(rest) else rest
    tail = masked[masked.rfind("}") + 1 :].strip() if "}" in masked else masked[-1:].strip(" }")
    word = pattern(r"(?:else|catch|finally|while)\b").match(code)
    own = continuation(masked)
    if word and own and not (word.group() == "while" and tail.startswith("while")):
        return _two(f"`{word.group()}` follows the block, and the payload has `{own}` of its own")
    if code[0] == ";":
        return rest[bare.index(";") + 1 :] if tail.endswith(";") else rest
    if not tail or "}" not in masked:
        return rest
    return _replaced(rest, bare, code, tail)


def _replaced(rest: str, bare: str, code: str, tail: str) -> str | Problem:
    """The payload has text of its own behind its last brace: it takes the place of the file's, up to the semicolon."""
    at = bare.find(";") + 1 or len(bare.rstrip())
    part = balance(bare, 0, at)
    other_statement = tail == ";" and (code[0].isalpha() or code[0] in "_{}#@~")
    if part.opening or part.closing or other_statement or pattern(r"(?:else|catch|finally)\b").match(code):
        return _two(f"`{code}` follows the block, and the payload ends in `{tail}`")
    return rest[at:]


def _two(detail: str) -> Problem:
    return Problem("ambiguous", detail, advice=_LEAVE_OR_TAKE)


def _goes_on(rest: str) -> bool:
    """Whether the comment at the end of the line is not closed on it."""
    return rest.rfind("/*") > rest.rfind("*/") and "//" not in rest[: rest.rfind("/*")]
