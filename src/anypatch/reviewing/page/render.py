"""A review as HTML. The page shows what the value says, and computes nothing of its own."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ...problems import Problem
from ...report.json import action
from ...report.words import is_minor, line_counts, many, note_line, span
from ...result import Result
from ...text import patch_lines
from ..decisions import Choice
from ..hunks import Hunk, Line, ReviewedFile
from ..parts import ReviewedBlock, ReviewedEdit, block_at
from ..review import Review
from .highlight import Span, colours, harmless, highlighted, visible

FOLDER = Path(__file__).parent
_FEW_FILES = 20  # more are folded at first
_ANSWER_LINES = 200  # of a block of the answer that are shown at first
_COLOURED_LINES = 5_000  # an answer with more has no colours
_HUNK_LINES = 300  # of a hunk on each side, drawn at once
_MORE_PAGES = 7  # of that many lines each, that a click adds
_MORE_LINES = 2_000  # of the answer
_HUNKS = 60  # of a file, drawn at once
_NEAR = 5  # problems of an edit that are shown

_STATES = {
    "kept": "kept", "dropped": "left out", "partly": "kept in part", "open": "needs a decision", "unused": "not used",
    "unchanged": "already so", "edited": "edited",
}  # fmt: skip
_FORMATS = {"sketch": "code", "thinking": "thoughts"}


class Part(NamedTuple):
    """A part of the answer: a block with what became of it, or the prose between two; lines are numbered from 1."""

    number: int
    block: ReviewedBlock | None
    lines: Markup
    more: int
    next: int


class Card(NamedTuple):
    """Something that only a person can decide: a choice, an edit with problems, or a block that can't be read.

    `drop` is what is left out if nothing else helps; `missing` the path of a file that doesn't exist.
    """

    id: str
    title: str
    path: str
    block: int
    problems: tuple[Problem, ...]
    drop: str = ""
    missing: str = ""
    choice: Choice | None = None

    @property
    def is_open(self) -> bool:
        """Return True if it isn't decided."""
        return self.choice is None or self.choice.chosen is None


