"""CHUNK's own rules: which places of a marker count, and how the payload replaces its whole range. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..diff import unchanged
from ..model import Hunk, split_lines
from ..problems import Problem
from ..syntax.languages import COMMENT, STRING, language_of
from ..syntax.lexer import Lexed, code_lines
from ..text import BLANK, Splice, indent_of
from .indentation import align_payload
from .ladder import LEVELS, plain_punctuation
from .search import Place, lexed
from .splices import with_file_typography

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..syntax.languages import Language
    from ..text import Text


# ── which places count ───────────────────────────────────────────────────────────────────────────


def keep_marker_places(text: Text, hunk: Hunk, places: list[Place], path: str) -> list[Place]:
    """Drop places inside comments; of several, prefer those outside strings, then the one with the same comments."""
    language = language_of(path, hunk.policy.language)
    if not places or language is None:
        return places
    sees_text = LEVELS[places[0].level].view == "text"
    if hunk.policy.language and sees_text and language.family != "python":
        places = _outside_comments(text, hunk, places, language)
    if len(places) > 1:
        places = _outside_strings(text, places, language)
    if len(places) > 1 and not sees_text:
        marker = [line.strip() for line in hunk.old.split("\n") if line.strip()]
        same = [place for place in places if _solid_lines(text, place) == marker]
        places = same if len(same) == 1 else places
    return places


def _outside_comments(text: Text, hunk: Hunk, places: list[Place], language: Language) -> list[Place]:
    """Drop the places that begin inside a comment, unless the marker is nothing but comments."""
    inside = lexed(text, language).inside
    in_code = [place for place in places if inside[place.row_span(text)[0]] != COMMENT]
    if len(in_code) == len(places) or not any(code_lines(hunk.old.split("\n"), language)):
        return places
    return in_code


def _outside_strings(text: Text, places: list[Place], language: Language) -> list[Place]:
    """Drop the places inside a multi-line string, if there are others.

    Not if the file ends inside a string: a quote is missing, so it is unknown what is text.
    """
    inside = lexed(text, language).inside
    if inside[len(text.lines)]:
        return places
    return [place for place in places if inside[place.row_span(text)[0]] != STRING] or places


def _solid_lines(text: Text, place: Place) -> list[str]:
    first, end = place.row_span(text)
    return [line.strip() for line in text.lines[first:end] if line.strip()]


# ── from a place to a splice ─────────────────────────────────────────────────────────────────────


def splice_at_marker(text: Text, hunk: Hunk, place: Place, path: str) -> Splice | Problem:
    """Return the splice of an operation at its marker; a problem if its block has no end, or it would cut a comment."""
    language = language_of(path, hunk.policy.language)
    marker = split_lines(hunk.old)
    rows = _matched_rows(text, marker, place)
    payload = _payload(text, hunk, marker, rows, place)
    start, end = min(rows.values()), max(rows.values()) + 1
    if hunk.claims.block:
        replaced = _replace_block(text, hunk, range(start, end), payload, language)
        if isinstance(replaced, Problem):
            return replaced
        payload, end = replaced
    if any(line[0] == " " for line in hunk.signed):  # an insertion beside the marker
        start = end = end if hunk.signed[0][0] == " " else start
    elif payload:
        payload = _with_repeated(text, marker, rows, payload)
    skips_comments = LEVELS[place.level].view != "text"
    if language is not None and (hunk.policy.language or skips_comments):
        view = lexed(text, language)
        if not _cuts_nothing(view, language, start, end, payload):
            return _torn(view, start, end)
    return text.replaced_rows(start, end, payload, hunk.policy.own_line_ends)


def _matched_rows(text: Text, marker: list[str], place: Place) -> dict[int, int]:
    """Map each line of the marker to its row, without blank lines at the marker's edges."""
    if place.rows:
        pairs = [(at, row) for at, row in enumerate(place.rows) if row is not None]
    else:
        first = text.row_at(place.start)
        pairs = [(at, first + at) for at in range(len(marker))]
    if LEVELS[place.level].skips_blank:
        solid = [at for at, _ in pairs if marker[at].strip(BLANK)]
        pairs = [(at, row) for at, row in pairs if solid[0] <= at <= solid[-1]]
    return dict(pairs)


def _payload(text: Text, hunk: Hunk, marker: list[str], rows: dict[int, int], place: Place) -> list[str]:
    """Return the new lines, with the typography of the file and indented as the marker is there.

    Blank lines at their edges that repeat the marker's are dropped: the file's blank lines stay.
    """
    level = LEVELS[place.level]
    payload = [line[1:] for line in hunk.signed if line[0] == "+"]
    if level.skips_blank:
        above = min(_blank_lines(marker), _blank_lines(payload))
        below = min(_blank_lines(marker[::-1]), _blank_lines(payload[above:][::-1]))
        payload = payload[above : len(payload) - below]
    if not payload:
        return []
    file_lines = [text.lines[row] for row in rows.values()]
    marker = [marker[at] for at in rows]
    if level.key is plain_punctuation:
        matched = list(zip(marker, file_lines, strict=True))
        payload = [line[1:] for line in with_file_typography(text, ["+" + line for line in payload], matched)]
    return align_payload(payload, marker, file_lines) if hunk.policy.indents == "marker" else payload


def _blank_lines(lines: Sequence[str]) -> int:
    """Count the blank lines at the top."""
    return next((at for at, line in enumerate(lines) if line.strip(BLANK)), len(lines))


def _with_repeated(text: Text, marker: list[str], rows: dict[int, int], payload: list[str]) -> list[str]:
    """Write lines of the payload that repeat a line of the marker as the file has them, if only punctuation differs."""
    lines = list(payload)
    for at, new in unchanged([line.strip(BLANK) for line in marker], [line.strip(BLANK) for line in payload]):
        file_line = text.lines[rows[at]] if at in rows else ""
        if not file_line.strip(BLANK) or indent_of(file_line) != indent_of(lines[new]):
            continue
        if plain_punctuation(file_line) == plain_punctuation(lines[new]):
            lines[new] = file_line
    return lines


# ── whole blocks ─────────────────────────────────────────────────────────────────────────────────


def _replace_block(
    text: Text, hunk: Hunk, header: range, payload: list[str], language: Language | None
) -> tuple[list[str], int] | Problem:
    """Return the payload with what follows the block on its last line, and the row after it."""
    from ..syntax.blocks import block_end, join_rest

    new = "\n".join(line[1:] for line in hunk.signed if line[0] == "+")
    end = block_end(hunk.claims.block, text.text, language, header[0], header[-1], new)
    if isinstance(end, Problem):
        return end
    joined = join_rest(hunk.claims.block, payload, text.lines[end.line][end.column :], language)
    return joined if isinstance(joined, Problem) else (joined, end.line + 1)


# ── comments and strings of several lines ────────────────────────────────────────────────────────


def _cuts_nothing(view: Lexed, language: Language, start: int, end: int, lines: list[str]) -> bool:
    """Return True if the line after the rows is inside the same comment or string as before, or in none."""
    if not view.inside[start] and not view.inside[end]:
        return True
    first = start
    while first and view.inside[first]:
        first -= 1
    return Lexed([*view.lines[first:start], *lines], language).inside[-1] == view.inside[end]


def _torn(view: Lexed, start: int, end: int) -> Problem:
    kind = "comment" if COMMENT in (view.inside[start], view.inside[end]) else "string"
    last = max(end, start + 1)
    rows = f"line {last} is" if last == start + 1 else f"lines {start + 1}-{last} are"
    return Problem("torn", f"{rows} only part of a {kind}", line=start + 1)
