"""Read a model's whole answer as one patch: stated edits in whatever formats they are written, and sketches. Pure."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from .. import formats
from ..formats import CALLS, FOUND, SHOWN, scores
from ..model import Block as AnswerBlock
from ..model import Note, Patch, Sketch, paths_of
from ..problems import Problem, Refused
from ..text import BOM, patch_lines
from .blocks import ELEMENT, FILE, JSON, LABEL, SKETCH, Block, blocks_of
from .unwrap import unescaped, was_escaped

if TYPE_CHECKING:
    from ..limits import Tally
    from ..model import Op

DECODED = Note("HTML escapes were decoded", patch_line=1)
_THINKING = ("think", "thinking", "reasoning", "thought", "scratchpad")
_ASIDES = (LABEL, ELEMENT)  # blocks that hold no edit


def read(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """Read an answer in the format named, or in those that it holds. `tally` may refuse it before all of it is read.

    `file` is the path of fences and edits for which the answer names none.
    """
    thinking = 0
    if "<" in text:
        text, thinking = without_thinking(text)
    try:
        patch = read_as(format, text, tally, file) if format else read_answer(text, tally, file)
    except Refused:
        if not was_escaped(text):
            raise
        patch = Patch("", problems=(Problem("no_patch"),))
    if patch.problems and was_escaped(text):
        return read_escaped(text, format, tally, file)
    blocks = (AnswerBlock(1, thinking, "thinking"), *patch.blocks) if thinking else patch.blocks
    return patch._replace(file=file, blocks=blocks) if file or thinking else patch


def read_escaped(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """Read an answer that was escaped for HTML as a whole."""
    patch = read(unescaped(text), format, tally, file)
    return patch._replace(notes=(*patch.notes, DECODED))


def read_as(name: str, text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """Read a text in one format."""
    patch = formats.named(name).parse(text, tally, file)
    return patch if patch.blocks else patch._replace(blocks=(AnswerBlock(1, text.count("\n") + 1, patch.format),))


# ── thinking ─────────────────────────────────────────────────────────────────────────────────────


def without_thinking(text: str) -> tuple[str, int]:
    """Blank out what the model thought before its answer; return the text and the last line of that, or 0.

    <think>                         the first tag may be missing: the host's prompt ends in it
    Perhaps `return 1`, so: …
    </think>
    """
    opened = re.match(rf"\s*<({'|'.join(_THINKING)})>", text) if text.lstrip()[:1] == "<" else None
    if opened is not None:
        end = _end_of_thinking(text, opened[1])
    elif any(f"</{tag}>" in text for tag in _THINKING):
        end = _end_without_opener(text)
    else:
        end = 0
    above = text.count("\n", 0, end)
    return ("\n" * above + text[end:], above + 1) if end else (text, 0)


def _end_of_thinking(text: str, tag: str) -> int:
    """Return the offset after the closing tag; in quotes it is only mentioned."""
    closed = re.search(rf"(?<![`\"'])</{tag}>(?![`\"'])", text)
    if closed is None:
        raise Refused(Problem("truncated", f"the answer ends inside `<{tag}>`", patch_line=1))
    return closed.end()


def _end_without_opener(text: str) -> int:
    """Return the offset after a closing tag alone on a line that is in no block of the answer; 0 if there is none."""
    closing = [f"</{tag}>" for tag in _THINKING]
    lines = patch_lines(text)
    row = next((row for row, line in enumerate(lines) if line.strip() in closing), -1)
    if row < 0 or any(block.start <= row < block.end for block in blocks_of(lines)):
        return 0
    return len("\n".join(text.split("\n")[: row + 1]))


# ── all blocks of an answer ──────────────────────────────────────────────────────────────────────


def read_answer(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """Read an answer in whatever formats it has; raise `Refused` if it holds no edit, or too long a one."""
    if not text.strip().strip(BOM):
        hint = "Check that the answer was copied."
        raise Refused(Problem("no_patch", "the answer is empty", advice="Send the edits.", hint=hint))
    lines = patch_lines(text)
    if name := _format_of_all(lines):
        return read_as(name, text, tally, file)
    blocks = blocks_of(lines)
    names = [_format_of(lines, block) for block in blocks]
    if not any(names) and not any(block.kind == SKETCH for block in blocks):
        return _without_edits(text, blocks, tally, file)
    patches = []
    for name in dict.fromkeys(filter(None, names)):
        if name == "whole-file":
            patches.append(formats.named(name).reader.read([block.shown for block in blocks if block.kind == FILE]))
        else:
            patches.append(formats.named(name).parse(_text_of(name, text, blocks, names), tally, file))
    patch = patches[0] if len(patches) == 1 else _joined(patches)
    sketches = _sketches(lines, blocks, patch.ops, file)
    reported = [_reported(name, block) for name, block in zip(names, blocks, strict=True)]
    cut = tuple(_cut_off(sketch) for sketch in sketches if not sketch.closed)
    return patch._replace(sketches=sketches, blocks=tuple(reported), problems=patch.problems + cut)


def _format_of_all(lines: list[str]) -> str:
    """Return the format of a text that is one marked block from its first line to its last; "" for any other."""
    row = 0
    while row < len(lines) - 1 and not lines[row].strip():
        row += 1
    if lines[row].lstrip()[:1] in ("<", "[", "{", "`", "~"):
        return ""
    kind = formats.opening(lines, row)
    end = formats.block_end(kind, lines, row, len(lines), False) if kind else -1
    return kind if end > row and not any(map(str.strip, lines[end:])) else ""


def _format_of(lines: list[str], block: Block) -> str:
    """Return the format that reads a block; "" for a sketch, for what holds no edit, and for JSON that isn't a call."""
    if block.kind in (SKETCH, *_ASIDES):
        return ""
    if block.kind == FILE:
        return "whole-file"
    if block.kind != JSON:
        return block.kind
    text = "\n".join(lines[block.start : block.end])
    scored = {name: formats.score(name, text) for name in CALLS}
    names = sorted((name for name in CALLS if scored[name] >= FOUND), key=lambda name: -scored[name])
    if len(names) > 1:
        # Keys of another format may be in the strings of a call: only its own reader knows.
        names = [name for name in names if formats.named(name).parse(text).ops] or names
    if not names and '"operations"' in text and formats.score("chunk", text) >= FOUND:
        return "chunk"
    return names[0] if names else ""


