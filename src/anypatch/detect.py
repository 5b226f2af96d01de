"""A model's whole answer as one patch: pages and escapes seen through, several patches and formats in order. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from . import formats
from .answer import FILE, JSON, QUOTE, UNCLEAR, WRAPPER, Block, outline
from .formats import CONFLICT, scores
from .model import Note, Op, Patch
from .parsing.elision import marks_in
from .parsing.fences import fence_of, fences, prose
from .parsing.hashline import is_document as is_hashline
from .parsing.meant import is_forbidden, is_mentioned, is_optional
from .parsing.paths import looks_like_path
from .parsing.quotes import is_sample
from .parsing.shell import is_script
from .parsing.shown import Shown, quoted
from .problems import Problem, Refused
from .record import NamedTuple
from .text import BOM, patch_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .limits import Tally


FOUND = 30
_ONE_FORMAT = "Send only what is meant, all of it in one format."
_SIGN_ALL = "Begin every unchanged line of a hunk with one extra space, and put the diff in a fence."
_LISTED = 4  # fences that are named in a refusal
_WORDS = 40  # characters of a fence's opening line that are shown
_CALLS = ("json-edits", "symbol-chunks", "workspace-edit")
_SHOWN = ("whole-file", "elided")
_LOOSE, _QUOTED, _WRAPPED, _EXAMPLE = 1, 2, 3, 20
# A line that may say of a patch below it that it isn't meant: "Alternatively:", "### Option 2", "**Rollback**", "or".
_LEAD = r"(?m)^(?:(?:#{1,6}|\d{1,2}[.)]) .*|\*\*.*\*\*:?|(?:[(>] ?)?[A-Z0-9].*:\W{0,3}|or\W{0,3})$"


def read_answer(text: str, tally: Tally | None = None, file: str = "") -> Patch:
    """What the answer says, in whatever formats it says it; Refused where it holds no patch, or too long a one.

    `file`: the path of fences for which the answer names none.
    """
    if not text.strip().strip(BOM):
        raise Refused(Problem("no_patch", "the answer is empty", advice="Send the edits."))
    readings = _readings(text)
    if len(readings) == 1 and formats.score("chunk", text) >= FOUND and _is_document(text):
        return read_as("chunk", text, tally)  # whatever else it looks like
    quotes: list[Note] = []
    patches: list[Patch] = []
    for reading, note in readings:
        patch = _read(reading, tally, quotes, file)
        if patch is not None:
            patches.append(patch._replace(notes=(Note(note, patch_line=1), *patch.notes)) if note else patch)
            if not patch.problems:
                return patches[-1]
    if patches:
        return patches[0]
    if quotes:
        detail = f"there is nothing to apply: {quotes[0].text}"
        advice = "Write the file's path alone on a line, then its new contents in a fence; or send a patch."
        raise Refused(Problem("no_patch", detail, quotes[0].path, quotes[0].patch_line, advice=advice))
    raise Refused(_seen(text))


def _seen(text: str) -> Problem:
    """The refusal of an answer without any patch: what was seen in it instead."""
    lines = patch_lines(text)
    script: Problem | None = formats.named("unified").reader.script_in(lines)
    if script is not None:
        return script
    found = list(fences(lines))
    if not found:
        return Problem("no_patch", "the answer is only prose: no code fence, no diff, no edit blocks", patch_line=1)
    listed = [f"line {region.start} ({lines[region.start - 1].strip()[:_WORDS]})" for region in found[:_LISTED]]
    more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
    which = "its fence" if len(found) == 1 else f"its {len(found)} fences"
    return Problem(
        "no_patch", f"the answer names no file for {which}: {', '.join(listed)}{more}", patch_line=found[0].start,
        advice="Write the file's path alone on the line above its fence, or send a diff or SEARCH/REPLACE blocks.",
        command="--file PATH names the file for all of them.",
    )  # fmt: skip


def read_as(name: str, text: str, tally: Tally | None = None) -> Patch:
    """What the text says in one format."""
    return formats.named(name).parse(text, tally)


# ── the constructs of an answer ──────────────────────────────────────────────────────────────────


def _read(text: str, tally: Tally | None, quotes: list[Note], file: str) -> Patch | None:
    """What a text says; None where it holds no patch, with notes on what it only quotes."""
    name = _one_block(text) or _only_format(text)
    if name:
        return read_as(name, text, tally)
    blocks = outline(text, file)
    parts = _parts(text, blocks)
    if not parts.formats and not parts.files:
        quotes += parts.notes
        # What no construct shows may still be a patch that is broken; its format says how. JSON in a sentence is none.
        rest = _without(text, blocks)
        broken = [name for name, score in scores(rest) if score >= FOUND and name not in (*_CALLS, *_SHOWN)]
        return read_as(broken[0], rest, tally) if broken and not parts.notes else None
    return _joined(text, blocks, parts, tally)


def _one_block(text: str) -> str:
    """The format of a text that is one block of it from its first line to its last; "" for any other.

    What its lines look like besides is no matter: they are lines of files.
    """
    if text.lstrip(f"{BOM} \t\r\n")[:1] in ("<", "[", "{", "`", "~"):
        return ""
    lines = patch_lines(text)
    row = 0
    while row + 1 < len(lines) and not lines[row].strip():
        row += 1
    kind = formats.opening(lines, row)
    if kind in ("", "chunk", CONFLICT):
        return ""
    end = formats.block_end(kind, lines, row, len(lines), False)
    return kind if end > row and not any(map(str.strip, lines[end:])) else ""


def _only_format(text: str) -> str:
    """The format of a text that looks like no other, and can't hold it inside of anything else; "" for other texts."""
    first = text.lstrip(f"{BOM} \t\r\n")[:3]
    is_call = first[:1] in ("{", "[") and (text.rstrip()[-1:] in ("}", "]") or is_hashline(text))
    is_call = is_call or (first[:1].isalpha() and is_script(text))
    is_held = any(sign in text for sign in ("```", "~~~", "<file ", "<document "))
    if is_held and not is_call:
        return ""
    if any(is_forbidden(lead) or is_mentioned(lead) or is_optional(lead) for lead in re.findall(_LEAD, text)):
        return ""
    names = [name for name, score in scores(text) if score >= FOUND]
    # Lines of a diff may speak of `operations:`, so that CHUNK is never plain; nor is a `*** Begin Patch` that isn't
    # one block: it may stand in the diff of a file that holds it.
    if len(names) != 1 or names[0] in ("chunk", "begin-patch"):
        return ""
    is_plain = is_call if names[0] in _CALLS else not is_held
    return names[0] if is_plain else ""