class Renderer:
    """Draws one plan of a review; its hunks may be kept or dropped in the meantime."""

    def __init__(self, review: Review, *, is_static: bool = False) -> None:
        self.review = review
        self.is_static = is_static
        self._environment = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=True, undefined=StrictUndefined,
            trim_blocks=True, lstrip_blocks=True, finalize=_finalized,
        )  # fmt: skip
        self._environment.filters |= {"shown": harmless, "many": many, "where": where, "sentence": _sentence}
        self._environment.globals |= {"states": _STATES, "formats": _FORMATS, "is_static": is_static}
        self._edits = {edit.number: edit for edit in review.edits}
        self._colours: dict[tuple[str, str], list[list[Span]]] = {}
        self._answer: list[str] | None = None

    # ── the whole ──

    def page(self, title: str, token: str, version: int, banner: Markup, *, is_done: bool) -> str:
        """Return the page."""
        return self._draw(
            "page.html", title=title, token=token, version=version, banner=banner, is_done=is_done, main=self.main(),
            bar=self.bar(), style="", policy="",
        )  # fmt: skip

    def static_page(self, title: str) -> str:
        """Return a page to look at, with everything in it and without a script."""
        style = (FOLDER / "page.css").read_text(encoding="utf-8")
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
        return self._draw(
            "page.html", title=title, token="", version=0, banner="", is_done=True, main=self.main(), bar=self.bar(),
            style=Markup(style), policy=policy,  # noqa: S704 - the file is ours
        )  # fmt: skip

    def main(self) -> Markup:
        """Return both halves of the page: the answer, and what it would change."""
        review = self.review
        return self._draw(
            "main.html", parts=list(self._parts()), cards=list(self._cards()), files=review.files,
            heads=[self.file_head(at) for at in range(len(review.files))],
            bodies=[self.file(at) for at in range(len(review.files))] if self.is_static else [],
            is_folded=len(review.files) > _FEW_FILES,
            notes=[note_line(note) for note in review.notes if not (is_minor(note) or note.kind == "unused")],
        )  # fmt: skip

    def bar(self) -> dict[str, object]:
        """Return what the bar on top shows: a summary, and what keeps the change from being applied."""
        review = self.review
        kept = [hunk for hunk in review.hunks if hunk.kept]
        waiting = sum(card.is_open for card in self._cards())
        files = len({hunk.path for hunk in kept})
        changes = many(len(kept), "change")
        parts = [f"{len(kept)} of {many(len(review.hunks), 'change')} kept", many(files, "file")]
        return {
            "summary": ", in ".join(parts) if review.hunks else "" if waiting else "nothing would change",
            "waiting": f"{many(waiting, 'decision')} to make" if review.problems and waiting else "",
            "apply": f"Apply {changes}" if kept else "Apply",
            "ready": not review.problems and bool(kept),
        }

    def _draw(self, name: str, **values: object) -> Markup:
        return Markup(self._environment.get_template(name).render(**values))  # noqa: S704 - it escapes

    # ── the answer ──

    def _parts(self) -> Iterator[Part]:
        """Yield the answer's blocks and the prose between them, in order."""
        lines = self._answer_lines()
        at, number = 1, 0
        for block in self.review.blocks:
            if block.first < at:
                continue
            if at < block.first:
                yield self._part(number, None, at, block.first - 1)
                number += 1
            yield self._part(number, block, block.first, min(block.last, len(lines)))
            number += 1
            at = block.last + 1
        if at <= len(lines):
            yield self._part(number, None, at, len(lines))

    def _part(self, number: int, block: ReviewedBlock | None, first: int, last: int) -> Part:
        shown = last if self.is_static else min(last, first + _ANSWER_LINES - 1)
        return Part(number, block, self._lines_of_answer(block, first, shown), last - shown, shown + 1)

    def _lines_of_answer(self, block: ReviewedBlock | None, first: int, last: int) -> Markup:
        lines = self._answer_lines()[first - 1 : last]
        is_coloured = block and len(self._answer_lines()) < _COLOURED_LINES
        spans = colours(lines, block.path, block.read_as) if block and is_coloured else []
        rows = []
        for at, line in enumerate(lines):
            code = highlighted(line, spans[at] if spans else ())
            rows.append(f'<div class="l"><i data-n="{first + at}"></i><code>{code}</code></div>')
        return Markup("".join(rows))  # noqa: S704 - lines are escaped

    def more_of_answer(self, first: int) -> Markup:
        """Return further lines of a part of the answer: those from this one on."""
        lines = self._answer_lines()
        block = next((one for one in self.review.blocks if one.first <= first <= one.last), None)
        following = (one.first - 1 for one in self.review.blocks if one.first > first)
        end = min(block.last if block else next(following, len(lines)), len(lines))
        last = min(end, first + _MORE_LINES - 1)
        return self._with_more(self._lines_of_answer(block, first, last), end - last, f"answer/{last + 1}")

    def _answer_lines(self) -> list[str]:
        if self._answer is None:
            lines = [line.removesuffix("\n").removesuffix("\r") for line in patch_lines(self.review.answer)]
            self._answer = lines if lines[-1:] != [""] else lines[:-1]  # nothing follows the last newline
        return self._answer

    def _with_more(self, rows: Markup, more: int, source: str) -> Markup:
        return rows + self._draw("more.html", more=more, source=source) if more > 0 else rows

    # ── decisions ──

    def _cards(self) -> Iterator[Card]:
        choices, edits = self.review.choices, self.review.edits
        waiting = {number for choice in choices if choice.chosen is None for number in choice.edits}
        for choice in choices:
            own = [self._edits[number] for number in choice.edits if number in self._edits]
            yield _card_of(choice.id, own, choice.question)._replace(choice=choice)
        for edit in edits:
            if edit.problems and edit.number not in waiting:
                yield _card_of(f"edit {edit.number}", [edit], "")._replace(drop=str(edit.number))
        yield from self._unread()

    def _unread(self) -> Iterator[Card]:
        """Yield a card for each problem that isn't one of an edit: its block can't be read."""
        known = {problem for edit in self.review.edits for problem in edit.problems}
        firsts = [block.first for block in self.review.blocks]
        for at, problem in enumerate(problem for problem in self.review.problems if problem not in known):
            block = block_at(self.review.blocks, firsts, problem.patch_line)
            yield Card(f"problem {at}", "", problem.path, block, (problem,), f"block {block}" if block else "")

    # ── files ──

    def file_head(self, at: int) -> dict[str, object]:
        """Return what the line above a file's hunks shows."""
        file = self.review.files[at]
        added, removed = line_counts(file.change)
        kept = sum(hunk.kept for hunk in file.hunks)
        return {
            "path": file.path, "origin": file.origin, "action": action(file.change, file.origin), "added": added,
            "removed": removed, "hunks": len(file.hunks), "kept": kept, "state": file.state,
        }  # fmt: skip

    def file(self, at: int, first: int = 0) -> Markup:
        """Return the hunks of a file, from one on."""
        file = self.review.files[at]
        last = len(file.hunks) if self.is_static else first + _HUNKS
        hunks = Markup("").join(self.hunk(file, hunk) for hunk in file.hunks[first:last])
        rest = len(file.hunks) - last
        return hunks + self._draw("rest.html", at=at, first=last, rest=rest) if rest > 0 else hunks

    def files_of(self, block: int) -> list[int]:
        """Return the numbers of the files that a block of the answer changes."""
        edits = {edit.number for edit in self.review.edits if edit.block == block}
        return [at for at, file in enumerate(self.review.files) if any(hunk.edit in edits for hunk in file.hunks)]

    def hunk_by_id(self, id: str) -> Markup:
        """Return a hunk; an empty text if there is none of this name."""
        found = ((file, hunk) for file in self.review.files for hunk in file.hunks if hunk.id == id)
        return next((self.hunk(file, hunk) for file, hunk in found), Markup(""))

    def hunk(self, file: ReviewedFile, hunk: Hunk) -> Markup:
        """Return a hunk with its buttons."""
        edit, lines = self._edits.get(hunk.edit), hunk.lines
        largest = max((max(line.old, line.new) for line in lines), default=0)
        return self._draw(
            "hunk.html", file=file, hunk=hunk, edit=edit, lines=self._lines(hunk, lines, 0, 1),
            state=hunk_state(hunk), digits=max(len(str(largest)), 2), remark=_remark(file, hunk, lines),
        )  # fmt: skip

    def _lines(self, hunk: Hunk, lines: Sequence[Line], first: int, count: int) -> Markup:
        """Return pages of a hunk's lines: context on both sides, and runs of what goes and what comes."""
        pages = [lines] if self.is_static else _pages(lines)
        some = [line for page in pages[first : first + count] for line in page]
        rows = []
        for sign, run in groupby(some, key=lambda line: line.sign != " "):
            html = [self._line(hunk, line) for line in run]
            rows += [f'<div class="run">{"".join(html)}</div>'] if sign else html
        rest = sum(map(len, pages[first + count :]))
        return self._with_more(Markup("".join(rows)), rest, f"hunk/{hunk.id}/{first + count}")  # noqa: S704 - escaped

    def more_of_hunk(self, id: str, first: int) -> Markup:
        """Return further pages of a hunk's lines."""
        hunk = next((hunk for hunk in self.review.hunks if hunk.id == id), None)
        return self._lines(hunk, hunk.lines, first, _MORE_PAGES) if hunk else Markup("")

    def _line(self, hunk: Hunk, line: Line) -> str:
        code = highlighted(line.text, self._spans(hunk, line), line.changed)
        if line.ending:
            code += Markup('<span class="esc">{}</span>').format(line.ending)
        numbers = f'<i data-n="{line.old or ""}"></i><i data-n="{line.new or ""}"></i>'
        if line.sign == " ":
            row = f"{numbers}<code>{code}</code></div>"
            return f'<div class="both"><div class="l o">{row}<div class="l w" aria-hidden="true">{row}</div>'
        word, name = ("removed", "d") if line.sign == "-" else ("added", "a")
        return f'<div class="l {name}">{numbers}<code><span class="vh">{word}: </span>{code}</code></div>'

    def _spans(self, hunk: Hunk, line: Line) -> Sequence[Span]:
        """Return the colours of a line: those that it has in the whole file."""
        sides = hunk.sides
        if sides is None or (hunk.text is not None and line.sign == "+"):
            return ()
        side = "new" if line.sign == "+" else "old"
        key = (hunk.path, side)
        if key not in self._colours:
            rows = sides.new if side == "new" else sides.old
            self._colours[key] = colours([row.removesuffix("\n").removesuffix("\r") for row in rows], hunk.path)
        known = self._colours[key]
        row = (line.new if side == "new" else line.old) - 1
        return known[row] if row < len(known) else ()