def _text_of(name: str, text: str, blocks: list[Block], names: list[str]) -> str:
    """Return the text that one format reads: without the blocks of others; for calls, without all other lines."""
    if name not in CALLS and all(other == name for other in names):
        return text
    lines = text.removeprefix(BOM).split("\n")
    kept = [""] * len(lines) if name in CALLS else list(lines)
    blanked = []
    for block, other in zip(blocks, names, strict=True):
        rows = slice(block.start, min(block.end, len(lines)))
        if other == name:
            kept[rows] = lines[rows]
        elif block.kind not in _ASIDES:
            kept[rows] = [""] * (rows.stop - rows.start)
            blanked.append(rows.start)
    # Blank lines at the end may count in YAML: what was blanked there is cut off.
    last = max((row for row, line in enumerate(kept) if line.strip()), default=-1)
    cut = next((row for row in blanked if row > last), -1)
    return "\n".join(kept if cut < 0 else [*kept[:cut], ""])


def _joined(patches: list[Patch]) -> Patch:
    """Join what several formats read into one patch, with the operations in the order of the answer."""
    patches = [patch for patch in patches if patch.format]
    names = [patch.format for patch in patches if patch.ops or patch.problems]
    notes = [note for patch in patches for note in patch.notes]
    if len(names) > 1:
        notes.insert(0, Note(f"the answer mixes formats: {', '.join(names)}", patch_line=1))
    problems = [problem for patch in patches for problem in patch.problems]
    return Patch(
        " + ".join(names),
        tuple(_in_turn(patches)),
        next((patch.description for patch in patches if patch.description), ""),
        tuple(sorted(problems, key=lambda p: p.patch_line)),
        tuple(notes),
        any(patch.exact for patch in patches),
    )


def _in_turn(patches: list[Patch]) -> list[Op]:
    """Sort all operations by their lines, but keep the order in each patch: a diff's copies are made first."""
    placed: list[tuple[int, Op]] = []
    for patch in patches:
        lines = [op.patch_line for op in patch.ops]
        placed += zip(reversed(list(accumulate(reversed(lines), min))), patch.ops, strict=True)
    return [op for _, op in sorted(placed, key=lambda item: item[0])]


# ── sketches, and what the answer holds ──────────────────────────────────────────────────────────


def _sketches(lines: list[str], blocks: list[Block], ops: tuple[Op, ...], file: str) -> tuple[Sketch, ...]:
    """Return the fences without marks, each with the lines above it and the file of a stated edit right before it."""
    sketches = []
    paths = iter(sorted((op.patch_line, paths_of(op)[0]) for op in ops))
    upcoming = next(paths, None)
    end, previous = 0, ""
    for number, block in enumerate(blocks):
        if block.kind == SKETCH and block.region is not None:
            region = block.region
            info = lines[block.start].strip().lstrip("`~").strip()
            above = (*lines[end : block.start], *([file] if file else []))
            body = tuple(region.outdented)
            sketches.append(Sketch(number, block.start + 1, info, body, above, previous, region.closed))
            previous = ""
        while upcoming and upcoming[0] <= block.end:
            previous, upcoming = upcoming[1], next(paths, None)
        if block.kind not in _ASIDES:
            end = block.end
    return tuple(sketches)


def _cut_off(sketch: Sketch) -> Problem:
    return Problem("truncated", "the answer ends inside a fence", patch_line=sketch.line)


def _reported(name: str, block: Block) -> AnswerBlock:
    """Return a block as `Result.blocks` lists it."""
    if block.kind in _ASIDES:
        return AnswerBlock(block.start + 1, block.end, block.kind, "unused", block.why)
    if not name and block.kind == JSON:
        return AnswerBlock(block.start + 1, block.end, "JSON", "unused", "It isn't a call that is known.")
    return AnswerBlock(block.start + 1, block.end, name or "sketch")


def _without_edits(text: str, blocks: list[Block], tally: Tally | None, file: str) -> Patch:
    """Read a text without edits by the format that it resembles, which tells what is wrong; else raise `Refused`."""
    names = [name for name, score in scores(text) if score >= FOUND and name not in (*CALLS, *SHOWN)]
    if names:
        return read_as(names[0], text, tally, file)
    unknown = [
        Problem("no_patch", f"{block.why[:1].lower()}{block.why[1:].removesuffix('.')}", patch_line=block.start + 1)
        for block in blocks
        if block.kind in _ASIDES
    ]
    prose = "the answer is only prose: no code fence, no diff, no edit blocks"
    raise Refused(*unknown or (Problem("no_patch", prose, patch_line=1),))