def _is_document(text: str) -> bool:
    """Whether all of a text is one CHUNK document: what its payloads hold is then no patch of its own."""
    # Joined to the line above, indented lines needn't be looked at.
    lines = patch_lines(text) if "\r" in text else text.removeprefix(BOM).replace("\n ", " ").split("\n")
    margin = [line for line in lines if line[:1] not in ("", " ", "\t")]
    keys = ("operations:", "language:", "description:", "- ")
    return margin[:1] != [] and not margin[0].startswith("- ") and all(line.startswith(keys) for line in margin)


class Parts(NamedTuple):
    """The constructs that count: blocks of each format with marks of its own, files shown; notes on the others."""

    formats: dict[str, list[Block]]
    files: list[Block]
    notes: list[Note]


def _parts(text: str, blocks: tuple[Block, ...]) -> Parts:
    """What of an answer is meant. What is wrapped, or said to be an example, counts only where nothing else does.

    What is both never does: a fence around "Here is an example of a patch:" and its diff quotes an answer.
    """
    lines = patch_lines(text)
    parts = Parts({}, [], [])
    ranked = []
    shows_files = all(block.kind in (FILE, QUOTE, UNCLEAR, WRAPPER) for block in blocks)
    for block in blocks:
        name = _format(lines, block)
        if name and block.depth and block.example:
            parts.notes.append(_example(block, name, "it is inside another fence"))
        elif name:
            ranked.append((block, name, _rank(block, shows_files)))
    best = min((rank for _, _, rank in ranked), default=0)
    surest = [(block, name) for block, name, rank in ranked if rank == best]
    calls = {block.kind == JSON for block, name in surest if name not in _SHOWN}
    only_files = not calls and any(block.kind == FILE for block, _ in surest)
    options = {block.option for block, _ in surest}
    for block, name, rank in ranked:
        doubt = ""
        is_sample_call = False
        if best < _EXAMPLE <= rank and not block.depth and block.kind not in (FILE, JSON):
            doubt = "is called an example, but there is a patch next to it"
        elif best < rank <= _QUOTED and block.kind != FILE and only_files:
            doubt = "may be an edit or only be mentioned: the answer also shows files"
        elif block.kind == JSON and not best and rank <= _LOOSE and _may_be_no_call(lines, block, calls):
            is_sample_call = is_sample(lines, block.start)
            doubt = "" if is_sample_call else "may be a call or only an illustration: there is a patch next to it"
        if block.option and rank == best and len(options) > 1:
            why = f"`{block.option}`, line {block.start + 1}"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, problem="alternatives"))
        elif doubt:
            why = f"the {name} block at line {block.start + 1} {doubt}"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_ONE_FORMAT))
        elif rank > best or is_sample_call:
            parts.notes.append(_example(block, name, "there is a patch next to it"))
        elif name in _SHOWN:
            parts.files.append(block)
        else:
            parts.formats.setdefault(name, []).append(block)
    for block in blocks:
        if block.kind == QUOTE and block.shown and any(one.kind == FILE for one in parts.files):
            # "In `a.py`, `f` can be shorter:" and a fence, beside another that is surely meant: a quotation, or both?
            parts.files.append(block._replace(kind=FILE, shown=block.shown._replace(only="quote")))
        elif block.kind == QUOTE and "unified" in parts.formats and _is_in_hunk(lines, block):
            why = f"the fence at line {block.start + 1} may be a line of the diff above it, with more of it inside"
            parts.files.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_SIGN_ALL))
        elif block.kind == QUOTE and (note := _passed_over(lines, block)):
            parts.notes.append(note)
    return parts