# ── states ───────────────────────────────────────────────────────────────────────────────────────


def hunk_state(hunk: Hunk) -> str:
    """Return the word for what becomes of a hunk."""
    return "dropped" if not hunk.kept else "edited" if hunk.text is not None else "kept"


def states(review: Review) -> dict[str, str]:
    """Return the states of everything on the page, by the id of its element."""
    result = {f"h{hunk.id}": hunk_state(hunk) for hunk in review.hunks}
    result |= {f"b{block.number}": block.state for block in review.blocks}
    return result | {
        f"f{at}": f"{file.state} {sum(hunk.kept for hunk in file.hunks)}" for at, file in enumerate(review.files)
    }


def where(hunk: Hunk) -> str:
    """Name the lines of a hunk, as they are in the file now."""
    if hunk.kind != "lines":
        return {"create": "new file", "delete": "deleted", "move": "moved", "mode": "permissions"}.get(
            hunk.kind, "binary"
        )
    start, stop = hunk.old
    return span(start + 1, stop) if start < stop else f"after line {start}" if start else "at the top"


def _sentence(text: str) -> str:
    """Begin a text with a capital, unless its first word is a name."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def _pages(lines: Sequence[Line]) -> list[list[Line]]:
    """Part the lines of a long hunk; what goes and what comes in its place are on the same page."""
    pages: list[list[Line]] = [[]]
    for _, run in groupby(lines, key=lambda line: line.sign != " "):
        both = [*run]
        old, new = [line for line in both if line.sign == "-"], [line for line in both if line.sign != "-"]
        for at in range(0, max(len(old), len(new)), _HUNK_LINES):
            if len(pages[-1]) >= _HUNK_LINES:
                pages.append([])
            pages[-1] += [*old[at : at + _HUNK_LINES], *new[at : at + _HUNK_LINES]]
    return pages


def _card_of(id: str, edits: Sequence[ReviewedEdit], title: str) -> Card:
    """Return the card of edits that wait for one decision."""
    problems = [problem for edit in edits for problem in edit.problems]
    missing = next((one.path for one in problems if one.kind == "file_missing"), "")
    alike = {one.message: one for one in problems}
    path, block = (edits[0].path, edits[0].block) if edits else ("", 0)
    return Card(id, title, path, block, tuple(alike.values())[:_NEAR], missing=missing)


def _remark(file: ReviewedFile, hunk: Hunk, lines: Sequence[Line]) -> str:
    """Return what there is to say of a hunk that has no lines to show."""
    before, after = file.change.before, file.change.after
    if hunk.kind == "move":
        return f"{file.origin} → {file.path}"
    if hunk.kind == "mode" and before and after:
        return f"permissions {before.mode & 0o777:o} → {after.mode & 0o777:o}"
    if hunk.sides is None:
        return "The file isn't text, so its lines can't be shown."
    return "" if lines else "The file is empty."


def outcome_banner(result: Result, review: Review, *, is_undone: bool = False) -> Markup:
    """Return the banner for what was just done: applied, undone, or refused with the reasons."""
    renderer = Renderer(review)
    files = len(result.plan.changes)
    counts = [line_counts(change) for change in result.plan.changes]
    total = f"{many(files, 'file')}, +{sum(added for added, _ in counts)} −{sum(removed for _, removed in counts)}"
    return renderer._draw(
        "banner.html", kind=_banner_kind(result, is_undone=is_undone), total=total, problems=result.problems[:_NEAR],
        more=max(len(result.problems) - _NEAR, 0),
        undoable=bool(result.receipt and result.receipt.undoable),
        notes=[note_line(note) for note in result.notes if note.kind == "syntax"],
    )  # fmt: skip


def _banner_kind(result: Result, *, is_undone: bool) -> str:
    if result.ok:
        return "undone" if is_undone else "done"
    if is_undone:
        return "not undone"
    return "stale" if result.problems and all(one.kind == "stale" for one in result.problems) else "bad"


def _finalized(value: object) -> object:
    """Make a plain text harmless before a template escapes it."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
