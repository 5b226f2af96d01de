"""A model's whole answer as one patch: stated edits in whatever formats they are, and sketches. Pure.

`blocks.py` finds the blocks by structure alone; each format reads its own. A fence without marks is a sketch: what it
may change is found when the tree is known (`propose/`).
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from .. import formats
from ..formats import CALLS, CONFLICT, FOUND, SHOWN, scores
from ..model import Block as Told
from ..model import Note, Patch, Sketch, paths_of
from ..problems import Problem, Refused
from ..text import BOM, patch_lines, shared_indent
from .blocks import FILE, JSON, SKETCH, Block, blocks_of
from .escapes import unescaped, was_escaped

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..limits import Tally
    from ..model import Op

_THINKING = ("think", "thinking", "reasoning", "thought", "scratchpad")
_KEYS = ("operations:", "language:", "description:")  # at the margin of a CHUNK document


def read(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """What an answer says, in the format named or in those it holds. `tally` may refuse it before it is all read.

    `file`: the path for fences and edits for which the answer names none.
    """
    text, thinking = _without_thinking(text)
    try:
        patch = read_as(format, dedented(text) or text, tally, file) if format else read_answer(text, tally, file)
    except Refused:
        if not was_escaped(text):
            raise
        patch = Patch("", problems=(Problem("no_patch"),))
    if patch.problems and was_escaped(text):
        return read_escaped(text, format, tally, file)
    blocks = (Told(1, thinking, "thinking"), *patch.blocks) if thinking else patch.blocks
    return patch._replace(file=file, blocks=blocks) if file or thinking else patch


def read_escaped(text: str, format: str = "", tally: Tally | None = None, file: str = "") -> Patch:
    """What an answer says that was escaped for HTML as a whole."""
    patch = read(unescaped(text), format, tally, file)
    return patch._replace(notes=(*patch.notes, Note("HTML escapes were decoded", patch_line=1)))


def read_as(name: str, text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the text says in one format."""
    patch = formats.named(name).parse(text, tally, file)
    return patch if patch.blocks else patch._replace(blocks=(Told(1, text.count("\n") + 1, patch.format),))


def _without_thinking(text: str) -> tuple[str, int]:
    """The answer with blank lines for what the model thought before it, and the last line of that; 0 if it didn't.

    <think>                         the first tag may be missing, where the host's prompt ends in it
    Perhaps `return 1`, so: …
    </think>
    """
    opened = re.match(rf"\s*<({'|'.join(_THINKING)})>", text) if text.lstrip()[:1] == "<" else None
    if opened is None and not any(f"</{tag}>" in text for tag in _THINKING):
        return text, 0
    if opened is not None:
        closing = f"</{opened[1]}>"
        closed = re.search(rf"(?<![`\"']){closing}(?![`\"'])", text)
        if closed is None:
            advice = f"Close it with `{closing}`, then send the edits."
            raise Refused(Problem("truncated", f"the answer ends inside `<{opened[1]}>`", patch_line=1, advice=advice))
        end = closed.end()
    else:
        ends = [f"</{tag}>" for tag in _THINKING]
        lines = patch_lines(text)
        row = next((row for row, line in enumerate(lines) if line.strip() in ends), -1)
        if row < 0 or any(block.start <= row < block.end for block in blocks_of(lines)):
            return text, 0
        end = len("\n".join(text.split("\n")[: row + 1]))
    above = text.count("\n", 0, end)
    return "\n" * above + text[end:], above + 1


def dedented(text: str) -> str | None:
    """The text without the indentation that all of its lines share; None where they share none."""
    if text.lstrip("\ufeff\r\n")[:1] not in (" ", "\t"):
        return None
    lines = patch_lines(text)
    shared = shared_indent(lines)
    if not shared or sum(map(bool, map(str.strip, lines))) < 2:
        return None
    return "\n".join(line[len(shared) :] for line in lines)


# ── all blocks of an answer ──────────────────────────────────────────────────────────────────────