def _is_in_hunk(lines: list[str], block: Block) -> bool:
    """Whether a fence may be a line of a hunk that lost its sign: it is below such lines, and hunks are inside it.

    @@ -1,3 +1,3 @@         the diff of a page
    -Example: a
    +Example: b
    ```js
    @@ -7,3 +7,3 @@
    """
    above = next((line for line in reversed(lines[: block.start]) if line.strip()), "")
    inside = (line.lstrip(" \t") for line in lines[block.start + 1 : block.end])
    return above.lstrip("\t")[:1] in ("+", "-", " ", "@") and any(line.startswith("@@ ") for line in inside)


def _may_be_no_call(lines: list[str], block: Block, calls: set[bool]) -> bool:
    """Whether JSON may be no call: in a fence beside a patch with marks of its own, or among prose beside a call.

    `calls`: whether the patches that surely count are calls, or have marks, or there are both.
    """
    if block.loose:
        return calls == {True}
    closed = block.end <= len(lines)  # a fence that is cut off has no last line
    return False in calls and closed and fence_of(lines[block.end - 1]) is not None


def _rank(block: Block, shows_files: bool) -> int:
    """How surely a construct is meant; beside surer ones JSON among prose, conflicts and examples are but spoken of.

    `shows_files`: the answer has nothing but files. Then a name like any other word (CHANGES) is one if it is there.
    """
    if block.example:
        return _EXAMPLE
    if block.depth:
        return _WRAPPED + min(block.depth, 8)
    if block.kind == CONFLICT:
        return _QUOTED
    if block.kind == FILE and block.shown and (block.shown.quote or not (shows_files or _names_file(block.shown))):
        return _QUOTED
    return _LOOSE if block.loose else 0


def _names_file(shown: Shown) -> bool:
    """Whether what stands above a fence may be a path: `### Vagrantfile`, not `### Build`."""
    return shown.only != "there" or "/" in shown.path or looks_like_path(shown.path)


def _format(lines: list[str], block: Block) -> str:
    """The format of a construct; "" for a quote."""
    if block.kind in (FILE, UNCLEAR):
        return "whole-file"
    if block.kind != JSON:
        return "" if block.kind in (QUOTE, WRAPPER) else formats.format_of(block.kind)
    text = "\n".join(lines[block.start : block.end])
    names = [name for name, score in scores(text) if score >= FOUND and name in _CALLS]
    if len(names) > 1:
        # Keys of another format may stand in the texts of a call: only its own reader knows.
        names = [name for name in names if read_as(name, text).ops] or names
    if not names and '"operations"' in text and formats.score("chunk", text) >= FOUND:
        return "chunk"
    return names[0] if names else ""


def _example(block: Block, name: str, why: str) -> Note:
    text = f"the {name} block was taken as an example: {why}"
    return Note(text, patch_line=block.start + 1, kind="quote")


def _passed_over(lines: list[str], block: Block) -> Note | None:
    """The note on a fence that seems to change a file in a way that isn't read; None for other quotes."""
    body = [line for line in lines[block.start + 1 : block.end - 1] if line.strip()]
    if block.why:
        why = block.why
    elif body and {"+", "-"} <= {line[0] for line in body} <= {"+", "-", " "}:
        why = "it has `+` and `-` lines but names no file"
    elif any(line.lstrip("$ ").startswith(("sed -i", "perl -pi")) or (">" in line and "<<" in line) for line in body):
        why = "commands are not run"
    else:
        return None
    return Note(f"a fence was skipped: {why}", patch_line=block.start + 1, kind="quote")


