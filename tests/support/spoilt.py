"""Patches of real changes, spoilt so that they fit nowhere, and what the corrections in their refusals result in.

`corrected` applies each correction as a model would send it, in place of the part that failed, and compares the files
with the intended ones. The mistakes, drawn from a `random.Random`, are in the old lines alone, or in old and new lines
alike, as models make them.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import anypatch
from anypatch import api
from anypatch.api import format_given
from anypatch.author.resend import write_ops
from anypatch.model import Edit, Patch
from anypatch.problems import Refused
from support.mistakes import Change, pieces_of
from support.mistakes_spoils import deeper, rescaled, slipped, typographic
from support.mistakes_written import HANDS, Lines, Piece, indent_of, pads

FORMATS = ("begin-patch", "unified", "search-replace", "json-edits", "chunk")
WORD = re.compile(r"[A-Za-z_]{4,}")
NUMBER = re.compile(r"\d+")


class Shown(NamedTuple):
    """A correction that a refusal shows: for which patch, how that was spoilt, and if the result is the intended one."""

    spoil: str
    format: str
    patch: str
    block: str
    right: bool
    wanted: str
    got: str


def corrected(change: Change, rng: random.Random) -> Iterator[Shown | None]:
    """Yield each correction of each spoilt patch of a change; None for a patch that is refused without one."""
    before, after = change.before.decode(), change.after.decode()
    for format in FORMATS:
        write, contexts = HANDS[format]
        for name, spoil in SPOILS.items():
            pieces = pieces_of(change, rng.choice(contexts))
            if any(not piece.old for piece in pieces):
                continue
            at = rng.randrange(len(pieces))
            lines = spoil(pieces[at].lines, rng)
            if lines is None or lines == pieces[at].lines:
                continue
            spoilt = [*pieces[:at], pieces[at]._replace(lines=lines), *pieces[at + 1 :]]
            try:
                text = write(change.path, spoilt, rng)
            except StopIteration:
                continue
            result = anypatch.apply_to(text, {change.path: before}, format=format_given(format))
            if len(result.problems) != 1:
                continue
            blocks = [(problem, block.text) for problem in result.problems for block in problem.corrected]
            if not blocks:
                yield None
            for problem, block in blocks:
                got = resent(result.plan.patch, problem, block, {change.path: before})
                ambiguous = problem.kind == "ambiguous"  # a block for each place: one of them is intended
                right = got == after or (ambiguous and got != before and got is not None)
                yield Shown(name, format, text, block, right, after, got or "refused")


def resent(patch: Patch, problem: anypatch.Problem, block: str, files: dict[str, str]) -> str | None:
    """Return the file after the patch with a correction in place of the part that failed, or None if that is refused."""
    correction = api.read(block, patch.format)
    assert not correction.problems and len(correction.ops) == 1, block
    ops = list(patch.ops)
    failed, corrected = ops[problem.op - 1], correction.ops[0]
    if isinstance(failed, Edit) and isinstance(corrected, Edit) and len(failed.hunks) > 1:
        hunks = list(failed.hunks)
        which = [n for n, hunk in enumerate(hunks) if hunk.patch_line == problem.patch_line]
        assert len(which) == 1, problem
        hunks[which[0] : which[0] + 1] = corrected.hunks
        corrected = failed._replace(hunks=tuple(hunks))
    ops[problem.op - 1] = corrected
    text = (
        write_ops(tuple(ops), anypatch.format_named(patch.format))
        if len(ops) > 1 or len(getattr(corrected, "hunks", ())) > 1
        else block
    )
    if not text:
        return None
    try:
        result = anypatch.apply_to(text, files, format=format_given(patch.format))
    except Refused:
        return None
    return str(result.files[next(iter(files))]) if result.ok else None


# ── the mistakes ─────────────────────────────────────────────────────────────────────────────────


def old_line(edit: Callable[[str, random.Random], str], *, tags: str = " -") -> Callable[..., Lines | None]:
    """Make a mistake in one old line."""

    def make(lines: Lines, rng: random.Random) -> Lines | None:
        spots = [n for n, (tag, text) in enumerate(lines) if tag in tags and len(text.strip()) > 5]
        if not spots:
            return None
        n = rng.choice(spots)
        return [*lines[:n], (lines[n][0], edit(lines[n][1], rng)), *lines[n + 1 :]]

    return make


def both(*makes: Callable[..., Lines | None]) -> Callable[..., Lines | None]:
    def make(lines: Lines, rng: random.Random) -> Lines | None:
        spoilt: Lines | None = lines
        for mistake in makes:
            spoilt = mistake(spoilt, rng) if spoilt is not None else None
        return spoilt

    return make


def throughout(edit: Callable[[str], str]) -> Callable[..., Lines | None]:
    """Make the same mistake in every line, old and new; None if no old line shows it, as the patch may then intend it."""

    def make(lines: Lines, rng: random.Random) -> Lines | None:
        spoilt = [(tag, edit(text)) for tag, text in lines]
        shown = {text for tag, text in spoilt if tag != "+"} - {text for tag, text in lines if tag != "+"}
        return spoilt if shown else None

    return make


def old_only(edit: Callable[[str], str]) -> Callable[..., Lines | None]:
    return lambda lines, rng: [(tag, text if tag == "+" else edit(text)) for tag, text in lines]


def misnamed(lines: Lines, rng: random.Random) -> Lines | None:
    """Misspell a name of an old line everywhere, in the new lines too."""
    names = sorted({word for tag, text in lines if tag != "+" for word in WORD.findall(text)})
    if not names:
        return None
    name = rng.choice(names)
    wrong = slipped(name, rng)
    return [(tag, re.sub(rf"\b{name}\b", wrong, text)) for tag, text in lines]


def stale_number(lines: Lines, rng: random.Random) -> Lines | None:
    spots = [n for n, (tag, text) in enumerate(lines) if tag != "+" and NUMBER.search(text)]
    if not spots:
        return None
    n = rng.choice(spots)
    tag, text = lines[n]
    return [*lines[:n], (tag, NUMBER.sub(lambda number: number[0] + "7", text, count=1)), *lines[n + 1 :]]


def lost_line(blank: bool) -> Callable[..., Lines | None]:
    """Forget a context line between others."""

    def make(lines: Lines, rng: random.Random) -> Lines | None:
        spots = [n for n in range(1, len(lines) - 1) if all(lines[m][0] == " " for m in (n - 1, n, n + 1))]
        spots = [n for n in spots if bool(lines[n][1].strip()) != blank]
        if not spots:
            return None
        n = rng.choice(spots)
        return lines[:n] + lines[n + 1 :]

    return make


def blank_more(lines: Lines, rng: random.Random) -> Lines | None:
    spots = [n for n in range(1, len(lines)) if lines[n][0] == lines[n - 1][0] == " "]
    n = rng.choice(spots) if spots else 0
    return [*lines[:n], (" ", ""), *lines[n:]] if n else None


def wrong_neighbour(lines: Lines, rng: random.Random) -> Lines | None:
    spots = [n for n in range(1, len(lines)) if lines[n][0] == lines[n - 1][0] == " " and lines[n] != lines[n - 1]]
    if not spots:
        return None
    n = rng.choice(spots)
    return [*lines[: n - 1], lines[n], lines[n - 1], *lines[n + 1 :]]


def pieces(make: Callable[..., list[Piece] | None]) -> Callable[..., Lines | None]:
    def of_lines(lines: Lines, rng: random.Random) -> Lines | None:
        spoilt = make([Piece(lines, 1, "")], rng)
        return spoilt[0].lines if spoilt else None

    return of_lines


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def gutter(lines: Lines, rng: random.Random) -> Lines:
    first = rng.randrange(1, 400)
    return [(tag, f"{first + n:4} | {text}") for n, (tag, text) in enumerate(lines)]


def outdented(lines: Lines, rng: random.Random) -> Lines | None:
    """Remove all indentation, if the old lines have every depth that the new ones have."""
    if not pads([text for tag, text in lines if tag == "+"]) <= pads([text for tag, text in lines if tag != "+"]):
        return None
    return [(tag, text.lstrip()) for tag, text in lines]


def half_indented(lines: Lines, rng: random.Random) -> Lines | None:
    """Indent the lines from one on deeper."""
    n = rng.randrange(len(lines))
    if all(tag == "+" or not text.strip() for tag, text in lines[n:]):
        return None
    return lines[:n] + [(tag, "  " + text if text.strip() else text) for tag, text in lines[n:]]


SLIP = old_line(slipped)
SPOILS: dict[str, Callable[..., Lines | None]] = {
    "slip": SLIP,
    "slip in context": old_line(slipped, tags=" "),
    "slip in what goes": old_line(slipped, tags="-"),
    "two slips": both(SLIP, SLIP),
    "three slips": both(SLIP, SLIP, SLIP),
    "name misspelt throughout": misnamed,
    "name misspelt throughout, and a slip": both(misnamed, SLIP),
    "stale number": stale_number,
    "stale number and a slip": both(stale_number, SLIP),
    "html throughout, and a slip": both(SLIP, throughout(html.escape)),
    "html in the old lines, and a slip": both(SLIP, old_only(html.escape)),
    "backslashes throughout, and a slip": both(SLIP, throughout(escaped)),
    "typographic, and a slip": both(SLIP, throughout(typographic)),
    "gutter, and a slip": both(SLIP, gutter),
    "outdented, and a slip": both(SLIP, outdented),
    "one level out, and a slip": both(SLIP, throughout(lambda text: text[4:] if text[:4] == "    " else text)),
    "deeper, and a slip": both(SLIP, pieces(deeper)),
    "rescaled, and a slip": both(SLIP, pieces(rescaled)),
    "tabs, and a slip": both(SLIP, throughout(lambda text: indent_of(text).replace("    ", "\t") + text.lstrip())),
    "half indented, and a slip": both(SLIP, half_indented),
    "a blank line lost, and a slip": both(lost_line(True), SLIP),
    "a line lost": lost_line(False),
    "a line lost, and a slip": both(lost_line(False), SLIP),
    "a blank line more, and a slip": both(blank_more, SLIP),
    "neighbours swapped": wrong_neighbour,
    "neighbours swapped, and a slip": both(wrong_neighbour, SLIP),
}