def read_answer(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the answer says, in whatever formats it says it; Refused where it holds no edit, or too long a one.

    `file`: the path of fences and edits for which the answer names none.
    """
    if not text.strip().strip(BOM):
        raise Refused(Problem("no_patch", "the answer is empty", advice="Send the edits."))
    note: tuple[Note, ...] = ()
    if (outdented := dedented(text)) is not None:
        text, note = outdented, (Note("the indentation of the whole patch was dropped", patch_line=1),)
    patch = _read_blocks(text, tally, file)
    return patch._replace(notes=(*note, *patch.notes)) if note else patch


def _read_blocks(text: str, tally: Tally | None, file: str) -> Patch:
    lines = patch_lines(text)
    if name := _one_block(text, lines):
        return read_as(name, text, tally, file)
    blocks = blocks_of(lines)
    names = [_format(lines, block) for block in blocks]
    by_format: dict[str, list[Block]] = {}
    for name, block in zip(names, blocks, strict=True):
        if name:
            by_format.setdefault(name, []).append(block)
    if not by_format and not any(block.kind == SKETCH for block in blocks):
        return _broken(text, lines, tally, file)
    patches = []
    for name, own in by_format.items():
        if name == "whole-file":
            patches.append(formats.named(name).reader.read([block.shown for block in own]))
        else:
            patches.append(formats.named(name).parse(_alone(text, lines, blocks, name, own), tally, file))
    patch = patches[0] if len(patches) == 1 else _joined(patches)
    sketches = _sketches(lines, blocks, patch.ops, file)
    told = [_told(name, block) for name, block in zip(names, blocks, strict=True)]
    cut = [_cut_off(sketch) for sketch in sketches if not sketch.closed]
    return patch._replace(sketches=sketches, blocks=tuple(told), problems=(*patch.problems, *cut))


def _one_block(text: str, lines: list[str]) -> str:
    """The format of a text that is one block of it from its first line to its last; "" for any other.

    What its lines look like besides is no matter: they are lines of files.
    """
    if _is_document(text):
        return "chunk"
    first = text.lstrip(f"{BOM} \t\r\n")[:1]
    if first in ("[", "{") and text.rstrip()[-1:] in ("]", "}"):
        calls = [name for name in CALLS if formats.score(name, text) >= FOUND]
        return calls[0] if len(calls) == 1 else ""
    if first in ("<", "[", "{", "`", "~"):
        return ""
    row = 0
    while row + 1 < len(lines) and not lines[row].strip():
        row += 1
    kind = formats.opening(lines, row)
    if kind in ("", "chunk", CONFLICT):
        return ""
    end = formats.block_end(kind, lines, row, len(lines), False)
    return kind if end > row and not any(map(str.strip, lines[end:])) else ""


def _is_document(text: str) -> bool:
    """Whether all of a text is one CHUNK document: what its payloads hold is then no patch of its own."""
    first = text.lstrip(f"{BOM}\r\n")
    if not first.startswith((" ", "\t", *_KEYS)):
        return False
    # Joined to the line above, indented lines needn't be looked at.
    lines = patch_lines(text) if "\r" in text else text.removeprefix(BOM).replace("\n ", " ").split("\n")
    margin = [line for line in lines if line[:1] not in ("", " ", "\t")]
    if not margin or not margin[0].startswith(_KEYS) or not all(line.startswith((*_KEYS, "- ")) for line in margin):
        return False
    return formats.score("chunk", text) >= FOUND


def _format(lines: list[str], block: Block) -> str:
    """The format that reads a block; "" for a sketch, and for JSON that is no call."""
    if block.kind == SKETCH:
        return ""
    if block.kind == FILE:
        return "whole-file"
    if block.kind != JSON:
        return formats.format_of(block.kind)
    text = "\n".join(lines[block.start : block.end])
    scored = {name: formats.score(name, text) for name in CALLS}
    names = sorted((name for name in CALLS if scored[name] >= FOUND), key=lambda name: -scored[name])
    if len(names) > 1:
        # Keys of another format may be in the texts of a call: only its own reader knows.
        names = [name for name in names if formats.named(name).parse(text).ops] or names
    if not names and '"operations"' in text and formats.score("chunk", text) >= FOUND:
        return "chunk"
    return names[0] if names else ""


def _alone(text: str, lines: list[str], blocks: list[Block], name: str, own: list[Block]) -> str:
    """The text as one format is to read it: without the blocks of others, and of calls nothing else."""
    if len(own) == len(blocks) and name not in CALLS:
        return text
    if name in CALLS:
        kept = [""] * len(lines)
        for block in own:
            kept[block.start : block.end] = lines[block.start : block.end]
        return "\n".join(kept)
    mine = {(block.start, block.kind) for block in own}
    return _without(text, [block for block in blocks if (block.start, block.kind) not in mine])


def _without(text: str, blocks: Collection[Block]) -> str:
    """The text with some blocks blanked out."""
    lines = text.removeprefix(BOM).split("\n")
    for block in blocks:
        end = min(block.end, len(lines))
        lines[block.start : end] = [""] * (end - block.start)
    # Blank lines at the end of a YAML text may count: what follows is cut off, where it is blanked altogether.
    end = len(lines)
    for block in sorted(blocks, key=lambda block: -block.start):
        if any(map(str.strip, lines[block.start : end])):
            break
        end = block.start
    return "\n".join(lines if end == len(lines) else [*lines[:end], ""])


def _joined(patches: list[Patch]) -> Patch:
    """What several formats read, as one patch; the operations are taken in the order of the answer."""
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
    """All operations by their lines, those of each patch in its own order: a diff's copies are made first."""
    placed: list[tuple[int, Op]] = []
    for patch in patches:
        lines = [op.patch_line for op in patch.ops]
        placed += zip(reversed(list(accumulate(reversed(lines), min))), patch.ops, strict=True)
    return [op for _, op in sorted(placed, key=lambda one: one[0])]


# ── sketches, and what the answer holds ──────────────────────────────────────────────────────────


def _sketches(lines: list[str], blocks: list[Block], ops: tuple[Op, ...], file: str) -> tuple[Sketch, ...]:
    """The fences without marks, each with the lines above it, and the file of a stated edit right before it."""
    found = []
    paths = iter(sorted((op.patch_line, paths_of(op)[0]) for op in ops))
    upcoming = next(paths, None)
    end, previous = 0, ""
    for number, block in enumerate(blocks):
        if block.kind == SKETCH and block.region is not None:
            region = block.region
            info = lines[block.start].strip().lstrip("`~").strip()
            above = (*lines[end : block.start], file) if file else tuple(lines[end : block.start])
            body = tuple(_outdented(region.body, lines[block.start]))
            found.append(Sketch(number, block.start + 1, info, body, above, previous, region.closed))
            previous = ""
        while upcoming and upcoming[0] <= block.end:
            previous, upcoming = upcoming[1], next(paths, None)
        end = block.end
    return tuple(found)


def _cut_off(sketch: Sketch) -> Problem:
    advice = "Send the rest of it, up to the end of the fence."
    return Problem("truncated", "the answer ends inside a fence", patch_line=sketch.line, advice=advice)


def _outdented(body: list[str], opener: str) -> list[str]:
    """The contents of a fence, without the indentation of a list that the fence is in."""
    indent = opener[: len(opener) - len(opener.lstrip())]
    if indent and all(line.startswith(indent) for line in body if line.strip()):
        return [line[len(indent) :] for line in body]
    return body


def _told(name: str, block: Block) -> Told:
    """A block as the report names it."""
    return Told(block.start + 1, block.end, name or ("sketch" if block.kind == SKETCH else "JSON"))


def _broken(text: str, lines: list[str], tally: Tally | None, file: str) -> Patch:
    """What a text without any block says: a patch that is broken, whose format says how; else Refused."""
    names = [name for name, score in scores(text) if score >= FOUND and name not in (*CALLS, *SHOWN)]
    if names:
        return read_as(names[0], text, tally, file)
    script: Problem | None = formats.named("unified").reader.script_in(lines)
    if script is not None:
        raise Refused(script)
    raise Refused(Problem("no_patch", "the answer is only prose: no code fence, no diff, no edit blocks", patch_line=1))