def _joined(text: str, blocks: tuple[Block, ...], parts: Parts, tally: Tally | None) -> Patch:
    """Each format reads what is not another's; the operations are taken in the order of the answer."""
    patches = [read_as(name, _alone(text, blocks, name, own), tally) for name, own in parts.formats.items()]
    if parts.files:
        shown = _files(parts, [op for patch in patches for op in patch.ops])
        patches.append(shown._replace(prose=prose(patch_lines(text))))
    if len(patches) == 1 and not parts.notes:
        return patches[0]
    patches = [patch for patch in patches if patch.format]
    ops = [op for patch in patches for op in patch.ops]
    if sum(bool(patch.ops) for patch in patches) > 1:  # a format's own order stands: a diff's copies are made first
        ops.sort(key=lambda op: op.patch_line)
    names = [patch.format for patch in patches if patch.ops or patch.problems]
    notes = [note for patch in patches for note in patch.notes] + parts.notes
    if len(names) > 1:
        notes.insert(0, Note(f"the answer mixes formats: {', '.join(names)}", patch_line=1))
    problems = [problem for patch in patches for problem in patch.problems]
    return Patch(
        " + ".join(names),
        tuple(ops),
        next((patch.description for patch in patches if patch.description), ""),
        tuple(sorted(problems, key=lambda p: p.patch_line)),
        tuple(notes),
        any(patch.exact for patch in patches),
        prose=next((patch.prose for patch in patches if patch.prose), ""),
    )


def _alone(text: str, blocks: tuple[Block, ...], name: str, own: list[Block]) -> str:
    """The text as one format is to read it: without what belongs to others, or is quoted and looks like its own."""
    lines = patch_lines(text)
    if name in _CALLS:
        kept = [""] * len(lines)
        for block in own:
            kept[block.start : block.end] = lines[block.start : block.end]
        return "\n".join(kept)
    mine = {(block.start, block.kind) for block in own}
    others = [
        block
        for block in blocks
        if (block.start, block.kind) not in mine
        and (block.kind != QUOTE or _looks_like(name, lines[block.start : block.end]))
    ]
    return _without(text, others)


def _looks_like(name: str, lines: list[str]) -> bool:
    """Whether a reader may find something of its own in a quote: of a diff, hunks of any other patch, too.

    Other quotes stay: what looks like one may be lines of a hunk that lost their signs.
    """
    hunks = name == "unified" and any(line.startswith("@@") for line in lines)
    return hunks or formats.score(name, "\n".join(lines)) > 0


def _without(text: str, blocks: Collection[Block]) -> str:
    """The text with some constructs blanked out."""
    if not blocks:
        return text
    lines = text.removeprefix(BOM).split("\n")
    for block in blocks:
        rows = range(block.start, min(block.end, len(lines)))
        for row in rows if block.kind != WRAPPER else (rows[0], rows[-1]):
            if block.kind != WRAPPER or fence_of(lines[row]):
                lines[row] = ""
    # Blank lines at the end of a YAML text may count: what follows is cut off, where it is blanked altogether.
    end = len(lines)
    for block in sorted(blocks, key=lambda block: -block.start):
        if any(map(str.strip, lines[block.start : end])):
            break
        end = block.start
    return "\n".join(lines if end == len(lines) else [*lines[:end], ""])


def _files(parts: Parts, ops: list[Op]) -> Patch:
    """The files that an answer shows. Beside a patch they are new files, or quote what is there: the plan tells."""
    partial = {number for number, block in enumerate(parts.files) if _is_partial(block)}
    reader = formats.named("elided" if partial else "whole-file").reader
    if not parts.formats:
        files: Patch = reader.read(parts.files)
        return files
    notes: list[Note] = []
    kept: list[Block] = []
    touched = {_plain(path) for op in ops for path in (op.path, getattr(op, "to", "")) if path}
    for number, block in enumerate(parts.files):
        shown = block.shown
        if (
            shown is not None
            and not shown.quote
            and _plain(shown.path) not in touched
            and (shown.only == "part" or shown.old)
        ):
            # "In `a.py`, change `f` to:" and a fence, beside a diff of another file: left out, half of it is done.
            why = f"the fence at line {block.start + 1} may be an edit of {shown.path}, but there is a patch next to it"
            kept.append(block._replace(kind=UNCLEAR, shown=None, why=why, advice=_ONE_FORMAT))
            continue
        if shown is not None and (shown.quote or shown.only == "maybe"):
            notes.append(quoted(shown, shown.quote or "there is a patch next to it"))
        elif shown is not None and (_plain(shown.path) in touched or shown.only in ("there", "quote") or shown.old):
            kept.append(block._replace(shown=shown._replace(only="quote")))
        elif shown is None or number in partial:
            kept.append(block)
        else:
            kept.append(block._replace(shown=shown._replace(only="new")))
    if not kept:
        return Patch("whole-file", notes=tuple(notes))
    files = reader.read(kept)
    return files._replace(notes=(*notes, *files.notes))


def _is_partial(block: Block) -> bool:
    shown = block.shown
    return shown is not None and not shown.old and bool(marks_in(shown.path, shown.body))


def _plain(path: str) -> str:
    """A path without what is often put before it."""
    slashed = path.replace("\\", "/").removeprefix("./")
    return slashed[2:] if slashed[:2] in ("a/", "b/") else slashed


# ── pages, escapes, indentation ──────────────────────────────────────────────────────────────────


def _readings(text: str) -> list[tuple[str, str]]:
    """What the text may be meant to be, and how that was got: as it is, out of a page, without escapes.

    A text that is indented throughout is never meant to be: without its indentation it comes first.
    """
    readings = [(text, "")]
    is_marked_up = "&" in text and ("&nbsp;" in text or "<br" in text)
    escaped = is_escaped(text)
    no_patch = (is_marked_up or escaped) and _is_no_patch(text)
    if is_marked_up and (no_patch or _is_page(text)):
        readings.append((_from_page(text), "the patch was read out of an HTML page"))
    if no_patch and escaped:
        readings.append((unescaped(text), "HTML escapes were decoded"))
    outdented = dedented(text)
    if outdented is not None:
        readings.insert(0, (outdented, "the indentation of the whole patch was dropped"))
    return readings


def dedented(text: str) -> str | None:
    """The text without the indentation that all of its lines share; None where they share none."""
    if text.lstrip("\ufeff\r\n")[:1] not in (" ", "\t"):
        return None
    lines = patch_lines(text)
    inner = [line for line in lines if line.strip()]
    depth = min((len(line) - len(line.lstrip(" \t")) for line in inner), default=0)
    if not depth or len(inner) < 2 or len({line[:depth] for line in inner}) > 1:
        return None
    return "\n".join(line[depth:] for line in lines)


def _is_no_patch(text: str) -> bool:
    """Whether a text as it stands is no patch: none at all, or files in fences that begin with an escaped marker."""
    if _one_block(text):
        return False
    name, score = scores(text)[0]
    if score < FOUND or name not in _SHOWN:
        return score < FOUND
    heads = [next((line.strip() for line in fence.body if line.strip()), "") for fence in fences(patch_lines(text))]
    return any(head.startswith("&") and unescaped(head).startswith(_OPENERS) for head in heads)


def _is_page(text: str) -> bool:
    """Whether the whole text is an HTML page, not a patch that holds one."""
    return text.lstrip().lower().startswith(("<!doctype html", "<html", "<body", "<div", "<pre", "<p>"))


_OPENERS = ("<<<<<", "<file ", "<document ", "<invoke", "<function")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&#x27;", "'"),
            ("&apos;", "'"), ("&#60;", "<"), ("&#62;", ">"), ("&#38;", "&"), ("&amp;", "&"))  # fmt: skip


def is_escaped(text: str) -> bool:
    """Whether a text holds HTML escapes of the signs that code is made of."""
    return "&" in text and any(escape in text for escape, _ in _ESCAPES)


def escaped_signs(text: str) -> set[str]:
    """The signs that a text holds the escapes of."""
    return {sign for escape, sign in _ESCAPES if escape in text}


def without_escapes(text: str) -> str:
    """The text with those escapes left out."""
    for escape, _ in _ESCAPES:
        text = text.replace(escape, "")
    return text


def unescaped(text: str) -> str:
    """The text with those escapes read; others, as in `?a=1&copy=2`, are no escapes of code."""
    for escape, sign in _ESCAPES:
        text = text.replace(escape, sign)
    return text


def _from_page(text: str) -> str:
    """The lines of a page that shows text by `<br>` and `&nbsp;`; its own tags become blank lines."""
    lines = []
    for line in patch_lines(text):
        bare = re.sub(r"<br\s{0,4}/?>", "", line, flags=re.IGNORECASE)
        if bare == line and re.fullmatch(r"\s*<[!/a-zA-Z][^<>]*>(?:[^<>]*</[a-zA-Z]+>)?\s*", line):
            bare = ""
        lines.append(unescaped(bare.replace("&nbsp;", " ")))
    return "\n".join(lines)
